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
//!
//! A module depends only on modules above it in this list:
//!
//! ```text
//! tolerances     every tolerance with its unit and reason
//! islands        islands of bodies
//! interpolation  configurations between two others
//! plan           the optimal control problem as data
//! solution       the result of a search
//! clearance      gaps at nodes and between them
//! transcription  variables, constraints and objective of the nonlinear program, with derivatives
//! guess          initial paths
//! consistency    momentum changes by external impulses only
//! search         options, and what is kept from round to round
//! pairs          pairs of parts that are separated
//! extraction     the solution at the last iterate
//! planner        the rounds of a search
//! multistart     searches from several initial paths
//! replay         the control inputs of a solution as forces of a simulation
//! shooting       initial conditions of simulations that satisfy end conditions
//! builder        plans in code
//! ```

mod builder;
pub mod clearance;
mod consistency;
mod extraction;
pub mod guess;
mod interpolation;
mod islands;
mod multistart;
mod pairs;
pub mod plan;
pub mod planner;
pub mod replay;
mod search;
pub mod shooting;
pub mod solution;
mod tolerances;
pub mod transcription;

pub use builder::{BuilderError, EndBuilder, PlanBuilder};
pub use guess::Guess;
pub use multistart::solve;
pub use plan::Plan;
pub use planner::{PlanError, Progress};
pub use search::Options;
pub use solution::PlanSolution;
