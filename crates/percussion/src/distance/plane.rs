//! Queries about bodies in the plane.

use percussion_geometry::separation::{
    Feature, Outcome, PlanarOptions, PlanarSeparation, PlanarWarm, planar_separation,
};
use percussion_geometry::shapes::PlanarShape;
use percussion_geometry::{PlanarPose, ShapeError, Vec2};

use super::answer::{Answer, Certificate, Weights};
use super::body::Part;
use super::query::Query;
use super::solve::Defaults;
use super::space::{feature_word, word};
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
    let compound = a.len() > 1 || b.len() > 1;
    Ok(Answer { parts: compound.then_some([i, j]), ..dressed(query, &answer, &a[i].shape, &b[j].shape) })
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
    let weights_a: Vec<(u32, f64)> = answer.weights_a().collect();
    let weights_b: Vec<(u32, f64)> = answer.weights_b().collect();
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

/// Weights by the index each vertex had in the input, which the hull may have thinned.
fn as_given(shape: &PlanarShape, mut weights: Vec<(u32, f64)>, solved: bool) -> Weights {
    if !solved {
        return Weights::default();
    }
    if let PlanarShape::Polygon(polygon) = shape {
        for (index, _) in &mut weights {
            *index = polygon.sources().get(*index as usize).copied().unwrap_or(*index);
        }
    }
    weights.sort_unstable_by_key(|&(index, _)| index);
    Weights(weights)
}
