//! The discrete Euler-Lagrange equations over one interval: written once, for simulation and for control.
//!
//! With the midpoint discrete Lagrangian `L_d = Δqᵀ M Δq / 2h - h V((q0+q1)/2)` [Johnson 3.4] and forces taken at the middle
//! [Johnson 4.5], the reduced momenta at the two ends of an interval are [Johnson 3.17, 4.10]
//!
//! ```text
//! p⁻ = P(q0)ᵀ [ M Δq/h - (h/2) F ]        p⁺ = P(q1)ᵀ [ M Δq/h + (h/2) F ]        F = -∇V + forces, at the middle
//! ```
//!
//! For a rigid body with directors `d_I` the bracket, as a form in twists, is the wrench
//!
//! ```text
//! linear   m Δφ/h ∓ (h/2) Σ F           angular   l ∓ (h/2) Σ (R v) × F        l = Σ E_I d0_I × d1_I / h
//! ```
//!
//! where `l` is the same at both ends: that is why free flight keeps angular momentum exactly. With the Rodrigues vector
//! `c` of the step in body axes, `l = 2 (J c + c × J c) / (h (1 + |c|²))`: a polynomial over a norm, no cancellation.
//!
//! An [`Interval`] holds one island over one step: from a start configuration and increments of the joints it gives both
//! momenta, and the derivative of `p⁻` with respect to displacements of the end as a linear system on the tree. A
//! [`Differentiator`] gives all first derivatives of both momenta as dense matrices, for boundary value problems and
//! optimal control: [`Derivatives`] of a [`IntervalInputs`] between two configurations under [`Control`]s.

mod condition_number;
mod control;
mod dense;
mod derivatives;
mod differentiator;
mod directors;
mod displacement;
mod energy;
pub mod free_rotation;
mod independent_rows;
mod instant;
mod interval;
mod island_step;
mod loop_derivatives;
mod loops;
mod newton;
mod parameter_derivatives;
mod reactions;
mod reconstruction;

pub use condition_number::{Equations, condition_number, newton_matrix};
pub use control::{ApplicationFrame, Control, ControlError};
pub use dense::{Dense, Redundant};
pub use derivatives::{Derivatives, IntervalInputs, Momentum};
pub use differentiator::Differentiator;
pub(crate) use displacement::increment_between_frames;
pub use displacement::{difference, displace};
pub use energy::discrete_energy;
pub(crate) use energy::{island_potential, potential};
pub use instant::{Hidden, Instant, hidden_violation};
pub use interval::{Interval, middle};
pub(crate) use island_step::IslandStep;
pub use loops::{End, Loops};
pub use newton::{IslandStateMut, Newton, SolverStats, StepError, StepFailure, TOLERANCES};
pub use reactions::{Reaction, Reactions};
pub use reconstruction::increment_from_displacements;
