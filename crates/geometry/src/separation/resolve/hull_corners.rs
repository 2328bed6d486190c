//! Corners of a few points in the plane: of a convex polygon, a segment or a point.

/// A point in some plane's coordinates.
pub(super) type Flat = [f64; 2];

fn cross(o: &Flat, p: &Flat, q: &Flat) -> f64 {
    (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])
}

fn distance(p: &Flat, q: &Flat) -> f64 {
    (p[0] - q[0]).hypot(p[1] - q[1])
}

/// Indices of the corners, counter-clockwise. Points within `tolerance` of another corner or of the line
/// between two of them are none. (Andrew's monotone chain.)
pub(super) fn hull_corners(points: &[Flat], tolerance: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points[i][0].total_cmp(&points[j][0]).then(points[i][1].total_cmp(&points[j][1])));
    let mut distinct: Vec<usize> = Vec::new();
    for k in order {
        if distinct.iter().all(|&j| distance(&points[j], &points[k]) > tolerance) {
            distinct.push(k);
        }
    }
    if distinct.len() < 3 {
        return distinct;
    }
    // The two points furthest apart; if no other is off their line, they are all there is.
    let (mut ends, mut reach) = ((distinct[0], distinct[0]), 0.0);
    for (k, &i) in distinct.iter().enumerate() {
        for &j in &distinct[k + 1..] {
            let length = distance(&points[i], &points[j]);
            if length > reach {
                (ends, reach) = ((i, j), length);
            }
        }
    }
    let (from, to) = (&points[ends.0], &points[ends.1]);
    if distinct.iter().all(|&k| cross(from, to, &points[k]).abs() <= tolerance * reach) {
        return vec![ends.0, ends.1];
    }
    let half = |chain: &mut Vec<usize>, walk: &mut dyn Iterator<Item = usize>| {
        let floor = chain.len();
        for k in walk {
            while chain.len() >= floor + 2 {
                let (o, p) = (&points[chain[chain.len() - 2]], &points[chain[chain.len() - 1]]);
                if cross(o, p, &points[k]) > tolerance * distance(o, &points[k]) {
                    break;
                }
                chain.pop();
            }
            chain.push(k);
        }
        chain.pop();
    };
    let mut corners = Vec::new();
    half(&mut corners, &mut distinct.iter().copied());
    half(&mut corners, &mut distinct.iter().rev().copied());
    corners
}

/// The part of a convex outline (polygon, segment or point, as a loop) inside a convex polygon of three or more
/// corners, counter-clockwise: one cut per side (Sutherland and Hodgman).
pub(super) fn clipped(subject: &[Flat], polygon: &[Flat]) -> Vec<Flat> {
    let mut kept = subject.to_vec();
    for k in 0..polygon.len() {
        let (from, to) = (&polygon[k], &polygon[(k + 1) % polygon.len()]);
        let mut next = Vec::with_capacity(kept.len() + 2);
        for j in 0..kept.len() {
            let (p, q) = (&kept[j], &kept[(j + 1) % kept.len()]);
            let (inside_p, inside_q) = (cross(from, to, p), cross(from, to, q));
            if inside_p >= 0.0 {
                next.push(*p);
            }
            if (inside_p >= 0.0) != (inside_q >= 0.0) {
                let t = inside_p / (inside_p - inside_q);
                next.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
            }
        }
        kept = next;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_corners_remain() {
        let square = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [0.4, 0.6], [0.0, 1.0], [1.0, 1e-13]];
        let mut corners = hull_corners(&square, 1e-12);
        corners.sort_unstable();
        assert_eq!(corners, [0, 2, 3, 5]);
    }

    #[test]
    fn corners_go_round_counter_clockwise() {
        let points = [[1.0, 0.0], [-1.0, 0.1], [0.0, 1.0], [0.1, -1.0]];
        let corners = hull_corners(&points, 1e-12);
        assert_eq!(corners.len(), 4);
        for k in 0..4 {
            let [o, p, q] = [0, 1, 2].map(|d| points[corners[(k + d) % 4]]);
            assert!(cross(&o, &p, &q) > 0.0);
        }
    }

    #[test]
    fn points_on_a_line_are_a_segment_and_points_in_one_place_a_point() {
        let line: Vec<Flat> = [0.3, 0.0, 1.0, 0.7].iter().map(|t| [*t, 2.0 * t + 1e-14 * t]).collect();
        let mut ends = hull_corners(&line, 1e-12);
        ends.sort_unstable();
        assert_eq!(ends, [1, 2]);
        assert_eq!(hull_corners(&[[1.0, 2.0], [1.0, 2.0 + 1e-14]], 1e-12).len(), 1);
        assert!(hull_corners(&[], 1e-12).is_empty());
    }

    #[test]
    fn a_square_cut_by_a_shifted_square_is_their_common_rectangle() {
        let square = |x: f64, y: f64| [[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
        let common = clipped(&square(0.0, 0.0), &square(0.75, 0.5));
        let corners: Vec<Flat> = hull_corners(&common, 1e-12).into_iter().map(|k| common[k]).collect();
        assert_eq!(corners, [[0.75, 0.5], [1.0, 0.5], [1.0, 1.0], [0.75, 1.0]]);
        let segment = clipped(&[[-1.0, 0.5], [0.5, 0.5]], &square(0.0, 0.0));
        let ends: Vec<Flat> = hull_corners(&segment, 1e-12).into_iter().map(|k| segment[k]).collect();
        assert_eq!(ends, [[0.0, 0.5], [0.5, 0.5]]);
    }
}
