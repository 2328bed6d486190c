//! Dissipative collisions: Pekarek's four models against the textbook, in space and in the plane.

use crate::common::*;

const RADIUS: f64 = 0.1;

/// A ball thrown at the floor, without gravity.
fn thrown(velocity: Vec3, spin: Vec3, restitution: f64, friction: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.body(floor(), Pose::identity());
    let ball = sphere("ball", RADIUS, 1000.0);
    free_body(&mut builder, ball, Vec3::new(0.0, 0.0, 0.5), velocity, spin);
    builder.contact(surface(restitution, friction));
    builder.build().unwrap()
}

fn dissipative((model, state): (Model, State), h: f64, loss: CollisionModel) -> Simulation {
    let options = ContactOptions { loss, ..ContactOptions::default() };
    let contacts = model.contacts.clone().unwrap();
    let scheme = Exact::new(&model, contacts, &state, &options, Some(loss)).unwrap();
    Simulation::new(model, state, Box::new(scheme), h).unwrap()
}

/// The twist after one impact.
fn after(scene: (Model, State), loss: CollisionModel) -> (Vec6, Simulation) {
    let mut run = dissipative(scene, 0.01, loss);
    assert_eq!(impacts(&mut run, 100).len(), 1);
    let extremes = run.ledger().extremes();
    assert!(extremes.energy_error < 1e-13 * extremes.energy_scale(), "sources account for the energy");
    let (p, l) = (extremes.linear_error, extremes.angular_error);
    assert!(p < 1e-13 && l < 1e-13, "{p:e} {l:e}");
    (run.ledger().twists()[0], run)
}

#[test]
fn a_ball_bounces_slides_or_sticks_as_in_textbooks() {
    let (v, e) = (Vec3::new(1.0, 0.5, -2.0), 0.5);
    let (elastic, _) = after(thrown(v, Vec3::zeros(), e, 0.3), CollisionModel::Elastic);
    assert!((linear(&elastic) - Vec3::new(1.0, 0.5, 2.0)).norm() < 1e-14, "whatever the surfaces say");

    let (smooth, run) = after(thrown(v, Vec3::zeros(), e, 0.3), CollisionModel::Frictionless);
    assert!((linear(&smooth) - Vec3::new(1.0, 0.5, 1.0)).norm() < 1e-14);
    let mass = run.model().links[0].mass;
    let lost = run.ledger().source("contact").unwrap().energy;
    assert!((lost + 0.5 * mass * 0.75 * 4.0).abs() < 1e-13 * mass, "restitution takes (1 - e²) of it");

    // Sliding: the tangential impulse is mu (1+e) |v_n| against the motion.
    let mu = 0.05;
    let (slid, run) = after(thrown(v, Vec3::zeros(), e, mu), CollisionModel::Frictional);
    let along = Vec3::new(1.0, 0.5, 0.0);
    let direction = along.normalize();
    let change = mu * 1.5 * 2.0;
    assert!((linear(&slid) - (along - direction * change + Vec3::z())).norm() < 1e-13);
    let spin = Vec3::z().cross(&direction) * (2.5 * change / RADIUS);
    assert!((angular(&slid) - spin).norm() < 1e-12, "{} {spin}", angular(&slid));
    assert!(run.ledger().source("friction").unwrap().energy < 0.0);

    // Sticking: the point of contact stops, a ball keeps 5/7 of its speed.
    let (stuck, _) = after(thrown(v, Vec3::zeros(), e, 2.0), CollisionModel::Frictional);
    assert!((linear(&stuck) - (along * (5.0 / 7.0) + Vec3::z())).norm() < 1e-13);
    let point = linear(&stuck) + angular(&stuck).cross(&Vec3::new(0.0, 0.0, -RADIUS));
    assert!(point.xy().norm() < 1e-13);

    // Plastic: it stops altogether.
    let (stopped, _) = after(thrown(v, Vec3::new(0.0, 3.0, 1.0), e, 0.1), CollisionModel::Plastic);
    let point = linear(&stopped) + angular(&stopped).cross(&Vec3::new(0.0, 0.0, -RADIUS));
    assert!(point.norm() < 1e-13, "{point}");
    assert!((angular(&stopped).z - 1.0).abs() < 1e-14, "a smooth ball drills on");
}

#[test]
fn a_ball_under_an_external_force_bounces_on_its_parabola() {
    // F± of a constant push: the midpoint rule follows the parabola exactly, through every impact node.
    let mut builder = level(0.5, 0.0);
    let ball = sphere("ball", RADIUS, 1000.0);
    let mass = ball.mass;
    let id = builder.body(ball, Pose::at(Vec3::new(0.0, 0.0, 0.5)));
    let push = Vec3::new(3.0, -1.0, 2.0);
    let given = Some(Given::constant(push, Axes::World));
    let load = Load { anchor: on(id.0, Vec3::zeros()), force: given, torque: None };
    builder.force(force("push", ForceLaw::Load(load)));
    let mut run = dissipative(builder.build().unwrap(), 0.01, CollisionModel::Frictionless);
    let times: Vec<f64> = impacts(&mut run, 80).iter().map(|impact| impact.time).collect();
    let pull = 9.81 - push.z / mass;
    let fall = (2.0 * 0.4 / pull).sqrt();
    let (first, second) = (fall, 2.0 * fall);
    assert!((times[0] - first).abs() < 1e-12 && (times[1] - second).abs() < 1e-12, "{times:?}");
    let t = run.state().time;
    let x = run.state().positions[0];
    assert!((x.xy() - push.xy() * (0.5 * t * t / mass)).norm() < 1e-12, "{x}");
    assert!(run.ledger().extremes().energy_error < 1e-12, "the work of the push is in the ledger");
}

/// A planar body above a half-plane, in the xy-plane with gravity along -y.
fn planar(shape: PlanarShape, e: f64, mu: f64) -> (Model, State) {
    let mut builder = ground(e, mu);
    let id = flat(&mut builder, "body", shape, (2.0, 0.03), 0.3, Vec2::y());
    builder.velocity(id, Vec3::new(3.0, 0.0, 0.0), Vec3::z());
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
        let mut run = dissipative(planar(shape, 0.4, 0.0), 0.01, CollisionModel::Elastic);
        let mut met = 0;
        for _ in 0..500 {
            run.step().unwrap();
            met += run.step_record().unwrap().impacts.len();
            let state = run.state();
            assert!(state.positions[0].z.abs() < 1e-12, "it stays in the plane");
        }
        let extremes = run.ledger().extremes();
        let error = extremes.energy_error / extremes.energy_scale();
        assert!(met >= 5 && error < 1e-12, "{name}: {met} {error:e}");
    }
}

#[test]
fn the_exact_scheme_has_restitution_and_friction_of_the_surfaces_as_the_model_frictional() {
    // A wedge that bounces, slides and comes to rest: bitwise the same motion.
    let (model, state) = planar(wedge(), 0.4, 0.3);
    let mut exact = exactly(model.clone(), state.clone(), 1e-3, &ContactOptions::default());
    let mut frictional = dissipative((model, state), 1e-3, CollisionModel::Frictional);
    assert_eq!(exact.scheme(), SchemeKind::Exact);
    for _ in 0..2000 {
        exact.step().unwrap();
        frictional.step().unwrap();
        assert_eq!(exact.state(), frictional.state());
    }
    assert!(motion(&exact, 1).0.norm() < 1e-9, "it rests");
}

#[test]
fn the_corner_of_a_wedge_obeys_the_collision_models() {
    for (loss, mu) in [
        (CollisionModel::Frictionless, 0.0),
        (CollisionModel::Frictional, 0.1),
        (CollisionModel::Frictional, 5.0),
        (CollisionModel::Plastic, 0.0),
    ] {
        let mut run = dissipative(planar(wedge(), 0.5, mu), 1e-3, loss);
        while run.step_record().unwrap().impacts.is_empty() {
            run.step().unwrap();
        }
        let impact = run.step_record().unwrap().impacts[0];
        // The velocity of the corner at the end of the impact step, without the gravity since the impact.
        let since = run.state().time - impact.time;
        let twist = run.ledger().twists()[0];
        let velocity = linear(&twist) + Vec3::new(0.0, 9.81 * since, 0.0);
        let node = run.step_record().unwrap().places[0];
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
        assert!(run.ledger().extremes().energy_error < 1e-12, "sources account for the energy");
    }
}
