//! Residual of linear programs: how far an answer is from proving what it claims. Calls no solver.

use super::problem::{LinearProgram, LpOutcome, LpSolution};
use crate::arithmetic::{accurate_dot, max_abs};
use crate::constraints::{norm1, ratio, worst_of};
use crate::error::{SolveError, length};

/// Relative errors of an answer's evidence, all zero for a perfect one.
///
/// For an optimal answer the entries are what their names say. For an infeasible one `dual` is the error
/// of Farkas' equation, infinite when its value proves nothing, and the others are zero. For an unbounded
/// one `primal` is the larger error of point and ray and `gap` is infinite unless the ray improves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LpResidual {
    /// Largest violation of a row or bound, relative to the size of its terms.
    pub primal: f64,
    /// Largest error of `c = A^T y + z` or of a multiplier's sign, relative to the size of its terms.
    pub dual: f64,
    /// Largest product of multiplier and slack, relative to the sizes of both.
    pub complementarity: f64,
    /// Difference of the primal and dual objectives, relative to the size of their terms.
    pub gap: f64,
}

impl LpResidual {
    /// The largest of the four.
    pub fn worst(&self) -> f64 {
        self.primal.max(self.dual).max(self.complementarity).max(self.gap)
    }
}

/// Residual of an answer, whichever solver it came from.
pub fn lp_residual(problem: &LinearProgram, solution: &LpSolution) -> Result<LpResidual, SolveError> {
    let LpSolution { x, row_duals: y, bound_duals: z, .. } = solution;
    let constraints = problem.constraints();
    constraints.check_lengths(x, y, z)?;
    match solution.outcome {
        LpOutcome::Optimal | LpOutcome::IterationLimit => Ok(optimality(problem, solution)),
        LpOutcome::Infeasible => {
            Ok(LpResidual { dual: constraints.farkas_residual(y, z), ..LpResidual::default() })
        }
        LpOutcome::Unbounded => {
            length("ray", "variable", problem.variables(), solution.ray.len())?;
            let primal =
                constraints.violation(x, max_abs(x)).max(constraints.recession_violation(&solution.ray));
            let rate = accurate_dot(0.0, problem.objective(), &solution.ray);
            let improving = if problem.is_maximisation() { rate > 0.0 } else { rate < 0.0 };
            let gap = if improving { 0.0 } else { f64::INFINITY };
            Ok(LpResidual { primal, gap, ..LpResidual::default() })
        }
    }
}

fn optimality(problem: &LinearProgram, solution: &LpSolution) -> LpResidual {
    let LpSolution { x, row_duals: y, bound_duals: z, .. } = solution;
    let (c, constraints) = (problem.objective(), problem.constraints());
    let sense = if problem.is_maximisation() { -1.0 } else { 1.0 };
    let mut terms: Vec<f64> = c.iter().map(|c| c.abs()).collect();
    constraints.add_terms(y, &mut terms);
    let y_size = max_abs(y);

    let mut left = vec![0.0; x.len()];
    constraints.stationarity(c, y, z, &mut left);
    let mut dual = constraints.wrong_signs(y, z, &terms, sense);
    for (j, value) in left.iter().enumerate() {
        let size = c[j].abs() + z[j].abs() + y_size * constraints.column_norm1(j);
        worst_of(&mut dual, ratio(value.abs(), size));
    }
    let (dual_value, dual_size) = constraints.dual_value(y, z, sense);
    let value = accurate_dot(0.0, c, x);
    let mut gap = ratio((value - dual_value).abs(), norm1(c) * max_abs(x) + dual_size);
    // The reported objective is part of the claim.
    worst_of(&mut gap, ratio((value - solution.objective).abs(), norm1(c) * max_abs(x)));
    LpResidual {
        primal: constraints.violation(x, max_abs(x)),
        dual,
        complementarity: constraints.complementarity(x, max_abs(x), [y, z], max_abs(&terms), sense),
        gap,
    }
}
