//! Bodies without contact: what a step would do to their velocities if nothing touched them.
//!
//! ```text
//! v* = v + h F/m            exp(h ω*) J ω* = J ω + h τ            ω in body axes
//! ```
//!
//! The second is [Hart 4.16] with the gyroscopic term in `k` taken at the end of the step. Spatial angular momentum is kept
//! to rounding without torque, and kinetic energy never grows: with `Π = J ω*` and `Π₀ = exp(h ω*) Π`,
//! `H(Π₀) - H(Π) >= ω*·(Π₀ - Π) = 0`, since the turn leaves its own axis alone.

use crate::discrete::StepError;
use crate::joint::JointKind;
use crate::rotation::{Mat3, Turn, hat};
use crate::spatial::{Vec6, angular, linear, twist};
use crate::tree::Link;
use percussion_geometry::Vec3;

/// Largest turn of a step, rad: 150 degrees.
const LARGEST_TURN: f64 = 2.618;
/// Newton iterations after which a step is too large to have a solution.
const MOST_ITERATIONS: usize = 30;
/// Relative difference of moments of inertia below which a body is a top of no kind: its gyroscopic term is rounding.
const ROUND: f64 = 1e-14;

/// The unknown velocities of one body: which there are, and how twists and wrenches read in them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dof {
    /// How many: 6 in space, 3 of a point or in the plane, 2 of a point in the plane.
    pub count: usize,
    /// World axes of a plane as columns, for bodies that stay in one.
    plane: Option<Mat3>,
    /// Body axes, for bodies that turn in space.
    axes: Mat3,
    /// Diagonal of the inverse mass.
    pub inverse: [f64; 6],
}

impl Dof {
    /// Of a link with this orientation. The mass matrix is constant in these unknowns.
    pub fn new(link: &Link, rotation: &Mat3) -> Self {
        let (m, j) = (1.0 / link.mass, &link.inertia);
        let mut inverse = [m; 6];
        let particle = link.joint.particle;
        let plane = (link.joint.kind == JointKind::Planar).then_some(link.joint.on_parent.axes);
        let count = match (&plane, particle) {
            (Some(_), true) => 2,
            (Some(axes), false) => {
                // The moment about the plane's normal, which a turn in the plane leaves alone.
                let normal = rotation.tr_mul(&axes.column(2).into_owned());
                inverse[2] = 1.0 / normal.dot(&j.component_mul(&normal));
                3
            }
            (None, true) => 3,
            (None, false) => {
                inverse[3..].copy_from_slice(&[1.0 / j.x, 1.0 / j.y, 1.0 / j.z]);
                6
            }
        };
        Self { count, plane, axes: *rotation, inverse }
    }

    /// A wrench about the centre of mass, world axes, as a row over the unknowns.
    #[inline(always)]
    pub fn row(&self, wrench: &Vec6) -> [f64; 6] {
        let (f, t) = (linear(wrench), angular(wrench));
        match &self.plane {
            Some(axes) => {
                let along = |v: &Vec3, k: usize| axes.column(k).dot(v);
                [along(&f, 0), along(&f, 1), along(&t, 2), 0.0, 0.0, 0.0]
            }
            None => {
                let [x, y, z] = self.turned(&t);
                [f.x, f.y, f.z, x, y, z]
            }
        }
    }

    /// Whether a wrench can move it at all.
    pub fn feels(&self, wrench: &Vec6) -> bool {
        match self.count {
            6 => wrench.iter().any(|x| *x != 0.0),
            n => self.row(wrench)[..n].iter().any(|x| *x != 0.0),
        }
    }

    /// A torque in body axes.
    #[inline(always)]
    fn turned(&self, t: &Vec3) -> [f64; 3] {
        let [x, y, z] = &self.axes.data.0;
        [x, y, z].map(|axis| axis[0] * t.x + axis[1] * t.y + axis[2] * t.z)
    }

    /// The row of a push along a direction at a point with this arm from the centre, times a factor.
    #[inline(always)]
    pub fn pushed(&self, arm: &Vec3, direction: &Vec3, factor: f64) -> [f64; 6] {
        let (f, t) = (direction * factor, arm.cross(direction) * factor);
        match &self.plane {
            Some(_) => self.row(&twist(&f, &t)),
            None => {
                let [x, y, z] = self.turned(&t);
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
        self.row(twist)
    }

    /// Linear momentum, and angular momentum about the centre of mass, world axes.
    pub fn momentum(&self, v: &[f64; 6]) -> Vec6 {
        let mut p = [0.0; 6];
        (0..self.count).for_each(|k| p[k] = v[k] / self.inverse[k]);
        self.twist(&p)
    }

    /// Inertia about the centre of mass that its unknowns feel, world axes.
    pub fn inertia(&self) -> Mat3 {
        match (&self.plane, self.count) {
            (Some(axes), 3) => axes.column(2) * axes.column(2).transpose() / self.inverse[2],
            (None, 6) => {
                let moments = Vec3::new(self.inverse[3], self.inverse[4], self.inverse[5]).map(|w| 1.0 / w);
                self.axes * Mat3::from_diagonal(&moments) * self.axes.transpose()
            }
            _ => Mat3::zeros(),
        }
    }

    /// Normal of the plane that it stays in.
    pub fn normal(&self) -> Option<Vec3> {
        self.plane.as_ref().map(|axes| axes.column(2).into_owned())
    }
}

/// Columns of a free body's degrees of freedom: axes of its frame, and its centre of mass from where it turns about.
fn columns(link: &Link, position: &Vec3, rotation: &Mat3) -> (Mat3, Vec3) {
    let hinge = link.joint.on_child.on(position, rotation).point;
    (link.joint.on_parent.axes, position - hinge)
}

/// The twist of a body that moves freely in space, from its momenta: those of [`Model::twists`](crate::Model::twists) without a
/// tree. With columns `(w, 0)` and `(w × a, w)`, momenta are `wᵀ f` and `wᵀ (τ + a × f)`.
pub(super) fn twist_of(link: &Link, position: &Vec3, rotation: &Mat3, momenta: &[f64]) -> Vec6 {
    let (axes, arm) = columns(link, position, rotation);
    let f = axes * Vec3::new(momenta[0], momenta[1], momenta[2]);
    let turn = match momenta {
        [_, _, _, x, y, z] => {
            let torque = axes * Vec3::new(*x, *y, *z) - arm.cross(&f);
            rotation * rotation.tr_mul(&torque).component_div(&link.inertia)
        }
        _ => Vec3::zeros(),
    };
    twist(&(f / link.mass), &turn)
}

/// The momenta of a body that moves freely in space, from its twist.
pub(super) fn momenta_of(link: &Link, position: &Vec3, rotation: &Mat3, t: &Vec6, momenta: &mut [f64]) {
    let (axes, arm) = columns(link, position, rotation);
    let f = linear(t) * link.mass;
    momenta[..3].copy_from_slice(axes.tr_mul(&f).as_slice());
    if let Some(turning) = momenta.get_mut(3..6) {
        let torque = rotation * link.inertia.component_mul(&rotation.tr_mul(&angular(t)));
        turning.copy_from_slice(axes.tr_mul(&(torque + arm.cross(&f))).as_slice());
    }
}

/// The twist at the end of a step in which nothing touches, from that at its beginning and a wrench.
pub(super) fn flown(
    link: &Link,
    rotation: &Mat3,
    dof: &Dof,
    before: &Vec6,
    wrench: &Vec6,
    h: f64,
) -> Result<Vec6, StepError> {
    let v = linear(before) + linear(wrench) * (h / link.mass);
    if link.joint.particle {
        return Ok(twist(&v, &Vec3::zeros()));
    }
    if dof.plane.is_some() {
        // About a fixed axis nothing precesses.
        let mut u = dof.unknowns(&twist(&v, &angular(before)));
        u[2] += h * dof.row(wrench)[2] * dof.inverse[2];
        return Ok(dof.twist(&u));
    }
    let j = &link.inertia;
    let momentum =
        j.component_mul(&rotation.tr_mul(&angular(before))) + rotation.tr_mul(&angular(wrench)) * h;
    let w = spun(j, &momentum, h).ok_or(StepError::TurnsTooFar)?;
    Ok(twist(&v, &(rotation * w)))
}

/// Solves `exp(h ω) J ω = momentum`, all in body axes.
fn spun(j: &Vec3, momentum: &Vec3, h: f64) -> Option<Vec3> {
    let mut w = momentum.component_div(j);
    if j.max() - j.min() <= ROUND * j.max() {
        return (h.abs() * w.norm() <= LARGEST_TURN).then_some(w);
    }
    for _ in 0..MOST_ITERATIONS {
        let u = w * h;
        let jw = j.component_mul(&w);
        let back = Turn::exp(&-u);
        // Jω - exp(-u) momentum, as a difference of what is nearly equal.
        let residual = jw - momentum - back.moves(momentum);
        // d exp(u) = exp(u) hat(right(u) du)
        let mut jacobian = -hat(&jw) * right(&u) * h;
        for k in 0..3 {
            jacobian[(k, k)] += j[k];
        }
        let d = jacobian.lu().solve(&residual)?;
        w -= d;
        if !w.iter().all(|x| x.is_finite()) {
            return None;
        }
        // Quadratic convergence: what is left after a correction of 1e-9 is below rounding.
        if d.norm_squared() <= 1e-18 * w.norm_squared() {
            return (h.abs() * w.norm() <= LARGEST_TURN).then_some(w);
        }
    }
    None
}

/// `∫₀¹ exp(-s u) ds`: how a change of a rotation vector turns, in body axes.
fn right(u: &Vec3) -> Mat3 {
    let square = u.norm_squared();
    let x = hat(u);
    // Below this bound the next terms of the series are under one unit of rounding.
    let (a, b) = if square < 1e-4 {
        (0.5 - square / 24.0 + square * square / 720.0, 1.0 / 6.0 - square / 120.0 + square * square / 5040.0)
    } else {
        let angle = square.sqrt();
        ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (square * angle))
    };
    Mat3::identity() - x * a + x * x * b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_turn_keeps_momentum_and_never_gains_energy() {
        let j = Vec3::new(1.0, 2.0, 2.7);
        for k in 0..200 {
            let f = |i: usize| ((k * 5 + i) as f64 * 1.7).sin();
            let momentum = Vec3::new(f(0), 2.0 * f(1), 3.0 * f(2));
            let h = 0.02 * (1 + k % 20) as f64;
            let w = spun(&j, &momentum, h).unwrap();
            let carried = Turn::exp(&(w * h)).matrix() * j.component_mul(&w);
            assert!((carried - momentum).norm() < 1e-14, "{k}");
            let energy = |p: &Vec3| 0.5 * p.dot(&p.component_div(&j));
            assert!(energy(&j.component_mul(&w)) <= energy(&momentum) * (1.0 + 1e-15), "{k}");
        }
    }

    #[test]
    fn turns_of_a_right_angle_too_many_are_refused() {
        assert!(spun(&Vec3::new(1.0, 1.0, 1.0), &Vec3::new(30.0, 0.0, 0.0), 0.1).is_none());
        assert!(spun(&Vec3::new(1.0, 1.5, 2.0), &Vec3::zeros(), 0.1).is_some());
    }
}
