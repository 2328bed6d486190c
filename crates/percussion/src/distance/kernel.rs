//! What the kernel is asked about a pair of convex parts: the same in the plane and in space.

use nalgebra::SVector;
use percussion_geometry::PoseIn;
use percussion_geometry::euclid::EuclideanIn;
use percussion_geometry::events::EventOptions;
use percussion_geometry::separation::{
    Feature, MotionGradientOf, Moves, OptionsIn, QueryError, RangesIn, ResolveError, ResolvedIn, SeparationIn,
};

use super::answer::{Gradient, Touch, Turn};
use super::vector::Coordinates;

/// Two convex parts where they stand.
pub(super) struct Posed<'p, S, const D: usize> {
    pub a: &'p S,
    pub pose_a: PoseIn<D>,
    pub b: &'p S,
    pub pose_b: PoseIn<D>,
}

impl<S: Kernel<D>, const D: usize> Posed<'_, S, D> {
    /// World positions of the reference points.
    pub fn centres(&self) -> [SVector<f64, D>; 2] {
        [self.pose_a.point(&self.a.reference()), self.pose_b.point(&self.b.reference())]
    }
}

/// Convex parts in `D` dimensions, and the kernel's doors for them.
pub(super) trait Kernel<const D: usize>: Sized {
    /// The complaint about a `beta` of the other dimension.
    const OTHER_BETA: &'static str;

    /// The reference point, body frame.
    fn reference(&self) -> SVector<f64, D>;
    /// Radius of a ball about the reference point that holds the part.
    fn outer_radius(&self) -> f64;
    /// Where in the input each vertex stood; curved bodies have none.
    fn sources(&self) -> &[u32];
    /// A feature, in one word.
    fn word(feature: Feature) -> &'static str;

    /// The linear program, cold.
    fn separation(pair: &Posed<Self, D>, options: &OptionsIn<D>) -> Result<SeparationIn<D>, QueryError>;
    /// The one answer of least norm.
    fn resolve(pair: &Posed<Self, D>, answer: &SeparationIn<D>) -> Result<ResolvedIn<D>, ResolveError>;
    /// The ranges of all answers.
    fn ranges(pair: &Posed<Self, D>, answer: &SeparationIn<D>) -> Result<RangesIn<D>, ResolveError>;
    /// Euclidean distance or penetration depth.
    fn euclidean(pair: &Posed<Self, D>) -> Result<EuclideanIn<D>, QueryError>;
    /// Derivatives of a separation with respect to the bodies' motion.
    fn slope(pair: &Posed<Self, D>, resolved: &ResolvedIn<D>) -> Gradient;
    /// Contact events, with their derivatives if `differentiate` says so.
    fn events(
        pair: &Posed<Self, D>,
        answer: &SeparationIn<D>,
        options: &EventOptions,
        differentiate: bool,
    ) -> Vec<Touch>;
}

impl<V: Moves<Turn: Into<Turn>> + Into<Coordinates>> From<MotionGradientOf<V>> for Gradient {
    fn from(motion: MotionGradientOf<V>) -> Self {
        Self {
            translation_a: motion.translation_a.into(),
            rotation_a: motion.rotation_a.into(),
            translation_b: motion.translation_b.into(),
            rotation_b: motion.rotation_b.into(),
        }
    }
}
