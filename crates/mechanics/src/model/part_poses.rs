//! Poses of contact parts in a state.

use super::{Model, State};
use crate::contact::{ContactGeometry, PairWarmStart, Part};
use percussion_geometry::Pose;

impl Part {
    /// Pose of the body's principal frame. The pose of a fixed body is part of the offset; that of a driven body is its
    /// displacement from there.
    pub fn body_pose(&self, state: &State) -> Pose {
        match (self.slot, &self.motion) {
            (Some(slot), _) => state.principal_pose(slot),
            (None, Some(motion)) => motion.pose(state.time),
            (None, None) => Pose::identity(),
        }
    }

    /// Name of its body.
    pub fn body_name<'a>(&self, model: &'a Model) -> &'a str {
        &model.bodies[self.body].name
    }
}

impl ContactGeometry {
    /// The pair of parts with the maximum penetration in a state, and that penetration: `-s` in metres, above zero. `None`
    /// where nothing overlaps. A pair that has no separation (poses that are not finite) counts as apart.
    pub fn deepest(&self, state: &State) -> Option<(f64, (usize, usize))> {
        let mut deepest: Option<(f64, (usize, usize))> = None;
        for pair in self.all_pairs() {
            let poses = (self.parts[pair.0].body_pose(state), self.parts[pair.1].body_pose(state));
            let poses = (&poses.0, &poses.1);
            if !self.bounding_balls_overlap(pair, poses) {
                continue;
            }
            let Ok(point) = self.separation(pair, poses, f64::INFINITY, &mut PairWarmStart::default()) else {
                continue;
            };
            let overlap = -point.separation;
            if overlap > deepest.map_or(0.0, |(most, _)| most) {
                deepest = Some((overlap, pair));
            }
        }
        deepest
    }
}
