//! Points of first order that are no minima.

use super::phase::Phase;
use super::run::{Exit, Search};
use crate::nlp::problem::Program;

impl<P: Program> Search<'_, P> {
    /// Runs, and goes on from where the Lagrangian curves downwards.
    pub fn run_past_saddles(&mut self, phase: &mut Phase) -> Exit {
        self.run(phase, None)
    }
}
