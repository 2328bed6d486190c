//! Consistency of momentum: it changes by external impulses only [Johnson 4.12-4.15].
//!
//! ```text
//! Δ_k = J(q_{k+1}, p⁺_{k+1}) - J(q_k, p⁻_k) - h Σ wrenches of control inputs, weight and other forces, at averaged points
//! ```
//!
//! `J` are linear and angular momentum about the origin: of a tree on a free root they are the momenta of the root's degrees of freedom. On a
//! planar root they are those in the plane and about its normal; the others are zero. Computed from momenta and forces, not from the residuals
//! of the solver. Islands on other joints with the world, or with forces along joints, are excluded.

use crate::plan::Plan;
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use percussion_mechanics::discrete::{ApplicationFrame, Control};
use percussion_mechanics::force::{Axes, Bodies, BodyKinematics, ForceAccumulator, ForceError};
use percussion_mechanics::joint::JointKind;
use percussion_mechanics::model::Island;
use percussion_mechanics::spatial::{Vec6, angular, linear, twist};

/// Whether the momentum of an island has a balance.
pub fn has_momentum_balance(plan: &Plan, island: &Island) -> bool {
    let model = &plan.model;
    let root = &model.links[island.bodies.start];
    let roots = model.links[island.bodies.clone()].iter().filter(|link| link.parent.is_none()).count();
    let moves = matches!(root.joint.kind, JointKind::Free | JointKind::Planar);
    moves && roots == 1 && island.joint_forces.is_empty()
}

/// The part of a momentum or an impulse along the degrees of freedom of an island's root.
fn unconstrained_part(plan: &Plan, island: &Island, whole: Vec6) -> Vec6 {
    let joint = &plan.model.links[island.bodies.start].joint;
    if joint.kind != JointKind::Planar {
        return whole;
    }
    let normal = joint.parent_frame.axes.column(2).into_owned();
    let (force, moment) = (linear(&whole), angular(&whole));
    twist(&(force - normal * normal.dot(&force)), &(normal * normal.dot(&moment)))
}

/// Linear and angular momentum of an island.
pub fn momentum(plan: &Plan, island: &Island, state: &State, p: &[f64]) -> Vec6 {
    let root = &plan.model.links[island.bodies.start];
    let (slot, axes) = (island.bodies.start, &root.joint.parent_frame.axes);
    let (own, spin) = match (root.joint.kind, root.joint.particle) {
        (JointKind::Planar, true) => (Vec3::new(p[0], p[1], 0.0), Vec3::zeros()),
        (JointKind::Planar, false) => (Vec3::new(p[0], p[1], 0.0), Vec3::new(0.0, 0.0, p[2])),
        (_, true) => (Vec3::new(p[0], p[1], p[2]), Vec3::zeros()),
        (_, false) => (Vec3::new(p[0], p[1], p[2]), Vec3::new(p[3], p[4], p[5])),
    };
    // The root rotates about its own end of the joint.
    let place = state.positions[slot] + state.rotations[slot] * root.joint.child_frame.point;
    let linear_part = axes * own;
    unconstrained_part(plan, island, twist(&linear_part, &(axes * spin + place.cross(&linear_part))))
}

/// The external impulse on an island over an interval, about the origin.
pub fn external_impulse(
    plan: &Plan,
    island: usize,
    ends: (&State, &State),
    (t, h): (f64, f64),
    inputs: &[f64],
) -> Result<Vec6, ForceError> {
    let model = &plan.model;
    let it = &model.islands[island];
    let middle = |slot: usize, arm: &Vec3| {
        let at = |s: &State| s.positions[slot] + s.rotations[slot] * arm;
        (at(ends.0) + at(ends.1)) * 0.5
    };
    let world = |grip: &ApplicationFrame, input: &[f64]| {
        let own = grip.directions * Vec3::new(input[0], input[1], input[2]);
        match grip.axes {
            Axes::World => own,
            Axes::Body => (ends.0.rotations[grip.slot] + ends.1.rotations[grip.slot]) * own * 0.5,
        }
    };
    let mut sum = Vec6::zeros();
    for slot in it.bodies.clone() {
        let weight = model.gravity * model.links[slot].mass;
        sum += twist(&weight, &middle(slot, &Vec3::zeros()).cross(&weight));
    }
    let mut next = 0;
    for actuator in &plan.actuators[plan.actuators_of(island)] {
        let input = &inputs[next..next + actuator.control.components()];
        match &actuator.control {
            Control::Dof(_) => {}
            Control::Force(grip) => {
                let force = world(grip, input);
                sum += twist(&force, &middle(grip.slot, &grip.arm).cross(&force));
            }
            Control::Torque(grip) => sum += twist(&Vec3::zeros(), &world(grip, input)),
        }
        next += input.len();
    }
    let all = sum + forces(plan, it, ends, (t, h))?;
    Ok(unconstrained_part(plan, it, all * h))
}

/// The forces of the model on an island at the middle of an interval, as a wrench about the origin.
fn forces(
    plan: &Plan,
    island: &Island,
    ends: (&State, &State),
    (t, h): (f64, f64),
) -> Result<Vec6, ForceError> {
    let placements: Vec<BodyKinematics> = island
        .bodies
        .clone()
        .map(|slot| BodyKinematics {
            position: (ends.0.positions[slot] + ends.1.positions[slot]) * 0.5,
            frame: (ends.0.rotations[slot] + ends.1.rotations[slot]) * 0.5,
            velocity: (ends.1.positions[slot] - ends.0.positions[slot]) / h,
            frame_rate: (ends.1.rotations[slot] - ends.0.rotations[slot]) / h,
        })
        .collect();
    let bodies = Bodies { first: island.bodies.start, kinematics: &placements };
    let mut pulls = vec![ForceAccumulator::zero(); placements.len()];
    for force in &plan.model.forces[island.forces.clone()] {
        force.add_forces(t, &bodies, &mut pulls)?;
    }
    let about_origin = |(place, pull): (&BodyKinematics, &ForceAccumulator)| {
        let own = pull.wrench(&place.frame);
        own + twist(&Vec3::zeros(), &place.position.cross(&pull.force))
    };
    Ok(placements.iter().zip(&pulls).map(about_origin).sum())
}
