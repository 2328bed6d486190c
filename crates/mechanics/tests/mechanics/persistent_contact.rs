//! Contacts that last, under the dissipative scheme: rest, stick, slide, tip and roll against closed forms, with their orders.

use crate::common::*;

/// A simulation by the dissipative scheme with friction.
fn persistent(builder: ModelBuilder, h: f64) -> Simulation {
    let (model, state) = builder.build().unwrap();
    let contacts = model.contacts.clone().unwrap();
    let scheme =
        Exact::new(&model, contacts, &state, &ContactOptions::default(), Some(CollisionModel::Frictional));
    Simulation::new(model, state, Box::new(scheme.unwrap()), h).unwrap()
}

/// A cube of side 0.2 m on a slope about the y axis, turned about its normal.
fn cube_on_slope(angle: f64, yaw: f64, friction: f64) -> ModelBuilder {
    let mut builder = falling();
    let normal = Vec3::new(angle.sin(), 0.0, angle.cos());
    builder.body(half_space("slope", normal, 0.0), Pose::identity());
    builder.contact(surface(0.0, friction));
    let turned =
        Rotation3::from_axis_angle(&Vec3::y_axis(), angle) * Rotation3::from_axis_angle(&Vec3::z_axis(), yaw);
    builder.body(cube("cube", 0.2), Pose::new(turned, normal * 0.1));
    builder
}

#[test]
fn a_cube_below_the_friction_angle_does_not_creep() {
    let mu: f64 = 0.5;
    for yaw in [0.0, 0.2, 0.785, 1.3] {
        for below in [1e-6, 0.01, 0.2] {
            let mut sim = persistent(cube_on_slope(mu.atan() - below, yaw, mu), 1e-3);
            let start = sim.state().positions[0];
            for _ in 0..2000 {
                sim.step().unwrap();
            }
            let off = (sim.state().positions[0] - start).norm();
            assert!(off < 1e-11, "yaw {yaw}, {below} below: {off:e}");
        }
    }
}

#[test]
fn a_cube_above_the_friction_angle_slides_with_its_acceleration_in_every_direction() {
    let (mu, t) = (0.3f64, 0.5);
    let angle = mu.atan() + 0.1;
    let acceleration = G * (angle.sin() - mu * angle.cos());
    for yaw in [0.0, 0.3, 0.785, 1.2] {
        let mut sim = persistent(cube_on_slope(angle, yaw, mu), 1e-3);
        let start = sim.state().positions[0];
        sim.run_until(t).unwrap();
        let down = Vec3::new(angle.cos(), 0.0, -angle.sin());
        let moved = sim.state().positions[0] - start;
        let expected = down * (0.5 * acceleration * t * t);
        assert!((moved - expected).norm() < 1e-9 * expected.norm(), "yaw {yaw}: {moved} {expected}");
    }
}

/// Errors against a closed form for steps `h`, with the observed order.
fn measured_order(steps: &[f64], mut error: impl FnMut(f64) -> f64) -> (f64, Vec<(f64, f64)>) {
    let points: Vec<(f64, f64)> = steps.iter().map(|&h| (h, error(h))).collect();
    (order(&points), points)
}

#[test]
fn a_ball_that_slips_and_then_rolls_follows_its_closed_form_at_second_order() {
    // v = v0 - μ g t and r ω = 5/2 μ g t until they agree at t = 2 v0/(7 μ g); then it rolls with 5/7 v0.
    let (mu, radius, speed, t): (f64, f64, f64, f64) = (0.2, 0.1, 1.0, 0.5);
    let transition = 2.0 * speed / (7.0 * mu * G);
    let slipped = speed * transition - 0.5 * mu * G * transition * transition;
    let (way, turn) = {
        let rolling = 5.0 / 7.0 * speed;
        let rolled = rolling * (t - transition);
        (slipped + rolled, 0.5 * 2.5 * mu * G * transition * transition / radius + rolled / radius)
    };
    let (observed, points) = measured_order(&[8e-3, 4e-3, 2e-3, 1e-3], |h| {
        let mut builder = level(0.0, mu);
        let start = Vec3::new(0.0, 0.0, radius);
        free_body(
            &mut builder,
            sphere("ball", radius, 1000.0),
            start,
            Vec3::new(speed, 0.0, 0.0),
            Vec3::zeros(),
        );
        let mut sim = persistent(builder, h);
        let mut angle = 0.0;
        let mut last = sim.state().rotations[0];
        while sim.state().time < t - 0.5 * h {
            sim.step().unwrap();
            let now = sim.state().rotations[0];
            angle += Rotation3::from_matrix_unchecked(now * last.transpose()).angle();
            last = now;
        }
        let at = sim.state().positions[0];
        assert!((at.z - radius).abs() < 1e-15, "{at}");
        (at.x - way).abs() + radius * (angle - turn).abs()
    });
    println!("{points:?} {observed}");
    assert!(observed > 1.8, "{observed}: {points:?}");
}

#[test]
fn a_box_tips_about_its_edge_at_second_order() {
    // A pendulum about the edge: θ'' = (3 g/2 d) sin θ for a cube of side a, with d = a/√2 from the edge to the centre:
    // I = 2/3 m a² about the edge.
    let (side, t): (f64, f64) = (0.2, 0.2);
    let arm = side / 2f64.sqrt();
    let rate = 1.5 * G * arm / (side * side);
    let (angle0, rate0): (f64, f64) = (0.05, 1.0);
    let reference = {
        let (mut angle, mut speed) = (angle0, rate0);
        let steps = 20000;
        let h = t / steps as f64;
        for _ in 0..steps {
            // Runge-Kutta of fourth order.
            let f = |angle: f64| rate * angle.sin();
            let (k1, l1) = (speed, f(angle));
            let (k2, l2) = (speed + 0.5 * h * l1, f(angle + 0.5 * h * k1));
            let (k3, l3) = (speed + 0.5 * h * l2, f(angle + 0.5 * h * k2));
            let (k4, l4) = (speed + h * l3, f(angle + h * k3));
            angle += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            speed += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        }
        angle
    };
    let (observed, points) = measured_order(&[8e-3, 4e-3, 2e-3, 1e-3], |h| {
        let mut builder = level(0.0, 0.9);
        // The lower edge at x = 0 along y; the centre above it, leaning by the angle towards +x.
        let lean = Rotation3::from_axis_angle(&Vec3::y_axis(), angle0 - std::f64::consts::FRAC_PI_4);
        let centre = Vec3::new(arm * angle0.sin(), 0.0, arm * angle0.cos());
        let id = builder.body(cube("cube", side), Pose::new(lean, centre));
        let spin = Vec3::new(0.0, rate0, 0.0);
        builder.velocity(id, spin.cross(&centre), spin);
        let mut sim = persistent(builder, h);
        while sim.state().time < t - 0.5 * h {
            sim.step().unwrap();
        }
        let at = sim.state().positions[0];
        let distance = at.norm();
        assert!((distance - arm).abs() < 1e-9, "{h}: the edge has drifted: {:e}", distance - arm);
        (at.x.atan2(at.z) - reference).abs()
    });
    println!("{points:?} {observed}");
    assert!(observed > 1.9, "{observed}: {points:?}");
}

/// Figures of a run: largest penetration relative to the smallest part, largest gain of energy in a step, and what fell back.
#[derive(Debug, Default)]
struct Course {
    deepest: f64,
    gain: f64,
    fallbacks: u64,
    impacts: usize,
}

fn follow(sim: &mut Simulation, until: f64, size: f64) -> Course {
    let mut course = Course::default();
    let mut before = energy(sim);
    while sim.state().time < until - 0.5 * sim.step_size() {
        sim.step().unwrap();
        let now = energy(sim);
        course.gain = course.gain.max(now - before);
        before = now;
        course.deepest = course.deepest.max(deepest(sim.model(), sim.state()) / size);
        let record = sim.step_record().unwrap();
        course.fallbacks += record.fallbacks;
        course.impacts += record.impacts.len();
    }
    course
}

#[test]
fn touching_cubes_settle() {
    for count in [1usize, 2, 3] {
        let mut builder = level(0.0, 0.5);
        for k in 0..count.pow(3) {
            let at = Vec3::new((k % count) as f64, (k / count % count) as f64, (k / count / count) as f64);
            builder.body(cube(&format!("cube{k}"), 0.2), Pose::at((at + Vec3::new(0.0, 0.0, 0.5)) * 0.2));
        }
        let mut sim = persistent(builder, 1e-3);
        let start: Vec<Vec3> = sim.state().positions.clone();
        let clock = std::time::Instant::now();
        let course = follow(&mut sim, 0.02, 0.2);
        let moved = drift(&sim, &start);
        println!("{count}: {course:?} moved {moved:e} {:?}", clock.elapsed());
        assert!(moved < 1e-10 && course.deepest < 1e-10 && course.fallbacks == 0);
    }
}

#[test]
fn rolling_and_spinning_bodies_neither_sink_nor_gain_energy() {
    let shape = |name: &str, solid: Solid| solid_body(name, solid, 1000.0);
    let about_x = |angle: f64| Rotation3::from_axis_angle(&Vec3::x_axis(), angle);
    let cylinder =
        |r: f64, h: f64| Solid::Cylinder(percussion_geometry::shapes::Cylinder::new(r, h).unwrap());
    let cases: Vec<(Body, Pose, Vec3, Vec3, f64)> = vec![
        (
            brick("plate", Vec3::new(0.2, 0.2, 0.01), 1000.0),
            Pose::at(Vec3::new(0.0, 0.0, 0.005)),
            Vec3::zeros(),
            Vec3::new(0.0, 0.0, 20.0),
            0.01,
        ),
        (
            shape("coin", cylinder(0.05, 0.002)),
            Pose::new(about_x(1.4), Vec3::new(0.0, 0.0, 0.0493 + 1e-3)),
            Vec3::zeros(),
            Vec3::new(0.0, 0.0, 12.0),
            0.002,
        ),
        (
            shape("capsule", Solid::Capsule(percussion_geometry::shapes::Capsule::new(0.2, 0.05).unwrap())),
            Pose::new(about_x(std::f64::consts::FRAC_PI_2), Vec3::new(0.0, 0.0, 0.05)),
            Vec3::new(0.5, 0.0, 0.0),
            Vec3::new(0.0, 0.0, 3.0),
            0.05,
        ),
        (
            shape(
                "ellipsoid",
                Solid::Ellipsoid(
                    percussion_geometry::shapes::Ellipsoid::new(Vec3::new(0.1, 0.07, 0.05)).unwrap(),
                ),
            ),
            Pose::at(Vec3::new(0.0, 0.0, 0.05)),
            Vec3::zeros(),
            Vec3::new(0.5, 0.3, 8.0),
            0.05,
        ),
    ];
    for (body, pose, velocity, spin, size) in cases {
        let name = body.name.clone();
        let mut builder = level(0.0, 0.3);
        let id = builder.body(body, pose);
        builder.velocity(id, velocity, spin);
        let mut sim = persistent(builder, 1e-3);
        let clock = std::time::Instant::now();
        let start = energy(&sim);
        let course = follow(&mut sim, 3.0, size);
        println!(
            "{name}: {course:?} energy {start} -> {} at {:?} {:?}",
            energy(&sim),
            sim.state().positions[0],
            clock.elapsed()
        );
        assert!(course.deepest < 1e-6, "{name}: {course:?}");
    }
}
