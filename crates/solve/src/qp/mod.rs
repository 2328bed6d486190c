//! Strictly convex quadratic programs: minimise `1/2 x . G x + g . x` over two-sided rows and bounds.
//!
//! [`QuadraticProgram`] is the problem, [`QpSolver`] holds the workspaces of its two methods
//! (Goldfarb and Idnani's dual active set; a dual Newton method for projections onto
//! `{A x = b, lower <= x <= upper}`), [`qp_residual`] is the residual.

mod dual_newton;
mod factors;
mod goldfarb_idnani;
mod problem;
mod residual;
mod solver;

pub use problem::{QpOutcome, QpSolution, QuadraticProgram};
pub use residual::{QpResidual, qp_residual};
pub use solver::{QpMethod, QpSolver};
