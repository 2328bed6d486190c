//! From placements back to increments: what the joints did between two states.
//!
//! [`Joint::advance`] carries increments of the joints to changes of the bodies; this is its inverse. Differences of
//! placements know a step only to the rounding of the placements, so an interval that is read back is good for reports and
//! for the (q, q) form, not for the engine's own steps.

use super::Interval;
use crate::force::ForceError;
use crate::joint::{Change, Joint, JointFrame, JointKind, Step};
use crate::model::State;
use crate::model::{Island, Model};
use crate::rotation::{Mat3, Turn};
use percussion_geometry::Vec3;

/// The turn of a frame `r0` that changes by `change`; for frames that are rotations up to the square of the change's error.
pub(super) fn turn_of_change(r0: &Mat3, change: &Mat3) -> Turn {
    // R = 1 + change r0ᵀ: its axial vector over 1 + tr R, without the difference of nearly equal numbers.
    let k = change * r0.transpose();
    let axial = Vec3::new(k[(2, 1)] - k[(1, 2)], k[(0, 2)] - k[(2, 0)], k[(1, 0)] - k[(0, 1)]);
    Turn(axial / (4.0 + k.trace()))
}

/// The step of a joint whose bodies moved by `parent` and `child`. `arms` are those of [`Joint::advance`].
pub fn step_between(
    joint: &Joint,
    stand: &JointFrame,
    parent: &Change,
    child: &Change,
    arms: (&Vec3, &Vec3),
) -> Step {
    let w = &stand.frame.axes;
    let back = Turn(-parent.turn.0);
    let turn = Turn(w.tr_mul(&back.after(&child.turn).0));
    let hinge = child.shift + child.turn.moves(arms.1) - parent.shift;
    let rest = hinge - parent.turn.moves(&(arms.0 + w * stand.shift));
    let by = w.tr_mul(&(rest + back.moves(&rest)));
    let angle = |component: f64| 2.0 * component.atan();
    let mut step = Step::none();
    match joint.kind {
        JointKind::Fixed => {}
        JointKind::Revolute => step.numbers.x = angle(turn.0.z),
        JointKind::Prismatic => step.numbers.x = by.z,
        JointKind::Cylindrical => step.numbers = Vec3::new(angle(turn.0.z), by.z, 0.0),
        JointKind::Universal => {
            // Seen in axes turned with the first angle, the turn is one about x after one about y: (a, b, a b).
            let (sin, cos) = stand.first.sin_cos();
            let along_y = cos * turn.0.y + sin * turn.0.z;
            step.numbers = Vec3::new(angle(turn.0.x), angle(along_y), 0.0);
        }
        JointKind::Spherical => step.turn = turn,
        JointKind::Planar => {
            step.numbers = Vec3::new(by.x, by.y, if joint.particle { 0.0 } else { angle(turn.0.z) });
        }
        JointKind::Free => step.numbers = by,
        JointKind::Rod => {
            let (from, to) = (stand.shift.normalize(), stand.shift + by);
            let length = to.norm();
            step.swing = Turn(from.cross(&by) / (length + from.dot(&to)));
        }
    }
    if matches!(joint.kind, JointKind::Free | JointKind::Rod) && !joint.particle {
        step.turn = turn;
    }
    step
}

impl Interval {
    /// Reads an interval of length `h` back from the states at its ends: increments, changes, and what forces do at the
    /// middle.
    pub fn read_back(
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
            self.changes[i] = Change {
                shift: after.positions[slot] - before.positions[slot],
                turn: turn_of_change(r0, &(r1 - r0)),
            };
        }
        self.set_steps(model, island);
        // Angles are known within a turn from placements, and exactly from the coordinates.
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            for (k, c) in link.coordinates().enumerate() {
                self.steps[i].numbers[k] = after.coordinates[c] - before.coordinates[c];
            }
        }
        self.evaluate(model, island, before, before.time + 0.5 * h, h)
    }

    /// The joints' increments, from the changes of the bodies.
    pub(super) fn set_steps(&mut self, model: &Model, island: &Island) {
        let b0 = island.bodies.start;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let parent = link.parent.map_or_else(Change::none, |p| self.changes[p - b0]);
            let (stand, arms) = (&self.stands[i], (&self.arms[i].0, &self.arms[i].1));
            self.steps[i] = step_between(&link.joint, stand, &parent, &self.changes[i], arms);
        }
    }
}
