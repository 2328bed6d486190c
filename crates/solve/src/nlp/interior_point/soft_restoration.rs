//! Soft restoration: where the filter accepts nothing, full steps of all unknowns are taken while the error of the primal-dual
//! equations decreases, until the filter accepts a point. Cheaper than restoration. [Wächter and Biegler 2006], section 3.4.

use super::algorithm::Algorithm;
use super::barrier_problem::BarrierProblem;
use super::line_search::{AcceptedStep, LineSearchReference};
use crate::nlp::problem::Program;
use crate::nlp::solution::Acceptance;
use crate::tolerances::interior_point::SOFT_GAIN;

/// Steps in a row at most.
const STEPS: usize = 10;

/// Such steps since the filter accepted a point.
#[derive(Default)]
pub(super) struct SoftRestoration {
    steps: usize,
}

impl SoftRestoration {
    /// Whether they are being taken.
    pub fn is_active(&self) -> bool {
        self.steps > 0
    }
}

impl BarrierProblem {
    /// Mean error of the primal-dual equations.
    fn primal_dual_error(&mut self) -> f64 {
        self.update_lagrangian_gradient();
        let (mut dual, mut products, mut ends) = (0.0, 0.0, 0_usize);
        for k in 0..self.lagrangian_gradient.len() {
            dual += (self.lagrangian_gradient[k] - self.zl[k] + self.zu[k]).abs();
            for (slack, z) in self.ends(k) {
                products += (slack * z - self.mu).abs();
                ends += 1;
            }
        }
        let theta = self.theta(false);
        dual / self.lagrangian_gradient.len().max(1) as f64
            + theta / self.y.len().max(1) as f64
            + products / ends.max(1) as f64
    }

    /// Moves the multipliers of the rows and those of bounds by parts of the step.
    pub fn step_multipliers(&mut self, alpha: f64, alpha_dual: f64) {
        self.y.iter_mut().zip(&self.step.y).for_each(|(y, d)| *y += alpha * d);
        let bounds = self.zl.iter_mut().zip(&self.step.zl).chain(self.zu.iter_mut().zip(&self.step.zu));
        bounds.for_each(|(z, d)| *z += alpha_dual * d);
    }
}

impl<P: Program> Algorithm<'_, P> {
    /// Takes such a step, if it is better; the iterate is then its end.
    pub fn soft_step(
        &mut self,
        problem: &mut BarrierProblem,
        reference: &LineSearchReference,
        tau: f64,
        soft: &mut SoftRestoration,
    ) -> Option<AcceptedStep> {
        // Whatever ends here without a step begins anew.
        let steps = std::mem::take(&mut soft.steps);
        if steps >= STEPS {
            return None;
        }
        if steps == 0 {
            problem.augment_filter(reference.theta, reference.phi);
        }
        let before = problem.primal_dual_error();
        let alpha = problem.max_step(&problem.step.w, tau).min(problem.max_dual_step(tau));
        let (theta, phi) = self.evaluate_trial(problem, alpha)?;
        if !self.differentiate_trial(problem) {
            return None;
        }
        let acceptable = problem.filter_acceptance(reference, 0.0, theta, phi).is_some();
        let multipliers = (problem.y.clone(), problem.zl.clone(), problem.zu.clone());
        self.swap_trial(problem);
        problem.step_multipliers(alpha, alpha);
        if acceptable || problem.primal_dual_error() <= SOFT_GAIN * before {
            soft.steps = if acceptable { 0 } else { steps + 1 };
            problem.reset_bound_multipliers();
            return Some(AcceptedStep::first(alpha, Acceptance::SoftRestoration));
        }
        self.swap_trial(problem);
        (problem.y, problem.zl, problem.zu) = multipliers;
        None
    }
}
