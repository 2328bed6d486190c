//! Decomposition contact response, DCR-DMC [Johnson 3.5, algorithm 3]: all collisions of a step happen at its end.
//!
//! ```text
//! (q̃, p̃)  ← variational step of every island from (q, p)
//! if something overlaps at q̃
//!     q   ← nearest configuration to q̃ without overlap, group by group                       [3.81-3.83]
//!     p   ← p̃ lifted to q: turned as the bodies are, kinetic energy kept                     [3.84-3.102]
//!     p   ← p decomposed and updated: normal impulses by the law that is chosen, friction    [3.103-3.119]
//! ```
//!
//! Whatever is not conserved is the projection's doing, and the ledger books it there: without potentials the energy of elastic
//! collisions is kept, and angular momentum changes by what the projection moved. A step without overlap is that of
//! the variational scheme and a look around.

mod fields;
mod groups;
mod lift;
mod projection;
mod response;
mod spots;

pub(super) use groups::TOLERANCE;
pub use response::Response;

use super::{Scheme, Variational};
use crate::discrete::{SolverStats, StepFailure};
use crate::model::Model;
use crate::model::State;
use crate::response::ContactOptions;
use crate::step_record::StepRecord;

/// Moves bodies apart that overlap at the start: to the nearest configuration without overlap, momenta lifted along
/// [Johnson 3.81-3.102], no impulse. Returns the longest way of a centre of mass, m.
pub fn project_start(model: &Model, state: &mut State) -> Result<f64, StepFailure> {
    Response::new(model, state, &ContactOptions::default()).move_apart(model, state)
}

/// The decomposition scheme and its memory.
#[derive(Debug)]
pub struct Decomposition {
    trial: State,
    variational: Variational,
    response: Response,
    transcript: StepRecord,
}

impl Decomposition {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State, options: &ContactOptions) -> Self {
        Self {
            trial: state.clone(),
            variational: Variational::new(model, state),
            response: Response::new(model, state, options),
            transcript: StepRecord::default(),
        }
    }
}

impl Scheme for Decomposition {
    fn name(&self) -> &'static str {
        "decomposition"
    }

    /// Instants of collisions are known to a step; between them it is of order two.
    fn order(&self) -> u32 {
        1
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        self.variational.tolerances().into_iter().chain([TOLERANCE]).collect()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.transcript.clear();
        self.trial.clone_from(state);
        let effort = self.variational.step(model, &mut self.trial, h)?;
        self.response.respond(model, &mut self.trial, h, h, None, &mut self.transcript)?;
        std::mem::swap(state, &mut self.trial);
        Ok(effort.worse(self.response.effort()))
    }

    fn transcript(&self) -> Option<&StepRecord> {
        Some(&self.transcript)
    }
}
