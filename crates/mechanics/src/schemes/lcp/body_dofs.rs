//! The unknown velocities of one body: three of its centre of mass in world axes and three of rotation in body axes, fewer for
//! particles and for bodies on a planar joint. The mass matrix is constant and diagonal in them.

use crate::joint::JointKind;
use crate::rotation::Mat3;
use crate::spatial::{Vec6, angular, linear, twist};
use crate::tree::Link;
use percussion_geometry::Vec3;

/// The unknown velocities of one body, and conversions of twists and wrenches to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyDofs {
    /// Number of unknowns: 6 in space, 3 of a particle or in the plane, 2 of a particle in the plane.
    pub count: usize,
    /// World axes of the plane as columns, for bodies on a planar joint.
    plane: Option<Mat3>,
    /// Body axes, for bodies that rotate in space.
    axes: Mat3,
    /// Diagonal of the inverse mass matrix.
    pub inverse_mass: [f64; 6],
}

impl BodyDofs {
    /// Of a link with this orientation.
    pub fn new(link: &Link, rotation: &Mat3) -> Self {
        let (m, j) = (1.0 / link.mass, &link.inertia);
        let mut inverse_mass = [m; 6];
        let particle = link.joint.particle;
        let plane = (link.joint.kind == JointKind::Planar).then_some(link.joint.parent_frame.axes);
        let count = match (&plane, particle) {
            (Some(_), true) => 2,
            (Some(axes), false) => {
                // The moment of inertia about the plane's normal, constant under rotations in the plane.
                let normal = rotation.tr_mul(&axes.column(2).into_owned());
                inverse_mass[2] = 1.0 / normal.dot(&j.component_mul(&normal));
                3
            }
            (None, true) => 3,
            (None, false) => {
                inverse_mass[3..].copy_from_slice(&[1.0 / j.x, 1.0 / j.y, 1.0 / j.z]);
                6
            }
        };
        Self { count, plane, axes: *rotation, inverse_mass }
    }

    /// A wrench about the centre of mass, world axes, as a row over the unknowns.
    #[inline(always)]
    pub fn wrench_row(&self, wrench: &Vec6) -> [f64; 6] {
        let (f, t) = (linear(wrench), angular(wrench));
        match &self.plane {
            Some(axes) => {
                let along = |v: &Vec3, k: usize| axes.column(k).dot(v);
                [along(&f, 0), along(&f, 1), along(&t, 2), 0.0, 0.0, 0.0]
            }
            None => {
                let [x, y, z] = self.body_components(&t);
                [f.x, f.y, f.z, x, y, z]
            }
        }
    }

    /// Whether a wrench has a component along any of the unknowns.
    pub fn is_moved_by(&self, wrench: &Vec6) -> bool {
        match self.count {
            6 => wrench.iter().any(|x| *x != 0.0),
            n => self.wrench_row(wrench)[..n].iter().any(|x| *x != 0.0),
        }
    }

    /// Components of a torque in body axes.
    #[inline(always)]
    fn body_components(&self, t: &Vec3) -> [f64; 3] {
        let [x, y, z] = &self.axes.data.0;
        [x, y, z].map(|axis| axis[0] * t.x + axis[1] * t.y + axis[2] * t.z)
    }

    /// The row of a force along a direction at a point with this arm from the centre of mass, times a factor.
    #[inline(always)]
    pub fn force_row(&self, arm: &Vec3, direction: &Vec3, factor: f64) -> [f64; 6] {
        let (f, t) = (direction * factor, arm.cross(direction) * factor);
        match &self.plane {
            Some(_) => self.wrench_row(&twist(&f, &t)),
            None => {
                let [x, y, z] = self.body_components(&t);
                [f.x, f.y, f.z, x, y, z]
            }
        }
    }

    /// The twist of unknowns, world axes.
    pub fn twist(&self, v: &[f64]) -> Vec6 {
        match &self.plane {
            Some(axes) => {
                let turn = if self.count > 2 { axes.column(2) * v[2] } else { Vec3::zeros() };
                twist(&(axes.column(0) * v[0] + axes.column(1) * v[1]), &turn)
            }
            None => {
                let turn = match self.count {
                    6 => self.axes * Vec3::new(v[3], v[4], v[5]),
                    _ => Vec3::zeros(),
                };
                twist(&Vec3::new(v[0], v[1], v[2]), &turn)
            }
        }
    }

    /// The unknowns of a twist: its row for unit masses.
    pub fn unknowns(&self, twist: &Vec6) -> [f64; 6] {
        self.wrench_row(twist)
    }

    /// Linear momentum, and angular momentum about the centre of mass, world axes.
    pub fn momentum(&self, v: &[f64; 6]) -> Vec6 {
        let mut p = [0.0; 6];
        (0..self.count).for_each(|k| p[k] = v[k] / self.inverse_mass[k]);
        self.twist(&p)
    }

    /// Inertia about the centre of mass along the unknowns, world axes.
    pub fn inertia(&self) -> Mat3 {
        match (&self.plane, self.count) {
            (Some(axes), 3) => axes.column(2) * axes.column(2).transpose() / self.inverse_mass[2],
            (None, 6) => {
                let moments = Vec3::new(self.inverse_mass[3], self.inverse_mass[4], self.inverse_mass[5])
                    .map(|w| 1.0 / w);
                self.axes * Mat3::from_diagonal(&moments) * self.axes.transpose()
            }
            _ => Mat3::zeros(),
        }
    }

    /// Normal of the plane of a body on a planar joint.
    pub fn normal(&self) -> Option<Vec3> {
        self.plane.as_ref().map(|axes| axes.column(2).into_owned())
    }
}
