//! Queries about bodies in the plane.

use percussion_geometry::euclid::{PlanarEuclidean, planar_euclidean};
use percussion_geometry::events::{PlanarEvent, PlanarEvents};
use percussion_geometry::separation::{
    BetaTerm, Feature, Outcome, PlanarMotionGradient, PlanarOptions, PlanarSeparation, PlanarWarm,
    planar_separation,
};
use percussion_geometry::shapes::PlanarShape;
use percussion_geometry::{PlanarPose, ShapeError, Vec2};

use super::answer::{Answer, Certificate, Euclid, Gradient, Touch, Turn, Weights};
use super::body::Part;
use super::query::Query;
use super::solve::Defaults;
use super::space::{active, feature_word, word};
use super::wrong::Wrong;

/// Convex parts and the placement of the body they belong to.
type Parts<'p> = (&'p [Part<PlanarShape, PlanarPose>], &'p PlanarPose);

/// Of a compound, the pair of parts with the smallest gap answers: the one that touches first, and the deepest
/// when several overlap.
pub(super) fn in_plane<'l>(
    query: &Query<'l>,
    (a, pose_a): Parts,
    (b, pose_b): Parts,
    defaults: &Defaults,
) -> Result<Answer<'l>, Wrong> {
    let options = PlanarOptions {
        beta: prescribed(query)?,
        prediction: query.prediction.or(defaults.prediction).unwrap_or(f64::INFINITY),
    };
    let mut best: Option<([usize; 2], PlanarSeparation)> = None;
    for (i, part_a) in a.iter().enumerate() {
        let placed_a = part_a.placed(pose_a);
        for (j, part_b) in b.iter().enumerate() {
            let placed_b = part_b.placed(pose_b);
            let mut warm = PlanarWarm::default();
            let answer =
                planar_separation(&part_a.shape, &placed_a, &part_b.shape, &placed_b, &options, &mut warm)?;
            if best.as_ref().is_none_or(|(_, old)| answer.gap() < old.gap()) {
                best = Some(([i, j], answer));
            }
        }
    }
    let Some(([i, j], answer)) = best else { return Err(ShapeError::EmptyCompound.into()) };
    let wants = query.wants.or(defaults.wants);
    let compound = a.len() > 1 || b.len() > 1;
    let solved = answer.outcome == Outcome::Solved;
    let differentiate = wants.gradient == Some(true);
    let (radius_a, radius_b) = (a[i].shape.outer_radius(), b[j].shape.outer_radius());
    let tolerances = wants.events.and_then(|events| events.options(radius_a, radius_b));
    let centre_a = a[i].placed(pose_a).point(&a[i].shape.reference());
    let centre_b = b[j].placed(pose_b).point(&b[j].shape.reference());
    Ok(Answer {
        parts: compound.then_some([i, j]),
        gradient: (solved && differentiate)
            .then(|| gradient(&answer.motion_gradient(&centre_a, &centre_b, BetaTerm::Follow))),
        events: tolerances.filter(|_| solved).map(|tolerances| {
            let (placed_a, placed_b) = (a[i].placed(pose_a), b[j].placed(pose_b));
            let mut events = PlanarEvents::new();
            let found = events.manifold(&a[i].shape, &placed_a, &b[j].shape, &placed_b, &answer, &tolerances);
            let slope = |event: &PlanarEvent| event.motion_gradient(&centre_a, &centre_b, BetaTerm::Follow);
            found.iter().map(|event| touch(event, differentiate.then(|| gradient(&slope(event))))).collect()
        }),
        euclidean: if wants.euclidean == Some(true) {
            Some(nearest((a, pose_a), (b, pose_b))?)
        } else {
            None
        },
        ..dressed(query, &answer, &a[i].shape, &b[j].shape)
    })
}

/// The exact Euclidean problem: of all pairs of parts the nearest, or the deepest.
fn nearest((a, pose_a): Parts, (b, pose_b): Parts) -> Result<Euclid, Wrong> {
    let mut best: Option<PlanarEuclidean> = None;
    for part_a in a {
        let placed_a = part_a.placed(pose_a);
        for part_b in b {
            let answer = planar_euclidean(&part_a.shape, &placed_a, &part_b.shape, &part_b.placed(pose_b))?;
            if best.as_ref().is_none_or(|old| answer.distance < old.distance) {
                best = Some(answer);
            }
        }
    }
    let answer = best.ok_or(ShapeError::EmptyCompound)?;
    Ok(Euclid {
        distance: answer.distance,
        normal: answer.normal.into(),
        point_a: answer.point_a.into(),
        point_b: answer.point_b.into(),
        certificate: Certificate { lower: answer.lower, upper: answer.upper },
    })
}

fn touch(event: &PlanarEvent, gradient: Option<Gradient>) -> Touch {
    Touch {
        features: event.features.map(planar_word),
        separation: event.separation,
        gap: event.gap(),
        normal: event.normal().into(),
        point_a: event.point_a.into(),
        point_b: event.point_b.into(),
        gradient,
    }
}

/// As in space, but the boundary of a half-plane is a line.
fn planar_word(feature: Feature) -> &'static str {
    if feature == Feature::Plane { "line" } else { feature_word(feature) }
}

fn gradient(motion: &PlanarMotionGradient) -> Gradient {
    Gradient {
        translation_a: motion.translation_a.into(),
        rotation_a: Turn::Plane(motion.rotation_a),
        translation_b: motion.translation_b.into(),
        rotation_b: Turn::Plane(motion.rotation_b),
    }
}

fn prescribed(query: &Query) -> Result<Option<Vec2>, Wrong> {
    let Some(given) = &query.beta else { return Ok(None) };
    given
        .plane()
        .map(Some)
        .ok_or_else(|| Wrong::Dimension("beta has three entries but the bodies are planar; give two".into()))
}

/// The kernel's answer in the words of the stream.
fn dressed<'l>(query: &Query<'l>, answer: &PlanarSeparation, a: &PlanarShape, b: &PlanarShape) -> Answer<'l> {
    let solved = answer.outcome == Outcome::Solved;
    let weights_a: Vec<(u32, f64)> = active(answer.weights_a());
    let weights_b: Vec<(u32, f64)> = active(answer.weights_b());
    Answer {
        id: query.id,
        outcome: word(answer.outcome),
        separation: answer.separation,
        gap: answer.gap(),
        normal: answer.normal().into(),
        point_a: solved.then(|| answer.point_a.into()),
        point_b: solved.then(|| answer.point_b.into()),
        features: solved.then(|| [feature(a, &weights_a), feature(b, &weights_b)]),
        weights_a: as_given(a, weights_a, solved),
        weights_b: as_given(b, weights_b, solved),
        ratio: answer.ratio(),
        certificate: Certificate { lower: answer.lower, upper: answer.upper },
        iterations: answer.iterations,
        alpha: answer.alpha.into(),
        beta: answer.beta.into(),
        parts: None,
        euclidean: None,
        gradient: None,
        events: None,
    }
}

/// What of a body carries the contact: the smallest of its features that holds all active vertices.
fn feature(shape: &PlanarShape, weights: &[(u32, f64)]) -> &'static str {
    match shape {
        PlanarShape::Polygon(polygon) => {
            let active: Vec<u32> = weights.iter().map(|&(index, _)| index).collect();
            feature_word(polygon.feature(&active).unwrap_or(Feature::Edge(0)))
        }
        PlanarShape::HalfPlane(_) => "line",
        PlanarShape::Circle(_) | PlanarShape::Ellipse(_) => "curved",
    }
}

/// Weights by the index each vertex had in the input, which the hull may have thinned. Curved bodies have no
/// vertices to weigh.
fn as_given(shape: &PlanarShape, weights: Vec<(u32, f64)>, solved: bool) -> Weights {
    let PlanarShape::Polygon(polygon) = shape else { return Weights::default() };
    if !solved {
        return Weights::default();
    }
    let source = |index: u32| polygon.sources().get(index as usize).copied();
    let mut given: Vec<(u32, f64)> =
        weights.into_iter().filter_map(|(index, weight)| Some((source(index)?, weight))).collect();
    given.sort_unstable_by_key(|&(index, _)| index);
    Weights(given)
}
