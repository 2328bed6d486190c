//! Nonlinear programs with sparse derivatives, on manifolds too.
//!
//! [`Program`] is the problem, [`InteriorPoint`] the solver, [`kkt_residual`] the residual. [`Charted`] makes lists of numbers of points on
//! a manifold, for solvers that need them; [`check_derivatives`] compares derivatives with differences.

mod charted;
mod derivative_check;
mod interior_point;
#[cfg(feature = "ipopt")]
mod ipopt;
mod problem;
mod residual;
mod solution;

pub use charted::Charted;
pub use derivative_check::{DerivativeCheck, Mismatch, check_derivatives};
pub use interior_point::{InteriorPoint, Options, WarmStart};
#[cfg(feature = "ipopt")]
pub use ipopt::solve_ipopt;
pub use problem::{Bound, ChartBlock, Layout, Program, SparsityPattern, Undefined};
pub use residual::{KktResidual, kkt_residual};
pub use solution::{
    Acceptance, CallbackAction, Conflict, ConstraintId, IterationRecord, Multipliers, Outcome, Solution,
    Timing,
};
