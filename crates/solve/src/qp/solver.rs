//! Entry point of the quadratic solvers: chooses the method and owns the workspaces.

use super::dual_newton::DualNewton;
use super::goldfarb_idnani::GoldfarbIdnani;
use super::problem::{QpSolution, QuadraticProgram};
use crate::error::SolveError;

/// Which algorithm solves a quadratic program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QpMethod {
    /// Newton on the dual for projections onto equality rows and bounds, with the active set behind it for
    /// those that do not converge; the active set for everything else.
    #[default]
    Automatic,
    /// The dual active-set method of Goldfarb and Idnani (1983).
    ActiveSet,
    /// Newton on the dual, alone: identity Hessian, equality rows, any bounds. Ends as `IterationLimit`
    /// on infeasible problems.
    DualNewton,
}

/// Solves strictly convex quadratic programs with a reusable workspace: after the first problem of a given size
/// nothing is allocated.
///
/// ```
/// use percussion_solve::{QpSolver, QuadraticProgram};
/// use percussion_solve::qp::qp_residual;
///
/// // The point of the triangle x, y >= 0, x + y <= 1 nearest to (2, 1).
/// let mut problem = QuadraticProgram::least_distance(&[2.0, 1.0])?;
/// problem.at_most(&[1.0, 1.0], 1.0)?.nonnegative();
/// let mut solver = QpSolver::new();
/// let solution = solver.solve(&problem)?;
/// assert!(solution.is_optimal());
/// assert_eq!(solution.x, [1.0, 0.0]);
/// assert!(qp_residual(&problem, solution)?.worst() < 1e-15);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
///
/// The smallest weights that represent a point, many variables under few rows:
///
/// ```
/// use percussion_solve::{QpSolver, QuadraticProgram};
///
/// // The centre of a square is carried equally by its four corners.
/// let mut problem = QuadraticProgram::least_distance(&[0.0; 4])?;
/// problem.nonnegative();
/// problem.equal(&[1.0, 1.0, 1.0, 1.0], 1.0)?;
/// problem.equal(&[1.0, -1.0, -1.0, 1.0], 0.0)?.equal(&[1.0, 1.0, -1.0, -1.0], 0.0)?;
/// let mut solver = QpSolver::new();
/// let solution = solver.solve(&problem)?;
/// assert!(solution.x.iter().all(|w| (w - 0.25).abs() < 1e-15));
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct QpSolver {
    active_set: GoldfarbIdnani,
    newton: DualNewton,
    answer: QpSolution,
}

impl QpSolver {
    /// A solver with an empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a problem by the method that suits it. The answer is valid until the next call.
    pub fn solve(&mut self, problem: &QuadraticProgram) -> Result<&QpSolution, SolveError> {
        self.solve_by(problem, QpMethod::Automatic)
    }

    /// Solves a problem by a chosen method.
    pub fn solve_by(
        &mut self,
        problem: &QuadraticProgram,
        method: QpMethod,
    ) -> Result<&QpSolution, SolveError> {
        let is_applicable = DualNewton::is_applicable(problem);
        if method == QpMethod::DualNewton && !is_applicable {
            return Err(SolveError::Unsuitable {
                method: "the dual Newton method",
                needs: "an identity Hessian and equality rows only",
            });
        }
        let newton = is_applicable && method != QpMethod::ActiveSet;
        let solved = newton && self.newton.solve(problem, &mut self.answer);
        if !solved && method != QpMethod::DualNewton {
            self.active_set.solve(problem, &mut self.answer)?;
        }
        Ok(&self.answer)
    }
}
