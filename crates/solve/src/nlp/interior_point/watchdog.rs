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

/// How a whole step did.
pub(super) enum WatchdogOutcome {
    /// Better than where the untested steps began.
    Passed(AcceptedStep),
    /// Not better, but there are more to come.
    Untested(AcceptedStep),
    /// The search is back where they began.
    Reverted,
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

    /// Takes a whole step.
    pub fn watchdog_step(
        &mut self,
        problem: &mut BarrierProblem,
        tau: f64,
        mut watchdog: Watchdog<P::Point>,
    ) -> WatchdogOutcome {
        let step = std::mem::take(&mut problem.step);
        let alpha = problem.max_step(&step.w, tau);
        let values = self.evaluate_trial(problem, &step.w, alpha);
        let complete = values.is_some() && self.differentiate_trial(problem);
        problem.step = step;
        if let Some((theta, phi)) = values
            && complete
        {
            if let Some(how) = problem.filter_acceptance(&watchdog.reference, alpha, theta, phi) {
                let augment_filter = how != Acceptance::Objective;
                if augment_filter {
                    problem.augment_filter(watchdog.reference.theta, watchdog.reference.phi);
                }
                return WatchdogOutcome::Passed(AcceptedStep {
                    alpha,
                    trials: 1,
                    how: Acceptance::Watchdog,
                    augment_filter: false,
                });
            }
            if watchdog.left > 0 {
                watchdog.left -= 1;
                self.watchdog = Some(watchdog);
                return WatchdogOutcome::Untested(AcceptedStep {
                    alpha,
                    trials: 1,
                    how: Acceptance::Watchdog,
                    augment_filter: false,
                });
            }
        }
        *problem = watchdog.problem;
        self.point = watchdog.point;
        WatchdogOutcome::Reverted
    }
}
