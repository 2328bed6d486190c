//! The configuration and the momenta at the end of the step: positions by `h v`, rotations by the exponential map [Hart 6.17].

use super::StepInput;
use super::free_velocities::momenta_from_twist;
use crate::joint::JointKind;
use crate::model::{Model, State};
use crate::rotation::{RodriguesVector, about, orthonormalised};
use crate::spatial::{Vec6, angular, linear};
use percussion_geometry::Vec3;

/// Moves the bodies from the beginning of the step with the twists of the step.
pub(super) fn update_configuration(step: &StepInput, twists: &[Vec6], next: &mut State) {
    for (slot, twist) in twists.iter().enumerate() {
        move_body(step.model, slot, twist, step.h, next);
    }
    next.time = step.state.time + step.h;
    next.steps = step.state.steps + 1;
}

/// Moves a body from its place in a state with a constant twist over a time.
pub(super) fn move_body(model: &Model, slot: usize, twist: &Vec6, time: f64, at: &mut State) {
    let (v, w) = (linear(twist), angular(twist));
    let link = &model.links[slot];
    let joint = &link.joint;
    let mut position = at.positions[slot] + v * time;
    if joint.kind == JointKind::Planar {
        let (frame, arm) = (&joint.parent_frame, &joint.child_frame);
        let own = &mut at.coordinates[link.coordinates()];
        let mut rotation = at.rotations[slot];
        if let Some(angle) = own.get_mut(2) {
            *angle += time * frame.axes.column(2).dot(&w);
            rotation = frame.axes * about(&Vec3::z(), *angle) * arm.axes.transpose();
        }
        let hinge = frame.axes.tr_mul(&(position + rotation * arm.point - frame.point));
        (own[0], own[1]) = (hinge.x, hinge.y);
        // The plane is kept to rounding.
        let shift = Vec3::new(hinge.x, hinge.y, 0.0);
        position = frame.point + frame.axes * shift - rotation * arm.point;
        at.rotations[slot] = rotation;
    } else if !joint.particle {
        let turn = RodriguesVector::exp(&(at.rotations[slot].tr_mul(&w) * time));
        at.rotations[slot] = orthonormalised(&(at.rotations[slot] * turn.matrix()));
    }
    at.positions[slot] = position;
}

/// Places a body where a constant twist leads it from the beginning of the step in a time.
pub(super) fn place_body(step: &StepInput, slot: usize, twist: &Vec6, time: f64, at: &mut State) {
    let (state, own) = (step.state, step.model.links[slot].coordinates());
    at.positions[slot] = state.positions[slot];
    at.rotations[slot] = state.rotations[slot];
    at.coordinates[own.clone()].copy_from_slice(&state.coordinates[own]);
    move_body(step.model, slot, twist, time, at);
}

/// Writes the momenta of the end; angular velocities keep their components in body axes, so that the twists become those of the
/// end in world axes.
pub(super) fn update_momenta(step: &StepInput, twists: &mut [Vec6], next: &mut State) {
    let StepInput { model, state, .. } = *step;
    for (slot, twist) in twists.iter_mut().enumerate() {
        let end = next.rotations[slot] * state.rotations[slot].tr_mul(&angular(twist));
        twist.fixed_rows_mut::<3>(3).copy_from(&end);
    }
    for (slot, link) in model.links.iter().enumerate() {
        if link.joint.kind == JointKind::Free {
            let (position, rotation) = (&next.positions[slot], &next.rotations[slot]);
            let momenta = &mut next.momenta[link.dofs()];
            momenta_from_twist(link, position, rotation, &twists[slot], momenta);
            continue;
        }
        let node = model.mass_node(next, slot, slot, link.dof);
        let wrench = node.block * twists[slot];
        for (k, p) in next.momenta[link.dofs()].iter_mut().enumerate() {
            *p = node.motion0.column(k).dot(&wrench);
        }
    }
}
