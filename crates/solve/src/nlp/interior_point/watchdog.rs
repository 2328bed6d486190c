//! Watchdog: after many shortened steps a few are taken in full and untested, and compared with the point where they began; if they
//! are no better, the method returns there. [Wächter and Biegler 2006], section 3.2; [Chamberlain et al. 1982].

use super::algorithm::Algorithm;
use super::barrier_problem::BarrierProblem;
use super::line_search::{AcceptedStep, LineSearchReference};
use crate::nlp::problem::Program;
use crate::nlp::solution::Acceptance;

/// Shortened steps in a row that start it, and steps that it accepts untested.
const SHORTENED_STEPS: usize = 10;
const UNTESTED: usize = 3;

/// Where the untested steps began.
pub(super) struct Watchdog<P> {
    problem: BarrierProblem,
    point: P,
    reference: LineSearchReference,
    left: usize,
}

impl<P: Program> Algorithm<'_, P> {
    /// Starts the watchdog after enough shortened steps.
    pub fn start_watchdog(
        &mut self,
        problem: &BarrierProblem,
        reference: &LineSearchReference,
        shortened: usize,
    ) {
        if self.watchdog.is_none() && shortened >= SHORTENED_STEPS {
            let (problem, point) = (problem.clone(), self.point.clone());
            self.watchdog = Some(Watchdog { problem, point, reference: *reference, left: UNTESTED });
        }
    }

    /// Takes a whole step: better than where the untested steps began, or untested with more to come. `None` if it is not better and
    /// the search is back there.
    pub fn watchdog_step(
        &mut self,
        problem: &mut BarrierProblem,
        tau: f64,
        mut watchdog: Watchdog<P::Point>,
    ) -> Option<AcceptedStep> {
        let alpha = problem.max_step(&problem.step.w, tau);
        if let Some((theta, phi)) = self.evaluate_trial(problem, alpha)
            && self.differentiate_trial(problem)
        {
            let passed = problem.filter_acceptance(&watchdog.reference, alpha, theta, phi);
            if passed.is_some_and(|how| how != Acceptance::Objective) {
                problem.augment_filter(watchdog.reference.theta, watchdog.reference.phi);
            }
            if passed.is_some() || watchdog.left > 0 {
                if passed.is_none() {
                    watchdog.left -= 1;
                    self.watchdog = Some(watchdog);
                }
                return Some(AcceptedStep::first(alpha, Acceptance::Watchdog));
            }
        }
        *problem = watchdog.problem;
        self.point = watchdog.point;
        None
    }
}
