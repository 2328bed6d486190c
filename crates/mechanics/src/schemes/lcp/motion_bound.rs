//! Bounds on the speed of the points of a part over a step.

use crate::contact::Part;
use crate::prescribed_motion::Twist;
use crate::spatial::{Vec6, angular, linear};
use percussion_geometry::Vec3;

/// A bound on the speed of the points of a part: `|v| <= |velocity| + swing`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MotionBound {
    /// Velocity of its body's centre of mass, m/s.
    velocity: Vec3,
    /// Speed that rotation adds at the farthest point, m/s.
    pub swing: f64,
    /// Largest speed of a point, m/s.
    pub max_speed: f64,
    /// Angular speed, rad/s; zero for driven bodies.
    pub angular_speed: f64,
    /// Angular speed of a driven body, rad/s.
    driven_speed: f64,
}

impl MotionBound {
    /// Of a body with this twist whose points are at most `extent` from its centre of mass.
    pub fn of_body(twist: &Vec6, extent: f64) -> Self {
        let angular_speed = angular(twist).norm();
        let (velocity, swing) = (linear(twist), angular_speed * extent);
        Self { velocity, swing, max_speed: velocity.norm() + swing, angular_speed, driven_speed: 0.0 }
    }

    /// Of a part of a driven body; of an unbounded part, the points near the axis of rotation.
    pub fn of_driven(twist: &Twist, part: &Part) -> Self {
        let extent = if part.reach.is_finite() { part.reach + twist.point.norm() } else { 0.0 };
        let swing = twist.angular.norm() * extent;
        let max_speed = twist.linear.norm() + swing;
        let driven_speed = twist.angular.norm();
        Self { velocity: twist.linear, swing, max_speed, angular_speed: 0.0, driven_speed }
    }

    /// Largest speed of the points of two parts towards each other while both move as bounded, m/s.
    pub fn relative_speed(&self, other: &Self) -> f64 {
        (self.velocity - other.velocity).norm() + self.swing + other.swing
    }

    /// Angular speed, of driven bodies too, as far as it moves points, rad/s.
    pub fn turning_speed(&self) -> f64 {
        self.angular_speed + self.driven_speed
    }

    /// Largest approach speed of two parts, m/s: both in motion, or one of them stopped by impulses.
    pub fn approach_speed(&self, other: &Self) -> f64 {
        let both = (self.velocity - other.velocity).norm() + self.swing + other.swing;
        both.max(self.max_speed).max(other.max_speed)
    }
}
