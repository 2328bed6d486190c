//! Small solvers: linear programs, strictly convex quadratic programs, the nearest
//! point of a convex hull, linear complementarity; impulses at contacts with friction, sparse; and linear
//! systems, given by products ([`Gmres`]), redundant ([`PivotedQr`]), plain ([`Lu`]) or sparse and symmetric ([`sparse::Ldl`]).
//!
//! Every problem class has one problem type, one file per algorithm and one judge that checks any answer
//! and calls no solver:
//!
//! | problem | type | solver | judge |
//! |---|---|---|---|
//! | linear program | [`LinearProgram`] | [`solve_lp`]: bounded simplex method | [`lp_residual`] |
//! | quadratic program | [`QuadraticProgram`] | [`QpSolver`]: Goldfarb-Idnani, dual Newton for projections | [`kkt_residual`] |
//! | nearest point of a hull | list of points | [`minimum_norm_point`]: Wolfe | [`hull_residual`] |
//! | linear complementarity, mixed too | [`Lcp`] | [`Lemke`]: lexicographic pivoting | [`lcp_residual`] |
//! | impulses with friction | [`FrictionContactProblem`] | [`FrictionalLemke`], [`ConvexRelaxation`], [`FixedPoint`], [`GaussSeidel`] | [`frictional_residual`] |
//! | nonlinear program, on manifolds too | [`nlp::Program`] | [`nlp::Interior`]: primal-dual interior point, filter | [`nlp::kkt_residual`] |
//!
//! Outcomes are mathematics (`Optimal`, `Infeasible`, `Unbounded`, `IterationLimit`) and arrive with their
//! evidence; misuse (a row of the wrong length, a NaN) is a [`SolveError`] that names the place and the
//! remedy. Multipliers are *shadow prices* throughout: the derivative of the optimal value with respect to
//! the bound that holds, whatever the sense of the problem; nonlinear programs alone have those of their Lagrangian `f + y c`,
//! which are the same with the opposite sign.
//!
//! This crate has never heard of a body.

mod arithmetic;
mod constraints;
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

pub use constraints::Constraints;
pub use dense::{DependentColumn, Lu, PivotedQr};
pub use error::SolveError;
pub use hull::{HullPoint, HullResidual, distance_to_hull, hull_residual, minimum_norm_point};
pub use krylov::{Gmres, GmresReport, Product};
pub use lcp::friction::{
    Cone, FixedPoint, FixedPointMap, FixedPointReport, FrictionContactProblem, FrictionalTextErrorKind, FrictionalLemke,
    FrictionalOutcome, FrictionalResidual, FrictionalSolution, FrictionalTextError, GaussSeidel, Impulses,
    NotPointed, ConvexRelaxation, GaussSeidelReport, cone_residual, frictional_residual, relaxation_residual,
};
pub use lcp::{Lcp, LcpOutcome, LcpRay, LcpResidual, LcpSolution, Lemke, lcp_residual};
pub use lp::{
    Basis, LinearProgram, LpOutcome, LpResidual, LpSolution, BasisStatus, lp_residual, solve_lp, solve_lp_from,
};
pub use qp::{KktResidual, QpMethod, QpOutcome, QpSolution, QpSolver, QuadraticProgram, kkt_residual};
