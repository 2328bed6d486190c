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

use super::answer::SeparationIn;
use crate::{Vec2, Vec3};
use nalgebra::SVector;
use std::fmt::Debug;

/// Whether β is taken to follow the reference points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BetaTerm {
    /// β turns with the line of the reference points: the full derivative of `s`.
    Follow,
    /// β is held: the local part only, which acts on the active vertices alone [Johnson 2.7.4].
    Hold,
}

/// Vectors with a cross product: a vector in space, a number in the plane, as rotations and moments are.
pub trait CrossProduct: Copy + Debug + PartialEq + sealed::Sealed {
    /// A rotation vector or moment; in the plane an angle or its moment.
    type Product: Copy + Debug + PartialEq;

    /// `arm × force`.
    fn moment(arm: &Self, force: &Self) -> Self::Product;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::Vec2 {}
    impl Sealed for crate::Vec3 {}
}

impl CrossProduct for Vec3 {
    type Product = Vec3;

    fn moment(arm: &Vec3, force: &Vec3) -> Vec3 {
        arm.cross(force)
    }
}

impl CrossProduct for Vec2 {
    type Product = f64;

    fn moment(arm: &Vec2, force: &Vec2) -> f64 {
        arm.perp(force)
    }
}

/// Derivative of `s` with respect to the motion of both bodies: translations and rotations (world axes, about
/// the reference points).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionGradientOf<V: CrossProduct> {
    /// `ds/dc1`.
    pub translation_a: V,
    /// `ds/dθ1`.
    pub rotation_a: V::Product,
    /// `ds/dc2`.
    pub translation_b: V,
    /// `ds/dθ2`.
    pub rotation_b: V::Product,
}

/// Derivative with respect to motions in space.
pub type MotionGradient = MotionGradientOf<Vec3>;
/// Derivative with respect to motions in the plane.
pub type PlanarMotionGradient = MotionGradientOf<Vec2>;

impl MotionGradient {
    /// The four blocks in order: `c1, θ1, c2, θ2`.
    pub fn columns(&self) -> [f64; 12] {
        (*self).into()
    }
}

impl From<MotionGradient> for [f64; 12] {
    /// The columns `c1, θ1, c2, θ2`.
    fn from(g: MotionGradient) -> Self {
        let blocks = [g.translation_a, g.rotation_a, g.translation_b, g.rotation_b];
        std::array::from_fn(|k| blocks[k / 3][k % 3])
    }
}

impl From<[f64; 12]> for MotionGradient {
    /// From the columns `c1, θ1, c2, θ2`.
    fn from(g: [f64; 12]) -> Self {
        let block = |k: usize| Vec3::new(g[k], g[k + 1], g[k + 2]);
        Self { translation_a: block(0), rotation_a: block(3), translation_b: block(6), rotation_b: block(9) }
    }
}

impl From<[f64; 6]> for PlanarMotionGradient {
    /// From the columns `c1, θ1, c2, θ2`.
    fn from([ax, ay, rotation_a, bx, by, rotation_b]: [f64; 6]) -> Self {
        Self { translation_a: Vec2::new(ax, ay), rotation_a, translation_b: Vec2::new(bx, by), rotation_b }
    }
}

impl From<PlanarMotionGradient> for [f64; 6] {
    /// The columns `c1, θ1, c2, θ2`.
    fn from(g: PlanarMotionGradient) -> Self {
        let (a, b) = (g.translation_a, g.translation_b);
        [a.x, a.y, g.rotation_a, b.x, b.y, g.rotation_b]
    }
}

/// What the derivative of a separation with respect to the motion of both bodies depends on: of an answer, of one optimal
/// direction and contact point among many, of a contact event.
#[derive(Clone, Copy)]
pub(crate) struct SeparationDifferential<const D: usize> {
    pub separation: f64,
    pub alpha: SVector<f64, D>,
    pub point_a: SVector<f64, D>,
    pub point_b: SVector<f64, D>,
    pub beta: SVector<f64, D>,
    pub reference_distance: f64,
    pub prescribed: bool,
}

impl<const D: usize> SeparationDifferential<D> {
    /// Part of `ds/dc1` that comes from β: `-(s/D)(I - ββᵀ)α`; zero where β does not follow.
    pub fn beta_term(&self) -> SVector<f64, D> {
        if self.prescribed || !(self.reference_distance > 0.0) {
            return SVector::zeros();
        }
        (self.alpha - self.beta * self.beta.dot(&self.alpha)) * -(self.separation / self.reference_distance)
    }
}

impl<const D: usize> SeparationDifferential<D>
where
    SVector<f64, D>: CrossProduct,
{
    /// Derivative with respect to rigid motions about the reference points (world positions).
    pub fn motion(
        &self,
        reference_a: &SVector<f64, D>,
        reference_b: &SVector<f64, D>,
        beta: BetaTerm,
    ) -> MotionGradientOf<SVector<f64, D>> {
        let rate = match beta {
            BetaTerm::Follow => self.alpha + self.beta_term(),
            BetaTerm::Hold => self.alpha,
        };
        MotionGradientOf {
            translation_a: rate,
            rotation_a: CrossProduct::moment(&(self.point_a - reference_a), &self.alpha),
            translation_b: -rate,
            // The moment of -α.
            rotation_b: CrossProduct::moment(&(reference_b - self.point_b), &self.alpha),
        }
    }
}

impl<const D: usize> SeparationIn<D> {
    fn differential(&self) -> SeparationDifferential<D> {
        let &Self { separation, alpha, point_a, point_b, beta, reference_distance, prescribed, .. } = self;
        SeparationDifferential { separation, alpha, point_a, point_b, beta, reference_distance, prescribed }
    }

    /// `ds/dβ = -s α`, for a prescribed direction: how the separation changes as β (a unit vector) is turned.
    pub fn beta_gradient(&self) -> SVector<f64, D> {
        self.alpha * -self.separation
    }

    /// The part of `ds/dc1` that comes from β following the reference points; `ds/dc2` has the opposite one.
    /// For finite elements, whose reference point is the mean of `n` vertices, each vertex gets an `n`-th of it.
    pub fn reference_gradient(&self) -> SVector<f64, D> {
        self.differential().beta_term()
    }

    /// `ds/dx_i` of body a's active vertices, β held; all others are zero.
    pub fn vertex_gradients_a(&self) -> impl Iterator<Item = (u32, SVector<f64, D>)> {
        let alpha = self.alpha;
        self.weights_a().map(move |(index, weight)| (index, alpha * weight))
    }

    /// `ds/dy_j` of body b's active vertices, β held; all others are zero.
    pub fn vertex_gradients_b(&self) -> impl Iterator<Item = (u32, SVector<f64, D>)> {
        let alpha = self.alpha;
        self.weights_b().map(move |(index, weight)| (index, alpha * -weight))
    }

    /// Derivative with respect to rigid motions of both bodies about their reference points (world positions).
    pub fn motion_gradient(
        &self,
        reference_a: &SVector<f64, D>,
        reference_b: &SVector<f64, D>,
        beta: BetaTerm,
    ) -> MotionGradientOf<SVector<f64, D>>
    where
        SVector<f64, D>: CrossProduct,
    {
        self.differential().motion(reference_a, reference_b, beta)
    }
}
