//! Backtracking line search with a filter and second-order corrections. [Wächter and Biegler 2006], sections 2.3 and 2.4.
//!
//! ```text
//! line_search: evaluate_trial, filter_acceptance (switching condition, Armijo condition, filter), second_order_correction
//! ```

use super::algorithm::Algorithm;
use super::barrier_problem::BarrierProblem;
use crate::nlp::problem::Program;
use crate::nlp::solution::Acceptance;
use crate::tolerances::interior_point::{
    DELTA, ETA_PHI, GAMMA_ALPHA, GAMMA_PHI, GAMMA_THETA, KAPPA_SOC, MIN_ALPHA, PHI_ROUNDING, S_PHI, S_THETA,
    TINY,
};

const MAX_CORRECTIONS: usize = 4;

/// What is known where the search starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSearchReference {
    pub theta: f64,
    pub phi: f64,
    /// The derivative of `phi` along the step.
    pub directional_derivative: f64,
    /// Violations below this count as none.
    pub theta_small: f64,
}

impl LineSearchReference {
    /// Whether the step promises so much that the objective must fall.
    fn switching_condition_holds(&self, alpha: f64) -> bool {
        self.directional_derivative < 0.0
            && alpha * (-self.directional_derivative).powf(S_PHI) > DELTA * self.theta.powf(S_THETA)
    }

    fn min_step(&self) -> f64 {
        let mut alpha = GAMMA_THETA;
        if self.directional_derivative < 0.0 {
            alpha = alpha.min(GAMMA_PHI * self.theta / -self.directional_derivative);
            if self.theta <= self.theta_small {
                let power = self.theta.powf(S_THETA) / (-self.directional_derivative).powf(S_PHI);
                alpha = alpha.min(DELTA * power);
            }
        }
        // Where nothing is violated the bound is zero; steps below rounding end the search all the same.
        (GAMMA_ALPHA * alpha).max(MIN_ALPHA)
    }
}

/// A step that was accepted; the trial values of the phase and the trial point are its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct AcceptedStep {
    pub alpha: f64,
    pub trials: usize,
    pub how: Acceptance,
    /// Whether the filter is augmented by where the step began.
    pub augment_filter: bool,
}

impl AcceptedStep {
    /// A step taken at the first trial, with the filter as it is.
    pub fn first(alpha: f64, how: Acceptance) -> Self {
        Self { alpha, trials: 1, how, augment_filter: false }
    }
}

impl BarrierProblem {
    /// Whether a trial is good enough, and whether by its objective.
    pub fn filter_acceptance(
        &self,
        reference: &LineSearchReference,
        alpha: f64,
        theta: f64,
        phi: f64,
    ) -> Option<Acceptance> {
        if !phi.is_finite() || !self.filter.accepts(theta, phi) {
            return None;
        }
        let rounding = PHI_ROUNDING * reference.phi.abs();
        if reference.theta <= reference.theta_small && reference.switching_condition_holds(alpha) {
            let fell = phi - reference.phi - rounding <= ETA_PHI * alpha * reference.directional_derivative;
            return fell.then_some(Acceptance::Objective);
        }
        let better = theta <= (1.0 - GAMMA_THETA) * reference.theta
            || phi - reference.phi - rounding <= -GAMMA_PHI * reference.theta;
        better.then_some(Acceptance::Filter)
    }

    /// Whether a step of this length changes nothing.
    fn is_tiny(&self) -> bool {
        let w = self.current.w.iter().zip(&self.step.w);
        w.into_iter().all(|(w, d)| d.abs() <= TINY * (1.0 + w.abs()))
    }

    /// Puts into the filter where a step began.
    pub fn augment_filter(&mut self, theta: f64, phi: f64) {
        self.filter.add((1.0 - GAMMA_THETA) * theta, phi - GAMMA_PHI * theta);
    }
}

impl<P: Program> Algorithm<'_, P> {
    /// Moves the trial by a part of the step and evaluates there. The violation and the barrier objective, if there are any.
    pub fn evaluate_trial(&mut self, problem: &mut BarrierProblem, alpha: f64) -> Option<(f64, f64)> {
        let n = problem.columns();
        self.scaled.retract(&self.point, alpha, &problem.step.w[..n], &mut self.trial_point);
        for ((t, w), d) in problem.trial.w.iter_mut().zip(&problem.current.w).zip(&problem.step.w) {
            *t = w + alpha * d;
        }
        self.scaled.coordinates(&self.trial_point, &mut problem.trial.w);
        problem.trial.f = self.scaled.evaluate(&self.trial_point, &mut problem.trial.c)?;
        let phi = problem.phi(problem.trial.f, &problem.trial.w);
        Some((problem.theta(true), phi))
    }

    /// First derivatives at the trial; a trial without is none.
    pub fn differentiate_trial(&mut self, problem: &mut BarrierProblem) -> bool {
        let trial = &mut problem.trial;
        self.scaled.differentiate(&self.trial_point, &mut trial.gradient, &mut trial.jacobian)
    }

    /// Searches along the step for a point that the filter accepts.
    pub fn line_search(
        &mut self,
        problem: &mut BarrierProblem,
        reference: &LineSearchReference,
        tau: f64,
    ) -> Option<AcceptedStep> {
        let mut alpha = problem.max_step(&problem.step.w, tau);
        let mut trials = 0;
        let min_step = reference.min_step();
        while alpha >= min_step {
            trials += 1;
            if let Some((theta, phi)) = self.evaluate_trial(problem, alpha) {
                if let Some(how) = problem.filter_acceptance(reference, alpha, theta, phi)
                    && self.differentiate_trial(problem)
                {
                    let augment_filter = how != Acceptance::Objective;
                    return Some(AcceptedStep { alpha, trials, how, augment_filter });
                }
                if trials == 1 && theta >= reference.theta {
                    std::mem::swap(&mut problem.step, &mut problem.correction_step);
                    let corrected = self.second_order_correction(problem, reference, theta, alpha, tau);
                    if corrected.is_some() {
                        return corrected;
                    }
                    std::mem::swap(&mut problem.step, &mut problem.correction_step);
                }
            }
            alpha *= 0.5;
        }
        None
    }

    /// Corrections of second order: the same matrix, with the residual of the rows at the end of the step added. The step is
    /// overwritten.
    fn second_order_correction(
        &mut self,
        problem: &mut BarrierProblem,
        reference: &LineSearchReference,
        theta_first: f64,
        alpha_first: f64,
        tau: f64,
    ) -> Option<AcceptedStep> {
        problem.update_rows(false);
        let mut soc_residual = problem.rows.clone();
        let (mut alpha, mut theta_last) = (alpha_first, theta_first);
        for count in 1..=MAX_CORRECTIONS {
            problem.update_rows(true);
            for (r, sum) in problem.rows.iter_mut().zip(&mut soc_residual) {
                *sum = alpha * *sum + *r;
                *r = *sum;
            }
            if !problem.solve_step(self.kkt, self.regularisation.columns) {
                return None;
            }
            alpha = problem.max_step(&problem.step.w, tau);
            let (theta, phi) = self.evaluate_trial(problem, alpha)?;
            if let Some(how) = problem.filter_acceptance(reference, alpha_first, theta, phi)
                && self.differentiate_trial(problem)
            {
                return Some(AcceptedStep {
                    alpha,
                    trials: 1 + count,
                    how: Acceptance::SecondOrderCorrection,
                    augment_filter: how != Acceptance::Objective,
                });
            }
            if theta > KAPPA_SOC * theta_last {
                return None;
            }
            theta_last = theta;
        }
        None
    }

    /// Takes a step below rounding, untested; `None` if it is not that short or leads nowhere.
    pub fn tiny_step(&mut self, problem: &mut BarrierProblem, tau: f64) -> Option<AcceptedStep> {
        if !problem.is_tiny() {
            return None;
        }
        let alpha = problem.max_step(&problem.step.w, tau);
        self.evaluate_trial(problem, alpha)?;
        self.differentiate_trial(problem).then(|| AcceptedStep::first(alpha, Acceptance::Tiny))
    }
}
