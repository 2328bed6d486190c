//! The step loop: a scheme advances the state, the ledger accounts for it.

use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::force::ForceError;
use crate::ledger::{Ledger, LedgerEntry, LedgerMismatch};
use crate::model::{Model, State};
use crate::named_arrays::NamedArrays;
use crate::schemes::{Scheme, SchemeKind, StepContact};
use crate::step_record::StepRecord;

/// A model and its state, advanced by a scheme.
pub struct Simulation {
    model: Model,
    state: State,
    before: State,
    scheme: Box<dyn Scheme + Send>,
    ledger: Ledger,
    h: f64,
    /// Time at step zero, s.
    origin: f64,
    stats: SolverStats,
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
            stats: SolverStats::default(),
        })
    }

    /// Restores the ledger of a checkpoint at the present state: a run that continues from it is bitwise identical.
    pub fn restore_ledger(&mut self, saved: &NamedArrays) -> Result<(), LedgerMismatch> {
        self.ledger.restore(saved)
    }

    /// Saves the warm start of the scheme (its data beyond the state), for a checkpoint.
    pub fn save_warm_start(&self) -> NamedArrays {
        let mut arrays = NamedArrays::default();
        self.scheme.save_warm_start(&mut arrays);
        arrays
    }

    /// Restores the arrays of [`Simulation::save_warm_start`]; returns whether they fit the scheme.
    pub fn restore_warm_start(&mut self, arrays: &NamedArrays) -> bool {
        self.scheme.restore_warm_start(arrays)
    }

    /// Changes the step, s.
    pub fn change_step(&mut self, h: f64) {
        self.h = h;
        self.origin = self.state.time - self.state.steps as f64 * h;
    }

    /// Changes to another model of the same bodies, degrees of freedom, coordinates and forces, with momenta that have jumped at
    /// this instant: joints have been added or released. The jump is accounted to contact.
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

    /// Advances by one step. On failure state and ledger are unchanged.
    pub fn step(&mut self) -> Result<LedgerEntry, StepFailure> {
        self.before.clone_from(&self.state);
        self.stats = self.scheme.step(&self.model, &mut self.state, self.h)?;
        // Time from the count of steps, not summed: no rounding accumulates.
        self.state.time = self.origin + self.state.steps as f64 * self.h;
        if !self.state.is_finite() {
            let body = self.state.first_not_finite(&self.model.links).map(|slot| self.model.links[slot].body);
            self.state.clone_from(&self.before);
            return Err(self.failure(body, StepError::NotFinite));
        }
        let record = self.scheme.step_record();
        self.ledger.record(&self.model, &self.before, &self.state, self.h, record).map_err(|error| {
            let failure = self.failure(None, StepError::Force(error));
            self.state.clone_from(&self.before);
            failure
        })
    }

    /// The failure of a step, with the body that caused it if there is one.
    fn failure(&self, body: Option<usize>, error: StepError) -> StepFailure {
        let body =
            self.model.bodies.get(body.unwrap_or(0)).map_or_else(String::new, |body| body.name.clone());
        StepFailure { step: self.before.steps, time: self.before.time, body, error, history: Vec::new() }
    }

    /// Steps until a time, to the nearest step, s.
    pub fn run_until(&mut self, time: f64) -> Result<(), StepFailure> {
        while (time - self.state.time) * self.h.signum() > 0.5 * self.h.abs() {
            self.step()?;
        }
        Ok(())
    }

    /// Contacts of the last step, with bodies by index in the list of all.
    pub fn step_contacts(&self) -> Vec<StepContact> {
        self.scheme.contacts()
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The record of the last step; `None` of a scheme without contact.
    pub fn step_record(&self) -> Option<&StepRecord> {
        self.scheme.step_record()
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The ledger of energy and momenta.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The kind of the scheme.
    pub fn scheme(&self) -> SchemeKind {
        self.scheme.kind()
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

    /// Iterations of the last step.
    pub fn solver_stats(&self) -> SolverStats {
        self.stats
    }
}
