//! A contact with its degeneracy resolved.

use crate::separation::answer::SeparationIn;
use crate::separation::gradient::{BetaTerm, CrossProduct, MotionGradientOf, SeparationDifferential};
use crate::shapes::Feature;
use nalgebra::SVector;

/// A contact in `D` dimensions with its degeneracy resolved; all vectors in the world frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedIn<const D: usize> {
    /// The LP value `s`, as in the answer.
    pub separation: f64,
    /// Distance `D` of the reference points along β, as in the answer.
    pub reference_distance: f64,
    /// Unit direction along which `separation` is measured, from b to a, as in the answer.
    pub beta: SVector<f64, D>,
    /// Whether β was prescribed.
    pub prescribed: bool,
    /// The shortest optimal direction, `<alpha, beta> = 1`.
    pub alpha: SVector<f64, D>,
    /// The shortest optimal weights of body a's vertices: positive, sum one, indices ascending. Empty for a
    /// body without vertices.
    pub weights_a: Vec<(u32, f64)>,
    /// Likewise for body b.
    pub weights_b: Vec<(u32, f64)>,
    /// Contact point of body a that these weights make; `point_a - point_b = separation beta`.
    pub point_a: SVector<f64, D>,
    /// Contact point of body b.
    pub point_b: SVector<f64, D>,
    /// On each body the feature of least dimension that holds every vertex that can carry weight.
    pub features: (Feature, Feature),
    /// The weights are one choice of many: the primal LP is degenerate (face on face, in the plane edge on edge).
    pub several_duals: bool,
    /// The direction is one choice of many: the dual LP is degenerate (corner on corner).
    pub several_alphas: bool,
}

/// A contact in space with its degeneracy resolved.
pub type Resolved = ResolvedIn<3>;
/// A contact in the plane with its degeneracy resolved.
pub type PlanarResolved = ResolvedIn<2>;

impl<const D: usize> ResolvedIn<D> {
    /// A contact with one answer, its weights and features.
    pub(super) fn unchanged(
        answer: &SeparationIn<D>,
        weights_a: Vec<(u32, f64)>,
        weights_b: Vec<(u32, f64)>,
        features: (Feature, Feature),
    ) -> Self {
        let &SeparationIn {
            separation, alpha, point_a, point_b, beta, reference_distance, prescribed, ..
        } = answer;
        let (several_duals, several_alphas) = (false, false);
        Self {
            separation,
            alpha,
            point_a,
            point_b,
            beta,
            reference_distance,
            prescribed,
            weights_a,
            weights_b,
            features,
            several_duals,
            several_alphas,
        }
    }

    /// Unit normal from body b to body a.
    pub fn normal(&self) -> SVector<f64, D> {
        self.alpha / self.alpha.norm()
    }

    /// Distance between the two supporting planes, `s/|alpha|`: the largest of all optimal planes.
    pub fn gap(&self) -> f64 {
        self.separation / self.alpha.norm()
    }

    fn differential(&self) -> SeparationDifferential<D> {
        let &Self { separation, alpha, point_a, point_b, beta, reference_distance, prescribed, .. } = self;
        SeparationDifferential { separation, alpha, point_a, point_b, beta, reference_distance, prescribed }
    }

    /// `ds/dβ = -s α`, for a prescribed direction.
    pub fn beta_gradient(&self) -> SVector<f64, D> {
        self.alpha * -self.separation
    }

    /// The part of `ds/dc1` that comes from β following the reference points; `ds/dc2` has the opposite one.
    pub fn reference_gradient(&self) -> SVector<f64, D> {
        self.differential().beta_term()
    }

    /// `ds/dx_i` of body a's active vertices, β held: an element of the subdifferential.
    pub fn vertex_gradients_a(&self) -> impl Iterator<Item = (u32, SVector<f64, D>)> {
        self.weights_a.iter().map(|&(index, weight)| (index, self.alpha * weight))
    }

    /// `ds/dy_j` of body b's active vertices, β held: an element of the subdifferential.
    pub fn vertex_gradients_b(&self) -> impl Iterator<Item = (u32, SVector<f64, D>)> {
        self.weights_b.iter().map(|&(index, weight)| (index, self.alpha * -weight))
    }

    /// Derivative with respect to rigid motions of both bodies about their reference points (world
    /// positions): an element of the subdifferential.
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
