//! The variational midpoint scheme with Lagrange multipliers in redundant coordinates [Johnson 3.8, 3.15].
//!
//! The textbook form: `n + m` unknowns, a dense matrix whose condition number grows like `h⁻³`. It gives the same
//! trajectory as the reduced form and exists to be compared with it; and it gives the multipliers.

use super::redundant::Steps;
use super::{Scheme, SchemeKind};
use crate::discrete::{Redundant, SolverStats, StepFailure, TOLERANCES};
use crate::model::Model;
use crate::model::State;

/// The scheme with multipliers.
#[derive(Clone, Debug)]
pub struct Multipliers {
    steps: Steps,
}

impl Multipliers {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        Self { steps: Steps::new(Redundant::Multipliers, model, state) }
    }

    /// The (q, q) form [Johnson 3.8]: from the configurations of two instants `h` apart to that of the third. Momenta of the
    /// given states play no part; those of `next` are filled in.
    pub fn step_pair(
        &mut self,
        model: &Model,
        before: &State,
        now: &State,
        next: &mut State,
        h: f64,
    ) -> Result<SolverStats, StepFailure> {
        let stats = self.steps.advance(model, Some(before), now, h)?;
        next.clone_from(&self.steps.next);
        Ok(stats)
    }

    /// Multipliers of the last step, island by island: for each body the six of its directors (none for a particle) and those
    /// of its joint's rows; the loops' last.
    ///
    /// After [`Multipliers::step_pair`] they are the `λ_k` of the constraint force `-Gᵀ λ_k`. After [`Scheme::step`], which
    /// starts from a momentum that the constraints allow, they are its second half: the constraint impulse after
    /// the instant, without that before it.
    pub fn multipliers(&self) -> &[f64] {
        &self.steps.multipliers
    }
}

impl Scheme for Multipliers {
    fn kind(&self) -> SchemeKind {
        SchemeKind::VariationalMultipliers
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        TOLERANCES.to_vec()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.steps.step(model, state, h)
    }
}
