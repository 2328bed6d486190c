//! The convex hull of points in the plane, by the monotone chain with exact orientation predicates [Shewchuk 1997].

use super::super::{Polygon, check_finite};
use super::cloud::power_of_two_near_inverse;
use super::distinct::distinct;
use crate::tolerances::shapes::PLANAR_FLUSH;
use crate::tolerances::{DEGENERATE, DETAIL, FLATNESS, ROUNDING};
use crate::{ShapeError, Vec2};
use robust::{Coord, orient2d};

/// A direction in which the rows of lattices do not line up.
const SKEW: Vec2 = Vec2::new(0.5417, 0.8406);

impl Polygon {
    /// The convex hull of the points, counter-clockwise, starting at the first input point that is a corner.
    ///
    /// Points inside the hull or inside an edge are dropped; [`sources`](Self::sources) tells which input
    /// point each vertex is. A convex counter-clockwise loop comes back with index `i` as vertex `i`.
    pub fn from_vertices(points: &[Vec2]) -> Result<Self, ShapeError> {
        check_finite("vertex", points)?;
        let largest = points.iter().map(|v| v.amax()).fold(0.0, f64::max);
        let scale = power_of_two_near_inverse(largest);
        let scaled: Vec<Vec2> = points
            .iter()
            .map(|v| v.map(|c| c * scale).map(|c| if c.abs() < PLANAR_FLUSH { 0.0 } else { c }))
            .collect();
        let (size, thickness) = extent(&scaled);
        let rounding = ROUNDING * f64::EPSILON * (largest * scale);
        let coincide = size <= 4.0 * rounding;
        let tolerance = (FLATNESS * size).min(DETAIL * thickness).max(rounding);
        let kept = distinct(&scaled, &SKEW, if coincide || points.len() < 3 { rounding } else { tolerance });
        if points.len() < 3 || kept.len() == 2 {
            return Err(ShapeError::TooFewPoints { given: kept.len(), needed: 3 });
        }
        if coincide || thickness <= (DEGENERATE * size).max(4.0 * rounding) {
            let lie = if coincide { "coincide" } else { "lie on a line" };
            let (thickness, size) = (thickness / scale, size / scale);
            return Err(ShapeError::Flat { count: points.len(), lie, measure: "area", thickness, size });
        }
        let mut sources = corners(&scaled, &chain(&scaled, &kept), tolerance);
        let first = (0..sources.len()).min_by_key(|&k| sources[k]).unwrap_or(0);
        sources.rotate_left(first);
        let vertices = sources.iter().map(|&s| points[s as usize]).collect();
        Ok(Polygon::from_loop(vertices)?.with_sources(sources))
    }
}

/// Length (about the diameter) and extent across it.
fn extent(points: &[Vec2]) -> (f64, f64) {
    let furthest = |from: Vec2| {
        points.iter().fold((0.0, from), |best, p| {
            let distance = (p - from).norm();
            if distance > best.0 { (distance, *p) } else { best }
        })
    };
    let Some(&first) = points.first() else { return (0.0, 0.0) };
    let a = furthest(first).1;
    let (size, b) = furthest(a);
    let Some(along) = (b - a).try_normalize(0.0) else { return (0.0, 0.0) };
    let heights = points.iter().map(|p| along.perp(&(p - a)));
    let (low, high) = heights.fold((0.0f64, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
    (size, high - low)
}

/// The exact strict hull, counter-clockwise.
fn chain(points: &[Vec2], kept: &[u32]) -> Vec<u32> {
    let at = |k: u32| Coord { x: points[k as usize].x, y: points[k as usize].y };
    let mut order = kept.to_vec();
    order.sort_by(|&a, &b| {
        let (p, q) = (&points[a as usize], &points[b as usize]);
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y))
    });
    let half = |walk: &mut dyn Iterator<Item = u32>| {
        let mut side: Vec<u32> = Vec::new();
        for k in walk {
            while let [.., a, b] = side[..] {
                if orient2d(at(a), at(b), at(k)) > 0.0 {
                    break;
                }
                side.pop();
            }
            side.push(k);
        }
        side.pop();
        side
    };
    let mut hull = half(&mut order.iter().copied());
    hull.extend(half(&mut order.iter().rev().copied()));
    hull
}

/// Drops hull points within `tolerance` of the chord that replaces them. Starts from the point furthest from
/// the mean, which is a corner of any polygon.
fn corners(points: &[Vec2], hull: &[u32], tolerance: f64) -> Vec<u32> {
    let at = |k: usize| points[hull[k % hull.len()] as usize];
    let mean = (0..hull.len()).map(at).sum::<Vec2>() / hull.len() as f64;
    let far = |k: &usize| (at(*k) - mean).norm();
    let start = (0..hull.len()).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
    let mut kept = vec![start];
    let mut last_kept = start;
    for end in start + 2..=start + hull.len() {
        let along = (at(end) - at(last_kept)).normalize();
        if (last_kept + 1..end).any(|k| along.perp(&(at(k) - at(last_kept))).abs() > tolerance) {
            last_kept = end - 1;
            kept.push(last_kept);
        }
    }
    kept.iter().map(|&k| hull[k % hull.len()]).collect()
}
