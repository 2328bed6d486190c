//! The solution at a portal: weights, contact point and direction, with a lower and an upper bound of s.
//!
//! The areas of the triangles that the line makes with the portal's sides are the dual weights; the weighted points
//! give the contact, the portal's plane bounds s above and the supporting plane parallel to it below.

use super::portal::{CastOutcome, Portal, RayCast, SupportMap, cast, is_sliver};
use super::small::{V, add_scaled, complete, cross, dot, norm, positive, scale, sub};
use crate::tolerances;
use crate::tolerances::kernel::SIDEWAYS;

/// The solution at a portal in `D` dimensions with its bounds, all in body a's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortalSolutionIn<const D: usize> {
    /// Distance along the ray at which the portal is pierced.
    pub depth: f64,
    /// `<α,d> = -1`.
    pub alpha: [f64; D],
    /// Non-negative, summing to one.
    pub weights: [f64; D],
    /// Contact point on body a relative to its reference point.
    pub x: [f64; D],
    /// Lower and upper bound of s.
    pub lower: f64,
    pub upper: f64,
    pub id: [[u32; 2]; D],
}

/// The solution at a portal in space.
pub(crate) type PortalSolution = PortalSolutionIn<3>;

impl PortalSolution {
    pub(crate) fn gap(&self) -> f64 {
        // NaN must lose every comparison.
        if self.upper >= self.lower { self.upper - self.lower } else { f64::INFINITY }
    }
}

/// How far the supporting plane rises above the portal along the ray: one more pricing, for a portal that was
/// found with another line.
pub(crate) fn price<S: SupportMap>(map: &mut S, portal: &Portal, cast: &RayCast) -> f64 {
    let n = portal.normal();
    let p = map.support(&n);
    if portal.holds(p.id) {
        return 0.0;
    }
    let w = sub(&p.w, &cast.offset);
    let rise = portal.corner.iter().map(|q| dot(&n, &sub(&w, &q.w))).fold(f64::INFINITY, f64::min);
    rise.max(0.0) / dot(&n, &cast.d)
}

/// Reads off the solution at the line `o + τ d` (which may differ slightly from the one the portal was
/// found with) with clamped weights; `rise` is what the portal lacks to the supporting plane along the ray.
#[inline(always)]
pub(crate) fn solution_at(portal: &Portal, cast: &RayCast, rise: f64) -> Option<PortalSolution> {
    let d = &cast.d;
    let (mut n, [mut ab, mut ac]) = portal.plain_normal();
    let ordered;
    let portal = if is_sliver(&n, &ab, &ac) {
        ordered = portal.ordered(d);
        (n, [ab, ac]) = ordered.plain_normal();
        &ordered
    } else {
        portal
    };
    let nd = dot(&n, d);
    // The areas add up to <N, d>; the one at the longest side, which rounds most, is what the others leave.
    let ad = cross(&portal.corner[0].w, d);
    let (second, third) = (dot(&ac, &ad), -dot(&ab, &ad));
    let raw = [positive(nd - second - third), positive(second), positive(third)];
    let total = raw[0] + raw[1] + raw[2];
    if !(nd > 0.0 && total > 0.0) {
        return None;
    }
    let [a, b, c] = &portal.corner;
    let mut weights = scale(&raw, 1.0 / total);
    let mut w = mixed(&weights, &a.w, &b.w, &c.w);
    let mut depth = dot(&w, d);
    let alpha = scale(&n, -1.0 / nd);
    // Where the clamped weights miss the line, sideways, the bound on s is uncertain by that times the slope;
    // within the rounding of the coordinates themselves it has no meaning.
    let within = SIDEWAYS * cast.size;
    let missed = |w: &V, depth: f64| {
        let beside = add_scaled(w, d, -depth);
        dot(&beside, &beside)
    };
    let mut sideways = 0.0;
    if missed(&w, depth) > within * within {
        weights = refined(portal, &weights, &w, d, nd);
        w = mixed(&weights, &a.w, &b.w, &c.w);
        depth = dot(&w, d);
        let residual = missed(&w, depth).sqrt();
        if residual > within {
            sideways = residual * norm(&alpha);
        }
    }
    let upper = cast.distance - depth;
    Some(PortalSolution {
        depth,
        alpha,
        weights,
        x: mixed(&weights, &a.x, &b.x, &c.x),
        lower: upper - rise,
        upper: upper + sideways,
        id: [a.id, b.id, c.id],
    })
}

/// Weights improved by one step of iterative refinement: a portal seen at a grazing angle is a sliver to the line,
/// and ratios of its areas miss the line by the slope times the rounding. `w` is the weighted point.
#[cold]
fn refined(portal: &Portal, weights: &V, w: &V, d: &V, nd: f64) -> V {
    let [a, b, c] = &portal.corner;
    let (ab, ac) = (sub(&b.w, &a.w), sub(&c.w, &a.w));
    // Of the part beside the line only: what rounding leaves along it the long sides would magnify.
    let dw = cross(d, &add_scaled(w, d, -dot(w, d)));
    let (second, third) = (-dot(&ac, &dw) / nd, dot(&ab, &dw) / nd);
    let next = [weights[0] - second - third, weights[1] + second, weights[2] + third].map(positive);
    let better = mixed(&next, &a.w, &b.w, &c.w);
    let missed = |w: &V| norm(&add_scaled(w, d, -dot(w, d)));
    if missed(&better) < missed(w) { scale(&next, 1.0 / (next[0] + next[1] + next[2])) } else { *weights }
}

fn mixed(weights: &V, a: &V, b: &V, c: &V) -> V {
    add_scaled(&add_scaled(&scale(a, weights[0]), b, weights[1]), c, weights[2])
}

/// The solution with the narrower bounds.
pub(crate) fn better(old: Option<PortalSolution>, new: Option<PortalSolution>) -> Option<PortalSolution> {
    let gap = |p: &Option<PortalSolution>| p.as_ref().map_or(f64::INFINITY, PortalSolution::gap);
    if gap(&new) < gap(&old) { new } else { old }
}

/// Degenerate lines pass exactly through edges and corners of the difference, where pivoting may stall. The
/// line is shifted sideways by a little (1e-9 ... 1e-4 of `reach`), solved from the portal that `start` gives for
/// the shift, and the portal found is evaluated at the true line; the solution with the closest bounds is returned.
#[cold]
pub(crate) fn perturbed_casts<S: SupportMap>(
    map: &mut S,
    line: &RayCast,
    reach: f64,
    start: impl Fn(&V) -> Portal,
    iterations: &mut u32,
) -> Option<PortalSolution> {
    let (u, v) = complete(&line.d);
    let mut best: Option<PortalSolution> = None;
    for attempt in 0..24u32 {
        let length = reach * 10f64.powi(-9 + (attempt / 4) as i32);
        // Turned by the golden angle from one attempt to the next: no two shifts lie on one line.
        let (sin, cos) = (0.5 + 2.399_963_229_728_653 * attempt as f64).sin_cos();
        let shift = add_scaled(&scale(&u, length * cos), &v, length * sin);
        let mut portal = start(&shift);
        let shifted =
            RayCast { offset: add_scaled(&line.offset, &shift, 1.0), prediction: f64::INFINITY, ..*line };
        if cast(map, &mut portal, &shifted, iterations) == CastOutcome::Stalled {
            continue;
        }
        let portal = portal.shifted(&shift, 1.0, &line.d);
        let rise = price(map, &portal, line);
        best = better(best, solution_at(&portal, line, rise));
        if best.as_ref().is_some_and(|b| b.gap() <= tolerances::CERTIFICATE * line.size) {
            break;
        }
    }
    best
}
