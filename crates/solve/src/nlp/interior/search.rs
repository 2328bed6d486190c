//! The filter line search with corrections of second order. [Wächter and Biegler 2006], sections 2.3 and 2.4.

use super::phase::{Phase, Step};
use super::run::Search;
use crate::nlp::answer::Acceptance;
use crate::nlp::problem::Program;

const THETA_GAIN: f64 = 1e-5;
const PHI_GAIN: f64 = 1e-5;
const SWITCH: f64 = 1.0;
const SWITCH_PHI: f64 = 2.3;
const SWITCH_THETA: f64 = 1.1;
const ARMIJO: f64 = 1e-8;
const SHORTEST: f64 = 0.05;
const CORRECTIONS: usize = 4;
const CORRECTION_GAIN: f64 = 0.99;
/// A step smaller than this, relative to the point, changes nothing that could be seen.
const TINY: f64 = 10.0 * f64::EPSILON;
/// Rounding of the barrier objective, relative to it.
const ROUNDING: f64 = 10.0 * f64::EPSILON;

/// What is known where the search starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub theta: f64,
    pub phi: f64,
    /// The derivative of `phi` along the step.
    pub descent: f64,
    /// Violations below this count as none.
    pub theta_small: f64,
}

impl Reference {
    /// Whether the step promises so much that the objective must fall.
    fn must_descend(&self, alpha: f64) -> bool {
        self.descent < 0.0
            && alpha * (-self.descent).powf(SWITCH_PHI) > SWITCH * self.theta.powf(SWITCH_THETA)
    }

    fn shortest(&self) -> f64 {
        let mut alpha = THETA_GAIN;
        if self.descent < 0.0 {
            alpha = alpha.min(PHI_GAIN * self.theta / -self.descent);
            if self.theta <= self.theta_small {
                let power = self.theta.powf(SWITCH_THETA) / (-self.descent).powf(SWITCH_PHI);
                alpha = alpha.min(SWITCH * power);
            }
        }
        // Where nothing is violated the bound is zero; steps below rounding end the search all the same.
        (SHORTEST * alpha).max(1e-14)
    }
}

/// A step that was accepted; the trial values of the phase and the trial point are its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    pub alpha: f64,
    pub trials: usize,
    pub how: Acceptance,
    /// Whether the filter must remember where the step began.
    pub remember: bool,
}

impl Phase {
    /// Whether a trial is good enough, and whether by its objective.
    pub fn acceptable(&self, reference: &Reference, alpha: f64, theta: f64, phi: f64) -> Option<Acceptance> {
        if !phi.is_finite() || !self.filter.accepts(theta, phi) {
            return None;
        }
        let rounding = ROUNDING * reference.phi.abs();
        if reference.theta <= reference.theta_small && reference.must_descend(alpha) {
            let fell = phi - reference.phi - rounding <= ARMIJO * alpha * reference.descent;
            return fell.then_some(Acceptance::Objective);
        }
        let better = theta <= (1.0 - THETA_GAIN) * reference.theta
            || phi - reference.phi - rounding <= -PHI_GAIN * reference.theta;
        better.then_some(Acceptance::Filter)
    }

    /// Whether a step of this length changes nothing.
    fn is_tiny(&self) -> bool {
        let w = self.now.w.iter().zip(&self.step.w);
        w.into_iter().all(|(w, d)| d.abs() <= TINY * (1.0 + w.abs()))
    }

    /// Puts into the filter where a step began.
    pub fn remember(&mut self, theta: f64, phi: f64) {
        self.filter.add((1.0 - THETA_GAIN) * theta, phi - PHI_GAIN * theta);
    }
}

impl<P: Program> Search<'_, P> {
    /// Moves the trial by a part of a step and evaluates there. The violation and the barrier objective, if there are any.
    pub fn try_step(&mut self, phase: &mut Phase, step: &[f64], alpha: f64) -> Option<(f64, f64)> {
        let n = phase.columns();
        self.scaled.moved(&self.point, alpha, &step[..n], &mut self.trial_point);
        for ((t, w), d) in phase.trial.w.iter_mut().zip(&phase.now.w).zip(step) {
            *t = w + alpha * d;
        }
        self.scaled.coordinates(&self.trial_point, &mut phase.trial.w);
        phase.trial.f = self.scaled.evaluate(&self.trial_point, &mut phase.trial.c)?;
        let phi = phase.phi(phase.trial.f, &phase.trial.w);
        Some((phase.theta(true), phi))
    }

    /// First derivatives at the trial; a trial without is none.
    pub fn complete_trial(&mut self, phase: &mut Phase) -> bool {
        let trial = &mut phase.trial;
        self.scaled.differentiate(&self.trial_point, &mut trial.gradient, &mut trial.jacobian)
    }

    /// Looks along the step for a point that the filter accepts.
    pub fn line_search(&mut self, phase: &mut Phase, reference: &Reference, tau: f64) -> Option<Accepted> {
        let step = std::mem::take(&mut phase.step);
        let found = self.line_search_along(phase, &step, reference, tau);
        phase.step = step;
        if let Some(Accepted { how: Acceptance::Corrected, .. }) = found {
            std::mem::swap(&mut phase.step, &mut phase.corrected);
        }
        found
    }

    fn line_search_along(
        &mut self,
        phase: &mut Phase,
        step: &Step,
        reference: &Reference,
        tau: f64,
    ) -> Option<Accepted> {
        let longest = phase.longest(&step.w, tau);
        let mut alpha = longest;
        let mut trials = 0;
        let shortest = reference.shortest();
        while alpha >= shortest {
            trials += 1;
            if let Some((theta, phi)) = self.try_step(phase, &step.w, alpha) {
                if let Some(how) = phase.acceptable(reference, alpha, theta, phi)
                    && self.complete_trial(phase)
                {
                    let remember = how != Acceptance::Objective;
                    return Some(Accepted { alpha, trials, how, remember });
                }
                if trials == 1
                    && theta >= reference.theta
                    && let Some(accepted) = self.corrected(phase, reference, theta, alpha, tau)
                {
                    return Some(accepted);
                }
            }
            alpha *= 0.5;
        }
        None
    }

    /// Corrections of second order: the same matrix, with what the rows lack at the end of the step added.
    fn corrected(
        &mut self,
        phase: &mut Phase,
        reference: &Reference,
        theta_first: f64,
        alpha_first: f64,
        tau: f64,
    ) -> Option<Accepted> {
        let mut corrected = std::mem::take(&mut phase.corrected);
        let mut lacking = std::mem::take(&mut self.lacking);
        lacking.resize(phase.y.len(), 0.0);
        phase.residual(&phase.now.c, &phase.now.w, &mut lacking);
        let mut alpha = alpha_first;
        let mut theta_last = theta_first;
        let mut accepted = None;
        for count in 1..=CORRECTIONS {
            let mut rows = std::mem::take(&mut phase.rows);
            phase.residual(&phase.trial.c, &phase.trial.w, &mut rows);
            for (r, sum) in rows.iter_mut().zip(&mut lacking) {
                *sum = alpha * *sum + *r;
                *r = *sum;
            }
            phase.rows = rows;
            if !phase.solve_step(self.kkt, self.regularisation.columns, &mut corrected) {
                break;
            }
            alpha = phase.longest(&corrected.w, tau);
            let Some((theta, phi)) = self.try_step(phase, &corrected.w, alpha) else { break };
            if let Some(how) = phase.acceptable(reference, alpha_first, theta, phi)
                && self.complete_trial(phase)
            {
                let remember = how != Acceptance::Objective;
                accepted = Some(Accepted { alpha, trials: 1 + count, how: Acceptance::Corrected, remember });
                break;
            }
            if theta > CORRECTION_GAIN * theta_last {
                break;
            }
            theta_last = theta;
        }
        phase.corrected = corrected;
        self.lacking = lacking;
        accepted
    }

    /// Takes a step whose effect cannot be seen, untested; `None` if it is not that short or leads nowhere.
    pub fn tiny(&mut self, phase: &mut Phase, tau: f64) -> Option<Accepted> {
        if !phase.is_tiny() {
            return None;
        }
        let step = std::mem::take(&mut phase.step);
        let alpha = phase.longest(&step.w, tau);
        let there = self.try_step(phase, &step.w, alpha).is_some() && self.complete_trial(phase);
        phase.step = step;
        there.then_some(Accepted { alpha, trials: 1, how: Acceptance::Tiny, remember: false })
    }
}
