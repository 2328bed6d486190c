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

mod system;

pub use system::{Node, Singular, System};

use crate::joint::motion::{Mat6, Vec6, angular, linear, twist};
use crate::rotation::{Mat3, hat};
use percussion_geometry::Vec3;

/// `X t`: the twist at a point `reach` away.
pub fn carried(t: &Vec6, reach: &Vec3) -> Vec6 {
    twist(&(linear(t) + angular(t).cross(reach)), &angular(t))
}

/// `Xᵀ f`: the wrench taken at the parent's centre of mass.
pub fn returned(f: &Vec6, reach: &Vec3) -> Vec6 {
    twist(&linear(f), &(angular(f) + reach.cross(&linear(f))))
}

/// `X0ᵀ M X1`.
fn moved(m: &Mat6, reach0: &Vec3, reach1: &Vec3) -> Mat6 {
    let mut out = *m;
    // M X1: the angular columns see the linear ones through -r1 ×.
    let left = out.fixed_view::<6, 3>(0, 0).into_owned();
    let mut right = out.fixed_view_mut::<6, 3>(0, 3);
    right -= left * hat(reach1);
    // X0ᵀ (...): the angular rows see the linear ones through r0 ×.
    let top = out.fixed_view::<3, 6>(0, 0).into_owned();
    let mut bottom = out.fixed_view_mut::<3, 6>(3, 0);
    bottom += hat(reach0) * top;
    out
}

/// The inertia of a body about its centre of mass in world axes.
pub fn inertia_block(mass: f64, moments: &Vec3, rotation: &Mat3) -> Mat6 {
    let mut block = Mat6::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
    let turning = rotation * Mat3::from_diagonal(moments) * rotation.transpose();
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&turning);
    block
}
