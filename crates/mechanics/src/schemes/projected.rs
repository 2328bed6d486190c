//! The variational midpoint scheme with the null-space matrix in front and constraints behind [Johnson 3.12, 3.16].
//!
//! Multipliers are gone, redundant coordinates are not: `P(q0)ᵀ [...] = 0` and `g(q1) = 0`, `n` unknowns, a dense matrix
//! whose condition number grows like `h⁻¹`. Same trajectory as the reduced form; for comparisons.

use super::redundant::Steps;
use super::{Scheme, SchemeKind};
use crate::discrete::{Redundant, SolverStats, StepFailure, TOLERANCES};
use crate::model::Model;
use crate::model::State;

/// The projected scheme.
#[derive(Clone, Debug)]
pub struct Projected {
    steps: Steps,
}

impl Projected {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        Self { steps: Steps::new(Redundant::Projected, model, state) }
    }
}

impl Scheme for Projected {
    fn kind(&self) -> SchemeKind {
        SchemeKind::VariationalProjected
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        TOLERANCES.to_vec()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.steps.step(model, state, h)
    }
}
