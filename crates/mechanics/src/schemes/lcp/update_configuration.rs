//! The configuration and the momenta at the end of the step: positions by `h v`, rotations by the exponential map [Hart 6.17].

use super::StepInput;
use super::free_velocities::momenta_from_twist;
use crate::joint::JointKind;
use crate::model::State;
use crate::rotation::{RodriguesVector, about, orthonormalised};
use crate::spatial::{Vec6, angular, linear};
use percussion_geometry::Vec3;

/// Moves the bodies with the twists of the step and writes their momenta; angular velocities keep their components in body
/// axes, so that the twists become those of the end in world axes.
pub(super) fn update_configuration(step: &StepInput, twists: &mut [Vec6], next: &mut State) {
    let StepInput { model, state, h, .. } = *step;
    for (slot, link) in model.links.iter().enumerate() {
        let (v, w) = (linear(&twists[slot]), angular(&twists[slot]));
        let mut position = state.positions[slot] + v * h;
        let mut rotation = state.rotations[slot];
        let joint = &link.joint;
        if joint.kind == JointKind::Planar {
            let (frame, arm) = (&joint.parent_frame, &joint.child_frame);
            let own = &mut next.coordinates[link.coordinates()];
            if let Some(angle) = own.get_mut(2) {
                *angle += h * frame.axes.column(2).dot(&w);
                rotation = frame.axes * about(&Vec3::z(), *angle) * arm.axes.transpose();
            }
            let hinge = frame.axes.tr_mul(&(position + rotation * arm.point - frame.point));
            (own[0], own[1]) = (hinge.x, hinge.y);
            // The plane is kept to rounding.
            let shift = Vec3::new(hinge.x, hinge.y, 0.0);
            position = frame.point + frame.axes * shift - rotation * arm.point;
        } else if !joint.particle {
            let turn = RodriguesVector::exp(&(state.rotations[slot].tr_mul(&w) * h));
            rotation = orthonormalised(&(state.rotations[slot] * turn.matrix()));
        }
        let end = rotation * state.rotations[slot].tr_mul(&w);
        next.positions[slot] = position;
        next.rotations[slot] = rotation;
        twists[slot].fixed_rows_mut::<3>(3).copy_from(&end);
    }
    next.time = state.time + h;
    next.steps = state.steps + 1;
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
