//! What the schemes in redundant coordinates share: islands in turn, and the state that is swapped in at the end.

use crate::discrete::{Dense, EndMut, Redundant, SolverStats, StepFailure};
use crate::model::Model;
use crate::model::State;

/// Steps in redundant coordinates.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    dense: Dense,
    /// Where the last step ended.
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
        let effort = self.advance(model, None, state, h)?;
        std::mem::swap(state, &mut self.next);
        Ok(effort)
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
        let mut effort = SolverStats::default();
        for island in &model.islands {
            let end = EndMut {
                positions: &mut next.positions[island.bodies.clone()],
                rotations: &mut next.rotations[island.bodies.clone()],
                coordinates: &mut next.coordinates[island.coordinates.clone()],
                momenta: &mut next.momenta[island.dofs.clone()],
            };
            effort = effort.worse(self.dense.step(model, island, before, now, h, end)?);
            self.multipliers.extend_from_slice(self.dense.multipliers());
        }
        next.time = now.time + h;
        next.steps = now.steps + 1;
        Ok(effort)
    }
}
