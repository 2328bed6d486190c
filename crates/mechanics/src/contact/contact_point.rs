//! Separation of two parts with contact points and gradients.

use crate::spatial::{Vec6, twist};
use percussion_geometry::Vec3;
use percussion_geometry::separation::{Outcome, PlanarWarmStart, Separation, WarmStart};

/// Warm start of the queries of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairWarmStart {
    /// In space.
    pub(crate) space: WarmStart,
    /// In the plane.
    pub(crate) plane: PlanarWarmStart,
}

/// Separation of two parts with its derivative; all vectors in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The LP value `s`, m: positive apart, negative overlapping. If not `solved`, a lower bound.
    pub separation: f64,
    /// Optimal direction from `b` to `a`, `<α, β> = 1`.
    pub alpha: Vec3,
    /// Unit direction along which `s` is measured.
    pub beta: Vec3,
    /// Contact point on `a`; `point_a - point_b = s β`.
    pub point_a: Vec3,
    /// Contact point on `b`.
    pub point_b: Vec3,
    /// Reference point of `a`.
    pub reference_a: Vec3,
    /// Reference point of `b`.
    pub reference_b: Vec3,
    /// Distance of the reference points along β; zero where β does not follow them.
    pub reference_distance: f64,
    /// Whether every field holds the optimum (otherwise the parts are farther apart than the query range).
    pub solved: bool,
}

impl ContactPoint {
    /// A separation in space; against a half-space, or along a prescribed direction, β does not move.
    pub(super) fn in_space(answer: &Separation, reference: (Vec3, Vec3), unbounded: bool) -> Self {
        let held = unbounded || answer.prescribed;
        Self {
            separation: answer.separation,
            alpha: answer.alpha,
            beta: answer.beta,
            point_a: answer.point_a,
            point_b: answer.point_b,
            reference_a: reference.0,
            reference_b: reference.1,
            reference_distance: if held { 0.0 } else { answer.reference_distance },
            solved: answer.outcome == Outcome::Solved,
        }
    }

    /// Unit normal from `b` to `a`.
    pub fn normal(&self) -> Vec3 {
        self.alpha / self.alpha.norm()
    }

    /// Distance between the two supporting planes, m: a lower bound of the distance when positive.
    pub fn gap(&self) -> f64 {
        if self.solved { self.separation / self.alpha.norm() } else { self.separation }
    }

    /// The middle of the two contact points.
    pub fn point(&self) -> Vec3 {
        (self.point_a + self.point_b) * 0.5
    }

    /// Part of `ds/dc1` that comes from β: `-(s/D)(I - ββᵀ)α`, acting at the reference points.
    pub fn beta_gradient(&self) -> Vec3 {
        if !(self.reference_distance > 0.0) {
            return Vec3::zeros();
        }
        (self.alpha - self.beta * self.beta.dot(&self.alpha)) * -(self.separation / self.reference_distance)
    }

    /// `∇s` as a wrench on body `a` about its centre of mass: `ds = f·v + τ·ω`.
    pub fn wrench_a(&self, centre: &Vec3) -> Vec6 {
        Self::wrench(
            &self.alpha,
            &(self.point_a - centre),
            &self.beta_gradient(),
            &(self.reference_a - centre),
        )
    }

    /// `∇s` as a wrench on body `b` about its centre of mass.
    pub fn wrench_b(&self, centre: &Vec3) -> Vec6 {
        -Self::wrench(
            &self.alpha,
            &(self.point_b - centre),
            &self.beta_gradient(),
            &(self.reference_b - centre),
        )
    }

    fn wrench(alpha: &Vec3, arm: &Vec3, beta: &Vec3, reference: &Vec3) -> Vec6 {
        twist(&(alpha + beta), &(arm.cross(alpha) + reference.cross(beta)))
    }
}
