//! The step of Newton's method on the barrier problem, with regularisation that gives the matrix the inertia of a minimum.
//! [Wächter and Biegler 2006], sections 2.2 and 3.1.

use super::kkt::Kkt;
use super::phase::{Phase, Step};
use crate::sparse::Inertia;

const FIRST: f64 = 1e-4;
const LEAST: f64 = 1e-20;
const MOST: f64 = 1e40;
/// How fast regularisation of the Hessian grows when none is known to do, when one is, and how it shrinks.
const GROWTH_UNKNOWN: f64 = 100.0;
const GROWTH: f64 = 8.0;
const SHRINKAGE: f64 = 1.0 / 3.0;
const ROWS: f64 = 1e-8;
/// So often a singular Jacobian must have been met before it is expected.
const EXPECTED_AFTER: usize = 3;
/// Curvature of a row's variable at least: below it the variable is far from its ends and nothing depends on it.
const FLAT: f64 = 1e-14;

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

impl Phase {
    /// Curvature of a bounded variable's barrier.
    pub fn stiffness(&self, k: usize) -> f64 {
        let mut sum = 0.0;
        if self.lower[k] > f64::NEG_INFINITY {
            sum += self.zl[k] / self.below(&self.now.w, k);
        }
        if self.upper[k] < f64::INFINITY {
            sum += self.zu[k] / self.above(&self.now.w, k);
        }
        sum
    }

    fn local_stiffness(&self, k: usize, columns: f64) -> f64 {
        (self.stiffness(k) + columns).max(FLAT)
    }

    /// Factorises with given regularisation.
    pub fn factor(&mut self, kkt: &mut Kkt, columns: f64, rows: f64) -> Option<Inertia> {
        let n = self.columns();
        for j in 0..n {
            self.column_diagonal[j] = self.stiffness(j) + self.proximal + self.damping + columns;
        }
        self.row_diagonal.fill(rows);
        for (k, local) in self.locals.iter().enumerate() {
            self.row_diagonal[local.row] += 1.0 / self.local_stiffness(n + k, columns);
        }
        kkt.factor(Some(&self.hessian), &self.now.jacobian, &self.column_diagonal, &self.row_diagonal)
    }

    /// Factorises with the least regularisation that gives as many negative eigenvalues as there are rows. Whether one does.
    pub fn factor_convex(&mut self, kkt: &mut Kkt, regularisation: &mut Regularisation) -> bool {
        let (n, m) = (self.columns(), self.y.len());
        let for_rows = ROWS * self.mu.powf(0.25);
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
            columns = if columns == 0.0 {
                if regularisation.last == 0.0 { FIRST } else { (SHRINKAGE * regularisation.last).max(LEAST) }
            } else if regularisation.last == 0.0 {
                GROWTH_UNKNOWN * columns
            } else {
                GROWTH * columns
            };
            if columns > MOST {
                return false;
            }
        }
    }

    /// More regularisation than last time, after a solution that was worth nothing.
    pub fn factor_stiffer(&mut self, kkt: &mut Kkt, regularisation: &mut Regularisation) -> bool {
        if regularisation.rows == 0.0 && !self.y.is_empty() {
            regularisation.rows = ROWS * self.mu.powf(0.25);
        } else {
            regularisation.columns = (GROWTH * regularisation.columns).max(FIRST);
            regularisation.last = regularisation.columns;
        }
        self.factor(kkt, regularisation.columns, regularisation.rows).is_some()
    }

    /// Writes the slope of the barrier problem's Lagrangian, multipliers of bounds replaced by μ / slack.
    pub fn barrier_slope(&mut self) {
        self.pull();
        for k in 0..self.slope.len() {
            let mut s = self.damping(k);
            if self.lower[k] > f64::NEG_INFINITY {
                s -= self.mu / self.below(&self.now.w, k);
            }
            if self.upper[k] < f64::INFINITY {
                s += self.mu / self.above(&self.now.w, k);
            }
            self.slope[k] += s;
        }
    }

    /// Solves for the step with what the rows lack given in `self.rows`; needs [`Phase::barrier_slope`]. Whether it is worth
    /// anything.
    pub fn solve_step(&mut self, kkt: &mut Kkt, columns: f64, step: &mut Step) -> bool {
        let n = self.columns();
        for j in 0..n {
            self.right[j] = -self.slope[j];
        }
        for (b, r) in self.right[n..].iter_mut().zip(&self.rows) {
            *b = -r;
        }
        for (k, local) in self.locals.iter().enumerate() {
            self.right[n + local.row] -=
                local.sign * self.slope[n + k] / self.local_stiffness(n + k, columns);
        }
        if !kkt.solve(&self.right, &mut self.solution) {
            return false;
        }
        let (x, y) = self.solution.split_at(n);
        step.w[..n].copy_from_slice(x);
        step.y.copy_from_slice(y);
        for (k, local) in self.locals.iter().enumerate() {
            step.w[n + k] =
                (local.sign * step.y[local.row] - self.slope[n + k]) / self.local_stiffness(n + k, columns);
        }
        for k in 0..self.slope.len() {
            let d = step.w[k];
            if self.lower[k] > f64::NEG_INFINITY {
                step.zl[k] = (self.mu - self.zl[k] * d) / self.below(&self.now.w, k) - self.zl[k];
            }
            if self.upper[k] < f64::INFINITY {
                step.zu[k] = (self.mu + self.zu[k] * d) / self.above(&self.now.w, k) - self.zu[k];
            }
        }
        step.w.iter().chain(&step.y).all(|v| v.is_finite())
    }

    /// The derivative of the barrier objective along a step.
    pub fn descent(&self, step: &[f64]) -> f64 {
        let n = self.columns();
        let mut sum = 0.0;
        for (k, &d) in step.iter().enumerate() {
            let mut s = self.damping(k);
            s += if k < n {
                self.weight * self.now.gradient[k] + self.away(k)
            } else {
                self.locals[k - n].cost
            };
            if self.lower[k] > f64::NEG_INFINITY {
                s -= self.mu / self.below(&self.now.w, k);
            }
            if self.upper[k] < f64::INFINITY {
                s += self.mu / self.above(&self.now.w, k);
            }
            sum += s * d;
        }
        sum
    }

    /// Factorises the matrix of least squares, with the identity for the Hessian. Whether it could.
    pub fn factor_identity(&mut self, kkt: &mut Kkt) -> bool {
        let n = self.columns();
        self.column_diagonal.fill(1.0);
        self.row_diagonal.fill(0.0);
        for local in &self.locals {
            self.row_diagonal[local.row] += 1.0;
        }
        for rows in [0.0, ROWS] {
            self.row_diagonal.iter_mut().for_each(|d| *d += rows);
            let inertia = kkt.factor(None, &self.now.jacobian, &self.column_diagonal, &self.row_diagonal);
            if inertia.is_some_and(|i| i.positive == n && i.negative == self.y.len()) {
                return true;
            }
        }
        false
    }

    /// Multipliers of the rows that come nearest to balancing the rest of the Lagrangian's gradient; none if they are large.
    pub fn least_squares_multipliers(&mut self, kkt: &mut Kkt, large: f64) {
        if self.factor_identity(kkt) {
            self.balancing_multipliers(kkt, large);
        } else {
            self.y.fill(0.0);
        }
    }

    /// The same, with the matrix factorised.
    pub fn balancing_multipliers(&mut self, kkt: &mut Kkt, large: f64) {
        let n = self.columns();
        self.y.fill(0.0);
        self.pull();
        self.right.fill(0.0);
        for k in 0..self.slope.len() {
            let s = self.slope[k] - self.zl[k] + self.zu[k];
            if k < n {
                self.right[k] = -s;
            } else {
                let local = self.locals[k - n];
                self.right[n + local.row] -= local.sign * s;
            }
        }
        if kkt.solve(&self.right, &mut self.solution) {
            let y = &self.solution[n..];
            if y.iter().all(|v| v.abs() <= large) {
                self.y.copy_from_slice(y);
            }
        }
    }

    /// The shortest step to where the rows, linearised, hold, with the matrix of least squares factorised. Its columns are left in
    /// `self.step.w`.
    pub fn shortest_step(&mut self, kkt: &mut Kkt) {
        let n = self.columns();
        self.step.w.fill(0.0);
        let mut rows = std::mem::take(&mut self.rows);
        self.residual(&self.now.c, &self.now.w, &mut rows);
        self.right[..n].fill(0.0);
        for (b, r) in self.right[n..].iter_mut().zip(&rows) {
            *b = -r;
        }
        self.rows = rows;
        if kkt.solve(&self.right, &mut self.solution) {
            self.step.w[..n].copy_from_slice(&self.solution[..n]);
        }
    }
}
