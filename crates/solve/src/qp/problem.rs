//! The quadratic program and the shape of its answer.

use crate::arithmetic::{TwofoldSum, accurate_dot, dot, zeroed};
use crate::constraints::{Constraints, constrained};
use crate::error::{SolveError, all_finite, length};
use crate::tolerances::qp::ASYMMETRY;

/// Minimise `1/2 x . G x + g . x` subject to [`Constraints`], G symmetric and positive definite.
/// Variables are free until bounded.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticProgram {
    /// Row-major; empty for the identity.
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    constraints: Constraints,
}

impl QuadraticProgram {
    /// A program with a dense Hessian, row by row, and a linear term.
    pub fn new(hessian: &[f64], gradient: &[f64]) -> Result<Self, SolveError> {
        let n = gradient.len();
        let mut problem = Self::least_distance(gradient)?;
        problem.gradient.copy_from_slice(gradient);
        length("Hessian", "pair of variables", n * n, hessian.len())?;
        all_finite("Hessian", hessian)?;
        let size = crate::arithmetic::max_abs(hessian);
        for row in 0..n {
            for column in 0..row {
                if (hessian[row * n + column] - hessian[column * n + row]).abs() > ASYMMETRY * size {
                    return Err(SolveError::NotSymmetric { row, column });
                }
            }
        }
        problem.hessian = hessian.to_vec();
        Ok(problem)
    }

    /// The point nearest to `target`: G is the identity and g is `-target`, so that the objective is
    /// `1/2 |x - target|^2 - 1/2 |target|^2`.
    pub fn least_distance(target: &[f64]) -> Result<Self, SolveError> {
        let mut problem =
            Self { hessian: Vec::new(), gradient: Vec::new(), constraints: Constraints::default() };
        problem.reset_least_distance(target)?;
        Ok(problem)
    }

    /// Becomes the least-distance program of another target, without constraints; keeps the capacity.
    pub fn reset_least_distance(&mut self, target: &[f64]) -> Result<(), SolveError> {
        if target.is_empty() {
            return Err(SolveError::Empty { what: "objective" });
        }
        all_finite("objective", target)?;
        self.hessian.clear();
        self.gradient.clear();
        self.gradient.extend(target.iter().map(|v| -v));
        self.constraints.reset(target.len());
        Ok(())
    }

    /// Row-major Hessian, or `None` for the identity.
    pub fn hessian(&self) -> Option<&[f64]> {
        (!self.hessian.is_empty()).then_some(self.hessian.as_slice())
    }

    /// The linear term g.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.gradient.len()
    }

    /// The objective at a point.
    pub fn value(&self, x: &[f64]) -> f64 {
        let n = x.len();
        let linear = accurate_dot(0.0, &self.gradient, x);
        let quadratic = match self.hessian() {
            None => accurate_dot(0.0, x, x),
            Some(g) => (0..n).map(|i| x[i] * dot(&g[i * n..(i + 1) * n], x)).sum(),
        };
        0.5 * quadratic + linear
    }

    /// `out = G x + g`, each entry as if in twice the working precision.
    pub(super) fn slope(&self, x: &[f64], out: &mut [f64]) {
        let n = x.len();
        for (i, entry) in out.iter_mut().enumerate() {
            let mut sum = TwofoldSum::new(self.gradient[i]);
            match self.hessian() {
                None => sum.add_product(1.0, x[i]),
                Some(g) => g[i * n..(i + 1) * n].iter().zip(x).for_each(|(a, b)| sum.add_product(*a, *b)),
            }
            *entry = sum.value();
        }
    }
}

constrained!(QuadraticProgram);

/// The outcome. A strictly convex program cannot be unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QpOutcome {
    /// The only minimum, with its multipliers.
    Optimal,
    /// No point satisfies the constraints: the multipliers are Farkas' proof.
    Infeasible,
    /// Neither was established within the iteration limit.
    #[default]
    IterationLimit,
}

/// An answer with its evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QpSolution {
    /// The outcome.
    pub outcome: QpOutcome,
    /// The minimum (or the last point, if there is none).
    pub x: Vec<f64>,
    /// Objective at `x`; plus infinity when infeasible.
    pub objective: f64,
    /// One multiplier per row: the derivative of the optimal value with respect to the side that holds;
    /// `G x + g = A^T y + z`, positive on lower sides. When infeasible: the rows' part of Farkas' proof,
    /// `A^T y + z = 0` with `y . sides + z . bounds > 0`.
    pub row_duals: Vec<f64>,
    /// One multiplier z per variable for its bounds, likewise.
    pub bound_duals: Vec<f64>,
    /// Changes of the active set, or Newton steps.
    pub iterations: usize,
}

impl QpSolution {
    /// Whether the outcome is `Optimal`.
    pub fn is_optimal(&self) -> bool {
        self.outcome == QpOutcome::Optimal
    }

    /// Sizes the vectors for a problem, all zero.
    pub(super) fn prepare(&mut self, variables: usize, rows: usize) {
        self.outcome = QpOutcome::IterationLimit;
        self.objective = f64::INFINITY;
        self.iterations = 0;
        for (vector, count) in
            [(&mut self.x, variables), (&mut self.row_duals, rows), (&mut self.bound_duals, variables)]
        {
            zeroed(vector, count);
        }
    }
}
