//! Bounds on the motion of a body over the rest of a step, for conservative advancement.
//!
//! They bound the angular speed `W`, the accelerations of the centre of mass and of the rotation, and the difference between the
//! rates of the trajectory `q(τ)` and the velocities of its momenta (of second order in `τ`). For a free body under gravity they
//! follow from its constants of motion:
//!
//! ```text
//! Σ J_i (J_i - J_k) ω_i² = L² - 2 T J_k     bounds each |ω_i|, and so W and, by Euler's equations, W'        a = |g|
//! ```
//!
//! For other bodies they are estimated from the velocities at both ends, doubled: valid while a step resolves the forces.

use super::{BOUND_ROUNDING, EQUAL_MOMENTS};
use crate::model::State;
use crate::model::{Island, Model};
use crate::spatial::{Vec6, angular, linear, twist};
use percussion_geometry::Vec3;

/// Bounds on the motion of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MotionBound {
    /// Angular speed, 1/s.
    pub angular_speed: f64,
    /// Known part of the acceleration of the centre of mass, m/s²: gravity, of a free body.
    pub known_acceleration: Vec3,
    /// Rest of the acceleration of the centre of mass, m/s².
    pub acceleration: f64,
    /// Angular acceleration, 1/s².
    pub angular_acceleration: f64,
    /// Difference between the rate of the centre and its velocity at the end of the step, m/s; quadratic in time from the node.
    pub velocity_error: f64,
    /// The same of the angular velocity, 1/s.
    pub angular_velocity_error: f64,
}

impl MotionBound {
    /// Bound on the acceleration of the centre of mass, m/s².
    pub fn total_acceleration(&self) -> f64 {
        self.known_acceleration.norm() + self.acceleration
    }

    /// Of a free body under gravity over a time `tau` from its node.
    pub fn of_free_body(model: &Model, node: &State, island: &Island, tau: f64) -> Self {
        let slot = island.bodies.start;
        let link = &model.links[slot];
        let known_acceleration = model.gravity;
        if link.joint.particle {
            return Self { known_acceleration, ..Self::default() };
        }
        let p = &node.momenta[island.dofs.clone()];
        let momentum = node.rotations[slot].tr_mul(&Vec3::new(p[3], p[4], p[5]));
        let most = max_angular_velocity(&link.inertia, &momentum);
        let angular_speed = most.norm() * BOUND_ROUNDING;
        let j = &link.inertia;
        let rate = |i: usize, k: usize, l: usize| ((j[k] - j[l]) / j[i] * most[k] * most[l]).abs();
        Self {
            angular_speed,
            known_acceleration,
            acceleration: 0.0,
            angular_acceleration: Vec3::new(rate(0, 1, 2), rate(1, 2, 0), rate(2, 0, 1)).norm()
                * BOUND_ROUNDING,
            velocity_error: 0.0,
            // sin θ = τ ω about an axis: the rate of θ is ω/cos θ.
            angular_velocity_error: angular_speed * (angular_speed * tau).powi(2),
        }
    }

    /// Estimate from the twists at the beginning and end of a time `tau`.
    pub fn of_twists(start: &Vec6, end: &Vec6, tau: f64) -> Self {
        let dv = (linear(end) - linear(start)).norm();
        let dw = (angular(end) - angular(start)).norm();
        let angular_speed = angular(start).norm().max(angular(end).norm());
        Self {
            angular_speed: angular_speed + dw,
            known_acceleration: Vec3::zeros(),
            acceleration: 2.0 * dv / tau,
            angular_acceleration: 2.0 * dw / tau,
            velocity_error: 0.25 * dv,
            angular_velocity_error: 0.25 * dw + 0.5 * angular_speed * (angular_speed * tau).powi(2),
        }
    }
}

/// Twist of a free body from its momenta.
pub(super) fn free_twist(model: &Model, state: &State, island: &Island) -> Vec6 {
    let slot = island.bodies.start;
    let (link, p) = (&model.links[slot], &state.momenta[island.dofs.clone()]);
    let velocity = Vec3::new(p[0], p[1], p[2]) / link.mass;
    if link.joint.particle {
        return twist(&velocity, &Vec3::zeros());
    }
    let (rotation, momentum) = (&state.rotations[slot], Vec3::new(p[3], p[4], p[5]));
    twist(&velocity, &(rotation * rotation.tr_mul(&momentum).component_div(&link.inertia)))
}

/// Greatest components of the angular velocity (body axes) of a free body, from its energy and momentum:
/// `Σ J_i (J_i - J_k) ω_i² = L² - 2 T J_k` is free of the component `k`, and bounds the others where all terms have one sign.
fn max_angular_velocity(j: &Vec3, momentum: &Vec3) -> Vec3 {
    let square = momentum.norm_squared();
    let twice = momentum.dot(&momentum.component_div(j));
    Vec3::from_fn(|i, _| {
        let simple = (square / j[i]).min(twice) / j[i];
        let others = [j.min(), j.max()].into_iter().filter(|k| (j[i] - k).abs() > EQUAL_MOMENTS * j[i]);
        let bound = others.map(|k| {
            let difference = (square - twice * k).abs() + EQUAL_MOMENTS * (square + twice * k);
            difference / (j[i] * (j[i] - k).abs())
        });
        bound.fold(simple, f64::min).max(0.0).sqrt()
    })
}
