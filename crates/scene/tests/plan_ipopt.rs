//! Plans as programs, solved by the interior-point method and by Ipopt: the same objective.
#![cfg(feature = "ipopt")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{gallery, scene};
use percussion_control::plan::Plan;
use percussion_control::transcription::{
    ConstraintSet, Iterate, ResolvedContact, SeparatingPlane, SeparationConstraint, SeparationKind,
    Transcription,
};
use percussion_mechanics::State;
use percussion_mechanics::contact::PairWarmStart;
use percussion_scene::Scene;
use percussion_solve::nlp::{
    CallbackAction, InteriorPoint, Options, Outcome, Solution, WarmStart, solve_ipopt,
};

/// Over every interval a plane between every pair.
fn apart(plan: &Plan, nodes: &[State]) -> Vec<SeparationConstraint> {
    let (Some(avoidance), Some(contacts)) = (&plan.avoidance, &plan.model.contacts) else {
        return Vec::new();
    };
    let mut list = Vec::new();
    for (interval, ends) in nodes.windows(2).enumerate() {
        for pair in contacts.all_pairs() {
            let normal = |state: &State| {
                let poses =
                    (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state));
                contacts
                    .separation(pair, (&poses.0, &poses.1), f64::INFINITY, &mut PairWarmStart::default())
                    .unwrap()
                    .normal()
            };
            let normals = [normal(&ends[0]), normal(&ends[1])];
            let plane = SeparatingPlane::best(contacts, pair, &normals, &[&ends[0], &ends[1]]);
            let nodes = vec![(interval, avoidance.margin), (interval + 1, avoidance.margin)];
            list.extend(plane.map(|plane| SeparationConstraint {
                nodes,
                pair,
                kind: SeparationKind::Plane(plane),
            }));
        }
    }
    list
}

/// The program that a search begins with, and its start.
fn posed(scene: &Scene) -> (Transcription, Iterate) {
    let settings = scene.plan.as_ref().unwrap();
    let plan = &settings.plan;
    let path = settings.computed_guess().unwrap().initial_path(plan).unwrap();
    let encounters = plan
        .contacts
        .iter()
        .map(|meeting| ResolvedContact::find(&plan.model, meeting, &path.nodes[meeting.node]).unwrap());
    let encounters: Vec<ResolvedContact> = encounters.collect();
    // Pairs of planned contacts may pass through each other elsewhere: both solvers get the same program, whatever it leaves out.
    let apart = if encounters.is_empty() { apart(plan, &path.nodes) } else { Vec::new() };
    let mut program =
        Transcription::new(plan.clone(), ConstraintSet { contacts: encounters, separations: apart });
    let start = program.initial_iterate(path.nodes, &path.inputs, &path.time_scales);
    (program, start)
}

fn options() -> Options {
    Options { constraint_tolerance: 1e-10, ..Options::default() }
}

fn relative(one: &Solution<Iterate>, other: &Solution<Iterate>) -> f64 {
    (one.objective - other.objective).abs() / other.objective.abs()
}

/// Solves by both from the same start, and compares the objectives.
fn agree(name: &str, scene: &Scene) {
    let (mut program, start) = posed(scene);
    let ours = InteriorPoint::new().solve(&mut program, &start, &options()).unwrap();
    // Ipopt scales objectives down only: it is given the scale.
    let warm = Options { warm: Some(WarmStart::after(&ours)), ..options() };
    let theirs = solve_ipopt(&mut program, &start, &warm, &mut |_| CallbackAction::Continue).unwrap();
    let apart = relative(&ours, &theirs);
    println!(
        "{name}: {:.9e} in {} iterations, {:.9e} in {}, apart by {apart:.1e}",
        ours.objective, ours.iterations, theirs.objective, theirs.iterations
    );
    assert_eq!(ours.outcome, Outcome::Optimal, "{name}: {:?}", ours.residual);
    assert_eq!(theirs.outcome, Outcome::Optimal, "{name}: {:?}", theirs.residual);
    assert!(apart < 1e-6, "{name}: {apart:e}");
}

#[test]
fn a_cube_hits_a_wall() {
    for node in ["4", "9", "14"] {
        agree(node, &gallery("cube-wall", &[("plan.contacts.0.node", node)]));
    }
}

#[test]
fn two_cubes() {
    agree("two cubes", &gallery("two-cubes", &[]));
}

#[test]
fn a_body_turns() {
    agree(
        "a turn",
        &scene(
            r#"
            run = { step = 1e-3, until = 1.0 }
            [bodies.satellite]
            mass = 3.0
            inertia = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.6]]
            [plan]
            intervals = 40
            step = 0.025
            [plan.controls.torque]
            kind = "torque"
            body = "satellite"
            bounds = 8.0
            [plan.controls.thrust]
            kind = "force"
            body = "satellite"
            [plan.end.bodies.satellite]
            position = [0.3, 0.0, 0.1]
            rotation_vector = [1.0, 0.7, -0.9]
            at_rest = true
            "#,
        ),
    );
}

#[test]
fn a_cube_goes_around_a_block() {
    agree(
        "around",
        &scene(
            r#"
            run = { step = 1e-3, until = 1.0, scheme = "exact" }
            [contact]
            [bodies.runner]
            shape = { cube = 0.1 }
            density = 270.0
            position = [-0.4, 0.0, 0.0]
            rotation_vector = [0.1, 0.2, 0.3]
            [bodies.block]
            kind = "fixed"
            shape = { box = [0.2, 0.3, 0.3] }
            position = [0.0, -0.03, 0.0]
            [plan]
            intervals = 20
            step = 0.05
            [plan.controls.thrust]
            kind = "force"
            body = "runner"
            [plan.controls.torque]
            kind = "torque"
            body = "runner"
            [plan.end.bodies.runner]
            position = [0.4, 0.02, 0.0]
            rotation_vector = [0.1, 0.2, 0.3]
            at_rest = true
            [plan.guess]
            waypoints = [{ at = 0.5, bodies.runner.position = [0.0, 0.3, 0.0] }]
            "#,
        ),
    );
}
