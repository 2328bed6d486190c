//! One island over one interval: from joint increments to momenta at both ends, and derivatives.

use super::IslandStateMut;
use super::free_rotation::momentum_of_rotation;
use crate::force::{
    Bodies, BodyKinematics, ForceAccumulator, ForceError, JointForce, JointForceValue, Stiffness, Weights,
};
use crate::joint::{Displacement, JointFrame, JointIncrement};
use crate::model::{Island, Model, State, placed};
use crate::rotation::Mat3;
use crate::spatial::{Mat6, Vec6, spatial_inertia, twist};
use crate::tree::{Link, Node, System};
use percussion_geometry::Vec3;

/// Workspace of one island over one step; reused from step to step and from island to island.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// The derivative of `p⁻`, as a linear system on the tree.
    pub system: System,
    /// Increments of the joints.
    pub(crate) increments: Vec<JointIncrement>,
    /// Positions at the end.
    pub positions: Vec<Vec3>,
    /// Orientations at the end.
    pub rotations: Vec<Mat3>,
    /// Forces at the middle, gravity included.
    pub(crate) accumulators: Vec<ForceAccumulator>,
    /// Kinematics of the bodies at the middle.
    pub(crate) placements: Vec<BodyKinematics>,
    /// Derivatives of the forces.
    pub stiffness: Vec<Stiffness>,
    /// Displacements of the bodies.
    pub(crate) displacements: Vec<Displacement>,
    /// Discrete angular momentum `l` of each body, world axes.
    pub(crate) spins: Vec<Vec3>,
    /// Workspace for wrenches.
    pub(crate) wrenches: Vec<Vec6>,
    /// Workspace for twists.
    pub(crate) twists: Vec<Vec6>,
    pub(super) joint_frames: Vec<JointFrame>,
    pub(super) arms: Vec<(Vec3, Vec3)>,
    pub(super) blocks: Vec<Mat6>,
    /// Orientations at the beginning, for the stiffness elements.
    pub(super) rotations0: Vec<Mat3>,
    /// Whether forces couple bodies beyond the tree.
    pub(crate) coupled: bool,
    /// Whether nonsymmetric derivatives are left out of the system: it is then definite, but less accurate.
    pub(crate) definite: bool,
    /// Whether forces list all their derivatives, as boundary value problems need them.
    pub(crate) complete: bool,
}

/// Derivatives of the arguments of forces at the middle by a displacement of the end.
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
            let frame =
                link.joint.frame(parent, (position, rotation), &state.coordinates[link.coordinates()]);
            let node = &mut self.system.nodes[i];
            node.parent = link.parent.map(|p| p - b0);
            node.dofs = link.joint.dofs();
            node.first = link.dof - f0;
            node.motion0 = link.joint.motion(&frame, position);
            node.reach0 = parent.map_or_else(Vec3::zeros, |(from, _)| position - from);
            self.arms[i] = (
                parent.map_or_else(Vec3::zeros, |(_, turned)| turned * link.joint.parent_frame.point),
                rotation * link.joint.child_frame.point,
            );
            self.joint_frames[i] = frame;
            self.increments[i] = JointIncrement::zero();
            self.rotations0[i] = *rotation;
        }
    }

    fn resize(&mut self, n: usize) {
        self.system.nodes.resize(n, Node::empty());
        self.increments.resize(n, JointIncrement::zero());
        self.positions.resize(n, Vec3::zeros());
        self.rotations.resize(n, Mat3::identity());
        self.rotations0.resize(n, Mat3::identity());
        self.accumulators.resize(n, ForceAccumulator::zero());
        self.placements.resize(n, BodyKinematics::rest());
        self.displacements.resize(n, Displacement::zero());
        self.spins.resize(n, Vec3::zeros());
        self.wrenches.resize(n, Vec6::zeros());
        self.twists.resize(n, Vec6::zeros());
        self.blocks.resize(n, Mat6::zeros());
        self.arms.resize(n, (Vec3::zeros(), Vec3::zeros()));
        let world = crate::joint::Frame { point: Vec3::zeros(), axes: Mat3::identity() };
        let frame =
            JointFrame { parent: world, shift: Vec3::zeros(), rotation: Mat3::identity(), first: 0.0 };
        self.joint_frames.resize(n, frame);
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

    /// Displaces the end by `d` in the degrees of freedom, from the present increments.
    pub fn correct(&mut self, model: &Model, island: &Island, d: &[f64]) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let node = &self.system.nodes[i];
            let part = &d[node.first..node.first + node.dofs];
            self.increments[i] = link.joint.incremented(&self.joint_frames[i], &self.increments[i], part);
        }
    }

    /// Computes displacements down the tree and evaluates the forces, at the time `t` at the middle.
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
            let from = link.parent.map_or_else(Displacement::zero, |p| self.displacements[p - b0]);
            let change = link.joint.child_displacement(
                &self.joint_frames[i],
                &from,
                &self.increments[i],
                (&self.arms[i].0, &self.arms[i].1),
            );
            let (x0, r0) = (&state.positions[slot], &self.rotations0[i]);
            self.displacements[i] = change;
            self.positions[i] = x0 + change.shift;
            let r1 = change.turn.matrix() * r0;
            self.rotations[i] = r1;
            self.spins[i] = r0 * momentum_of_rotation(&link.inertia, &r0.tr_mul(&change.turn.0)) / h;
            self.placements[i] = BodyKinematics {
                position: x0 + change.shift * 0.5,
                frame: (r0 + r1) * 0.5,
                velocity: change.shift / h,
                frame_rate: (r1 - r0) / h,
            };
            self.accumulators[i] =
                ForceAccumulator { force: model.gravity * link.mass, ..ForceAccumulator::zero() };
        }
        let bodies = Bodies { first: b0, kinematics: &self.placements };
        for force in &model.forces[island.forces.clone()] {
            force.add_forces(t, &bodies, &mut self.accumulators)?;
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
            let moving = twist(&(self.displacements[i].shift * (link.mass / h)), &self.spins[i]);
            self.wrenches[i] = moving - self.accumulators[i].wrench(&self.rotations0[i]) * (0.5 * h);
        }
        self.system.reduce(&mut self.wrenches, out);
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (dof, applied) = self.joint_force(force, model, island, state, t, h);
            out[dof] -= 0.5 * h * applied.value;
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
            let moving = twist(&(self.displacements[i].shift * (link.mass / h)), &self.spins[i]);
            self.wrenches[i] = moving + self.accumulators[i].wrench(&self.rotations[i]) * (0.5 * h);
        }
        self.system.reduce_at_end(&mut self.wrenches, out);
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (dof, applied) = self.joint_force(force, model, island, state, t, h);
            out[dof] += 0.5 * h * applied.value;
        }
    }

    /// A force along a joint at the middle, with the place of its degree of freedom in the island.
    pub(super) fn joint_force(
        &self,
        force: &JointForce,
        model: &Model,
        island: &Island,
        state: &State,
        t: f64,
        h: f64,
    ) -> (usize, JointForceValue) {
        let link = &model.links[force.slot];
        let travel = self.travel(force, model, island);
        let start = force.position(&state.coordinates[link.coordinates()]);
        let dof = link.dof - island.dofs.start + force.coordinate;
        (dof, force.evaluate(t, start + 0.5 * travel, travel / h))
    }

    /// Displacement of the joint along the degree of freedom on which a force acts.
    pub(super) fn travel(&self, force: &JointForce, model: &Model, island: &Island) -> f64 {
        self.travel_along(force.slot, force.coordinate, model, island)
    }

    /// Displacement of the joint of a body along one of its degrees of freedom.
    pub(crate) fn travel_along(&self, slot: usize, dof: usize, model: &Model, island: &Island) -> f64 {
        let i = slot - island.bodies.start;
        model.links[slot].joint.travel(&self.joint_frames[i], &self.increments[i], dof)
    }

    /// Null-space columns and reaches at the end, from the increments.
    pub fn set_end_columns(&mut self, model: &Model, island: &Island, state: &State) {
        let b0 = island.bodies.start;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let frame = self.end_joint_frame(link, i, b0, state);
            let node = &mut self.system.nodes[i];
            node.motion1 = link.joint.motion(&frame, &self.positions[i]);
            let parent = link.parent.map(|p| self.positions[p - b0]);
            node.reach1 = parent.map_or_else(Vec3::zeros, |from| self.positions[i] - from);
        }
    }

    /// Frame of the joint of the `i`-th body at the end.
    pub(super) fn end_joint_frame(&self, link: &Link, i: usize, b0: usize, state: &State) -> JointFrame {
        let first =
            state.coordinates.get(link.coordinate).copied().unwrap_or(0.0) + self.increments[i].numbers[0];
        let parent = link.parent.map(|p| (&self.positions[p - b0], &self.rotations[p - b0]));
        link.joint.frame(parent, (&self.positions[i], &self.rotations[i]), &[first])
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
        let bodies = Bodies { first: island.bodies.start, kinematics: &self.placements };
        for force in &model.forces[island.forces.clone()] {
            match self.complete {
                true => force.complete_stiffness(t, &bodies, &mut self.stiffness)?,
                false => force.stiffness(t, &bodies, &mut self.stiffness)?,
            }
        }
        if self.definite {
            self.stiffness.retain(|element| !element.is_nonsymmetric());
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
            let (_, applied) = self.joint_force(force, model, island, state, t, h);
            self.system.nodes[force.slot - island.bodies.start].along[force.coordinate] -=
                0.5 * h * (0.5 * applied.by_position + applied.by_velocity / h);
        }
        Ok(())
    }

    /// Writes the configuration of the end, each body placed by its joint.
    pub fn place_end(&self, model: &Model, island: &Island, state: &State, end: &mut IslandStateMut) {
        let (b0, c0) = (island.bodies.start, island.coordinates.start);
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let range = link.coordinates();
            let own = &mut end.coordinates[range.start - c0..range.end - c0];
            own.copy_from_slice(&state.coordinates[range]);
            link.joint.advance_coordinates(&self.increments[i], own);
            let frame =
                link.joint.parent_frame_on(placed(end.positions, end.rotations, link.parent.map(|p| p - b0)));
            let (position, rotation) =
                link.joint.child_pose(&self.joint_frames[i], &frame, &self.increments[i], own);
            end.positions[i] = position;
            end.rotations[i] = rotation;
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
