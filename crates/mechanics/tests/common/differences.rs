//! Derivatives without derivations.

use super::*;

/// Step of the differences: with it `step⁴ f'''''/30` and `eps/step` are both near 1e-13 for functions of size one.
pub const STRIDE: f64 = 1e-3;

/// Derivative at zero, exact for polynomials of fourth degree.
pub fn derivative<T>(f: impl Fn(f64) -> T) -> T
where
    T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let (near, far) = (f(STRIDE) - f(-STRIDE), f(2.0 * STRIDE) - f(-2.0 * STRIDE));
    near * (2.0 / (3.0 * STRIDE)) - far * (1.0 / (12.0 * STRIDE))
}
