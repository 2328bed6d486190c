//! Frictional contact on Coulomb's cone: impulses of contacts between blocks of degrees of freedom.
//!
//! ```text
//! v = v₀ + D x             velocities (or displacements) of all degrees of freedom; D = K⁻¹ W, x the impulses
//! y = b + G v              per contact: normal and two tangential components
//! 0 ≤ x_n  ⊥  y_n ≥ 0                           normal law
//! x_t = argmin over |x_t| ≤ μ x_n of x_t·y_t    Coulomb's law: sticks, or slides against its impulse
//! ```
//!
//! A drive ([`ContactLaw::Bounded`]: a motor with a largest torque, friction in a joint, a servo) has one direction and an impulse of
//! either sign within its bound. Where normal impulses are given, friction has a disc of given radius ([`ContactLaw::Tresca`]).
//!
//! `A = G D` need not be symmetric: constraints may be evaluated at another configuration than the impulses act at, and a contact may
//! slide in a direction that is given ([`ContactLaw::Sliding`]).
//!
//! ```text
//! ContactSystem       rows G, columns D, laws                                   system.rs
//! ContactResidual     violation of each law                                     residual.rs
//! ContactSolver       repeat until the residual is rounding, or the budget is spent:        solver.rs
//!   newton              nonsmooth Newton steps on the projections [Alart, Curnier 1991]     newton.rs
//!     velocity_step       their linear systems for many contacts: sparse elimination        velocity_step.rs
//!   sweep               projected Gauss-Seidel [Jourdan, Alart, Jean 1998]                  sweep.rs
//! ```
//!
//! Impulses of redundant contacts are not unique. Normal ones are selected by a regularisation `y_n + ε (x_n - x_n⁰)`. For few contacts
//! the first round has `x⁰ = 0` (a compliance, whose solution is unique and close to the least norm), later rounds start from the last
//! solution, and the violation of `y_n ≥ 0` falls by `ε` in each. For many contacts `x⁰` is the initial iterate, with a larger weight, and
//! then the last solution until the violation without regularisation is below the tolerance: proximal iterations. Tangential impulses are
//! those nearest to the initial iterate. The solver keeps its best iterate and always ends: [`ContactOutcome`] has the residual.

mod newton;
mod residual;
mod solver;
mod sweep;
mod system;
mod velocity_step;

pub use residual::ContactResidual;
pub use solver::{ContactOutcome, ContactSolver, ContactSolverOptions};
pub use system::{ContactLaw, ContactSystem};

/// State of a contact at a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactStatus {
    /// No impulse.
    #[default]
    Open,
    /// A normal impulse, and a tangential one inside of the cone (or no friction).
    Sticking,
    /// The tangential impulse is on the boundary of the cone.
    Sliding,
}

/// `|z|`. Impulses are neither so large nor so small that their squares would not be numbers.
fn length(z: &[f64; 2]) -> f64 {
    (z[0] * z[0] + z[1] * z[1]).sqrt()
}
