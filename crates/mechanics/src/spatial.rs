//! Spatial vectors: twists and wrenches at centres of mass in world axes, and their change of reference point.
//!
//! ```text
//! twist (v, ω)        wrench (f, τ)        X t = (v + ω × r, ω)        Xᵀ f = (f, τ + r × f)        A = diag(m 1, R J Rᵀ)
//! ```

use crate::rotation::{Mat3, hat};
use nalgebra::{Matrix6, Vector6};
use percussion_geometry::Vec3;

/// A twist `(v, ω)` or a wrench `(force, torque)`.
pub type Vec6 = Vector6<f64>;
/// A map from twists to wrenches, or columns of twists.
pub type Mat6 = Matrix6<f64>;

/// Stacks two vectors.
pub fn twist(linear: &Vec3, angular: &Vec3) -> Vec6 {
    Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// The first three components: velocity or force.
pub fn linear(t: &Vec6) -> Vec3 {
    Vec3::new(t[0], t[1], t[2])
}

/// The last three: angular velocity or torque.
pub fn angular(t: &Vec6) -> Vec3 {
    Vec3::new(t[3], t[4], t[5])
}

/// `X t`: the twist at a point `reach` away.
pub fn shift_twist(t: &Vec6, reach: &Vec3) -> Vec6 {
    twist(&(linear(t) + angular(t).cross(reach)), &angular(t))
}

/// `Xᵀ f`: the wrench taken at the parent's centre of mass.
pub fn shift_wrench(f: &Vec6, reach: &Vec3) -> Vec6 {
    twist(&linear(f), &(angular(f) + reach.cross(&linear(f))))
}

/// `X0ᵀ M X1`.
pub fn shift_block(m: &Mat6, reach0: &Vec3, reach1: &Vec3) -> Mat6 {
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
pub fn spatial_inertia(mass: f64, moments: &Vec3, rotation: &Mat3) -> Mat6 {
    let mut block = Mat6::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
    let turning = rotation * Mat3::from_diagonal(moments) * rotation.transpose();
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&turning);
    block
}
