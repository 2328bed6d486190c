//! Planned control inputs, simulated forward, lead to the planned states.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{FREE_MOTION, build, cube, from_to, motor, solved, thrusters, wall_plan};
use nalgebra::Rotation3;
use percussion_control::plan::Plan;
use percussion_control::replay::{ReplayError, model_with_controls, replay};
use percussion_control::{Guess, PlanSolution};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::discrete::{Control, displace};
use percussion_mechanics::force::Axes;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::{JointKind, JointSpec, ModelBuilder, State};
use percussion_solve::nlp::Bound;

/// Deviations of a replay from a solution with some control inputs, m and rad.
fn deviation(plan: &Plan, found: &PlanSolution, inputs: &[f64], scheme: SchemeKind) -> (f64, f64) {
    let made = replay(plan, &found.nodes, inputs, scheme, &SchemeOptions::default()).unwrap().deviation;
    println!("{scheme}: {:.2e} m, {:.2e} rad", made.position, made.rotation);
    (made.position, made.rotation)
}

/// Replays a solution, and bounds its deviations.
fn assert_follows(plan: &Plan, found: &PlanSolution, scheme: SchemeKind, most: f64) {
    let (position, rotation) = deviation(plan, found, &found.inputs, scheme);
    assert!(position < most && rotation < most, "{scheme}: {position:e} {rotation:e}");
}

/// A cube that is thrown on its own thrusters along its own axes, under gravity, and rotates on the way.
fn free_plan() -> Plan {
    let place = |position: Vec3, turn: Vec3, velocity: Vec3| {
        let mut builder = ModelBuilder::new();
        builder.gravity(Vec3::new(0.0, 0.0, -9.81));
        let body = builder.body(cube("cube", 0.1), Pose::new(Rotation3::from_scaled_axis(turn), position));
        builder.velocity(body, velocity, Vec3::new(0.3, -0.2, 0.5));
        build(builder)
    };
    let (model, state) = place(Vec3::zeros(), Vec3::new(0.1, 0.3, -0.2), Vec3::new(0.0, 0.1, 0.0));
    let (_, end) = place(Vec3::new(0.4, -0.2, 0.3), Vec3::new(-0.9, 0.4, 1.2), Vec3::zeros());
    let mut plan = from_to(&model, &state, end, 20, 0.05);
    plan.actuators = thrusters(&model, 0);
    plan.actuators[0].control = Control::force(&model, 0, &Vec3::new(0.01, 0.02, -0.01), Axes::Body).unwrap();
    plan
}

#[test]
fn a_plan_without_contact_is_the_variational_schemes() {
    let plan = free_plan();
    let found = solved(&plan, &Guess::Straight);
    // Momenta balance to 1e-10 at each node; with the inertia of a small cube that is some 1e-9 rad at the end.
    assert_follows(&plan, &found, SchemeKind::Variational, 1e-8);
}

/// Two hinges with motors that swing up.
fn hinged_plan(intervals: usize) -> Plan {
    let place = |first: f64, second: f64| {
        let mut builder = ModelBuilder::new();
        builder.gravity(Vec3::new(0.0, 0.0, -9.81));
        let along_y = Rotation3::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2);
        let turned = |angle: f64| Rotation3::from_axis_angle(&Vec3::y_axis(), angle);
        let below = Vec3::new(0.0, 0.0, -0.5);
        let upper = Pose::new(turned(first), turned(first) * below);
        let hinge = turned(first) * (2.0 * below);
        let lower = Pose::new(turned(first + second), hinge + turned(first + second) * below);
        let a = builder.body(cube("upper", 0.45), upper);
        let b = builder.body(cube("lower", 0.45), lower);
        let at = |point: Vec3| Pose::new(along_y, point);
        let top = JointSpec {
            name: "top".to_owned(),
            kind: JointKind::Revolute,
            parent: None,
            child: a,
            parent_frame: at(Vec3::zeros()),
            child_frame: at(-below),
            length: None,
            turns: [0.0; 3],
            limits: [None; 3],
            friction: [0.0; 3],
            damping: [0.0; 3],
        };
        builder.joint(top.clone());
        builder.joint(JointSpec {
            name: "knee".to_owned(),
            parent: Some(a),
            child: b,
            parent_frame: at(below),
            ..top
        });
        let (model, state) = builder.build().unwrap();
        (std::sync::Arc::new(model), state)
    };
    let (model, state): (_, State) = place(0.0, 0.0);
    let (_, end) = place(0.8, -0.5);
    let mut plan = from_to(&model, &state, end, intervals, 0.6 / intervals as f64);
    plan.actuators = vec![motor(0, Bound::FREE), motor(1, Bound::FREE)];
    plan
}

#[test]
fn control_inputs_along_joints_are_motors() {
    let plan = hinged_plan(15);
    let found = solved(&plan, &Guess::Straight);
    assert_follows(&plan, &found, SchemeKind::Variational, 1e-10);
    // A motor that is too weak is noticed.
    let mut less = found.inputs.clone();
    less.iter_mut().step_by(2).for_each(|input| *input *= 0.9);
    let (position, _) = deviation(&plan, &found, &less, SchemeKind::Variational);
    assert!(position > 1e-3);
}

/// Two bodies one below the other, the upper on a ball and socket, with control inputs along all degrees of freedom, also of the joint between
/// them.
fn jointed_plan(kind: JointKind) -> Plan {
    let (model, state) = {
        let mut builder = ModelBuilder::new();
        builder.gravity(Vec3::new(0.0, 0.0, -9.81));
        let turn = |x: f64, y: f64, z: f64| Rotation3::from_scaled_axis(Vec3::new(x, y, z));
        let upper = Pose::new(turn(0.1, 0.2, -0.1), Vec3::new(0.1, 0.0, -0.5));
        let lower = Pose::new(turn(-0.2, 0.1, 0.3), Vec3::new(0.0, 0.2, -1.5));
        let a = builder.body(cube("upper", 0.45), upper);
        let b = builder.body(cube("lower", 0.45), lower);
        let top = Pose::new(turn(0.4, -0.3, 0.2), Vec3::zeros());
        builder.joint(JointSpec::at("top", JointKind::Spherical, None, (a, &upper), &top));
        let knee = Pose::new(turn(0.3, 0.5, -0.2), Vec3::new(0.1, 0.1, -1.0));
        builder.joint(JointSpec::at("knee", kind, Some((a, &upper)), (b, &lower), &knee));
        build(builder)
    };
    let island = &model.islands[0];
    let displacement: Vec<f64> = (0..model.dofs).map(|k| 0.3 - 0.07 * k as f64).collect();
    let mut end = state.clone();
    displace(&model, island, &state, &displacement, &mut end);
    let mut plan = from_to(&model, &state, end, 12, 0.02);
    plan.actuators = (0..model.dofs).map(|dof| motor(dof, Bound::FREE)).collect();
    plan
}

#[test]
fn control_inputs_along_joints_without_coordinates_are_motors_too() {
    for kind in [JointKind::Spherical, JointKind::Free] {
        let plan = jointed_plan(kind);
        let found = solved(&plan, &Guess::Straight);
        println!("{kind:?}");
        assert_follows(&plan, &found, SchemeKind::Variational, 1e-10);
        assert_follows(&plan, &found, SchemeKind::Exact, 1e-8);
        // Each control input contributes.
        for dof in 0..plan.model.dofs {
            let mut less = found.inputs.clone();
            less.iter_mut().skip(dof).step_by(plan.model.dofs).for_each(|input| *input *= 0.9);
            let (position, rotation) = deviation(&plan, &found, &less, SchemeKind::Variational);
            assert!(position.max(rotation) > 1e-5, "{kind:?} {dof}: {position:e} {rotation:e}");
        }
    }
}

#[test]
fn another_scheme_converges_to_the_same_trajectory_as_intervals_shrink() {
    let off = [30, 60, 120].map(|intervals| {
        let plan = hinged_plan(intervals);
        let found = solved(&plan, &Guess::Straight);
        deviation(&plan, &found, &found.inputs, SchemeKind::NewmarkImplicit).0
    });
    // It evaluates control inputs at the ends of its steps, half an interval early, an error of first order.
    for pair in off.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((1.7..2.4).contains(&ratio), "{off:?}");
    }
}

#[test]
fn the_exact_scheme_finds_the_planned_collision() {
    let plan = wall_plan(9);
    let found = solved(&plan, &FREE_MOTION);
    assert_follows(&plan, &found, SchemeKind::Exact, 1e-8);
    // Without its collision the cube goes elsewhere.
    let (position, _) = deviation(&plan, &found, &found.inputs, SchemeKind::Variational);
    assert!(position > 1e-2);
}

#[test]
fn control_inputs_of_another_plan_are_refused() {
    let plan = free_plan();
    let refused = model_with_controls(&plan, &[0.0, 1.0], &[0.0; 5]);
    assert!(matches!(refused, Err(ReplayError::InputCount { inputs: 5, nodes: 2, components: 6 })));
}
