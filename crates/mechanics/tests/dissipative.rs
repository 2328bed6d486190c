//! Dissipative collisions: Pekarek's four models against the textbook, in space and in the plane.
#![allow(clippy::unwrap_used)]

mod common;

use common::collisions::{floor, solid_body, surfaces};
use percussion_geometry::shapes::{Circle, Ellipse, HalfPlane, PlanarShape, Polygon, Solid, Sphere};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};
use percussion_mechanics::force::{Anchor, Axes, Force, ForceLaw, Given, Load};
use percussion_mechanics::response::{CollisionModel, ContactOptions};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::schemes::Exact;
use percussion_mechanics::spatial::{Vec6, angular, linear};
use percussion_mechanics::{Body, JointKind, JointSpec, Model, ModelBuilder, Simulation, State};

const RADIUS: f64 = 0.1;

/// A ball thrown at the floor, without gravity.
fn thrown(velocity: Vec3, spin: Vec3, restitution: f64, friction: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.body(floor(), Pose::identity());
    let ball = solid_body("ball", Solid::Sphere(Sphere::new(RADIUS).unwrap()), 1000.0);
    let id = builder.body(ball, Pose::at(Vec3::new(0.0, 0.0, 0.5)));
    builder.velocity(id, velocity, spin);
    builder.contact(surfaces(restitution, friction));
    builder.build().unwrap()
}

fn dissipative(model: Model, state: State, h: f64, loss: CollisionModel) -> Simulation {
    let options = ContactOptions { loss, ..ContactOptions::default() };
    let contacts = model.contacts.clone().unwrap();
    let scheme = Exact::new(&model, contacts, &state, &options, Some(loss)).unwrap();
    Simulation::new(model, state, Box::new(scheme), h).unwrap()
}

/// The twist after one impact.
fn after(model: Model, state: State, loss: CollisionModel) -> (Vec6, Simulation) {
    let mut run = dissipative(model, state, 0.01, loss);
    let mut met = 0;
    for _ in 0..100 {
        run.advance().unwrap();
        met += run.transcript().unwrap().impacts.len();
    }
    assert_eq!(met, 1);
    let extremes = run.ledger().extremes();
    assert!(extremes.energy_error < 1e-13 * extremes.energy_scale(), "causes explain the energy");
    let (p, l) = (extremes.linear_error, extremes.angular_error);
    assert!(p < 1e-13 && l < 1e-13, "{p:e} {l:e}");
    (run.ledger().twists()[0], run)
}

#[test]
fn a_ball_bounces_slides_or_sticks_as_in_the_textbook() {
    let (v, e) = (Vec3::new(1.0, 0.5, -2.0), 0.5);
    let (elastic, _) = after(
        thrown(v, Vec3::zeros(), e, 0.3).0,
        thrown(v, Vec3::zeros(), e, 0.3).1,
        CollisionModel::Elastic,
    );
    assert!((linear(&elastic) - Vec3::new(1.0, 0.5, 2.0)).norm() < 1e-14, "whatever the surfaces say");

    let (model, state) = thrown(v, Vec3::zeros(), e, 0.3);
    let (smooth, run) = after(model, state, CollisionModel::Frictionless);
    assert!((linear(&smooth) - Vec3::new(1.0, 0.5, 1.0)).norm() < 1e-14);
    let mass = run.model().links[0].mass;
    let lost = run.ledger().source("contact").unwrap().energy;
    assert!((lost + 0.5 * mass * 0.75 * 4.0).abs() < 1e-13 * mass, "restitution takes (1 - e²) of it");

    // Sliding: the tangential impulse is mu (1+e) |v_n| against the motion.
    let mu = 0.05;
    let (model, state) = thrown(v, Vec3::zeros(), e, mu);
    let (slid, run) = after(model, state, CollisionModel::Frictional);
    let along = Vec3::new(1.0, 0.5, 0.0);
    let direction = along.normalize();
    let change = mu * 1.5 * 2.0;
    assert!((linear(&slid) - (along - direction * change + Vec3::z())).norm() < 1e-13);
    let spin = Vec3::z().cross(&direction) * (2.5 * change / RADIUS);
    assert!((angular(&slid) - spin).norm() < 1e-12, "{} {spin}", angular(&slid));
    assert!(run.ledger().source("friction").unwrap().energy < 0.0);

    // Sticking: the point of contact stops, a ball keeps 5/7 of its speed.
    let (model, state) = thrown(v, Vec3::zeros(), e, 2.0);
    let (stuck, _) = after(model, state, CollisionModel::Frictional);
    assert!((linear(&stuck) - (along * (5.0 / 7.0) + Vec3::z())).norm() < 1e-13);
    let point = linear(&stuck) + angular(&stuck).cross(&Vec3::new(0.0, 0.0, -RADIUS));
    assert!(point.xy().norm() < 1e-13);

    // Plastic: it stops altogether.
    let (model, state) = thrown(v, Vec3::new(0.0, 3.0, 1.0), e, 0.1);
    let (stopped, _) = after(model, state, CollisionModel::Plastic);
    let point = linear(&stopped) + angular(&stopped).cross(&Vec3::new(0.0, 0.0, -RADIUS));
    assert!(point.norm() < 1e-13, "{point}");
    assert!((angular(&stopped).z - 1.0).abs() < 1e-14, "a smooth ball drills on");
}

#[test]
fn a_ball_under_an_outer_force_bounces_on_its_parabola() {
    // F± of a constant push: the midpoint rule follows the parabola exactly, through every impact node.
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    builder.body(floor(), Pose::identity());
    let ball = solid_body("ball", Solid::Sphere(Sphere::new(RADIUS).unwrap()), 1000.0);
    let mass = ball.mass;
    let id = builder.body(ball, Pose::at(Vec3::new(0.0, 0.0, 0.5)));
    let push = Vec3::new(3.0, -1.0, 2.0);
    builder.force(Force {
        name: "push".to_owned(),
        law: ForceLaw::Load(Load {
            anchor: Anchor { body: Some(id.0), arm: Vec3::zeros() },
            force: Some(Given::constant(push, Axes::World)),
            torque: None,
        }),
    });
    builder.contact(surfaces(0.5, 0.0));
    let (model, state) = builder.build().unwrap();
    let mut run = dissipative(model, state, 0.01, CollisionModel::Frictionless);
    let mut times = Vec::new();
    for _ in 0..80 {
        run.advance().unwrap();
        times.extend(run.transcript().unwrap().impacts.iter().map(|impact| impact.time));
    }
    let pull = 9.81 - push.z / mass;
    let fall = (2.0 * 0.4 / pull).sqrt();
    let (first, second) = (fall, 2.0 * fall);
    assert!((times[0] - first).abs() < 1e-12 && (times[1] - second).abs() < 1e-12, "{times:?}");
    let t = run.state().time;
    let x = run.state().positions[0];
    assert!((x.xy() - push.xy() * (0.5 * t * t / mass)).norm() < 1e-12, "{x}");
    assert!(run.ledger().extremes().energy_error < 1e-12, "the work of the push is booked");
}

/// A planar body above a half-plane, in the xy-plane with gravity along -y.
fn planar(shape: PlanarShape, mass: f64, moment: f64, angle: f64, e: f64, mu: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, -9.81, 0.0));
    let ground = PlanarShape::HalfPlane(HalfPlane::new(Vec2::y(), 0.0).unwrap());
    builder.body(Body::fixed("floor").with_outline(ground, PlanarPose::identity()), Pose::identity());
    let inertia = Mat3::from_diagonal(&Vec3::new(0.5 * moment, 0.5 * moment, moment));
    let body = Body::rigid("body", mass, Vec3::zeros(), &inertia).unwrap();
    let body = body.with_outline(shape, PlanarPose::identity());
    let turn = nalgebra::Rotation3::from_scaled_axis(Vec3::new(0.0, 0.0, angle));
    let pose = Pose::new(turn, Vec3::new(0.0, 1.0, 0.0));
    let id = builder.body(body, pose);
    builder.velocity(id, Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
    builder.joint(JointSpec::at("plane", JointKind::Planar, None, (id, &pose), &Pose::identity()));
    builder.contact(surfaces(e, mu));
    builder.build().unwrap()
}

fn wedge() -> PlanarShape {
    let corners = [Vec2::new(-0.1, -0.1), Vec2::new(0.3, -0.1), Vec2::new(-0.2, 0.2)];
    PlanarShape::Polygon(Polygon::from_vertices(&corners).unwrap())
}

#[test]
fn planar_circles_ellipses_and_wedges_bounce_without_loss() {
    let shapes = [
        ("circle", PlanarShape::Circle(Circle::new(0.2).unwrap())),
        ("ellipse", PlanarShape::Ellipse(Ellipse::new(Vec2::new(0.3, 0.15)).unwrap())),
        ("wedge", wedge()),
    ];
    for (name, shape) in shapes {
        let (model, state) = planar(shape, 2.0, 0.03, 0.3, 0.4, 0.0);
        let mut run = dissipative(model, state, 0.01, CollisionModel::Elastic);
        let mut met = 0;
        for _ in 0..500 {
            run.advance().unwrap();
            met += run.transcript().unwrap().impacts.len();
            let state = run.state();
            assert!(state.positions[0].z.abs() < 1e-12, "it stays in the plane");
        }
        let extremes = run.ledger().extremes();
        let error = extremes.energy_error / extremes.energy_scale();
        println!("{name}: {met} impacts, energy {error:.1e}");
        assert!(met >= 5 && error < 1e-12, "{name}: {met} {error:e}");
    }
}

#[test]
fn the_corner_of_a_wedge_obeys_the_models() {
    for (loss, mu) in [
        (CollisionModel::Frictionless, 0.0),
        (CollisionModel::Frictional, 0.1),
        (CollisionModel::Frictional, 5.0),
        (CollisionModel::Plastic, 0.0),
    ] {
        let (model, state) = planar(wedge(), 2.0, 0.03, 0.3, 0.5, mu);
        let mut run = dissipative(model, state, 1e-3, loss);
        while run.transcript().unwrap().impacts.is_empty() {
            run.advance().unwrap();
        }
        let impact = run.transcript().unwrap().impacts[0];
        // The velocity of the corner at the end of the impact step, freed of what gravity did since.
        let since = run.state().time - impact.time;
        let twist = run.ledger().twists()[0];
        let velocity = linear(&twist) + Vec3::new(0.0, 9.81 * since, 0.0);
        let node = run.transcript().unwrap().places[0];
        let corner = velocity + angular(&twist).cross(&(impact.point - node.position));
        let (normal, across) = (corner.y, corner.x);
        match loss {
            CollisionModel::Plastic => assert!(corner.norm() < 1e-12, "{corner}"),
            _ => assert!((normal + 0.5 * impact.speed.0).abs() < 1e-12, "{normal}"),
        }
        let ratio = impact.impulse.x.abs() / impact.impulse.y;
        match mu {
            5.0 => assert!(across.abs() < 1e-12 && ratio < 5.0, "sticks: {across}"),
            0.1 => assert!((ratio - 0.1).abs() < 1e-12 && across * impact.impulse.x < 0.0, "slides: {ratio}"),
            _ => {}
        }
        assert!(run.ledger().extremes().energy_error < 1e-12, "causes explain the energy");
    }
}
