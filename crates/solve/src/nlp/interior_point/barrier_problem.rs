//! The barrier problem with its iterate, the same for the original problem and for restoration.
//!
//! ```text
//! minimise  weight f(x) + Σ cost t - μ Σ log(slacks of x and t)   subject to   c_i(x) - Σ sign t = target_i
//! ```
//!
//! Row variables `t` belong to one row each: the slack of an inequality and, in restoration, the elastic variables p and n. They are
//! eliminated into the diagonal entry of their row and never enter the matrix.
//!
//! Symbols: `w = (x, t)`; `zl`, `zu` multipliers of the bounds of `w`; `y` of the rows; `theta` the sum of violations; `phi`
//! the barrier objective. [Wächter and Biegler 2006], section 2.

use super::filter::Filter;
use super::reduced_layout::ReducedLayout;
use crate::arithmetic::max_abs;
use crate::nlp::problem::Bound;
use crate::tolerances::interior_point::{KAPPA_D, KAPPA_SIGMA, S_MAX};

/// A variable of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowVariable {
    pub row: usize,
    pub sign: f64,
    pub cost: f64,
}

/// Point, values and first derivatives that belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct Iterate {
    pub w: Vec<f64>,
    pub f: f64,
    pub c: Vec<f64>,
    pub gradient: Vec<f64>,
    pub jacobian: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub w: Vec<f64>,
    pub y: Vec<f64>,
    pub zl: Vec<f64>,
    pub zu: Vec<f64>,
}

/// Errors of the conditions of first order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OptimalityErrors {
    pub dual: f64,
    pub primal: f64,
    pub complementarity: f64,
    /// Largest entry of the gradient of the Lagrangian before averages of multipliers divide it.
    pub gradient: f64,
}

impl OptimalityErrors {
    pub fn worst(&self) -> f64 {
        self.dual.max(self.primal).max(self.complementarity)
    }
}

/// The barrier problem with its iterate.
#[derive(Clone, Debug, Default)]
pub(super) struct BarrierProblem {
    pub weight: f64,
    /// Added to the Hessian: the weight of staying near a centre.
    pub proximal: f64,
    /// That centre; empty where the centre moves with the iterate.
    pub centre: Vec<f64>,
    /// Added to the Hessian as well while the iterates cycle: shorter steps in better directions.
    pub damping: f64,
    pub row_variables: Vec<RowVariable>,
    pub target: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// How far columns may move in one step.
    pub step_limits: Vec<f64>,
    pub current: Iterate,
    pub trial: Iterate,
    pub y: Vec<f64>,
    pub zl: Vec<f64>,
    pub zu: Vec<f64>,
    pub hessian: Vec<f64>,
    pub mu: f64,
    pub filter: Filter,
    pub step: Step,
    pub correction_step: Step,
    /// Row and column of each entry of the Jacobian.
    pub places: Vec<(u32, u32)>,
    pub rows: Vec<f64>,
    pub lagrangian_gradient: Vec<f64>,
    pub column_diagonal: Vec<f64>,
    pub row_diagonal: Vec<f64>,
    pub right: Vec<f64>,
    pub solution: Vec<f64>,
}

impl BarrierProblem {
    /// The original problem: a slack for every inequality.
    pub fn new(reduced: &ReducedLayout, row_bound: impl Fn(usize) -> Bound) -> Self {
        let mut problem = Self { weight: 1.0, step_limits: reduced.step_limits.clone(), ..Self::default() };
        let mut bounds = reduced.columns.clone();
        for row in 0..reduced.rows.len() {
            let bound = row_bound(row);
            if reduced.rows[row].is_equation() {
                problem.target.push(bound.lower);
            } else {
                problem.target.push(0.0);
                problem.row_variables.push(RowVariable { row, sign: 1.0, cost: 0.0 });
                bounds.push(bound);
            }
        }
        problem.lower = bounds.iter().map(|b| b.lower).collect();
        problem.upper = bounds.iter().map(|b| b.upper).collect();
        problem.places =
            reduced.jacobian.iter().map(|&(_, row, column)| (row as u32, column as u32)).collect();
        problem.allocate(reduced);
        problem
    }

    /// Moves all bounds apart by a distance in the program's units.
    pub fn relax_bounds(&mut self, distance: f64, scales: &[f64]) {
        let n = self.columns();
        for k in 0..self.lower.len() {
            let by = if k < n { distance } else { distance * scales[self.row_variables[k - n].row] };
            self.lower[k] -= by;
            self.upper[k] += by;
        }
    }

    pub fn allocate(&mut self, reduced: &ReducedLayout) {
        let (n, m, all) = (reduced.columns.len(), reduced.rows.len(), self.lower.len());
        for values in [&mut self.current, &mut self.trial] {
            values.w.resize(all, 0.0);
            values.c.resize(m, 0.0);
            values.gradient.resize(n, 0.0);
            values.jacobian.resize(reduced.jacobian.len(), 0.0);
        }
        for step in [&mut self.step, &mut self.correction_step] {
            step.w.resize(all, 0.0);
            step.y.resize(m, 0.0);
            step.zl.resize(all, 0.0);
            step.zu.resize(all, 0.0);
        }
        self.hessian.resize(reduced.hessian.len(), 0.0);
        for list in [&mut self.y, &mut self.rows, &mut self.row_diagonal] {
            list.resize(m, 0.0);
        }
        for list in [&mut self.zl, &mut self.zu, &mut self.lagrangian_gradient] {
            list.resize(all, 0.0);
        }
        self.column_diagonal.resize(n, 0.0);
        self.right.resize(n + m, 0.0);
        self.solution.resize(n + m, 0.0);
    }

    pub fn columns(&self) -> usize {
        self.column_diagonal.len()
    }

    /// Whether the barrier plays no part.
    pub fn has_no_bounds(&self) -> bool {
        self.lower.iter().all(|l| l.is_infinite()) && self.upper.iter().all(|u| u.is_infinite())
    }

    /// The slack of a lower bound, positive even where rounding took it; infinite without bound.
    pub fn lower_slack(&self, w: &[f64], k: usize) -> f64 {
        positive(w[k] - self.lower[k], self.lower[k])
    }

    /// The slack of an upper bound.
    pub fn upper_slack(&self, w: &[f64], k: usize) -> f64 {
        positive(self.upper[k] - w[k], self.upper[k])
    }

    /// Slacks and multipliers of the bounds that a variable has. To be consumed by `for_each` or a sum: a loop costs twice as much.
    #[inline]
    pub fn ends(&self, k: usize) -> impl Iterator<Item = (f64, f64)> {
        let w = &self.current.w;
        let lower = (self.lower[k] > f64::NEG_INFINITY).then(|| (self.lower_slack(w, k), self.zl[k]));
        let upper = (self.upper[k] < f64::INFINITY).then(|| (self.upper_slack(w, k), self.zu[k]));
        lower.into_iter().chain(upper)
    }

    /// Residual of the rows.
    pub fn residual(&self, c: &[f64], w: &[f64], out: &mut [f64]) {
        for ((r, c), target) in out.iter_mut().zip(c).zip(&self.target) {
            *r = c - target;
        }
        for (row_variable, t) in self.row_variables.iter().zip(&w[self.columns()..]) {
            out[row_variable.row] -= row_variable.sign * t;
        }
    }

    /// Writes the residual of the rows, at the trial or at the iterate, to `self.rows`.
    pub fn update_rows(&mut self, trial: bool) {
        let mut rows = std::mem::take(&mut self.rows);
        let values = if trial { &self.trial } else { &self.current };
        self.residual(&values.c, &values.w, &mut rows);
        self.rows = rows;
    }

    /// The sum of violations of the rows.
    pub fn theta(&mut self, trial: bool) -> f64 {
        self.update_rows(trial);
        self.rows.iter().map(|r| r.abs()).sum()
    }

    /// The barrier objective.
    pub fn phi(&self, f: f64, w: &[f64]) -> f64 {
        let mut logarithms = 0.0;
        let mut linear = 0.0;
        for k in 0..w.len() {
            let (low, high) = (self.lower[k] > f64::NEG_INFINITY, self.upper[k] < f64::INFINITY);
            if low {
                let slack = self.lower_slack(w, k);
                logarithms += slack.ln();
                linear += if high { 0.0 } else { slack };
            }
            if high {
                let slack = self.upper_slack(w, k);
                logarithms += slack.ln();
                linear += if low { 0.0 } else { slack };
            }
        }
        let cost: f64 = self.row_variables.iter().zip(&w[self.columns()..]).map(|(l, t)| l.cost * t).sum();
        let distance: f64 = self.centre.iter().zip(w).map(|(c, w)| (w - c) * (w - c)).sum();
        self.weight * f + cost + 0.5 * self.proximal * distance - self.mu * (logarithms - KAPPA_D * linear)
    }

    /// The derivative of the proximal term.
    pub fn proximal_gradient(&self, column: usize) -> f64 {
        self.centre.get(column).map_or(0.0, |c| self.proximal * (self.current.w[column] - c))
    }

    /// The derivative of the linear terms of variables with one bound only.
    pub fn one_sided_gradient(&self, k: usize) -> f64 {
        match (self.lower[k] > f64::NEG_INFINITY, self.upper[k] < f64::INFINITY) {
            (true, false) => KAPPA_D * self.mu,
            (false, true) => -KAPPA_D * self.mu,
            _ => 0.0,
        }
    }

    /// Writes `∇(weight f + cost) + Jᵀ y` to the slope: all of the Lagrangian's gradient but the bounds' part.
    pub fn update_lagrangian_gradient(&mut self) {
        let n = self.columns();
        for j in 0..n {
            self.lagrangian_gradient[j] = self.weight * self.current.gradient[j] + self.proximal_gradient(j);
        }
        for (value, &(row, column)) in self.current.jacobian.iter().zip(&self.places) {
            self.lagrangian_gradient[column as usize] += value * self.y[row as usize];
        }
        for (k, row_variable) in self.row_variables.iter().enumerate() {
            self.lagrangian_gradient[n + k] =
                row_variable.cost - row_variable.sign * self.y[row_variable.row];
        }
    }

    /// Errors of the conditions of first order with products of slack and multiplier meant to be `mu`.
    pub fn optimality_errors(&mut self, mu: f64) -> OptimalityErrors {
        self.update_lagrangian_gradient();
        let (mut dual, mut complementarity) = (0.0_f64, 0.0_f64);
        let (mut bounds, mut ends) = (0.0, 0_usize);
        for k in 0..self.lagrangian_gradient.len() {
            dual = dual.max((self.lagrangian_gradient[k] - self.zl[k] + self.zu[k]).abs());
            self.ends(k).for_each(|(slack, z)| {
                complementarity = complementarity.max((slack * z - mu).abs());
                bounds += z;
                ends += 1;
            });
        }
        let rows: f64 = self.y.iter().map(|y| y.abs()).sum();
        let average = |sum: f64, count: usize| (sum / count.max(1) as f64).max(S_MAX) / S_MAX;
        self.update_rows(false);
        OptimalityErrors {
            dual: dual / average(rows + bounds, self.y.len() + ends),
            primal: max_abs(&self.rows),
            complementarity: complementarity / average(bounds, ends),
            gradient: dual,
        }
    }

    /// The largest part of the step that keeps the given share of every slack and leads nowhere out of reach.
    pub fn max_step(&self, step: &[f64], tau: f64) -> f64 {
        let mut alpha = 1.0_f64;
        for (k, &d) in step.iter().enumerate() {
            if d < 0.0 && self.lower[k] > f64::NEG_INFINITY {
                alpha = alpha.min(-tau * self.lower_slack(&self.current.w, k) / d);
            } else if d > 0.0 && self.upper[k] < f64::INFINITY {
                alpha = alpha.min(tau * self.upper_slack(&self.current.w, k) / d);
            }
        }
        let reached =
            step.iter().zip(&self.step_limits).filter(|(d, step_limits)| d.abs() * alpha > **step_limits);
        reached.fold(alpha, |alpha: f64, (d, step_limits)| alpha.min(step_limits / d.abs()))
    }

    /// The same for multipliers of bounds.
    pub fn max_dual_step(&self, tau: f64) -> f64 {
        let pairs = self.zl.iter().zip(&self.step.zl).chain(self.zu.iter().zip(&self.step.zu));
        pairs.fold(1.0, |alpha: f64, (&z, &d)| if d < 0.0 { alpha.min(-tau * z / d) } else { alpha })
    }

    /// μ / slack of both bounds of a variable, zero without bound.
    pub fn central_multipliers(&self, k: usize) -> [f64; 2] {
        [self.lower_slack(&self.current.w, k), self.upper_slack(&self.current.w, k)]
            .map(|slack| self.mu / slack)
    }

    /// Keeps multipliers of bounds near μ / slack.
    pub fn reset_bound_multipliers(&mut self) {
        let near = |z: f64, central: f64| z.clamp(central / KAPPA_SIGMA, central * KAPPA_SIGMA);
        for k in 0..self.zl.len() {
            let [lower, upper] = self.central_multipliers(k);
            (self.zl[k], self.zu[k]) = (near(self.zl[k], lower), near(self.zu[k], upper));
        }
    }

    /// Sets multipliers of bounds to one.
    pub fn initialise_bound_multipliers(&mut self) {
        for k in 0..self.zl.len() {
            self.zl[k] = if self.lower[k] > f64::NEG_INFINITY { 1.0 } else { 0.0 };
            self.zu[k] = if self.upper[k] < f64::INFINITY { 1.0 } else { 0.0 };
        }
    }

    /// Sets multipliers of bounds to μ / slack.
    pub fn set_central_multipliers(&mut self) {
        for k in 0..self.zl.len() {
            [self.zl[k], self.zu[k]] = self.central_multipliers(k);
        }
    }
}

fn positive(slack: f64, bound: f64) -> f64 {
    slack.max(f64::EPSILON * 1e-2 * bound.abs().clamp(1e-8, 1e300))
}
