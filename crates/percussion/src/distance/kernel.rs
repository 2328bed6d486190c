//! Queries about a pair of convex parts, in the plane and in space.

use nalgebra::SVector;
use percussion_geometry::PoseIn;
use percussion_geometry::euclid::EuclideanIn;
use percussion_geometry::events::EventOptions;
use percussion_geometry::separation::{
    CrossProduct, MotionGradientOf, OptionsIn, QueryError, RangesIn, ResolveError, ResolvedIn, SeparationIn,
    SubdifferentialIn,
};
use percussion_geometry::shapes::Feature;

use super::answer::{EventAnswer, Gradient, RotationGradient};
use super::vector::Coordinates;

/// Two convex parts with their world poses.
pub(super) struct PosedPair<'p, S, const D: usize> {
    pub a: &'p S,
    pub pose_a: PoseIn<D>,
    pub b: &'p S,
    pub pose_b: PoseIn<D>,
}

impl<S: Kernel<D>, const D: usize> PosedPair<'_, S, D> {
    /// World positions of the reference points.
    pub fn references(&self) -> [SVector<f64, D>; 2] {
        [self.pose_a.point(&self.a.reference()), self.pose_b.point(&self.b.reference())]
    }
}

/// Convex parts in `D` dimensions and the queries about pairs of them.
pub(super) trait Kernel<const D: usize>: Sized {
    /// The error message for a `beta` of the other dimension.
    const BETA_DIMENSION_ERROR: &'static str;

    /// The reference point, body frame.
    fn reference(&self) -> SVector<f64, D>;
    /// Radius of a ball about the reference point that holds the part.
    fn outer_radius(&self) -> f64;
    /// The vertices, body frame; curved bodies have none.
    fn vertices(&self) -> &[SVector<f64, D>];
    /// The input index of each vertex.
    fn sources(&self) -> &[u32];
    /// The name of a feature.
    fn feature_name(feature: Feature) -> &'static str;

    /// The separation, without a warm start.
    fn separation(pair: &PosedPair<Self, D>, options: &OptionsIn<D>) -> Result<SeparationIn<D>, QueryError>;
    /// The optimal solution of least norm.
    fn resolve(pair: &PosedPair<Self, D>, answer: &SeparationIn<D>) -> Result<ResolvedIn<D>, ResolveError>;
    /// The ranges of all optimal solutions.
    fn ranges(pair: &PosedPair<Self, D>, answer: &SeparationIn<D>) -> Result<RangesIn<D>, ResolveError>;
    /// The generalized gradients with respect to motions, and all of them.
    fn subdifferential(
        pair: &PosedPair<Self, D>,
        answer: &SeparationIn<D>,
    ) -> Result<(Vec<Gradient>, SubdifferentialIn<D>), ResolveError>;
    /// Euclidean distance or penetration depth.
    fn euclidean(pair: &PosedPair<Self, D>) -> Result<EuclideanIn<D>, QueryError>;
    /// Derivatives of a separation with respect to the bodies' motion.
    fn motion_gradient_of(pair: &PosedPair<Self, D>, resolved: &ResolvedIn<D>) -> Gradient;
    /// Contact events, with their derivatives if `differentiate` is set.
    fn events(
        pair: &PosedPair<Self, D>,
        answer: &SeparationIn<D>,
        options: &EventOptions,
        differentiate: bool,
    ) -> Vec<EventAnswer>;
}

impl<V: CrossProduct<Product: Into<RotationGradient>> + Into<Coordinates>> From<MotionGradientOf<V>>
    for Gradient
{
    fn from(motion: MotionGradientOf<V>) -> Self {
        Self {
            translation_a: motion.translation_a.into(),
            rotation_a: motion.rotation_a.into(),
            translation_b: motion.translation_b.into(),
            rotation_b: motion.rotation_b.into(),
        }
    }
}
