//! All pairs of parts that may collide, and a test of their bounding balls.
//!
//! ```text
//! every pair that may meet      balls apart?  -> next          s = separation of the kernel, cold       overlap = -s
//! ```
//!
//! For single states: the first one of a run, or those of a test. Queries at every step use a
//! [`CandidatePairs`](super::CandidatePairs).

use super::contact_geometry::ContactGeometry;
use percussion_geometry::Pose;

impl ContactGeometry {
    /// All pairs of parts that may collide, each in the order of queries.
    pub fn all_pairs(&self) -> Vec<(usize, usize)> {
        let count = self.parts.len();
        let each = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        each.filter(|&(a, b)| self.may_collide(a, b)).map(|(a, b)| self.ordered(a, b)).collect()
    }

    /// Whether the bounding balls of two parts overlap when their bodies' principal frames have given poses (identity for
    /// fixed bodies); of a half-space it is the plane that the ball must reach.
    pub fn bounding_balls_overlap(&self, (a, b): (usize, usize), (pose_a, pose_b): (&Pose, &Pose)) -> bool {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let centre = pose_a.point(&p.reference);
        match q.height(pose_b, &centre) {
            Some(height) => height <= p.radius,
            None => (centre - pose_b.point(&q.reference)).norm() <= p.radius + q.radius,
        }
    }
}
