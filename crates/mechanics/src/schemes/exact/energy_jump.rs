//! The jump condition on the discrete energy [Johnson 3.76b]: one scalar equation.
//!
//! The reflection gives the direction of the jump; its length `κ` follows from
//!
//! ```text
//! Σ E_d(c, next, ℓ; p + κ d) = Σ E_d(last, c) - loss        over the islands of the cluster
//! ```
//!
//! with `ℓ` the time to the next node of these islands: the end of the step or their next impact, which depends on `κ` in turn.
//! `E_d` is nearly a parabola in `κ`; the secant method from the reflection `κ = 1` needs three or four evaluations.

use super::cluster::ContactCluster;
use super::continuation::Continuation;
use super::impact::ClusterImpact;
use super::{
    ENERGY_ROUNDING, MAX_JUMP_ROUNDS, MAX_SECANT_STEPS, MIN_ENERGY_INTERVAL, NEXT_IMPACT_TOLERANCE,
    SECANT_TOLERANCE, failure,
};
use crate::discrete::{StepError, StepFailure};

/// The scalar equation for the length of a jump.
pub(super) struct EnergyJump<'a> {
    impact: &'a mut ClusterImpact,
    /// Momenta after the reflection, and the jump that it made.
    reflected: Vec<f64>,
    jump: Vec<f64>,
    /// Discrete energy after the jump, J.
    wanted: f64,
    /// A body of the cluster.
    body: usize,
}

impl<'a> EnergyJump<'a> {
    /// For an impact before which the discrete energy of the cluster was `before`.
    pub fn new(
        impact: &'a mut ClusterImpact,
        cluster: &ContactCluster,
        continuation: &Continuation,
        before: f64,
    ) -> Self {
        let wanted = before - impact.dissipated_energy(continuation.step).max(0.0);
        let (reflected, jump) = (impact.momenta.clone(), impact.jump.clone());
        Self { impact, reflected, jump, wanted, body: cluster.first_body(continuation.step) }
    }

    /// Continues from the impact with the scaled jump. Returns its scale.
    pub fn continue_from_impact(&mut self, continuation: &mut Continuation) -> Result<f64, StepFailure> {
        let (t, h) = (continuation.t, continuation.step.h);
        let mut scale = 1.0;
        let mut next = h;
        for _ in 0..MAX_JUMP_ROUNDS {
            scale = self.solve_scale(continuation, next, scale)?;
            self.set_scale(continuation, scale);
            continuation.continue_from_impact()?;
            let found = continuation.next_impact()?;
            if (found - next).abs() <= NEXT_IMPACT_TOLERANCE * h {
                return Ok(scale);
            }
            next = found;
            if !(next - t > MIN_ENERGY_INTERVAL * h) {
                // The next impact follows at once: there is no interval to measure energy over. The reflection is taken.
                self.set_scale(continuation, 1.0);
                continuation.continue_from_impact()?;
                return Ok(1.0);
            }
        }
        Ok(scale)
    }

    /// Sets the momenta of the nodes for a scale of the jump.
    fn set_scale(&mut self, continuation: &mut Continuation, scale: f64) {
        self.impact.momenta.clear();
        self.impact.momenta.extend(self.reflected.iter().zip(&self.jump).map(|(p, d)| p + (scale - 1.0) * d));
        self.impact.set_momenta(continuation.step, continuation.trajectories);
        continuation.islands.iter().for_each(|&index| continuation.trajectories.invalidate(index));
    }

    /// Error of the discrete energy of the interval from the impact to `next` for a scale, and its rounding, J.
    fn energy_error(
        &mut self,
        continuation: &mut Continuation,
        next: f64,
        scale: f64,
    ) -> Result<(f64, f64), StepFailure> {
        self.set_scale(continuation, scale);
        let model = continuation.step.model;
        let energy = continuation.trajectories.discrete_energy(model, continuation.islands, next)?;
        let energy = energy.unwrap_or(self.wanted);
        Ok((energy - self.wanted, ENERGY_ROUNDING * (energy.abs() + self.wanted.abs())))
    }

    /// The scale for which the energy of the interval from the impact to `next` is as wanted, by the secant method.
    fn solve_scale(
        &mut self,
        continuation: &mut Continuation,
        next: f64,
        initial: f64,
    ) -> Result<f64, StepFailure> {
        let mut x0 = initial;
        let (mut y0, rounding) = self.energy_error(continuation, next, x0)?;
        if y0.abs() <= rounding || !(next > continuation.t) {
            return Ok(x0);
        }
        let mut x1 = initial * (1.0 + 1e-4);
        for _ in 0..MAX_SECANT_STEPS {
            let (y1, rounding) = self.energy_error(continuation, next, x1)?;
            if y1.abs() <= rounding || y1 == y0 {
                return Ok(x1);
            }
            let x2 = x1 - y1 * (x1 - x0) / (y1 - y0);
            (x0, y0) = (x1, y1);
            if (x2 - x1).abs() <= SECANT_TOLERANCE * x2.abs() {
                return Ok(x2);
            }
            x1 = x2;
        }
        // Rounding may limit the accuracy of the energy; far from the reflection there is no solution.
        match (x1 - 1.0).abs() < 0.5 {
            true => Ok(x1),
            false => {
                let (step, node) = (continuation.step, &continuation.trajectories.node);
                Err(failure(step.model, node, self.body, StepError::NoConvergence))
            }
        }
    }
}
