//! The portal method in the plane: two points of the Minkowski difference on either side of the ray.
//!
//! As in space (`portal.rs`), with `c = d × w` the sideways coordinate: `c1 <= 0 <= c2`, normal
//! `N = (w2 - w1)` turned outward, `<N, d> = c2 - c1`, weights `λ1 = c2/(c2 - c1)`, `λ2 = -c1/(c2 - c1)`.

use super::planar_pair::{PlanarPair, PlanarPoint};
use super::portal::INTERIOR;
use super::solution::PortalSolutionIn;
use crate::tolerances;
use crate::tolerances::kernel::ON_LINE;

/// A planar vector.
pub(crate) type P = [f64; 2];

#[inline(always)]
pub(crate) fn dot(a: &P, b: &P) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[inline(always)]
pub(crate) fn cross(a: &P, b: &P) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[inline(always)]
pub(crate) fn sub(a: &P, b: &P) -> P {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline(always)]
pub(crate) fn scale(a: &P, s: f64) -> P {
    [a[0] * s, a[1] * s]
}

#[inline(always)]
pub(crate) fn add_scaled(a: &P, b: &P, s: f64) -> P {
    [a[0] + b[0] * s, a[1] + b[1] * s]
}

pub(crate) fn norm(a: &P) -> f64 {
    dot(a, a).sqrt()
}

/// The line to cast; the fields mean what they mean in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanarRayCast {
    pub d: P,
    pub distance: f64,
    pub size: f64,
    pub prediction: f64,
}

/// The solution at a portal in the plane.
pub(crate) type PlanarPortalSolution = PortalSolutionIn<2>;

/// How a planar cast ended.
pub(crate) enum PlanarCastOutcome {
    Solved(PlanarPortalSolution),
    Beyond(f64),
}

/// Most support queries; polygons need a handful.
const LIMIT: u32 = 400;

/// Two interior points on either side of the ray.
pub(crate) fn interior(d: &P, rho: f64, offset: &P) -> [PlanarPoint; 2] {
    let side = [-d[1], d[0]];
    [-1.0, 1.0].map(|sign| PlanarPoint {
        w: sub(&add_scaled(&scale(d, 0.819 * rho), &side, sign * 0.573 * rho), offset),
        x: [0.0; 2],
        id: [INTERIOR; 2],
    })
}

/// Casts the line through the difference of two polygons, from two points with the line between them (the right one
/// first).
pub(crate) fn cast_polygons(
    pair: &PlanarPair,
    mut corner: [PlanarPoint; 2],
    cast: &PlanarRayCast,
    count: &mut u32,
) -> PlanarCastOutcome {
    let d = &cast.d;
    let mut c = corner.map(|p| cross(d, &p.w));
    // The lowest supporting line seen: τ <= height.
    let mut lowest = (f64::INFINITY, *d);
    for _ in 0..LIMIT {
        let width = c[1] - c[0];
        let e = sub(&corner[1].w, &corner[0].w);
        let n = [e[1] / width, -e[0] / width];
        // One up to rounding; the chord of a collapsed portal is not.
        let nd = dot(&n, d);
        if !(width > 0.0 && nd > 0.5 && nd < 2.0) {
            break;
        }
        let n = scale(&n, 1.0 / nd);
        let p = pair.support(&n);
        *count += 1;
        let seen = corner.iter().any(|q| q.id == p.id);
        let pierced = (c[1] * dot(&corner[0].w, d) - c[0] * dot(&corner[1].w, d)) / width;
        let height = if seen { pierced } else { dot(&n, &p.w).max(pierced) };
        if height < lowest.0 {
            lowest = (height, n);
        }
        let apart = cast.distance - height;
        if apart > cast.prediction * norm(&n) {
            return PlanarCastOutcome::Beyond(apart);
        }
        let rises = dot(&n, &sub(&p.w, &corner[0].w)) > 0.0;
        if !rises || lowest.0 - pierced <= cast.size * (tolerances::PORTAL + ON_LINE * norm(&lowest.1)) {
            break;
        }
        let cp = cross(d, &p.w);
        let side = (cp > 0.0 || (cp == 0.0 && c[1] > -c[0])) as usize;
        corner[side] = p;
        c[side] = cp;
    }
    PlanarCastOutcome::Solved(read_solution(&corner, &c, cast, lowest.0, &lowest.1))
}

/// The solution at the line between two corners under the supporting line `<n, w> = height`, `<n, d> = 1`.
pub(crate) fn read_solution(
    corner: &[PlanarPoint; 2],
    c: &P,
    cast: &PlanarRayCast,
    height: f64,
    n: &P,
) -> PlanarPortalSolution {
    let raw = [c[1].max(0.0), (-c[0]).max(0.0)];
    let total = raw[0] + raw[1];
    // Both corners on the line: the outer one is pierced.
    let outer = dot(&corner[1].w, &cast.d) > dot(&corner[0].w, &cast.d);
    let weights =
        if total > 0.0 { scale(&raw, 1.0 / total) } else { [!outer as u8 as f64, outer as u8 as f64] };
    // A line through a corner may leave an interior point, which can carry rounding only: it is no vertex to report.
    let (corner, weights) = match corner.map(|p| p.id[0] == INTERIOR) {
        [true, false] => ([corner[1]; 2], [0.0, 1.0]),
        [false, true] => ([corner[0]; 2], [1.0, 0.0]),
        _ => (*corner, weights),
    };
    let mix = |p: &P, q: &P| add_scaled(&scale(p, weights[0]), q, weights[1]);
    let w = mix(&corner[0].w, &corner[1].w);
    let depth = dot(&w, &cast.d);
    let residual = norm(&add_scaled(&w, &cast.d, -depth));
    let sideways = if residual > ON_LINE * cast.size { residual * norm(n) } else { 0.0 };
    let upper = cast.distance - depth;
    PlanarPortalSolution {
        depth,
        alpha: scale(n, -1.0),
        weights,
        x: mix(&corner[0].x, &corner[1].x),
        lower: upper - (height - depth).max(0.0),
        upper: upper + sideways,
        id: [corner[0].id, corner[1].id],
    }
}
