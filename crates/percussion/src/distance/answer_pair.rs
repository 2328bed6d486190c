//! The answer for two bodies, each a list of convex parts.

use nalgebra::SVector;
use percussion_geometry::euclid::EuclideanIn;
use percussion_geometry::separation::{OptionsIn, Outcome, ResolvedIn, SeparationIn, VertexGradient};
use percussion_geometry::{PoseIn, ShapeError};

use super::answer::{
    self, Answer, Certificate, EuclideanAnswer, Sparse, SubdifferentialAnswer, VertexGradients, Weights,
};
use super::body::Part;
use super::kernel::{Kernel, PosedPair};
use super::line_error::LineError;
use super::query::Query;
use super::solve::Defaults;

/// Weights below this are rounding of zero: their vertices are inactive.
const ZERO_WEIGHT: f64 = 1e-14;

/// Convex parts and the placement of the body they belong to.
type Parts<'p, S, const D: usize> = (&'p [Part<S, PoseIn<D>>], &'p PoseIn<D>);

/// The separation of two convex parts and, if it is solved, the optimal solution of least norm, which is reported.
struct Contact<const D: usize> {
    answer: SeparationIn<D>,
    resolved: Option<ResolvedIn<D>>,
}

impl<const D: usize> Contact<D> {
    fn of<S: Kernel<D>>(pair: &PosedPair<S, D>, options: &OptionsIn<D>) -> Result<Self, LineError> {
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
    answer_query: impl Fn(&PosedPair<S, D>) -> Result<T, LineError>,
    value: impl Fn(&T) -> f64,
) -> Result<([usize; 2], PosedPair<'p, S, D>, T), LineError> {
    let mut best: Option<([usize; 2], PosedPair<S, D>, T)> = None;
    for (i, part_a) in a.iter().enumerate() {
        let pose_a = part_a.placed(pose_a);
        for (j, part_b) in b.iter().enumerate() {
            let pair =
                PosedPair { a: &part_a.shape, pose_a, b: &part_b.shape, pose_b: part_b.placed(pose_b) };
            let answer = answer_query(&pair)?;
            if best.as_ref().is_none_or(|(_, _, old)| value(&answer) < value(old)) {
                best = Some(([i, j], pair, answer));
            }
        }
    }
    best.ok_or(ShapeError::EmptyCompound.into())
}

/// Of a compound, the pair of parts with the smallest gap answers: the one that touches first, and the deepest
/// when several overlap.
pub(super) fn answer_pair<'l, S: Kernel<D>, const D: usize>(
    query: &Query<'l>,
    a: Parts<S, D>,
    b: Parts<S, D>,
    defaults: &Defaults,
) -> Result<Answer<'l>, LineError> {
    let options = OptionsIn {
        beta: prescribed::<S, D>(query)?,
        prediction: query.prediction.or(defaults.prediction).unwrap_or(f64::INFINITY),
    };
    let (parts, pair, contact) = least(a, b, |pair| Contact::of(pair, &options), Contact::gap)?;
    let requests = query.requests.or(defaults.requests);
    let compound = a.0.len() > 1 || b.0.len() > 1;
    let solved = contact.resolved.as_ref();
    let differentiate = requests.gradient == Some(true);
    let of_solved = |request: Option<bool>| request == Some(true) && solved.is_some();
    let (radius_a, radius_b) = (pair.a.outer_radius(), pair.b.outer_radius());
    let tolerances = requests.events.and_then(|events| events.options(radius_a, radius_b));
    Ok(Answer {
        parts: compound.then_some(parts),
        gradient: solved.filter(|_| differentiate).map(|resolved| S::motion_gradient_of(&pair, resolved)),
        events: tolerances
            .filter(|_| solved.is_some())
            .map(|tolerances| S::events(&pair, &contact.answer, &tolerances, differentiate)),
        euclidean: if requests.euclidean == Some(true) {
            // Of all pairs of parts the nearest, or the deepest.
            let answer_query = |pair: &PosedPair<S, D>| Ok(S::euclidean(pair)?);
            Some(euclidean_answer(&least(a, b, answer_query, |answer| answer.distance)?.2))
        } else {
            None
        },
        ranges: of_solved(requests.ranges).then(|| ranges_as_given(&pair, &contact.answer)).transpose()?,
        subdifferential: of_solved(requests.subdifferential)
            .then(|| generalized_gradients(&pair, &contact.answer))
            .transpose()?,
        ..base_answer(query, contact, &pair)
    })
}

fn prescribed<S: Kernel<D>, const D: usize>(query: &Query) -> Result<Option<SVector<f64, D>>, LineError> {
    let Some(given) = &query.beta else { return Ok(None) };
    given.vector().map(Some).ok_or_else(|| LineError::Dimension(S::BETA_DIMENSION_ERROR.into()))
}

fn euclidean_answer<const D: usize>(answer: &EuclideanIn<D>) -> EuclideanAnswer {
    EuclideanAnswer {
        distance: answer.distance,
        normal: answer.normal.into(),
        point_a: answer.point_a.into(),
        point_b: answer.point_b.into(),
        certificate: Certificate { lower: answer.lower, upper: answer.upper },
    }
}

/// The answer without what is given on request.
fn base_answer<'l, S: Kernel<D>, const D: usize>(
    query: &Query<'l>,
    contact: Contact<D>,
    pair: &PosedPair<S, D>,
) -> Answer<'l> {
    let Contact { answer, resolved } = contact;
    let mut base_answer = Answer {
        id: query.id,
        outcome: outcome_name(answer.outcome),
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
        subdifferential: None,
    };
    if let Some(resolved) = resolved {
        let active =
            |weights: Vec<(u32, f64)>| weights.into_iter().filter(|&(_, weight)| weight > ZERO_WEIGHT);
        base_answer.gap = resolved.gap();
        base_answer.normal = resolved.normal().into();
        base_answer.alpha = resolved.alpha.into();
        base_answer.point_a = Some(resolved.point_a.into());
        base_answer.point_b = Some(resolved.point_b.into());
        base_answer.features = Some([resolved.features.0, resolved.features.1].map(S::feature_name));
        base_answer.weights_a = Weights::as_given(active(resolved.weights_a), pair.a.sources());
        base_answer.weights_b = Weights::as_given(active(resolved.weights_b), pair.b.sources());
    }
    base_answer
}

/// Active vertices up to which gradients with respect to vertices are listed: their number grows like the fourth power.
const LISTED_VERTICES: usize = 16;

/// All generalized gradients, vertices by the indices of the input.
fn generalized_gradients<S: Kernel<D>, const D: usize>(
    pair: &PosedPair<S, D>,
    answer: &SeparationIn<D>,
) -> Result<SubdifferentialAnswer, LineError> {
    let (motions, set) = S::subdifferential(pair, answer)?;
    let vertices = set.vertices();
    let given = |gradients: Vec<(u32, SVector<f64, D>)>, sources: &[u32]| {
        Sparse::as_given(gradients.into_iter().map(|(k, gradient)| (k, gradient.into())), sources)
    };
    let by_vertex = |[a, b]: VertexGradient<D>| VertexGradients {
        a: given(a, pair.a.sources()),
        b: given(b, pair.b.sources()),
    };
    let listed = vertices.active_count() <= LISTED_VERTICES;
    let vertices = listed.then(|| vertices.extreme_gradients().into_iter().map(by_vertex).collect());
    Ok(SubdifferentialAnswer { motions, vertices })
}

/// Ranges by the indices of the input.
fn ranges_as_given<S: Kernel<D>, const D: usize>(
    pair: &PosedPair<S, D>,
    answer: &SeparationIn<D>,
) -> Result<answer::Ranges, LineError> {
    let found = S::ranges(pair, answer)?;
    let entry = |&(index, least, greatest): &(u32, f64, f64)| (index, [least, greatest]);
    Ok(answer::Ranges {
        alpha: found.alpha.iter().map(|&(least, greatest)| [least + 0.0, greatest + 0.0]).collect(),
        weights_a: Sparse::as_given(found.weights_a.iter().map(entry), pair.a.sources()),
        weights_b: Sparse::as_given(found.weights_b.iter().map(entry), pair.b.sources()),
    })
}

/// How a query ended, in one word.
fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Solved => "solved",
        Outcome::Beyond => "beyond",
        Outcome::Missed => "missed",
    }
}
