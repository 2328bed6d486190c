//! Trajectories around obstacles: clear at nodes and between them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{build, cube, plain, thrusters};
use nalgebra::Rotation3;
use percussion_control::guess::Waypoint;
use percussion_control::plan::{Avoidance, MomentumCondition, Plan};
use percussion_control::solution::Outcome;
use percussion_control::{Guess, Options, PlanSolution, solve};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::{Body, Model, ModelBuilder, State};
use percussion_solve::nlp::CallbackAction;
use std::sync::Arc;

/// A cube that must pass a block.
fn around(intervals: usize, margin: f64) -> (Plan, Guess) {
    let placed = |x: f64, y: f64| -> (Arc<Model>, State) {
        let mut builder = ModelBuilder::new();
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.1, 0.2, 0.3));
        builder.body(cube("runner", 0.1), Pose::new(turn, Vec3::new(x, y, 0.0)));
        let block = Solid::Polytope(Polytope::cuboid(0.2, 0.3, 0.3).unwrap());
        builder.body(
            Body::fixed("block").with_shape(block, Pose::identity()),
            Pose::at(Vec3::new(0.0, -0.03, 0.0)),
        );
        build(builder)
    };
    let (model, start) = placed(-0.4, 0.0);
    let (_, over) = placed(0.0, 0.3);
    let (_, end) = placed(0.4, 0.02);
    let mut plan = plain(&model, &start, intervals, 1.0 / intervals as f64);
    plan.time_bounds.total = percussion_solve::nlp::Bound::equal(1.0);
    plan.actuators = thrusters(&model, 0);
    plan.end.fixed = vec![true];
    plan.end.momentum = vec![MomentumCondition::Given(vec![0.0; 6])];
    plan.end.state = end.clone();
    plan.avoidance = Some(Avoidance { margin, pairs: None });
    let points = vec![Waypoint { at: 0.5, state: over }, Waypoint { at: 1.0, state: end }];
    (plan, Guess::Waypoints(points))
}

fn solved(plan: &Plan, guess: &Guess) -> PlanSolution {
    let found = solve(plan, guess, &Options::default(), &mut |_| CallbackAction::Continue).unwrap();
    println!(
        "{:?}: J {:.6e} (guess {:.3e}), clearance {:.3e} {:.3e}, {} rounds, {} iterations",
        found.outcome,
        found.objective,
        found.objective_guess,
        found.clearance,
        found.clearance_between,
        found.rounds,
        found.iterations
    );
    found
}

#[test]
fn a_cube_passes_a_block() {
    let (plan, guess) = around(30, 0.01);
    let found = solved(&plan, &guess);
    assert_eq!(found.outcome, Outcome::Optimal);
    assert!(found.clearance > 0.01 - 1e-8);
    assert!(found.clearance_between > 0.0);
}
