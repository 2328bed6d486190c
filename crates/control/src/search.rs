//! A search: its options, and what it keeps from round to round.

use crate::plan::Plan;
pub(crate) use crate::tolerances::search::ROUNDING;
use crate::transcription::ConstraintSet;
use percussion_solve::nlp::InteriorPoint;

/// Options of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum violation of the constraints, in their own units.
    pub tolerance: f64,
    /// Most iterations of a round.
    pub iterations: usize,
    /// Most rounds of new features and pairs.
    pub rounds: usize,
    /// Searches from perturbed guesses besides the first.
    pub starts: usize,
    /// Seed of the perturbations.
    pub seed: u64,
    /// Their size, rad and m.
    pub perturbation: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-10, iterations: 500, rounds: 40, starts: 0, seed: 0, perturbation: 0.05 }
    }
}

/// A search from one start: what is kept from round to round.
pub(crate) struct Search<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a Options,
    pub(crate) set: ConstraintSet,
    /// Pairs that are kept apart, with the least separation.
    pub(crate) pairs: Vec<((usize, usize), f64)>,
    pub(crate) interior: InteriorPoint,
    pub(crate) iterations: usize,
    /// Whether the next round begins with the guess.
    pub(crate) restart: bool,
}
