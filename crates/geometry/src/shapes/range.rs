//! Checks of the parameters of constructors.

use crate::ShapeError;

/// A length that must be positive.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(ShapeError::OutOfRange { what, value, must: "positive and finite" })
}

/// A count that must not be less than `least`.
pub(super) fn at_least(
    what: &'static str,
    value: usize,
    least: usize,
    must: &'static str,
) -> Result<usize, ShapeError> {
    if value >= least { Ok(value) } else { Err(ShapeError::OutOfRange { what, value: value as f64, must }) }
}
