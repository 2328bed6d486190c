//! Decomposition contact response, DCR-DMC [Cirak and West 2005; Johnson 3.5, algorithm 3]: all collisions of a step are resolved
//! at its end.
//!
//! ```text
//! trial step         (q̃, p̃)  ← step of every island from (q, p), with its persistent contacts             schemes/exact/
//! respond            where something penetrates at q̃                                                response.rs
//!   project_groups   q   ← nearest configuration to q̃ without penetration, group by group          [3.81-3.83]
//!   lift             p   ← p̃ lifted to q: rotated with the bodies, kinetic energy conserved         [3.84-3.102]
//!   apply_impact_law p   ← p decomposed and updated: normal impulses by the chosen law, friction    [3.103-3.119]
//! ```
//!
//! The projection accounts for all that is not conserved, and the ledger records it there: without potentials the energy of
//! elastic collisions is conserved, and angular momentum changes by what the projection displaced. A step without penetration is
//! that of the variational scheme.
//!
//! By default contacts that are closed at the beginning of the step are constraints of the trial step, and impacts of bodies so fast that
//! they could pass through each other are located: both as in the exact scheme, whose steps this one takes with
//! [`Exact::with_impacts_at_end`](super::Exact). As published, the trial step is without contact: [`Decomposition`].

mod active_contacts;
mod collision_groups;
mod lift;
mod potential;
mod projection;
mod response;

pub use response::DecompositionResponse;

use super::{Scheme, SchemeKind, Variational};
use crate::discrete::{SolverStats, StepFailure};
use crate::model::Model;
use crate::model::State;
use crate::response::ContactOptions;
use crate::response::impulse::IMMOVABLE_ROW;
use crate::step_record::StepRecord;
use crate::tolerances::decomposition::{
    BUFFER, EVENT_WINDOW, LOOP_ROUNDING, MAX_ROTATION, PENETRATION_ROUNDING, STEP_TOLERANCE, TARGET_GAP,
};

/// The same with its key in the summary of a run.
pub(super) const TOLERANCE: (&str, f64) = ("penetration_rounding", PENETRATION_ROUNDING);
/// Rounds of projections that make new pairs penetrate; what penetrates then is left to the next step.
const MAX_PROJECTION_ROUNDS: usize = 20;
/// Iterations of a projection, after which the penetration is too deep to be resolved.
const MAX_ITERATIONS: usize = 60;
/// Iterations after which any configuration without penetration is accepted: alternating events keep the nearest one away.
const NEAREST_ITERATIONS: usize = 20;
/// Iterations after which contacts of earlier ones are retained as constraints: bodies with more contact points than events (two
/// cylinders face to face) rock otherwise.
const RETAIN_AFTER: usize = 3;

/// Removes penetrations of an initial state: projects it to the nearest configuration without penetration and lifts its momenta
/// [Johnson 3.81-3.102], without impulses. Returns the largest displacement of a centre of mass, m.
pub fn project_start(model: &Model, state: &mut State) -> Result<f64, StepFailure> {
    DecompositionResponse::new(model, state, &ContactOptions::default()).remove_penetration(model, state)
}

/// The decomposition scheme as published.
#[derive(Debug)]
pub struct Decomposition {
    trial: State,
    variational: Variational,
    response: DecompositionResponse,
    record: StepRecord,
}

impl Decomposition {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State, options: &ContactOptions) -> Self {
        Self {
            trial: state.clone(),
            variational: Variational::new(model, state),
            response: DecompositionResponse::new(model, state, options),
            record: StepRecord::default(),
        }
    }
}

impl Scheme for Decomposition {
    fn kind(&self) -> SchemeKind {
        SchemeKind::Decomposition
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        self.variational.tolerances().into_iter().chain([TOLERANCE]).collect()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.record.clear();
        self.trial.clone_from(state);
        let stats = self.variational.step(model, &mut self.trial, h)?;
        if let Some(rows) = self.variational.record() {
            self.record.append(rows);
        }
        self.response.respond(model, &mut self.trial, h, h, None, &mut self.record)?;
        std::mem::swap(state, &mut self.trial);
        Ok(stats.merge(self.response.stats()))
    }

    fn step_record(&self) -> Option<&StepRecord> {
        Some(&self.record)
    }
}
