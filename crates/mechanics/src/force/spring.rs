//! A linear spring and damper between two material points.
//!
//! With `x` from `b` to `a`, `l = |x|`, `e = x/l`: `V = k/2 (l - l0)²`, damping force `-c (e·x') e` on `a`. A spring of
//! rest length zero is smooth everywhere; any other has no direction where its points meet.

use super::parameter::{ParameterError, finite, not_negative};
use super::{Anchor, Bodies, ForceAccumulator, ForceError, Stiffness};
use crate::rotation::Mat3;
use crate::tolerances::SPRING_LENGTH_MIN;
use percussion_geometry::Vec3;

/// A spring and damper.
#[derive(Clone, Debug)]
pub struct Spring {
    /// One end.
    pub a: Anchor,
    /// The other end.
    pub b: Anchor,
    /// Stiffness `k`, N/m.
    pub stiffness: f64,
    /// Length without force `l0`, m.
    pub rest_length: f64,
    /// Damping `c`, N s/m.
    pub damping: f64,
}

impl Spring {
    /// Difference of the points, of their velocities, and length.
    fn reach(&self, name: &str, bodies: &Bodies) -> Result<(Vec3, Vec3, f64), ForceError> {
        let x = self.a.point(bodies) - self.b.point(bodies);
        let v = self.a.velocity(bodies) - self.b.velocity(bodies);
        let l = x.norm();
        let needs_direction = self.rest_length > 0.0 || self.damping > 0.0;
        if needs_direction && !(l > SPRING_LENGTH_MIN * self.rest_length) {
            return Err(ForceError::Singular { force: name.to_owned(), distance: l });
        }
        Ok((x, v, l))
    }

    pub(super) fn pull(
        &self,
        name: &str,
        bodies: &Bodies,
        pulls: &mut [ForceAccumulator],
    ) -> Result<(), ForceError> {
        let (x, v, l) = self.reach(name, bodies)?;
        let mut force = -x * self.stiffness;
        if l > 0.0 {
            let e = x / l;
            force += e * (self.stiffness * self.rest_length - self.damping * e.dot(&v));
        }
        self.a.push(bodies, &force, pulls);
        self.b.push(bodies, &-force, pulls);
        Ok(())
    }

    pub(super) fn stiffness(
        &self,
        name: &str,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        let (x, v, l) = self.reach(name, bodies)?;
        let mut by_position = Mat3::identity() * -self.stiffness;
        let mut by_velocity = Mat3::zeros();
        if l > 0.0 {
            let e = x / l;
            let ee = e * e.transpose();
            let across = (Mat3::identity() - ee) / l;
            let rate = e.dot(&v);
            by_position += across * (self.stiffness * self.rest_length - self.damping * rate)
                - e * (across * v).transpose() * self.damping;
            by_velocity -= ee * self.damping;
        }
        list.push(Stiffness::Points { a: self.a, b: self.b, by_position, by_velocity });
        Ok(())
    }

    pub(super) fn potential(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        let (_, _, l) = self.reach(name, bodies)?;
        Ok(0.5 * self.stiffness * (l - self.rest_length).powi(2))
    }

    /// Power of the damper, W.
    pub(super) fn power(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        let (x, v, l) = self.reach(name, bodies)?;
        Ok(if l > 0.0 { -self.damping * (x.dot(&v) / l).powi(2) } else { 0.0 })
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        for anchor in [&self.a, &self.b] {
            finite("a coordinate of an end", &anchor.arm)?;
        }
        not_negative("stiffness", self.stiffness)?;
        not_negative("rest length", self.rest_length)?;
        not_negative("damping", self.damping)
    }

    pub(super) fn anchors_mut(&mut self) -> [&mut Anchor; 2] {
        [&mut self.a, &mut self.b]
    }
}
