//! The portal method for bodies with curved surfaces, where portal normals alone converge slowly.
//!
//! On a curved surface the portal normal finds a point near the middle of the portal, wherever the ray is: the
//! portal shrinks like a bisection. But each corner `w_i` was found along a known normal `n_i`, and the wanted
//! normal is the one whose support point lies on the ray. Interpolating the normals with the weights that
//! interpolate the corners to the ray, `n = Σ λ_i n_i`, is the secant method for that equation. The two
//! kinds of step alternate, and every so often Newton's method on the pieces of the portal (`pieces.rs`) is tried
//! from the best direction so far; the first candidate whose bounds meet ends the search.
//!
//! Both bounds stay proven throughout: every support plane bounds s below, every portal above; the best are kept.

use super::pieces::{Candidate, PiecePair, newton};
use super::portal::{INTERIOR, Point, Portal, RayCast, SupportMap};
use super::small::{V, add_scaled, dot, norm, scale, sub};
use super::solution::PortalSolution;

/// Most support queries: bisection alone reaches rounding in about 150.
const LIMIT: u32 = 300;

/// Support queries between two attempts with Newton's method.
const NEWTON_EVERY: u32 = 4;

/// How a curved cast ended.
pub(crate) enum CurvedOutcome {
    /// Bounds as tight as they got.
    Solved(PortalSolution),
    /// Proven further apart than the prediction distance; a lower bound of s.
    Beyond(f64),
}

/// Casts the line from a first portal whose corners are interior points or were found along unknown normals.
pub(crate) fn cast_curved(
    map: &mut PiecePair,
    mut portal: Portal,
    cast: &RayCast,
    count: &mut u32,
) -> CurvedOutcome {
    let d = &cast.d;
    // Normals along which the corners were found; zero where unknown.
    let mut normals = [[0.0; 3]; 3];
    // The lowest supporting plane seen: τ <= height, with <n, d> = 1.
    let mut best = (f64::INFINITY, *d);
    let mut interpolate = false;
    let allowed = |n: &V| cast.size * (cast.tolerance + 2e-16 * norm(n));
    for iteration in 1..=LIMIT {
        let known = normals.iter().all(|n| n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0);
        let total = portal.m[0] + portal.m[1] + portal.m[2];
        let weights = [portal.m[1] / total, portal.m[2] / total, portal.m[0] / total];
        let n = if interpolate && known {
            let mixed = add_scaled(&scale(&normals[0], weights[0]), &normals[1], weights[1]);
            add_scaled(&mixed, &normals[2], weights[2])
        } else {
            portal.normal()
        };
        let nd = dot(&n, d);
        if !(nd > 0.0) {
            break;
        }
        let n = scale(&n, 1.0 / nd);
        let mut p = map.support(&n);
        *count += 1;
        p.w = sub(&p.w, &cast.offset);
        let height = dot(&n, &p.w);
        if height < best.0 {
            best = (height, n);
        }
        let apart = cast.distance - height;
        if apart > cast.prediction * norm(&n) {
            return CurvedOutcome::Beyond(apart);
        }
        let pierced = mixed(&portal.corner.map(|c| c.w), &weights);
        if best.0 - dot(&pierced, d) <= allowed(&best.1) {
            break;
        }
        // A point found along an interpolated normal may lie below the portal: it is not used.
        let rises = dot(&portal.normal(), &sub(&p.w, &portal.corner[0].w)) > 0.0;
        let before = portal;
        if rises && portal.pivot(&p, d, cast.size) {
            for (k, corner) in portal.corner.iter().enumerate() {
                if corner.w != before.corner[k].w {
                    normals[k] = n;
                }
            }
        } else if !interpolate {
            break;
        }
        interpolate = !interpolate;
        if known
            && iteration % NEWTON_EVERY == 0
            && let Some(proof) = attempt(map, cast, &best.1, &portal, count, allowed)
        {
            return CurvedOutcome::Solved(proof);
        }
    }
    let last = attempt(map, cast, &best.1, &portal, count, |_| f64::INFINITY);
    let plain = read_solution(&portal, cast, &best);
    CurvedOutcome::Solved(match last {
        Some(proof) if proof.gap() < plain.gap() => proof,
        _ => plain,
    })
}

fn mixed(points: &[V; 3], weights: &V) -> V {
    add_scaled(&add_scaled(&scale(&points[0], weights[0]), &points[1], weights[1]), &points[2], weights[2])
}

/// Newton from the direction `n` with the portal's pieces; a proof if its bounds meet within `allowed`.
fn attempt(
    map: &mut PiecePair,
    cast: &RayCast,
    n: &V,
    portal: &Portal,
    count: &mut u32,
    allowed: impl Fn(&V) -> f64,
) -> Option<PortalSolution> {
    if portal.corner.iter().any(|c| c.id[0] == INTERIOR) {
        return None;
    }
    let weights = [portal.m[1].max(0.0), portal.m[2].max(0.0), portal.m[0].max(0.0)];
    let Candidate { n, corner, weights, depth } = newton(map, cast, n, &portal.corner, &weights)?;
    let p = sub(&map.support(&n).w, &cast.offset);
    *count += 1;
    let height = dot(&n, &p);
    if !(height - depth <= allowed(&n)) {
        return None;
    }
    Some(proof(&corner, &weights, cast, height, &n))
}

/// The solution at the ray: point and weights from the portal, direction from the lowest supporting plane.
fn read_solution(portal: &Portal, cast: &RayCast, best: &(f64, V)) -> PortalSolution {
    let mut raw = [portal.m[1].max(0.0), portal.m[2].max(0.0), portal.m[0].max(0.0)];
    let mut corner = portal.corner;
    // A line through a corner may leave interior points, which can carry rounding only: they are no vertices to report.
    if let Some(found) = corner.iter().position(|c| c.id[0] != INTERIOR) {
        for k in 0..3 {
            if corner[k].id[0] == INTERIOR {
                corner[k] = corner[found];
                raw[k] = 0.0;
            }
        }
    }
    let total = raw[0] + raw[1] + raw[2];
    let weights = if total > 0.0 { scale(&raw, 1.0 / total) } else { [1.0, 0.0, 0.0] };
    proof(&corner, &weights, cast, best.0, &best.1)
}

/// Bounds and points of weighted corners under the supporting plane `<n, w> = height`, `<n, d> = 1`.
fn proof(corner: &[Point; 3], weights: &V, cast: &RayCast, height: f64, n: &V) -> PortalSolution {
    let w = mixed(&corner.map(|c| c.w), weights);
    let depth = dot(&w, &cast.d);
    let residual = norm(&add_scaled(&w, &cast.d, -depth));
    let sideways = if residual > 4e-16 * cast.size { residual * norm(n) } else { 0.0 };
    let upper = cast.distance - depth;
    PortalSolution {
        depth,
        alpha: scale(n, -1.0),
        weights: *weights,
        x: mixed(&corner.map(|c| c.x), weights),
        lower: upper - (height - depth).max(0.0),
        upper: upper + sideways,
        id: corner.map(|c| c.id),
    }
}
