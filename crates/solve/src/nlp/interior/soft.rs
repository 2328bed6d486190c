//! Where the filter lets nothing pass: whole steps of all unknowns are taken while the equations of the barrier problem hold the
//! better for it, until the filter is content again. Cheaper than restoration, and without leaving the neighbourhood.
//! [Wächter and Biegler 2006], section 3.4.

use super::phase::Phase;
use super::run::Search;
use super::search::{Accepted, Reference};
use crate::nlp::answer::Acceptance;
use crate::nlp::problem::Program;

/// By what factor the error must fall.
const GAIN: f64 = 0.9999;
/// Steps in a row at most.
const STEPS: usize = 10;

/// Such steps since the filter let a point pass.
#[derive(Default)]
pub(super) struct Soft {
    steps: usize,
}

impl Soft {
    /// Whether they are being taken.
    pub fn goes_on(&self) -> bool {
        self.steps > 0
    }
}

impl Phase {
    /// What the equations of the barrier problem lack, on average.
    fn lack(&mut self) -> f64 {
        self.pull();
        let (mut dual, mut products, mut ends) = (0.0, 0.0, 0_usize);
        for k in 0..self.slope.len() {
            dual += (self.slope[k] - self.zl[k] + self.zu[k]).abs();
            let below = (self.lower[k] > f64::NEG_INFINITY).then(|| self.below(&self.now.w, k) * self.zl[k]);
            let above = (self.upper[k] < f64::INFINITY).then(|| self.above(&self.now.w, k) * self.zu[k]);
            for product in [below, above].into_iter().flatten() {
                products += (product - self.mu).abs();
                ends += 1;
            }
        }
        let theta = self.theta(false);
        dual / self.slope.len().max(1) as f64
            + theta / self.y.len().max(1) as f64
            + products / ends.max(1) as f64
    }

    fn add(&mut self, alpha: f64) {
        let steps = &self.step;
        let all = self.y.iter_mut().zip(&steps.y);
        let all = all.chain(self.zl.iter_mut().zip(&steps.zl)).chain(self.zu.iter_mut().zip(&steps.zu));
        all.for_each(|(value, d)| *value += alpha * d);
    }
}

impl<P: Program> Search<'_, P> {
    /// Takes such a step, if it is better; the iterate is then its end.
    pub fn soft_step(
        &mut self,
        phase: &mut Phase,
        reference: &Reference,
        tau: f64,
        soft: &mut Soft,
    ) -> Option<Accepted> {
        // Whatever ends here without a step begins anew.
        let steps = std::mem::take(&mut soft.steps);
        if steps >= STEPS {
            return None;
        }
        if steps == 0 {
            phase.remember(reference.theta, reference.phi);
        }
        let before = phase.lack();
        let step = std::mem::take(&mut phase.step);
        let alpha = phase.longest(&step.w, tau).min(phase.longest_dual(&step, tau));
        let values = self.try_step(phase, &step.w, alpha);
        phase.step = step;
        let (theta, phi) = values?;
        if !self.complete_trial(phase) {
            return None;
        }
        let content = phase.acceptable(reference, 0.0, theta, phi).is_some();
        let multipliers = (phase.y.clone(), phase.zl.clone(), phase.zu.clone());
        self.take_trial(phase);
        phase.add(alpha);
        if content || phase.lack() <= GAIN * before {
            soft.steps = if content { 0 } else { steps + 1 };
            phase.tidy_multipliers();
            return Some(Accepted { alpha, trials: 1, how: Acceptance::Soft, remember: false });
        }
        self.take_trial(phase);
        (phase.y, phase.zl, phase.zu) = multipliers;
        None
    }
}
