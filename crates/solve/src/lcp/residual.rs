//! Residual of linear complementarity problems. Calls no solver.

use super::problem::{Lcp, LcpOutcome, LcpRay, LcpSolution};
use crate::arithmetic::{accurate_dot, max_abs};
use crate::constraints::{norm1, ratio, worst_of};
use crate::error::{SolveError, length};

/// Relative errors of an answer, all zero for a perfect one.
///
/// The unit of `z` is its largest entry, that of `w_i` the size of its terms, `|q_i| + |M_i|₁ max |z|`. A ray
/// satisfies the same conditions without q.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LcpResidual {
    /// Error of `w = M z + q`, or of `w = 0` in the row of a free unknown.
    pub equation: f64,
    /// Most negative entry of z or of w.
    pub feasibility: f64,
    /// Largest of the smaller of `z_i` and `w_i`.
    pub complementarity: f64,
}

impl LcpResidual {
    /// The largest of the three.
    pub fn worst(&self) -> f64 {
        self.equation.max(self.feasibility).max(self.complementarity)
    }
}

/// Residual of an answer, whichever solver it came from. One without solution or ray is infinitely bad.
pub fn lcp_residual(problem: &Lcp, solution: &LcpSolution) -> Result<LcpResidual, SolveError> {
    let n = problem.size();
    match (&solution.ray, solution.outcome) {
        (Some(ray), LcpOutcome::Ray) => {
            let LcpRay { z, w, z0, cover } = ray;
            length("cover", "unknown", n, cover.len())?;
            let shift: Vec<f64> = cover.iter().map(|d| d * z0).collect();
            let mut residual = residual_of(problem, &shift, z, w)?;
            worst_of(&mut residual.feasibility, ratio(-z0, 1.0));
            // A direction that leads nowhere proves nothing.
            if max_abs(z) == 0.0 {
                residual.feasibility = f64::INFINITY;
            }
            Ok(residual)
        }
        (_, LcpOutcome::Solved) => residual_of(problem, problem.rhs(), &solution.z, &solution.w),
        _ => Ok(LcpResidual { equation: f64::INFINITY, ..LcpResidual::default() }),
    }
}

fn residual_of(problem: &Lcp, q: &[f64], z: &[f64], w: &[f64]) -> Result<LcpResidual, SolveError> {
    let n = problem.size();
    length("solution", "unknown", n, z.len())?;
    length("slacks", "unknown", n, w.len())?;
    let mut residual = LcpResidual::default();
    let z_size = max_abs(z);
    for i in 0..n {
        let size = q[i].abs() + norm1(problem.row(i)) * z_size;
        let slack = accurate_dot(q[i], problem.row(i), z);
        if problem.free()[i] {
            worst_of(&mut residual.equation, ratio(slack.abs(), size));
            continue;
        }
        worst_of(&mut residual.equation, ratio((slack - w[i]).abs(), size));
        worst_of(&mut residual.feasibility, ratio(-z[i], z_size));
        worst_of(&mut residual.feasibility, ratio(-slack, size));
        worst_of(&mut residual.complementarity, ratio(z[i], z_size).min(ratio(slack, size)));
    }
    Ok(residual)
}
