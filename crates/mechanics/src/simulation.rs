//! The step loop: a scheme makes the step, the ledger books it.

use crate::NamedArrays;
use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::force::ForceError;
use crate::ledger::{Ledger, LedgerEntry, LedgerMismatch};
use crate::model::Model;
use crate::model::State;
use crate::schemes::Scheme;
use crate::step_record::StepRecord;

/// A model on its way through time.
pub struct Simulation {
    model: Model,
    state: State,
    before: State,
    scheme: Box<dyn Scheme + Send>,
    ledger: Ledger,
    h: f64,
    /// Time at step zero, s.
    origin: f64,
    effort: SolverStats,
}

impl Simulation {
    /// From a state, with a scheme and a step (in s; negative steps run backwards).
    pub fn new(
        model: Model,
        state: State,
        scheme: Box<dyn Scheme + Send>,
        h: f64,
    ) -> Result<Self, ForceError> {
        let ledger = Ledger::new(&model, &state)?;
        let origin = state.time - state.steps as f64 * h;
        Ok(Self {
            before: state.clone(),
            model,
            state,
            scheme,
            ledger,
            h,
            origin,
            effort: SolverStats::default(),
        })
    }

    /// Restores what [`Ledger::save`] saved at the present state: the run continues bitwise identical.
    pub fn restore_ledger(&mut self, saved: &NamedArrays) -> Result<(), LedgerMismatch> {
        self.ledger.restore(saved)
    }

    /// What the scheme carries from step to step besides the state.
    pub fn memory(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        self.scheme.memory(&mut numbers);
        numbers
    }

    /// Hands back to the scheme what it carried; whether it is such.
    pub fn recall(&mut self, numbers: &[f64]) -> bool {
        self.scheme.recall(numbers)
    }

    /// Whether the steps of the scheme are complementarity problems.
    pub fn steps_by_complementarity(&self) -> bool {
        self.scheme.steps_by_complementarity()
    }

    /// Goes on with steps of another length, s.
    pub fn change_step(&mut self, h: f64) {
        self.h = h;
        self.origin = self.state.time - self.state.steps as f64 * h;
    }

    /// Goes on with another model of the same bodies, degrees of freedom, coordinates and forces, and momenta that have jumped at this instant: joints have
    /// entered or left. The jump is booked to contact.
    pub fn change_model(
        &mut self,
        model: Model,
        momenta: &[f64],
        scheme: Box<dyn Scheme + Send>,
    ) -> Result<(), ForceError> {
        self.state.momenta.copy_from_slice(momenta);
        self.ledger.change_model(&model, &self.state)?;
        (self.model, self.scheme) = (model, scheme);
        Ok(())
    }

    /// One step. On failure state and ledger are those of the last good instant.
    pub fn advance(&mut self) -> Result<LedgerEntry, StepFailure> {
        self.before.clone_from(&self.state);
        self.effort = self.scheme.step(&self.model, &mut self.state, self.h)?;
        // Steps are counted, not summed: a million of them end where the clock says.
        self.state.time = self.origin + self.state.steps as f64 * self.h;
        if !self.state.is_finite() {
            let body = self.state.not_finite(&self.model.links).map(|slot| self.model.links[slot].body);
            self.state.clone_from(&self.before);
            return Err(self.failure(body, StepError::NotFinite));
        }
        let inside = self.scheme.transcript();
        self.ledger.record(&self.model, &self.before, &self.state, self.h, inside).map_err(|error| {
            let failure = self.failure(None, StepError::Force(error));
            self.state.clone_from(&self.before);
            failure
        })
    }

    /// A step that could not be made because of a body, or of any.
    fn failure(&self, body: Option<usize>, trouble: StepError) -> StepFailure {
        let body =
            self.model.bodies.get(body.unwrap_or(0)).map_or_else(String::new, |body| body.name.clone());
        StepFailure { step: self.before.steps, time: self.before.time, body, trouble, history: Vec::new() }
    }

    /// What does not change.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What happened inside the last step; `None` of a scheme for which steps have no inside.
    pub fn transcript(&self) -> Option<&StepRecord> {
        self.scheme.transcript()
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The books.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The scheme's name.
    pub fn scheme(&self) -> &'static str {
        self.scheme.name()
    }

    /// The scheme's order of accuracy in time.
    pub fn order(&self) -> u32 {
        self.scheme.order()
    }

    /// The scheme's tolerances by name.
    pub fn tolerances(&self) -> Vec<(&'static str, f64)> {
        self.scheme.tolerances()
    }

    /// The step, s.
    pub fn step_size(&self) -> f64 {
        self.h
    }

    /// How hard the last step was.
    pub fn effort(&self) -> SolverStats {
        self.effort
    }
}
