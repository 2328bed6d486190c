//! Persistent contact: closed contacts as unilateral constraints of the discrete Euler-Lagrange equations, with Coulomb friction.
//!
//! A contact that stays closed over an interval is a holonomic constraint whose multiplier does not pull. Its impulses act at both ends
//! of the interval, at the configuration there: `Λ⁺` at its beginning closes the gap at its end, `Λ⁻` at its end removes the normal
//! velocity there. Stick, slip and detachment inside of the interval need not be located: the scheme is of second order across them.
//!
//! ```text
//! at the start       p⁻(q0, q1) = p0 + P0ᵀ Σ (n0 Λ⁺_n + T0 Λ⁺_t)                       interval.rs
//!                    0 ≤ Λ⁺_n ⊥ g(q1) ≥ 0
//!                    s = T_mᵀ (displacement of the contact point on a, less that on b)   slip over the interval
//!                    Λ⁺_t opposed to s, |Λ⁺_t| ≤ μ Λ⁺_n; zero slip inside of the cone
//! at the end         p1 = p⁺(q0, q1) + P1ᵀ Σ (n1 Λ⁻_n + T1 Λ⁻_t)        g(q1) = 0     end.rs
//!                    0 ≤ Λ⁻_n ⊥ normal velocity ≥ 0
//!                    stuck: no tangential velocity, within the cone; slid: Λ⁻_t = -μ Λ⁻_n s/|s|
//! ```
//!
//! The displacement of a contact point takes the mean of its arms at both ends (for a point of the material this is its displacement
//! exactly), `T_m` belongs to the mean normal, and tangents are carried from one end to the other by the smallest rotation. The force
//! of a contact at a node between two intervals is the mean of both impulses there.
//!
//! Stops, motors, servos and friction of joints are rows of the same problems (`joint_rows.rs`).
//!
//! Groups of free bodies with many contacts first try the impulses that they have: those of a pile at rest solve the next interval, too
//! (confirm.rs).
//!
//! Newton's method on the end configuration solves in every iteration the linearised contact problem
//! ([`percussion_solve::contact`]), whose regularisation determines how redundant contacts share a load.

mod confirm;
mod contact;
mod end;
mod interval;
mod joint_rows;
mod rounding;
mod warm_start;

use crate::tolerances::closed_contact::{
    GAP_CHANGE_ROUNDING, GAP_DECAY, GAP_ROUNDING, REGULARISATION, REGULARISATION_END, REST, SLIP_ROUNDING,
    UNSOLVED_DECREMENT,
};
pub(crate) use contact::ClosedContact;
pub(crate) use interval::{ClosedContactStep, ContactLimits, IntervalOutcome};
pub(crate) use joint_rows::{JointRow, STOPS_OF_JOINT, angle_length, has_joint_rows, stop_impact};
pub(crate) use warm_start::ClosedContactWarmStart;

/// Iterations of Newton's method; convergence is quadratic but for terms of the rotation in an interval.
const MAX_ITERATIONS: usize = 40;
/// Changes from sliding to the cone at the end of the interval before the directions are accepted.
const MAX_REVERSALS: usize = 8;
/// Further budgets of the solver for the end of the interval; the start has those of Newton's method.
const MAX_REPETITIONS: usize = 3;
