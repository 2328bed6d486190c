//! Velocities without contact.
//!
//! ```text
//! v* = v + h F/m            exp(h ω*) J ω* = J ω + h τ            ω in body axes
//! ```
//!
//! The second is [Hart 4.16] with the gyroscopic term in `k` taken at the end of the step. Spatial angular momentum is kept
//! to rounding without torque, and kinetic energy never grows: with `Π = J ω*` and `Π₀ = exp(h ω*) Π`,
//! `H(Π₀) - H(Π) >= ω*·(Π₀ - Π) = 0`, since a rotation does not change vectors along its axis.

use super::StepInput;
use super::body_dofs::BodyDofs;
use super::joint_rows::JointRows;
use crate::discrete::StepError;
use crate::force::{Bodies, BodyKinematics, ForceAccumulator};
use crate::joint::JointKind;
use crate::model::Model;
use crate::rotation::{Mat3, RodriguesVector, hat};
use crate::spatial::{Vec6, angular, linear, twist};
use crate::tolerances::lcp::free_velocities::{EQUAL_MOMENTS, MAX_ROTATION};
use crate::tree::Link;
use crate::tree::System;
use percussion_geometry::Vec3;

/// Newton iterations after which a step is too large to have a solution.
const MAX_ITERATIONS: usize = 30;

/// Twists, wrenches and unknowns of all bodies, by slot.
#[derive(Debug)]
pub(super) struct FreeVelocities {
    system: System,
    rates: Vec<f64>,
    kinematics: Vec<BodyKinematics>,
    forces: Vec<ForceAccumulator>,
    /// Wrenches of given torques along joints.
    joint_wrenches: Vec<Vec6>,
    /// Twists at the beginning of the step, world axes.
    pub initial: Vec<Vec6>,
    /// Twists at its end without impulses.
    pub free: Vec<Vec6>,
    /// Wrenches of forces, gravity among them.
    pub wrenches: Vec<Vec6>,
    /// Unknown velocities.
    pub dofs: Vec<BodyDofs>,
    /// Farthest point of each body's parts and joints from its centre of mass, m.
    pub extents: Vec<f64>,
}

impl FreeVelocities {
    /// Workspace for the bodies of a model.
    pub fn new(model: &Model) -> Self {
        let n = model.moving();
        Self {
            system: System::default(),
            rates: vec![0.0; model.dofs],
            kinematics: vec![BodyKinematics::rest(); n],
            forces: vec![ForceAccumulator::zero(); n],
            joint_wrenches: vec![Vec6::zeros(); n],
            initial: vec![Vec6::zeros(); n],
            free: vec![Vec6::zeros(); n],
            wrenches: vec![Vec6::zeros(); n],
            dofs: Vec::with_capacity(n),
            extents: extents(model),
        }
    }

    /// Computes velocities at the beginning of the step, and at its end without impulses; lists the rows of joints. On failure with the slot of
    /// the body.
    pub fn free_velocities(
        &mut self,
        step: &StepInput,
        rows: &mut JointRows,
    ) -> Result<(), (StepError, usize)> {
        let StepInput { model, state, h, .. } = *step;
        self.initial_velocities(step);
        self.accumulate_forces(step)?;
        self.joint_wrenches.fill(Vec6::zeros());
        rows.list_rows(step, &mut self.joint_wrenches);
        self.dofs.clear();
        for (slot, link) in model.links.iter().enumerate() {
            let rotation = &state.rotations[slot];
            let dofs = BodyDofs::new(link, rotation);
            let wrench = self.forces[slot].wrench(rotation) + self.joint_wrenches[slot];
            let free = free_twist(link, rotation, &dofs, &self.initial[slot], &wrench, h);
            self.free[slot] = free.map_err(|error| (error, slot))?;
            self.wrenches[slot] = wrench;
            self.dofs.push(dofs);
        }
        Ok(())
    }

    /// Computes the velocity of a body without impulses again, from a changed one at the beginning of the step.
    pub fn free_velocity(&mut self, step: &StepInput, slot: usize) -> Result<(), StepError> {
        let (link, rotation) = (&step.model.links[slot], &step.state.rotations[slot]);
        let (dofs, initial, wrench) = (&self.dofs[slot], &self.initial[slot], &self.wrenches[slot]);
        self.free[slot] = free_twist(link, rotation, dofs, initial, wrench, step.h)?;
        Ok(())
    }

    fn initial_velocities(&mut self, &StepInput { model, state, .. }: &StepInput) {
        if model.links.iter().all(|link| link.joint.kind == JointKind::Free) {
            for (slot, link) in model.links.iter().enumerate() {
                let (position, rotation) = (&state.positions[slot], &state.rotations[slot]);
                let momenta = &state.momenta[link.dofs()];
                self.initial[slot] = twist_from_momenta(link, position, rotation, momenta);
            }
        } else {
            model.velocities_into(state, &mut self.system, &mut self.rates, &mut self.initial);
        }
    }

    fn accumulate_forces(
        &mut self,
        &StepInput { model, state, .. }: &StepInput,
    ) -> Result<(), (StepError, usize)> {
        for (slot, link) in model.links.iter().enumerate() {
            self.forces[slot] =
                ForceAccumulator { force: model.gravity * link.mass, ..ForceAccumulator::zero() };
            if model.forces.is_empty() {
                continue;
            }
            let (rotation, t) = (&state.rotations[slot], &self.initial[slot]);
            self.kinematics[slot] = BodyKinematics {
                position: state.positions[slot],
                frame: *rotation,
                velocity: linear(t),
                frame_rate: hat(&angular(t)) * rotation,
            };
        }
        let bodies = Bodies { first: 0, kinematics: &self.kinematics };
        for force in &model.forces {
            let error = |error| (StepError::Force(error), 0);
            force.add_forces(state.time, &bodies, &mut self.forces).map_err(error)?;
        }
        Ok(())
    }
}

/// Farthest point of the parts of each body, or of its joints, from its centre of mass, m, by slot.
fn extents(model: &Model) -> Vec<f64> {
    let mut extents: Vec<f64> = vec![0.0; model.moving()];
    for closure in &model.closures {
        let ends = [
            (Some(closure.child), &closure.joint.child_frame),
            (closure.parent, &closure.joint.parent_frame),
        ];
        for (slot, frame) in ends {
            if let Some(slot) = slot {
                extents[slot] = extents[slot].max(frame.point.norm());
            }
        }
    }
    for part in model.contacts.iter().flat_map(|contacts| &contacts.parts) {
        if let Some(slot) = part.slot {
            extents[slot] = f64::max(extents[slot], part.reach);
        }
    }
    extents
}

/// Columns of a free body's degrees of freedom: axes of its joint frame, and the arm from the joint's point to the centre of mass.
fn joint_columns(link: &Link, position: &Vec3, rotation: &Mat3) -> (Mat3, Vec3) {
    let hinge = link.joint.child_frame.on(position, rotation).point;
    (link.joint.parent_frame.axes, position - hinge)
}

/// The twist of a body that moves freely in space, from its momenta: those of [`Model::twists`](crate::Model::twists) without a
/// tree. With columns `(w, 0)` and `(w × a, w)`, momenta are `wᵀ f` and `wᵀ (τ + a × f)`.
fn twist_from_momenta(link: &Link, position: &Vec3, rotation: &Mat3, momenta: &[f64]) -> Vec6 {
    let (axes, arm) = joint_columns(link, position, rotation);
    let f = axes * Vec3::new(momenta[0], momenta[1], momenta[2]);
    let turn = match momenta {
        [_, _, _, x, y, z] => {
            let torque = axes * Vec3::new(*x, *y, *z) - arm.cross(&f);
            rotation * rotation.tr_mul(&torque).component_div(&link.inertia)
        }
        _ => Vec3::zeros(),
    };
    twist(&(f / link.mass), &turn)
}

/// The momenta of a body that moves freely in space, from its twist.
pub(super) fn momenta_from_twist(
    link: &Link,
    position: &Vec3,
    rotation: &Mat3,
    t: &Vec6,
    momenta: &mut [f64],
) {
    let (axes, arm) = joint_columns(link, position, rotation);
    let f = linear(t) * link.mass;
    momenta[..3].copy_from_slice(axes.tr_mul(&f).as_slice());
    if let Some(turning) = momenta.get_mut(3..6) {
        let torque = rotation * link.inertia.component_mul(&rotation.tr_mul(&angular(t)));
        turning.copy_from_slice(axes.tr_mul(&(torque + arm.cross(&f))).as_slice());
    }
}

/// The twist at the end of a step without contact, from that at its beginning and a wrench.
fn free_twist(
    link: &Link,
    rotation: &Mat3,
    dofs: &BodyDofs,
    initial: &Vec6,
    wrench: &Vec6,
    h: f64,
) -> Result<Vec6, StepError> {
    let v = linear(initial) + linear(wrench) * (h / link.mass);
    if link.joint.particle {
        return Ok(twist(&v, &Vec3::zeros()));
    }
    if dofs.normal().is_some() {
        // Rotation about a fixed axis has no gyroscopic term.
        let mut u = dofs.unknowns(&twist(&v, &angular(initial)));
        u[2] += h * dofs.wrench_row(wrench)[2] * dofs.inverse_mass[2];
        return Ok(dofs.twist(&u));
    }
    let j = &link.inertia;
    let momentum =
        j.component_mul(&rotation.tr_mul(&angular(initial))) + rotation.tr_mul(&angular(wrench)) * h;
    let w = angular_velocity(j, &momentum, h).ok_or(StepError::TurnsTooFar)?;
    Ok(twist(&v, &(rotation * w)))
}

/// Solves `exp(h ω) J ω = momentum`, all in body axes.
fn angular_velocity(j: &Vec3, momentum: &Vec3, h: f64) -> Option<Vec3> {
    let mut w = momentum.component_div(j);
    if j.max() - j.min() <= EQUAL_MOMENTS * j.max() {
        return (h.abs() * w.norm() <= MAX_ROTATION).then_some(w);
    }
    for _ in 0..MAX_ITERATIONS {
        let u = w * h;
        let jw = j.component_mul(&w);
        let back = RodriguesVector::exp(&-u);
        // Jω - exp(-u) momentum, as a difference of what is nearly equal.
        let residual = jw - momentum - back.displacement(momentum);
        // d exp(u) = exp(u) hat(right_jacobian(u) du)
        let mut jacobian = -hat(&jw) * right_jacobian(&u) * h;
        for k in 0..3 {
            jacobian[(k, k)] += j[k];
        }
        let d = jacobian.lu().solve(&residual)?;
        w -= d;
        if !w.iter().all(|x| x.is_finite()) {
            return None;
        }
        // Convergence is quadratic: after a correction of 1e-9 the error is below rounding.
        if d.norm_squared() <= 1e-18 * w.norm_squared() {
            return (h.abs() * w.norm() <= MAX_ROTATION).then_some(w);
        }
    }
    None
}

/// Right Jacobian of the rotation group, `∫₀¹ exp(-s u) ds`: angular displacement in body axes per change of the rotation vector.
fn right_jacobian(u: &Vec3) -> Mat3 {
    let square = u.norm_squared();
    let x = hat(u);
    // Below this bound the next terms of the series are under one unit of rounding.
    let (a, b) = if square < 1e-4 {
        (0.5 - square / 24.0 + square * square / 720.0, 1.0 / 6.0 - square / 120.0 + square * square / 5040.0)
    } else {
        let angle = square.sqrt();
        ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (square * angle))
    };
    Mat3::identity() - x * a + x * x * b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_rotation_keeps_momentum_and_never_gains_energy() {
        let j = Vec3::new(1.0, 2.0, 2.7);
        for k in 0..200 {
            let f = |i: usize| ((k * 5 + i) as f64 * 1.7).sin();
            let momentum = Vec3::new(f(0), 2.0 * f(1), 3.0 * f(2));
            let h = 0.02 * (1 + k % 20) as f64;
            let w = angular_velocity(&j, &momentum, h).unwrap();
            let carried = RodriguesVector::exp(&(w * h)).matrix() * j.component_mul(&w);
            assert!((carried - momentum).norm() < 1e-14, "{k}");
            let energy = |p: &Vec3| 0.5 * p.dot(&p.component_div(&j));
            assert!(energy(&j.component_mul(&w)) <= energy(&momentum) * (1.0 + 1e-15), "{k}");
        }
    }

    #[test]
    fn rotations_beyond_the_bound_are_refused() {
        assert!(angular_velocity(&Vec3::new(1.0, 1.0, 1.0), &Vec3::new(30.0, 0.0, 0.0), 0.1).is_none());
        assert!(angular_velocity(&Vec3::new(1.0, 1.5, 2.0), &Vec3::zeros(), 0.1).is_some());
    }
}
