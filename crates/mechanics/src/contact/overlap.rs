//! How far parts reach into each other: all pairs, in one look.
//!
//! ```text
//! every pair that may meet      balls apart?  -> next          s = separation of the kernel, cold       overlap = -s
//! ```
//!
//! For states that are looked at once: the first one of a run, or those of a test. Whoever looks at every step keeps a
//! [`CandidatePairs`](super::CandidatePairs).

use super::contacts::ContactGeometry;
use super::part::{Part, PartShape};
use super::touch::PairWarmStart;
use crate::state::State;
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_geometry::{Pose, Vec3};

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

    /// The pair of parts with the greatest overlap of all in a state, and that overlap: `-s` in metres, above zero. `None`
    /// where nothing overlaps. A pair that has no separation (placements that are not finite) counts as apart.
    pub fn deepest(&self, state: &State) -> Option<(f64, (usize, usize))> {
        let mut deepest: Option<(f64, (usize, usize))> = None;
        for pair in self.all_pairs() {
            let poses = (self.parts[pair.0].body_pose(state), self.parts[pair.1].body_pose(state));
            let poses = (&poses.0, &poses.1);
            if !self.balls_meet(pair, poses) {
                continue;
            }
            let Ok(touch) = self.touch(pair, poses, f64::INFINITY, &mut PairWarmStart::default()) else {
                continue;
            };
            let overlap = -touch.separation;
            if overlap > deepest.map_or(0.0, |(most, _)| most) {
                deepest = Some((overlap, pair));
            }
        }
        deepest
    }
}

impl Part {
    /// Height of a point over the plane of a half-space whose body stands at `pose`; `None` for bounded parts.
    pub fn height(&self, pose: &Pose, point: &Vec3) -> Option<f64> {
        let (normal, offset) = match &self.shape {
            PartShape::Solid(Solid::HalfSpace(half)) => (half.normal(), half.offset()),
            PartShape::Planar(PlanarShape::HalfPlane(half)) => {
                let normal = half.normal();
                (Vec3::new(normal.x, normal.y, 0.0), half.offset())
            }
            _ => return None,
        };
        let own = self.offset.inverse_point(&pose.inverse_point(point));
        Some(normal.dot(&own) - offset)
    }
}
