//! One island over one interval: from joint increments to momenta at both ends, and derivatives.

use super::free_rotation::momentum_of_turn;
use crate::force::{
    Bodies, BodyKinematics, ForceAccumulator, ForceError, JointForce, JointForceAccumulator, Stiffness,
    Weights,
};
use crate::joint::{Change, JointFrame, Step};
use crate::model::State;
use crate::model::{Island, Model, placed};
use crate::rotation::Mat3;
use crate::spatial::spatial_inertia;
use crate::spatial::{Mat6, Vec6, twist};
use crate::tree::Link;
use crate::tree::{Node, System};
use percussion_geometry::Vec3;

/// Scratch memory for one island over one step; reused from step to step and from island to island.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// The derivative of `p⁻`, as a linear system on the tree.
    pub system: System,
    /// What the joints do in the step.
    pub steps: Vec<Step>,
    /// Positions at the end.
    pub positions: Vec<Vec3>,
    /// Orientations at the end.
    pub rotations: Vec<Mat3>,
    /// What forces do at the middle, gravity included.
    pub pulls: Vec<ForceAccumulator>,
    /// The bodies as forces see them at the middle.
    pub placements: Vec<BodyKinematics>,
    /// Derivatives of the forces.
    pub stiffness: Vec<Stiffness>,
    /// How far the bodies move.
    pub changes: Vec<Change>,
    /// Discrete angular momentum `l` of each body, world axes.
    pub spins: Vec<Vec3>,
    /// Room for wrenches.
    pub wrenches: Vec<Vec6>,
    /// Room for twists.
    pub twists: Vec<Vec6>,
    pub(super) stands: Vec<JointFrame>,
    pub(super) arms: Vec<(Vec3, Vec3)>,
    pub(super) blocks: Vec<Mat6>,
    /// Orientations at the beginning, for the stiffness elements.
    pub(super) rotations0: Vec<Mat3>,
    /// Whether forces tie bodies together beyond the tree.
    pub coupled: bool,
    /// Whether derivatives that point elsewhere than their forces are left out of the system: it is then definite, if less exact.
    pub definite: bool,
    /// Whether forces list all their derivatives, as boundary value problems need them.
    pub complete: bool,
}

/// Weights of a displacement of the end in what forces see at the middle.
pub fn middle(h: f64) -> Weights {
    Weights { position: 0.5, velocity: 1.0 / h }
}

impl Interval {
    /// Reads the start configuration of an island: joints, null-space columns, reaches. No motion yet.
    pub fn begin(&mut self, model: &Model, island: &Island, state: &State) {
        let n = island.bodies.len();
        let (b0, f0) = (island.bodies.start, island.dofs.start);
        self.resize(n);
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let (position, rotation) = (&state.positions[slot], &state.rotations[slot]);
            let parent = placed(&state.positions, &state.rotations, link.parent);
            let stand =
                link.joint.stand(parent, (position, rotation), &state.coordinates[link.coordinates()]);
            let node = &mut self.system.nodes[i];
            node.parent = link.parent.map(|p| p - b0);
            node.dofs = link.joint.dofs();
            node.first = link.dof - f0;
            node.motion0 = link.joint.motion(&stand, position);
            node.reach0 = parent.map_or_else(Vec3::zeros, |(from, _)| position - from);
            self.arms[i] = (
                parent.map_or_else(Vec3::zeros, |(_, turned)| turned * link.joint.on_parent.point),
                rotation * link.joint.on_child.point,
            );
            self.stands[i] = stand;
            self.steps[i] = Step::none();
            self.rotations0[i] = *rotation;
        }
    }

    fn resize(&mut self, n: usize) {
        self.system.nodes.resize(n, Node::empty());
        self.steps.resize(n, Step::none());
        self.positions.resize(n, Vec3::zeros());
        self.rotations.resize(n, Mat3::identity());
        self.rotations0.resize(n, Mat3::identity());
        self.pulls.resize(n, ForceAccumulator::zero());
        self.placements.resize(n, BodyKinematics::rest());
        self.changes.resize(n, Change::none());
        self.spins.resize(n, Vec3::zeros());
        self.wrenches.resize(n, Vec6::zeros());
        self.twists.resize(n, Vec6::zeros());
        self.blocks.resize(n, Mat6::zeros());
        self.arms.resize(n, (Vec3::zeros(), Vec3::zeros()));
        let world = crate::joint::Frame { point: Vec3::zeros(), axes: Mat3::identity() };
        let stand = JointFrame { frame: world, shift: Vec3::zeros(), turned: Mat3::identity(), first: 0.0 };
        self.stands.resize(n, stand);
    }

    /// Makes the system the reduced mass matrix of the start: `P0ᵀ M P0`.
    pub fn set_mass(&mut self, model: &Model, island: &Island) {
        for ((node, link), rotation) in
            self.system.nodes.iter_mut().zip(&model.links[island.bodies.clone()]).zip(&self.rotations0)
        {
            node.motion1 = node.motion0;
            node.reach1 = node.reach0;
            node.along = Vec6::zeros();
            node.block = spatial_inertia(link.mass, &link.inertia, rotation);
        }
    }

    /// Displaces the end by `d` in the degrees of freedom, from where the joints have arrived.
    pub fn correct(&mut self, model: &Model, island: &Island, d: &[f64]) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let node = &self.system.nodes[i];
            let part = &d[node.first..node.first + node.dofs];
            self.steps[i] = link.joint.corrected(&self.stands[i], &self.steps[i], part);
        }
    }

    /// Carries the joints' increments down the tree and asks the forces, at the time `t` at the middle.
    pub fn evaluate(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        t: f64,
        h: f64,
    ) -> Result<(), ForceError> {
        let b0 = island.bodies.start;
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let from = link.parent.map_or_else(Change::none, |p| self.changes[p - b0]);
            let change = link.joint.advance(
                &self.stands[i],
                &from,
                &self.steps[i],
                (&self.arms[i].0, &self.arms[i].1),
            );
            let (x0, r0) = (&state.positions[slot], &self.rotations0[i]);
            self.changes[i] = change;
            self.positions[i] = x0 + change.shift;
            let r1 = change.turn.matrix() * r0;
            self.rotations[i] = r1;
            self.spins[i] = r0 * momentum_of_turn(&link.inertia, &r0.tr_mul(&change.turn.0)) / h;
            self.placements[i] = BodyKinematics {
                position: x0 + change.shift * 0.5,
                frame: (r0 + r1) * 0.5,
                velocity: change.shift / h,
                frame_rate: (r1 - r0) / h,
            };
            self.pulls[i] = ForceAccumulator { force: model.gravity * link.mass, ..ForceAccumulator::zero() };
        }
        let bodies = Bodies { first: b0, placements: &self.placements };
        for force in &model.forces[island.forces.clone()] {
            force.pull(t, &bodies, &mut self.pulls)?;
        }
        Ok(())
    }

    /// `p⁻` into `out`: momenta at the beginning.
    pub fn momenta_before(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        t: f64,
        h: f64,
        out: &mut [f64],
    ) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let moving = twist(&(self.changes[i].shift * (link.mass / h)), &self.spins[i]);
            self.wrenches[i] = moving - self.pulls[i].wrench(&self.rotations0[i]) * (0.5 * h);
        }
        self.system.reduce(&mut self.wrenches, out);
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (dof, pull) = self.joint_pull(force, model, island, state, t, h);
            out[dof] -= 0.5 * h * pull.value;
        }
    }

    /// `p⁺` into `out`: momenta at the end. The columns of the end must be set (by [`Interval::linearise`] or
    /// [`Interval::set_end_columns`]).
    pub fn momenta_after(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        t: f64,
        h: f64,
        out: &mut [f64],
    ) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let moving = twist(&(self.changes[i].shift * (link.mass / h)), &self.spins[i]);
            self.wrenches[i] = moving + self.pulls[i].wrench(&self.rotations[i]) * (0.5 * h);
        }
        self.system.reduce_at_end(&mut self.wrenches, out);
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (dof, pull) = self.joint_pull(force, model, island, state, t, h);
            out[dof] += 0.5 * h * pull.value;
        }
    }

    /// A force along a joint at the middle, with the place of its degree of freedom in the island.
    pub(super) fn joint_pull(
        &self,
        force: &JointForce,
        model: &Model,
        island: &Island,
        state: &State,
        t: f64,
        h: f64,
    ) -> (usize, JointForceAccumulator) {
        let link = &model.links[force.slot];
        let travel = self.travel(force, model, island);
        let start = force.place(&state.coordinates[link.coordinates()]);
        let dof = link.dof - island.dofs.start + force.coordinate;
        (dof, force.pull(t, start + 0.5 * travel, travel / h))
    }

    /// How far the joint goes along the degree of freedom along which a force acts.
    pub(super) fn travel(&self, force: &JointForce, model: &Model, island: &Island) -> f64 {
        let i = force.slot - island.bodies.start;
        model.links[force.slot].joint.travel(&self.stands[i], &self.steps[i], force.coordinate)
    }

    /// Null-space columns and reaches at the end, from the increments.
    pub fn set_end_columns(&mut self, model: &Model, island: &Island, state: &State) {
        let b0 = island.bodies.start;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let stand = self.end_stand(link, i, b0, state);
            let node = &mut self.system.nodes[i];
            node.motion1 = link.joint.motion(&stand, &self.positions[i]);
            let parent = link.parent.map(|p| self.positions[p - b0]);
            node.reach1 = parent.map_or_else(Vec3::zeros, |from| self.positions[i] - from);
        }
    }

    /// Where the joint of the `i`-th body stands at the end.
    pub(super) fn end_stand(&self, link: &Link, i: usize, b0: usize, state: &State) -> JointFrame {
        let first = state.coordinates.get(link.coordinate).copied().unwrap_or(0.0) + self.steps[i].numbers[0];
        let parent = link.parent.map(|p| (&self.positions[p - b0], &self.rotations[p - b0]));
        link.joint.stand(parent, (&self.positions[i], &self.rotations[i]), &[first])
    }

    /// The derivative of `p⁻` with respect to displacements of the end, into the system.
    pub fn linearise(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        t: f64,
        h: f64,
    ) -> Result<(), ForceError> {
        self.set_end_columns(model, island, state);
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let node = &mut self.system.nodes[i];
            node.along = Vec6::zeros();
            self.blocks[i] =
                kinetic_block(link.mass, &link.inertia, &self.rotations0[i], &self.rotations[i], h);
        }
        self.stiffness.clear();
        let bodies = Bodies { first: island.bodies.start, placements: &self.placements };
        for force in &model.forces[island.forces.clone()] {
            match self.complete {
                true => force.complete_stiffness(t, &bodies, &mut self.stiffness)?,
                false => force.stiffness(t, &bodies, &mut self.stiffness)?,
            }
        }
        if self.definite {
            self.stiffness.retain(|element| !element.is_lopsided());
        }
        let ends = (self.rotations0.as_slice(), self.rotations.as_slice());
        for element in &self.stiffness {
            element.add_blocks(island.bodies.start, ends, &middle(h), -0.5 * h, &mut self.blocks);
        }
        self.coupled = self.stiffness.iter().any(Stiffness::couples);
        for (node, block) in self.system.nodes.iter_mut().zip(&self.blocks) {
            node.block = *block;
        }
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (_, pull) = self.joint_pull(force, model, island, state, t, h);
            self.system.nodes[force.slot - island.bodies.start].along[force.coordinate] -=
                0.5 * h * (0.5 * pull.by_position + pull.by_velocity / h);
        }
        Ok(())
    }

    /// Writes the configuration of the end, each body placed by its joint.
    pub fn place_end(
        &self,
        model: &Model,
        island: &Island,
        state: &State,
        positions: &mut [Vec3],
        rotations: &mut [Mat3],
        coordinates: &mut [f64],
    ) {
        let (b0, c0) = (island.bodies.start, island.coordinates.start);
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let range = link.coordinates();
            let own = &mut coordinates[range.start - c0..range.end - c0];
            own.copy_from_slice(&state.coordinates[range]);
            link.joint.step_coordinates(&self.steps[i], own);
            let frame = match link.parent {
                Some(p) => link.joint.on_parent.on(&positions[p - b0], &rotations[p - b0]),
                None => link.joint.on_parent,
            };
            let (position, rotation) = link.joint.place(&self.stands[i], &frame, &self.steps[i], own);
            positions[i] = position;
            rotations[i] = rotation;
        }
    }
}

/// `∂(m Δφ/h, l)/∂twist` at the end: `m/h` and `(tr(B) - B)/h` with `B = R1 E R0ᵀ`.
pub(super) fn kinetic_block(mass: f64, inertia: &Vec3, r0: &Mat3, r1: &Mat3, h: f64) -> Mat6 {
    let mut block = Mat6::zeros();
    for k in 0..3 {
        block[(k, k)] = mass / h;
    }
    let half = 0.5 * inertia.sum();
    let weights = inertia.map(|j| half - j);
    let b = r1 * Mat3::from_diagonal(&weights) * r0.transpose();
    let turning = (Mat3::identity() * b.trace() - b) / h;
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&turning);
    block
}
