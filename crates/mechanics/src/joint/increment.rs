//! The reparametrisation `F_d`: from increments of the degrees of freedom to the next placement of the child [Johnson 3.24,
//! 3.26, A.12].
//!
//! An increment is kept as [`JointIncrement`]: changes of angles and travels as numbers, turns as Rodrigues vectors. Two
//! ways lead to the next configuration: [`Joint::child_displacement`] gives *changes* of placement to full relative precision,
//! which the discrete equations need; [`Joint::child_pose`] gives the placement itself from the parent's, so that joints
//! never drift.

use super::{Joint, JointFrame, JointKind};
use crate::rotation::{Mat3, RodriguesVector, about, orthonormalised, tangents};
use percussion_geometry::Vec3;

/// Displacement of a body over a step: the shift of its centre of mass and its rotation.
#[derive(Clone, Copy, Debug)]
pub struct Displacement {
    /// Of the centre of mass, world axes, m.
    pub shift: Vec3,
    /// From the old to the new orientation, world axes.
    pub turn: RodriguesVector,
}

impl Displacement {
    /// No motion.
    pub fn zero() -> Self {
        Self { shift: Vec3::zeros(), turn: RodriguesVector::identity() }
    }
}

/// Increment of a joint over a step, in the axes of its parent-side frame.
#[derive(Clone, Copy, Debug)]
pub struct JointIncrement {
    /// Displacement of `t_J` for free joints; changes of angles and travels for the others (in the order of the degrees of freedom).
    pub(crate) numbers: Vec3,
    /// `R_J` new from old, for spherical, free and rod joints.
    pub(crate) turn: RodriguesVector,
    /// Direction of a rod, new from old.
    pub(crate) swing: RodriguesVector,
}

impl JointIncrement {
    /// No motion.
    pub fn zero() -> Self {
        Self { numbers: Vec3::zeros(), turn: RodriguesVector::identity(), swing: RodriguesVector::identity() }
    }
}

impl Joint {
    /// The step that a further small displacement `d` of the degrees of freedom leads to, from where `step` has arrived.
    /// The derivative with respect to `d` at zero is [`Joint::motion`] at the place of arrival.
    pub fn incremented(&self, frame: &JointFrame, step: &JointIncrement, d: &[f64]) -> JointIncrement {
        let mut next = *step;
        let vector = |i: usize| Vec3::new(d[i], d[i + 1], d[i + 2]);
        match self.kind {
            JointKind::Fixed => {}
            JointKind::Spherical => next.turn = RodriguesVector::exp(&vector(0)).after(&step.turn),
            JointKind::Free => {
                next.numbers += vector(0);
                if !self.particle {
                    next.turn = RodriguesVector::exp(&vector(3)).after(&step.turn);
                }
            }
            JointKind::Rod => {
                let direction = frame.shift.normalize();
                let (e1, e2) = tangents(&(direction + step.swing.displacement(&direction)));
                next.swing = RodriguesVector::exp(&(e1 * d[0] + e2 * d[1])).after(&step.swing);
                if !self.particle {
                    next.turn = RodriguesVector::exp(&vector(2)).after(&step.turn);
                }
            }
            _ => (0..self.dofs()).for_each(|i| next.numbers[i] += d[i]),
        }
        next
    }

    /// `R_J` new from old, in the axes of the parent-side frame.
    fn turn_of(&self, frame: &JointFrame, step: &JointIncrement) -> RodriguesVector {
        let n = &step.numbers;
        match self.kind {
            JointKind::Fixed | JointKind::Prismatic => RodriguesVector::identity(),
            JointKind::Revolute | JointKind::Cylindrical => RodriguesVector::about(&Vec3::z(), n[0]),
            JointKind::Planar if self.particle => RodriguesVector::identity(),
            JointKind::Planar => RodriguesVector::about(&Vec3::z(), n[2]),
            JointKind::Universal => {
                let (sin, cos) = frame.first.sin_cos();
                let second = Vec3::new(0.0, cos, sin);
                RodriguesVector::about(&Vec3::x(), n[0]).after(&RodriguesVector::about(&second, n[1]))
            }
            JointKind::Spherical | JointKind::Free | JointKind::Rod => step.turn,
        }
    }

    /// Displacement of `t_J`, in the axes of the parent-side frame.
    fn shift_of(&self, frame: &JointFrame, step: &JointIncrement) -> Vec3 {
        let n = &step.numbers;
        match self.kind {
            JointKind::Fixed | JointKind::Revolute | JointKind::Universal | JointKind::Spherical => {
                Vec3::zeros()
            }
            JointKind::Prismatic => Vec3::new(0.0, 0.0, n[0]),
            JointKind::Cylindrical => Vec3::new(0.0, 0.0, n[1]),
            JointKind::Planar => Vec3::new(n[0], n[1], 0.0),
            JointKind::Free => *n,
            JointKind::Rod => step.swing.displacement(&frame.shift),
        }
    }

    /// Displacement of the child from that of the parent. `arms` are the parent-side and child-side points,
    /// from the centres of mass of parent and child, world axes, before the step.
    pub fn child_displacement(
        &self,
        frame: &JointFrame,
        parent: &Displacement,
        step: &JointIncrement,
        arms: (&Vec3, &Vec3),
    ) -> Displacement {
        let w = &frame.parent.axes;
        let turn = parent.turn.after(&self.turn_of(frame, step).rotated_by(w));
        let by = self.shift_of(frame, step);
        let hinge = parent.shift + parent.turn.displacement(&(arms.0 + w * (frame.shift + by))) + w * by;
        Displacement { shift: hinge - turn.displacement(arms.1), turn }
    }

    /// Displacement of a step along a degree of freedom, on which a control input along it does work. Turns count as their rotation vectors, and
    /// swings of a rod along the mean of the directions that the degree of freedom has at both ends.
    pub fn travel(&self, frame: &JointFrame, step: &JointIncrement, dof: usize) -> f64 {
        match (self.kind, dof) {
            (JointKind::Spherical, k) => step.turn.log()[k],
            (JointKind::Free, 3..) => step.turn.log()[dof - 3],
            (JointKind::Rod, 0 | 1) => {
                let from = frame.shift.normalize();
                let to = from + step.swing.displacement(&from);
                let swing = RodriguesVector(from.cross(&to) / (1.0 + from.dot(&to))).log();
                let ((a1, a2), (b1, b2)) = (tangents(&from), tangents(&to));
                let mean = if dof == 0 { (a1 + b1) * 0.5 } else { (a2 + b2) * 0.5 };
                mean.dot(&swing)
            }
            (JointKind::Rod, k) => step.turn.log()[k - 2],
            (_, k) => step.numbers[k],
        }
    }

    /// The joint's coordinates after the step.
    pub fn advance_coordinates(&self, step: &JointIncrement, coordinates: &mut [f64]) {
        for (i, c) in coordinates.iter_mut().enumerate() {
            *c += step.numbers[i];
        }
    }

    /// The child's placement after the step, from the parent-side frame after it and the joint's coordinates.
    pub fn child_pose(
        &self,
        old: &JointFrame,
        parent: &super::Frame,
        step: &JointIncrement,
        coordinates: &[f64],
    ) -> (Vec3, Mat3) {
        let turned = match self.kind {
            JointKind::Fixed | JointKind::Prismatic => Mat3::identity(),
            JointKind::Revolute | JointKind::Cylindrical => about(&Vec3::z(), coordinates[0]),
            JointKind::Planar if self.particle => Mat3::identity(),
            JointKind::Planar => about(&Vec3::z(), coordinates[2]),
            JointKind::Universal => about(&Vec3::x(), coordinates[0]) * about(&Vec3::y(), coordinates[1]),
            JointKind::Spherical | JointKind::Free | JointKind::Rod => {
                orthonormalised(&(step.turn.matrix() * old.rotation))
            }
        };
        let shift = match self.kind {
            JointKind::Fixed | JointKind::Revolute | JointKind::Universal | JointKind::Spherical => {
                Vec3::zeros()
            }
            JointKind::Prismatic => Vec3::new(0.0, 0.0, coordinates[0]),
            JointKind::Cylindrical => Vec3::new(0.0, 0.0, coordinates[1]),
            JointKind::Planar => Vec3::new(coordinates[0], coordinates[1], 0.0),
            JointKind::Free => old.shift + step.numbers,
            JointKind::Rod => (old.shift + step.swing.displacement(&old.shift)).normalize() * self.length,
        };
        let rotation = parent.axes * turned * self.child_frame.axes.transpose();
        (parent.point + parent.axes * shift - rotation * self.child_frame.point, rotation)
    }
}
