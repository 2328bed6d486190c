//! Separation of two polytopes from scratch or from a portal that is far from optimal: whatever `warm.rs` does not solve.

use super::answer::{Options, Outcome, QueryError, Separation, WarmStart};
use super::portal::{CastOutcome, Portal, RayCast, SupportMap, cast};
use super::relative::RelativePose;
use super::small::{V, add_scaled, cross, dot, norm, scale, sub};
use super::solution::{PortalSolution, better, perturbed_casts, price, solution_at};
use super::support::PolytopePair;
use super::warm::Bodies;
use crate::{Pose, Vec3, tolerances};

/// Everything the warm path does not handle: first query, portals far from the optimum, degenerate rays.
#[inline(never)]
pub(crate) fn solve(
    bodies: &Bodies,
    options: &Options,
    warm: &mut WarmStart,
) -> Result<Separation, QueryError> {
    let &Bodies { a, b, pose_a, pose_b } = bodies;
    let mut relative = RelativePose::of_origins(pose_a, pose_b);
    if !(a.is_centred() && b.is_centred()) {
        relative.move_to_references(a.reference().as_ref(), b.reference().as_ref());
    }
    if !relative.is_finite() {
        QueryError::unless_finite(pose_a, pose_b)?;
    }
    let size = a.outer_radius() + b.outer_radius();
    let (distance, d) = ray(&relative.t, size, pose_a, &warm.beta);
    check_scale(size, distance)?;
    let line = RayCast {
        d,
        offset: [0.0; 3],
        distance,
        size,
        prediction: tolerances::border(options.prediction, size),
        tolerance: tolerances::PORTAL,
    };
    if distance - size > line.prediction {
        return Ok(beyond(pose_a, &line, warm, distance - size, 0));
    }
    let rho = a.inner_radius() + b.inner_radius();
    let hint = if (warm.basis[0][0] as usize) < a.lanes().count()
        && (warm.basis[0][1] as usize) < b.lanes().count()
    {
        warm.basis[0]
    } else {
        [0, 0]
    };
    let mut pair = PolytopePair { a, b, r: relative.r, hint };
    let mut iterations = 0;
    let mut portal = warm_portal(&mut pair, &line, rho, &warm.basis, &mut iterations);
    let end = cast(&mut pair, &mut portal, &line, &mut iterations);
    if end == CastOutcome::Beyond {
        let lower = portal_bound(&mut pair, &portal, &line);
        return Ok(beyond(pose_a, &line, warm, lower, iterations));
    }
    let rise = if let CastOutcome::Converged(rise) = end { rise } else { price(&mut pair, &portal, &line) };
    let mut proof = solution_at(&portal, &line, rise);
    if !proof.as_ref().is_some_and(|p| p.gap() <= tolerances::CERTIFICATE * size) {
        let start = |shift: &V| Portal::interior(&line.d, rho, shift);
        proof = better(proof, perturbed_casts(&mut pair, &line, rho, start, &mut iterations));
    }
    Ok(match proof {
        Some(proof) => {
            warm.basis = proof.id;
            world_answer(&a.reference(), pose_a, &line, &proof, iterations, warm)
        }
        // Not reached for finite placements: even the interior portal gives bounds.
        None => beyond(pose_a, &line, warm, distance - size, iterations),
    })
}

/// Refuses sizes and distances whose products overflow or vanish.
pub(crate) fn check_scale(size: f64, distance: f64) -> Result<(), QueryError> {
    if size < tolerances::LARGEST && size > 1.0 / tolerances::LARGEST && distance < tolerances::LARGEST {
        return Ok(());
    }
    Err(QueryError::OutOfScale)
}

/// Distance of the reference points and the unit ray `-β` in a's frame; coincident points keep the last β.
pub(crate) fn ray(t: &V, size: f64, pose_a: &Pose, last_beta: &Vec3) -> (f64, V) {
    let distance = norm(t);
    if distance > tolerances::COINCIDENT * size {
        return (distance, scale(t, -1.0 / distance));
    }
    let last = pose_a.inverse_direction(last_beta);
    match last.try_normalize(1e-3) {
        Some(beta) => (distance, [-beta.x, -beta.y, -beta.z]),
        None => {
            let up = pose_a.inverse_direction(&Vec3::z());
            (distance, [-up.x, -up.y, -up.z])
        }
    }
}

/// A portal to start from: the last one if the ray still pierces it; across its edge if the ray left it
/// there; otherwise interior points, into which the last points are inserted.
fn warm_portal(
    pair: &mut PolytopePair,
    line: &RayCast,
    rho: f64,
    basis: &[[u32; 2]; 3],
    iterations: &mut u32,
) -> Portal {
    let (na, nb) = (pair.a.lanes().count() as u32, pair.b.lanes().count() as u32);
    if basis.iter().any(|id| id[0] >= na || id[1] >= nb) {
        *iterations += 1;
        return Portal::first(pair.support(&line.d), &line.d, rho);
    }
    let corner = basis.map(|id| {
        let mut point = pair.point(id);
        point.w = sub(&point.w, &line.offset);
        point
    });
    let old = Portal::new(corner, &line.d);
    let outside = [0, 1, 2].map(|k| old.m[k] < 0.0);
    if !outside[0] && !outside[1] && !outside[2] && old.m[0] + old.m[1] + old.m[2] > 0.0 {
        return old;
    }
    if outside.iter().filter(|&&o| o).count() == 1
        && let Some(i) = outside.iter().position(|&o| o)
        && let Some(portal) = across(pair, line, &old, i, iterations)
    {
        return portal;
    }
    let mut portal = Portal::interior(&line.d, rho, &line.offset);
    for point in corner {
        let rises = dot(&portal.normal(), &sub(&point.w, &portal.corner[0].w)) > 0.0;
        if rises && !portal.holds(point.id) {
            portal.pivot(&point, &line.d, line.size);
        }
    }
    portal
}

/// The ray left `old` across its edge `i`: a support query along the normal tilted over that edge by 45 degrees
/// usually finds the third corner of the neighbouring facet.
fn across(
    pair: &mut PolytopePair,
    line: &RayCast,
    old: &Portal,
    i: usize,
    iterations: &mut u32,
) -> Option<Portal> {
    let (from, to) = (&old.corner[i], &old.corner[(i + 1) % 3]);
    let n = old.normal();
    let edge = sub(&to.w, &from.w);
    let outward = cross(&edge, &n);
    let (n_length, out_length) = (norm(&n), norm(&outward));
    if !(n_length > 0.0 && out_length > 0.0) {
        return None;
    }
    let tilted = add_scaled(&scale(&n, out_length / n_length), &outward, 1.0);
    let mut p = pair.support(&tilted);
    *iterations += 1;
    p.w = sub(&p.w, &line.offset);
    let portal = Portal::new([*to, *from, p], &line.d);
    let inside = portal.m.iter().all(|&m| m >= 0.0) && !old.holds(p.id);
    inside.then_some(portal)
}

/// Lower bound of s that the portal's supporting plane proves.
pub(crate) fn portal_bound<S: SupportMap>(map: &mut S, portal: &Portal, line: &RayCast) -> f64 {
    let n = portal.normal();
    let p = sub(&map.support(&n).w, &line.offset);
    line.distance - dot(&n, &p) / dot(&n, &line.d)
}

/// The world-frame answer of a solution, for a body a with the given reference point.
pub(crate) fn world_answer(
    reference_a: &Vec3,
    pose_a: &Pose,
    line: &RayCast,
    proof: &PortalSolution,
    iterations: u32,
    warm: &mut WarmStart,
) -> Separation {
    warm.beta = -pose_a.direction(&Vec3::from(line.d));
    Separation::solved(proof, pose_a, reference_a, (warm.beta, line.distance), iterations)
}

/// The answer for bodies that are further apart than the prediction distance.
pub(crate) fn beyond(
    pose_a: &Pose,
    line: &RayCast,
    warm: &mut WarmStart,
    lower: f64,
    iterations: u32,
) -> Separation {
    warm.beta = -pose_a.direction(&Vec3::from(line.d));
    Separation::unsolved(Outcome::Beyond, lower, (warm.beta, line.distance), iterations)
}
