//! Queries about bodies in space.

use percussion_geometry::euclid::{Euclidean, euclidean};
use percussion_geometry::events::{Event, Events};
use percussion_geometry::separation::{
    BetaTerm, Feature, MotionGradient, Options, Outcome, Separation, Warm, separation,
};
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, ShapeError, Vec3};

use super::answer::{Answer, Certificate, Euclid, Gradient, Touch, Turn, Weights};
use super::body::Part;
use super::query::Query;
use super::solve::Defaults;
use super::wrong::Wrong;

/// Convex parts and the placement of the body they belong to.
type Parts<'p> = (&'p [Part<Solid, Pose>], &'p Pose);

/// Of a compound, the pair of parts with the smallest gap answers: the one that touches first, and the deepest
/// when several overlap.
pub(super) fn in_space<'l>(
    query: &Query<'l>,
    (a, pose_a): Parts,
    (b, pose_b): Parts,
    defaults: &Defaults,
) -> Result<Answer<'l>, Wrong> {
    let options = Options {
        beta: prescribed(query)?,
        prediction: query.prediction.or(defaults.prediction).unwrap_or(f64::INFINITY),
    };
    let mut best: Option<([usize; 2], Separation)> = None;
    for (i, part_a) in a.iter().enumerate() {
        let placed_a = part_a.placed(pose_a);
        for (j, part_b) in b.iter().enumerate() {
            let placed_b = part_b.placed(pose_b);
            let mut warm = Warm::default();
            let answer = separation(&part_a.shape, &placed_a, &part_b.shape, &placed_b, &options, &mut warm)?;
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
            let mut events = Events::new();
            let found = events.manifold(&a[i].shape, &placed_a, &b[j].shape, &placed_b, &answer, &tolerances);
            let slope = |event: &Event| event.motion_gradient(&centre_a, &centre_b, BetaTerm::Follow);
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
    let mut best: Option<Euclidean> = None;
    for part_a in a {
        let placed_a = part_a.placed(pose_a);
        for part_b in b {
            let answer = euclidean(&part_a.shape, &placed_a, &part_b.shape, &part_b.placed(pose_b))?;
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

fn touch(event: &Event, gradient: Option<Gradient>) -> Touch {
    Touch {
        features: event.kind.features().map(feature_word),
        separation: event.separation,
        gap: event.gap(),
        normal: event.normal().into(),
        point_a: event.point_a.into(),
        point_b: event.point_b.into(),
        gradient,
    }
}

fn gradient(motion: &MotionGradient) -> Gradient {
    Gradient {
        translation_a: motion.translation_a.into(),
        rotation_a: Turn::Space(motion.rotation_a.into()),
        translation_b: motion.translation_b.into(),
        rotation_b: Turn::Space(motion.rotation_b.into()),
    }
}

fn prescribed(query: &Query) -> Result<Option<Vec3>, Wrong> {
    let Some(given) = &query.beta else { return Ok(None) };
    given.space().map(Some).ok_or_else(|| {
        Wrong::Dimension("beta has two entries but the bodies are those of space; give three".into())
    })
}

/// The kernel's answer in the words of the stream.
fn dressed<'l>(query: &Query<'l>, answer: &Separation, a: &Solid, b: &Solid) -> Answer<'l> {
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

/// Weights below this are rounding of zero: their vertices are not active.
const NOISE: f64 = 1e-14;

/// The weights that are not rounding.
pub(super) fn active(weights: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, f64)> {
    weights.filter(|&(_, weight)| weight > NOISE).collect()
}

/// How a query ended, in one word.
pub(super) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Solved => "solved",
        Outcome::Beyond => "beyond",
        Outcome::Missed => "missed",
    }
}

/// A feature, in one word.
pub(super) fn feature_word(feature: Feature) -> &'static str {
    match feature {
        Feature::Vertex(_) => "vertex",
        Feature::Edge(_) => "edge",
        Feature::Face(_) => "face",
        Feature::Curved => "curved",
        Feature::Plane => "plane",
    }
}

/// What of a body carries the contact: the smallest of its features that holds all active vertices.
fn feature(solid: &Solid, weights: &[(u32, f64)]) -> &'static str {
    match solid {
        Solid::Polytope(polytope) => {
            let active: Vec<u32> = weights.iter().map(|&(index, _)| index).collect();
            // Active vertices lie on one supporting plane, hence on one face, except where rounding joins the
            // vertices of nearly coplanar faces: those count as the face they almost are.
            feature_word(polytope.feature(&active).unwrap_or(Feature::Face(0)))
        }
        Solid::HalfSpace(_) => "plane",
        Solid::Sphere(_) | Solid::Capsule(_) | Solid::Cylinder(_) | Solid::Cone(_) | Solid::Ellipsoid(_) => {
            "curved"
        }
    }
}

/// Weights by the index each vertex had in the input, which the hull may have thinned. Curved bodies have no
/// vertices to weigh.
fn as_given(solid: &Solid, weights: Vec<(u32, f64)>, solved: bool) -> Weights {
    let Solid::Polytope(polytope) = solid else { return Weights::default() };
    if !solved {
        return Weights::default();
    }
    let source = |index: u32| polytope.sources().get(index as usize).copied();
    let mut given: Vec<(u32, f64)> =
        weights.into_iter().filter_map(|(index, weight)| Some((source(index)?, weight))).collect();
    given.sort_unstable_by_key(|&(index, _)| index);
    Weights(given)
}
