//! Joints against their stops, compared with an independent event-driven integration and with closed forms, in every scheme that enforces
//! limits.

use crate::common::slider::{Slider, simulate, slider};
use crate::common::*;
use percussion_mechanics::Simulation;
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::table::Table;

/// Schemes that enforce limits.
fn schemes() -> impl Iterator<Item = SchemeKind> {
    SchemeKind::with(|capable| capable.joint_limits)
}

/// Schemes with impacts at their instants.
fn is_located(kind: SchemeKind) -> bool {
    matches!(kind, SchemeKind::Exact | SchemeKind::Dissipative)
}

/// Length, mass and moment of inertia about the hinge of the pendulum.
const ARM: f64 = 0.5;
const MASS: f64 = 2.0;
const INERTIA: f64 = 0.1 + MASS * ARM * ARM;
const GRAVITY: f64 = 9.81;

/// A pendulum on a hinge about y from an angle, at rest, with stops. Gravity pulls its angle to -π/2.
fn pendulum(angle: f64, limits: Limits) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::z() * -GRAVITY);
    let body = Body::rigid("arm", MASS, Vec3::x() * ARM, &(Mat3::identity() * 0.1)).unwrap();
    let turned = Rotation3::from_axis_angle(&Vec3::y_axis(), -angle);
    let body = builder.body(body, Pose::new(turned, Vec3::zeros()));
    // The hinge turns about -y: its angle grows upwards. Its frame lies along the arm on the side of the body.
    let hinge = |arm: Rotation3<f64>| {
        let x = arm * Vec3::x();
        let z = -Vec3::y();
        Rotation3::from_matrix_unchecked(Mat3::from_columns(&[x, z.cross(&x), z]))
    };
    let mut spec = builder.joint_at("hinge", JointKind::Revolute, None, body, &Pose::identity());
    spec.parent_frame = Pose::new(hinge(Rotation3::identity()), Vec3::zeros());
    spec.child_frame = Pose::new(hinge(Rotation3::identity()), Vec3::zeros());
    spec.limits[0] = Some(limits);
    builder.joint(spec);
    builder
}

/// Angle and rate of the pendulum at a time, by Runge-Kutta's method in small steps with events located by bisection.
fn reference(mut angle: f64, limits: Limits, end: f64) -> (f64, f64, Vec<f64>) {
    let acceleration = |a: f64| -MASS * GRAVITY * ARM * a.cos() / INERTIA;
    let step = |(a, w): (f64, f64), h: f64| {
        let (k1, l1) = (w, acceleration(a));
        let (k2, l2) = (w + 0.5 * h * l1, acceleration(a + 0.5 * h * k1));
        let (k3, l3) = (w + 0.5 * h * l2, acceleration(a + 0.5 * h * k2));
        let (k4, l4) = (w + h * l3, acceleration(a + h * k3));
        (a + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), w + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4))
    };
    let (mut t, mut rate, mut hits) = (0.0, 0.0, Vec::new());
    while t < end {
        let h = f64::min(1e-4, end - t);
        let next = step((angle, rate), h);
        if next.0 >= limits.lower {
            (angle, rate) = next;
            t += h;
            continue;
        }
        let (mut low, mut high) = (0.0, h);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if step((angle, rate), middle).0 >= limits.lower { low = middle } else { high = middle }
        }
        let (_, at) = step((angle, rate), low);
        t += low;
        hits.push(t);
        (angle, rate) = (limits.lower, -limits.restitution * at);
        if rate < 1e-9 {
            return (limits.lower, 0.0, hits);
        }
    }
    (angle, rate, hits)
}

fn angle(simulation: &Simulation) -> f64 {
    simulation.state().coordinates[0]
}

fn rate(simulation: &Simulation) -> f64 {
    -simulation.body("arm").unwrap().angular_velocity().y
}

#[test]
fn a_pendulum_rebounds_from_its_stop_as_the_event_driven_integration_says() {
    for restitution in [1.0, 0.5] {
        let limits = Limits { lower: -0.4, upper: 1.5, restitution };
        // After the first rebound, between events.
        let end = 0.55;
        let (expected, expected_rate, hits) = reference(0.3, limits, end);
        assert_eq!(hits.len(), 1);
        for kind in schemes() {
            let errors = [4e-3, 2e-3, 1e-3].map(|h| {
                let mut simulation = simulate(kind, h, pendulum(0.3, limits));
                simulation.run_until(end).unwrap();
                (angle(&simulation) - expected).abs().max((rate(&simulation) - expected_rate).abs())
            });
            match is_located(kind) {
                true => {
                    let order = (errors[0] / errors[2]).log2() / 2.0;
                    assert!(errors[2] < 1e-5 && order > 1.8, "{kind} {restitution}: {errors:?}");
                }
                false => assert!(errors[2] < 0.02, "{kind} {restitution}: {errors:?}"),
            }
        }
    }
}

#[test]
fn a_pendulum_rests_on_its_stop_and_holds_it() {
    for kind in schemes() {
        let limits = Limits::new(-0.4, 1.5);
        let mut simulation = simulate(kind, 1e-3, pendulum(0.3, limits));
        let mut lowest = 0.0_f64;
        while simulation.state().time < 2.0 {
            simulation.step().unwrap();
            lowest = lowest.min(angle(&simulation) - limits.lower);
        }
        assert!(lowest > -1e-9, "{kind}: {lowest:e}");
        assert!((angle(&simulation) - limits.lower).abs() < 1e-9, "{kind}: {}", angle(&simulation));
        assert!(rate(&simulation).abs() < 1e-9, "{kind}: {:e}", rate(&simulation));
        // All kinetic energy went into the stop.
        let fallen = MASS * GRAVITY * ARM * (0.3_f64.sin() - (-0.4_f64).sin());
        let energy = simulation.ledger().source("joint limits").unwrap().energy;
        let tolerance = if is_located(kind) { 1e-5 } else { 2e-2 };
        assert!((energy + fallen).abs() < tolerance * fallen, "{kind}: {energy} {fallen}");
    }
}

#[test]
fn a_bouncing_joint_comes_to_rest_at_its_stop() {
    for kind in schemes() {
        let limits = Limits { lower: -0.4, upper: 1.5, restitution: 0.5 };
        let mut simulation = simulate(kind, 1e-3, pendulum(0.3, limits));
        simulation.run_until(3.0).unwrap();
        assert!((angle(&simulation) - limits.lower).abs() < 1e-6, "{kind}: {}", angle(&simulation));
        assert!(rate(&simulation).abs() < 1e-6, "{kind}: {:e}", rate(&simulation));
    }
}

#[test]
fn an_elastic_joint_between_two_stops_keeps_its_energy() {
    for kind in schemes().filter(|kind| is_located(*kind)) {
        let limits = Limits { lower: -0.3, upper: 0.5, restitution: 1.0 };
        let mut s = slider(kind, 1e-2, Slider { rate: 1.7, limits: Some(limits), ..Slider::default() }, []);
        s.run_until(10.0).unwrap();
        assert!((s.rate().abs() - 1.7).abs() < 1e-12, "{kind}: {:e}", s.rate().abs() - 1.7);
        // 17 m of travel in a slot of 0.8 m: from 0 up to 0.5, then to and fro.
        let phase = (17.0_f64 - 0.5) % 1.6;
        let expected = if phase < 0.8 { 0.5 - phase } else { -0.3 + phase - 0.8 };
        assert!((s.position() - expected).abs() < 1e-9, "{kind}: {} {expected}", s.position());
    }
}

#[test]
fn the_upper_stop_holds_against_a_load_and_a_motor_and_lets_go() {
    for kind in schemes() {
        let limits = Limits::new(-0.1, 0.2);
        let torque = Table::new(vec![0.0, 1.0, 1.5, 2.0], vec![[5.0], [5.0], [-5.0], [-5.0]]).unwrap();
        let start = Slider { limits: Some(limits), ..Slider::default() };
        let mut s = slider(kind, 1e-3, start, [JointLaw::Motor(torque)]);
        s.run_until(1.0).unwrap();
        assert!((s.position() - 0.2).abs() < 1e-9, "{kind}: {}", s.position());
        s.run_until(1.25).unwrap();
        assert!((s.position() - 0.2).abs() < 1e-9, "{kind}: {}", s.position());
        s.run_until(1.35).unwrap();
        // From 1.25 s on the force falls by 20 N/s: m x = -20 t³/6.
        let expected = 0.2 - 20.0 * 0.1_f64.powi(3) / 6.0;
        let tolerance = if is_located(kind) { 1e-5 } else { 2e-4 };
        assert!((s.position() - expected).abs() < tolerance, "{kind}: {} {expected}", s.position());
        s.run_until(3.0).unwrap();
        assert!((s.position() + 0.1).abs() < 1e-9, "{kind}: {}", s.position());
    }
}

#[test]
fn a_stop_that_is_hit_is_an_event() {
    for kind in schemes() {
        let limits = Limits { lower: -1.0, upper: 0.2, restitution: 0.5 };
        let mut s = slider(kind, 1e-3, Slider { rate: 1.0, limits: Some(limits), ..Slider::default() }, []);
        let mut events = Vec::new();
        while s.state().time < 0.4 {
            s.step().unwrap();
            let record = s.step_record().unwrap();
            events.extend(record.impacts.iter().copied());
        }
        let [event] = events[..] else { panic!("{kind}: {}", events.len()) };
        assert_eq!(event.kind.word(), "joint-limit");
        assert!(
            (event.time - 0.2).abs() < if is_located(kind) { 1e-9 } else { 2e-3 },
            "{kind}: {}",
            event.time
        );
        assert!(
            (event.speed.0 + 1.0).abs() < 1e-9 && (event.speed.1 - 0.5).abs() < 1e-9,
            "{kind}: {event:?}"
        );
        assert!((event.impulse.norm() - 1.5).abs() < 1e-9, "{kind}: {event:?}");
        let energy = s.ledger().source("joint limits").unwrap().energy;
        assert!((energy + 0.375).abs() < 1e-9, "{kind}: {energy}");
    }
}

#[test]
fn a_start_outside_of_the_limits_is_an_error_with_value_and_remedy() {
    let error = pendulum(0.3, Limits::new(-0.4, 0.2)).build().unwrap_err().to_string();
    assert!(error.contains("joint `hinge` starts at 0.3") && error.contains("[-0.4, 0.2]"), "{error}");
    assert!(error.contains("widen the limits"), "{error}");
}

#[test]
fn a_single_body_placed_at_its_joint_to_rounding_is_accepted_in_reduced_and_maximal_coordinates() {
    // A pendulum, whose only length is that of its joint, and a bead at the end of a slanted rail, which has none.
    let pendulum = || {
        let mut builder = ModelBuilder::new();
        let turned = Rotation3::from_axis_angle(&Vec3::y_axis(), 1.5);
        let body = Body::rigid("arm", 1.0, Vec3::zeros(), &(Mat3::identity() * 0.1)).unwrap();
        let down = turned * Vec3::z() * (-0.2 * (1.0 + 2.0 * f64::EPSILON));
        let body = builder.body(body, Pose::new(turned, down));
        let mut spec = builder.joint_at("hinge", JointKind::Revolute, None, body, &Pose::identity());
        let about_y = Rotation3::rotation_between(&Vec3::z(), &Vec3::y()).unwrap();
        spec.parent_frame = Pose::new(about_y, Vec3::zeros());
        spec.child_frame = Pose::new(about_y, Vec3::z() * 0.2);
        builder.joint(spec);
        builder
    };
    let bead = || {
        let mut builder = ModelBuilder::new();
        let along = Rotation3::rotation_between(&Vec3::z(), &Vec3::new(1.0, 0.3, 0.7)).unwrap();
        let mut at = along * Vec3::z() * 0.37;
        at.x *= 1.0 + 4.0 * f64::EPSILON;
        let body = builder.body(Body::particle("bead", 1.0).unwrap(), Pose::at(at));
        let frame = Pose::new(along, Vec3::zeros());
        let mut spec = builder.joint_at("rail", JointKind::Prismatic, None, body, &frame);
        (spec.parent_frame, spec.child_frame) = (frame, Pose::new(along, Vec3::zeros()));
        spec.limits[0] = Some(Limits { lower: -1.0, upper: 0.37, restitution: 0.0 });
        builder.joint(spec);
        builder
    };
    for builder in [&pendulum as &dyn Fn() -> ModelBuilder, &bead] {
        builder().build().unwrap();
        builder().build_open().unwrap();
    }
}

#[test]
fn a_pendulum_between_elastic_stops_keeps_its_energy() {
    // It reaches the stops slowed down or sped up by gravity, several times in a second.
    for kind in schemes().filter(|kind| !kind.capabilities().uses_complementarity()) {
        for (lower, upper) in [(-1.0, 0.5), (-2.2, -0.5)] {
            let limits = Limits { lower, upper, restitution: 1.0 };
            let gain = |h: f64| {
                let mut sim = simulate(kind, h, pendulum(upper - 0.3, limits));
                let total = |sim: &Simulation| {
                    let (kinetic, potential, ..) = totals(sim.model(), sim.state());
                    kinetic + potential
                };
                let start = total(&sim);
                let mut most = 0.0f64;
                while sim.state().time < 10.0 {
                    sim.step().unwrap();
                    most = most.max((total(&sim) - start).abs());
                }
                most
            };
            let gains = [2e-3, 1e-3].map(gain);
            // Of some 10 J, in 10 s.
            assert!(gains[0] < 0.02 && gains[1] < 1e-3, "{kind}, {lower} to {upper}: {gains:?}");
        }
    }
}

#[test]
fn an_elastic_stop_reached_just_after_the_beginning_of_a_step_is_an_impact_in_every_scheme() {
    // Within a ten-thousandth of a step.
    for kind in schemes() {
        for gap in [1e-7, 1e-8, 1e-9, 1e-10] {
            let limits = Limits { lower: -1.0, upper: gap, restitution: 1.0 };
            let start = Slider { rate: 1.0, limits: Some(limits), ..Slider::default() };
            let mut s = slider(kind, 1e-3, start, []);
            s.step().unwrap();
            s.step().unwrap();
            assert!((s.rate() + 1.0).abs() < 1e-9, "{kind}, {gap} m: {}", s.rate());
            assert!(s.position() <= gap + 1e-10, "{kind}, {gap} m: {}", s.position());
        }
    }
}
