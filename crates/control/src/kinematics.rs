//! A node's state looked at: where bodies are, how fast, and what a wrench does along the degrees of freedom.

use crate::plan::Seen;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::spatial::Vec6;
use percussion_mechanics::tree::System;
use percussion_mechanics::{Model, State};

/// A state with the columns of its joints.
pub struct Stance<'a> {
    /// Everything that does not change.
    pub model: &'a Model,
    /// The configuration, and momenta where velocities are asked for.
    pub state: &'a State,
    /// Of islands that were asked for.
    systems: Vec<Option<System>>,
    /// Which of them have factors.
    factored: Vec<bool>,
    twists: Vec<Vec6>,
    wrenches: Vec<Vec6>,
}

impl<'a> Stance<'a> {
    /// Looks at a configuration.
    pub fn new(model: &'a Model, state: &'a State) -> Self {
        let systems = model.islands.iter().map(|_| None).collect();
        let factored = vec![false; model.islands.len()];
        let wrenches = vec![Vec6::zeros(); model.moving()];
        Self { model, state, systems, factored, twists: Vec::new(), wrenches }
    }

    /// Looks at velocities too, from the state's momenta.
    pub fn moving(model: &'a Model, state: &'a State) -> Self {
        Self { twists: model.twists(state), ..Self::new(model, state) }
    }

    /// Where a body's own frame is; the world's for none.
    pub fn place(&self, body: Option<usize>) -> (Vec3, Mat3) {
        let pose = self.pose(body);
        (pose.position, *pose.rotation.matrix())
    }

    fn pose(&self, body: Option<usize>) -> Pose {
        body.map_or_else(Pose::identity, |body| self.model.pose(self.state, body))
    }

    /// The centre of mass of a body that moves; the origin for others.
    pub fn centre(&self, body: Option<usize>) -> Vec3 {
        body.and_then(|b| self.model.slots[b]).map_or_else(Vec3::zeros, |slot| self.state.positions[slot])
    }

    /// A point of a body in the world.
    pub fn point(&self, seen: &Seen) -> Vec3 {
        self.pose(seen.body).point(&seen.components)
    }

    /// A direction on a body in the world.
    pub fn direction(&self, seen: &Seen) -> Vec3 {
        self.pose(seen.body).direction(&seen.components)
    }

    /// The twist of a body about its centre of mass.
    pub fn twist(&self, body: Option<usize>) -> Vec6 {
        let slot = body.and_then(|b| self.model.slots[b]);
        slot.and_then(|slot| self.twists.get(slot)).copied().unwrap_or_else(Vec6::zeros)
    }

    /// Adds to `row`, over all degrees of freedom of the model, what wrenches on bodies do along them.
    pub fn reduce(&mut self, wrenches: &[(Option<usize>, Vec6)], row: &mut [f64]) {
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

    /// `M⁻¹ p` of the islands in a list, from momenta over all degrees of freedom; twists of all bodies follow.
    pub fn speed(&mut self, islands: &[usize], momenta: &[f64], rates: &mut [f64]) {
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
