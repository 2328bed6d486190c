//! Queries about bodies in space.

use percussion_geometry::Vec3;
use percussion_geometry::euclid::{Euclidean, euclidean};
use percussion_geometry::events::{ContactEvent, EventOptions, EventWorkspace};
use percussion_geometry::separation::{
    BetaTerm, MotionGradient, Options, QueryError, Ranges, ResolveError, Resolved, Separation,
    Subdifferential, WarmStart, ranges, resolve, separation, subdifferential,
};
use percussion_geometry::shapes::{Feature, Solid};

use super::answer::{EventAnswer, Gradient};
use super::kernel::{Kernel, PosedPair};

type Pair<'p> = PosedPair<'p, Solid, 3>;

impl Kernel<3> for Solid {
    const BETA_DIMENSION_ERROR: &'static str =
        "beta has two entries but the bodies are those of space; give three";

    fn reference(&self) -> Vec3 {
        self.reference()
    }

    fn outer_radius(&self) -> f64 {
        self.outer_radius()
    }

    fn vertices(&self) -> &[Vec3] {
        self.polytope().map_or(&[], |polytope| polytope.vertices())
    }

    fn sources(&self) -> &[u32] {
        self.polytope().map_or(&[], |polytope| polytope.sources())
    }

    fn feature_name(feature: Feature) -> &'static str {
        match feature {
            Feature::Vertex(_) => "vertex",
            Feature::Edge(_) => "edge",
            Feature::Face(_) => "face",
            Feature::Curved => "curved",
            Feature::Plane => "plane",
        }
    }

    fn separation(pair: &Pair, options: &Options) -> Result<Separation, QueryError> {
        separation(pair.a, &pair.pose_a, pair.b, &pair.pose_b, options, &mut WarmStart::default())
    }

    fn resolve(pair: &Pair, answer: &Separation) -> Result<Resolved, ResolveError> {
        resolve(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)
    }

    fn ranges(pair: &Pair, answer: &Separation) -> Result<Ranges, ResolveError> {
        ranges(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)
    }

    fn subdifferential(
        pair: &Pair,
        answer: &Separation,
    ) -> Result<(Vec<Gradient>, Subdifferential), ResolveError> {
        let set = subdifferential(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer)?;
        let [a, b] = pair.references();
        let motions = set.motion(&a, &b, BetaTerm::Follow);
        Ok((motions.extreme_gradients().map(|g| MotionGradient::from(*g).into()).collect(), set))
    }

    fn euclidean(pair: &Pair) -> Result<Euclidean, QueryError> {
        euclidean(pair.a, &pair.pose_a, pair.b, &pair.pose_b)
    }

    fn motion_gradient_of(pair: &Pair, resolved: &Resolved) -> Gradient {
        let [a, b] = pair.references();
        resolved.motion_gradient(&a, &b, BetaTerm::Follow).into()
    }

    fn events(
        pair: &Pair,
        answer: &Separation,
        options: &EventOptions,
        differentiate: bool,
    ) -> Vec<EventAnswer> {
        let [a, b] = pair.references();
        let touch = |event: &ContactEvent| EventAnswer {
            features: event.kind.features().map(Self::feature_name),
            separation: event.separation,
            gap: event.gap(),
            normal: event.normal().into(),
            point_a: event.point_a.into(),
            point_b: event.point_b.into(),
            gradient: differentiate.then(|| event.motion_gradient(&a, &b, BetaTerm::Follow).into()),
        };
        let mut events = EventWorkspace::new();
        let found = events.manifold(pair.a, &pair.pose_a, pair.b, &pair.pose_b, answer, options);
        found.iter().map(touch).collect()
    }
}
