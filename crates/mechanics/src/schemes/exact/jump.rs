//! The jump condition on the discrete energy [Johnson 3.76b]: one scalar equation.
//!
//! The reflection gives the direction of the jump; its length `κ` follows from
//!
//! ```text
//! Σ E_d(c, next, ℓ; p + κ d) = Σ E_d(last, c) - loss        over the islands that meet
//! ```
//!
//! with `ℓ` the time to the next node of these islands: the end of the step, or their next impact, which depends on `κ` in turn.
//! `E_d` is nearly a parabola in `κ`; a secant from the reflection's own `κ = 1` needs three or four evaluations.

use super::Exact;
use crate::discrete::{StepError, StepFailure};
use crate::model::Model;
use crate::response::CollisionModel;
use crate::response::impulse::{Spot, energy};

/// Rounds between the length of the jump and the time to the next node.
const ROUNDS: usize = 20;
/// Evaluations of the scalar equation.
const SECANTS: usize = 40;
/// Relative accuracy of the energy: rounding of its terms.
const ACCURATE: f64 = 1e-15;

impl Exact {
    /// `E_d` of the cluster from its islands' nodes to `t`, J; `None` where an island has just had a node.
    pub(super) fn discrete_energy(&mut self, model: &Model, t: f64) -> Result<Option<f64>, StepFailure> {
        let mut energy = 0.0;
        for i in 0..self.cluster.len() {
            let index = self.cluster[i];
            if !(t > self.paths.since[index]) {
                return Ok(None);
            }
            energy += self.paths.discrete_energy(model, index, t)?;
        }
        Ok(Some(energy))
    }

    /// Scales the `jump` that `momenta` have made so that the discrete energy is `before` less what the law of impact lost;
    /// lets the islands go on. Returns the scale.
    pub(super) fn keep_discrete_energy(
        &mut self,
        model: &Model,
        before: f64,
        t: f64,
        h: f64,
    ) -> Result<f64, StepFailure> {
        let reflected = self.momenta.clone();
        let jump = self.jump.clone();
        let lost = if self.loses() { energy(&self.laws.start) - energy(&self.laws.u) } else { 0.0 };
        let wanted = before - lost.max(0.0);
        let mut scale = 1.0;
        let mut next = h;
        for _ in 0..ROUNDS {
            scale = self.jump_length(model, (&reflected, &jump), wanted, (t, next), scale)?;
            self.set_scaled(model, &reflected, &jump, scale);
            self.go_on(model, t, h)?;
            let found = self.next_of_cluster(model, h)?;
            if (found - next).abs() <= 1e-13 * h {
                return Ok(scale);
            }
            next = found;
            if !(next - t > 1e-9 * h) {
                // The next impact is at once: there is no interval to measure energy over. The reflection stands.
                self.set_scaled(model, &reflected, &jump, 1.0);
                self.go_on(model, t, h)?;
                return Ok(1.0);
            }
        }
        Ok(scale)
    }

    /// Whether impacts of the cluster take energy.
    pub(super) fn loses(&self) -> bool {
        let elastic = |spot: &Spot| spot.restitution == 1.0 && spot.friction == 0.0;
        self.loss == Some(CollisionModel::Plastic) || !self.spots.list.iter().all(elastic)
    }

    fn set_scaled(&mut self, model: &Model, reflected: &[f64], jump: &[f64], scale: f64) {
        self.momenta.clear();
        self.momenta.extend(reflected.iter().zip(jump).map(|(p, d)| p + (scale - 1.0) * d));
        self.group.set_momenta(model, &self.momenta, &mut self.paths.node);
        for i in 0..self.cluster.len() {
            self.paths.forget(self.cluster[i]);
        }
    }

    /// The scale for which the energy of the interval from `t` to `next` is as wanted.
    fn jump_length(
        &mut self,
        model: &Model,
        (reflected, jump): (&[f64], &[f64]),
        wanted: f64,
        (t, next): (f64, f64),
        from: f64,
    ) -> Result<f64, StepFailure> {
        let misses = |this: &mut Self, scale: f64| -> Result<(f64, f64), StepFailure> {
            this.set_scaled(model, reflected, jump, scale);
            let energy = this.discrete_energy(model, next)?.unwrap_or(wanted);
            Ok((energy - wanted, ACCURATE * (energy.abs() + wanted.abs())))
        };
        let mut x0 = from;
        let (mut y0, noise) = misses(self, x0)?;
        if y0.abs() <= noise || !(next > t) {
            return Ok(x0);
        }
        let mut x1 = from * (1.0 + 1e-4);
        for _ in 0..SECANTS {
            let (y1, noise) = misses(self, x1)?;
            if y1.abs() <= noise || y1 == y0 {
                return Ok(x1);
            }
            let x2 = x1 - y1 * (x1 - x0) / (y1 - y0);
            (x0, y0) = (x1, y1);
            if (x2 - x1).abs() <= 1e-15 * x2.abs() {
                return Ok(x2);
            }
            x1 = x2;
        }
        // Rounding may keep the energy from its last digits; far from the reflection there is no solution.
        match (x1 - 1.0).abs() < 0.5 {
            true => Ok(x1),
            false => {
                let body = self.first_of_cluster(model);
                Err(super::failure(model, &self.paths.node, body, StepError::NoConvergence))
            }
        }
    }

    /// When the islands of the cluster have their next impact, or the end of the step.
    fn next_of_cluster(&mut self, model: &Model, h: f64) -> Result<f64, StepFailure> {
        let mut next = h;
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k].pair;
            let islands = [self.island(pair.0), self.island(pair.1)];
            if !islands.iter().flatten().any(|island| self.cluster.contains(island)) {
                continue;
            }
            while self.pairs[k].clear < next {
                if !self.certify(model, k, h)? {
                    next = self.pairs[k].clear;
                    break;
                }
            }
        }
        Ok(next)
    }
}
