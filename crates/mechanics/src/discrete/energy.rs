//! Energies of the discrete system.
//!
//! ```text
//! E_d(q0, q1, h) = Δqᵀ M Δq / 2h² + V((q0+q1)/2)       of an interval         [Johnson 3.70]
//! H_d(q, p)      = pᵀ M⁻¹ p / 2 + V(q)                 of an instant, p unprojected or projected [3.72]
//! ```

use super::Interval;
use super::directors::director_weights;
use crate::force::{Bodies, BodyKinematics, ForceError};
use crate::model::{Island, Model, State};

/// `E_d` of the interval of length `h` between two states, J.
pub fn discrete_energy(model: &Model, before: &State, after: &State, h: f64) -> Result<f64, ForceError> {
    let mut interval = Interval::default();
    let mut energy = 0.0;
    for island in &model.islands {
        interval.reconstruct(model, island, before, after, h)?;
        energy += interval.energy(model, island, before, h)?;
    }
    Ok(energy)
}

impl Interval {
    /// `E_d` of the interval of an island, as last evaluated, J.
    pub fn energy(&self, model: &Model, island: &Island, start: &State, h: f64) -> Result<f64, ForceError> {
        let mut energy = 0.0;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let place = &self.placements[i];
            let moved = self.displacements[i].turn.moves_frame(&self.rotations0[i]) / h;
            let weights = director_weights(link);
            let turning: f64 = (0..3).map(|k| weights[k] * moved.column(k).norm_squared()).sum();
            energy += 0.5 * (link.mass * place.velocity.norm_squared() + turning);
            energy -= link.mass * model.gravity.dot(&place.position);
        }
        let bodies = Bodies { first: island.bodies.start, kinematics: &self.placements };
        for force in &model.forces[island.forces.clone()] {
            energy += force.potential(&bodies)?;
        }
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let from = force.position(&start.coordinates[model.links[force.slot].coordinates()]);
            energy += force.potential(from + 0.5 * self.travel(force, model, island));
        }
        Ok(energy)
    }
}

/// Potential energy of a state, J.
pub(crate) fn potential(
    model: &Model,
    state: &State,
    placements: &mut Vec<BodyKinematics>,
) -> Result<f64, ForceError> {
    let mut of = |island| island_potential(model, island, state, placements);
    let along_constraints = model.closure_forces.iter().map(|force| {
        let first = model.closures[force.slot].coordinate.unwrap_or(state.coordinates.len());
        force.potential(force.position(state.coordinates.get(first..).unwrap_or_default()))
    });
    let along_constraints = along_constraints.sum::<f64>();
    model.islands.iter().try_fold(along_constraints, |sum, island| Ok(sum + of(island)?))
}

/// Potential energy of an island, J. Also writes the kinematics of its bodies, at rest.
pub(crate) fn island_potential(
    model: &Model,
    island: &Island,
    state: &State,
    placements: &mut Vec<BodyKinematics>,
) -> Result<f64, ForceError> {
    let bodies = island.bodies.clone();
    let places = state.positions[bodies.clone()].iter().zip(&state.rotations[bodies.clone()]);
    placements.clear();
    let rest = |(&position, &frame)| BodyKinematics { position, frame, ..BodyKinematics::rest() };
    placements.extend(places.map(rest));
    let mut energy = 0.0;
    for (link, place) in model.links[bodies.clone()].iter().zip(placements.iter()) {
        energy -= link.mass * model.gravity.dot(&place.position);
    }
    let bodies = Bodies { first: bodies.start, kinematics: placements };
    for force in &model.forces[island.forces.clone()] {
        energy += force.potential(&bodies)?;
    }
    for force in &model.joint_forces[island.joint_forces.clone()] {
        let own = &state.coordinates[model.links[force.slot].coordinates()];
        energy += force.potential(force.position(own));
    }
    Ok(energy)
}
