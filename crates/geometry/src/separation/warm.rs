//! Separation of two polytopes from the warm start, their last optimal portal.
//!
//! Most pairs keep their portal from one query to the next: *one* support query confirms it, straight-line and in world
//! axes, where the answer is wanted (about 200 multiplications for eight-vertex bodies). A pair whose optimum has moved
//! on to another portal is usually optimal again nearby: a few steps, each a pure function of the placements and of the three
//! vertex pairs, and each followed by the same confirmation. What is still open then is solved by `polytope.rs`.
//!
//! ```text
//! the ray left the portal across one side:   gift wrapping: a plane turned about that side meets the third corner of the next facet
//! a vertex pair rises above the portal:      it replaces a corner such that the ray stays inside
//! ```
//!
//! Symbols as in `portal.rs`, with the ray not normalised: `t = D β = -D d`.

use super::answer::{Options, Outcome, QueryError, Separation, WarmStart};
use super::polytope::solve;
use super::relative::{columns, inverse_rotated, rotated};
use super::small::{V, add_scaled, cross, dot, norm, scale, sub};
use super::support::{SCAN_LIMIT, climb, max_height, support_vertex};
use crate::shapes::Polytope;
use crate::tolerances::kernel::{SHARPEST, WARM_WEIGHT};
use crate::{Pose, Vec3, tolerances};

/// Three vertex pairs.
type Basis = [[u32; 2]; 3];

/// Portals to try beyond the last one before the pair is solved from scratch.
const WARM_STEPS: u32 = 5;

/// Two placed polytopes.
#[derive(Clone, Copy)]
pub(crate) struct Bodies<'a> {
    pub a: &'a Polytope,
    pub b: &'a Polytope,
    pub pose_a: &'a Pose,
    pub pose_b: &'a Pose,
}

/// Separation of two polytopes along the line of their reference points.
#[inline]
pub(crate) fn separation_of_polytopes(
    bodies: &Bodies,
    options: &Options,
    warm: &mut WarmStart,
) -> Result<Separation, QueryError> {
    let placed = PlacedPair::new(bodies);
    let Some((portal, x)) = placed.portal(&warm.basis) else {
        return solve(bodies, options, warm);
    };
    match placed.confirm(&portal, &x, bodies.pose_a, &warm.basis) {
        Some(answer) => {
            warm.beta = answer.beta;
            Ok(answer)
        }
        None => follow_neighbours(bodies, options, warm),
    }
}

/// From a last portal that is no longer optimal. The portal is set up again: passing it on would keep it in memory on the
/// path of nearly all queries.
#[cold]
#[inline(never)]
fn follow_neighbours(
    bodies: &Bodies,
    options: &Options,
    warm: &mut WarmStart,
) -> Result<Separation, QueryError> {
    let placed = PlacedPair::new(bodies);
    let Some((mut portal, _)) = placed.portal(&warm.basis) else {
        return solve(bodies, options, warm);
    };
    let mut steps = 0;
    while steps < WARM_STEPS
        && let Some(next) = placed.adjacent_basis(&portal, &warm.basis, options)
        && let Some((there, x)) = placed.portal(&next)
    {
        (warm.basis, portal, steps) = (next, there, steps + 1);
        if let Some(answer) = placed.confirm(&portal, &x, bodies.pose_a, &next) {
            warm.beta = answer.beta;
            return Ok(Separation { iterations: 1 + steps, ..answer });
        }
    }
    let mut answer = solve(bodies, options, warm)?;
    answer.iterations += steps;
    Ok(answer)
}

/// Two polytopes in world axes.
struct PlacedPair<'a> {
    a: &'a Polytope,
    b: &'a Polytope,
    /// The bodies' axes.
    ra: [V; 3],
    rb: [V; 3],
    /// From b's reference point to a's.
    t: V,
    /// From a's origin to its reference point.
    reference_a: V,
}

/// Three points of the Minkowski difference in world axes, relative to the reference points.
struct WorldPortal {
    w: [V; 3],
    n: V,
    /// `D <N, d>`.
    total: f64,
    /// Unnormalised weights of the corners, which add up to `total`.
    m: V,
}

impl<'a> PlacedPair<'a> {
    #[inline(always)]
    fn new(&Bodies { a, b, pose_a, pose_b }: &Bodies<'a>) -> Self {
        // Positions are subtracted before the levers are added: far from the origin the sum would cost digits.
        let (reference_a, reference_b) = (reference_offset(pose_a, a), reference_offset(pose_b, b));
        let (pa, pb): (V, V) = (pose_a.position.into(), pose_b.position.into());
        let t = add_scaled(&sub(&pa, &pb), &sub(&reference_a, &reference_b), 1.0);
        Self { a, b, ra: columns(&pose_a.rotation), rb: columns(&pose_b.rotation), t, reference_a }
    }

    /// The portal of three vertex pairs and their parts on body a; `None` where one of them does not exist.
    #[inline(always)]
    fn portal(&self, basis: &Basis) -> Option<(WorldPortal, [V; 3])> {
        let (la, lb) = (self.a.lanes().points(), self.b.lanes().points());
        let corner = |points: &[[f64; 4]], index: u32| -> Option<V> {
            let [x, y, z, _] = *points.get(index as usize)?;
            Some([x, y, z])
        };
        let [i, j, k] = basis;
        let on_a = (corner(la, i[0]), corner(la, j[0]), corner(la, k[0]));
        let on_b = (corner(lb, i[1]), corner(lb, j[1]), corner(lb, k[1]));
        let ((Some(x0), Some(x1), Some(x2)), (Some(y0), Some(y1), Some(y2))) = (on_a, on_b) else {
            return None;
        };
        let (ra, rb, t) = (&self.ra, &self.rb, &self.t);
        let x = [rotated(ra, &x0), rotated(ra, &x1), rotated(ra, &x2)];
        let y = [rotated(rb, &y0), rotated(rb, &y1), rotated(rb, &y2)];
        let w = [sub(&x[0], &y[0]), sub(&x[1], &y[1]), sub(&x[2], &y[2])];
        // Areas from sides, as in `Portal::new`.
        let side = [sub(&w[1], &w[0]), sub(&w[2], &w[0])];
        let n = cross(&side[0], &side[1]);
        let total = -dot(&n, t);
        let q = cross(&w[0], t);
        let (m1, m2) = (-dot(&q, &side[1]), dot(&q, &side[0]));
        Some((WorldPortal { w, n, total, m: [total - m1 - m2, m1, m2] }, x))
    }

    /// The answer if the portal is optimal: the ray pierces it and no vertex pair rises above it. NaN and infinities
    /// fail the comparisons.
    #[inline(always)]
    fn confirm(&self, portal: &WorldPortal, x: &[V; 3], pose_a: &Pose, basis: &Basis) -> Option<Separation> {
        let (a, b, t) = (self.a, self.b, &self.t);
        let WorldPortal { w, n, total, m } = portal;
        let floor = -WARM_WEIGHT * total;
        if !(*total > 0.0 && m[0] >= floor && m[1] >= floor && m[2] >= floor) {
            return None;
        }
        let high_a = support_height(a, &inverse_rotated(&self.ra, n), basis[0][0]);
        let high_b = support_height(b, &inverse_rotated(&self.rb, &[-n[0], -n[1], -n[2]]), basis[0][1]);
        let height = dot(n, &w[0]);
        let rise = high_a + high_b - height;
        let distance = dot(t, t).sqrt();
        let inverse = 1.0 / total;
        let n1 = n[0].abs() + n[1].abs() + n[2].abs();
        let size = a.outer_radius() + b.outer_radius();
        // <N, d> = total/D: both sides multiplied by D.
        let allowed = size * (tolerances::PORTAL * total + 4e-16 * n1 * distance);
        if !(rise * distance <= allowed
            && distance > tolerances::COINCIDENT * size
            && distance < tolerances::LARGEST)
        {
            return None;
        }
        let m = m.map(|v| if v > 0.0 { v } else { 0.0 });
        let weights = scale(&m, 1.0 / (m[0] + m[1] + m[2]));
        let s = distance * (1.0 - height * inverse);
        let rise = if rise > 0.0 { rise * distance * inverse } else { 0.0 };
        let beta = scale(t, 1.0 / distance);
        let alpha = scale(n, -distance * inverse);
        let mixed = add_scaled(&add_scaled(&scale(&x[0], weights[0]), &x[1], weights[1]), &x[2], weights[2]);
        let pa = add_scaled(&self.reference_a, &pose_a.position.into(), 1.0);
        let point_a = add_scaled(&mixed, &pa, 1.0);
        Some(Separation {
            outcome: Outcome::Solved,
            separation: s,
            reference_distance: distance,
            beta: Vec3::from(beta),
            prescribed: false,
            alpha: Vec3::from(alpha),
            point_a: Vec3::from(point_a),
            point_b: Vec3::from(add_scaled(&point_a, &beta, -s)),
            weights,
            basis: *basis,
            lower: s - rise,
            upper: s,
            iterations: 1,
        })
    }

    /// The next portal to try after one that was not confirmed; `None` where the pair has to be solved from scratch: the ray
    /// left across two sides or runs the other way, nothing new is found, the new portal is a sliver or nearly parallel
    /// to the ray, or the bodies are further apart than the prediction distance.
    #[inline(always)]
    fn adjacent_basis(&self, portal: &WorldPortal, basis: &Basis, options: &Options) -> Option<Basis> {
        let WorldPortal { w, n, total, m } = portal;
        let (size, distance) = (self.a.outer_radius() + self.b.outer_radius(), norm(&self.t));
        if !(*total > 0.0 && distance - size <= options.prediction) {
            return None;
        }
        let floor = -WARM_WEIGHT * total;
        let outside = [m[0] < floor, m[1] < floor, m[2] < floor];
        let (next, [a, b, c]) = match outside {
            [false, false, false] => {
                let (id, p) = self.support(n, basis[0]);
                let k = leaving_corner(w, m, &p, &self.t, 1e-16 * size * distance)?;
                let (mut next, mut corner) = (*basis, *w);
                (next[k], corner[k]) = (id, p);
                (next, corner)
            }
            [true, false, false] | [false, true, false] | [false, false, true] => {
                let opposite = if outside[0] { 0 } else { 1 + outside[2] as usize };
                let from = if opposite == 2 { 0 } else { opposite + 1 };
                let to = if from == 2 { 0 } else { from + 1 };
                let (i, j) = (basis[from], basis[to]);
                // The diagonal of a parallelogram of two edges leads to its fourth corner.
                let (one, other) = ([i[0], j[1]], [j[0], i[1]]);
                let (id, p) = if i[0] != j[0] && i[1] != j[1] && basis[opposite] == one {
                    (other, self.point(other))
                } else if i[0] != j[0] && i[1] != j[1] && basis[opposite] == other {
                    (one, self.point(one))
                } else {
                    self.gift_wrapped(n, &cross(&sub(&w[to], &w[from]), n), [i, j])?
                };
                ([basis[to], basis[from], id], [w[to], w[from], p])
            }
            _ => return None,
        };
        let (ab, ac) = (sub(&b, &a), sub(&c, &a));
        let n = cross(&ab, &ac);
        let nn = dot(&n, &n);
        let along = dot(&n, &self.t);
        let fit = nn > SHARPEST * SHARPEST * dot(&ab, &ab) * dot(&ac, &ac)
            && along < 0.0
            && along * along > SHARPEST * SHARPEST * nn * distance * distance;
        fit.then_some(next)
    }

    /// The vertex pair of the Minkowski difference furthest along `n`, and its point.
    #[inline(always)]
    fn support(&self, n: &V, hint: [u32; 2]) -> ([u32; 2], V) {
        let (on_a, on_b) = (inverse_rotated(&self.ra, n), inverse_rotated(&self.rb, &[-n[0], -n[1], -n[2]]));
        let id = [support_vertex(self.a, &on_a, hint[0]), support_vertex(self.b, &on_b, hint[1])];
        (id, self.point(id))
    }

    /// The third corner of the facet beyond the side `ends`, where a plane turned about that side from the normal `n` towards
    /// `out` first meets another vertex pair. Pairs joined to the side's ends by an edge are enough.
    #[inline(always)]
    fn gift_wrapped(&self, n: &V, out: &V, ends: [[u32; 2]; 2]) -> Option<([u32; 2], V)> {
        let down = |v: &V| [-v[0], -v[1], -v[2]];
        let (na, oa) = (inverse_rotated(&self.ra, n), inverse_rotated(&self.ra, out));
        let (nb, ob) = (inverse_rotated(&self.rb, &down(n)), inverse_rotated(&self.rb, &down(out)));
        // Rise and reach of the best pair so far: the larger their ratio, the sooner the plane meets it.
        let (mut best, mut found) = ([-1.0, 0.0], None);
        let mut try_edges = |body: &Polytope, at: u32, n: &V, out: &V, id: &dyn Fn(u32) -> [u32; 2]| {
            let here = body.lanes().get(at as usize);
            for &v in body.neighbours(at as usize) {
                let edge = sub(&body.lanes().get(v as usize), &here);
                let (rise, reach) = (dot(n, &edge), dot(out, &edge));
                let terms = (out[0] * edge[0]).abs() + (out[1] * edge[1]).abs() + (out[2] * edge[2]).abs();
                if reach > 1e-9 * terms && rise * best[1] > best[0] * reach {
                    (best, found) = ([rise, reach], Some(id(v)));
                }
            }
        };
        let [i, j] = ends;
        try_edges(self.a, i[0], &na, &oa, &|v| [v, i[1]]);
        try_edges(self.b, i[1], &nb, &ob, &|v| [i[0], v]);
        if i[0] != j[0] {
            try_edges(self.a, j[0], &na, &oa, &|v| [v, j[1]]);
        }
        if i[1] != j[1] {
            try_edges(self.b, j[1], &nb, &ob, &|v| [j[0], v]);
        }
        let id = found?;
        Some((id, self.point(id)))
    }

    /// The point of the Minkowski difference made of these two vertices.
    #[inline(always)]
    fn point(&self, id: [u32; 2]) -> V {
        let x = rotated(&self.ra, &self.a.lanes().get(id[0] as usize));
        let y = rotated(&self.rb, &self.b.lanes().get(id[1] as usize));
        sub(&x, &y)
    }
}

/// The corner that `p` replaces such that the ray stays inside up to rounding (`slack`): of the candidates the one that
/// leaves the largest area, as in `Portal::pivot`.
#[inline(always)]
fn leaving_corner(w: &[V; 3], m: &V, p: &V, t: &V, slack: f64) -> Option<usize> {
    let pd = cross(t, p);
    let side = [sub(&w[0], p), sub(&w[1], p), sub(&w[2], p)];
    let c = [dot(&side[0], &pd), dot(&side[1], &pd), dot(&side[2], &pd)];
    let slack = side.map(|e| slack * (e[0].abs() + e[1].abs() + e[2].abs()));
    let mut best = (0.0, None);
    for (k, i, j) in [(2, 0, 1), (0, 1, 2), (1, 2, 0)] {
        let area = m[k] + c[j] - c[i];
        if c[i] <= slack[i] && c[j] >= -slack[j] && area > best.0 {
            best = (area, Some(k));
        }
    }
    best.1
}

/// From a body's frame origin to its reference point, in world axes.
#[inline(always)]
fn reference_offset(pose: &Pose, polytope: &Polytope) -> V {
    if polytope.is_centred() {
        [0.0; 3]
    } else {
        rotated(&columns(&pose.rotation), polytope.reference().as_ref())
    }
}

/// Largest height over the vertices, relative to the reference point.
#[inline(always)]
fn support_height(polytope: &Polytope, n: &V, hint: u32) -> f64 {
    if polytope.lanes().count() <= SCAN_LIMIT {
        max_height(polytope.lanes(), n)
    } else {
        support_height_by_climbing(polytope, n, hint)
    }
}

/// As the scan, for large polytopes.
#[inline]
fn support_height_by_climbing(polytope: &Polytope, n: &V, hint: u32) -> f64 {
    dot(n, &polytope.lanes().get(climb(polytope, n, hint) as usize))
}
