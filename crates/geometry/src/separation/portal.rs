//! Minkowski Portal Refinement (MPR) in space [Snethen 2008]: a simplex method on the SSH LP whose pricing is a support query.
//!
//! MPR discovers a portal, a triangle of support points that the ray pierces, and refines it until its supporting plane meets
//! it. Beyond MPR: the refinement ends at the exact optimal basis, not at a tolerance; each step gives a primal and a dual bound of
//! `s` (the certificate); ties and slivers are pivoted so that the ray stays inside up to rounding; the last basis is the
//! warm start of the next query (`warm.rs`).
//!
//! Everything happens in body a's frame with both reference points at the origin. `M = K1 - K2` is the
//! Minkowski difference there, `d = -β` the ray. A *portal* is three points of `M`, counter-clockwise about
//! `d`, whose triangle the line `o + τ d` pierces.
//!
//! ```text
//! N = (w2 - w1) × (w3 - w1)            portal normal
//! p = argmax <N, w> over M             pricing: support of both bodies
//! τ >= <N, w1>/<N, d>                  the portal is in M: upper bound of s = D - τ
//! τ <= <N, p>/<N, d>                   the supporting plane:  lower bound of s
//! stop if p does not rise above the portal, else replace the corner that keeps the line inside
//! ```
//!
//! Symbols: `w` point of M (less the line's offset `o`), `x` the part of it on body a,
//! `m[i] = d·(w_i × w_{i+1})` twice the projected areas (the unnormalised dual weights).

use super::small::{V, add_scaled, complete, cross, dot, norm, positive, scale, sub};
use crate::tolerances::kernel::{HEIGHT, SIDE, SLIVER, TIE};

/// A point of the Minkowski difference with its preimages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// The point itself, less the offset of the line.
    pub w: V,
    /// Its part on body a, relative to a's reference point.
    pub x: V,
    /// Vertex indices on both bodies; unique per point for polytopes, piece numbers for curved bodies.
    pub id: [u32; 2],
}

/// Whether two sides are too nearly parallel for their product `n`.
#[inline(always)]
pub(super) fn is_sliver(n: &V, ab: &V, ac: &V) -> bool {
    dot(n, n) < SLIVER * dot(ab, ab) * dot(ac, ac)
}

/// Identity of interior points, which belong to no vertex.
pub(crate) const INTERIOR: u32 = u32::MAX - 1;

/// Support function of a Minkowski difference, in body a's frame.
pub(crate) trait SupportMap {
    /// The point of M furthest along `n`, not yet shifted by the line's offset.
    fn support(&mut self, n: &V) -> Point;
}

/// Three points around the line, counter-clockwise about `d`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portal {
    pub corner: [Point; 3],
    /// `m[i] = d·(w_i × w_{i+1})`; all non-negative where the line pierces the triangle. [`pivot`](Self::pivot) keeps
    /// them; [`cast`] and [`first`](Self::first) leave them unknown.
    pub m: V,
}

impl Portal {
    pub(crate) fn new(corner: [Point; 3], d: &V) -> Self {
        // Areas from sides, not from corners: a small portal far out on the ray would lose them to rounding.
        let [a, b, c] = &corner;
        let (ab, ac) = (sub(&b.w, &a.w), sub(&c.w, &a.w));
        let ad = cross(&a.w, d);
        let (first, last) = (-dot(&ab, &ad), dot(&ac, &ad));
        let m = [first, dot(d, &cross(&ab, &ac)) - first - last, last];
        Self { corner, m }
    }

    /// Three interior points about the ray, 30 degrees off it, on the ball of radius `rho` about the origin:
    /// being interior, none of them survives at the optimum.
    pub(crate) fn interior(d: &V, rho: f64, offset: &V) -> Self {
        let (u, v) = complete(d);
        let (along, across) = (0.866 * rho, 0.5 * rho);
        let half_root3 = 0.866_025_403_784_438_6;
        let corner = [(1.0, 0.0), (-0.5, half_root3), (-0.5, -half_root3)].map(|(cu, cv)| {
            let w = add_scaled(&add_scaled(&scale(d, along), &u, across * cu), &v, across * cv);
            Point {
                w: sub(&w, offset),
                x: [0.0; 3],
                id: [INTERIOR, (cu > 0.0) as u32 + 2 * (cv > 0.0) as u32],
            }
        });
        Self::new(corner, d)
    }

    /// A first portal of the support point `p` along the ray and two interior points on its far side, 30 degrees off the ray
    /// and 45 to the left and right of opposite: the ray lies well inside, and one pivot is saved. Of all such angles
    /// these need the fewest supports on boxes, prisms and round bodies alike, though not by much.
    #[inline]
    pub(crate) fn first(p: Point, d: &V, rho: f64) -> Self {
        let sideways = add_scaled(&p.w, d, -dot(&p.w, d));
        let length = norm(&sideways);
        let (u, v) = if length > 1e-9 * rho {
            let u = scale(&sideways, 1.0 / length);
            (u, cross(d, &u))
        } else {
            complete(d)
        };
        let along = scale(d, 0.866 * rho);
        let spread = 0.353 * rho;
        let opposite = add_scaled(&along, &u, -spread);
        let left = Point { w: add_scaled(&opposite, &v, spread), x: [0.0; 3], id: [INTERIOR, 1] };
        let right = Point { w: add_scaled(&opposite, &v, -spread), x: [0.0; 3], id: [INTERIOR, 2] };
        Self { corner: [p, left, right], m: [f64::NAN; 3] }
    }

    /// The portal's normal. On slivers, which a small body's edge makes with a large one's, the product of two long
    /// sides would be rounding: there the two shortest are taken.
    #[inline(always)]
    pub(crate) fn normal(&self) -> V {
        let (n, [ab, ac]) = self.plain_normal();
        if is_sliver(&n, &ab, &ac) { self.sliver_normal() } else { n }
    }

    /// The product of the sides at the first corner, and these sides.
    #[inline(always)]
    pub(super) fn plain_normal(&self) -> (V, [V; 2]) {
        let [a, b, c] = &self.corner;
        let (ab, ac) = (sub(&b.w, &a.w), sub(&c.w, &a.w));
        (cross(&ab, &ac), [ab, ac])
    }

    #[cold]
    fn sliver_normal(&self) -> V {
        let (side, longest) = self.sides();
        cross(&side[(longest + 1) % 3], &side[(longest + 2) % 3])
    }

    /// Sides from each corner to the next, and which of them is the longest.
    fn sides(&self) -> ([V; 3], usize) {
        let [a, b, c] = &self.corner;
        let side = [sub(&b.w, &a.w), sub(&c.w, &b.w), sub(&a.w, &c.w)];
        let [ab, bc, ca] = [dot(&side[0], &side[0]), dot(&side[1], &side[1]), dot(&side[2], &side[2])];
        let longest = if bc >= ab && bc >= ca {
            1
        } else if ab >= ca {
            0
        } else {
            2
        };
        (side, longest)
    }

    /// The same portal with its longest side opposite the first corner: in this order `new` and the warm
    /// confirmation lose nothing on slivers.
    #[cold]
    pub(super) fn ordered(&self, d: &V) -> Self {
        let [a, b, c] = self.corner;
        Self::new([[c, a, b], [a, b, c], [b, c, a]][self.sides().1], d)
    }

    /// The same corners seen from a line shifted the other way.
    pub(crate) fn shifted(&self, shift: &V, by: f64, d: &V) -> Self {
        Self::new(self.corner.map(|p| Point { w: add_scaled(&p.w, shift, by), ..p }), d)
    }

    /// Unit directions out of the portal across its sides, orthogonal to the line.
    pub(crate) fn outward(&self, d: &V) -> [V; 3] {
        self.sides().0.map(|side| {
            let out = cross(&side, d);
            scale(&out, 1.0 / norm(&out))
        })
    }

    /// Whether one of the corners is this vertex pair.
    #[inline(always)]
    pub(crate) fn holds(&self, id: [u32; 2]) -> bool {
        self.corner.iter().any(|p| p.id == id)
    }

    /// Replaces a corner by `p` such that the line stays inside. Of the sub-portals that hold the line up
    /// to rounding the one with the largest area is taken: on ties it is the least likely to collapse. `false` when no
    /// sub-portal holds it. `size` is that of the pair.
    #[inline(always)]
    pub(crate) fn pivot(&mut self, p: &Point, d: &V, size: f64) -> bool {
        let pd = cross(&p.w, d);
        let side = [0, 1, 2].map(|k: usize| sub(&self.corner[k].w, &p.w));
        let c = [dot(&side[0], &pd), dot(&side[1], &pd), dot(&side[2], &pd)];
        let slack = side.map(|e| SIDE * size * (e[0].abs() + e[1].abs() + e[2].abs()));
        let mut best = (0.0, 3);
        for i in 0..3 {
            let j = if i == 2 { 0 } else { i + 1 };
            let area = self.m[i] + c[j] - c[i];
            if c[i] <= slack[i] && c[j] >= -slack[j] && area > best.0 {
                best = (area, i);
            }
        }
        let i = best.1;
        if i == 3 {
            return false;
        }
        let j = if i == 2 { 0 } else { i + 1 };
        let k = if j == 2 { 0 } else { j + 1 };
        self.corner[k] = *p;
        // Cyclic order (i, j, k): m[i] stays, the two sides at the new corner are new.
        self.m[j] = c[j];
        self.m[k] = -c[i];
        true
    }
}

/// The corners after each, in turn.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// Which corner a new point replaces, for the corner where the count begins and every set of corners (bits, counted
/// from there) that lie right of the line seen from the new point: neither the one that is right of it while the next
/// is left, nor that next one. Three where there are none.
const REPLACED: [[usize; 8]; 3] =
    [[3, 2, 0, 0, 1, 2, 1, 3], [3, 0, 1, 1, 2, 0, 2, 3], [3, 1, 2, 2, 0, 1, 0, 3]];

/// The line to cast and what to stop at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayCast {
    /// Unit direction of the line, `-β`.
    pub d: V,
    /// A point of the line orthogonal to `d`; zero when it passes through the origin.
    pub offset: V,
    /// `D`: how far the bodies' reference points are apart along β.
    pub distance: f64,
    /// Sum of the outer radii.
    pub size: f64,
    /// Stop when the bodies are proven further apart than this.
    pub prediction: f64,
    /// Relative height at which the bounds have met.
    pub tolerance: f64,
}

/// How a cast ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CastOutcome {
    /// The bounds met: the supporting plane rises this much above the portal, along the ray.
    Converged(f64),
    /// Proven further apart than the prediction distance.
    Beyond,
    /// Pivoting stalled or lost the line: degenerate beyond rounding.
    Stalled,
}

/// Most pivots before a cast counts as stalled. Generic pairs need fewer than twenty; long thin polytopes
/// with hundreds of vertices about sixty.
pub(crate) const PIVOT_LIMIT: u32 = 400;

/// Pivots after which slivers are tested for at every step instead of at the end only.
const FAST_PIVOTS: u32 = 12;

/// Runs the portal iteration to its end.
///
/// The usual pivots need neither the areas of the portal nor a normal that is good to the last digit; they are made
/// here. Ties, slivers and long searches are left to [`refine_robustly`].
#[inline]
pub(crate) fn cast<S: SupportMap>(
    map: &mut S,
    portal: &mut Portal,
    cast: &RayCast,
    count: &mut u32,
) -> CastOutcome {
    let d = &cast.d;
    let near = cast.size * (cast.tolerance + HEIGHT);
    let tie = TIE * cast.size * cast.size;
    // The newest corner and where it is. Its coordinates stay in registers for the next normal; loading them at
    // once from where they were just stored would cost a wait.
    let mut first = portal.corner[0].w;
    let mut newest = 0;
    for _ in 0..FAST_PIVOTS {
        let [next, last] = OTHERS[newest];
        let (second, third) = (portal.corner[next].w, portal.corner[last].w);
        let (ab, ac) = (sub(&second, &first), sub(&third, &first));
        let n = cross(&ab, &ac);
        let mut p = map.support(&n);
        *count += 1;
        p.w = sub(&p.w, &cast.offset);
        let rise = dot(&n, &sub(&p.w, &first));
        // <N, d> is at most |N|, so what rises more than this has not converged.
        let n1 = n[0].abs() + n[1].abs() + n[2].abs();
        if !(rise > near * n1) {
            // Found along the normal of a sliver, a support point proves nothing.
            match converged(portal, cast, &n, p.id, rise) {
                Some(end) if !is_sliver(&n, &ab, &ac) => return end,
                _ => break,
            }
        }
        if cast.prediction < f64::INFINITY && apart(cast, &n, &p) {
            return CastOutcome::Beyond;
        }
        // Where each corner is, seen from `p` along the line: left (positive) or right of it.
        let pd = cross(&p.w, d);
        let c = [dot(&first, &pd), dot(&second, &pd), dot(&third, &pd)];
        if !(c[0].abs() > tie && c[1].abs() > tie && c[2].abs() > tie) {
            return refine_after_tie(map, portal, cast, p, count);
        }
        let right = [c[0] < 0.0, c[1] < 0.0, c[2] < 0.0].map(usize::from);
        let replaced = REPLACED[newest][right[0] + 2 * right[1] + 4 * right[2]];
        if replaced == 3 {
            break;
        }
        newest = replaced;
        portal.corner[newest] = p;
        first = p.w;
    }
    refine_robustly(map, portal, cast, count)
}

/// As [`refine_robustly`], after a pivot to the support point `p`, from which the line is level with a corner.
#[cold]
#[inline(never)]
fn refine_after_tie<S: SupportMap>(
    map: &mut S,
    portal: &mut Portal,
    cast: &RayCast,
    p: Point,
    count: &mut u32,
) -> CastOutcome {
    *portal = Portal::new(portal.corner, &cast.d);
    if portal.holds(p.id) || portal.pivot(&p, &cast.d, cast.size) {
        refine_robustly(map, portal, cast, count)
    } else {
        CastOutcome::Stalled
    }
}

/// As [`cast`], with every normal as good as it can be.
#[cold]
#[inline(never)]
fn refine_robustly<S: SupportMap>(
    map: &mut S,
    portal: &mut Portal,
    cast: &RayCast,
    count: &mut u32,
) -> CastOutcome {
    *portal = Portal::new(portal.corner, &cast.d);
    for _ in FAST_PIVOTS..PIVOT_LIMIT {
        let n = portal.normal();
        let mut p = map.support(&n);
        *count += 1;
        p.w = sub(&p.w, &cast.offset);
        let rise = dot(&n, &sub(&p.w, &portal.corner[0].w));
        if let Some(end) = converged(portal, cast, &n, p.id, rise) {
            return end;
        }
        if apart(cast, &n, &p) {
            return CastOutcome::Beyond;
        }
        if !portal.pivot(&p, &cast.d, cast.size) {
            break;
        }
    }
    CastOutcome::Stalled
}

/// The end of a cast if the support point `id` along the portal's normal `n`, which rises by `rise`, is none above it.
#[inline(always)]
fn converged(portal: &Portal, cast: &RayCast, n: &V, id: [u32; 2], rise: f64) -> Option<CastOutcome> {
    if portal.holds(id) {
        return Some(CastOutcome::Converged(0.0));
    }
    // Along the ray the portal may rise by rise/nd.
    let nd = dot(n, &cast.d);
    let n1 = n[0].abs() + n[1].abs() + n[2].abs();
    let met = rise <= cast.size * (cast.tolerance * nd + HEIGHT * n1);
    met.then(|| CastOutcome::Converged(positive(rise) / nd))
}

/// Whether the supporting plane at `p` proves the bodies further apart than the prediction distance.
#[inline(always)]
fn apart(cast: &RayCast, n: &V, p: &Point) -> bool {
    let apart = cast.distance * dot(n, &cast.d) - dot(n, &p.w);
    apart > 0.0 && apart * apart > cast.prediction * cast.prediction * dot(n, n)
}
