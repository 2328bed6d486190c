//! The contact region: where the supporting features of two polytopes overlap [Hart Theorem 3.4].
//!
//! Body a shifted by `-s β` touches body b; the region is their intersection, a polygon, a segment or a point.
//! It is computed from the supporting vertices alone (hull of each body's, projected along β, then clipped), independently of
//! the events, whose hull it is.

use super::band::{Band, Placed, View};
use super::clip::{Clipper, area_and_centroid};
use super::event::Side;
use super::options::resolution;
use crate::separation::{Outcome, Separation};
use crate::shapes::Polytope;
use crate::{Pose, Vec2, Vec3};

/// The region in which two polytopes touch, or would after moving a by `-s β`; world frame. Keeps its
/// memory from query to query.
#[derive(Clone, Debug, Default)]
pub struct ContactRegion {
    points_a: Vec<Vec3>,
    area: f64,
    centroid_a: Vec3,
    shift: Vec3,
    bands: [Band; 2],
    hulls: [Vec<Vec2>; 2],
    sorted: Vec<Vec2>,
    clipper: Clipper,
}

impl ContactRegion {
    /// No region yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Corners of the region on body a's supporting plane, counter-clockwise about alpha, each once.
    pub fn points_a(&self) -> &[Vec3] {
        &self.points_a
    }

    /// The same corners on body b's supporting plane.
    pub fn points_b(&self) -> impl Iterator<Item = Vec3> {
        self.points_a.iter().map(|p| p - self.shift)
    }

    /// 0 for a point, 1 for a segment, 2 for a polygon; `None` when there is no region.
    pub fn dimension(&self) -> Option<usize> {
        self.points_a.len().checked_sub(1).map(|d| d.min(2))
    }

    /// Area in the supporting plane, square metres.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Centroid on body a: of the polygon, the segment, or the point itself.
    pub fn centroid_a(&self) -> Vec3 {
        self.centroid_a
    }

    /// Finds the region. Vertices up to `height` (metres along alpha's unit normal) above a supporting plane
    /// count as lying in it; zero means up to rounding. An unsolved answer has no region.
    pub fn find(
        &mut self,
        a: &Polytope,
        pose_a: &Pose,
        b: &Polytope,
        pose_b: &Pose,
        answer: &Separation,
        height: f64,
    ) -> &[Vec3] {
        self.points_a.clear();
        self.area = 0.0;
        if answer.outcome != Outcome::Solved {
            return &self.points_a;
        }
        let origin = pose_b.position;
        let resolution = resolution(a.outer_radius(), b.outer_radius());
        let (alpha, view) = (answer.alpha, View::along(&answer.beta));
        let depth = (height + resolution) * alpha.norm();
        for (k, (polytope, pose, side)) in
            [(a, pose_a, Side::A), (b, pose_b, Side::B)].into_iter().enumerate()
        {
            let placed = Placed::new(polytope, pose, &origin);
            self.bands[k].collect(&placed, side, &alpha, depth, answer.basis[0][k], &view);
            self.sorted.clear();
            self.sorted.extend(self.bands[k].corners.iter().map(|c| view.see(&c.point)));
            hull(&mut self.sorted, &mut self.hulls[k], resolution);
        }
        let touch = answer.point_a - origin;
        self.intersect(&view.see(&touch), resolution);
        // Back onto a's supporting plane along β.
        let plane = alpha.dot(&touch);
        let lift = |p: Vec2| {
            let flat = view.u * p.x + view.v * p.y;
            flat + answer.beta * (plane - alpha.dot(&flat)) + origin
        };
        let seen = self.clipper.nodes.iter().map(|n| n.point);
        self.points_a.extend(seen.clone().map(lift));
        let (area, centroid) = area_and_centroid(seen);
        // The plane is tilted against the view by an angle of cosine 1/|alpha|.
        self.area = area * alpha.norm();
        self.centroid_a = lift(centroid);
        self.shift = answer.beta * answer.separation;
        &self.points_a
    }

    /// Leaves the intersection of the two hulls in the clipper; `touch` is a point known to lie in it.
    fn intersect(&mut self, touch: &Vec2, resolution: f64) {
        let [p, q] = &self.hulls;
        match (p.len(), q.len()) {
            (1, _) => self.clipper.clip(p, &[], resolution),
            (_, 1) => self.clipper.clip(q, &[], resolution),
            (_, 3..) => self.clipper.clip(p, q, resolution),
            (3.., _) => self.clipper.clip(q, p, resolution),
            _ => match common_stretch(p, q, resolution) {
                Some(ends) => self.clipper.clip(&ends, &[], resolution),
                None => self.clipper.clip(&[*touch], &[], resolution),
            },
        }
        if self.clipper.nodes.is_empty() {
            // Features that meet in less than the resolution: the optimal point remains.
            self.clipper.clip(&[*touch], &[], resolution);
        }
    }
}

/// Ends of the common stretch of two segments on one line; `None` when they cross.
fn common_stretch(p: &[Vec2], q: &[Vec2], resolution: f64) -> Option<[Vec2; 2]> {
    let (e, f) = (p[1] - p[0], q[1] - q[0]);
    let shorter = e.norm().min(f.norm());
    let direction = e.try_normalize(0.0)?;
    if direction.perp(&f).abs() / f.norm() * shorter > 2.0 * resolution {
        return None;
    }
    let at = |x: &Vec2| direction.dot(&(x - p[0]));
    let (low, high) = (at(&q[0]).min(at(&q[1])), at(&q[0]).max(at(&q[1])));
    let (from, to) = (low.max(0.0), high.min(e.norm()));
    Some([p[0] + direction * from, p[0] + direction * to.max(from)])
}

/// Counter-clockwise hull of `points` (which it sorts), without points closer than `resolution` to a neighbour
/// or to the line of its neighbours; one point or two ends if there is no area.
pub(crate) fn hull(points: &mut [Vec2], hull: &mut Vec<Vec2>, resolution: f64) {
    hull.clear();
    points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    // Lower chain from left to right, then upper chain back: each keeps only left turns.
    for backwards in [false, true] {
        let start = hull.len();
        for k in 0..points.len() {
            let point = points[if backwards { points.len() - 1 - k } else { k }];
            while hull.len() >= start + 2 && !turns_left(&hull[hull.len() - 2..], &point, resolution) {
                hull.pop();
            }
            hull.push(point);
        }
        // The last point starts the next chain.
        hull.pop();
    }
    if hull.is_empty() {
        hull.extend(points.first());
    }
    hull.dedup_by(|p, q| (*p - *q).norm() <= resolution);
    while hull.len() > 1 && (hull[0] - hull[hull.len() - 1]).norm() <= resolution {
        hull.pop();
    }
}

/// Whether the way bends to the left by more than the resolution at the second of two points.
fn turns_left(last: &[Vec2], next: &Vec2, resolution: f64) -> bool {
    let (first, second) = (last[1] - last[0], next - last[0]);
    first.perp(&second) > resolution * second.norm().max(first.norm())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_collinear_points_has_two_ends() {
        let mut points: Vec<Vec2> = (0..5).map(|k| Vec2::new(k as f64, 2.0 * k as f64)).collect();
        let mut found = Vec::new();
        hull(&mut points, &mut found, 1e-9);
        assert_eq!(found, [Vec2::new(0.0, 0.0), Vec2::new(4.0, 8.0)]);
    }

    #[test]
    fn the_hull_of_a_repeated_point_is_that_point() {
        let mut points = vec![Vec2::new(1.0, 1.0); 3];
        let mut found = Vec::new();
        hull(&mut points, &mut found, 1e-9);
        assert_eq!(found, [Vec2::new(1.0, 1.0)]);
    }

    #[test]
    fn points_on_the_sides_of_a_square_are_no_corners() {
        let mut points: Vec<Vec2> = (0..9).map(|k| Vec2::new((k % 3) as f64, (k / 3) as f64)).collect();
        let mut found = Vec::new();
        hull(&mut points, &mut found, 1e-9);
        assert_eq!(found.len(), 4);
    }
}
