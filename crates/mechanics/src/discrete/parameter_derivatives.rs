//! Derivatives of the momenta with respect to what is not a configuration: length and time of the interval, and efforts.
//!
//! ```text
//! ∂w∓/∂h = -(m Δφ/h, l)/h ∓ (1/2) (F + h ∂F/∂h)        ∂F/∂h = -(∂F/∂v) v/h: velocities are differences over h
//! ∂w∓/∂t = ∓ (h/2) ∂F/∂t                                forces given in time
//! ∂w∓/∂u = ∓ (h/2) ∂F/∂u                                controls
//! ```
//!
//! with the upper sign at the start.

use super::derivatives::{Derivatives, IntervalInputs};
use super::differentiator::{Differentiator, rotations, side};
use super::{Control, End};
use crate::force::{Bodies, ForceAccumulator, Stiffness};
use crate::rotation::moment_of;
use crate::spatial::twist;

impl Differentiator {
    /// `∂p∓/∂h`: momenta and velocities fall with a longer interval, the share of the forces rises.
    pub(super) fn by_length(&mut self, passage: &IntervalInputs, out: &mut Derivatives) {
        let IntervalInputs { model, island, start, t, h, .. } = *passage;
        self.pulls.fill(ForceAccumulator::zero());
        let bodies = Bodies { first: island.bodies.start, placements: &self.interval.placements };
        for element in &self.interval.stiffness {
            add_by_velocities(element, &bodies, -1.0 / h, &mut self.pulls);
        }
        for (end, momentum) in out.momenta() {
            let share = 0.5 * side(end).1;
            for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
                let it = &self.interval;
                let r = rotations(it, end)[i];
                let moving = twist(&(it.changes[i].shift * (link.mass / h)), &it.spins[i]);
                let forces = it.pulls[i].wrench(&r) + self.pulls[i].wrench(&r) * h;
                self.interval.wrenches[i] = moving * (-1.0 / h) + forces * share;
            }
            self.reduce(end, &mut momentum.by_length);
            for force in &model.joint_forces[island.joint_forces.clone()] {
                let (dof, pull) = self.interval.joint_pull(force, model, island, start, t, h);
                let rate = self.interval.travel(force, model, island) / h;
                momentum.by_length[dof] += share * (pull.value - pull.by_velocity * rate);
            }
            for (dof, effort) in passage.efforts_along_dofs() {
                momentum.by_length[dof] += share * effort;
            }
        }
    }

    /// `∂p∓/∂t`: forces given in time.
    pub(super) fn by_time(&mut self, passage: &IntervalInputs, out: &mut Derivatives) {
        let IntervalInputs { model, island, t, h, .. } = *passage;
        self.pulls.fill(ForceAccumulator::zero());
        let bodies = Bodies { first: island.bodies.start, placements: &self.interval.placements };
        for force in &model.forces[island.forces.clone()] {
            force.rate(t, &bodies, &mut self.pulls);
        }
        for (end, momentum) in out.momenta() {
            self.reduce_pulls(end, h, &mut momentum.by_time);
            for force in &model.joint_forces[island.joint_forces.clone()] {
                let dof = model.links[force.slot].dof - island.dofs.start + force.coordinate;
                momentum.by_time[dof] += 0.5 * h * side(end).1 * force.rate(t);
            }
        }
    }

    /// `∂p∓/∂u`: the share `h/2` of each component.
    pub(super) fn by_efforts(&mut self, passage: &IntervalInputs, out: &mut Derivatives) {
        let IntervalInputs { island, h, .. } = *passage;
        let n = island.dofs.len();
        for (first, control) in passage.placed_controls() {
            for c in 0..control.components() {
                let mut unit = [0.0; 3];
                unit[c] = 1.0;
                self.pulls.fill(ForceAccumulator::zero());
                let bodies = Bodies { first: island.bodies.start, placements: &self.interval.placements };
                control.pull(&unit, &bodies, &mut self.pulls);
                for (end, momentum) in out.momenta() {
                    let column = &mut momentum.by_effort[(first + c) * n..(first + c + 1) * n];
                    match control {
                        Control::Dof(dof) => {
                            column[dof - island.dofs.start] = 0.5 * h * side(end).1;
                        }
                        Control::Force(_) | Control::Torque(_) => self.reduce_pulls(end, h, column),
                    }
                }
            }
        }
    }

    /// The share of the pulls in the momentum of an end.
    fn reduce_pulls(&mut self, end: End, h: f64, out: &mut [f64]) {
        let scale = 0.5 * h * side(end).1;
        for i in 0..self.pulls.len() {
            self.interval.wrenches[i] = self.pulls[i].wrench(&rotations(&self.interval, end)[i]) * scale;
        }
        self.reduce(end, out);
    }
}

/// Adds what a force changes by when all velocities change by `scale` times themselves.
fn add_by_velocities(element: &Stiffness, bodies: &Bodies, scale: f64, pulls: &mut [ForceAccumulator]) {
    match element {
        Stiffness::Points { a, b, by_velocity, .. } => {
            let force = by_velocity * (a.velocity(bodies) - b.velocity(bodies)) * scale;
            a.push(bodies, &force, pulls);
            b.push(bodies, &-force, pulls);
        }
        Stiffness::Following { .. } => {}
        Stiffness::Outer { push, along, by_velocity, .. } => {
            let rate: f64 = along.iter().map(|form| form.rate(bodies)).sum();
            push.iter().for_each(|form| form.push(by_velocity * rate * scale, bodies, pulls));
        }
        Stiffness::Spinning { body, by_spin, frame, frame_rate } => {
            pulls[body - bodies.first].torque += by_spin * moment_of(frame, frame_rate) * (0.5 * scale);
        }
    }
}
