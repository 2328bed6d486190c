//! The main loop. [Wächter and Biegler 2006], algorithm A.
//!
//! ```text
//! solve_barrier_problems, repeat:
//!   check_termination
//!   decrease_barrier
//!   find_step: search_direction, watchdog_step or tiny_step or line_search, soft_step
//!   accept_step, report
//!   no step: fall_back to restoration, restart_barrier, or the end
//! ```

use super::barrier_problem::{BarrierProblem, OptimalityErrors};
use super::cut_steps::CutSteps;
use super::direction::Regularisation;
use super::kkt::KktSystem;
use super::line_search::{AcceptedStep, LineSearchReference};
use super::options::Options;
use super::restoration::{RestorationGoal, proximal};
use super::scaled_program::ScaledProgram;
use super::soft_restoration::SoftRestoration;
use super::watchdog::Watchdog;
use crate::arithmetic::max_abs;
use crate::nlp::problem::Program;
use crate::nlp::solution::{Acceptance, CallbackAction, IterationRecord};
use crate::tolerances::interior_point::{
    ACCEPTABLE_VIOLATION, BLOCKED, KAPPA_EPSILON, KAPPA_MU, MAX_GRADIENT, MAX_THETA, MIN_TAU,
    RESTART_BARRIER, SMALL_THETA, STATIONARY_VIOLATION, THETA_MU, UNBOUNDED, VIOLATION_WEIGHT,
};

/// Iterations in a row at acceptable points after which the search ends.
const ACCEPTABLE_ITERATIONS: usize = 15;
const HUGE_MULTIPLIERS: &str = "the conditions hold only relative to multipliers that grow without end: the active \
                                constraints are degenerate here";
const CYCLING: &str = "the iterates cycle without improvement, as at a kink of the constraints";
/// Steps in a row whose effect does not show.
const TINY_STEPS: usize = 3;
const BLOCKED_STEPS: usize = 3;
/// Restarts of the barrier.
const BARRIER_RESTARTS: usize = 3;

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
    /// Restoration has found a point that the original problem can go on from.
    Restored,
}

/// All that both phases use.
pub(super) struct Algorithm<'a, P: Program> {
    pub scaled: ScaledProgram<'a, P>,
    pub kkt: &'a mut KktSystem,
    pub options: &'a Options,
    pub callback: &'a mut dyn FnMut(&IterationRecord) -> CallbackAction,
    pub point: P::Point,
    pub trial_point: P::Point,
    pub iteration: usize,
    pub regularisation: Regularisation,
    pub barrier_restarts: usize,
    pub best: Option<BestIterate<P::Point>>,
    pub watchdog: Option<Watchdog<P::Point>>,
}

/// How bad a point is where the best of many is sought: feasible ones before stationary ones.
pub(super) fn rank(errors: &OptimalityErrors) -> f64 {
    errors.worst().max(VIOLATION_WEIGHT * errors.primal)
}

/// The iterate with the least error so far.
pub(super) struct BestIterate<P> {
    pub error: f64,
    pub point: P,
    pub y: Vec<f64>,
    pub zl: Vec<f64>,
    pub zu: Vec<f64>,
}

/// Counters of one run of the main loop.
#[derive(Default)]
struct LoopState {
    /// Violations below this count as small.
    theta_small: f64,
    /// Acceptable points, steps whose effect does not show, shortened steps and steps blocked by bounds, in a row.
    acceptable: usize,
    tiny: usize,
    shortened: usize,
    blocked: usize,
    cut_steps: CutSteps,
    soft: SoftRestoration,
}

impl<P: Program> Algorithm<'_, P> {
    /// The main loop, on the original problem or, with a `goal`, on that of restoration.
    pub fn solve_barrier_problems(
        &mut self,
        problem: &mut BarrierProblem,
        goal: Option<&RestorationGoal>,
    ) -> Exit {
        let theta = problem.theta(false);
        problem.filter.clear();
        problem.filter.max_theta = MAX_THETA * theta.max(1.0);
        let mut state = LoopState { theta_small: SMALL_THETA * theta.max(1.0), ..LoopState::default() };
        self.watchdog = None;
        loop {
            let errors = problem.optimality_errors(0.0);
            if let Some(exit) = self.check_termination(problem, goal, &errors, &mut state) {
                return exit;
            }
            let last =
                goal.is_some() || problem.mu <= self.options.acceptable_tolerance || problem.has_no_bounds();
            if state.cut_steps.is_cycling(problem.mu, errors.worst(), last) {
                state.cut_steps = CutSteps::default();
                if !last {
                    // This barrier problem will not be solved better; the next one is nearer to the solution.
                    problem.mu *= KAPPA_MU * KAPPA_MU;
                    CutSteps::increase_damping(problem);
                    problem.filter.clear();
                    continue;
                }
                if let Some(exit) = self.fall_back(problem, goal, CYCLING) {
                    return exit;
                }
                continue;
            }
            if self.watchdog.is_none() && !state.soft.is_active() {
                self.decrease_barrier(problem, state.tiny > 0);
            }
            let (accepted, tau) = match self.find_step(problem, goal, &mut state) {
                Ok(found) => found,
                Err(Some(exit)) => return exit,
                Err(None) => continue,
            };
            let alpha_dual = self.accept_step(problem, &accepted, tau);
            state.cut_steps.record_step(problem, &accepted);
            if self.report(problem, &accepted, alpha_dual, goal.is_some()) == CallbackAction::Stop {
                return Exit::Stopped;
            }
            if let Some(goal) = goal {
                let reached = if goal.is_final {
                    self.scaled.holds(&problem.current.c, self.options.constraint_tolerance)
                } else {
                    goal.is_reached(problem)
                };
                if reached {
                    return Exit::Restored;
                }
                continue;
            }
            let is_blocked = accepted.alpha < BLOCKED && accepted.trials == 1;
            state.blocked = if is_blocked { state.blocked + 1 } else { 0 };
            if state.blocked >= BLOCKED_STEPS && !self.scaled.holds(&problem.current.c, ACCEPTABLE_VIOLATION)
            {
                state.blocked = 0;
                if let Some(exit) = self.restore_where_blocked(problem) {
                    return exit;
                }
            }
        }
    }

    /// Whether the loop ends at the present iterate.
    fn check_termination(
        &mut self,
        problem: &BarrierProblem,
        goal: Option<&RestorationGoal>,
        errors: &OptimalityErrors,
        state: &mut LoopState,
    ) -> Option<Exit> {
        if goal.is_some() {
            if errors.worst() <= self.options.tolerance.max(STATIONARY_VIOLATION) {
                return Some(Exit::Converged);
            }
        } else {
            self.update_best(problem, errors);
            if errors.worst() <= self.options.tolerance
                && self.scaled.holds(&problem.current.c, self.options.constraint_tolerance)
            {
                if errors.gradient <= MAX_GRADIENT * self.options.tolerance {
                    return Some(Exit::Converged);
                }
                return Some(Exit::Acceptable(HUGE_MULTIPLIERS.into()));
            }
            let acceptable = self.is_acceptable(problem, errors);
            state.acceptable = if acceptable { state.acceptable + 1 } else { 0 };
            if state.acceptable >= ACCEPTABLE_ITERATIONS {
                return Some(Exit::Acceptable("the iterates stay acceptable and get no better".into()));
            }
            if problem.weight * problem.current.f < UNBOUNDED
                && self.scaled.holds(&problem.current.c, ACCEPTABLE_VIOLATION)
            {
                return Some(Exit::Unbounded);
            }
        }
        (self.iteration >= self.options.iterations).then_some(Exit::IterationLimit)
    }

    /// Search direction and line search, with the filter augmented: the step and its fraction to the boundary. `Err` without step: the
    /// loop ends, or continues from the present iterate.
    fn find_step(
        &mut self,
        problem: &mut BarrierProblem,
        goal: Option<&RestorationGoal>,
        state: &mut LoopState,
    ) -> Result<(AcceptedStep, f64), Option<Exit>> {
        if !self.search_direction(problem) {
            return Err(self.fall_back(problem, goal, "no regularisation makes the step's matrix usable"));
        }
        let tau = MIN_TAU.max(1.0 - problem.mu);
        let reference = LineSearchReference {
            theta: problem.theta(false),
            phi: problem.phi(problem.current.f, &problem.current.w),
            directional_derivative: problem.directional_derivative(&problem.step.w),
            theta_small: state.theta_small,
        };
        let mut accepted = None;
        if !state.soft.is_active() {
            self.start_watchdog(problem, &reference, state.shortened);
            accepted = self.regular_step(problem, goal, &reference, tau, state)?;
        }
        if accepted.is_none()
            && goal.is_none()
            && let Some(accepted) = self.soft_step(problem, &reference, tau, &mut state.soft)
        {
            let action = self.report(problem, &accepted, accepted.alpha, false);
            return Err((action == CallbackAction::Stop).then_some(Exit::Stopped));
        }
        let Some(accepted) = accepted else {
            problem.augment_filter(reference.theta, reference.phi);
            return Err(self.fall_back(problem, goal, "no point along the step is better"));
        };
        state.shortened = if accepted.trials > 1 { state.shortened + 1 } else { 0 };
        if accepted.augment_filter {
            problem.augment_filter(reference.theta, reference.phi);
        }
        Ok((accepted, tau))
    }

    /// A step of the watchdog, a tiny one, or that of the line search, if it finds one.
    fn regular_step(
        &mut self,
        problem: &mut BarrierProblem,
        goal: Option<&RestorationGoal>,
        reference: &LineSearchReference,
        tau: f64,
        state: &mut LoopState,
    ) -> Result<Option<AcceptedStep>, Option<Exit>> {
        if let Some(watchdog) = self.watchdog.take() {
            state.shortened = 0;
            return self.watchdog_step(problem, tau, watchdog).map(Some).ok_or(None);
        }
        let Some(accepted) = self.tiny_step(problem, tau) else {
            state.tiny = 0;
            return Ok(self.line_search(problem, reference, tau));
        };
        state.tiny += 1;
        if state.tiny > TINY_STEPS {
            state.tiny = 0;
            return Err(self.fall_back(problem, goal, "steps are too short for their effect to show"));
        }
        Ok(Some(accepted))
    }

    /// Reduces the violation only where bounds block the steps of the original problem. `None` to go on.
    fn restore_where_blocked(&mut self, problem: &mut BarrierProblem) -> Option<Exit> {
        let (theta, phi) = (problem.theta(false), problem.phi(problem.current.f, &problem.current.w));
        problem.augment_filter(theta, phi);
        match self.restoration(problem, false) {
            Exit::Restored | Exit::Stalled(_) => None,
            exit => Some(exit),
        }
    }

    /// Whether a point is acceptable where no better one is found.
    pub fn is_acceptable(&self, problem: &BarrierProblem, errors: &OptimalityErrors) -> bool {
        let tolerance = self.options.constraint_tolerance.max(ACCEPTABLE_VIOLATION);
        errors.worst() <= self.options.acceptable_tolerance
            && self.scaled.holds(&problem.current.c, tolerance)
    }

    fn update_best(&mut self, problem: &BarrierProblem, errors: &OptimalityErrors) {
        let error = rank(errors);
        if self.best.as_ref().is_some_and(|best| best.error <= error) {
            return;
        }
        self.best = Some(BestIterate {
            error,
            point: self.point.clone(),
            y: problem.y.clone(),
            zl: problem.zl.clone(),
            zu: problem.zu.clone(),
        });
    }

    /// Lowers μ while its barrier problem is solved well enough.
    fn decrease_barrier(&mut self, problem: &mut BarrierProblem, forced: bool) {
        let least = self.options.tolerance / (KAPPA_EPSILON + 1.0);
        let mut forced = forced;
        while problem.mu > least
            && (forced || problem.optimality_errors(problem.mu).worst() <= KAPPA_EPSILON * problem.mu)
        {
            forced = false;
            problem.mu = (KAPPA_MU * problem.mu).min(problem.mu.powf(THETA_MU)).max(least);
            if problem.proximal > 0.0 {
                problem.proximal = proximal(problem.mu);
            }
            problem.filter.clear();
        }
    }

    /// Curvature, factors and step. Whether there is one.
    pub fn search_direction(&mut self, problem: &mut BarrierProblem) -> bool {
        // A program without curvature here keeps that of the last point; regularisation makes up for the rest.
        let _ = self.scaled.lagrangian_hessian(&self.point, problem.weight, &problem.y, &mut problem.hessian);
        if !problem.factor_with_inertia_correction(self.kkt, &mut self.regularisation) {
            return false;
        }
        problem.update_barrier_gradient();
        problem.update_rows(false);
        for _ in 0..8 {
            if problem.solve_step(self.kkt, self.regularisation.columns) {
                return true;
            }
            if !problem.increase_regularisation(self.kkt, &mut self.regularisation) {
                return false;
            }
        }
        false
    }

    /// Makes the trial the iterate. The part of the multipliers' step that was taken.
    pub fn accept_step(&mut self, problem: &mut BarrierProblem, accepted: &AcceptedStep, tau: f64) -> f64 {
        let alpha_dual = problem.max_dual_step(tau);
        problem.step_multipliers(accepted.alpha, alpha_dual);
        self.swap_trial(problem);
        problem.reset_bound_multipliers();
        alpha_dual
    }

    /// Makes the trial the iterate, multipliers as they are.
    pub fn swap_trial(&mut self, problem: &mut BarrierProblem) {
        std::mem::swap(&mut problem.current, &mut problem.trial);
        std::mem::swap(&mut self.point, &mut self.trial_point);
    }

    pub fn report(
        &mut self,
        problem: &mut BarrierProblem,
        accepted: &AcceptedStep,
        alpha_dual: f64,
        restoration: bool,
    ) -> CallbackAction {
        self.iteration += 1;
        let record = IterationRecord {
            iteration: self.iteration,
            restoration,
            objective: problem.current.f,
            primal: self.scaled.violation(&problem.current.c),
            dual: problem.optimality_errors(0.0).gradient,
            log_barrier: problem.mu.log10(),
            step: max_abs(&problem.step.w),
            regularisation: self.regularisation.columns + problem.damping,
            alpha_dual,
            alpha_primal: accepted.alpha,
            trials: accepted.trials,
            acceptance: if restoration { Acceptance::Restoration } else { accepted.how },
        };
        (self.callback)(&record)
    }

    /// What to do where no step is accepted: restore feasibility, restart the barrier, or end. `None` to go on.
    fn fall_back(
        &mut self,
        problem: &mut BarrierProblem,
        goal: Option<&RestorationGoal>,
        why: &str,
    ) -> Option<Exit> {
        if goal.is_some() {
            return Some(Exit::Stalled(why.into()));
        }
        let mut reason = why.to_owned();
        let tolerance = self.options.constraint_tolerance;
        problem.damping = 0.0;
        if why == CYCLING {
            // A restart leads back to the same kink.
            self.barrier_restarts = BARRIER_RESTARTS;
        }
        if !self.scaled.holds(&problem.current.c, tolerance)
            || problem.optimality_errors(0.0).primal > tolerance
        {
            match self.restoration(problem, why == CYCLING) {
                Exit::Restored if self.barrier_restarts < BARRIER_RESTARTS => return None,
                Exit::Restored => {}
                Exit::Stalled(inner) => reason = format!("{why}, and reducing the violation failed: {inner}"),
                exit => return Some(exit),
            }
        }
        if self.barrier_restarts < BARRIER_RESTARTS {
            self.barrier_restarts += 1;
            self.restart_barrier(problem);
            return None;
        }
        if let Some(undefined) = &self.scaled.undefined {
            reason = format!("{reason} (where the program was last undefined: {undefined})");
        }
        let best = self.best.as_ref().map_or(f64::INFINITY, |b| b.error);
        if best <= self.options.acceptable_tolerance {
            return Some(Exit::Acceptable(reason));
        }
        if why == CYCLING {
            // Stationarity means nothing at a kink: the last iterate is the better answer.
            self.best = None;
        }
        Some(Exit::Stalled(reason))
    }

    /// A larger barrier, new multipliers, an empty filter.
    pub fn restart_barrier(&mut self, problem: &mut BarrierProblem) {
        problem.mu = (1e3 * problem.mu).clamp(RESTART_BARRIER, self.options.barrier.max(RESTART_BARRIER));
        problem.filter.clear();
        problem.set_central_multipliers();
        problem.least_squares_multipliers(self.kkt, 1e3);
        self.regularisation = Regularisation::default();
    }
}
