//! Plans by the names of bodies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{build, cube};
use nalgebra::Rotation3;
use percussion_control::solution::Outcome;
use percussion_control::{BuilderError, PlanBuilder};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::{Body, Model, ModelBuilder, State};
use std::sync::Arc;

/// Control effort of the gallery's plan `cube-wall`.
const GALLERY_OBJECTIVE: f64 = 5.448504062733043e-7;

/// The bodies of the scene `cube-wall`.
fn scene() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let turn = Rotation3::from_scaled_axis(Vec3::new(0.037, 0.2, 0.037));
    let body = builder.body(cube("cube", 0.1), Pose::new(turn, Vec3::new(0.0, 0.10425, 0.0)));
    builder.velocity(body, Vec3::new(0.0, -0.25, 0.0), Vec3::zeros());
    let wall = Solid::Polytope(Polytope::cuboid(0.14, 0.01, 0.14).unwrap());
    let at = Pose::at(Vec3::new(0.0, -0.005, 0.0));
    builder.body(Body::fixed("wall").with_shape(wall, Pose::identity()), at);
    build(builder)
}

fn turn_around(body: &str) -> PlanBuilder {
    let (model, state) = scene();
    PlanBuilder::new(model, state)
        .intervals(30)
        .time(0.75)
        .control_force(body, -0.002..=0.002)
        .control_torque(body, -0.001..=0.001)
        .contact_with(9, body, "wall", |contact| contact.flat())
        .end(|end| {
            let end = end.position(body, [0.0, 0.18325, 0.0]).rotation_vector(body, [0.0; 3]);
            end.velocity(body, [0.0, 0.25, 0.0]).angular_velocity(body, [0.0; 3])
        })
}

#[test]
fn a_plan_by_names_has_the_objective_of_the_gallery() {
    let solution = turn_around("cube").solve().unwrap();
    assert_eq!(solution.outcome, Outcome::Optimal);
    println!("J {:.9e} in {} iterations", solution.objective, solution.iterations);
    assert!((solution.objective / GALLERY_OBJECTIVE - 1.0).abs() < 1e-6, "{:e}", solution.objective);
    let (times, positions) = (solution.times(), solution.positions("cube").unwrap());
    assert!((times[30] - 0.75).abs() < 1e-9 && (positions[30].y - 0.18325).abs() < 1e-12);
    let torques = solution.controls("torque on cube").unwrap();
    assert!(torques.len() == 30 && torques.iter().flat_map(|t| t.iter()).all(|t| t.abs() < 0.001 + 1e-12));
    assert!(solution.controls("torque on sphere").is_none() && solution.positions("sphere").is_none());
}

#[test]
fn errors_name_the_body_and_the_remedy() {
    let error = turn_around("cub").solve().unwrap_err();
    assert_eq!(error.to_string(), "there is no body `cub`; the model has `cube`, `wall`");
    let (model, state) = scene();
    let error = PlanBuilder::new(model.clone(), state.clone()).control_force("wall", -1.0..=1.0).plan();
    assert!(matches!(&error, Err(BuilderError::FixedBody { name, .. }) if name == "wall"));
    assert!(error.unwrap_err().to_string().ends_with("give a body that moves"));
    let error = PlanBuilder::new(model, state).intervals(3).plan().unwrap_err();
    assert!(error.to_string().contains("`.time(1.0)`"), "{error}");
}
