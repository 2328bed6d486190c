//! Separation of a bounded body from a half-space: one support query, in closed form.
//!
//! `K1 - K2` is itself a half-space, so the LP has one optimal direction: `α = n/<n, β>` with the outward normal
//! `n`. Without a prescribed β the normal itself serves, and `s` is the plain distance to the plane. The ratio
//! metric grows the bounded body only [Hart, remark 2.18].

use super::answer::{Options, Outcome, QueryError, Separation, Warm};
use super::general::unit_direction;
use super::polytope::finite;
use crate::shapes::{HalfSpace, Solid};
use crate::{Pose, Vec3};

/// Separation of body `a` from the half-space `b`; with `swapped` the half-space is the caller's body a, and the
/// answer is mirrored.
pub(crate) fn separation_from_half_space(
    solid: &Solid,
    pose_solid: &Pose,
    half_space: &HalfSpace,
    pose_half: &Pose,
    swapped: bool,
    options: &Options,
    warm: &mut Warm,
) -> Result<Separation, QueryError> {
    if swapped {
        finite(pose_half, pose_solid)?
    } else {
        finite(pose_solid, pose_half)?
    }
    let n = pose_half.direction(&half_space.normal());
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
    let down = pose_solid.inverse_direction(&-n);
    let (low, index) = match solid {
        Solid::Polytope(p) => {
            let index = p.support_index(&down);
            (p.vertices()[index], index as u32)
        }
        _ => (solid.support(&down).ok_or(QueryError::BothUnbounded)?, u32::MAX),
    };
    // Heights over the plane, from the difference of the positions so that neither loses digits far away.
    let shift = pose_solid.position - pose_half.position;
    let height = |point: &Vec3| n.dot(&(pose_solid.direction(point) + shift)) - half_space.offset();
    let separation = height(&low) / slope;
    let (point, other) = (pose_solid.point(&low), pose_solid.point(&low) - separation * beta);
    let (point_a, point_b) = if swapped { (other, point) } else { (point, other) };
    let pair = if swapped { [u32::MAX, index] } else { [index, u32::MAX] };
    warm.beta = beta * sign;
    Ok(Separation {
        outcome: if separation * slope > options.prediction { Outcome::Beyond } else { Outcome::Solved },
        separation,
        reference_distance: height(&solid.reference()) / slope,
        beta: beta * sign,
        prescribed: true,
        alpha: n / slope * sign,
        point_a,
        point_b,
        weights: [1.0, 0.0, 0.0],
        basis: [pair; 3],
        lower: separation,
        upper: separation,
        iterations: 1,
    })
}
