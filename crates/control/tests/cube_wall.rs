//! A cube that must hit a wall to come back: contact times do not depend on the node that is planned.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{build, cube, plain, thrusters, wall};
use nalgebra::Rotation3;
use percussion_control::manoeuvre::Ending;
use percussion_control::plan::{Avoidance, Drive, Meeting, Plan, Slip};
use percussion_control::{Guess, Manoeuvre, Options, find};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::{ModelBuilder, State};
use percussion_solve::nlp::{Bound, Watch};
use std::sync::Arc;

fn plan(node: usize) -> Plan {
    let edge = 0.1;
    let build_at =
        |position: Vec3, turn: Vec3, velocity: Vec3| -> (Arc<percussion_mechanics::Model>, State) {
            let mut builder = ModelBuilder::new();
            let body =
                builder.body(cube("cube", edge), Pose::new(Rotation3::from_scaled_axis(turn), position));
            builder.velocity(body, velocity, Vec3::zeros());
            builder.body(wall(Vec3::y()), Pose::identity());
            build(builder)
        };
    let (model, state) =
        build_at(Vec3::new(0.0, 0.11, 0.0), Vec3::new(0.0, 0.2, 0.02), Vec3::new(0.0, -0.25, 0.0));
    let (_, end) = build_at(Vec3::new(0.0, 0.18, 0.0), Vec3::zeros(), Vec3::new(0.0, 0.25, 0.0));
    let mut plan = plain(&model, &state, 30, 0.025);
    plan.actuators = thrusters(&model, 0);
    plan.actuators[0].bounds = vec![Bound::between(-0.02, 0.02); 3];
    plan.actuators[1].bounds = vec![Bound::between(-0.01, 0.01); 3];
    plan.end.drive = vec![Drive::Given(end.momenta.clone())];
    plan.end.fixed = vec![true];
    plan.end.state = end;
    plan.avoidance = Some(Avoidance { margin: 0.0, pairs: None });
    plan.meetings = vec![Meeting {
        name: "the hit".to_owned(),
        node,
        bodies: (0, 1),
        restitution: 1.0,
        slip: Slip::Free,
        flat: true,
        tie: None,
        released: None,
    }];
    plan
}

#[test]
fn contact_times_do_not_depend_on_the_node() {
    let found: Vec<Manoeuvre> = [4, 9, 14]
        .into_iter()
        .map(|node| {
            let guess = Guess::FreeMotion { scheme: "exact".to_owned() };
            let found = find(&plan(node), &guess, &Options::default(), &mut |_| Watch::Continue).unwrap();
            assert_eq!(found.ending, Ending::Optimal, "node {node}");
            assert!(found.violation < 1e-9, "{:e}", found.violation);
            let delta = found.consistency.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
            assert!(delta < 1e-9, "{delta:e}");
            assert!(found.clearance > -1e-9, "{:e}", found.clearance);
            println!(
                "node {node}: J {:.6e}, contact at {:.6} s, sigma {:?}, violation {:.1e}, delta {delta:.1e}, {} iterations",
                found.objective, found.contacts[0].time, found.scales, found.violation, found.iterations
            );
            found
        })
        .collect();
    let spread = |of: &dyn Fn(&Manoeuvre) -> f64| {
        let values: Vec<f64> = found.iter().map(of).collect();
        let least = values.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let most = values.iter().fold(0.0_f64, |a, b| a.max(*b));
        (most - least) / least
    };
    assert!(spread(&|m| m.contacts[0].time) < 0.015);
    assert!(spread(&|m| m.objective) < 0.03);
}
