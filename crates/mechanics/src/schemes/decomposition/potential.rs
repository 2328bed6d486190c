//! Potential energy of the islands of a group, and its gradient.

use crate::discrete::island_potential;
use crate::force::{Bodies, BodyKinematics, ForceAccumulator, ForceError, ForceLaw};
use crate::model::Model;
use crate::model::State;
use crate::response::CollisionGroup;

/// Evaluates the forces that have a potential, with its workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct PotentialEnergy {
    bodies: Vec<BodyKinematics>,
    /// Forces on the bodies, by slot.
    accumulators: Vec<ForceAccumulator>,
}

impl PotentialEnergy {
    /// Potential energy of islands, J.
    pub fn energy(&mut self, model: &Model, islands: &[usize], state: &State) -> Result<f64, ForceError> {
        islands.iter().try_fold(0.0, |sum, &island| {
            Ok(sum + island_potential(model, &model.islands[island], state, &mut self.bodies)?)
        })
    }

    /// Gradient of the potential energy in the degrees of freedom of a group at the configuration `state`.
    pub fn gradient(
        &mut self,
        model: &Model,
        group: &mut CollisionGroup,
        islands: &[usize],
        state: &State,
        out: &mut [f64],
    ) -> Result<(), ForceError> {
        self.accumulators.clear();
        let weight = |mass: f64| ForceAccumulator { force: model.gravity * mass, ..ForceAccumulator::zero() };
        self.accumulators.extend(model.links.iter().map(|link| weight(link.mass)));
        for &island in islands {
            let island = &model.islands[island];
            // Also sets the kinematics of the bodies, with zero velocities: dampers and drag exert no force.
            island_potential(model, island, state, &mut self.bodies)?;
            let kinematics = Bodies { first: island.bodies.start, kinematics: &self.bodies };
            let accumulators = &mut self.accumulators[island.bodies.clone()];
            for force in &model.forces[island.forces.clone()] {
                if !matches!(force.law, ForceLaw::Load(_)) {
                    force.add_forces(state.time, &kinematics, accumulators)?;
                }
            }
        }
        let accumulators = &self.accumulators;
        group.reduce_all(model, |slot| -accumulators[slot].wrench(&state.rotations[slot]), out);
        for (block, &island) in group.blocks(model).zip(islands) {
            let island = &model.islands[island];
            let springs = model.joint_forces[island.joint_forces.clone()].iter();
            for force in springs.filter(|force| force.is_conservative()) {
                let link = &model.links[force.slot];
                let at = link.dof - island.dofs.start + force.coordinate;
                let c = force.position(&state.coordinates[link.coordinates()]);
                out[block.start + at] -= force.evaluate(state.time, c, 0.0).value;
            }
        }
        Ok(())
    }
}
