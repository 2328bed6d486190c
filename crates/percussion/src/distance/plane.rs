//! Queries about bodies in the plane.

use percussion_geometry::Vec2;
use percussion_geometry::euclid::{PlanarEuclidean, planar_euclidean};
use percussion_geometry::events::{EventOptions, PlanarContactEvent, PlanarEventWorkspace};
use percussion_geometry::separation::{
    BetaTerm, PlanarMotionGradient, PlanarOptions, PlanarRanges, PlanarResolved, PlanarSeparation,
    PlanarSubdifferential, PlanarWarmStart, QueryError, ResolveError, planar_ranges, planar_separation,
    planar_subdifferential, resolve_planar,
};
use percussion_geometry::shapes::{Feature, PlanarShape, Solid};

use super::answer::{EventAnswer, Gradient};
use super::kernel::{Kernel, PosedPair};

type Pair<'p> = PosedPair<'p, PlanarShape, 2>;

impl Kernel<2> for PlanarShape {
    const BETA_DIMENSION_ERROR: &'static str = "beta has three entries but the bodies are planar; give two";

    fn reference(&self) -> Vec2 {
        self.reference()
    }

    fn outer_radius(&self) -> f64 {
        self.outer_radius()
    }

    fn vertices(&self) -> &[Vec2] {
        self.polygon().map_or(&[], |polygon| polygon.vertices())
    }

    fn sources(&self) -> &[u32] {
        self.polygon().map_or(&[], |polygon| polygon.sources())
    }

    /// As in space, but the boundary of a half-plane is a line.
    fn feature_name(feature: Feature) -> &'static str {
        if feature == Feature::Plane { "line" } else { Solid::feature_name(feature) }
    }

    fn separation(pair: &Pair, options: &PlanarOptions) -> Result<PlanarSeparation, QueryError> {
        let warm = &mut PlanarWarmStart::default();
        planar_separation(pair.a, &pair.pose_a, pair.b, &pair.pose_b, options, warm)
    }

    fn resolve(pair: &Pair, answer: &PlanarSeparation) -> Result<PlanarResolved, ResolveError> {
        resolve_planar(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)
    }

    fn ranges(pair: &Pair, answer: &PlanarSeparation) -> Result<PlanarRanges, ResolveError> {
        planar_ranges(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)
    }

    fn subdifferential(
        pair: &Pair,
        answer: &PlanarSeparation,
    ) -> Result<(Vec<Gradient>, PlanarSubdifferential), ResolveError> {
        let set = planar_subdifferential(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)?;
        let [a, b] = pair.references();
        let motions = set.motion(&a, &b, BetaTerm::Follow);
        Ok((motions.extreme_gradients().map(|g| PlanarMotionGradient::from(*g).into()).collect(), set))
    }

    fn euclidean(pair: &Pair) -> Result<PlanarEuclidean, QueryError> {
        planar_euclidean(pair.a, &pair.pose_a, pair.b, &pair.pose_b)
    }

    fn motion_gradient_of(pair: &Pair, resolved: &PlanarResolved) -> Gradient {
        let [a, b] = pair.references();
        resolved.motion_gradient(&a, &b, BetaTerm::Follow).into()
    }

    fn events(
        pair: &Pair,
        answer: &PlanarSeparation,
        options: &EventOptions,
        differentiate: bool,
    ) -> Vec<EventAnswer> {
        let [a, b] = pair.references();
        let touch = |event: &PlanarContactEvent| EventAnswer {
            features: event.features.map(Self::feature_name),
            separation: event.separation,
            gap: event.gap(),
            normal: event.normal().into(),
            point_a: event.point_a.into(),
            point_b: event.point_b.into(),
            gradient: differentiate.then(|| event.motion_gradient(&a, &b, BetaTerm::Follow).into()),
        };
        let mut events = PlanarEventWorkspace::new();
        let found = events.manifold(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer, options);
        found.iter().map(touch).collect()
    }
}
