//! Derivatives of the momenta with respect to the length and time of the interval and the control inputs.
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
    pub(super) fn by_length(&mut self, inputs: &IntervalInputs, out: &mut Derivatives) {
        let IntervalInputs { model, island, start, t, h, .. } = *inputs;
        self.accumulators.fill(ForceAccumulator::zero());
        let bodies = Bodies { first: island.bodies.start, kinematics: &self.interval.placements };
        for element in &self.interval.stiffness {
            add_by_velocities(element, &bodies, -1.0 / h, &mut self.accumulators);
        }
        for (end, momentum) in out.momenta() {
            let share = 0.5 * side(end).1;
            for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
                let it = &self.interval;
                let r = rotations(it, end)[i];
                let moving = twist(&(it.displacements[i].shift * (link.mass / h)), &it.spins[i]);
                let forces = it.accumulators[i].wrench(&r) + self.accumulators[i].wrench(&r) * h;
                self.interval.wrenches[i] = moving * (-1.0 / h) + forces * share;
            }
            self.reduce(end, &mut momentum.by_length);
            for force in &model.joint_forces[island.joint_forces.clone()] {
                let (dof, applied) = self.interval.joint_force(force, model, island, start, t, h);
                let rate = self.interval.travel(force, model, island) / h;
                momentum.by_length[dof] += share * (applied.value - applied.by_velocity * rate);
            }
            for (dof, input) in inputs.inputs_along_dofs() {
                momentum.by_length[dof] += share * input;
            }
        }
    }

    /// `∂p∓/∂t`: forces given in time.
    pub(super) fn by_time(&mut self, inputs: &IntervalInputs, out: &mut Derivatives) {
        let IntervalInputs { model, island, t, h, .. } = *inputs;
        self.accumulators.fill(ForceAccumulator::zero());
        let bodies = Bodies { first: island.bodies.start, kinematics: &self.interval.placements };
        for force in &model.forces[island.forces.clone()] {
            force.add_time_derivatives(t, &bodies, &mut self.accumulators);
        }
        for (end, momentum) in out.momenta() {
            self.reduce_accumulators(end, h, &mut momentum.by_time);
            for force in &model.joint_forces[island.joint_forces.clone()] {
                let dof = model.links[force.slot].dof - island.dofs.start + force.coordinate;
                momentum.by_time[dof] += 0.5 * h * side(end).1 * force.time_derivative(t);
            }
        }
    }

    /// `∂p∓/∂u`: the share `h/2` of each component.
    pub(super) fn by_inputs(&mut self, inputs: &IntervalInputs, out: &mut Derivatives) {
        let IntervalInputs { island, h, .. } = *inputs;
        let n = island.dofs.len();
        for (first, control) in inputs.placed_controls() {
            for c in 0..control.components() {
                let mut unit = [0.0; 3];
                unit[c] = 1.0;
                self.accumulators.fill(ForceAccumulator::zero());
                let bodies = Bodies { first: island.bodies.start, kinematics: &self.interval.placements };
                control.add_forces(&unit, &bodies, &mut self.accumulators);
                for (end, momentum) in out.momenta() {
                    let column = &mut momentum.by_input[(first + c) * n..(first + c + 1) * n];
                    match control {
                        Control::Dof(dof) => {
                            column[dof - island.dofs.start] = 0.5 * h * side(end).1;
                        }
                        Control::Force(_) | Control::Torque(_) => self.reduce_accumulators(end, h, column),
                    }
                }
            }
        }
    }

    /// The share of the forces in the momentum of an end.
    fn reduce_accumulators(&mut self, end: End, h: f64, out: &mut [f64]) {
        let scale = 0.5 * h * side(end).1;
        for i in 0..self.accumulators.len() {
            self.interval.wrenches[i] =
                self.accumulators[i].wrench(&rotations(&self.interval, end)[i]) * scale;
        }
        self.reduce(end, out);
    }
}

/// Adds the change of a force when all velocities change by `scale` times themselves.
fn add_by_velocities(
    element: &Stiffness,
    bodies: &Bodies,
    scale: f64,
    accumulators: &mut [ForceAccumulator],
) {
    match element {
        Stiffness::Points { a, b, by_velocity, .. } => {
            let force = by_velocity * (a.velocity(bodies) - b.velocity(bodies)) * scale;
            a.apply_force(bodies, &force, accumulators);
            b.apply_force(bodies, &-force, accumulators);
        }
        Stiffness::Following { .. } => {}
        Stiffness::Outer { push, along, by_velocity, .. } => {
            let rate: f64 = along.iter().map(|form| form.rate(bodies)).sum();
            push.iter().for_each(|form| form.apply(by_velocity * rate * scale, bodies, accumulators));
        }
        Stiffness::Spinning { body, by_spin, frame, frame_rate } => {
            accumulators[body - bodies.first].torque +=
                by_spin * moment_of(frame, frame_rate) * (0.5 * scale);
        }
    }
}
