//! From a plan and a guess to a manoeuvre.

use crate::transcription::EncounterError;
use thiserror::Error;

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Greatest violation of constraints, in their own units.
    pub tolerance: f64,
    /// Most iterations of a round.
    pub iterations: usize,
    /// Most rounds of new features, pairs and refinement.
    pub rounds: usize,
    /// Searches from disturbed guesses besides the first.
    pub starts: usize,
    /// Of the disturbances.
    pub seed: u64,
    /// How far they go, rad and m.
    pub disturbance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-10, iterations: 500, rounds: 12, starts: 0, seed: 0, disturbance: 0.05 }
    }
}

/// Why a plan cannot even be begun.
#[derive(Clone, Debug, Error)]
pub enum PlanError {
    /// Something in the plan contradicts itself.
    #[error("{0}")]
    Contradiction(String),
    /// A contact cannot be planned.
    #[error(transparent)]
    Encounter(#[from] EncounterError),
    /// The guess cannot be worked out.
    #[error("the guess: {0}")]
    Guess(String),
}
