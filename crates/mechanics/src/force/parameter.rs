//! Errors in the parameters of forces.

use percussion_geometry::Vec3;
use thiserror::Error;

/// A parameter outside its range.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("{parameter} is {value}; {remedy}")]
pub struct ParameterError {
    /// Name of the parameter.
    pub(crate) parameter: &'static str,
    /// Its value.
    pub(crate) value: f64,
    /// Its range.
    pub(crate) remedy: &'static str,
}

fn require(
    ok: bool,
    parameter: &'static str,
    value: f64,
    remedy: &'static str,
) -> Result<(), ParameterError> {
    if ok { Ok(()) } else { Err(ParameterError { parameter, value, remedy }) }
}

/// A finite number that is zero or more.
pub(super) fn not_negative(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value >= 0.0 && value.is_finite(), parameter, value, "give a finite number that is not negative")
}

/// A finite number greater than zero.
pub(super) fn positive(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value > 0.0 && value.is_finite(), parameter, value, "give a finite number greater than zero")
}

/// A finite number.
pub(super) fn finite_number(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value.is_finite(), parameter, value, "give a finite number")
}

/// A vector of finite numbers.
pub(super) fn finite(parameter: &'static str, value: &Vec3) -> Result<(), ParameterError> {
    value.iter().try_for_each(|v| finite_number(parameter, *v))
}

/// A number that is zero or more, or infinite.
pub(super) fn not_below_zero(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value >= 0.0, parameter, value, "give a number that is not negative")
}
