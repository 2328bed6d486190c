//! Residual of quadratic programs: how far an answer is from proving what it claims. Calls no solver.

use super::problem::{QpOutcome, QpSolution, QuadraticProgram};
use crate::arithmetic::max_abs;
use crate::constraints::{norm1, ratio, worst_of};
use crate::error::SolveError;

/// Relative errors of the Karush-Kuhn-Tucker conditions, all zero for a perfect answer.
///
/// For an infeasible outcome `stationarity` is the error of Farkas' equation, infinite when its value proves
/// nothing, and the others are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QpResidual {
    /// Largest entry of `G x + g - A^T y - z`, relative to the size of its terms.
    pub stationarity: f64,
    /// Largest violation of a row or bound, relative to the size of its terms.
    pub primal: f64,
    /// Largest multiplier of the wrong sign, relative to the largest multiplier or the gradient.
    pub dual_sign: f64,
    /// Largest product of multiplier and slack, relative to the sizes of both.
    pub complementarity: f64,
}

impl QpResidual {
    /// The largest of the four.
    pub fn worst(&self) -> f64 {
        self.stationarity.max(self.primal).max(self.dual_sign).max(self.complementarity)
    }
}

/// Residual of an answer, whichever solver it came from.
pub fn qp_residual(problem: &QuadraticProgram, solution: &QpSolution) -> Result<QpResidual, SolveError> {
    let n = problem.variables();
    let QpSolution { x, row_duals: y, bound_duals: z, .. } = solution;
    let constraints = problem.constraints();
    constraints.check_lengths(x, y, z)?;
    if solution.outcome == QpOutcome::Infeasible {
        return Ok(QpResidual { stationarity: constraints.farkas_residual(y, z), ..QpResidual::default() });
    }
    let mut slope = vec![0.0; n];
    problem.slope(x, &mut slope);
    let mut left = vec![0.0; n];
    constraints.stationarity(&slope, y, z, &mut left);
    let curvature = problem.hessian().map_or(1.0, max_abs);
    // An x that ought to be zero carries the rounding of the way from the unconstrained minimum.
    let x_size = max_abs(x).max(max_abs(problem.gradient()) / curvature);
    let y_size = max_abs(y);
    let mut terms: Vec<f64> =
        problem.gradient().iter().zip(&slope).map(|(g, s)| g.abs().max(s.abs())).collect();
    constraints.add_terms(y, &mut terms);
    let mut stationarity = 0.0;
    for j in 0..n {
        let curvature = problem.hessian().map_or(1.0, |g| norm1(&g[j * n..(j + 1) * n]));
        let size = problem.gradient()[j].abs()
            + curvature * x_size
            + y_size * constraints.column_norm1(j)
            + z[j].abs();
        worst_of(&mut stationarity, ratio(left[j].abs(), size));
    }
    Ok(QpResidual {
        stationarity,
        primal: constraints.violation(x, x_size),
        dual_sign: constraints.wrong_signs(y, z, &terms, 1.0),
        complementarity: constraints.complementarity(x, x_size, [y, z], max_abs(&terms), 1.0),
    })
}
