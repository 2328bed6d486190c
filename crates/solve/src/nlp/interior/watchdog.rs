//! The watchdog: after many shortened steps a few are taken whole and untested. What comes of them is compared with where they
//! began; if it is no better, the search goes back. [Wächter and Biegler 2006], section 3.2.

use super::phase::Phase;
use super::run::Search;
use super::search::{Accepted, Reference};
use crate::nlp::answer::Acceptance;
use crate::nlp::problem::Program;

/// Shortened steps in a row that wake it, and steps that it lets pass untested.
const WAKES_AFTER: usize = 10;
const UNTESTED: usize = 3;

/// Where the untested steps began.
pub(super) struct Watchdog<P> {
    phase: Phase,
    point: P,
    reference: Reference,
    left: usize,
}

/// How a whole step did.
pub(super) enum Whole {
    /// Better than where the untested steps began.
    Passed(Accepted),
    /// Not better, but there are more to come.
    Untested(Accepted),
    /// The search is back where they began.
    Back,
}

impl<P: Program> Search<'_, P> {
    /// Wakes the watchdog if it is time.
    pub fn wake(&mut self, phase: &Phase, reference: &Reference, shortened: usize) {
        if self.watchdog.is_none() && shortened >= WAKES_AFTER {
            let (phase, point) = (phase.clone(), self.point.clone());
            self.watchdog = Some(Watchdog { phase, point, reference: *reference, left: UNTESTED });
        }
    }

    /// Takes a whole step.
    pub fn whole_step(&mut self, phase: &mut Phase, tau: f64, mut dog: Watchdog<P::Point>) -> Whole {
        let step = std::mem::take(&mut phase.step);
        let alpha = phase.longest(&step.w, tau);
        let values = self.try_step(phase, &step.w, alpha);
        let complete = values.is_some() && self.complete_trial(phase);
        phase.step = step;
        if let Some((theta, phi)) = values
            && complete
        {
            if let Some(how) = phase.acceptable(&dog.reference, alpha, theta, phi) {
                let remember = how != Acceptance::Objective;
                if remember {
                    phase.remember(dog.reference.theta, dog.reference.phi);
                }
                return Whole::Passed(Accepted {
                    alpha,
                    trials: 1,
                    how: Acceptance::Watchdog,
                    remember: false,
                });
            }
            if dog.left > 0 {
                dog.left -= 1;
                self.watchdog = Some(dog);
                return Whole::Untested(Accepted {
                    alpha,
                    trials: 1,
                    how: Acceptance::Watchdog,
                    remember: false,
                });
            }
        }
        *phase = dog.phase;
        self.point = dog.point;
        Whole::Back
    }
}
