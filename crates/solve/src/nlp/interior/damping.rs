//! Kinks: where constraints are smooth in pieces only, steps made for one piece overshoot into the next and the line search halves
//! them again and again. Damping shortens them by turning them: it grows while steps are cut and goes when they are not.

use super::phase::Phase;
use super::search::Accepted;

/// Trials of a step that was cut, cuts that wake the damping, its first and largest value, growth and decay.
const CUT: usize = 3;
const CUTS: usize = 4;
const FIRST: f64 = 1e-2;
const MOST: f64 = 1e8;
const GROWTH: f64 = 4.0;
const DECAY: f64 = 0.3;
const NONE: f64 = 1e-6;
/// Iterations with the same barrier and no smaller error before the search is said to go to and fro, with a barrier that can be
/// lowered and without.
const PATIENCE: usize = 30;
const PATIENCE_AT_LAST: usize = 60;
/// One step in so many must have been cut.
const SHARE: usize = 3;
const PROGRESS: f64 = 0.9;

/// What is remembered of the last steps.
#[derive(Default)]
pub(super) struct Cuts {
    cuts: usize,
    mu: f64,
    best: f64,
    since: usize,
    cuts_since: usize,
}

impl Cuts {
    /// Looks at an accepted step and sets the damping of the next.
    pub fn note(&mut self, phase: &mut Phase, accepted: &Accepted) {
        let cut = accepted.trials >= CUT;
        self.cuts_since += usize::from(cut);
        self.cuts = if cut { self.cuts + 1 } else { self.cuts.saturating_sub(1) };
        phase.damping = if phase.damping == 0.0 {
            if self.cuts >= CUTS { FIRST } else { 0.0 }
        } else if cut {
            (GROWTH * phase.damping).min(MOST)
        } else if phase.damping > NONE {
            DECAY * phase.damping
        } else {
            0.0
        };
    }

    /// Damps as if many steps had been cut.
    pub fn insist(phase: &mut Phase) {
        phase.damping = (GROWTH * phase.damping).clamp(1.0, MOST);
    }

    /// Whether the search has gone to and fro for long: the error, with the barrier's parameter as it is, gets no smaller.
    pub fn goes_to_and_fro(&mut self, mu: f64, error: f64, last: bool) -> bool {
        if mu != self.mu || error < PROGRESS * self.best || self.best == 0.0 {
            *self = Self { cuts: self.cuts, mu, best: error, ..Self::default() };
        }
        self.since += 1;
        // Steps that bounds cut tell nothing of kinks.
        let kinked = SHARE * self.cuts_since >= self.since;
        kinked && self.since > if last { PATIENCE_AT_LAST } else { PATIENCE }
    }
}
