//! Penetration depth of polygons: the edge of `K1 - K2` nearest to the origin, exactly.
//!
//! The edges of the Minkowski difference are those of the two polygons, so the largest support gap over
//! their normals is the answer (separating axes).

use super::DistanceBounds;
use super::pair::{Core, Pair};
use crate::Vec2;
use crate::shapes::Polygon;
use crate::tolerances::euclid::{FEATURE, TIE};

/// The largest support gap of two overlapping cores of which at least one is a polygon; `None` when neither
/// is.
pub(super) fn depth(pair: &Pair) -> Option<DistanceBounds> {
    let (mut largest, mut best, mut evaluations) = (f64::NEG_INFINITY, None, 0);
    let mut last: Option<Vec2> = None;
    let mut evaluate = |normal: Vec2, edge: (bool, usize)| {
        if last.is_some_and(|w| normal.dot(&w) <= largest) {
            return;
        }
        let corner = pair.support(&normal);
        evaluations += 1;
        last = Some(corner.w);
        let height = normal.dot(&corner.w);
        if height > largest {
            largest = height;
            best = Some((normal, edge));
        }
    };
    if let Core::Polygon(p) = pair.a {
        (0..p.vertices().len()).for_each(|k| evaluate(-p.edge(k).0, (true, k)));
    }
    if let Core::Polygon(p) = pair.b {
        (0..p.vertices().len()).for_each(|k| evaluate(pair.rotation * p.edge(k).0, (false, k)));
    }
    let (normal, (on_a, edge)) = best?;
    let (x, z) = witnesses(pair, &normal, on_a, edge, largest);
    // All edges have been seen: what is left is the rounding of a support height.
    Some(DistanceBounds { lower: largest, upper: largest + TIE * pair.scale, normal, x, z, evaluations })
}

/// The middle of the overlap of the two touching features, seen along the normal.
fn witnesses(pair: &Pair, normal: &Vec2, on_a: bool, edge: usize, depth: f64) -> (Vec2, Vec2) {
    let corner = pair.support(normal);
    let along = Vec2::new(-normal.y, normal.x);
    let place = |y: Vec2| pair.rotation * y + pair.offset;
    let known = |mine: bool| (mine == on_a).then_some(edge);
    let slack = FEATURE * pair.scale;
    let a = feature(&pair.a, &-normal, corner.index[0], known(true), slack).map(|x| along.dot(&x));
    let b = feature(&pair.b, &pair.rotation.tr_mul(normal), corner.index[1], known(false), slack)
        .map(|y| along.dot(&place(y)));
    let low = a[0].min(a[1]).max(b[0].min(b[1]));
    let high = a[0].max(a[1]).min(b[0].max(b[1]));
    let middle = 0.5 * (low + high);
    let (top, bottom) = (normal.dot(&corner.x), normal.dot(&corner.z));
    let off = 0.5 * (top - bottom - depth);
    (middle * along + (top - off) * normal, middle * along + (bottom + off) * normal)
}

/// Ends of the feature furthest along `direction` (body axes); equal for a vertex.
fn feature(core: &Core, direction: &Vec2, vertex: u32, known: Option<usize>, slack: f64) -> [Vec2; 2] {
    let Core::Polygon(polygon) = core else { return [Vec2::zeros(); 2] };
    let count = polygon.vertices().len();
    let vertex = vertex as usize;
    let level = |k: usize| {
        let height = |k: usize| direction.dot(&at(polygon, k));
        height(vertex) - height(k) <= slack
    };
    if let Some(k) = known {
        return [at(polygon, k), at(polygon, (k + 1) % count)];
    }
    let (before, after) = ((vertex + count - 1) % count, (vertex + 1) % count);
    if level(after) {
        [at(polygon, vertex), at(polygon, after)]
    } else if level(before) {
        [at(polygon, before), at(polygon, vertex)]
    } else {
        [at(polygon, vertex); 2]
    }
}

fn at(polygon: &Polygon, k: usize) -> Vec2 {
    Vec2::from(polygon.relative()[k])
}
