//! Workspace of the step of one island without contact: Newton's method, with stops and drives of joints as rows of the interval.

use super::exact::contact_energy::{ContactEnergy, IntervalEnd};
use crate::contact::ContactGeometry;
use crate::discrete::{IslandStateMut, Newton, SolverStats, StepFailure};
use crate::model::{Island, Model, State};
use crate::response::closed_contact::{ClosedContactStep, ContactLimits, IntervalOutcome};
use crate::step_record::StepRecord;

/// The workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct IslandWorker {
    pub newton: Newton,
    /// Interval of an island with rows.
    interval: ClosedContactStep,
    no_contacts: ContactGeometry,
    end: Option<State>,
    outcome: IntervalOutcome,
    energy: ContactEnergy,
    /// Approach speed from which stops rebound at the end of the interval, m/s.
    pub rebound_speed: f64,
    /// Stops that are left out, by number.
    pub excluded_stops: Vec<bool>,
    /// Work, and impacts of stops.
    pub record: StepRecord,
}

impl IslandWorker {
    /// One step of an island with stops or drives.
    pub fn step_with_rows(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
        part: IslandStateMut,
    ) -> Result<SolverStats, StepFailure> {
        let index = model.islands.partition_point(|other| other.bodies.end <= island.bodies.start);
        self.interval.set_islands(model, &[index]);
        self.interval.exclude_stops(&self.excluded_stops);
        self.interval.rebound_speed = self.rebound_speed;
        let end = self.end.get_or_insert_with(|| state.clone());
        let limits = ContactLimits { closed_gap: 0.0, step: h };
        let solved = self.interval.solve(model, &self.no_contacts, state, h, &limits, end);
        self.outcome = solved.map_err(|error| StepFailure {
            step: state.steps,
            time: state.time,
            body: model.bodies[model.links[island.bodies.start].body].name.clone(),
            error,
            history: Vec::new(),
        })?;
        part.positions.copy_from_slice(&end.positions[island.bodies.clone()]);
        part.rotations.copy_from_slice(&end.rotations[island.bodies.clone()]);
        part.coordinates.copy_from_slice(&end.coordinates[island.coordinates.clone()]);
        part.momenta.copy_from_slice(&end.momenta[island.dofs.clone()]);
        Ok(SolverStats { iterations: self.outcome.iterations, decrement: 0.0 })
    }

    /// Records the rows of the last interval, from `start`.
    pub fn record_rows(&mut self, model: &Model, start: &State) {
        if let Some(end) = &self.end {
            for at in [(start, IntervalEnd::Start), (end, IntervalEnd::End)] {
                let rows = (&[][..], &self.interval.joint_rows[..]);
                let scene = (model, &self.no_contacts);
                // The mass matrices of a state in a run can be factored.
                let _ = self.energy.energies(scene, self.interval.islands(), rows, at);
            }
            self.interval.record_joint_rows(model, &self.energy.of_rows, end, &mut self.record);
            if !self.outcome.solved {
                self.record.unsolved += 1;
                self.record.contact_residual = self.record.contact_residual.max(self.outcome.residual);
            }
        }
    }
}
