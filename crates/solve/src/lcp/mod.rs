//! Linear complementarity problems: `w = M z + q`, `w >= 0`, `z >= 0`, `w . z = 0`.
//!
//! [`Lcp`] is the problem, with a dense matrix of any kind and, where it is mixed, with free unknowns whose
//! rows are equations; [`Lemke`] the solver, [`lcp_residual`] the residual. What contacts with friction make of
//! it, with its own storage, solvers and residual, is in [`friction`].
//!
//! ```text
//! Lemke's method, complementary pivoting
//!   w - M z - d z0 = q,  d > 0: for large z0 everything is feasible with z = 0
//!   lower z0 until a row blocks; its w leaves, z0 stays in the basis
//!   repeat: the complement of what left enters;
//!           the lexicographically first blocking row of [x, B⁻¹] leaves
//!           nothing blocks: a ray;  z0 leaves: solved
//! ```
//!
//! No two rows of `[x, B⁻¹]` are proportional, so that the choice is unique and no basis comes back: the
//! method is finite on degenerate problems, too. A ray is evidence about M: for copositive matrices, `z`
//! along the ray solves the problem with `q = 0` and has `q . z < 0`; for positive semidefinite ones it
//! proves that nothing is feasible ([`LcpRay::proves_infeasible`]).

pub mod friction;
mod lemke;
mod mixed;
mod problem;
mod residual;

pub use lemke::Lemke;
pub use problem::{Lcp, LcpOutcome, LcpRay, LcpSolution};
pub use residual::{LcpResidual, lcp_residual};
