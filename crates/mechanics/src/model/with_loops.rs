//! A model with joints that enter and leave while it moves: loops that it was not built with.

use super::initial_momenta::project_on_loops;
use super::{Island, Model};
use crate::tree::Closure;
use percussion_geometry::Vec3;
use std::sync::Arc;

impl Model {
    /// The same model with more loops. The order of bodies, degrees of freedom and coordinates stays: its states are those of the model without them. Islands
    /// that a loop ties together become one, with those between them in the list.
    pub fn with_loops(&self, loops: &[Closure]) -> Self {
        let mut model = self.clone();
        if loops.is_empty() {
            return model;
        }
        let island_of = |slot: usize| self.islands.partition_point(|island| island.bodies.end <= slot);
        // Which islands go on into the next one.
        let mut goes_on = vec![false; self.islands.len()];
        for closure in loops {
            let ends = [Some(closure.child), closure.parent].map(|slot| slot.map(island_of));
            if let [Some(one), Some(other)] = ends {
                goes_on[one.min(other)..one.max(other)].fill(true);
            }
        }
        model.islands.clear();
        model.closures.clear();
        let mut first = 0;
        for last in (0..self.islands.len()).filter(|&i| !goes_on[i]) {
            let (a, b) = (&self.islands[first], &self.islands[last]);
            let bodies = a.bodies.start..b.bodies.end;
            let start = model.closures.len();
            model.closures.extend_from_slice(&self.closures[a.closures.start..b.closures.end]);
            model.closures.extend(loops.iter().filter(|own| bodies.contains(&own.child)).cloned());
            let closures = start..model.closures.len();
            model.islands.push(Island {
                simple: a.simple && first == last && closures.is_empty(),
                bodies,
                dofs: a.dofs.start..b.dofs.end,
                coordinates: a.coordinates.start..b.coordinates.end,
                closures,
                forces: a.forces.start..b.forces.end,
                joint_forces: a.joint_forces.start..b.joint_forces.end,
            });
            first = last + 1;
        }
        model
    }

    /// The same model in which some pairs of bodies do not meet.
    pub fn without_contact(mut self, pairs: &[(usize, usize)]) -> Self {
        if let Some(contacts) = self.contacts.as_mut().filter(|_| !pairs.is_empty()) {
            Arc::make_mut(contacts).keep_apart(pairs);
        }
        self
    }

    /// What is left of momenta when loops that were not there hold: a plastic impact, `p - Gᵀ (G M⁻¹ Gᵀ)⁻¹ G M⁻¹ p`. Returns the impulses on the
    /// children of all loops, N s, in their order; where loops say the same thing twice, the least ones.
    pub fn catch(&self, state: &mut crate::State) -> Vec<Vec3> {
        let mut impulses = vec![Vec3::zeros(); self.closures.len()];
        for island in self.islands.iter().filter(|island| !island.closures.is_empty()) {
            let mut system = self.mass_system(state, island.bodies.clone());
            // A reduced mass matrix is positive definite, and velocities that are to be projected are not refused.
            let Ok(()) = system.factor() else { continue };
            let Ok(multipliers) = project_on_loops(self, state, island, &mut system, true) else { continue };
            let mut rows = multipliers.iter();
            for (closure, impulse) in
                self.closures[island.closures.clone()].iter().zip(&mut impulses[island.closures.clone()])
            {
                let parent = super::placed(&state.positions, &state.rotations, closure.parent);
                let child = (&state.positions[closure.child], &state.rotations[closure.child]);
                for (row, multiplier) in closure.joint.rows().iter().zip(&mut rows) {
                    *impulse -= closure.joint.row(*row, parent, child).child.force * *multiplier;
                }
            }
        }
        impulses
    }
}
