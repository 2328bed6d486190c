//! Shooting problems whose body returns to its start: a circle and an ellipse over a floor beside a wall, without friction.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use percussion_control::plan::{BodyPoint, Measure};
use percussion_control::shooting::{Outcome, ShootingProblem, ShootingSolution, Target, Unknown};
use percussion_geometry::shapes::{Circle, Ellipse, HalfPlane, PlanarShape};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};
use percussion_mechanics::contact::ContactSpec;
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::{Body, JointKind, JointSpec, Model, ModelBuilder, State};
use percussion_solve::nlp::CallbackAction;

/// A planar body in the xy plane, weight along -y, a floor y = 0 and a wall x = 0.
fn court(shape: PlanarShape, velocity: Vec3, spin: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, -9.81, 0.0));
    let inertia = Mat3::from_diagonal(&Vec3::new(0.01, 0.01, 0.02));
    let body = Body::rigid("ball", 1.0, Vec3::zeros(), &inertia).unwrap();
    let at = Pose::at(Vec3::new(1.0, 1.0, 0.0));
    let ball = builder.body(body.with_outline(shape, PlanarPose::identity()), at);
    builder.joint(JointSpec::at("plane", JointKind::Planar, None, (ball, &at), &at));
    builder.velocity(ball, velocity, Vec3::new(0.0, 0.0, spin));
    let half = |normal: Vec2| PlanarShape::HalfPlane(HalfPlane::new(normal, 0.0).unwrap());
    builder
        .body(Body::fixed("floor").with_outline(half(Vec2::y()), PlanarPose::identity()), Pose::identity());
    builder.body(Body::fixed("wall").with_outline(half(Vec2::x()), PlanarPose::identity()), Pose::identity());
    builder.contact(ContactSpec::default());
    builder.build().unwrap()
}

/// Direction of the velocity at the end, rad.
const HEADING: f64 = 1.0;

/// Back at (1, 1) with a heading, by choice of the two velocities and the time.
fn back(model: &Model, state: &State) -> ShootingSolution {
    let centre = Measure::Point { of: BodyPoint { body: Some(0), components: Vec3::zeros() }, from: None };
    let problem = ShootingProblem {
        model,
        start: state,
        scheme: SchemeKind::Exact,
        options: SchemeOptions::default(),
        steps: 60,
        time: 1.1,
        unknowns: vec![Unknown::Rate(vec![(0, 1.0)]), Unknown::Rate(vec![(1, 1.0)]), Unknown::Time],
        targets: vec![
            Target::Measure(centre, vec![Some(1.0), Some(1.0), None]),
            Target::Heading { body: 0, axes: (0, 1), angle: HEADING },
        ],
        impacts: Some(2),
        iterations: 60,
    };
    let hit = problem.solve(&mut |_| CallbackAction::Continue).unwrap();
    assert_eq!(hit.outcome, Outcome::Converged);
    println!("{:?} in {} s, {} impacts, residuals {:?}", hit.unknowns, hit.time, hit.impacts, hit.residuals);
    assert_eq!(hit.impacts, 2);
    assert!(hit.residuals.last().unwrap() < &1e-10);
    hit
}

/// A circle without friction keeps its spin: its centre is a point over shifted walls, mirrored at each. With one bounce off the floor
/// and one off the wall the flight has a closed form.
#[test]
fn a_circle_returns_as_in_the_closed_form() {
    let radius = 0.1;
    let circle = PlanarShape::Circle(Circle::new(radius).unwrap());
    let (model, state) = court(circle, Vec3::new(-2.0, 0.5, 0.0), 1.0);
    let hit = back(&model, &state);
    // Across: to the wall and back, 2 (1 - r) at constant speed.
    let speed = hit.unknowns[0].abs();
    assert!((speed * hit.time - 2.0 * (1.0 - radius)).abs() < 1e-9);
    // Up and down: the speed at a height is the same before and after the bounce, so it comes up as fast as it began.
    let up = hit.unknowns[1];
    let rises = speed * HEADING.tan();
    // Either it began downwards as fast as it comes up, or upwards.
    assert!((up.abs() - rises).abs() < 1e-4, "{up} {rises}");
}

#[test]
fn an_ellipse_comes_back() {
    let ellipse = PlanarShape::Ellipse(Ellipse::new(Vec2::new(0.15, 0.1)).unwrap());
    let (model, state) = court(ellipse, Vec3::new(-1.7, 2.6, 0.0), 0.05);
    let hit = back(&model, &state);
    let centre = hit.end.positions[0];
    assert!((centre - Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-9);
    // Energy came back with it: no friction, no loss.
    let energy = |s: &State| {
        let t = &model.twists(s)[0];
        0.5 * (t[0] * t[0] + t[1] * t[1]) + 0.5 * 0.02 * t[5] * t[5] + 9.81 * s.positions[0].y
    };
    assert!((energy(&hit.start) - energy(&hit.end)).abs() < 1e-3 * energy(&hit.start));
}
