//! Projection onto `{A x = b, lower <= x <= upper}` by Newton's method on the dual.
//!
//! The point nearest to the target among those that respect the bounds and a multiplier μ of the rows is
//! `x(μ) = clamp(target + Q^T μ)`, Q an orthonormal basis of the rows. The multipliers that make it satisfy the rows
//! minimise a convex, piecewise quadratic function of as many unknowns as there are independent rows (five for
//! the weights of a contact in space), whatever the number of variables. Newton's direction with an exact line
//! search along the kinks ends after a few steps on the right piece. The bounds and the stationarity then hold
//! by construction; only the rows carry an error, which is measured in twice the working precision.
//!
//! Where it does not converge (an infeasible problem, a nearly singular piece) it reports that, and the caller
//! turns to the active-set method.

use super::problem::{QpOutcome, QpSolution, QuadraticProgram};
use crate::arithmetic::{accurate_dot, add_scaled, dot, max_abs, norm, zeroed};
use crate::tolerances::qp::{ACCEPTED, LATE, LATE_REGULARISATION, MAX_STEP, REGULARISATION, SATISFIED};
use crate::tolerances::qp::{CONSISTENT, DEPENDENT};

const ITERATIONS: usize = 60;

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct DualNewton {
    /// Independent rows, orthonormal, row-major r x n, and their right-hand side.
    q: Vec<f64>,
    b: Vec<f64>,
    /// Row k of the original problem in terms of q: row-major m x m, and which row each q came from.
    l: Vec<f64>,
    pivot: Vec<usize>,
    scale: Vec<f64>,
    remainder: Vec<f64>,
    mu: Vec<f64>,
    step: Vec<f64>,
    residual: Vec<f64>,
    hessian: Vec<f64>,
    unclamped: Vec<f64>,
    direction: Vec<f64>,
    breakpoints: Vec<(f64, f64)>,
}

impl DualNewton {
    /// Whether the problem has the form this method solves.
    pub(super) fn is_applicable(problem: &QuadraticProgram) -> bool {
        let constraints = problem.constraints();
        problem.hessian().is_none()
            && (0..problem.rows()).all(|i| constraints.row_bounds(i).0 == constraints.row_bounds(i).1)
    }

    /// Solves the problem; false if it did not converge.
    pub(super) fn solve(&mut self, problem: &QuadraticProgram, answer: &mut QpSolution) -> bool {
        answer.prepare(problem.variables(), problem.rows());
        if !self.orthonormalise(problem) {
            return false;
        }
        let r = self.pivot.len();
        for vector in [&mut self.mu, &mut self.step, &mut self.residual] {
            zeroed(vector, r);
        }
        let mut last = f64::INFINITY;
        let mut stalled = 0;
        for _ in 0..ITERATIONS {
            self.primal_point(problem, &mut answer.x);
            let terms = max_abs(&self.b).max(max_abs(&answer.x));
            // A far target costs digits, but only those that another step does not bring back.
            let size = terms.max(max_abs(problem.gradient()));
            let error = self.dual_gradient(&answer.x);
            // The dual function falls at every step but its gradient need not: allow for detours.
            stalled = if error < 0.5 * last { 0 } else { stalled + 1 };
            last = last.min(error);
            let tolerance = match stalled {
                0 => SATISFIED * terms,
                1..4 => SATISFIED * size,
                _ => ACCEPTED * size,
            };
            if error <= tolerance {
                self.recover_multipliers(problem, answer);
                return true;
            }
            answer.iterations += 1;
            let nearly = error <= LATE * size;
            self.newton_direction(problem, if nearly { LATE_REGULARISATION } else { REGULARISATION });
            match self.line_search(problem) {
                Some(t) if t < MAX_STEP => add_scaled(&mut self.mu, t, &self.step),
                _ => return false,
            }
        }
        false
    }

    /// Gram-Schmidt with pivoting, twice is enough. False if a dependent row contradicts the others.
    fn orthonormalise(&mut self, problem: &QuadraticProgram) -> bool {
        let constraints = problem.constraints();
        let (n, m) = (problem.variables(), problem.rows());
        self.remainder.clear();
        self.scale.clear();
        for i in 0..m {
            let length = norm(constraints.row(i));
            let scale = if length > 0.0 { 1.0 / length } else { 1.0 };
            self.scale.push(scale);
            self.remainder.extend(constraints.row(i).iter().map(|a| a * scale));
        }
        for (vector, count) in [(&mut self.q, n * m.min(n)), (&mut self.l, m * m), (&mut self.b, m)] {
            zeroed(vector, count);
        }
        self.pivot.clear();
        for r in 0..m.min(n) {
            let length = |i: usize| norm(&self.remainder[i * n..(i + 1) * n]);
            let open = (0..m).filter(|i| !self.pivot.contains(i));
            let Some(i) = open.max_by(|a, b| length(*a).total_cmp(&length(*b))) else { break };
            // Subtract once more what the earlier directions left behind.
            for k in 0..r {
                let along = dot(&self.q[k * n..(k + 1) * n], &self.remainder[i * n..(i + 1) * n]);
                self.l[i * m + k] += along;
                add_scaled(&mut self.remainder[i * n..(i + 1) * n], -along, &self.q[k * n..(k + 1) * n]);
            }
            let length = norm(&self.remainder[i * n..(i + 1) * n]);
            if length <= DEPENDENT {
                break;
            }
            let direction = &mut self.q[r * n..(r + 1) * n];
            direction.copy_from_slice(&self.remainder[i * n..(i + 1) * n]);
            direction.iter_mut().for_each(|v| *v /= length);
            self.l[i * m + r] = length;
            let known = dot(&self.l[i * m..i * m + r], &self.b[..r]);
            self.b[r] = (constraints.row_bounds(i).0 * self.scale[i] - known) / length;
            self.pivot.push(i);
            for other in (0..m).filter(|o| !self.pivot.contains(o)) {
                let line = &mut self.remainder[other * n..(other + 1) * n];
                let along = dot(direction, line);
                self.l[other * m + r] = along;
                add_scaled(line, -along, direction);
            }
        }
        let r = self.pivot.len();
        self.b.truncate(r);
        let size = max_abs(&self.b);
        (0..m).filter(|i| !self.pivot.contains(i)).all(|i| {
            let bound = constraints.row_bounds(i).0 * self.scale[i];
            let implied = dot(&self.l[i * m..i * m + r], &self.b);
            (bound - implied).abs() <= CONSISTENT * (bound.abs() + size)
        })
    }

    /// `x = clamp(target + Q^T mu)`; keeps the unclamped point as `unclamped`.
    fn primal_point(&mut self, problem: &QuadraticProgram, x: &mut [f64]) {
        let n = x.len();
        self.unclamped.clear();
        self.unclamped.extend(problem.gradient().iter().map(|g| -g));
        for (k, mu) in self.mu.iter().enumerate() {
            add_scaled(&mut self.unclamped, *mu, &self.q[k * n..(k + 1) * n]);
        }
        for (j, x) in x.iter_mut().enumerate() {
            let (lower, upper) = problem.constraints().bounds(j);
            *x = self.unclamped[j].max(lower).min(upper);
        }
    }

    /// `residual = Q x - b`, the gradient of the dual; returns its largest entry.
    fn dual_gradient(&mut self, x: &[f64]) -> f64 {
        let n = x.len();
        for (k, entry) in self.residual.iter_mut().enumerate() {
            *entry = accurate_dot(-self.b[k], &self.q[k * n..(k + 1) * n], x);
        }
        max_abs(&self.residual)
    }

    /// `step = -(Q_F Q_F^T + eps)^-1 residual`, F the variables between their bounds.
    fn newton_direction(&mut self, problem: &QuadraticProgram, regularisation: f64) {
        let (n, r) = (self.unclamped.len(), self.mu.len());
        zeroed(&mut self.hessian, r * r);
        for j in 0..n {
            let (lower, upper) = problem.constraints().bounds(j);
            // At a kink both pieces are possible: the one that can move is the better guess.
            if self.unclamped[j] < lower || self.unclamped[j] > upper {
                continue;
            }
            for row in 0..r {
                let entry = self.q[row * n + j];
                for column in 0..=row {
                    self.hessian[row * r + column] += entry * self.q[column * n + j];
                }
            }
        }
        // Cholesky in place; the regularisation bounds the pivots from below.
        let h = &mut self.hessian;
        for row in 0..r {
            for column in 0..=row {
                let sum = h[row * r + column]
                    - dot(&h[row * r..row * r + column], &h[column * r..column * r + column]);
                h[row * r + column] = if column < row {
                    sum / h[column * r + column]
                } else {
                    (sum.max(0.0) + regularisation).sqrt()
                };
            }
        }
        for row in 0..r {
            let sum = dot(&h[row * r..row * r + row], &self.step[..row]);
            self.step[row] = (-self.residual[row] - sum) / h[row * r + row];
        }
        for row in (0..r).rev() {
            self.step[row] /= h[row * r + row];
            let value = self.step[row];
            add_scaled(&mut self.step[..row], -value, &h[row * r..row * r + row]);
        }
    }

    /// Minimises the dual along the step: its slope is piecewise linear and grows, with a kink wherever a
    /// variable meets a bound. None if it never turns positive.
    fn line_search(&mut self, problem: &QuadraticProgram) -> Option<f64> {
        let n = self.unclamped.len();
        zeroed(&mut self.direction, n);
        for (k, step) in self.step.iter().enumerate() {
            add_scaled(&mut self.direction, *step, &self.q[k * n..(k + 1) * n]);
        }
        self.breakpoints.clear();
        self.breakpoints.reserve(2 * n);
        let (mut slope, mut moving) = (0.0, 0_usize);
        for (j, &direction) in self.direction.iter().enumerate().filter(|(_, direction)| **direction != 0.0) {
            let (lower, upper) = problem.constraints().bounds(j);
            let (near, far) = if direction > 0.0 { (lower, upper) } else { (upper, lower) };
            let (enter, leave) =
                ((near - self.unclamped[j]) / direction, (far - self.unclamped[j]) / direction);
            if leave <= 0.0 {
                continue;
            }
            if enter > 0.0 {
                self.breakpoints.push((enter, direction * direction));
            } else {
                slope += direction * direction;
                moving += 1;
            }
            if leave.is_finite() {
                self.breakpoints.push((leave, -direction * direction));
            }
        }
        // Of two kinks at one place the variable that begins to move comes first: it may be the same variable.
        self.breakpoints.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut value = dot(&self.step, &self.residual);
        let mut at = 0.0;
        for &(t, change) in &self.breakpoints {
            // Nothing moving means exactly zero: the running sum may keep a rounding error.
            let current = if moving > 0 { slope } else { 0.0 };
            let next = value + current * (t - at);
            if next >= 0.0 && current > 0.0 {
                return Some(at - value / current);
            }
            (value, at) = (next, t);
            slope += change;
            if change > 0.0 { moving += 1 } else { moving -= 1 }
        }
        (moving > 0 && slope > 0.0).then(|| at - value / slope)
    }

    /// Turns multipliers of the orthonormal rows into multipliers of the original ones: `L^T y = mu`.
    fn recover_multipliers(&mut self, problem: &QuadraticProgram, answer: &mut QpSolution) {
        let m = problem.rows();
        for k in (0..self.pivot.len()).rev() {
            let i = self.pivot[k];
            let later = &self.pivot[k + 1..];
            let known: f64 = later.iter().map(|&o| self.l[o * m + k] * answer.row_duals[o]).sum();
            answer.row_duals[i] = (self.mu[k] - known) / self.l[i * m + k];
        }
        answer.row_duals.iter_mut().zip(&self.scale).for_each(|(y, s)| *y *= s);
        for ((z, x), unclamped) in answer.bound_duals.iter_mut().zip(&answer.x).zip(&self.unclamped) {
            *z = x - unclamped;
        }
        answer.outcome = QpOutcome::Optimal;
        answer.objective = problem.value(&answer.x);
    }
}
