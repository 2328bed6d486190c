//! Impulses at contacts with friction: the mixed linear complementarity problem of a time step.
//!
//! ```text
//! M v - b = ν c_ν + Σ n c_n + Σ D β                          balance of momentum
//! νᵀ v + Υ = 0                                               equalities, and drives (`equality.rs`)
//! nᵀ v + Δ >= 0            ⊥  c_n >= 0                       contacts
//! dᵀ v + λ >= 0            ⊥  β   >= 0     for d = ±t        friction resists motion,
//! μ c_n - Σ β >= 0         ⊥  λ   >= 0                       within the cone
//! ```
//!
//! [Hart 5.1-5.2], with M block diagonal; every row ν, n, t touches at most two blocks. [`FrictionContactProblem`] stores
//! it sparsely, [`Impulses`] is the answer, [`frictional_residual`] the residual that checks all solvers:
//!
//! | solver | answers | for |
//! |---|---|---|
//! | [`FrictionalLemke`] | exactly, or proves the friction cone not pointed | a few dozen contacts |
//! | [`ConvexRelaxation`] | the convex relaxation for a given Γ, a quadratic program in v | any size |
//! | [`FixedPoint`] | the problem itself, by `Γ = μ λ` on top of the relaxation | any size, small friction |
//! | [`GaussSeidel`] | the problem, on facets or on Coulomb's round cone | many contacts, warm starts |
//!
//! Redundant contacts (four corners of a face) leave the impulses undetermined, not the velocity as long as they
//! stick: each solver gives some impulses that do. Where such a face slides and turns, friction's moment depends
//! on which corners press, however small friction is, and solvers may answer with different velocities, all of
//! them solutions. If the gaps of such corners disagree by a rounding, an exact answer has to leave one of them
//! out, and differs from answers with a residual of that rounding as much as those do among each other. Otherwise
//! the velocity is unique for small friction [Hart 5.9]; for large friction it need not be.
//!
//! **Units.** Quantities are compared in units that follow from the data and do not change with those of
//! length, time or mass, nor with the length of a row: with `W = M⁻¹`, `g = rᵀ W r` for a row r, and the
//! momentum size `S = max(√(bᵀ W b) of a block, |Δ|/√g, |Υ|/√g)`, a velocity `rᵀ v` is measured in `S √g` and
//! an impulse along r in `S / √g`.

mod anderson;
mod equality;
mod fixed_point;
mod gauss_seidel;
mod impulses;
mod lemke;
mod problem;
mod projection;
mod relaxation;
mod residual;
mod rows;
mod text;

pub use fixed_point::{FixedPoint, FixedPointMap, FixedPointReport};
pub use gauss_seidel::{GaussSeidel, GaussSeidelReport, SubstepContact, Substeps};
pub use impulses::{Cone, FrictionalOutcome, FrictionalSolution, Impulses, NotPointed};
pub use lemke::FrictionalLemke;
pub use problem::{Entry, FrictionContactProblem};
pub use relaxation::ConvexRelaxation;
pub use residual::{FrictionalResidual, cone_residual, frictional_residual, relaxation_residual};
pub use text::{FrictionalTextError, FrictionalTextErrorKind};
