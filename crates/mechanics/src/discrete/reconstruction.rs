//! Increments of the joints between two states, from their configurations.
//!
//! [`Joint::child_displacement`] carries increments of the joints to changes of the bodies; this is its inverse. Differences of
//! placements have the rounding of the placements, so a reconstructed interval is accurate enough for reports and
//! for the (q, q) form, not for the engine's own steps.

use super::Interval;
use crate::force::ForceError;
use crate::joint::{Displacement, Joint, JointFrame, JointIncrement, JointKind};
use crate::model::{Island, Model, State};
use crate::rotation::{Mat3, RodriguesVector};
use percussion_geometry::Vec3;

/// The turn of a frame `r0` that changes by `change`; for frames that are rotations up to the square of the change's error.
pub(super) fn turn_of_change(r0: &Mat3, change: &Mat3) -> RodriguesVector {
    // R = 1 + change r0ᵀ: its axial vector over 1 + tr R, without the difference of nearly equal numbers.
    let k = change * r0.transpose();
    let axial = Vec3::new(k[(2, 1)] - k[(1, 2)], k[(0, 2)] - k[(2, 0)], k[(1, 0)] - k[(0, 1)]);
    RodriguesVector(axial / (4.0 + k.trace()))
}

/// The step of a joint whose bodies moved by `parent` and `child`. `arms` are those of [`Joint::child_displacement`].
pub fn increment_from_displacements(
    joint: &Joint,
    frame: &JointFrame,
    parent: &Displacement,
    child: &Displacement,
    arms: (&Vec3, &Vec3),
) -> JointIncrement {
    let w = &frame.parent.axes;
    let back = RodriguesVector(-parent.turn.0);
    let turn = RodriguesVector(w.tr_mul(&back.after(&child.turn).0));
    let hinge = child.shift + child.turn.displacement(arms.1) - parent.shift;
    let rest = hinge - parent.turn.displacement(&(arms.0 + w * frame.shift));
    let by = w.tr_mul(&(rest + back.displacement(&rest)));
    let angle = |component: f64| 2.0 * component.atan();
    let mut step = JointIncrement::zero();
    match joint.kind {
        JointKind::Fixed => {}
        JointKind::Revolute => step.numbers.x = angle(turn.0.z),
        JointKind::Prismatic => step.numbers.x = by.z,
        JointKind::Cylindrical => step.numbers = Vec3::new(angle(turn.0.z), by.z, 0.0),
        JointKind::Universal => {
            // Seen in axes turned with the first angle, the turn is one about x after one about y: (a, b, a b).
            let (sin, cos) = frame.first.sin_cos();
            let along_y = cos * turn.0.y + sin * turn.0.z;
            step.numbers = Vec3::new(angle(turn.0.x), angle(along_y), 0.0);
        }
        JointKind::Spherical => step.turn = turn,
        JointKind::Planar => {
            step.numbers = Vec3::new(by.x, by.y, if joint.particle { 0.0 } else { angle(turn.0.z) });
        }
        JointKind::Free => step.numbers = by,
        JointKind::Rod => {
            let (from, to) = (frame.shift.normalize(), frame.shift + by);
            let length = to.norm();
            step.swing = RodriguesVector(from.cross(&by) / (length + from.dot(&to)));
        }
    }
    if matches!(joint.kind, JointKind::Free | JointKind::Rod) && !joint.particle {
        step.turn = turn;
    }
    step
}

impl Interval {
    /// Reconstructs an interval of length `h` from the states at its ends: increments, changes, and the forces at the
    /// middle.
    pub fn reconstruct(
        &mut self,
        model: &Model,
        island: &Island,
        before: &State,
        after: &State,
        h: f64,
    ) -> Result<(), ForceError> {
        self.begin(model, island, before);
        for (i, slot) in island.bodies.clone().enumerate() {
            let (r0, r1) = (&before.rotations[slot], &after.rotations[slot]);
            self.displacements[i] = Displacement {
                shift: after.positions[slot] - before.positions[slot],
                turn: turn_of_change(r0, &(r1 - r0)),
            };
        }
        self.set_increments_from_displacements(model, island);
        // Angles are known within a turn from placements, and exactly from the coordinates.
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            for (k, c) in link.coordinates().enumerate() {
                self.increments[i].numbers[k] = after.coordinates[c] - before.coordinates[c];
            }
        }
        self.evaluate(model, island, before, before.time + 0.5 * h, h)
    }

    /// The joints' increments, from the changes of the bodies.
    pub(super) fn set_increments_from_displacements(&mut self, model: &Model, island: &Island) {
        let b0 = island.bodies.start;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let parent = link.parent.map_or_else(Displacement::zero, |p| self.displacements[p - b0]);
            let (frame, arms) = (&self.joint_frames[i], (&self.arms[i].0, &self.arms[i].1));
            self.increments[i] =
                increment_from_displacements(&link.joint, frame, &parent, &self.displacements[i], arms);
        }
    }
}
