//! Optimal control of bodies that touch: manoeuvres that avoid collisions, and manoeuvres that use them.
//!
//! **Knows** what is asked of a manoeuvre ([`plan`]), turns it into a sparse nonlinear program on the same discrete
//! Euler-Lagrange equations as the simulator ([`transcription`]), and reads its solution. **Opens no file** and prints nothing.
//!
//! ```text
//! unknowns   configurations q_k on their manifold, efforts τ_k, time scales σ, momenta and impulses at contacts
//! minimise   Σ σ h w τ² + ...                                  [Johnson 4.27; Leyendecker 5.2]
//! subject to p⁺(q_{k-1}, q_k, τ_{k-1}) = p⁻(q_k, q_{k+1}, τ_k)    at nodes without contact
//!            p⁻ = p⁺ + Dᵀ Λ,  D v = ..., gap = 0                  at planned contacts
//!            s(q_k) ≥ margin for all other pairs and nodes, bounds, boundary states
//! ```
//!
//! Everything is local: an interval touches two nodes, so that all matrices are block tri-diagonal.

mod avoid;
pub mod clearance;
mod consistency;
pub mod guess;
pub mod kinematics;
pub mod manoeuvre;
mod outcome;
pub mod plan;
pub mod planner;
pub mod replay;
pub mod shooting;
mod starts;
mod swing;
pub mod transcription;

pub use guess::Guess;
pub use manoeuvre::PlanSolution;
pub use plan::Plan;
pub use planner::{Options, PlanError, Progress};
pub use starts::plan as find;
