//! Planned efforts, simulated forward, lead where they were planned to lead.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{build, cube, plain, thrusters, wall_plan};
use nalgebra::Rotation3;
use percussion_control::manoeuvre::Ending;
use percussion_control::plan::{Actuator, Drive, Plan};
use percussion_control::replay::{ReplayError, loaded, replay};
use percussion_control::{Guess, Options, PlanSolution, find};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::discrete::{Control, displace};
use percussion_mechanics::force::Axes;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::{JointKind, JointSpec, ModelBuilder, State};
use percussion_solve::nlp::{Bound, Watch};

fn found(plan: &Plan, guess: &Guess) -> PlanSolution {
    let found = find(plan, guess, &Options::default(), &mut |_| Watch::Continue).unwrap();
    assert_eq!(found.ending, Ending::Optimal);
    found
}

fn agreement(plan: &Plan, found: &PlanSolution, scheme: SchemeKind) -> (f64, f64) {
    let made =
        replay(plan, &found.nodes, &found.efforts, scheme, &SchemeOptions::default()).unwrap().agreement;
    println!("{scheme}: {:.2e} m, {:.2e} rad", made.position, made.rotation);
    (made.position, made.rotation)
}

/// A cube that is thrown on its own thrusters along its own axes, under gravity, and turns on the way.
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
    let mut plan = plain(&model, &state, 20, 0.05);
    plan.actuators = thrusters(&model, 0);
    plan.actuators[0].control = Control::force(&model, 0, &Vec3::new(0.01, 0.02, -0.01), Axes::Body).unwrap();
    plan.end.drive = vec![Drive::Given(end.momenta.clone())];
    plan.end.fixed = vec![true];
    plan.end.state = end;
    plan
}

#[test]
fn a_plan_without_contact_is_the_variational_schemes() {
    let plan = free_plan();
    let found = found(&plan, &Guess::Straight);
    let (position, rotation) = agreement(&plan, &found, SchemeKind::Variational);
    // Momenta balance to 1e-10 at each node; with the inertia of a small cube that is some 1e-9 rad at the end.
    assert!(position < 1e-8 && rotation < 1e-8, "{position:e} {rotation:e}");
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
            on_parent: at(Vec3::zeros()),
            on_child: at(-below),
            length: None,
            turns: [0.0; 3],
            limits: [None; 3],
        };
        builder.joint(top.clone());
        builder.joint(JointSpec {
            name: "knee".to_owned(),
            parent: Some(a),
            child: b,
            on_parent: at(below),
            ..top
        });
        let (model, state) = builder.build().unwrap();
        (std::sync::Arc::new(model), state)
    };
    let (model, state): (_, State) = place(0.0, 0.0);
    let (_, end) = place(0.8, -0.5);
    let mut plan = plain(&model, &state, intervals, 0.6 / intervals as f64);
    let motor = |dof: usize, name: &str| Actuator {
        name: name.to_owned(),
        control: Control::Dof(dof),
        island: 0,
        bounds: vec![Bound::FREE],
        weight: 1.0,
    };
    plan.actuators = vec![motor(0, "shoulder"), motor(1, "knee")];
    plan.end.drive = vec![Drive::Given(end.momenta.clone())];
    plan.end.fixed = vec![true];
    plan.end.state = end;
    plan
}

#[test]
fn efforts_along_joints_are_motors() {
    let plan = hinged_plan(15);
    let found = found(&plan, &Guess::Straight);
    let (position, rotation) = agreement(&plan, &found, SchemeKind::Variational);
    assert!(position < 1e-10 && rotation < 1e-10, "{position:e} {rotation:e}");
    // A motor that is too weak is noticed.
    let mut less = found.efforts.clone();
    less.iter_mut().step_by(2).for_each(|effort| *effort *= 0.9);
    let made = replay(&plan, &found.nodes, &less, SchemeKind::Variational, &SchemeOptions::default())
        .unwrap()
        .agreement;
    assert!(made.position > 1e-3);
}

/// Two bodies one below the other, the upper on a ball and socket, with efforts along all degrees of freedom, also of the joint between
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
    let mut plan = plain(&model, &state, 12, 0.02);
    plan.actuators = (0..model.dofs)
        .map(|dof| Actuator {
            name: format!("effort {dof}"),
            control: Control::Dof(dof),
            island: 0,
            bounds: vec![Bound::FREE],
            weight: 1.0,
        })
        .collect();
    plan.end.drive = vec![Drive::Given(end.momenta.clone())];
    plan.end.fixed = vec![true];
    plan.end.state = end;
    plan
}

#[test]
fn efforts_along_joints_without_coordinates_are_motors_too() {
    for kind in [JointKind::Spherical, JointKind::Free] {
        let plan = jointed_plan(kind);
        let found = found(&plan, &Guess::Straight);
        for (scheme, most) in [(SchemeKind::Variational, 1e-10), (SchemeKind::Exact, 1e-8)] {
            let (position, rotation) = agreement(&plan, &found, scheme);
            assert!(position < most && rotation < most, "{kind:?} {scheme}: {position:e} {rotation:e}");
        }
        // Each effort has its own part in it.
        for dof in 0..plan.model.dofs {
            let mut less = found.efforts.clone();
            less.iter_mut().skip(dof).step_by(plan.model.dofs).for_each(|effort| *effort *= 0.9);
            let made = replay(&plan, &found.nodes, &less, SchemeKind::Variational, &SchemeOptions::default())
                .unwrap()
                .agreement;
            assert!(made.position.max(made.rotation) > 1e-5, "{kind:?} {dof}: {made:?}");
        }
    }
}

#[test]
fn another_scheme_comes_to_the_same_manoeuvre_as_intervals_shrink() {
    let off = [30, 60, 120].map(|intervals| {
        let plan = hinged_plan(intervals);
        agreement(&plan, &found(&plan, &Guess::Straight), SchemeKind::NewmarkImplicit).0
    });
    // It looks at efforts at the ends of its steps: they come half an interval early, an error of first order.
    for pair in off.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((1.7..2.4).contains(&ratio), "{off:?}");
    }
}

#[test]
fn the_exact_scheme_finds_the_planned_collision() {
    let plan = wall_plan(9);
    let found = found(&plan, &Guess::FreeMotion { scheme: SchemeKind::Exact });
    let (position, rotation) = agreement(&plan, &found, SchemeKind::Exact);
    assert!(position < 1e-8 && rotation < 1e-8, "{position:e} {rotation:e}");
    // Without its collision the cube goes elsewhere.
    let (position, _) = agreement(&plan, &found, SchemeKind::Variational);
    assert!(position > 1e-2);
}

#[test]
fn efforts_of_another_plan_are_refused() {
    let plan = free_plan();
    let refused = loaded(&plan, &[0.0, 1.0], &[0.0; 5]);
    assert!(matches!(refused, Err(ReplayError::UnsupportedScene { efforts: 5, nodes: 2, components: 6 })));
}
