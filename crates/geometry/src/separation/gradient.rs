//! Derivatives of the separation [Johnson 2.67, 3.45-3.50].
//!
//! ```text
//! ds/dx_i = π_i α            vertices of body a, β held
//! ds/dy_j = -π_j α           vertices of body b, β held
//! ds/dβ   = -s α             the direction itself
//! ds/dc1  = α - (s/D)(I - ββᵀ)α     translation of a; β follows the reference points
//! ds/dθ1  = (p1 - c1) × α           rotation of a about its reference point c1
//! ```
//!
//! and the opposite signs for body b. At `s = 0`, for a prescribed β or against a half-space the β term vanishes.
//! Where the answer is degenerate these are one element of the Clarke subdifferential.

use super::answer::Separation;
use super::planar::PlanarSeparation;
use crate::{Vec2, Vec3};

/// Whether β is taken to follow the reference points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BetaTerm {
    /// β turns with the line of the reference points: the full derivative of `s`.
    Follow,
    /// β is held: the local part only, which acts on the active vertices alone [Johnson 2.7.4].
    Hold,
}

/// Derivative of `s` with respect to the motion of both bodies: translations and rotations (world axes, about
/// the reference points).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionGradient {
    /// `ds/dc1`.
    pub translation_a: Vec3,
    /// `ds/dθ1`.
    pub rotation_a: Vec3,
    /// `ds/dc2`.
    pub translation_b: Vec3,
    /// `ds/dθ2`.
    pub rotation_b: Vec3,
}

impl MotionGradient {
    /// The four blocks in order: `c1, θ1, c2, θ2`.
    pub fn columns(&self) -> [f64; 12] {
        let mut out = [0.0; 12];
        for (k, block) in
            [self.translation_a, self.rotation_a, self.translation_b, self.rotation_b].iter().enumerate()
        {
            out[3 * k..3 * k + 3].copy_from_slice(block.as_slice());
        }
        out
    }
}

/// As [`MotionGradient`], in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarMotionGradient {
    /// `ds/dc1`.
    pub translation_a: Vec2,
    /// `ds/dθ1`.
    pub rotation_a: f64,
    /// `ds/dc2`.
    pub translation_b: Vec2,
    /// `ds/dθ2`.
    pub rotation_b: f64,
}

/// Part of `ds/dc1` that comes from β: `-(s/D)(I - ββᵀ)α`; zero where β does not follow.
pub(crate) fn beta_part(alpha: &Vec3, beta: &Vec3, s: f64, distance: f64, follows: bool) -> Vec3 {
    if !follows || !(distance > 0.0) {
        return Vec3::zeros();
    }
    -(s / distance) * (alpha - beta * beta.dot(alpha))
}

/// The motion gradient of a direction `alpha` and contact points, for answers and for contact events alike.
pub(crate) fn motion(
    alpha: &Vec3,
    point_a: &Vec3,
    point_b: &Vec3,
    reference_a: &Vec3,
    reference_b: &Vec3,
    beta_part: &Vec3,
) -> MotionGradient {
    MotionGradient {
        translation_a: alpha + beta_part,
        rotation_a: (point_a - reference_a).cross(alpha),
        translation_b: -alpha - beta_part,
        rotation_b: -(point_b - reference_b).cross(alpha),
    }
}

impl Separation {
    /// `ds/dβ = -s α`, for a prescribed direction: how the separation changes as β (a unit vector) is turned.
    pub fn beta_gradient(&self) -> Vec3 {
        -self.separation * self.alpha
    }

    /// The part of `ds/dc1` that comes from β following the reference points; `ds/dc2` has the opposite one.
    /// For finite elements, whose reference point is the mean of `n` vertices, each vertex gets an `n`-th of it.
    pub fn reference_gradient(&self) -> Vec3 {
        beta_part(&self.alpha, &self.beta, self.separation, self.reference_distance, !self.prescribed)
    }

    /// `ds/dx_i` of body a's active vertices, β held; all others are zero.
    pub fn vertex_gradients_a(&self) -> impl Iterator<Item = (u32, Vec3)> {
        let alpha = self.alpha;
        self.weights_a().map(move |(index, weight)| (index, weight * alpha))
    }

    /// `ds/dy_j` of body b's active vertices, β held; all others are zero.
    pub fn vertex_gradients_b(&self) -> impl Iterator<Item = (u32, Vec3)> {
        let alpha = self.alpha;
        self.weights_b().map(move |(index, weight)| (index, -weight * alpha))
    }

    /// Derivative with respect to rigid motions of both bodies about their reference points (world positions).
    pub fn motion_gradient(&self, reference_a: &Vec3, reference_b: &Vec3, beta: BetaTerm) -> MotionGradient {
        let part = match beta {
            BetaTerm::Follow => self.reference_gradient(),
            BetaTerm::Hold => Vec3::zeros(),
        };
        motion(&self.alpha, &self.point_a, &self.point_b, reference_a, reference_b, &part)
    }
}

impl PlanarSeparation {
    /// `ds/dβ = -s α`, for a prescribed direction.
    pub fn beta_gradient(&self) -> Vec2 {
        -self.separation * self.alpha
    }

    /// The part of `ds/dc1` that comes from β following the reference points.
    pub fn reference_gradient(&self) -> Vec2 {
        if self.prescribed || !(self.reference_distance > 0.0) {
            return Vec2::zeros();
        }
        let sideways = self.alpha - self.beta * self.beta.dot(&self.alpha);
        -(self.separation / self.reference_distance) * sideways
    }

    /// `ds/dx_i` of body a's active vertices, β held.
    pub fn vertex_gradients_a(&self) -> impl Iterator<Item = (u32, Vec2)> {
        let alpha = self.alpha;
        self.weights_a().map(move |(index, weight)| (index, weight * alpha))
    }

    /// `ds/dy_j` of body b's active vertices, β held.
    pub fn vertex_gradients_b(&self) -> impl Iterator<Item = (u32, Vec2)> {
        let alpha = self.alpha;
        self.weights_b().map(move |(index, weight)| (index, -weight * alpha))
    }

    /// Derivative with respect to rigid motions of both bodies about their reference points (world positions).
    pub fn motion_gradient(
        &self,
        reference_a: &Vec2,
        reference_b: &Vec2,
        beta: BetaTerm,
    ) -> PlanarMotionGradient {
        let part = match beta {
            BetaTerm::Follow => self.reference_gradient(),
            BetaTerm::Hold => Vec2::zeros(),
        };
        PlanarMotionGradient {
            translation_a: self.alpha + part,
            rotation_a: (self.point_a - reference_a).perp(&self.alpha),
            translation_b: -self.alpha - part,
            rotation_b: -(self.point_b - reference_b).perp(&self.alpha),
        }
    }
}
