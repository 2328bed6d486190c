//! Equality rows, and drives: rows with compliance and a bound on the impulse.
//!
//! ```text
//! u = rᵀ v + Υ + κ c,      -c̄ <= c <= c̄:        u = 0 inside,   u <= 0 at c = c̄,   u >= 0 at c = -c̄
//! ```
//!
//! An equality has κ = 0 and no bound. Drives are motors with a largest torque (`Υ` is minus the rate to hold), dry friction in joints
//! (Υ = 0), and springs, dampers and servos that are implicit in the step (κ > 0).

use super::rows::Row;

/// An equality or a drive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Equality {
    pub(super) row: Row,
    /// Υ.
    pub(super) offset: f64,
    /// κ: velocity per unit of impulse.
    pub(super) compliance: f64,
    /// c̄; infinite without a bound.
    pub(super) bound: f64,
}

impl Equality {
    /// Whether it is a plain equality.
    pub(super) fn is_plain(&self) -> bool {
        self.compliance == 0.0 && self.bound == f64::INFINITY
    }

    /// Error of an impulse with velocities `v`, in units of velocities along the row, without the square root of its compliance: what one
    /// projection would change.
    pub(super) fn error(&self, v: &[f64], impulse: f64) -> f64 {
        let speed = self.row.velocity_along(v) + self.offset;
        if self.is_plain() {
            return speed.abs();
        }
        let own = self.row.compliance + self.compliance;
        let trial = impulse - (speed + self.compliance * impulse) / own;
        (impulse - trial.clamp(-self.bound, self.bound)).abs() * self.row.compliance
    }
}
