//! Nonnegative least squares: minimise `|A x - b|` over `x >= 0`.
//!
//! [`nnls()`] is Lawson and Hanson's method, [`nnls_residual`] the judge.

mod lawson_hanson;
mod residual;

pub use lawson_hanson::nnls;
pub use residual::{NnlsResidual, nnls_residual};

/// What the mathematics answered. A minimum always exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NnlsOutcome {
    /// A minimum.
    Optimal,
    /// The last iterate: feasible, perhaps not the minimum.
    IterationLimit,
}

/// An answer with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct NnlsSolution {
    /// What the mathematics answered.
    pub outcome: NnlsOutcome,
    /// The coefficients.
    pub x: Vec<f64>,
    /// `b - A x`: makes an obtuse or right angle with every column.
    pub residual: Vec<f64>,
    /// Length of the residual.
    pub distance: f64,
    /// Columns taken in or left out on the way.
    pub iterations: usize,
}
