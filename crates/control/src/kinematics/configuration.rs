//! Kinematics of one state: poses, velocities, and wrenches reduced to the degrees of freedom.

use super::island_of;
use crate::plan::BodyPoint;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::joint::motion::Vec6;
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::tree::System;
use percussion_mechanics::{Model, State};

/// A state with the mass matrices of its islands, on demand.
pub struct ConfigurationKinematics<'a> {
    /// The model.
    pub model: &'a Model,
    /// The configuration, and momenta where velocities are needed.
    pub state: &'a State,
    /// Of islands that were needed.
    systems: Vec<Option<System>>,
    twists: Vec<Vec6>,
    wrenches: Vec<Vec6>,
}

impl<'a> ConfigurationKinematics<'a> {
    /// Of a configuration.
    pub fn new(model: &'a Model, state: &'a State) -> Self {
        let systems = model.islands.iter().map(|_| None).collect();
        let wrenches = vec![Vec6::zeros(); model.moving()];
        Self { model, state, systems, twists: Vec::new(), wrenches }
    }

    /// Of a configuration and the velocities of its momenta.
    pub fn with_velocities(model: &'a Model, state: &'a State) -> Self {
        Self { twists: model.twists(state), ..Self::new(model, state) }
    }

    /// Position and axes of the frame of a body, or of the world.
    pub fn place(&self, body: Option<usize>) -> (Vec3, Mat3) {
        let pose = self.pose(body);
        (pose.position, *pose.rotation.matrix())
    }

    fn pose(&self, body: Option<usize>) -> Pose {
        body.map_or_else(Pose::identity, |body| self.model.pose(self.state, body))
    }

    /// The centre of mass of a body that moves; the origin for others.
    pub fn center_of_mass(&self, body: Option<usize>) -> Vec3 {
        body.and_then(|b| self.model.slots[b]).map_or_else(Vec3::zeros, |slot| self.state.positions[slot])
    }

    /// A point of a body in the world.
    pub fn point(&self, on: &BodyPoint) -> Vec3 {
        self.pose(on.body).point(&on.components)
    }

    /// A direction on a body in the world.
    pub fn direction(&self, on: &BodyPoint) -> Vec3 {
        self.pose(on.body).direction(&on.components)
    }

    /// The twist of a body about its centre of mass.
    pub fn twist(&self, body: Option<usize>) -> Vec6 {
        let slot = body.and_then(|b| self.model.slots[b]);
        slot.and_then(|slot| self.twists.get(slot)).copied().unwrap_or_else(Vec6::zeros)
    }

    /// Adds wrenches on bodies to `row`, reduced to all degrees of freedom of the model.
    pub fn reduce(&mut self, wrenches: &[(Option<usize>, Vec6)], row: &mut [f64]) {
        let slots = wrenches.iter().filter_map(|(body, w)| Some((self.model.slots[(*body)?]?, w)));
        let mut islands = [usize::MAX; 2];
        let mut found = 0;
        for (slot, wrench) in slots {
            let island = island_of(self.model, slot);
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
}
