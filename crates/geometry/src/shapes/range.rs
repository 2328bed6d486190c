//! Checks of the parameters of constructors.

use crate::ShapeError;
use nalgebra::SVector;

/// A length that must be positive.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(ShapeError::OutOfRange { what, value, must: "positive and finite" })
}

/// Lengths that must be positive.
pub(super) fn all_positive(lengths: &[(&'static str, f64)]) -> Result<(), ShapeError> {
    lengths.iter().try_for_each(|&(what, value)| positive(what, value).map(|_| ()))
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

/// Points with finite coordinates.
pub(super) fn check_finite<const D: usize>(
    what: &'static str,
    points: &[SVector<f64, D>],
) -> Result<(), ShapeError> {
    let Some(index) = points.iter().position(|v| !v.iter().all(|c| c.is_finite())) else { return Ok(()) };
    Err(ShapeError::NotFinite { what, index, value: format!("{:?}", points[index].as_slice()) })
}
