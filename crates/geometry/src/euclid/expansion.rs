//! Penetration depth by an expanding polytope, for bodies known by their supports only.
//!
//! A polytope inside `K1 - K2` grows towards its nearest boundary point (the expanding polytope algorithm, EPA [van den Bergen]), with both
//! bounds kept:
//!
//! ```text
//! f  facet of the inner polytope nearest to the origin, at distance d_f     h <= -d_f         upper bound
//! n  minus its outward normal;  c corner of K1 - K2 lowest along n          h >= <n, c>       lower bound
//! stop when the bounds meet; otherwise c joins the hull
//! ```
//!
//! Which facets a new corner sees is decided by an exact predicate on the coordinates as given. The
//! facets it sees strictly are then a disc whatever the degeneracy, and the hull stays a closed convex
//! surface: coplanar corners from flat ends of cylinders need no tolerance. Distances are measured to the
//! triangles, which slivers do not spoil, rather than to their planes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::bounds::{DistanceBounds, SupportPoint};
use super::pair::Pair;
use super::simplex::{across, across_triangle, on_segment, on_triangle, side, unit};
use crate::Vec3;
use crate::tolerances::euclid::EXPANSION_STEPS;

/// A triangle of the hull, counter-clockwise seen from outside; `across[k]` is the facet beyond the edge from
/// corner `k` to corner `k + 1`.
struct Triangle {
    corners: [usize; 3],
    across: [usize; 3],
    alive: bool,
}

/// A facet or edge waiting to be expanded, nearest first (ties: oldest first, so that runs repeat exactly).
pub(super) struct Queued<T> {
    pub(super) distance: f64,
    pub(super) order: usize,
    pub(super) item: T,
}

impl<T> PartialEq for Queued<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Queued<T> {}

impl<T> Ord for Queued<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.order.cmp(&self.order))
    }
}

impl<T> PartialOrd for Queued<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Bounds of the depth; `None` when `K1 - K2` has no volume. `upper` is infinite while the origin has not been
/// shown to lie inside. `ceiling` is an upper bound known before, infinite if none is.
pub(super) fn depth(pair: &Pair, ceiling: f64) -> Option<DistanceBounds> {
    let mut hull = Hull::new(pair)?;
    let mut best: Option<Best> = None;
    let mut lower = f64::NEG_INFINITY;
    // Facets that can grow no further keep the bound they have reached.
    let mut final_distance = f64::INFINITY;
    let mut upper = f64::INFINITY;
    while let Some(Queued { distance, order: facet, .. }) = hull.queue.pop() {
        if !hull.facets[facet].alive {
            continue;
        }
        let enclosed = distance.min(final_distance);
        if enclosed >= 0.0 {
            upper = -enclosed;
        }
        if hull.evaluations > EXPANSION_STEPS {
            break;
        }
        let corners = hull.facets[facet].corners;
        let [a, b, c] = corners.map(|k| hull.corners[k].w);
        let Some(outward) = hull.outward(facet) else {
            final_distance = final_distance.min(distance);
            continue;
        };
        let corner = pair.support(&-outward);
        hull.evaluations += 1;
        let height = -outward.dot(&corner.w);
        lower = lower.max(height);
        let candidate = Best::new(height, -outward, corners.map(|k| hull.corners[k]), corner);
        if candidate.is_better(best.as_ref(), lower - pair.goal()) {
            best = Some(candidate);
        }
        // Nothing left can beat the lower bound by more than the goal.
        if -distance - lower <= pair.goal() || ceiling - lower <= 4.0 * pair.goal() {
            break;
        }
        if side(&a, &b, &c, &corner.w) < 0.0 && height < -distance - 0.25 * pair.goal() {
            hull.insert(corner, facet);
        } else {
            final_distance = final_distance.min(distance);
        }
    }
    let Best { height, normal, x, z, .. } = best?;
    Some(DistanceBounds {
        lower: height,
        upper: upper.max(height),
        normal,
        x,
        z,
        evaluations: hull.evaluations,
    })
}

/// A normal with its support gap, and the pair of points that comes nearest to being its witness.
struct Best {
    height: f64,
    normal: Vec3,
    x: Vec3,
    z: Vec3,
    /// How far `x - z` is from `height * normal`.
    miss: f64,
}

impl Best {
    /// The witness is the foot on the facet, or the corner beyond it.
    fn new(height: f64, normal: Vec3, [a, b, c]: [SupportPoint; 3], corner: SupportPoint) -> Self {
        let weights = nearest_weights(&a.w, &b.w, &c.w);
        let mean = |p: [Vec3; 3]| weights[0] * p[0] + weights[1] * p[1] + weights[2] * p[2];
        let miss = |p: Vec3| (p - height * normal).norm();
        let (foot, tip) = (miss(mean([a.w, b.w, c.w])), miss(corner.w));
        if foot <= tip {
            let (x, z) = (mean([a.x, b.x, c.x]), mean([a.z, b.z, c.z]));
            return Self { height, normal, x, z, miss: foot };
        }
        Self { height, normal, x: corner.x, z: corner.z, miss: tip }
    }

    /// Of normals above the floor, the one with the better witness.
    fn is_better(&self, other: Option<&Self>, floor: f64) -> bool {
        other.is_none_or(|o| o.height < floor || (self.height >= floor && self.miss < o.miss))
    }
}

struct Hull {
    corners: Vec<SupportPoint>,
    facets: Vec<Triangle>,
    /// Facets by their numbers.
    queue: BinaryHeap<Queued<()>>,
    evaluations: u32,
    /// Scratch of `insert`: facets seen, and the horizon as (from, to, facet beyond).
    seen: Vec<usize>,
    horizon: Vec<(usize, usize, usize)>,
}

impl Hull {
    /// A fat tetrahedron of corners: extreme along x, then furthest from that line, then from that plane.
    fn new(pair: &Pair) -> Option<Self> {
        let mut hull = Hull {
            corners: Vec::with_capacity(64),
            facets: Vec::with_capacity(128),
            queue: BinaryHeap::with_capacity(128),
            evaluations: 0,
            seen: Vec::new(),
            horizon: Vec::new(),
        };
        let mut support = |direction: &Vec3| {
            hull.evaluations += 1;
            pair.support(direction)
        };
        let [p, q] = [Vec3::x(), Vec3::y(), Vec3::z()]
            .map(|axis| [support(&axis), support(&-axis)])
            .into_iter()
            .max_by(|s, t| (s[0].w - s[1].w).norm().total_cmp(&(t[0].w - t[1].w).norm()))?;
        let line = unit(&(q.w - p.w))?;
        let (u, v) = super::witness::frame(&line);
        let r = [u, -u, v, -v].map(|d| support(&d)).into_iter().max_by(|s, t| {
            let away = |c: &SupportPoint| across(&line, &(c.w - p.w)).norm();
            away(s).total_cmp(&away(t))
        })?;
        let normal = across_triangle(&p.w, &q.w, &r.w)?;
        let s = [normal, -normal].map(|d| support(&d)).into_iter().max_by(|s, t| {
            let away = |c: &SupportPoint| (c.w - p.w).dot(&normal).abs();
            away(s).total_cmp(&away(t))
        })?;
        // `side` is positive when d lies below a, b, c seen counter-clockwise: a, b, c is then outward.
        let volume = side(&p.w, &q.w, &r.w, &s.w);
        if volume == 0.0 {
            return None;
        }
        let (q, r) = if volume > 0.0 { (q, r) } else { (r, q) };
        hull.corners.extend([p, q, r, s]);
        for (corners, across) in
            [([0, 1, 2], [1, 2, 3]), ([0, 3, 1], [3, 2, 0]), ([1, 3, 2], [1, 3, 0]), ([2, 3, 0], [2, 1, 0])]
        {
            hull.add(corners, across);
        }
        Some(hull)
    }

    fn add(&mut self, corners: [usize; 3], across: [usize; 3]) {
        let facet = self.facets.len();
        self.facets.push(Triangle { corners, across, alive: true });
        let [a, b, c] = corners.map(|k| self.corners[k].w);
        let distance = triangle_distance(&a, &b, &c);
        // Outside this facet the origin is not enclosed yet: the furthest such facet goes first.
        let outside = side(&a, &b, &c, &Vec3::zeros()) < 0.0;
        let distance = if outside { -distance } else { distance };
        self.queue.push(Queued { distance, order: facet, item: () });
    }

    /// Outward unit normal of a facet.
    fn outward(&self, facet: usize) -> Option<Vec3> {
        let [a, b, c] = self.facets[facet].corners.map(|k| self.corners[k].w);
        let normal = across_triangle(&a, &b, &c)?;
        let orientation = normal.dot(&(b - a).cross(&(c - a)));
        Some(if orientation < 0.0 { -normal } else { normal })
    }

    /// Replaces the facets that see `corner` (of which `first` is one) by a fan from it.
    fn insert(&mut self, corner: SupportPoint, first: usize) {
        let apex = self.corners.len();
        self.corners.push(corner);
        self.seen.clear();
        self.horizon.clear();
        self.facets[first].alive = false;
        self.seen.push(first);
        let mut next = 0;
        while next < self.seen.len() {
            let facet = self.seen[next];
            next += 1;
            for k in 0..3 {
                let beyond = self.facets[facet].across[k];
                if !self.facets[beyond].alive {
                    continue;
                }
                let [a, b, c] = self.facets[beyond].corners.map(|j| self.corners[j].w);
                if side(&a, &b, &c, &corner.w) < 0.0 {
                    self.facets[beyond].alive = false;
                    self.seen.push(beyond);
                } else {
                    let corners = self.facets[facet].corners;
                    self.horizon.push((corners[k], corners[(k + 1) % 3], beyond));
                }
            }
        }
        // Order the horizon into one loop, then sew the fan to it and to itself.
        let count = self.horizon.len();
        for k in 1..count {
            let end = self.horizon[k - 1].1;
            if let Some(j) = (k..count).find(|&j| self.horizon[j].0 == end) {
                self.horizon.swap(k, j);
            }
        }
        let base = self.facets.len();
        for k in 0..count {
            let (from, to, beyond) = self.horizon[k];
            let (after, before) = (base + (k + 1) % count, base + (k + count - 1) % count);
            self.add([from, to, apex], [beyond, after, before]);
            let corners = self.facets[beyond].corners;
            for j in 0..3 {
                if corners[j] == to && corners[(j + 1) % 3] == from {
                    self.facets[beyond].across[j] = base + k;
                }
            }
        }
    }
}

/// Weights of the point of a triangle nearest to the origin.
fn nearest_weights(a: &Vec3, b: &Vec3, c: &Vec3) -> [f64; 3] {
    let mut best = ([1.0, 0.0, 0.0], a.norm_squared());
    let mut consider = |weights: [f64; 3]| {
        let square = (weights[0] * a + weights[1] * b + weights[2] * c).norm_squared();
        if square < best.1 {
            best = (weights, square);
        }
    };
    consider([0.0, 1.0, 0.0]);
    consider([0.0, 0.0, 1.0]);
    if let Some([s, t]) = on_segment(a, b) {
        consider([s, t, 0.0]);
    }
    if let Some([s, t]) = on_segment(b, c) {
        consider([0.0, s, t]);
    }
    if let Some([s, t]) = on_segment(a, c) {
        consider([s, 0.0, t]);
    }
    if let Some(weights) = on_triangle(a, b, c) {
        consider(weights);
    }
    best.0
}

fn triangle_distance(a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    let weights = nearest_weights(a, b, c);
    (weights[0] * a + weights[1] * b + weights[2] * c).norm()
}
