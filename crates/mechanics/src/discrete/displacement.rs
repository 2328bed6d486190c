//! Configurations as points of a manifold: displace one, and find the increments that lead from one to another.
//!
//! A displacement `d` of a configuration moves every joint by its degrees of freedom, [`Joint::incremented`] from its present frame; its
//! derivative at zero are the null-space columns. [`Interval`] corrects the end of a step in the same way, so
//! that both intervals at a node use one chart.

use super::Interval;
use crate::joint::{Joint, JointFrame, JointIncrement, JointKind};
use crate::model::{Island, Model, State, placed};
use crate::rotation::{RodriguesVector, tangents};
use nalgebra::{Rotation3, UnitQuaternion};

/// Writes to `to` the configuration of an island `from` displaced by `d` in its degrees of freedom. Momenta and time are left alone.
pub fn displace(model: &Model, island: &Island, from: &State, d: &[f64], to: &mut State) {
    for slot in island.bodies.clone() {
        let link = &model.links[slot];
        let coordinates = link.coordinates();
        let frame = joint_frame_of(model, from, slot);
        let first = link.dof - island.dofs.start;
        let step =
            link.joint.incremented(&frame, &JointIncrement::zero(), &d[first..first + link.joint.dofs()]);
        to.coordinates[coordinates.clone()].copy_from_slice(&from.coordinates[coordinates.clone()]);
        link.joint.advance_coordinates(&step, &mut to.coordinates[coordinates.clone()]);
        let parent_frame = link.joint.parent_frame_on(placed(&to.positions, &to.rotations, link.parent));
        let (position, rotation) =
            link.joint.child_pose(&frame, &parent_frame, &step, &to.coordinates[coordinates]);
        to.positions[slot] = position;
        to.rotations[slot] = rotation;
    }
}

/// Writes to `d` the displacement that [`displace`] leads from one configuration of an island to another with; turns of joints
/// by the shorter way.
pub fn difference(model: &Model, island: &Island, from: &State, to: &State, d: &mut [f64]) {
    for slot in island.bodies.clone() {
        let link = &model.links[slot];
        let (frame, other) = (joint_frame_of(model, from, slot), joint_frame_of(model, to, slot));
        let first = link.dof - island.dofs.start;
        let out = &mut d[first..first + link.joint.dofs()];
        let turn = || {
            let turned = Rotation3::from_matrix_unchecked(other.rotation * frame.rotation.transpose());
            UnitQuaternion::from_rotation_matrix(&turned).scaled_axis()
        };
        let turns = !link.joint.particle;
        match link.joint.kind {
            JointKind::Spherical => out.copy_from_slice(turn().as_slice()),
            JointKind::Free => {
                out[..3].copy_from_slice((other.shift - frame.shift).as_slice());
                if turns {
                    out[3..].copy_from_slice(turn().as_slice());
                }
            }
            JointKind::Rod => {
                let (a, b) = (frame.shift.normalize(), other.shift.normalize());
                let swing = RodriguesVector(a.cross(&b) / (1.0 + a.dot(&b))).log();
                let (e1, e2) = tangents(&a);
                (out[0], out[1]) = (e1.dot(&swing), e2.dot(&swing));
                if turns {
                    out[2..].copy_from_slice(turn().as_slice());
                }
            }
            _ => {
                let (c0, c1) = (&from.coordinates[link.coordinates()], &to.coordinates[link.coordinates()]);
                out.iter_mut().zip(c1.iter().zip(c0)).for_each(|(o, (c1, c0))| *o = c1 - c0);
            }
        }
    }
}

impl Interval {
    /// Sets the joints' increments to those that lead from `state`, where the interval has begun, to `end`.
    ///
    /// They are differences of configurations: a momentum read off them is known to rounding of the *configuration* over the
    /// step, where increments carried along by a step have the rounding of the momentum.
    pub fn set_increments(&mut self, model: &Model, island: &Island, state: &State, end: &State) {
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let (c0, c1) = (&state.coordinates[link.coordinates()], &end.coordinates[link.coordinates()]);
            self.increments[i] = increment_between_frames(
                &link.joint,
                &self.joint_frames[i],
                &joint_frame_of(model, end, slot),
                (c0, c1),
            );
        }
    }
}

/// Frame of the joint of a slot in a configuration.
fn joint_frame_of(model: &Model, state: &State, slot: usize) -> JointFrame {
    let link = &model.links[slot];
    let parent = placed(&state.positions, &state.rotations, link.parent);
    let child = (&state.positions[slot], &state.rotations[slot]);
    link.joint.frame(parent, child, &state.coordinates[link.coordinates()])
}

/// The increment of a joint from one frame to another.
pub(crate) fn increment_between_frames(
    joint: &Joint,
    from: &JointFrame,
    to: &JointFrame,
    coordinates: (&[f64], &[f64]),
) -> JointIncrement {
    let mut step = JointIncrement::zero();
    for (i, (c0, c1)) in coordinates.0.iter().zip(coordinates.1).enumerate() {
        step.numbers[i] = c1 - c0;
    }
    let turns = matches!(joint.kind, JointKind::Spherical | JointKind::Free | JointKind::Rod);
    if turns && !joint.particle {
        step.turn = RodriguesVector::from_matrix(&(to.rotation * from.rotation.transpose()));
    }
    match joint.kind {
        JointKind::Free => step.numbers = to.shift - from.shift,
        JointKind::Rod => {
            // The shortest way: a × b / (1 + a·b) for unit vectors.
            let (a, b) = (from.shift.normalize(), to.shift.normalize());
            step.swing = RodriguesVector(a.cross(&b) / (1.0 + a.dot(&b)));
        }
        _ => {}
    }
    step
}
