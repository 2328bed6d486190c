//! Configurations as points of a manifold: displace one, and find the increments that lead from one to another.
//!
//! A displacement `d` of a configuration moves every joint by its degrees of freedom, [`Joint::corrected`] from where it stands; its
//! derivative at zero are the null-space columns. [`Interval`] corrects the end of a step in the same way, so
//! that one chart serves the node between two intervals from both sides.

use super::Interval;
use crate::joint::{Joint, JointFrame, JointKind, Step};
use crate::model::State;
use crate::model::{Island, Model, placed};
use crate::rotation::{Turn, tangents};
use nalgebra::{Rotation3, UnitQuaternion};

/// Writes to `to` the configuration of an island `from` displaced by `d` in its degrees of freedom. Momenta and time are left alone.
pub fn displace(model: &Model, island: &Island, from: &State, d: &[f64], to: &mut State) {
    for slot in island.bodies.clone() {
        let link = &model.links[slot];
        let coordinates = link.coordinates();
        let stand = stand_of(model, from, slot);
        let first = link.dof - island.dofs.start;
        let step = link.joint.corrected(&stand, &Step::none(), &d[first..first + link.joint.dofs()]);
        to.coordinates[coordinates.clone()].copy_from_slice(&from.coordinates[coordinates.clone()]);
        link.joint.step_coordinates(&step, &mut to.coordinates[coordinates.clone()]);
        let frame = match placed(&to.positions, &to.rotations, link.parent) {
            Some((position, rotation)) => link.joint.on_parent.on(position, rotation),
            None => link.joint.on_parent,
        };
        let (position, rotation) = link.joint.place(&stand, &frame, &step, &to.coordinates[coordinates]);
        to.positions[slot] = position;
        to.rotations[slot] = rotation;
    }
}

/// Writes to `d` the displacement that [`displace`] leads from one configuration of an island to another with; turns of joints
/// by the shorter way.
pub fn difference(model: &Model, island: &Island, from: &State, to: &State, d: &mut [f64]) {
    for slot in island.bodies.clone() {
        let link = &model.links[slot];
        let (stand, other) = (stand_of(model, from, slot), stand_of(model, to, slot));
        let first = link.dof - island.dofs.start;
        let out = &mut d[first..first + link.joint.dofs()];
        let turn = || {
            let turned = Rotation3::from_matrix_unchecked(other.turned * stand.turned.transpose());
            UnitQuaternion::from_rotation_matrix(&turned).scaled_axis()
        };
        let turns = !link.joint.particle;
        match link.joint.kind {
            JointKind::Spherical => out.copy_from_slice(turn().as_slice()),
            JointKind::Free => {
                out[..3].copy_from_slice((other.shift - stand.shift).as_slice());
                if turns {
                    out[3..].copy_from_slice(turn().as_slice());
                }
            }
            JointKind::Rod => {
                let (a, b) = (stand.shift.normalize(), other.shift.normalize());
                let swing = Turn(a.cross(&b) / (1.0 + a.dot(&b))).log();
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
    /// step, where increments carried along by a step know it to rounding of the momentum.
    pub fn reach(&mut self, model: &Model, island: &Island, state: &State, end: &State) {
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let (c0, c1) = (&state.coordinates[link.coordinates()], &end.coordinates[link.coordinates()]);
            self.steps[i] =
                step_from_stands(&link.joint, &self.stands[i], &stand_of(model, end, slot), (c0, c1));
        }
    }
}

/// Where the joint of a slot stands in a configuration.
fn stand_of(model: &Model, state: &State, slot: usize) -> JointFrame {
    let link = &model.links[slot];
    let parent = placed(&state.positions, &state.rotations, link.parent);
    let child = (&state.positions[slot], &state.rotations[slot]);
    link.joint.stand(parent, child, &state.coordinates[link.coordinates()])
}

/// The step of a joint from one stand to another.
pub(crate) fn step_from_stands(
    joint: &Joint,
    from: &JointFrame,
    to: &JointFrame,
    coordinates: (&[f64], &[f64]),
) -> Step {
    let mut step = Step::none();
    for (i, (c0, c1)) in coordinates.0.iter().zip(coordinates.1).enumerate() {
        step.numbers[i] = c1 - c0;
    }
    let turns = matches!(joint.kind, JointKind::Spherical | JointKind::Free | JointKind::Rod);
    if turns && !joint.particle {
        step.turn = Turn::of_matrix(&(to.turned * from.turned.transpose()));
    }
    match joint.kind {
        JointKind::Free => step.numbers = to.shift - from.shift,
        JointKind::Rod => {
            // The shortest way: a × b / (1 + a·b) for unit vectors.
            let (a, b) = (from.shift.normalize(), to.shift.normalize());
            step.swing = Turn(a.cross(&b) / (1.0 + a.dot(&b)));
        }
        _ => {}
    }
    step
}
