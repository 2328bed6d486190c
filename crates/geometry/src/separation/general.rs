//! Separation of bounded convex bodies of any kind, along the line of centres or a prescribed direction.

use super::answer::{Options, Outcome, QueryError, Separation, WarmStart};
use super::curved::{CurvedOutcome, cast_curved};
use super::pieces::PiecePair;
use super::polytope::{beyond, check_scale, portal_bound, ray, world_answer};
use super::portal::{CastOutcome, Point, Portal, RayCast, SupportMap, cast};
use super::relative::RelativePose;
use super::small::{V, add_scaled, complete, cross, dot, norm, scale, sub};
use super::solution::{PortalSolution, better, perturbed_casts, price, solution_at};
use super::support::PolytopePair;
use crate::shapes::Solid;
use crate::tolerances::separation::general::INTERIOR_REACH;
use crate::{Pose, Vec3, tolerances};
use nalgebra::SVector;

/// Most support queries of the search for a first portal. Each one cuts off a corner of a planar polygon.
const PHASE_ONE_LIMIT: u32 = 200;

/// Separation of two bounded solids.
pub(crate) fn separation_of_solids(
    a: &Solid,
    pose_a: &Pose,
    b: &Solid,
    pose_b: &Pose,
    options: &Options,
    warm: &mut WarmStart,
) -> Result<Separation, QueryError> {
    QueryError::unless_finite(pose_a, pose_b)?;
    let relative = RelativePose::new(pose_a, a.reference().as_ref(), pose_b, b.reference().as_ref());
    let size = a.outer_radius() + b.outer_radius();
    check_scale(size, norm(&relative.t))?;
    let line = line(&relative, size, pose_a, options, warm)?;
    if norm(&relative.t) - size > line.prediction {
        return Ok(with_prescribed(beyond(pose_a, &line, warm, line.distance - size, 0), options));
    }
    let rho = a.inner_radius() + b.inner_radius();
    let answer = match (a, b) {
        (Solid::Polytope(p), Solid::Polytope(q)) => {
            let mut pair = PolytopePair { a: p, b: q, r: relative.r, hint: [0, 0] };
            along(&mut pair, a, pose_a, line, rho, warm)
        }
        (Solid::Sphere(p), Solid::Sphere(q)) if options.beta.is_none() => {
            spheres(p.radius(), q.radius(), pose_a, &line, warm)
        }
        _ => {
            let curved = RayCast { tolerance: tolerances::CURVED, ..line };
            let mut pair = PiecePair { a, b, r: relative.r, hint: [0, 0] };
            solve_curved_along(&mut pair, a, pose_a, curved, rho, warm)
        }
    };
    Ok(with_prescribed(answer, options))
}

fn with_prescribed(mut answer: Separation, options: &Options) -> Separation {
    answer.prescribed = options.beta.is_some();
    answer
}

/// The line to cast: through the reference points, or along the prescribed direction beside them.
fn line(
    relative: &RelativePose,
    size: f64,
    pose_a: &Pose,
    options: &Options,
    warm: &WarmStart,
) -> Result<RayCast, QueryError> {
    let (distance, d, offset) = match options.beta {
        None => {
            let (distance, d) = ray(&relative.t, size, pose_a, &warm.beta);
            (distance, d, [0.0; 3])
        }
        Some(beta) => {
            let beta = unit_direction(&beta)?;
            let beta: V = pose_a.inverse_direction(&beta).into();
            let distance = dot(&relative.t, &beta);
            // K1 - K2 = M + t: the line s β of K1 - K2 is (s - D) β - t⊥ of M.
            let sideways = add_scaled(&relative.t, &beta, -distance);
            (distance, scale(&beta, -1.0), scale(&sideways, -1.0))
        }
    };
    Ok(RayCast {
        d,
        offset,
        distance,
        size,
        prediction: tolerances::border(options.prediction, size),
        tolerance: tolerances::PORTAL,
    })
}

/// Unit vector along a prescribed direction.
pub(crate) fn unit_direction<const D: usize>(beta: &SVector<f64, D>) -> Result<SVector<f64, D>, QueryError> {
    let largest = beta.amax();
    if !(largest > 0.0 && largest.is_finite() && beta.iter().all(|c| c.is_finite())) {
        return Err(QueryError::BadDirection);
    }
    // Scaled first, so that neither tiny nor huge vectors lose their length to under- or overflow.
    Ok((beta / largest).normalize())
}

/// Two balls: everything lies on the line of centres.
fn spheres(radius_a: f64, radius_b: f64, pose_a: &Pose, line: &RayCast, warm: &mut WarmStart) -> Separation {
    let s = line.distance - (radius_a + radius_b);
    let proof = PortalSolution {
        depth: radius_a + radius_b,
        alpha: scale(&line.d, -1.0),
        weights: [1.0, 0.0, 0.0],
        x: scale(&line.d, radius_a),
        lower: s,
        upper: s,
        id: [[u32::MAX; 2]; 3],
    };
    world_answer(&Vec3::zeros(), pose_a, line, &proof, 0, warm)
}

/// Casts the line, with a search for a first portal where it passes far from the origin.
fn along<S: SupportMap>(
    map: &mut S,
    a: &Solid,
    pose_a: &Pose,
    line: RayCast,
    rho: f64,
    warm: &mut WarmStart,
) -> Separation {
    let mut iterations = 0;
    let (mut portal, near) = match start(map, &line, rho, &mut iterations) {
        Ok(start) => start,
        Err(apart) => return missed_answer(pose_a, &line, &apart, warm, iterations),
    };
    let first = portal;
    let end = cast(map, &mut portal, &line, &mut iterations);
    if end == CastOutcome::Beyond {
        let lower = portal_bound(map, &portal, &line);
        return beyond(pose_a, &line, warm, lower, iterations);
    }
    let rise = if let CastOutcome::Converged(rise) = end { rise } else { price(map, &portal, &line) };
    let mut proof = solution_at(&portal, &line, rise);
    let converged = |p: &Option<PortalSolution>| {
        p.as_ref().is_some_and(|p| p.gap() <= tolerances::CERTIFICATE * line.size)
    };
    if !converged(&proof) {
        let reach = if near { rho } else { line.size };
        let start = |shift: &V| first.shifted(shift, -1.0, &line.d);
        proof = better(proof, perturbed_casts(map, &line, reach, start, &mut iterations));
    }
    match proof {
        Some(proof) => {
            let may_graze = !near && (is_grazing(&proof) || proof.gap() > 1e-11 * line.size);
            let [p, q, r] = portal.outward(&line.d);
            if may_graze && let Some(apart) = grazing(map, &line, &[p, q, r, sideways(&proof, &line)]) {
                return missed_answer(pose_a, &line, &apart, warm, iterations);
            }
            world_answer(&a.reference(), pose_a, &line, &proof, iterations, warm)
        }
        None => beyond(pose_a, &line, warm, line.distance - line.size, iterations),
    }
}

/// As [`along`], where at least one body is curved.
fn solve_curved_along(
    map: &mut PiecePair,
    a: &Solid,
    pose_a: &Pose,
    line: RayCast,
    rho: f64,
    warm: &mut WarmStart,
) -> Separation {
    let mut iterations = 0;
    let (portal, near) = match start(map, &line, rho, &mut iterations) {
        Ok(start) => start,
        Err(apart) => return missed_answer(pose_a, &line, &apart, warm, iterations),
    };
    match cast_curved(map, portal, &line, &mut iterations) {
        CurvedOutcome::Beyond(lower) => beyond(pose_a, &line, warm, lower, iterations),
        CurvedOutcome::Solved(proof) if !near && is_grazing(&proof) => {
            let out = sideways(&proof, &line);
            let apart = grazing(map, &line, &[out]).unwrap_or((out, 0.0));
            missed_answer(pose_a, &line, &apart, warm, iterations)
        }
        CurvedOutcome::Solved(mut proof) => {
            // Piece numbers mean nothing outside: only polytopes have vertices to name.
            for (side, solid) in [a, map.b].iter().enumerate() {
                if !matches!(solid, Solid::Polytope(_)) {
                    proof.id.iter_mut().for_each(|id| id[side] = u32::MAX);
                }
            }
            world_answer(&a.reference(), pose_a, &line, &proof, iterations, warm)
        }
    }
}

/// A first portal, and whether it consists of interior points; or a direction in which the line misses.
fn start<S: SupportMap>(
    map: &mut S,
    line: &RayCast,
    rho: f64,
    iterations: &mut u32,
) -> Result<(Portal, bool), (V, f64)> {
    if norm(&line.offset) < INTERIOR_REACH * rho {
        return Ok((Portal::interior(&line.d, rho, &line.offset), true));
    }
    Ok((discover_portal(map, line, iterations)?, false))
}

/// Three points of the difference around a line that need not pass near the origin, or a direction orthogonal
/// to it along which the whole difference lies on one side (and by how much): a planar search in the projection
/// along the line.
fn discover_portal<S: SupportMap>(
    map: &mut S,
    line: &RayCast,
    iterations: &mut u32,
) -> Result<Portal, (V, f64)> {
    let d = &line.d;
    let flat = |w: &V| add_scaled(w, d, -dot(w, d));
    let mut price = |n: &V| -> Result<Point, (V, f64)> {
        *iterations += 1;
        let mut p = map.support(n);
        p.w = sub(&p.w, &line.offset);
        let height = dot(n, &p.w);
        // Touching the silhouette counts as missing: no portal of positive area exists there.
        if height > 1e-15 * line.size * norm(n) { Ok(p) } else { Err((*n, -height)) }
    };
    let towards = if norm(&line.offset) > 0.0 { line.offset } else { complete(d).0 };
    let a = price(&towards)?;
    let b = price(&scale(&flat(&a.w), -1.0))?;
    let (mut a, mut b) = (a, b);
    for _ in 0..PHASE_ONE_LIMIT {
        // Across the segment a b, towards the line.
        let side = cross(&flat(&sub(&b.w, &a.w)), d);
        let n = if dot(&side, &a.w) < 0.0 { side } else { scale(&side, -1.0) };
        let c = price(&n)?;
        let portal = Portal::new([a, b, c], d);
        let portal =
            if portal.m[0] + portal.m[1] + portal.m[2] < 0.0 { Portal::new([b, a, c], d) } else { portal };
        if portal.m.iter().all(|&m| m >= 0.0) {
            return Ok(portal);
        }
        // The line is beyond a side at c: keep that side.
        let [p, q, _] = portal.corner;
        if portal.m[1] < portal.m[2] {
            (a, b) = (q, c);
        } else {
            (a, b) = (c, p);
        }
    }
    // A silhouette grazed within rounding.
    Err((cross(&flat(&sub(&b.w, &a.w)), d), 0.0))
}

/// Whether a line far from the centres only grazes the difference: it is within about [`tolerances::GRAZING`] of
/// the size of its silhouette, where `s` changes by the size of the bodies when they move sideways by that.
fn is_grazing(proof: &PortalSolution) -> bool {
    !(norm(&proof.alpha) * tolerances::GRAZING < 1.0)
}

/// The part of a proof's outward normal that is orthogonal to the line, as a unit vector.
fn sideways(proof: &PortalSolution, line: &RayCast) -> V {
    let out = scale(&add_scaled(&proof.alpha, &line.d, 1.0), -1.0);
    scale(&out, 1.0 / norm(&out))
}

/// A grazing line counts as one that passes by: that of the directions `out` in which the difference reaches least
/// far beyond the line, if that is within the tolerance, and minus that reach.
fn grazing<S: SupportMap>(map: &mut S, line: &RayCast, out: &[V]) -> Option<(V, f64)> {
    let mut least = (f64::INFINITY, line.d);
    for direction in out {
        let height = dot(direction, &sub(&map.support(direction).w, &line.offset));
        if height < least.0 {
            least = (height, *direction);
        }
    }
    (least.0 <= 10.0 * tolerances::GRAZING * line.size).then_some((least.1, -least.0))
}

/// The answer where a prescribed line passes beside the Minkowski difference.
fn missed_answer(
    pose_a: &Pose,
    line: &RayCast,
    apart: &(V, f64),
    warm: &mut WarmStart,
    iterations: u32,
) -> Separation {
    let length = norm(&apart.0);
    let mut answer = beyond(pose_a, line, warm, f64::INFINITY, iterations);
    answer.outcome = Outcome::Missed;
    answer.alpha = -pose_a.direction(&Vec3::from(apart.0)) / length;
    answer.lower = apart.1 / length;
    answer
}
