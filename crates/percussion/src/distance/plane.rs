//! Queries about bodies in the plane.

use percussion_geometry::euclid::{PlanarEuclidean, planar_euclidean};
use percussion_geometry::events::{PlanarEvent, PlanarEvents};
use percussion_geometry::separation::{
    BetaTerm, Feature, Outcome, PlanarMotionGradient, PlanarOptions, PlanarRanges, PlanarResolved,
    PlanarSeparation, PlanarWarm, planar_ranges, planar_separation, resolve_planar,
};
use percussion_geometry::shapes::PlanarShape;
use percussion_geometry::{PlanarPose, ShapeError, Vec2};

use super::answer::{self, Answer, Certificate, Euclid, Gradient, Sparse, Touch, Turn, Weights};
use super::body::Part;
use super::query::Query;
use super::solve::Defaults;
use super::space::{active, feature_word, word};
use super::wrong::Wrong;

/// Convex parts and the placement of the body they belong to.
type Parts<'p> = (&'p [Part<PlanarShape, PlanarPose>], &'p PlanarPose);

/// What the kernel says about two convex parts, and, where they are solved, the one answer of least norm: that is what
/// is reported.
struct Contact {
    answer: PlanarSeparation,
    resolved: Option<PlanarResolved>,
}

impl Contact {
    fn of(
        a: &PlanarShape,
        pose_a: &PlanarPose,
        b: &PlanarShape,
        pose_b: &PlanarPose,
        options: &PlanarOptions,
    ) -> Result<Self, Wrong> {
        let answer = planar_separation(a, pose_a, b, pose_b, options, &mut PlanarWarm::default())?;
        let solved = answer.outcome == Outcome::Solved;
        let resolved = if solved { Some(resolve_planar(a, pose_a, b, pose_b, &answer)?) } else { None };
        Ok(Self { answer, resolved })
    }

    fn gap(&self) -> f64 {
        self.resolved.as_ref().map_or_else(|| self.answer.gap(), |resolved| resolved.gap())
    }
}

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
            let mut events = PlanarEvents::new();
            let found =
                events.manifold(&a[i].shape, &placed_a, &b[j].shape, &placed_b, &contact.answer, &tolerances);
            let slope = |event: &PlanarEvent| event.motion_gradient(&centre_a, &centre_b, BetaTerm::Follow);
            found.iter().map(|event| touch(event, differentiate.then(|| gradient(&slope(event))))).collect()
        }),
        euclidean: if wants.euclidean == Some(true) {
            Some(nearest((a, pose_a), (b, pose_b))?)
        } else {
            None
        },
        ranges: if wants.ranges == Some(true) && solved.is_some() {
            let found = planar_ranges(&a[i].shape, &placed_a, &b[j].shape, &placed_b, &contact.answer)?;
            Some(ranges_as_given(&found, &a[i].shape, &b[j].shape))
        } else {
            None
        },
        ..dressed(query, contact, &a[i].shape, &b[j].shape)
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
fn dressed<'l>(query: &Query<'l>, contact: Contact, a: &PlanarShape, b: &PlanarShape) -> Answer<'l> {
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
        dressed.features = Some([resolved.features.0, resolved.features.1].map(planar_word));
        dressed.weights_a = Weights::as_given(active(resolved.weights_a), sources(a));
        dressed.weights_b = Weights::as_given(active(resolved.weights_b), sources(b));
    }
    dressed
}

/// Ranges by the indices of the input.
fn ranges_as_given(found: &PlanarRanges, a: &PlanarShape, b: &PlanarShape) -> answer::Ranges {
    let pair = |&(index, least, greatest): &(u32, f64, f64)| (index, [least, greatest]);
    answer::Ranges {
        alpha: found.alpha.iter().map(|&(least, greatest)| [least + 0.0, greatest + 0.0]).collect(),
        weights_a: Sparse::as_given(found.weights_a.iter().map(pair), sources(a)),
        weights_b: Sparse::as_given(found.weights_b.iter().map(pair), sources(b)),
    }
}

/// Where in the input each vertex stood; curved bodies have none.
fn sources(shape: &PlanarShape) -> &[u32] {
    match shape {
        PlanarShape::Polygon(polygon) => polygon.sources(),
        _ => &[],
    }
}
