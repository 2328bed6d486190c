//! Damping at kinks: where constraints are smooth in pieces only, steps computed on one piece overshoot into the next and the line
//! search halves them again and again. Levenberg-Marquardt damping of the Hessian grows while steps are cut and decays otherwise;
//! cycling is detected by the error.

use super::barrier_problem::BarrierProblem;
use super::line_search::AcceptedStep;
use crate::tolerances::interior_point::{
    DAMPING_DECAY, DAMPING_GROWTH, FIRST_DAMPING, MAX_DAMPING, NO_DAMPING, PROGRESS,
};

/// Trials of a step that was cut, cuts that start the damping, its first and largest value, growth and decay.
const CUT: usize = 3;
const CUTS: usize = 4;
/// Iterations with the same barrier and no smaller error that count as cycling, with a barrier that can be
/// lowered and without.
const PATIENCE: usize = 30;
const PATIENCE_AT_LAST: usize = 60;
/// One step in so many must have been cut.
const SHARE: usize = 3;

/// Statistics of the last steps.
#[derive(Default)]
pub(super) struct CutSteps {
    cuts: usize,
    mu: f64,
    best: f64,
    since: usize,
    cuts_since: usize,
}

impl CutSteps {
    /// Records an accepted step and sets the damping of the next.
    pub fn record_step(&mut self, problem: &mut BarrierProblem, accepted: &AcceptedStep) {
        let cut = accepted.trials >= CUT;
        self.cuts_since += usize::from(cut);
        self.cuts = if cut { self.cuts + 1 } else { self.cuts.saturating_sub(1) };
        problem.damping = if problem.damping == 0.0 {
            if self.cuts >= CUTS { FIRST_DAMPING } else { 0.0 }
        } else if cut {
            (DAMPING_GROWTH * problem.damping).min(MAX_DAMPING)
        } else if problem.damping > NO_DAMPING {
            DAMPING_DECAY * problem.damping
        } else {
            0.0
        };
    }

    /// Damps as if many steps had been cut.
    pub fn increase_damping(problem: &mut BarrierProblem) {
        problem.damping = (DAMPING_GROWTH * problem.damping).clamp(1.0, MAX_DAMPING);
    }

    /// Whether the iterates cycle: the error, with the barrier's parameter as it is, gets no smaller.
    pub fn is_cycling(&mut self, mu: f64, error: f64, last: bool) -> bool {
        if mu != self.mu || error < PROGRESS * self.best || self.best == 0.0 {
            *self = Self { cuts: self.cuts, mu, best: error, ..Self::default() };
        }
        self.since += 1;
        // Steps that are cut by bounds are no sign of kinks.
        let kinked = SHARE * self.cuts_since >= self.since;
        kinked && self.since > if last { PATIENCE_AT_LAST } else { PATIENCE }
    }
}
