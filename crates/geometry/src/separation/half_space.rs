//! Separation of a bounded body from a half-space: one support query, in closed form.
//!
//! `K1 - K2` is itself a half-space, so the LP has one optimal direction: `α = n/<n, β>` with the outward normal
//! `n`. Without a prescribed β the normal is β, and `s` is the plain distance to the plane. The ratio
//! metric grows the bounded body only [Hart, remark 2.18].

use super::answer::{OptionsIn, Outcome, QueryError, SeparationIn, WarmStartIn};
use super::general::unit_direction;
use crate::PoseIn;
use crate::shapes::Convex;
use nalgebra::SVector;

/// Separation of a pair of which one body is a half-space; `None` for two bounded bodies.
pub(crate) fn separation_from_half_space<const D: usize, S: Convex<D>>(
    a: &S,
    pose_a: &PoseIn<D>,
    b: &S,
    pose_b: &PoseIn<D>,
    options: &OptionsIn<D>,
    warm: &mut WarmStartIn<D>,
) -> Option<Result<SeparationIn<D>, QueryError>> {
    match (a.half_space(), b.half_space()) {
        (None, None) => None,
        (None, Some(plane)) => Some(above(a, pose_a, plane, pose_b, false, options, warm)),
        (Some(plane), None) => Some(above(b, pose_b, plane, pose_a, true, options, warm)),
        (Some(_), Some(_)) => Some(Err(QueryError::BothUnbounded)),
    }
}

/// Separation of a body from the half-space `<normal, x> <= offset` (its frame); with `swapped` the half-space is the
/// caller's body a, and the answer is mirrored.
fn above<const D: usize>(
    body: &impl Convex<D>,
    pose: &PoseIn<D>,
    (normal, offset): (SVector<f64, D>, f64),
    pose_half: &PoseIn<D>,
    swapped: bool,
    options: &OptionsIn<D>,
    warm: &mut WarmStartIn<D>,
) -> Result<SeparationIn<D>, QueryError> {
    if swapped {
        QueryError::unless_finite(pose_half, pose)?
    } else {
        QueryError::unless_finite(pose, pose_half)?
    }
    let n = pose_half.direction(&normal);
    let sign = if swapped { -1.0 } else { 1.0 };
    // β from the half-space to the body.
    let beta = match options.beta {
        None => n,
        Some(beta) => unit_direction(&beta)? * sign,
    };
    let slope = n.dot(&beta);
    if !(slope > f64::EPSILON) {
        return Err(QueryError::IntoHalfSpace);
    }
    let (low, index) = body.furthest(&pose.inverse_direction(&-n)).ok_or(QueryError::BothUnbounded)?;
    // Heights over the plane, from the difference of the positions so that neither loses digits far away.
    let shift = pose.position - pose_half.position;
    let height = |point: &SVector<f64, D>| n.dot(&(pose.direction(point) + shift)) - offset;
    let separation = height(&low) / slope;
    let (point, other) = (pose.point(&low), pose.point(&low) - beta * separation);
    let (point_a, point_b) = if swapped { (other, point) } else { (point, other) };
    let pair = if swapped { [u32::MAX, index] } else { [index, u32::MAX] };
    warm.beta = beta * sign;
    Ok(SeparationIn {
        outcome: if separation * slope > options.prediction { Outcome::Beyond } else { Outcome::Solved },
        separation,
        reference_distance: height(&body.reference()) / slope,
        beta: beta * sign,
        prescribed: true,
        alpha: n / slope * sign,
        point_a,
        point_b,
        weights: std::array::from_fn(|k| if k == 0 { 1.0 } else { 0.0 }),
        basis: [pair; D],
        lower: separation,
        upper: separation,
        iterations: 1,
    })
}
