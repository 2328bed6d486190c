//! Intersection of two convex polygons in the plane [Sutherland 1974], with the origin of every vertex.
//!
//! The subject polygon (of body a) is cut by the sides of the clip polygon (of body b) one after the other. Vertices
//! within the tolerance of a side are *on* it and stay as they are: a side cuts only between a vertex clearly
//! inside and one clearly outside. Coincident sides, shared corners and corners on sides therefore make
//! no new vertices, and what comes out is labelled by the corner itself rather than by the many crossings
//! that meet there.

use crate::Vec2;

/// The origin of a vertex of the intersection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClipVertexKind {
    /// Corner `k` of the subject.
    Subject(usize),
    /// Corner `j` of the clip polygon.
    Clip(usize),
    /// Side `k` of the subject crosses side `j` of the clip polygon (side `k` runs from corner `k` to `k + 1`).
    Crossing(usize, usize),
}

/// The side along which the boundary continues after a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoundaryEdge {
    Subject(usize),
    Clip(usize),
}

/// A vertex of the intersection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipVertex {
    pub point: Vec2,
    pub kind: ClipVertexKind,
    along: BoundaryEdge,
}

/// Reused workspace of the clipper; the answer is `nodes`, counter-clockwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clipper {
    pub nodes: Vec<ClipVertex>,
    cut: Vec<ClipVertex>,
    heights: Vec<f64>,
}

impl Clipper {
    /// Intersects `subject` (counter-clockwise polygon, segment of two points or single point) with the
    /// counter-clockwise polygon `clip_polygon`; points closer than `tolerance` are one.
    pub(crate) fn clip(&mut self, subject: &[Vec2], clip_polygon: &[Vec2], tolerance: f64) {
        self.nodes.clear();
        self.nodes.extend(subject.iter().enumerate().map(|(k, &point)| ClipVertex {
            point,
            kind: ClipVertexKind::Subject(k),
            along: BoundaryEdge::Subject(k),
        }));
        for j in 0..clip_polygon.len() {
            self.cut_by_side(clip_polygon, j, tolerance);
            if self.nodes.is_empty() {
                return;
            }
        }
        self.name_corners(subject, clip_polygon, tolerance);
        self.merge(tolerance);
    }

    /// Keeps what lies to the left of side `j` of the clip polygon.
    fn cut_by_side(&mut self, clip_polygon: &[Vec2], j: usize, tolerance: f64) {
        let (from, to) = (clip_polygon[j], clip_polygon[(j + 1) % clip_polygon.len()]);
        let side = to - from;
        let Some(inward) = Vec2::new(-side.y, side.x).try_normalize(0.0) else { return };
        self.heights.clear();
        self.heights.extend(self.nodes.iter().map(|n| inward.dot(&(n.point - from))));
        if self.heights.iter().all(|&h| h >= -tolerance) {
            return;
        }
        self.cut.clear();
        for (i, node) in self.nodes.iter().enumerate() {
            let next = (i + 1) % self.nodes.len();
            let (here, there) = (self.heights[i], self.heights[next]);
            let leaves = there < -tolerance;
            if here >= -tolerance {
                // A vertex on the side from which the boundary leaves: it goes on along the side.
                let along = if here <= tolerance && leaves { BoundaryEdge::Clip(j) } else { node.along };
                self.cut.push(ClipVertex { along, ..*node });
            }
            let enters = here < -tolerance && there > tolerance;
            if enters || here > tolerance && leaves {
                let point = node.point + (self.nodes[next].point - node.point) * (here / (here - there));
                let kind = match node.along {
                    BoundaryEdge::Subject(k) => ClipVertexKind::Crossing(k, j),
                    // Two sides of the clip polygon meet in a corner of it.
                    BoundaryEdge::Clip(_) if (point - from).norm() <= (point - to).norm() => {
                        ClipVertexKind::Clip(j)
                    }
                    BoundaryEdge::Clip(_) => ClipVertexKind::Clip((j + 1) % clip_polygon.len()),
                };
                let along = if leaves { BoundaryEdge::Clip(j) } else { node.along };
                self.cut.push(ClipVertex { point, kind, along });
            }
        }
        std::mem::swap(&mut self.nodes, &mut self.cut);
    }

    /// Crossings at a corner of either polygon are that corner.
    fn name_corners(&mut self, subject: &[Vec2], clip_polygon: &[Vec2], tolerance: f64) {
        for node in &mut self.nodes {
            let ClipVertexKind::Crossing(k, j) = node.kind else { continue };
            let near = |polygon: &[Vec2], side: usize| {
                [side, (side + 1) % polygon.len()]
                    .into_iter()
                    .find(|&c| (polygon[c] - node.point).norm() <= 2.0 * tolerance)
            };
            if let Some(corner) = near(subject, k) {
                node.kind = ClipVertexKind::Subject(corner);
            } else if let Some(corner) = near(clip_polygon, j) {
                node.kind = ClipVertexKind::Clip(corner);
            }
        }
    }

    /// Joins neighbours closer than the tolerance, keeping corners rather than crossings.
    fn merge(&mut self, tolerance: f64) {
        self.cut.clear();
        for node in &self.nodes {
            let same = self.cut.iter().position(|kept| (kept.point - node.point).norm() <= 2.0 * tolerance);
            match same {
                Some(k) if matches!(self.cut[k].kind, ClipVertexKind::Crossing(..)) => self.cut[k] = *node,
                Some(_) => {}
                None => self.cut.push(*node),
            }
        }
        std::mem::swap(&mut self.nodes, &mut self.cut);
    }
}

/// Area and centroid of a counter-clockwise polygon; a segment's middle and a point itself have no area.
pub(crate) fn area_and_centroid(points: impl Iterator<Item = Vec2> + Clone) -> (f64, Vec2) {
    let count = points.clone().count();
    let Some(origin) = points.clone().next() else { return (0.0, Vec2::zeros()) };
    let (mut area, mut moment) = (0.0, Vec2::zeros());
    for (p, q) in points.clone().skip(1).zip(points.clone().skip(2)) {
        let (a, b) = (p - origin, q - origin);
        let twice = a.perp(&b);
        area += twice / 2.0;
        moment += twice / 6.0 * (a + b);
    }
    let centroid = origin + moment / area;
    if area > 0.0 && centroid.iter().all(|c| c.is_finite()) {
        return (area, centroid);
    }
    (0.0, points.fold(Vec2::zeros(), |sum, p| sum + p) / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f64, y: f64, half: f64) -> Vec<Vec2> {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(u, v)| Vec2::new(x + half * u, y + half * v))
            .to_vec()
    }

    fn kinds(subject: &[Vec2], clip_polygon: &[Vec2]) -> Vec<ClipVertexKind> {
        let mut clipper = Clipper::default();
        clipper.clip(subject, clip_polygon, 1e-9);
        clipper.nodes.iter().map(|n| n.kind).collect()
    }

    #[test]
    fn identical_squares_keep_each_corner_once() {
        let s = square(0.0, 0.0, 1.0);
        assert_eq!(kinds(&s, &s), (0..4).map(ClipVertexKind::Subject).collect::<Vec<_>>());
    }

    #[test]
    fn a_square_within_a_square_keeps_its_corners_either_way() {
        let (small, large) = (square(0.1, 0.2, 0.5), square(0.0, 0.0, 1.0));
        assert!(kinds(&small, &large).iter().all(|m| matches!(m, ClipVertexKind::Subject(_))));
        let clip_polygon = kinds(&large, &small);
        assert_eq!(clip_polygon.len(), 4);
        assert!(clip_polygon.iter().all(|m| matches!(m, ClipVertexKind::Clip(_))), "{clip_polygon:?}");
    }

    #[test]
    fn squares_that_share_a_side_line_report_corners_not_crossings() {
        let (a, b) = (square(0.0, 0.0, 1.0), square(1.0, 0.0, 1.0));
        let found = kinds(&a, &b);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|m| !matches!(m, ClipVertexKind::Crossing(..))), "{found:?}");
    }

    #[test]
    fn squares_shifted_diagonally_cross_twice() {
        let found = kinds(&square(0.0, 0.0, 1.0), &square(1.0, 1.0, 1.0));
        assert_eq!(found.len(), 4);
        assert_eq!(found.iter().filter(|m| matches!(m, ClipVertexKind::Crossing(..))).count(), 2);
        assert!(found.contains(&ClipVertexKind::Subject(2)) && found.contains(&ClipVertexKind::Clip(0)));
    }

    #[test]
    fn squares_that_touch_in_a_corner_meet_in_it() {
        assert_eq!(kinds(&square(0.0, 0.0, 1.0), &square(2.0, 2.0, 1.0)), [ClipVertexKind::Subject(2)]);
    }

    #[test]
    fn a_segment_is_cut_at_both_ends() {
        let segment = [Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.5)];
        let found = kinds(&segment, &square(0.0, 0.0, 1.0));
        assert_eq!(found.len(), 2);
    }
}
