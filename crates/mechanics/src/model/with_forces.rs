//! Models with additional forces.

use super::{Island, Model};
use crate::force::{Force, JointForce};

impl Model {
    /// The same model with forces added, each of which acts within one island: anchors are slots and arms in principal
    /// frames, slots of forces along joints those of the children; a motor may act along any degree of freedom, also one without a
    /// coordinate. The order of bodies, degrees of freedom and coordinates stays: its
    /// states are those of the model without them. A force on no moving body is left out.
    pub fn with_forces(&self, forces: Vec<Force>, joint_forces: Vec<JointForce>) -> Self {
        let mut model = self.clone();
        model.forces.clear();
        model.joint_forces.clear();
        let slot_of = |force: &Force| {
            let mut first = None;
            force.for_each_slot(&mut |slot| first = first.or(Some(slot)));
            first
        };
        for (island, old) in model.islands.iter_mut().zip(&self.islands) {
            let (first, first_along) = (model.forces.len(), model.joint_forces.len());
            model.forces.extend_from_slice(&self.forces[old.forces.clone()]);
            let own = |slot: usize| old.bodies.contains(&slot);
            model.forces.extend(forces.iter().filter(|f| slot_of(f).is_some_and(own)).cloned());
            model.joint_forces.extend_from_slice(&self.joint_forces[old.joint_forces.clone()]);
            model.joint_forces.extend(joint_forces.iter().filter(|f| own(f.slot)).cloned());
            *island = Island {
                forces: first..model.forces.len(),
                joint_forces: first_along..model.joint_forces.len(),
                simple: old.simple && first == model.forces.len() && first_along == model.joint_forces.len(),
                ..old.clone()
            };
        }
        model
    }
}
