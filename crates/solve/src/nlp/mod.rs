//! Nonlinear programs with sparse derivatives, on manifolds too.
//!
//! [`Program`] is the problem, [`Interior`] the solver, [`kkt_residual`] the judge.

mod answer;
mod interior;
mod judge;
mod problem;

pub use answer::{Acceptance, Conflict, Multipliers, Outcome, Record, Solution, Timing, Watch};
pub use interior::{Interior, Options, Warm};
pub use judge::{KktResidual, kkt_residual};
pub use problem::{Bound, ChartBlock, Layout, Places, Program, Undefined};
