//! Search direction: the primal-dual Newton step, with inertia correction. [Wächter and Biegler 2006], sections 2.2 and 3.1.
//!
//! ```text
//! factor_with_inertia_correction   shift the diagonal until as many eigenvalues are negative as there are rows
//! update_barrier_gradient, solve_step
//! increase_regularisation          if the solution is unusable
//! ```

use super::barrier_problem::BarrierProblem;
use super::kkt::KktSystem;
use crate::sparse::Inertia;
use crate::tolerances::interior_point::{
    FIRST_GROWTH, FIRST_SHIFT, GROWTH, MAX_SHIFT, MIN_ROW_CURVATURE, MIN_SHIFT, ROW_SHIFT, SHRINKAGE,
};

/// So often a singular Jacobian must have been met before it is expected.
const EXPECTED_AFTER: usize = 3;

/// What was added to the matrix, now and before.
#[derive(Clone, Debug, Default)]
pub(super) struct Regularisation {
    /// Now, to the columns.
    pub columns: f64,
    /// Now, to the rows.
    pub rows: f64,
    last: f64,
    singular: usize,
}

impl BarrierProblem {
    /// Curvature of a bounded variable's barrier.
    pub fn barrier_curvature(&self, k: usize) -> f64 {
        self.ends(k).map(|(slack, z)| z / slack).sum()
    }

    fn row_curvature(&self, k: usize, columns: f64) -> f64 {
        (self.barrier_curvature(k) + columns).max(MIN_ROW_CURVATURE)
    }

    /// Factorises with given regularisation.
    pub fn factor(&mut self, kkt: &mut KktSystem, columns: f64, rows: f64) -> Option<Inertia> {
        let n = self.columns();
        for j in 0..n {
            self.column_diagonal[j] = self.barrier_curvature(j) + self.proximal + self.damping + columns;
        }
        self.row_diagonal.fill(rows);
        for (k, row_variable) in self.row_variables.iter().enumerate() {
            self.row_diagonal[row_variable.row] += 1.0 / self.row_curvature(n + k, columns);
        }
        kkt.factor(Some(&self.hessian), &self.current.jacobian, &self.column_diagonal, &self.row_diagonal)
    }

    /// Factorises with the least regularisation that gives as many negative eigenvalues as there are rows. Whether one does.
    pub fn factor_with_inertia_correction(
        &mut self,
        kkt: &mut KktSystem,
        regularisation: &mut Regularisation,
    ) -> bool {
        let (n, m) = (self.columns(), self.y.len());
        let for_rows = ROW_SHIFT * self.mu.powf(0.25);
        let mut columns = 0.0;
        let mut rows = if regularisation.singular >= EXPECTED_AFTER { for_rows } else { 0.0 };
        let mut counted = false;
        loop {
            let inertia = self.factor(kkt, columns, rows);
            regularisation.columns = columns;
            regularisation.rows = rows;
            match inertia {
                Some(i) if i.positive == n && i.negative == m => {
                    if columns > 0.0 {
                        regularisation.last = columns;
                    }
                    return true;
                }
                Some(i) if (i.zero > 0 || i.negative < m) && rows == 0.0 && m > 0 => {
                    rows = for_rows;
                    if !counted {
                        regularisation.singular += 1;
                        counted = true;
                    }
                    continue;
                }
                None if columns == 0.0 && rows == 0.0 => rows = for_rows,
                _ => {}
            }
            columns = match (columns == 0.0, regularisation.last == 0.0) {
                (true, true) => FIRST_SHIFT,
                (true, false) => (SHRINKAGE * regularisation.last).max(MIN_SHIFT),
                (false, true) => FIRST_GROWTH * columns,
                (false, false) => GROWTH * columns,
            };
            if columns > MAX_SHIFT {
                return false;
            }
        }
    }

    /// More regularisation than last time, after an unusable solution.
    pub fn increase_regularisation(
        &mut self,
        kkt: &mut KktSystem,
        regularisation: &mut Regularisation,
    ) -> bool {
        if regularisation.rows == 0.0 && !self.y.is_empty() {
            regularisation.rows = ROW_SHIFT * self.mu.powf(0.25);
        } else {
            regularisation.columns = (GROWTH * regularisation.columns).max(FIRST_SHIFT);
            regularisation.last = regularisation.columns;
        }
        self.factor(kkt, regularisation.columns, regularisation.rows).is_some()
    }

    /// Writes the slope of the barrier problem's Lagrangian, multipliers of bounds replaced by μ / slack.
    pub fn update_barrier_gradient(&mut self) {
        self.update_lagrangian_gradient();
        for k in 0..self.lagrangian_gradient.len() {
            let [lower, upper] = self.central_multipliers(k);
            self.lagrangian_gradient[k] += self.one_sided_gradient(k) - lower + upper;
        }
    }

    /// Solves for `self.step` with the residual of the rows given in `self.rows`; needs [`BarrierProblem::update_barrier_gradient`]. Whether it is
    /// usable.
    pub fn solve_step(&mut self, kkt: &mut KktSystem, columns: f64) -> bool {
        let n = self.columns();
        for j in 0..n {
            self.right[j] = -self.lagrangian_gradient[j];
        }
        for (b, r) in self.right[n..].iter_mut().zip(&self.rows) {
            *b = -r;
        }
        for (k, row_variable) in self.row_variables.iter().enumerate() {
            self.right[n + row_variable.row] -=
                row_variable.sign * self.lagrangian_gradient[n + k] / self.row_curvature(n + k, columns);
        }
        if !kkt.solve(&self.right, &mut self.solution) {
            return false;
        }
        let (x, y) = self.solution.split_at(n);
        self.step.w[..n].copy_from_slice(x);
        self.step.y.copy_from_slice(y);
        for (k, row_variable) in self.row_variables.iter().enumerate() {
            self.step.w[n + k] = (row_variable.sign * self.step.y[row_variable.row]
                - self.lagrangian_gradient[n + k])
                / self.row_curvature(n + k, columns);
        }
        for k in 0..self.lagrangian_gradient.len() {
            let d = self.step.w[k];
            let (lower, upper) = (self.lower_slack(&self.current.w, k), self.upper_slack(&self.current.w, k));
            self.step.zl[k] = (self.mu - self.zl[k] * d) / lower - self.zl[k];
            self.step.zu[k] = (self.mu + self.zu[k] * d) / upper - self.zu[k];
        }
        self.step.w.iter().chain(&self.step.y).all(|v| v.is_finite())
    }

    /// The derivative of the barrier objective along a step.
    pub fn directional_derivative(&self, step: &[f64]) -> f64 {
        let n = self.columns();
        let mut sum = 0.0;
        for (k, &d) in step.iter().enumerate() {
            let mut s = self.one_sided_gradient(k);
            s += if k < n {
                self.weight * self.current.gradient[k] + self.proximal_gradient(k)
            } else {
                self.row_variables[k - n].cost
            };
            let [lower, upper] = self.central_multipliers(k);
            sum += (s - lower + upper) * d;
        }
        sum
    }

    /// Factorises the matrix of least squares, with the identity for the Hessian. Whether it could.
    pub fn factor_least_squares(&mut self, kkt: &mut KktSystem) -> bool {
        let n = self.columns();
        self.column_diagonal.fill(1.0);
        self.row_diagonal.fill(0.0);
        for row_variable in &self.row_variables {
            self.row_diagonal[row_variable.row] += 1.0;
        }
        for rows in [0.0, ROW_SHIFT] {
            self.row_diagonal.iter_mut().for_each(|d| *d += rows);
            let inertia = kkt.factor(None, &self.current.jacobian, &self.column_diagonal, &self.row_diagonal);
            if inertia.is_some_and(|i| i.positive == n && i.negative == self.y.len()) {
                return true;
            }
        }
        false
    }

    /// Multipliers of the rows that come nearest to balancing the rest of the Lagrangian's gradient; none if they are large.
    pub fn least_squares_multipliers(&mut self, kkt: &mut KktSystem, large: f64) {
        if self.factor_least_squares(kkt) {
            self.solve_least_squares_multipliers(kkt, large);
        } else {
            self.y.fill(0.0);
        }
    }

    /// The same, with the matrix factorised.
    pub fn solve_least_squares_multipliers(&mut self, kkt: &mut KktSystem, large: f64) {
        let n = self.columns();
        self.y.fill(0.0);
        self.update_lagrangian_gradient();
        self.right.fill(0.0);
        for k in 0..self.lagrangian_gradient.len() {
            let s = self.lagrangian_gradient[k] - self.zl[k] + self.zu[k];
            if k < n {
                self.right[k] = -s;
            } else {
                let row_variable = self.row_variables[k - n];
                self.right[n + row_variable.row] -= row_variable.sign * s;
            }
        }
        if kkt.solve(&self.right, &mut self.solution) {
            let y = &self.solution[n..];
            if y.iter().all(|v| v.abs() <= large) {
                self.y.copy_from_slice(y);
            }
        }
    }

    /// The step of least norm to where the rows, linearised, hold, with the matrix of least squares factorised. Its columns are left in
    /// `self.step.w`.
    pub fn least_norm_step(&mut self, kkt: &mut KktSystem) {
        let n = self.columns();
        self.step.w.fill(0.0);
        self.update_rows(false);
        self.right[..n].fill(0.0);
        for (b, r) in self.right[n..].iter_mut().zip(&self.rows) {
            *b = -r;
        }
        if kkt.solve(&self.right, &mut self.solution) {
            self.step.w[..n].copy_from_slice(&self.solution[..n]);
        }
    }
}
