//! Optimal control of bodies in contact: trajectories that avoid collisions, and trajectories that use them.
//!
//! **Contains** optimal control problems as data ([`plan`]), their transcription into sparse nonlinear programs on the discrete Euler-Lagrange
//! equations of the simulator ([`transcription`]), the search ([`planner`]) and its solution. **Opens no file** and prints nothing.
//!
//! ```text
//! unknowns   configurations q_k on their manifold, control inputs τ_k, time scales σ, momenta and impulses at contacts
//! minimise   Σ σ h w τ² + ...                                  [Johnson 4.27; Leyendecker 5.2]
//! subject to p⁺(q_{k-1}, q_k, τ_{k-1}) = p⁻(q_k, q_{k+1}, τ_k)    at nodes without contact
//!            p⁻ = p⁺ + Dᵀ Λ,  D v = ..., gap = 0                  at planned contacts
//!            s(q_k) ≥ margin for all other pairs and nodes, bounds, boundary states
//! ```
//!
//! Every constraint involves one interval and its two nodes, so that all matrices are block tri-diagonal.

mod builder;
pub mod clearance;
mod consistency;
mod extraction;
pub mod guess;
mod islands;
mod multistart;
mod pairs;
pub mod plan;
pub mod planner;
pub mod replay;
pub mod shooting;
pub mod solution;
pub mod transcription;

pub use builder::{BuilderError, EndBuilder, PlanBuilder};
pub use guess::Guess;
pub use multistart::solve;
pub use plan::Plan;
pub use planner::{Options, PlanError, Progress};
pub use solution::PlanSolution;
