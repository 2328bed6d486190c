//! Potential energy of the islands of a group, and its gradient.

use crate::discrete::island_potential;
use crate::force::{Bodies, BodyKinematics, ForceAccumulator, ForceError, ForceLaw};
use crate::model::Model;
use crate::model::State;
use crate::response::CollisionGroup;

/// Asks the forces that have a potential; its memory serves again.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    placements: Vec<BodyKinematics>,
    /// By slot.
    pulls: Vec<ForceAccumulator>,
}

impl Fields {
    /// Potential energy of islands, J.
    pub fn potential(&mut self, model: &Model, islands: &[usize], state: &State) -> Result<f64, ForceError> {
        islands.iter().try_fold(0.0, |sum, &island| {
            Ok(sum + island_potential(model, &model.islands[island], state, &mut self.placements)?)
        })
    }

    /// Gradient of the potential energy in the degrees of freedom of a group, which stands at `state`.
    pub fn gradient(
        &mut self,
        model: &Model,
        group: &mut CollisionGroup,
        islands: &[usize],
        state: &State,
        out: &mut [f64],
    ) -> Result<(), ForceError> {
        self.pulls.clear();
        self.pulls.extend(
            model
                .links
                .iter()
                .map(|l| ForceAccumulator { force: model.gravity * l.mass, ..ForceAccumulator::zero() }),
        );
        for &island in islands {
            let island = &model.islands[island];
            // Leaves the bodies behind as forces see them, at rest: what resists motion does nothing there.
            island_potential(model, island, state, &mut self.placements)?;
            let bodies = Bodies { first: island.bodies.start, placements: &self.placements };
            let pulls = &mut self.pulls[island.bodies.clone()];
            for force in &model.forces[island.forces.clone()] {
                if !matches!(force.law, ForceLaw::Load(_)) {
                    force.pull(state.time, &bodies, pulls)?;
                }
            }
        }
        let pulls = &self.pulls;
        group.reduce_all(model, |slot| -pulls[slot].wrench(&state.rotations[slot]), out);
        for (block, &island) in group.blocks(model).zip(islands) {
            let island = &model.islands[island];
            let springs = model.joint_forces[island.joint_forces.clone()].iter();
            for force in springs.filter(|force| force.is_conservative()) {
                let link = &model.links[force.slot];
                let at = link.dof - island.dofs.start + force.coordinate;
                let c = force.place(&state.coordinates[link.coordinates()]);
                out[block.start + at] -= force.pull(state.time, c, 0.0).value;
            }
        }
        Ok(())
    }
}
