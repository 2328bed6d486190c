//! Saddle points: found by the inertia of the matrix without regularisation, left along a direction of negative curvature within
//! the active constraints.
//!
//! ```text
//! escape_saddles: solve_barrier_problems, negative_curvature, escape
//! ```
//!
//! With enough regularisation the matrix restricted to the null space of the rows is positive definite; inverse iteration with
//! its factors converges to the direction of least curvature there. The curvature of the barrier excludes active bounds.

use super::algorithm::{Algorithm, Exit};
use super::barrier_problem::BarrierProblem;
use super::line_search::AcceptedStep;
use crate::arithmetic::{dot, max_abs, norm};
use crate::nlp::problem::Program;
use crate::nlp::solution::{Acceptance, CallbackAction};
use crate::tolerances::interior_point::{
    ESCAPE_BARRIER, ESCAPE_FACTOR, ESCAPE_SHARE, FIRST_ESCAPE, FLAT, SETTLED,
};

/// Saddles left at most.
const MAX_ESCAPES: usize = 10;
/// Rounds of inverse iteration at most, rounds between shifts of the regularisation, and the change of curvature that ends them.
const ROUNDS: usize = 60;
const SHIFT_EVERY: usize = 4;
const LENGTHS: usize = 14;
/// Corrections of the residual of the rows at each length.
const MAX_CORRECTIONS: usize = 6;

impl<P: Program> Algorithm<'_, P> {
    /// Runs the main loop and leaves saddle points: where the Lagrangian has negative curvature it continues.
    pub fn escape_saddles(&mut self, problem: &mut BarrierProblem) -> Exit {
        for _ in 0..MAX_ESCAPES {
            let exit = self.solve_barrier_problems(problem, None);
            if exit != Exit::Converged {
                return exit;
            }
            let Some(curvature) = self.negative_curvature(problem) else { return exit };
            if !self.options.leave_saddles || self.iteration >= self.options.iterations {
                return Exit::Saddle(curvature);
            }
            let Some(length) = self.escape(problem, curvature) else { return Exit::Saddle(curvature) };
            let accepted = AcceptedStep::first(length, Acceptance::Saddle);
            if self.report(problem, &accepted, 0.0, false) == CallbackAction::Stop {
                return Exit::Stopped;
            }
            self.best = None;
        }
        Exit::Stalled("one saddle after another".into())
    }

    /// The least curvature of the Lagrangian within the active constraints if it is negative; the direction is left in the
    /// phase's step, the factors with regularisation in the matrix.
    fn negative_curvature(&mut self, problem: &mut BarrierProblem) -> Option<f64> {
        let (n, m) = (problem.columns(), problem.y.len());
        problem.damping = 0.0;
        if !self.scaled.lagrangian_hessian(&self.point, problem.weight, &problem.y, &mut problem.hessian) {
            return None;
        }
        let inertia = problem.factor(self.kkt, 0.0, 0.0)?;
        if inertia.positive == n && inertia.negative == m {
            return None;
        }
        if !problem.factor_with_inertia_correction(self.kkt, &mut self.regularisation)
            || self.regularisation.columns == 0.0
        {
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
            problem.right.fill(0.0);
            problem.right[..n].copy_from_slice(&direction);
            let solved = self.kkt.solve(&problem.right, &mut problem.solution);
            direction.copy_from_slice(&problem.solution[..n]);
            let length = norm(&direction);
            if !solved || !(length > 0.0) {
                return None;
            }
            direction.iter_mut().for_each(|d| *d /= length);
            let curvature = problem.curvature(&direction, self.scaled.reduced);
            let settled = (curvature - least).abs() <= SETTLED * curvature.abs();
            least = curvature;
            if round % SHIFT_EVERY == SHIFT_EVERY - 1
                && !self.shift_regularisation(problem, curvature)?
                && settled
            {
                break;
            }
        }
        (least < -FLAT * max_abs(&problem.hessian)).then_some(least)
    }

    /// Brings the regularisation nearer to the least that does: the iteration converges faster. Whether it was much too large;
    /// `None` if there are no factors any more.
    fn shift_regularisation(&mut self, problem: &mut BarrierProblem, curvature: f64) -> Option<bool> {
        let (n, m, before) = (problem.columns(), problem.y.len(), self.regularisation.columns);
        let rows = self.regularisation.rows;
        for nearer in [-1.05 * curvature, (before * -curvature).max(0.0).sqrt()] {
            if nearer > 0.0 && nearer < 0.5 * before {
                self.regularisation.columns = nearer;
                if problem.factor(self.kkt, nearer, rows).is_some_and(|i| i.positive == n && i.negative == m)
                {
                    return Some(true);
                }
            }
        }
        if self.regularisation.columns != before {
            self.regularisation.columns = before;
            problem.factor(self.kkt, before, rows)?;
        }
        Some(false)
    }

    /// Moves along the direction to a lower barrier objective. The length moved, if there is one.
    fn escape(&mut self, problem: &mut BarrierProblem, curvature: f64) -> Option<f64> {
        problem.complete_row_variables();
        let direction = problem.step.w.clone();
        let length = self.escape_along(problem, &direction, curvature);
        problem.step.w = direction;
        length.inspect(|_| {
            self.swap_trial(problem);
            problem.mu = problem.mu.max(ESCAPE_BARRIER.min(self.options.barrier));
            problem.set_central_multipliers();
            problem.least_squares_multipliers(self.kkt, 1e3);
        })
    }

    fn escape_along(
        &mut self,
        problem: &mut BarrierProblem,
        direction: &[f64],
        curvature: f64,
    ) -> Option<f64> {
        let n = problem.columns();
        let derivative = problem.directional_derivative(direction);
        let (theta, phi) = (problem.theta(false), problem.phi(problem.current.f, &problem.current.w));
        let penalty = 2.0 * max_abs(&problem.y);
        let downhill = if derivative > 0.0 { -1.0 } else { 1.0 };
        let largest = max_abs(&direction[..n]);
        for sign in [downhill, -downhill] {
            let mut length = FIRST_ESCAPE / largest;
            for _ in 0..LENGTHS {
                for (step, d) in problem.step.w.iter_mut().zip(direction) {
                    *step = sign * length * d;
                }
                let expected = theta * penalty + phi + ESCAPE_SHARE * 0.5 * length * length * curvature;
                if problem.max_step(&problem.step.w[..n], 0.9) >= 1.0
                    && self.decreases_merit(problem, penalty, expected)
                {
                    return Some(length);
                }
                length *= ESCAPE_FACTOR;
            }
        }
        None
    }

    /// Whether the step, corrected until the rows hold about as well as before, ends where merit is low enough.
    fn decreases_merit(&mut self, problem: &mut BarrierProblem, penalty: f64, expected: f64) -> bool {
        let n = problem.columns();
        for _ in 0..MAX_CORRECTIONS {
            if self.evaluate_trial(problem, 1.0).is_none() {
                return false;
            }
            problem.reset_trial_slacks();
            let (theta, phi) = (problem.theta(true), problem.phi(problem.trial.f, &problem.trial.w));
            if phi + penalty * theta <= expected {
                return self.differentiate_trial(problem);
            }
            problem.update_rows(true);
            problem.right.fill(0.0);
            for (b, r) in problem.right[n..].iter_mut().zip(&problem.rows) {
                *b = -r;
            }
            let solved = self.kkt.solve(&problem.right, &mut problem.solution);
            for (step, d) in problem.step.w[..n].iter_mut().zip(&problem.solution) {
                *step += d;
            }
            problem.complete_row_variables();
            if !solved || problem.max_step(&problem.step.w[..n], 0.9) < 1.0 {
                return false;
            }
        }
        false
    }
}

impl BarrierProblem {
    /// Completes the step of the columns by what the slacks of the rows do with it.
    fn complete_row_variables(&mut self) {
        let n = self.columns();
        let (columns, rows) = self.step.w.split_at_mut(n);
        let mut along = vec![0.0; self.y.len()];
        for (value, &(row, column)) in self.current.jacobian.iter().zip(&self.places) {
            along[row as usize] += value * columns[column as usize];
        }
        for (d, row_variable) in rows.iter_mut().zip(&self.row_variables) {
            *d = along[row_variable.row];
        }
    }

    /// Sets the slacks of the trial to their rows, within their bounds.
    fn reset_trial_slacks(&mut self) {
        let n = self.columns();
        for (k, row_variable) in self.row_variables.iter().enumerate() {
            let low = self.lower[n + k] + 0.1 * (self.current.w[n + k] - self.lower[n + k]);
            let high = self.upper[n + k] - 0.1 * (self.upper[n + k] - self.current.w[n + k]);
            let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
            let high = if high.is_nan() { f64::INFINITY } else { high };
            self.trial.w[n + k] = self.trial.c[row_variable.row].max(low).min(high);
        }
    }

    /// The curvature of the Lagrangian with the barrier's stiffness along a direction of length one, which becomes the step.
    fn curvature(&mut self, direction: &[f64], reduced: &super::reduced_layout::ReducedLayout) -> f64 {
        let n = self.columns();
        let mut product = vec![0.0; n];
        for (value, &(_, i, j)) in self.hessian.iter().zip(&reduced.hessian) {
            product[i] += value * direction[j];
            if i != j {
                product[j] += value * direction[i];
            }
        }
        let mut sum = dot(&product, direction);
        self.step.w[..n].copy_from_slice(direction);
        self.complete_row_variables();
        for (k, d) in self.step.w.iter().enumerate() {
            sum += self.barrier_curvature(k) * d * d;
        }
        sum
    }
}
