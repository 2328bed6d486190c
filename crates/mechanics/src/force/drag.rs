//! Resistance of a medium to a point of a body, and to its turning.
//!
//! With `w = x' - u` the velocity against the medium and `ω` the angular velocity (that of the directors,
//! [`BodyKinematics::spin`](super::BodyKinematics::spin)):
//!
//! ```text
//! F = -(c1 + c2 |w|) w          torque = -(k1 + k2 |ω|) ω
//! ```
//!
//! No part of it has a potential. In a medium at rest it never adds energy.

use super::parameter::{ParameterError, finite, not_negative};
use super::{Anchor, Bodies, ForceAccumulator, Stiffness};
use crate::rotation::Mat3;
use percussion_geometry::Vec3;

/// A drag; coefficients without effect are zero.
#[derive(Clone, Debug)]
pub struct Drag {
    /// The point of the force; the torque acts on its body.
    pub anchor: Anchor,
    /// `c1`, N s/m.
    pub linear: f64,
    /// `c2`, N s²/m².
    pub quadratic: f64,
    /// `k1`, N m s.
    pub angular: f64,
    /// `k2`, N m s².
    pub angular_quadratic: f64,
    /// `u`: velocity of the medium, m/s.
    pub medium: Vec3,
}

/// `-(linear + quadratic |w|) w`.
fn resistance(linear: f64, quadratic: f64, w: &Vec3) -> Vec3 {
    -w * (linear + quadratic * w.norm())
}

/// Its derivative; continuous at rest, where the direction of `w` drops out.
fn slope(linear: f64, quadratic: f64, w: &Vec3) -> Mat3 {
    let speed = w.norm();
    let along = if speed > 0.0 { w * (w / speed).transpose() } else { Mat3::zeros() };
    -(Mat3::identity() * (linear + quadratic * speed) + along * quadratic)
}

impl Drag {
    /// No drag yet, at a point.
    pub fn at(anchor: Anchor) -> Self {
        let medium = Vec3::zeros();
        Self { anchor, linear: 0.0, quadratic: 0.0, angular: 0.0, angular_quadratic: 0.0, medium }
    }

    /// Whether it resists turning, which only a body with an orientation does.
    pub(super) fn turns(&self) -> bool {
        self.angular != 0.0 || self.angular_quadratic != 0.0
    }

    fn force(&self, bodies: &Bodies) -> Vec3 {
        resistance(self.linear, self.quadratic, &(self.anchor.velocity(bodies) - self.medium))
    }

    pub(super) fn add_forces(&self, bodies: &Bodies, accumulators: &mut [ForceAccumulator]) {
        let Some((i, body)) = self.anchor.kinematics(bodies) else { return };
        self.anchor.apply_force(bodies, &self.force(bodies), accumulators);
        if self.turns() {
            accumulators[i].torque += resistance(self.angular, self.angular_quadratic, &body.spin());
        }
    }

    pub(super) fn stiffness(&self, bodies: &Bodies, list: &mut Vec<Stiffness>) {
        let (Some(slot), Some((_, seen))) = (self.anchor.body, self.anchor.kinematics(bodies)) else {
            return;
        };
        let w = self.anchor.velocity(bodies) - self.medium;
        list.push(Stiffness::Points {
            a: self.anchor,
            b: Anchor { body: None, arm: Vec3::zeros() },
            by_position: Mat3::zeros(),
            by_velocity: slope(self.linear, self.quadratic, &w),
        });
        if self.turns() {
            let by_spin = slope(self.angular, self.angular_quadratic, &seen.spin());
            let (frame, frame_rate) = (seen.frame, seen.frame_rate);
            list.push(Stiffness::Spinning { body: slot, by_spin, frame, frame_rate });
        }
    }

    pub(super) fn power(&self, bodies: &Bodies) -> f64 {
        let Some((_, body)) = self.anchor.kinematics(bodies) else { return 0.0 };
        let spin = body.spin();
        let turning = resistance(self.angular, self.angular_quadratic, &spin).dot(&spin);
        self.force(bodies).dot(&self.anchor.velocity(bodies)) + turning
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        finite("a coordinate of its point", &self.anchor.arm)?;
        finite("a component of the medium's velocity", &self.medium)?;
        not_negative("linear drag", self.linear)?;
        not_negative("quadratic drag", self.quadratic)?;
        not_negative("angular drag", self.angular)?;
        not_negative("quadratic angular drag", self.angular_quadratic)
    }
}
