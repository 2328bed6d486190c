//! Queries about bodies in space.

use percussion_geometry::euclid::{Euclidean, euclidean};
use percussion_geometry::events::{Event, Events};
use percussion_geometry::separation::{
    BetaTerm, Feature, MotionGradient, Options, Outcome, Ranges, Resolved, Separation, Warm, ranges, resolve,
    separation,
};
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, ShapeError, Vec3};

use super::answer::{self, Answer, Certificate, Euclid, Gradient, Sparse, Touch, Turn, Weights};
use super::body::Part;
use super::query::Query;
use super::solve::Defaults;
use super::wrong::Wrong;

/// Convex parts and the placement of the body they belong to.
type Parts<'p> = (&'p [Part<Solid, Pose>], &'p Pose);

/// What the kernel says about two convex parts, and, where they are solved, the one answer of least norm: that is what
/// is reported.
struct Contact {
    answer: Separation,
    resolved: Option<Resolved>,
}

impl Contact {
    fn of(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, options: &Options) -> Result<Self, Wrong> {
        let answer = separation(a, pose_a, b, pose_b, options, &mut Warm::default())?;
        let solved = answer.outcome == Outcome::Solved;
        let resolved = if solved { Some(resolve(a, pose_a, b, pose_b, &answer)?) } else { None };
        Ok(Self { answer, resolved })
    }

    fn gap(&self) -> f64 {
        self.resolved.as_ref().map_or_else(|| self.answer.gap(), |resolved| resolved.gap())
    }
}

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
    let mut best: Option<([usize; 2], Contact)> = None;
    for (i, part_a) in a.iter().enumerate() {
        let placed_a = part_a.placed(pose_a);
        for (j, part_b) in b.iter().enumerate() {
            let placed_b = part_b.placed(pose_b);
            let contact = Contact::of(&part_a.shape, &placed_a, &part_b.shape, &placed_b, &options)?;
            if best.as_ref().is_none_or(|(_, old)| contact.gap() < old.gap()) {
                best = Some(([i, j], contact));
            }
        }
    }
    let Some(([i, j], contact)) = best else { return Err(ShapeError::EmptyCompound.into()) };
    let wants = query.wants.or(defaults.wants);
    let compound = a.len() > 1 || b.len() > 1;
    let solved = contact.resolved.as_ref();
    let differentiate = wants.gradient == Some(true);
    let (radius_a, radius_b) = (a[i].shape.outer_radius(), b[j].shape.outer_radius());
    let tolerances = wants.events.and_then(|events| events.options(radius_a, radius_b));
    let (placed_a, placed_b) = (a[i].placed(pose_a), b[j].placed(pose_b));
    let centre_a = placed_a.point(&a[i].shape.reference());
    let centre_b = placed_b.point(&b[j].shape.reference());
    Ok(Answer {
        parts: compound.then_some([i, j]),
        gradient: solved
            .filter(|_| differentiate)
            .map(|resolved| gradient(&resolved.motion_gradient(&centre_a, &centre_b, BetaTerm::Follow))),
        events: tolerances.filter(|_| solved.is_some()).map(|tolerances| {
            let mut events = Events::new();
            let found =
                events.manifold(&a[i].shape, &placed_a, &b[j].shape, &placed_b, &contact.answer, &tolerances);
            let slope = |event: &Event| event.motion_gradient(&centre_a, &centre_b, BetaTerm::Follow);
            found.iter().map(|event| touch(event, differentiate.then(|| gradient(&slope(event))))).collect()
        }),
        euclidean: if wants.euclidean == Some(true) {
            Some(nearest((a, pose_a), (b, pose_b))?)
        } else {
            None
        },
        ranges: if wants.ranges == Some(true) && solved.is_some() {
            let found = ranges(&a[i].shape, &placed_a, &b[j].shape, &placed_b, &contact.answer)?;
            Some(ranges_as_given(&found, &a[i].shape, &b[j].shape))
        } else {
            None
        },
        ..dressed(query, contact, &a[i].shape, &b[j].shape)
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
fn dressed<'l>(query: &Query<'l>, contact: Contact, a: &Solid, b: &Solid) -> Answer<'l> {
    let Contact { answer, resolved } = contact;
    let mut dressed = Answer {
        id: query.id,
        outcome: word(answer.outcome),
        separation: answer.separation,
        gap: answer.gap(),
        normal: answer.normal().into(),
        point_a: None,
        point_b: None,
        features: None,
        weights_a: Weights::default(),
        weights_b: Weights::default(),
        ratio: answer.ratio(),
        certificate: Certificate { lower: answer.lower, upper: answer.upper },
        iterations: answer.iterations,
        alpha: answer.alpha.into(),
        beta: answer.beta.into(),
        parts: None,
        euclidean: None,
        gradient: None,
        events: None,
        ranges: None,
    };
    if let Some(resolved) = resolved {
        dressed.gap = resolved.gap();
        dressed.normal = resolved.normal().into();
        dressed.alpha = resolved.alpha.into();
        dressed.point_a = Some(resolved.point_a.into());
        dressed.point_b = Some(resolved.point_b.into());
        dressed.features = Some([resolved.features.0, resolved.features.1].map(feature_word));
        dressed.weights_a = Weights::as_given(active(resolved.weights_a), sources(a));
        dressed.weights_b = Weights::as_given(active(resolved.weights_b), sources(b));
    }
    dressed
}

/// Ranges by the indices of the input.
fn ranges_as_given(found: &Ranges, a: &Solid, b: &Solid) -> answer::Ranges {
    let pair = |&(index, least, greatest): &(u32, f64, f64)| (index, [least, greatest]);
    answer::Ranges {
        alpha: found.alpha.iter().map(|&(least, greatest)| [least + 0.0, greatest + 0.0]).collect(),
        weights_a: Sparse::as_given(found.weights_a.iter().map(pair), sources(a)),
        weights_b: Sparse::as_given(found.weights_b.iter().map(pair), sources(b)),
    }
}

/// Where in the input each vertex stood; curved bodies have none.
fn sources(shape: &Solid) -> &[u32] {
    match shape {
        Solid::Polytope(polytope) => polytope.sources(),
        _ => &[],
    }
}

/// Weights below this are rounding of zero: their vertices are not active.
const NOISE: f64 = 1e-14;

/// The weights that are not rounding.
pub(super) fn active(weights: Vec<(u32, f64)>) -> impl Iterator<Item = (u32, f64)> {
    weights.into_iter().filter(|&(_, weight)| weight > NOISE)
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
