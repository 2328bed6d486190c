//! Points of first order that are no minima: found by the inertia of the matrix without regularisation, left along a direction
//! of negative curvature that keeps the active constraints.
//!
//! With enough regularisation the matrix restricted to the null space of the rows is positive definite; inverse iteration with
//! its factors converges to the direction of least curvature there. The barrier's stiffness keeps it off active ends.

use super::phase::Phase;
use super::run::{Exit, Search};
use super::search::Accepted;
use crate::arithmetic::{dot, norm};
use crate::nlp::answer::{Acceptance, Watch};
use crate::nlp::problem::Program;

/// Saddles left at most.
const LEAVES: usize = 10;
/// Rounds of inverse iteration at most, how often the regularisation is looked at, and the change of curvature that ends them.
const ROUNDS: usize = 60;
const SHIFT_EVERY: usize = 4;
const SETTLED: f64 = 1e-3;
/// Curvature, relative to the Hessian's largest entry, that could be rounding.
const FLAT: f64 = 1e-9;
/// Lengths tried: the first, the factor from one to the next, how many.
const LONGEST: f64 = 1.0;
const SHORTER: f64 = 0.25;
const LENGTHS: usize = 14;
/// Corrections of what the rows lack at each length.
const CORRECTIONS: usize = 6;
/// Share of the predicted fall that must come true.
const SHARE: f64 = 0.1;
/// The barrier parameter to go on with at least.
const BARRIER: f64 = 1e-3;

impl<P: Program> Search<'_, P> {
    /// Runs, and goes on from where the Lagrangian curves downwards.
    pub fn run_past_saddles(&mut self, phase: &mut Phase) -> Exit {
        for _ in 0..LEAVES {
            let exit = self.run(phase, None);
            if exit != Exit::Converged {
                return exit;
            }
            let Some(curvature) = self.downward(phase) else { return exit };
            if !self.options.leave_saddles || self.iteration >= self.options.iterations {
                return Exit::Saddle(curvature);
            }
            let Some(length) = self.leave(phase, curvature) else { return Exit::Saddle(curvature) };
            let accepted = Accepted { alpha: length, trials: 1, how: Acceptance::Saddle, remember: false };
            if self.tell(phase, &accepted, 0.0, false) == Watch::Stop {
                return Exit::Stopped;
            }
            self.best = None;
        }
        Exit::Stalled("one saddle after another".into())
    }

    /// The least curvature of the Lagrangian within the active constraints if it is negative; the direction is left in the
    /// phase's step, the factors with regularisation in the matrix.
    fn downward(&mut self, phase: &mut Phase) -> Option<f64> {
        let (n, m) = (phase.columns(), phase.y.len());
        phase.damping = 0.0;
        if !self.scaled.curve(&self.point, phase.weight, &phase.y, &mut phase.hessian) {
            return None;
        }
        let inertia = phase.factor(self.kkt, 0.0, 0.0)?;
        if inertia.positive == n && inertia.negative == m {
            return None;
        }
        if !phase.factor_convex(self.kkt, &mut self.regularisation) || self.regularisation.columns == 0.0 {
            return None;
        }
        let mut direction = vec![0.0; n];
        // Any start that is not orthogonal to the direction sought will do; the same one every time.
        let mut state = 0x9e37_79b9_u32;
        for d in &mut direction {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *d = f64::from(state >> 8) / f64::from(1 << 24) - 0.5;
        }
        let mut least = f64::INFINITY;
        for round in 0..ROUNDS {
            phase.right.fill(0.0);
            phase.right[..n].copy_from_slice(&direction);
            let mut solution = std::mem::take(&mut phase.solution);
            let solved = self.kkt.solve(&phase.right, &mut solution);
            direction.copy_from_slice(&solution[..n]);
            phase.solution = solution;
            let length = norm(&direction);
            if !solved || !(length > 0.0) {
                return None;
            }
            direction.iter_mut().for_each(|d| *d /= length);
            let curvature = phase.curvature(&direction, self.scaled.shape);
            let settled = (curvature - least).abs() <= SETTLED * curvature.abs();
            least = curvature;
            if round % SHIFT_EVERY == SHIFT_EVERY - 1 && !self.shift(phase, curvature)? && settled {
                break;
            }
        }
        let size = phase.hessian.iter().fold(0.0, |a: f64, h| a.max(h.abs()));
        phase.step.w[..n].copy_from_slice(&direction);
        (least < -FLAT * size).then_some(least)
    }

    /// Brings the regularisation nearer to the least that does: the iteration converges faster. Whether it was much too large;
    /// `None` if there are no factors any more.
    fn shift(&mut self, phase: &mut Phase, curvature: f64) -> Option<bool> {
        let (n, m, before) = (phase.columns(), phase.y.len(), self.regularisation.columns);
        let rows = self.regularisation.rows;
        for nearer in [-1.05 * curvature, (before * -curvature).max(0.0).sqrt()] {
            if nearer > 0.0 && nearer < 0.5 * before {
                self.regularisation.columns = nearer;
                if phase.factor(self.kkt, nearer, rows).is_some_and(|i| i.positive == n && i.negative == m) {
                    return Some(true);
                }
            }
        }
        if self.regularisation.columns != before {
            self.regularisation.columns = before;
            phase.factor(self.kkt, before, rows)?;
        }
        Some(false)
    }

    /// Moves along the direction to a lower barrier objective. The length moved, if there is one.
    fn leave(&mut self, phase: &mut Phase, curvature: f64) -> Option<f64> {
        let mut step = std::mem::take(&mut phase.step);
        let length = self.leave_along(phase, &mut step.w, curvature);
        phase.step = step;
        length.inspect(|_| {
            self.take_trial(phase);
            phase.mu = phase.mu.max(BARRIER.min(self.options.barrier));
            phase.centre_multipliers();
            phase.least_squares_multipliers(self.kkt, 1e3);
        })
    }

    fn leave_along(&mut self, phase: &mut Phase, step: &mut [f64], curvature: f64) -> Option<f64> {
        let n = phase.columns();
        phase.local_part(step);
        let slope = phase.descent(step);
        let (theta, phi) = (phase.theta(false), phase.phi(phase.now.f, &phase.now.w));
        let price = 2.0 * phase.y.iter().fold(0.0, |a: f64, y| a.max(y.abs()));
        let downhill = if slope > 0.0 { -1.0 } else { 1.0 };
        let largest = step[..n].iter().fold(0.0, |a: f64, d| a.max(d.abs()));
        let mut moved = step.to_vec();
        for sign in [downhill, -downhill] {
            let mut length = LONGEST / largest;
            for _ in 0..LENGTHS {
                for (m, d) in moved.iter_mut().zip(step.iter()) {
                    *m = sign * length * d;
                }
                let expected = theta * price + phi + SHARE * 0.5 * length * length * curvature;
                if phase.longest(&moved[..n], 0.9) >= 1.0
                    && self.corrected_fall(phase, &mut moved, price, expected)
                {
                    return Some(length);
                }
                length *= SHORTER;
            }
        }
        None
    }

    /// Whether a step, corrected until the rows hold about as well as before, ends where merit is low enough.
    fn corrected_fall(&mut self, phase: &mut Phase, moved: &mut [f64], price: f64, expected: f64) -> bool {
        let n = phase.columns();
        for _ in 0..CORRECTIONS {
            if self.try_step(phase, moved, 1.0).is_none() {
                return false;
            }
            phase.follow();
            let (theta, phi) = (phase.theta(true), phase.phi(phase.trial.f, &phase.trial.w));
            if phi + price * theta <= expected {
                return self.complete_trial(phase);
            }
            let mut rows = std::mem::take(&mut phase.rows);
            phase.residual(&phase.trial.c, &phase.trial.w, &mut rows);
            phase.right.fill(0.0);
            for (b, r) in phase.right[n..].iter_mut().zip(&rows) {
                *b = -r;
            }
            phase.rows = rows;
            let mut solution = std::mem::take(&mut phase.solution);
            let solved = self.kkt.solve(&phase.right, &mut solution);
            for (m, d) in moved[..n].iter_mut().zip(&solution) {
                *m += d;
            }
            phase.solution = solution;
            phase.local_part(moved);
            if !solved || phase.longest(&moved[..n], 0.9) < 1.0 {
                return false;
            }
        }
        false
    }
}

impl Phase {
    /// Completes a step of the columns by what the slacks of the rows do with it.
    fn local_part(&self, step: &mut [f64]) {
        let n = self.columns();
        let mut along = vec![0.0; self.y.len()];
        for (value, &(row, column)) in self.now.jacobian.iter().zip(&self.places) {
            along[row as usize] += value * step[column as usize];
        }
        for (d, local) in step[n..].iter_mut().zip(&self.locals) {
            *d = along[local.row];
        }
    }

    /// Lets the slacks of the trial follow their rows as far as their ends allow.
    fn follow(&mut self) {
        let n = self.columns();
        for (k, local) in self.locals.iter().enumerate() {
            let low = self.lower[n + k] + 0.1 * (self.now.w[n + k] - self.lower[n + k]);
            let high = self.upper[n + k] - 0.1 * (self.upper[n + k] - self.now.w[n + k]);
            let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
            let high = if high.is_nan() { f64::INFINITY } else { high };
            self.trial.w[n + k] = self.trial.c[local.row].max(low).min(high);
        }
    }

    /// The curvature of the Lagrangian with the barrier's stiffness along a direction of length one.
    fn curvature(&self, direction: &[f64], shape: &super::shape::Shape) -> f64 {
        let n = self.columns();
        let mut product = vec![0.0; n];
        for (value, &(_, i, j)) in self.hessian.iter().zip(&shape.hessian) {
            product[i] += value * direction[j];
            if i != j {
                product[j] += value * direction[i];
            }
        }
        let mut sum = dot(&product, direction);
        let mut step = direction.to_vec();
        step.resize(self.lower.len(), 0.0);
        self.local_part(&mut step);
        for (k, d) in step.iter().enumerate() {
            sum += self.stiffness(k) * d * d;
        }
        sum
    }
}
