//! Steps in redundant coordinates, island by island.

use crate::discrete::{Dense, IslandStateMut, Redundant, SolverStats, StepFailure};
use crate::model::Model;
use crate::model::State;

/// Steps in redundant coordinates.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    dense: Dense,
    /// Configuration at the end of the last step.
    pub next: State,
    /// Multipliers of all islands.
    pub multipliers: Vec<f64>,
}

impl Steps {
    pub fn new(kind: Redundant, model: &Model, state: &State) -> Self {
        Self { dense: Dense::new(kind, model, state), next: state.clone(), multipliers: Vec::new() }
    }

    /// Advances the state.
    pub fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        let stats = self.advance(model, None, state, h)?;
        std::mem::swap(state, &mut self.next);
        Ok(stats)
    }

    /// Writes the state after `now` into `next`.
    pub fn advance(
        &mut self,
        model: &Model,
        before: Option<&State>,
        now: &State,
        h: f64,
    ) -> Result<SolverStats, StepFailure> {
        let next = &mut self.next;
        self.multipliers.clear();
        let mut stats = SolverStats::default();
        for island in &model.islands {
            let end = IslandStateMut {
                positions: &mut next.positions[island.bodies.clone()],
                rotations: &mut next.rotations[island.bodies.clone()],
                coordinates: &mut next.coordinates[island.coordinates.clone()],
                momenta: &mut next.momenta[island.dofs.clone()],
            };
            stats = stats.merge(self.dense.step(model, island, before, now, h, end)?);
            self.multipliers.extend_from_slice(self.dense.multipliers());
        }
        next.time = now.time + h;
        next.steps = now.steps + 1;
        Ok(stats)
    }
}
