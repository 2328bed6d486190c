//! Free flight of one body from a moment on, known at any later time.
//!
//! Translation is a parabola. The rotation is cut into patches; in each, with `Π = Rᵀ L` taken anew from the constant
//! `L`, Taylor coefficients follow from Cauchy products:
//!
//! ```text
//! (k+1) Π_{k+1} = Σ Π_i × Ω_{k-i},   Ω_i = J⁻¹ Π_i
//! (k+1) q_{k+1} = Σ q_i Ω_{k-i} / 2
//! ```
//!
//! `y' = y²` majorises both in units of `J_min/|L|`: a patch of a quarter leaves out `4⁻³⁰`, below rounding.

use nalgebra::{Quaternion, Rotation3, UnitQuaternion};

use super::{Motion, Solid, Vec3};

/// Length of a patch in units of `J_min/|L|`.
pub const STRIDE: f64 = 0.25;

const ORDER: usize = 30;

type Patch = [Quaternion<f64>; ORDER + 1];

/// A body in free flight.
#[derive(Debug, Clone)]
pub struct Glide {
    /// When it begins, s.
    pub start: f64,
    first: Motion,
    acceleration: Vec3,
    moments: Vec3,
    /// Length of a patch, s.
    length: f64,
    patches: Vec<Patch>,
}

impl Glide {
    /// From a motion at a time; `stride` as [`STRIDE`].
    pub fn new(start: f64, solid: &Solid, first: &Motion, acceleration: Vec3, stride: f64) -> Self {
        let matrix = Rotation3::from_matrix_unchecked(first.rotation);
        let q = UnitQuaternion::from_rotation_matrix(&matrix).into_inner().normalize();
        let length = stride * solid.moments.min() / first.momentum.norm();
        let moments = solid.moments;
        let patches = vec![patch(&q, &moments, &first.momentum)];
        Self { start, first: *first, acceleration, moments, length, patches }
    }

    /// Prepare times up to `s` seconds after the start.
    pub fn reach(&mut self, s: f64) {
        while s > self.length * self.patches.len() as f64 {
            let last = &self.patches[self.patches.len() - 1];
            let q = evaluate(last, self.length).normalize();
            self.patches.push(patch(&q, &self.moments, &self.first.momentum));
        }
    }

    /// The motion `s` seconds after the start, within reach.
    pub fn at(&self, s: f64) -> Motion {
        let index = ((s / self.length) as usize).min(self.patches.len() - 1);
        // A body that does not turn has one patch of infinite length.
        let local = if index == 0 { s } else { s - index as f64 * self.length };
        let q = UnitQuaternion::new_normalize(evaluate(&self.patches[index], local));
        Motion {
            position: self.first.position + (self.first.velocity + self.acceleration * (0.5 * s)) * s,
            rotation: q.to_rotation_matrix().into_inner(),
            velocity: self.first.velocity + self.acceleration * s,
            momentum: self.first.momentum,
        }
    }
}

fn patch(q: &Quaternion<f64>, moments: &Vec3, momentum: &Vec3) -> Patch {
    let mut turn = [Quaternion::from_imag(Vec3::zeros()); ORDER + 1];
    let mut body = [Vec3::zeros(); ORDER + 1];
    let mut rate = [Vec3::zeros(); ORDER + 1];
    turn[0] = *q;
    body[0] = UnitQuaternion::new_unchecked(*q).inverse_transform_vector(momentum);
    for k in 0..ORDER {
        rate[k] = body[k].component_div(moments);
        let share = 1.0 / (k + 1) as f64;
        for i in 0..=k {
            body[k + 1] += body[i].cross(&rate[k - i]) * share;
            turn[k + 1] += turn[i] * Quaternion::from_imag(rate[k - i]) * (0.5 * share);
        }
    }
    turn
}

fn evaluate(patch: &Patch, s: f64) -> Quaternion<f64> {
    patch.iter().rev().fold(Quaternion::from_imag(Vec3::zeros()), |sum, c| sum * s + c)
}
