//! Settings of the interior-point method.

use crate::nlp::solution::{Multipliers, Solution};

/// Settings of the search; `Options::default()` suits transcriptions of optimal control.
#[derive(Clone, Debug)]
pub struct Options {
    /// Largest error of the conditions of first order, scaled: gradient of the Lagrangian and products of slack and multiplier.
    pub tolerance: f64,
    /// Largest violation of a constraint, in the program's units.
    pub constraint_tolerance: f64,
    /// Error of an acceptable point.
    pub acceptable_tolerance: f64,
    /// Iterations at most, those of restoration included.
    pub iterations: usize,
    /// The first barrier parameter, for an objective scaled to gradients of about one.
    pub barrier: f64,
    /// Whether to go on from a point of first order where the Lagrangian curves downwards.
    pub leave_saddles: bool,
    /// Multipliers to begin with, for a start near the solution of a similar program.
    pub warm: Option<WarmStart>,
}

/// A start near a solution.
#[derive(Clone, Debug)]
pub struct WarmStart {
    /// Multipliers of the similar program's solution.
    pub multipliers: Multipliers,
    /// The barrier parameter to begin with.
    pub barrier: f64,
    /// The factor of the objective that the similar program was solved with, if known.
    pub scale: Option<f64>,
}

impl WarmStart {
    /// After the solution of a similar program, with a barrier parameter that suits small changes.
    pub fn after<P>(solution: &Solution<P>) -> Self {
        Self { multipliers: solution.multipliers.clone(), barrier: 1e-6, scale: Some(solution.scale) }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            constraint_tolerance: 1e-10,
            acceptable_tolerance: 1e-6,
            iterations: 500,
            barrier: 0.1,
            leave_saddles: true,
            warm: None,
        }
    }
}
