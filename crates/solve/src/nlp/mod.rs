//! Nonlinear programs with sparse derivatives, on manifolds too.
//!
//! [`Program`] is the problem, [`Interior`] the solver, [`kkt_residual`] the judge. [`Charted`] makes lists of numbers of points on
//! a manifold, for solvers that know nothing else; [`check_derivatives`] compares derivatives with differences.

mod answer;
mod charted;
mod check;
mod interior;
#[cfg(feature = "ipopt")]
mod ipopt;
mod judge;
mod problem;

pub use answer::{Acceptance, Conflict, Multipliers, Outcome, Party, Record, Solution, Timing, Watch};
pub use charted::Charted;
pub use check::{DerivativeCheck, Mismatch, check_derivatives};
pub use interior::{Interior, Options, Warm};
#[cfg(feature = "ipopt")]
pub use ipopt::solve_ipopt;
pub use judge::{KktResidual, kkt_residual};
pub use problem::{Bound, ChartBlock, Layout, Places, Program, Undefined};
