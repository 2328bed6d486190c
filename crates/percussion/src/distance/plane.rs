//! The kernel's doors for bodies in the plane.

use percussion_geometry::Vec2;
use percussion_geometry::euclid::{PlanarEuclidean, planar_euclidean};
use percussion_geometry::events::{EventOptions, PlanarContactEvent, PlanarEventWorkspace};
use percussion_geometry::separation::{
    BetaTerm, Feature, PlanarOptions, PlanarRanges, PlanarResolved, PlanarSeparation, PlanarWarmStart,
    QueryError, ResolveError, planar_ranges, planar_separation, resolve_planar,
};
use percussion_geometry::shapes::{PlanarShape, Solid};

use super::answer::{Gradient, Touch};
use super::kernel::{Kernel, Posed};

type Pair<'p> = Posed<'p, PlanarShape, 2>;

impl Kernel<2> for PlanarShape {
    const OTHER_BETA: &'static str = "beta has three entries but the bodies are planar; give two";

    fn reference(&self) -> Vec2 {
        self.reference()
    }

    fn outer_radius(&self) -> f64 {
        self.outer_radius()
    }

    fn sources(&self) -> &[u32] {
        self.polygon().map_or(&[], |polygon| polygon.sources())
    }

    /// As in space, but the boundary of a half-plane is a line.
    fn word(feature: Feature) -> &'static str {
        if feature == Feature::Plane { "line" } else { Solid::word(feature) }
    }

    fn separation(pair: &Pair, options: &PlanarOptions) -> Result<PlanarSeparation, QueryError> {
        planar_separation(
            pair.a,
            &pair.pose_a,
            pair.b,
            &pair.pose_b,
            options,
            &mut PlanarWarmStart::default(),
        )
    }

    fn resolve(pair: &Pair, answer: &PlanarSeparation) -> Result<PlanarResolved, ResolveError> {
        resolve_planar(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)
    }

    fn ranges(pair: &Pair, answer: &PlanarSeparation) -> Result<PlanarRanges, ResolveError> {
        planar_ranges(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)
    }

    fn euclidean(pair: &Pair) -> Result<PlanarEuclidean, QueryError> {
        planar_euclidean(pair.a, &pair.pose_a, pair.b, &pair.pose_b)
    }

    fn slope(pair: &Pair, resolved: &PlanarResolved) -> Gradient {
        let [a, b] = pair.centres();
        resolved.motion_gradient(&a, &b, BetaTerm::Follow).into()
    }

    fn events(
        pair: &Pair,
        answer: &PlanarSeparation,
        options: &EventOptions,
        differentiate: bool,
    ) -> Vec<Touch> {
        let [a, b] = pair.centres();
        let touch = |event: &PlanarContactEvent| Touch {
            features: event.features.map(Self::word),
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
