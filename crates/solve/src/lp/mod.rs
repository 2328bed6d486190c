//! Linear programs: minimise or maximise `c . x` over two-sided rows and two-sided variable bounds.
//!
//! [`LinearProgram`] is the problem, [`solve_lp`] the bounded simplex method, [`lp_residual`] the residual.

mod problem;
mod residual;
mod scaling;
mod simplex;
mod tableau;

pub use problem::{Basis, BasisStatus, LinearProgram, LpOutcome, LpSolution};
pub use residual::{LpResidual, lp_residual};
pub use simplex::{solve_lp, solve_lp_from};
