//! Poses, twists, generalised forces and rates at one state.

use crate::model::{Model, State};
use crate::rotation::Mat3;
use crate::spatial::Vec6;
use crate::tree::System;
use percussion_geometry::{Pose, Vec3};

/// A state with mass matrices of its islands, computed on demand.
pub struct ConfigurationKinematics<'a> {
    /// The model.
    pub model: &'a Model,
    /// The configuration; momenta if velocities are needed.
    pub state: &'a State,
    /// Mass matrices by island.
    systems: Vec<Option<System>>,
    /// Which of them are factored.
    factored: Vec<bool>,
    twists: Vec<Vec6>,
    wrenches: Vec<Vec6>,
}

impl<'a> ConfigurationKinematics<'a> {
    /// Of a configuration.
    pub fn new(model: &'a Model, state: &'a State) -> Self {
        let systems = model.islands.iter().map(|_| None).collect();
        let factored = vec![false; model.islands.len()];
        let wrenches = vec![Vec6::zeros(); model.moving()];
        Self { model, state, systems, factored, twists: Vec::new(), wrenches }
    }

    /// Of a configuration with velocities, from the momenta of the state.
    pub fn with_velocities(model: &'a Model, state: &'a State) -> Self {
        Self { twists: model.twists(state), ..Self::new(model, state) }
    }

    /// Position and axes of a body's own frame; those of the world for `None`.
    pub fn frame(&self, body: Option<usize>) -> (Vec3, Mat3) {
        let pose = self.pose(body);
        (pose.position, *pose.rotation.matrix())
    }

    /// Pose of a body's own frame; the identity for `None`.
    pub fn pose(&self, body: Option<usize>) -> Pose {
        body.map_or_else(Pose::identity, |body| self.model.pose(self.state, body))
    }

    /// The centre of mass of a moving body; the origin for others.
    pub fn center_of_mass(&self, body: Option<usize>) -> Vec3 {
        body.and_then(|b| self.model.slots[b]).map_or_else(Vec3::zeros, |slot| self.state.positions[slot])
    }

    /// A point in the world, from its components in a body's own frame.
    pub fn point(&self, body: Option<usize>, components: &Vec3) -> Vec3 {
        self.pose(body).point(components)
    }

    /// A direction in the world, from its components in a body's own frame.
    pub fn direction(&self, body: Option<usize>, components: &Vec3) -> Vec3 {
        self.pose(body).direction(components)
    }

    /// The twist of a body about its centre of mass.
    pub fn twist(&self, body: Option<usize>) -> Vec6 {
        let slot = body.and_then(|b| self.model.slots[b]);
        slot.and_then(|slot| self.twists.get(slot)).copied().unwrap_or_else(Vec6::zeros)
    }

    /// Writes to `row`, over all degrees of freedom of the model, the generalised forces of wrenches on one or two bodies.
    pub fn generalised_forces(&mut self, wrenches: &[(Option<usize>, Vec6)], row: &mut [f64]) {
        let touched = wrenches.iter().filter_map(|(body, w)| Some((self.model.slots[(*body)?]?, w)));
        let mut islands = [usize::MAX; 2];
        let mut found = 0;
        for (slot, wrench) in touched {
            let island = self.model.islands.partition_point(|i| i.bodies.end <= slot);
            if !islands[..found].contains(&island) && found < islands.len() {
                islands[found] = island;
                found += 1;
                self.wrenches[self.model.islands[island].bodies.clone()].fill(Vec6::zeros());
            }
            self.wrenches[slot] += wrench;
        }
        for &island in &islands[..found] {
            let it = &self.model.islands[island];
            let system = self.systems[island]
                .get_or_insert_with(|| self.model.mass_system(self.state, it.bodies.clone()));
            system.reduce(&mut self.wrenches[it.bodies.clone()], &mut row[it.dofs.clone()]);
        }
    }

    /// Rates `M⁻¹ p` of some islands, from momenta over all degrees of freedom; sets the twists of their bodies.
    pub fn rates(&mut self, islands: &[usize], momenta: &[f64], rates: &mut [f64]) {
        self.twists.resize(self.model.moving(), Vec6::zeros());
        for &island in islands {
            let it = &self.model.islands[island];
            let system = self.systems[island]
                .get_or_insert_with(|| self.model.mass_system(self.state, it.bodies.clone()));
            // A reduced mass matrix is positive definite: masses are positive, columns independent.
            self.factored[island] = self.factored[island] || system.factor().is_ok();
            if self.factored[island] {
                let twists = &mut self.twists[it.bodies.clone()];
                system.solve(&momenta[it.dofs.clone()], &mut rates[it.dofs.clone()], twists);
            }
        }
    }
}
