//! Two bodies, each a list of convex parts, answered in the words of the stream.

use nalgebra::SVector;
use percussion_geometry::euclid::EuclideanIn;
use percussion_geometry::separation::{OptionsIn, Outcome, RangesIn, ResolvedIn, SeparationIn};
use percussion_geometry::{PoseIn, ShapeError};

use super::answer::{self, Answer, Certificate, Euclid, Sparse, Weights};
use super::body::Part;
use super::kernel::{Kernel, Posed};
use super::query::Query;
use super::solve::Defaults;
use super::wrong::Wrong;

/// Weights below this are rounding of zero: their vertices are not active.
const NOISE: f64 = 1e-14;

/// Convex parts and the placement of the body they belong to.
type Parts<'p, S, const D: usize> = (&'p [Part<S, PoseIn<D>>], &'p PoseIn<D>);

/// What the kernel says about two convex parts, and, where they are solved, the one answer of least norm: that is what
/// is reported.
struct Contact<const D: usize> {
    answer: SeparationIn<D>,
    resolved: Option<ResolvedIn<D>>,
}

impl<const D: usize> Contact<D> {
    fn of<S: Kernel<D>>(pair: &Posed<S, D>, options: &OptionsIn<D>) -> Result<Self, Wrong> {
        let answer = S::separation(pair, options)?;
        let solved = answer.outcome == Outcome::Solved;
        let resolved = if solved { Some(S::resolve(pair, &answer)?) } else { None };
        Ok(Self { answer, resolved })
    }

    fn gap(&self) -> f64 {
        self.resolved.as_ref().map_or_else(|| self.answer.gap(), |resolved| resolved.gap())
    }
}

/// Of all pairs of parts, the one whose answer has the least `value`; the first of several.
fn least<'p, S, T, const D: usize>(
    (a, pose_a): Parts<'p, S, D>,
    (b, pose_b): Parts<'p, S, D>,
    ask: impl Fn(&Posed<S, D>) -> Result<T, Wrong>,
    value: impl Fn(&T) -> f64,
) -> Result<([usize; 2], Posed<'p, S, D>, T), Wrong> {
    let mut best: Option<([usize; 2], Posed<S, D>, T)> = None;
    for (i, part_a) in a.iter().enumerate() {
        let pose_a = part_a.placed(pose_a);
        for (j, part_b) in b.iter().enumerate() {
            let pair = Posed { a: &part_a.shape, pose_a, b: &part_b.shape, pose_b: part_b.placed(pose_b) };
            let answer = ask(&pair)?;
            if best.as_ref().is_none_or(|(_, _, old)| value(&answer) < value(old)) {
                best = Some(([i, j], pair, answer));
            }
        }
    }
    best.ok_or(ShapeError::EmptyCompound.into())
}

/// Of a compound, the pair of parts with the smallest gap answers: the one that touches first, and the deepest
/// when several overlap.
pub(super) fn touching<'l, S: Kernel<D>, const D: usize>(
    query: &Query<'l>,
    a: Parts<S, D>,
    b: Parts<S, D>,
    defaults: &Defaults,
) -> Result<Answer<'l>, Wrong> {
    let options = OptionsIn {
        beta: prescribed::<S, D>(query)?,
        prediction: query.prediction.or(defaults.prediction).unwrap_or(f64::INFINITY),
    };
    let (parts, pair, contact) = least(a, b, |pair| Contact::of(pair, &options), Contact::gap)?;
    let wants = query.wants.or(defaults.wants);
    let compound = a.0.len() > 1 || b.0.len() > 1;
    let solved = contact.resolved.as_ref();
    let differentiate = wants.gradient == Some(true);
    let (radius_a, radius_b) = (pair.a.outer_radius(), pair.b.outer_radius());
    let tolerances = wants.events.and_then(|events| events.options(radius_a, radius_b));
    Ok(Answer {
        parts: compound.then_some(parts),
        gradient: solved.filter(|_| differentiate).map(|resolved| S::slope(&pair, resolved)),
        events: tolerances
            .filter(|_| solved.is_some())
            .map(|tolerances| S::events(&pair, &contact.answer, &tolerances, differentiate)),
        euclidean: if wants.euclidean == Some(true) {
            // Of all pairs of parts the nearest, or the deepest.
            let ask = |pair: &Posed<S, D>| Ok(S::euclidean(pair)?);
            Some(euclid(&least(a, b, ask, |answer| answer.distance)?.2))
        } else {
            None
        },
        ranges: if wants.ranges == Some(true) && solved.is_some() {
            Some(ranges_as_given(&pair, &S::ranges(&pair, &contact.answer)?))
        } else {
            None
        },
        ..dressed(query, contact, &pair)
    })
}

fn prescribed<S: Kernel<D>, const D: usize>(query: &Query) -> Result<Option<SVector<f64, D>>, Wrong> {
    let Some(given) = &query.beta else { return Ok(None) };
    given.vector().map(Some).ok_or_else(|| Wrong::Dimension(S::OTHER_BETA.into()))
}

fn euclid<const D: usize>(answer: &EuclideanIn<D>) -> Euclid {
    Euclid {
        distance: answer.distance,
        normal: answer.normal.into(),
        point_a: answer.point_a.into(),
        point_b: answer.point_b.into(),
        certificate: Certificate { lower: answer.lower, upper: answer.upper },
    }
}

/// The kernel's answer in the words of the stream.
fn dressed<'l, S: Kernel<D>, const D: usize>(
    query: &Query<'l>,
    contact: Contact<D>,
    pair: &Posed<S, D>,
) -> Answer<'l> {
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
        let active = |weights: Vec<(u32, f64)>| weights.into_iter().filter(|&(_, weight)| weight > NOISE);
        dressed.gap = resolved.gap();
        dressed.normal = resolved.normal().into();
        dressed.alpha = resolved.alpha.into();
        dressed.point_a = Some(resolved.point_a.into());
        dressed.point_b = Some(resolved.point_b.into());
        dressed.features = Some([resolved.features.0, resolved.features.1].map(S::word));
        dressed.weights_a = Weights::as_given(active(resolved.weights_a), pair.a.sources());
        dressed.weights_b = Weights::as_given(active(resolved.weights_b), pair.b.sources());
    }
    dressed
}

/// Ranges by the indices of the input.
fn ranges_as_given<S: Kernel<D>, const D: usize>(pair: &Posed<S, D>, found: &RangesIn<D>) -> answer::Ranges {
    let entry = |&(index, least, greatest): &(u32, f64, f64)| (index, [least, greatest]);
    answer::Ranges {
        alpha: found.alpha.iter().map(|&(least, greatest)| [least + 0.0, greatest + 0.0]).collect(),
        weights_a: Sparse::as_given(found.weights_a.iter().map(entry), pair.a.sources()),
        weights_b: Sparse::as_given(found.weights_b.iter().map(entry), pair.b.sources()),
    }
}

/// How a query ended, in one word.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Solved => "solved",
        Outcome::Beyond => "beyond",
        Outcome::Missed => "missed",
    }
}
