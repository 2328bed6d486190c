//! Contacts that last, under the exact scheme: rest, stick, slide, tip and roll against closed forms, with their orders.

use crate::common::*;
use percussion_geometry::shapes::Cylinder;
use std::f64::consts::FRAC_PI_2;

/// A simulation by the exact scheme.
fn persistent(builder: ModelBuilder, h: f64) -> Simulation {
    let (model, state) = builder.build().unwrap();
    exactly(model, state, h, &ContactOptions::default())
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
    let (observed, points) = measured_order(&[1e-2, 5e-3, 2.5e-3, 1.25e-3], |h| {
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

/// The disc rolls steadily with its axis `k` at the angle `theta` to the vertical while it precesses at `rate`: its spin `ω·k` follows from
/// the balance of angular momentum, `dL/dt = r × F` with `F = m (dv/dt + g)`, all vectors turning with the precession.
fn steady_spin(radius: f64, half_height: f64, theta: f64, rate: f64) -> f64 {
    let axial = 0.5 * radius * radius;
    let diametral = (3.0 * radius * radius + 4.0 * half_height * half_height) / 12.0;
    let (k, d) = (Vec3::new(theta.sin(), 0.0, theta.cos()), Vec3::new(theta.cos(), 0.0, -theta.sin()));
    let arm = d * radius - k * half_height;
    let precession = Vec3::z() * rate;
    let residual = |spin: f64| {
        let omega = k * spin - d * (rate * theta.sin());
        let momentum = k * (axial * spin) - d * (diametral * rate * theta.sin());
        let force = precession.cross(&-omega.cross(&arm)) + Vec3::z() * G;
        (precession.cross(&momentum) - arm.cross(&force)).y
    };
    // Linear in the spin.
    let (zero, one) = (residual(0.0), residual(1.0));
    zero / (zero - one)
}

#[test]
fn a_tilted_disc_rolls_steadily_at_second_order() {
    let (radius, half_height, theta, rate, t): (f64, f64, f64, f64, f64) = (0.1, 0.005, 1.0, -8.0, 0.5);
    let spin = steady_spin(radius, half_height, theta, rate);
    let (k, d) = (Vec3::new(theta.sin(), 0.0, theta.cos()), Vec3::new(theta.cos(), 0.0, -theta.sin()));
    let arm = d * radius - k * half_height;
    let omega = k * spin - d * (rate * theta.sin());
    let (observed, points) = measured_order(&[4e-3, 2e-3, 1e-3, 5e-4], |h| {
        let mut builder = level(0.0, 1.0);
        let solid = Solid::Cylinder(Cylinder::new(half_height, radius).unwrap());
        let tilted = Rotation3::from_axis_angle(&Vec3::y_axis(), theta);
        let id =
            builder.body(solid_body("disc", solid, 1000.0), Pose::new(tilted, Vec3::new(0.0, 0.0, -arm.z)));
        builder.velocity(id, -omega.cross(&arm), omega);
        let mut sim = persistent(builder, h);
        while sim.state().time < t - 0.5 * h {
            sim.step().unwrap();
            assert!(deepest(sim.model(), sim.state()) < 1e-12);
        }
        let axis = sim.model().pose(sim.state(), 1).rotation * Vec3::z();
        let expected = Rotation3::from_axis_angle(&Vec3::z_axis(), rate * t) * k;
        (axis - expected).norm()
    });
    println!("{points:?} {observed}");
    assert!(observed > 1.9, "{observed}: {points:?}");
}

#[test]
fn an_arm_pressed_against_a_ramp_follows_its_constraint_at_second_order() {
    // A block on a prismatic joint along x at the height H, a rod of length L hinged to it about y, its end a ball on a ramp that rises
    // with x. Without friction there is one degree of freedom s; M(s) s'' + M'(s) s'²/2 + V'(s) = 0 by Runge-Kutta.
    let (height, length, radius, slope, t): (f64, f64, f64, f64, f64) = (0.5, 0.8, 0.05, 0.3, 0.32);
    let (block, rod) = (2.0, 1.0);
    let normal = Vec3::new(-slope.sin(), 0.0, slope.cos());
    // The end of the rod, at the angle a from straight down: (s + L sin a, H - L cos a), a radius above the ramp through the origin.
    let above =
        |s: f64, a: f64| normal.x * (s + length * a.sin()) + normal.z * (height - length * a.cos()) - radius;
    let angle = |s: f64| {
        let (mut low, mut high) = (0.0, 1.5);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if above(s, middle) < 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    // a'(s) from the constraint; the rod is thin: m L²/12 about its centre.
    let rate = |_: f64, a: f64| -normal.x / (length * (normal.x * a.cos() + normal.z * a.sin()));
    let inertia = |s: f64| {
        let a = angle(s);
        let w = rate(s, a);
        let (x, z) = (1.0 + 0.5 * length * a.cos() * w, 0.5 * length * a.sin() * w);
        block + rod * (x * x + z * z) + rod * length * length / 12.0 * w * w
    };
    let potential = |s: f64| -rod * G * 0.5 * length * angle(s).cos();
    let slope_of = |f: &dyn Fn(f64) -> f64, s: f64| (f(s + 1e-4) - f(s - 1e-4)) / 2e-4;
    let acceleration =
        |s: f64, v: f64| -(0.5 * slope_of(&inertia, s) * v * v + slope_of(&potential, s)) / inertia(s);
    let (start, speed) = (0.3, 0.3);
    let (mut s, mut v) = (start, speed);
    let steps = 3000;
    let k = t / f64::from(steps);
    for _ in 0..steps {
        let (a1, b1) = (v, acceleration(s, v));
        let (a2, b2) = (v + 0.5 * k * b1, acceleration(s + 0.5 * k * a1, v + 0.5 * k * b1));
        let (a3, b3) = (v + 0.5 * k * b2, acceleration(s + 0.5 * k * a2, v + 0.5 * k * b2));
        let (a4, b4) = (v + k * b3, acceleration(s + k * a3, v + k * b3));
        s += k / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        v += k / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4);
    }
    let (observed, points) = measured_order(&[8e-3, 4e-3, 2e-3, 1e-3], |h| {
        let mut builder = falling();
        builder.body(half_space("ramp", normal, 0.0), Pose::identity());
        builder.contact(surface(0.0, 0.0));
        let body = |name: &str, mass: f64, moments: Vec3| {
            Body::rigid(name, mass, Vec3::zeros(), &Matrix3::from_diagonal(&moments)).unwrap()
        };
        let hinge = Vec3::new(start, 0.0, height);
        let slider = builder.body(body("block", block, Vec3::repeat(0.01)), Pose::at(hinge));
        let across = rod * length * length / 12.0;
        let ball = Solid::Sphere(Sphere::new(radius).unwrap());
        let arm = body("rod", rod, Vec3::new(across, across, 1e-4))
            .with_shape(ball, Pose::at(Vec3::new(0.0, 0.0, -0.5 * length)));
        let a = angle(start);
        let lean = Rotation3::from_axis_angle(&Vec3::y_axis(), -a);
        let arm = builder.body(arm, Pose::new(lean, hinge + lean * Vec3::new(0.0, 0.0, -0.5 * length)));
        let along_x = Pose::new(Rotation3::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2), hinge);
        let rail = builder.joint(builder.joint_at("rail", JointKind::Prismatic, None, slider, &along_x));
        let about_y = Pose::new(Rotation3::from_axis_angle(&Vec3::x_axis(), -FRAC_PI_2), hinge);
        let hinge =
            builder.joint(builder.joint_at("hinge", JointKind::Revolute, Some(slider), arm, &about_y));
        builder.rates(rail, &[speed]);
        builder.rates(hinge, &[-speed * rate(start, a)]);
        let mut sim = persistent(builder, h);
        while sim.state().time < t - 0.5 * h {
            sim.step().unwrap();
            assert!(deepest(sim.model(), sim.state()) < 1e-13);
        }
        (sim.state().positions[0].x - s).abs()
    });
    println!("{points:?} {observed}");
    assert!(observed > 1.9, "{observed}: {points:?}");
}
