//! Planned blows are those of bodies with faces that end: they keep momentum, they push, and they happen where the bodies are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::scene;
use common::solved::{consistent, planned, searched, solved};
use percussion_control::PlanSolution;
use percussion_control::plan::Plan;
use percussion_control::replay::replay;
use percussion_control::solution::Outcome;
use percussion_geometry::Vec3;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};

/// The plan of a scene and what is found.
fn found(text: &str) -> (Plan, PlanSolution) {
    let settings = scene(text).plan.unwrap();
    let found = searched(&settings);
    (settings.plan, found)
}

/// The simulator finds the blows by itself, and comes to the same nodes.
fn happens_again(plan: &Plan, found: &PlanSolution) {
    let options = SchemeOptions::default();
    let deviation = replay(plan, &found.nodes, &found.inputs, SchemeKind::Exact, &options).unwrap().deviation;
    println!("replay {deviation:?}");
    assert!(deviation.position < 1e-9 && deviation.rotation < 1e-8, "{deviation:?}");
}

/// The first six numbers as two vectors: linear and angular.
fn pair(p: &[f64]) -> (Vec3, Vec3) {
    (Vec3::new(p[0], p[1], p[2]), Vec3::new(p[3], p[4], p[5]))
}

/// With torques the cubes turn between two blows and meet beside their middles: what one loses the other one gets.
#[test]
fn two_cubes_that_may_turn_push_each_other_and_keep_their_momentum() {
    let straight = solved("two-cubes", &[]);
    let changes =
        [("plan.controls.torque", "{ kind = \"torque\", body = \"pusher\" }"), ("plan.search.starts", "1")];
    let (plan, found) = (planned("two-cubes", &changes).plan, solved("two-cubes", &changes));
    assert_eq!(found.outcome, Outcome::Optimal);
    // From a guess in which edges are nearest, not faces, it is the same one.
    for attempt in &found.attempts {
        assert_eq!(attempt.outcome, Outcome::Optimal);
        assert!((attempt.objective / found.objective - 1.0).abs() < 1e-5, "{attempt:?}");
    }
    // The solution without rotation is a saddle: this is a real minimum below it.
    assert!(found.objective < 0.5 * straight.objective, "{:e}", found.objective);
    for contact in &found.contacts {
        assert!(contact.impulse.dot(&contact.normal) > 1e-4, "{contact:?}");
    }
    let momentum = |k: usize| {
        let node = &found.nodes[k];
        let of = |body: usize| {
            let (linear, spin) = pair(&node.momenta[6 * body..]);
            (linear, node.positions[body].cross(&linear) + spin)
        };
        let ((p, l), (q, m)) = (of(0), of(1));
        (p + q, l + m)
    };
    let mut off_centre = 0.0_f64;
    for k in 0..plan.intervals {
        let (here, next) = (&found.nodes[k], &found.nodes[k + 1]);
        let (force, torque) = pair(&found.inputs[6 * k..]);
        let h = next.time - here.time;
        let middle = (here.positions[0] + next.positions[0]) * 0.5;
        let ((p, l), (q, m)) = (momentum(k), momentum(k + 1));
        assert!((q - p - force * h).norm() < 1e-12, "interval {k}: {:e}", (q - p - force * h).norm());
        let left = m - l - (middle.cross(&force) + torque) * h;
        assert!(left.norm() < 1e-12, "interval {k}: {:e}", left.norm());
        if let Some(contact) = found.contacts.iter().find(|c| c.node == k) {
            let arm = contact.point - here.positions[1];
            off_centre = off_centre.max(arm.cross(&contact.normal).norm());
        }
    }
    assert!(off_centre > 0.01, "{off_centre}");
    happens_again(&plan, &found);
}

/// A cube that is to touch a plate with its corner on its way; it would rather stay where it is, beside it.
fn plate(size: f64, away: f64, more: &str) -> (Plan, PlanSolution) {
    found(&format!(
        r#"
        run = {{ step = 1e-3, until = 1.0, scheme = "exact" }}
        [contact]
        [bodies.cube]
        shape = {{ cube = 0.1 }}
        density = 270.0
        position = [{away}, 0.2, 0.0]
        rotation_vector = [0.7, 0.0, 0.5]
        velocity = [0.0, -0.3, 0.0]
        [bodies.plate]
        kind = "fixed"
        shape = {{ box = [{size}, 0.02, {size}] }}
        position = [0.0, -0.01, 0.0]
        [plan]
        intervals = 20
        step = 0.05
        time = 1.0
        controls.thrust = {{ kind = "force", body = "cube" }}
        controls.torque = {{ kind = "torque", body = "cube" }}
        end.bodies.cube = {{ position = [{away}, 0.2, 0.0], rotation_vector = [0.7, 0.0, 0.5], at_rest = true }}
        contacts = [{{ node = 10, bodies = ["cube", "plate"], restitution = 1.0 }}]
        guess.waypoints = [
            {{ at = 0.5, bodies.cube.position = [0.0, 0.1, 0.0] }},
            {{ at = 1, bodies.cube.position = [{away}, 0.2, 0.0] }},
        ]
        {more}
        "#
    ))
}

#[test]
fn a_corner_meets_a_plate_on_it_and_not_beside() {
    let (plan, wide) = plate(0.5, -0.1, "");
    assert_eq!((wide.outcome.clone(), wide.rounds), (Outcome::Optimal, 1));
    let beside = wide.contacts[0].point;
    assert!(beside.x < -0.06, "{beside}");
    happens_again(&plan, &wide);
    let (plan, small) = plate(0.1, -0.1, "");
    assert_eq!(small.outcome, Outcome::Optimal);
    let on = small.contacts[0].point;
    assert!(on.x.abs() <= 0.05 && on.z.abs() <= 0.05 && on.y.abs() < 1e-9, "{on}");
    assert!(small.clearance.abs() < 1e-9, "{:e}", small.clearance);
    // To go there costs something.
    assert!(small.objective > 1.2 * wide.objective, "{:e} {:e}", small.objective, wide.objective);
    happens_again(&plan, &small);
}

#[test]
fn a_plate_out_of_reach_is_named() {
    let lane = r#"conditions = [{ name = "the lane", bodies.cube.position = { max = [-0.15, 1.0, 1.0] } }]"#;
    let (_, found) = plate(0.1, -0.2, lane);
    let Outcome::Infeasible(names) = &found.outcome else { panic!("{:?}", found.outcome) };
    let beside = "the contact of `cube` and `plate` at node 10 lies within the faces or edges in contact";
    assert!(names.iter().any(|name| name == beside), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("the lane")), "{names:?}");
}

#[test]
fn an_edge_meets_an_edge_between_its_ends() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let (plan, found) = found(&format!(
        r#"
        run = {{ step = 1e-3, until = 1.0, scheme = "exact" }}
        [contact]
        [bodies.bar]
        shape = {{ box = [0.06, 0.06, 0.2] }}
        density = 270.0
        position = [-0.1, 0.15, 0.0]
        rotation_vector = [0.0, 0.0, {quarter}]
        velocity = [0.0, -0.3, 0.0]
        [bodies.rail]
        kind = "fixed"
        shape = {{ box = [0.1, 0.02, 0.02] }}
        rotation_vector = [{quarter}, 0.0, 0.0]
        [plan]
        intervals = 20
        step = 0.05
        time = 1.0
        controls.thrust = {{ kind = "force", body = "bar" }}
        controls.torque = {{ kind = "torque", body = "bar" }}
        end.bodies.bar = {{ position = [-0.1, 0.15, 0.0], rotation_vector = [0.0, 0.0, {quarter}], at_rest = true }}
        contacts = [{{ node = 10, bodies = ["bar", "rail"], restitution = 1.0 }}]
        guess.waypoints = [
            {{ at = 0.5, bodies.bar.position = [0.0, 0.06, 0.0] }},
            {{ at = 1, bodies.bar.position = [-0.1, 0.15, 0.0] }},
        ]
        "#
    ));
    assert_eq!(found.outcome, Outcome::Optimal);
    let on = found.contacts[0].point;
    assert!(on.x.abs() < 0.05 && (on.y - 0.01 * 2.0_f64.sqrt()).abs() < 1e-9 && on.z.abs() < 1e-9, "{on}");
    assert!(found.clearance.abs() < 1e-9);
    happens_again(&plan, &found);
}

/// One cube catches another that passes by; where on the face is sought, and not where the guess has it.
#[test]
fn bodies_that_a_contact_joins_keep_their_momentum() {
    let (_, found) = found(
        r#"
            run = { step = 1e-3, until = 1.0, scheme = "exact" }
            [contact]
            [bodies.catcher]
            shape = { cube = 0.1 }
            density = 270.0
            position = [-0.2, 0.0, 0.0]
            rotation_vector = [0.0, 0.3, 0.2]
            [bodies.caught]
            shape = { cube = 0.2 }
            density = 100.0
            velocity = [0.0, 0.1, 0.0]
            [plan]
            intervals = 20
            step = 0.05
            time = 1.0
            controls.thrust = { kind = "force", body = "catcher" }
            controls.torque = { kind = "torque", body = "catcher" }
            end.bodies.caught = { position = [0.1, 0.05, 0.0] }
            contacts = [{ node = 10, bodies = ["catcher", "caught"], joint = "fixed" }]
            guess.waypoints = [
                { at = 0.5, bodies.catcher.position = [-0.16, 0.0, 0.0] },
                { at = 1, bodies.catcher.position = [-0.06, 0.05, 0.0], bodies.caught.position = [0.1, 0.05, 0.0] },
            ]
            "#,
    );
    assert_eq!(found.outcome, Outcome::Optimal);
    consistent(&found);
}

/// Docking without a joint: faces meet, nothing comes back, and for a moment the two move as one.
#[test]
fn faces_that_stick_move_as_one() {
    let (plan, found) = found(
        r#"
            run = { step = 1e-3, until = 1.0, scheme = "exact" }
            [contact]
            [bodies.chaser]
            shape = { cube = 0.1 }
            density = 270.0
            position = [-0.3, 0.02, 0.01]
            rotation_vector = [0.0, 0.1, 0.2]
            [bodies.target]
            shape = { cube = 0.2 }
            density = 100.0
            velocity = [0.0, 0.1, 0.0]
            [plan]
            intervals = 20
            step = 0.05
            time = 1.0
            controls.thrust = { kind = "force", body = "chaser" }
            controls.torque = { kind = "torque", body = "chaser", weight = 100.0 }
            avoid = false
            end.bodies.target = { position = [0.1, 0.05, 0.0] }
            end.bodies.chaser = { position = [-0.3, 0.0, 0.0] }
            contacts = [{ node = 10, bodies = ["chaser", "target"], restitution = 0.0, friction = "stick", flat = true }]
            guess.waypoints = [
                { at = 0.5, bodies.chaser = { position = [-0.16, 0.0, 0.0], rotation_vector = [0.0, 0.0, 0.0] } },
                { at = 1, bodies.chaser.position = [-0.3, 0.0, 0.0], bodies.target.position = [0.1, 0.05, 0.0] },
            ]
            "#,
    );
    assert_eq!(found.outcome, Outcome::Optimal);
    consistent(&found);
    let (node, contact) = (&found.nodes[10], &found.contacts[0]);
    let motion = |body: usize| {
        let (linear, spin) = pair(&node.momenta[6 * body..]);
        let own = &plan.model.bodies[body];
        let r = node.rotations[body];
        (linear / own.mass, r * (r.transpose() * spin).component_div(&own.inertia))
    };
    let ((v, w), (u, q)) = (motion(0), motion(1));
    let at = |velocity: Vec3, spin: Vec3, body: usize| {
        velocity + spin.cross(&(contact.point - node.positions[body]))
    };
    let slip = (at(v, w, 0) - at(u, q, 1)).norm();
    println!("slip {slip:.1e} m/s, turn {:.1e} rad/s, impulse {:?}", (w - q).norm(), contact.impulse);
    assert!(slip < 1e-9 && (w - q).norm() < 1e-8, "{slip:e} {:e}", (w - q).norm());
    // Something had to be stopped: the target drifts sideways and turns.
    assert!(q.norm() > 0.05 && contact.impulse.dot(&contact.normal) > 1e-3, "{contact:?}");
}
