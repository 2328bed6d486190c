//! Linear systems on a kinematic tree, solved in one sweep up and one sweep down.
//!
//! The derivative of the reduced discrete equations is `J = P0ᵀ A P1`: null-space columns `P0` where the equations are
//! written (the beginning of a step), `P1` where displacements happen (its end), and `A` a 6 by 6 block for each
//! body. Neither is formed. Displacements run down the tree and wrenches run up:
//!
//! ```text
//! t_b = X1 t_parent + S1 u_b          f_b = A_b t_b + Σ_children X0ᵀ f_c          (J u)_b = S0ᵀ f_b + k_b u_b
//! ```
//!
//! Eliminating from the leaves gives articulated blocks, as in Featherstone's recursion, here without symmetry:
//!
//! ```text
//! U = Â S1   Vᵀ = S0ᵀ Â   D = S0ᵀ U + k      Â_parent += X0ᵀ (Â - U D⁻¹ Vᵀ) X1
//! ```
//!
//! With `P0 = P1` and `A` the bodies' inertia, `J` is the reduced mass matrix: the same sweeps turn momenta into rates.
//! Twists and wrenches are taken at centres of mass in world axes, so `X` is a mere change of reference point.

mod link;
mod system;

pub use link::{Closure, Link};
pub use system::{Node, Singular, System};
