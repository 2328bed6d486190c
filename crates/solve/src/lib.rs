//! Optimisation, complementarity and linear solvers on matrices and vectors. The crate contains no geometry and no mechanics.
//!
//! Every problem class has a problem type, one file per algorithm, and a residual function that checks any answer and calls no
//! solver:
//!
//! | problem | type | solver | residual |
//! |---|---|---|---|
//! | linear program | [`LinearProgram`] | [`solve_lp`]: bounded primal simplex | [`lp::lp_residual`] |
//! | quadratic program | [`QuadraticProgram`] | [`QpSolver`]: Goldfarb-Idnani dual active set, dual Newton for projections | [`qp::qp_residual`] |
//! | nearest point of a convex hull | list of points | [`minimum_norm_point`], [`distance_to_hull`]: Wolfe | [`hull::hull_residual`] |
//! | linear complementarity, mixed too | [`Lcp`] | [`Lemke`]: lexicographic pivoting | [`lcp::lcp_residual`] |
//! | frictional contact | [`FrictionContactProblem`] | [`GaussSeidel`] and others in [`lcp::friction`] | [`lcp::friction::frictional_residual`] |
//! | frictional contact on the cone, any operator | [`contact::ContactSystem`] | [`contact::ContactSolver`]: nonsmooth Newton, Gauss-Seidel | [`contact::ContactResidual`] |
//! | nonlinear program, on manifolds too | [`nlp::Program`] | [`nlp::InteriorPoint`]: filter line search | [`nlp::kkt_residual`] |
//!
//! Linear systems: [`Lu`] (regular), [`PivotedQr`] (rank deficient), [`Gmres`] (given by products), [`sparse::Ldl`] (sparse,
//! symmetric, indefinite). Vector instructions: [`simd`].
//!
//! Outcomes are mathematics (`Optimal`, `Infeasible`, `Unbounded`, `IterationLimit`) and come with evidence: residual, multipliers,
//! Farkas certificate. Misuse (a row of the wrong length, a NaN) is a [`SolveError`] that names the argument and the remedy.
//! Multipliers are *shadow prices*: the derivative of the optimal value with respect to the bound that holds, whatever the sense of
//! the problem. Nonlinear programs alone use those of the Lagrangian `f + y c`, which have the opposite sign.
//!
//! A module depends only on modules above it in this list:
//!
//! ```text
//! error          misuse of a solver
//! arithmetic     dot products, plain and in twice the working precision
//! constraints    two-sided rows and bounds
//! tolerances     every tolerance with its unit and reason
//! simd           packets of four numbers
//! dense          linear systems with dense matrices
//! least_squares  least squares for a handful of columns
//! sparse         sparse symmetric indefinite systems
//! krylov         linear systems given by products
//! lp             linear programs
//! qp             quadratic programs
//! hull           the nearest point of a convex hull
//! contact        frictional contact on the cone
//! lcp            complementarity problems, frictional contact on pyramids
//! nlp            nonlinear programs
//! ```

mod arithmetic;
mod constraints;
pub mod contact;
pub mod dense;
mod error;
pub mod hull;
pub mod krylov;
pub mod lcp;
mod least_squares;
pub mod lp;
pub mod nlp;
pub mod qp;
pub mod simd;
pub mod sparse;
mod tolerances;

pub use constraints::Constraints;
pub use dense::{Lu, PivotedQr};
pub use error::SolveError;
pub use hull::{distance_to_hull, minimum_norm_point};
pub use krylov::Gmres;
pub use lcp::friction::{FrictionContactProblem, GaussSeidel, Impulses};
pub use lcp::{Lcp, Lemke};
pub use lp::{LinearProgram, solve_lp};
pub use qp::{QpSolver, QuadraticProgram};
