//! Residuals of the contact laws, in units of impulses.

use super::length;
use super::system::{Contact, ContactLaw, ContactSystem};

/// Violation of each law: the change by one projection, maximum over the contacts, in units of impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactResidual {
    /// Of `0 ≤ x_n ⊥ y_n ≥ 0`, regularised.
    pub normal: f64,
    /// Of Coulomb's law: the tangential impulse is not on the cone, or not opposed to sliding.
    pub friction: f64,
}

impl ContactResidual {
    /// The larger of both.
    pub fn max(&self) -> f64 {
        self.normal.max(self.friction)
    }

    /// Of impulses `x` with the velocities that belong to them.
    pub(super) fn of(system: &ContactSystem, x: &[[f64; 3]], v: &[f64]) -> Self {
        Self::with_squares(system, x, v).0
    }

    /// The same with the sum of the squares of all changes, the merit function of a line search.
    pub(super) fn with_squares(system: &ContactSystem, x: &[[f64; 3]], v: &[f64]) -> (Self, f64) {
        let (mut worst, mut squares) = (Self::default(), 0.0);
        for (k, (contact, x)) in system.contacts.iter().zip(x).enumerate() {
            let change = contact.projection(x, &system.value(k, v));
            let friction = length(&[change[1] - x[1], change[2] - x[2]]);
            // `max` would drop a NaN.
            worst.normal = larger(worst.normal, (change[0] - x[0]).abs());
            worst.friction = larger(worst.friction, friction);
            squares += (change[0] - x[0]).powi(2) + friction * friction;
        }
        (worst, squares)
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// The point of a disc around zero that is nearest to `z`.
pub(super) fn nearest_on_disc(z: [f64; 2], radius: f64) -> [f64; 2] {
    let length = length(&z);
    let factor = if length > radius { radius / length } else { 1.0 };
    [factor * z[0], factor * z[1]]
}

impl Contact {
    /// The projection of which solutions are the fixed points: `x_n - ρ_n y_n` (regularised) on the nonnegative numbers,
    /// `x_t - ρ_t y_t` on the disc of radius `μ` times that, or of the given radius.
    pub fn projection(&self, x: &[f64; 3], y: &[f64; 3]) -> [f64; 3] {
        let normal = self.projected(x[0], y);
        match self.law {
            ContactLaw::Bounded { .. } => [normal, 0.0, 0.0],
            ContactLaw::Cone { .. } | ContactLaw::Tresca { .. } => {
                let [s, t] = nearest_on_disc(self.tangential_step(x, y), self.law.radius(normal));
                [normal, s, t]
            }
            ContactLaw::Sliding { friction, direction } => {
                [normal, -friction * x[0] * direction[0], -friction * x[0] * direction[1]]
            }
        }
    }
}
