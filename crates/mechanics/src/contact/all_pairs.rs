//! How far parts reach into each other: all pairs, in one look.
//!
//! ```text
//! every pair that may meet      balls apart?  -> next          s = separation of the kernel, cold       overlap = -s
//! ```
//!
//! For states that are looked at once: the first one of a run, or those of a test. Whoever looks at every step keeps a
//! [`CandidatePairs`](super::CandidatePairs).

use super::contact_geometry::ContactGeometry;
use percussion_geometry::Pose;

impl ContactGeometry {
    /// All pairs of parts that may meet, each in the order in which it is asked about.
    pub fn all_pairs(&self) -> Vec<(usize, usize)> {
        let count = self.parts.len();
        let each = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        each.filter(|&(a, b)| self.may_meet(a, b)).map(|(a, b)| self.ordered(a, b)).collect()
    }

    /// Whether the balls about two parts meet when their bodies' principal frames stand at given placements (identity for
    /// fixed bodies); of a half-space it is the plane that the ball must reach.
    pub fn balls_meet(&self, (a, b): (usize, usize), (pose_a, pose_b): (&Pose, &Pose)) -> bool {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let centre = pose_a.point(&p.reference);
        match q.height(pose_b, &centre) {
            Some(height) => height <= p.radius,
            None => (centre - pose_b.point(&q.reference)).norm() <= p.radius + q.radius,
        }
    }
}
