//! Penetration depth in the plane by an expanding polygon, for bodies known by their supports only.
//!
//! The planar version of the expanding polytope. A support corner sees one edge only (its neighbours end in
//! boundary points already), so an edge is split and nothing else moves.

use std::collections::BinaryHeap;

use robust::{Coord, orient2d};

use crate::Vec2;
use crate::euclid::expansion::Queued;
use crate::tolerances::euclid::EXPANSION_STEPS;

/// Bounds of the depth and the edge they come from; `C` is the caller's data of a corner.
pub(in crate::euclid) struct Expansion<C> {
    pub(in crate::euclid) lower: f64,
    pub(in crate::euclid) upper: f64,
    /// Unit normal from b to a.
    pub(in crate::euclid) normal: Vec2,
    pub(in crate::euclid) corners: [C; 2],
    pub(in crate::euclid) weights: [f64; 2],
    pub(in crate::euclid) evaluations: u32,
}

/// Expands until the bounds meet to `goal`. `support` gives the corner of `K1 - K2` lowest along a unit
/// vector. `None` when the set has no area. `upper` is infinite while the origin has not been shown to lie
/// inside.
pub(in crate::euclid) fn expand<C: Copy>(
    mut support: impl FnMut(&Vec2) -> (Vec2, C),
    goal: f64,
) -> Option<Expansion<C>> {
    let mut evaluations = 0;
    let mut price = |normal: &Vec2| {
        evaluations += 1;
        support(normal)
    };
    let [p, q] = [Vec2::x(), Vec2::y()]
        .map(|axis| [price(&axis), price(&-axis)])
        .into_iter()
        .max_by(|s, t| (s[0].0 - s[1].0).norm().total_cmp(&(t[0].0 - t[1].0).norm()))?;
    let across = left((q.0 - p.0).try_normalize(0.0)?);
    let r = [across, -across].map(|n| price(&n)).into_iter().max_by(|s, t| {
        let away = |c: &(Vec2, C)| (c.0 - p.0).dot(&across).abs();
        away(s).total_cmp(&away(t))
    })?;
    let turn = side(&p.0, &q.0, &r.0);
    if turn == 0.0 {
        return None;
    }
    let (q, r) = if turn > 0.0 { (q, r) } else { (r, q) };
    // Edges of the inner polygon, counter-clockwise.
    let mut queue = BinaryHeap::with_capacity(64);
    for (order, ends) in [[p, q], [q, r], [r, p]].into_iter().enumerate() {
        queue.push(Queued { distance: signed_distance(&ends[0].0, &ends[1].0), order, item: ends });
    }
    let mut order = 3;
    let mut best: Option<Best<C>> = None;
    let mut lower = f64::NEG_INFINITY;
    let (mut final_distance, mut upper) = (f64::INFINITY, f64::INFINITY);
    while let Some(edge) = queue.pop() {
        let enclosed = edge.distance.min(final_distance);
        if enclosed >= 0.0 {
            upper = -enclosed;
        }
        if order > EXPANSION_STEPS as usize {
            break;
        }
        let [from, to] = edge.item;
        let Some(normal) = (to.0 - from.0).try_normalize(0.0).map(left) else {
            final_distance = final_distance.min(edge.distance);
            continue;
        };
        let corner = price(&normal);
        let height = normal.dot(&corner.0);
        lower = lower.max(height);
        let candidate = Best::new(height, normal, edge.item, corner);
        if candidate.is_better(best.as_ref(), lower - goal) {
            best = Some(candidate);
        }
        // Nothing left can beat the lower bound by more than the goal.
        if -edge.distance - lower <= goal {
            break;
        }
        if side(&from.0, &to.0, &corner.0) < 0.0 && height < -edge.distance - 0.25 * goal {
            for ends in [[from, corner], [corner, to]] {
                queue.push(Queued { distance: signed_distance(&ends[0].0, &ends[1].0), order, item: ends });
                order += 1;
            }
        } else {
            final_distance = final_distance.min(edge.distance);
        }
    }
    let Best { height: lower, normal, corners, weights, .. } = best?;
    Some(Expansion { lower, upper: upper.max(lower), normal, corners, weights, evaluations })
}

/// A normal with its support gap, and the point of `K1 - K2` that comes nearest to being its witness.
struct Best<C> {
    height: f64,
    normal: Vec2,
    corners: [C; 2],
    weights: [f64; 2],
    /// How far that point is from `height * normal`.
    miss: f64,
}

impl<C: Copy> Best<C> {
    /// The witness is the foot on the edge, or the corner beyond it.
    fn new(height: f64, normal: Vec2, ends: [(Vec2, C); 2], corner: (Vec2, C)) -> Self {
        let weights = nearest_weights(&ends[0].0, &ends[1].0);
        let miss = |p: Vec2| (p - height * normal).norm();
        let foot = miss(weights[0] * ends[0].0 + weights[1] * ends[1].0);
        let tip = miss(corner.0);
        if foot <= tip {
            return Self { height, normal, corners: [ends[0].1, ends[1].1], weights, miss: foot };
        }
        Self { height, normal, corners: [corner.1; 2], weights: [1.0, 0.0], miss: tip }
    }

    /// Of normals above the floor, the one with the better witness.
    fn is_better(&self, other: Option<&Self>, floor: f64) -> bool {
        other.is_none_or(|o| o.height < floor || (self.height >= floor && self.miss < o.miss))
    }
}

/// A quarter turn counter-clockwise: inward from a counter-clockwise edge.
pub(in crate::euclid) fn left(v: Vec2) -> Vec2 {
    Vec2::new(-v.y, v.x)
}

/// Positive when `c` lies to the left of `a -> b`; exact for the coordinates as given.
pub(in crate::euclid) fn side(a: &Vec2, b: &Vec2, c: &Vec2) -> f64 {
    let coord = |v: &Vec2| Coord { x: v.x, y: v.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// Weights of the point of a segment nearest to the origin.
fn nearest_weights(a: &Vec2, b: &Vec2) -> [f64; 2] {
    let edge = b - a;
    let square = edge.norm_squared();
    if square == 0.0 {
        return [1.0, 0.0];
    }
    let mut t = -a.dot(&edge) / square;
    t -= (a + t * edge).dot(&edge) / square;
    let t = t.clamp(0.0, 1.0);
    [1.0 - t, t]
}

/// Distance of the origin from a segment, negative when it lies to the right of it.
fn signed_distance(a: &Vec2, b: &Vec2) -> f64 {
    let [s, t] = nearest_weights(a, b);
    let distance = (s * a + t * b).norm();
    if side(a, b, &Vec2::zeros()) < 0.0 { -distance } else { distance }
}
