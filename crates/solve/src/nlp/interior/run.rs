//! The main loop: errors, barrier parameter, direction, search; and what to do where the search finds nothing.
//! [Wächter and Biegler 2006], algorithm A.

use super::damping::Cuts;
use super::direction::Regularisation;
use super::kkt::Kkt;
use super::options::Options;
use super::phase::{Errors, Phase};
use super::restoration::{Guard, proximal};
use super::scaled::Scaled;
use super::search::{Accepted, Reference};
use super::soft::Soft;
use super::watchdog::{Watchdog, Whole};
use crate::arithmetic::max_abs;
use crate::nlp::answer::{Acceptance, Record, Watch};
use crate::nlp::problem::Program;

/// The barrier problem is solved when its error is below this multiple of μ.
const SOLVED: f64 = 10.0;
const BARRIER_FACTOR: f64 = 0.2;
const BARRIER_POWER: f64 = 1.5;
const LEAST_TAU: f64 = 0.99;
/// Violations above this multiple of the first are never accepted, those below that one count as small.
const CEILING: f64 = 1e4;
const SMALL: f64 = 1e-4;
/// An objective, scaled, below this falls without end.
const BOTTOMLESS: f64 = -1e15;
/// Iterations in a row at acceptable points before the search is content with one.
const CONTENT: usize = 15;
/// Violation of an acceptable point, in the program's units.
const ACCEPTABLE_VIOLATION: f64 = 1e-8;
/// Error at which the sum of violations counts as stationary: its multipliers are at most one.
const STATIONARY_VIOLATION: f64 = 1e-7;
/// How much larger than the tolerance the Lagrangian's gradient may be when large multipliers loosen it.
const UNSCALED: f64 = 1e4;
const HUGE_MULTIPLIERS: &str = "the conditions hold only relative to multipliers that grow without end: the active \
                                constraints are degenerate here";
const TO_AND_FRO: &str = "the iterates go to and fro without getting better, as at a kink of the constraints";
/// Steps in a row whose effect does not show.
const TINY_STEPS: usize = 3;
/// How much more a violation counts than other errors where the best of many iterates is sought.
const FEASIBLE_FIRST: f64 = 1e4;
/// Steps shorter than this are jammed between bounds; after so many in a row only the violation is reduced.
const JAM: f64 = 0.02;
const JAMMED: usize = 3;
/// Fresh starts of the barrier.
const FRESH_STARTS: usize = 3;

/// Why the loop ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Exit {
    Converged,
    Acceptable(String),
    Stalled(String),
    /// At a point of first order along which the Lagrangian curves downwards this much.
    Saddle(f64),
    Infeasible,
    Unbounded,
    IterationLimit,
    Stopped,
    /// Restoration has found a point that the search proper can go on from.
    Restored,
}

/// All that both phases use.
pub(super) struct Search<'a, P: Program> {
    pub scaled: Scaled<'a, P>,
    pub kkt: &'a mut Kkt,
    pub options: &'a Options,
    pub watch: &'a mut dyn FnMut(&Record) -> Watch,
    pub point: P::Point,
    pub trial_point: P::Point,
    pub iteration: usize,
    pub regularisation: Regularisation,
    pub lacking: Vec<f64>,
    pub fresh_starts: usize,
    pub best: Option<Best<P::Point>>,
    pub watchdog: Option<Watchdog<P::Point>>,
}

/// How bad a point is where the best of many is sought: feasible ones before stationary ones.
pub(super) fn rank(errors: &Errors) -> f64 {
    errors.worst().max(FEASIBLE_FIRST * errors.primal)
}

/// The iterate with the least error so far.
pub(super) struct Best<P> {
    pub error: f64,
    pub point: P,
    pub y: Vec<f64>,
    pub zl: Vec<f64>,
    pub zu: Vec<f64>,
}

impl<P: Program> Search<'_, P> {
    /// Runs a phase to its end.
    pub fn run(&mut self, phase: &mut Phase, guard: Option<&Guard>) -> Exit {
        let theta = phase.theta(false);
        phase.filter.clear();
        phase.filter.ceiling = CEILING * theta.max(1.0);
        let theta_small = SMALL * theta.max(1.0);
        let mut content = 0;
        let mut tiny = 0;
        let mut shortened = 0;
        let mut jammed = 0;
        let mut cuts = Cuts::default();
        let mut soft = Soft::default();
        self.watchdog = None;
        loop {
            let errors = phase.errors(0.0);
            if guard.is_none() {
                self.keep_best(phase, &errors);
            }
            if guard.is_some() {
                if errors.worst() <= self.options.tolerance.max(STATIONARY_VIOLATION) {
                    return Exit::Converged;
                }
            } else if errors.worst() <= self.options.tolerance
                && self.scaled.holds(&phase.now.c, self.options.constraint_tolerance)
            {
                if errors.gradient <= UNSCALED * self.options.tolerance {
                    return Exit::Converged;
                }
                return Exit::Acceptable(HUGE_MULTIPLIERS.into());
            }
            if guard.is_none() {
                let acceptable = self.acceptable(phase, &errors);
                content = if acceptable { content + 1 } else { 0 };
                if content >= CONTENT {
                    return Exit::Acceptable("the iterates stay acceptable and get no better".into());
                }
                if phase.weight * phase.now.f < BOTTOMLESS
                    && self.scaled.holds(&phase.now.c, ACCEPTABLE_VIOLATION)
                {
                    return Exit::Unbounded;
                }
            }
            if self.iteration >= self.options.iterations {
                return Exit::IterationLimit;
            }
            let last =
                guard.is_some() || phase.mu <= self.options.acceptable_tolerance || phase.has_no_bounds();
            if cuts.goes_to_and_fro(phase.mu, errors.worst(), last) {
                cuts = Cuts::default();
                if !last {
                    // Solving this barrier problem better is hopeless; the next one is nearer to the answer.
                    phase.mu *= BARRIER_FACTOR * BARRIER_FACTOR;
                    Cuts::insist(phase);
                    phase.filter.clear();
                    continue;
                }
                if let Some(exit) = self.recover(phase, guard, TO_AND_FRO) {
                    return exit;
                }
                continue;
            }
            if self.watchdog.is_none() && !soft.goes_on() {
                self.lower_barrier(phase, tiny > 0);
            }
            if !self.direction(phase) {
                match self.recover(phase, guard, "no regularisation makes the step's matrix usable") {
                    Some(exit) => return exit,
                    None => continue,
                }
            }
            let tau = LEAST_TAU.max(1.0 - phase.mu);
            let reference = Reference {
                theta: phase.theta(false),
                phi: phase.phi(phase.now.f, &phase.now.w),
                descent: phase.descent(&phase.step.w),
                theta_small,
            };
            if !soft.goes_on() {
                self.wake(phase, &reference, shortened);
            }
            let accepted = if soft.goes_on() {
                None
            } else if let Some(dog) = self.watchdog.take() {
                shortened = 0;
                match self.whole_step(phase, tau, dog) {
                    Whole::Passed(accepted) | Whole::Untested(accepted) => Some(accepted),
                    Whole::Back => continue,
                }
            } else if let Some(accepted) = self.tiny(phase, tau) {
                tiny += 1;
                if tiny > TINY_STEPS {
                    tiny = 0;
                    match self.recover(phase, guard, "steps are too short for their effect to show") {
                        Some(exit) => return exit,
                        None => continue,
                    }
                }
                Some(accepted)
            } else {
                tiny = 0;
                self.line_search(phase, &reference, tau)
            };
            if accepted.is_none()
                && guard.is_none()
                && let Some(accepted) = self.soft_step(phase, &reference, tau, &mut soft)
            {
                if self.tell(phase, &accepted, accepted.alpha, false) == Watch::Stop {
                    return Exit::Stopped;
                }
                continue;
            }
            let Some(accepted) = accepted else {
                phase.remember(reference.theta, reference.phi);
                match self.recover(phase, guard, "no point along the step is better") {
                    Some(exit) => return exit,
                    None => continue,
                }
            };
            shortened = if accepted.trials > 1 { shortened + 1 } else { 0 };
            if accepted.remember {
                phase.remember(reference.theta, reference.phi);
            }
            let alpha_dual = self.accept(phase, &accepted, tau);
            cuts.note(phase, &accepted);
            if self.tell(phase, &accepted, alpha_dual, guard.is_some()) == Watch::Stop {
                return Exit::Stopped;
            }
            if let Some(guard) = guard {
                let passes = if guard.at_last {
                    self.scaled.holds(&phase.now.c, self.options.constraint_tolerance)
                } else {
                    guard.lets_pass(phase)
                };
                if passes {
                    return Exit::Restored;
                }
                continue;
            }
            jammed = if accepted.alpha < JAM && accepted.trials == 1 { jammed + 1 } else { 0 };
            if jammed >= JAMMED && !self.scaled.holds(&phase.now.c, ACCEPTABLE_VIOLATION) {
                jammed = 0;
                if let Some(exit) = self.leave_jam(phase) {
                    return exit;
                }
            }
        }
    }

    /// Reduces the violation only where bounds let no step of the search proper pass. `None` to go on.
    fn leave_jam(&mut self, phase: &mut Phase) -> Option<Exit> {
        let (theta, phi) = (phase.theta(false), phase.phi(phase.now.f, &phase.now.w));
        phase.remember(theta, phi);
        match self.restore(phase, false) {
            Exit::Restored | Exit::Stalled(_) => None,
            exit => Some(exit),
        }
    }

    /// Whether a point would do where no better one can be had.
    pub fn acceptable(&self, phase: &Phase, errors: &Errors) -> bool {
        let tolerance = self.options.constraint_tolerance.max(ACCEPTABLE_VIOLATION);
        errors.worst() <= self.options.acceptable_tolerance && self.scaled.holds(&phase.now.c, tolerance)
    }

    fn keep_best(&mut self, phase: &Phase, errors: &Errors) {
        let error = rank(errors);
        match &mut self.best {
            Some(best) if best.error <= error => {}
            Some(best) => {
                best.error = error;
                best.point.clone_from(&self.point);
                best.y.copy_from_slice(&phase.y);
                best.zl.copy_from_slice(&phase.zl);
                best.zu.copy_from_slice(&phase.zu);
            }
            none => {
                *none = Some(Best {
                    error,
                    point: self.point.clone(),
                    y: phase.y.clone(),
                    zl: phase.zl.clone(),
                    zu: phase.zu.clone(),
                });
            }
        }
    }

    /// Lowers μ while its barrier problem is solved well enough.
    fn lower_barrier(&mut self, phase: &mut Phase, forced: bool) {
        let least = self.options.tolerance / (SOLVED + 1.0);
        let mut forced = forced;
        while phase.mu > least && (forced || phase.errors(phase.mu).worst() <= SOLVED * phase.mu) {
            forced = false;
            phase.mu = (BARRIER_FACTOR * phase.mu).min(phase.mu.powf(BARRIER_POWER)).max(least);
            if phase.proximal > 0.0 {
                phase.proximal = proximal(phase.mu);
            }
            phase.filter.clear();
        }
    }

    /// Curvature, factors and step. Whether there is one.
    pub fn direction(&mut self, phase: &mut Phase) -> bool {
        // A program without curvature here keeps that of the last point; regularisation makes up for the rest.
        let _ = self.scaled.curve(&self.point, phase.weight, &phase.y, &mut phase.hessian);
        if !phase.factor_convex(self.kkt, &mut self.regularisation) {
            return false;
        }
        phase.barrier_slope();
        let mut step = std::mem::take(&mut phase.step);
        let mut solved = false;
        for _ in 0..8 {
            let mut rows = std::mem::take(&mut phase.rows);
            phase.residual(&phase.now.c, &phase.now.w, &mut rows);
            phase.rows = rows;
            solved = phase.solve_step(self.kkt, self.regularisation.columns, &mut step);
            if solved || !phase.factor_stiffer(self.kkt, &mut self.regularisation) {
                break;
            }
        }
        phase.step = step;
        solved
    }

    /// Makes the trial the iterate. The part of the multipliers' step that was taken.
    pub fn accept(&mut self, phase: &mut Phase, accepted: &Accepted, tau: f64) -> f64 {
        let alpha_dual = phase.longest_dual(&phase.step, tau);
        for (y, d) in phase.y.iter_mut().zip(&phase.step.y) {
            *y += accepted.alpha * d;
        }
        let bounds = phase.zl.iter_mut().zip(&phase.step.zl).chain(phase.zu.iter_mut().zip(&phase.step.zu));
        for (z, d) in bounds {
            *z += alpha_dual * d;
        }
        self.take_trial(phase);
        phase.tidy_multipliers();
        alpha_dual
    }

    /// Makes the trial the iterate, multipliers as they are.
    pub fn take_trial(&mut self, phase: &mut Phase) {
        std::mem::swap(&mut phase.now, &mut phase.trial);
        std::mem::swap(&mut self.point, &mut self.trial_point);
    }

    /// Tells the watcher.
    pub fn tell(
        &mut self,
        phase: &mut Phase,
        accepted: &Accepted,
        alpha_dual: f64,
        restoration: bool,
    ) -> Watch {
        self.iteration += 1;
        let record = Record {
            iteration: self.iteration,
            restoration,
            objective: phase.now.f,
            primal: self.scaled.violation(&phase.now.c),
            dual: phase.errors(0.0).gradient,
            log_barrier: phase.mu.log10(),
            step: max_abs(&phase.step.w),
            regularisation: self.regularisation.columns + phase.damping,
            alpha_dual,
            alpha_primal: accepted.alpha,
            trials: accepted.trials,
            acceptance: if restoration { Acceptance::Restoration } else { accepted.how },
        };
        (self.watch)(&record)
    }

    /// What to do where no step leads on: restore feasibility, start the barrier afresh, or say why not. `None` to go on.
    fn recover(&mut self, phase: &mut Phase, guard: Option<&Guard>, why: &str) -> Option<Exit> {
        if guard.is_some() {
            return Some(Exit::Stalled(why.into()));
        }
        let mut reason = why.to_owned();
        let tolerance = self.options.constraint_tolerance;
        phase.damping = 0.0;
        if why == TO_AND_FRO {
            // Starting afresh leads back to the same kink.
            self.fresh_starts = FRESH_STARTS;
        }
        if !self.scaled.holds(&phase.now.c, tolerance) || phase.errors(0.0).primal > tolerance {
            match self.restore(phase, why == TO_AND_FRO) {
                Exit::Restored if self.fresh_starts < FRESH_STARTS => {
                    return None;
                }
                Exit::Restored => {}
                Exit::Stalled(inner) => reason = format!("{why}, and reducing the violation failed: {inner}"),
                exit => return Some(exit),
            }
        }
        if self.fresh_starts < FRESH_STARTS {
            self.fresh_starts += 1;
            self.fresh_start(phase);
            return None;
        }
        if let Some(undefined) = &self.scaled.undefined {
            reason = format!("{reason} (where the program was last undefined: {undefined})");
        }
        let best = self.best.as_ref().map_or(f64::INFINITY, |b| b.error);
        if best <= self.options.acceptable_tolerance {
            return Some(Exit::Acceptable(reason));
        }
        if why == TO_AND_FRO {
            // Stationarity tells nothing at a kink: where the iterates have ended is the better answer.
            self.best = None;
        }
        Some(Exit::Stalled(reason))
    }

    /// A larger barrier, new multipliers, an empty filter.
    pub fn fresh_start(&mut self, phase: &mut Phase) {
        phase.mu = (1e3 * phase.mu).clamp(1e-6, self.options.barrier.max(1e-6));
        phase.filter.clear();
        phase.centre_multipliers();
        phase.least_squares_multipliers(self.kkt, 1e3);
        self.regularisation = Regularisation::default();
    }
}
