//! Driven bodies, and runs that are interrupted, in time stepping with complementarity.

use crate::common::*;
use std::f64::consts::{FRAC_PI_2, TAU};

const FREQUENCY: f64 = 2.0;

/// A table whose top is z = 0, shaken up and down with a greatest acceleration of `part` of gravity, from rest at its lowest point.
fn shaken(part: f64) -> (Motion, ModelBuilder) {
    let pace = TAU * FREQUENCY;
    let amplitude = Vec3::z() * (part * G / (pace * pace));
    let wave = Wave { frequency: FREQUENCY, phase: -FRAC_PI_2 };
    let motion = Motion::shake(amplitude, wave, Window::default()).unwrap();
    let mut builder = above(slab(2.0, 2.0, 0.2).with_motion(motion.clone()), 0.3);
    builder.body(cuboid("box", 0.3, 0.4, 0.5), Pose::at(Vec3::new(0.1, 0.05, 0.25)));
    (motion, builder)
}

/// Greatest distance of the box from where it would lie on the table.
fn greatest_lift(part: f64, h: f64) -> f64 {
    let (motion, builder) = shaken(part);
    let mut sim = stepped(builder, LcpOptions::default(), h);
    let mut worst = 0.0_f64;
    for _ in 0..(2.0_f64 / h).round() as usize {
        sim.step().unwrap();
        let lift = position(&sim, 1).z - 0.25 - motion.shift(sim.state().time).z;
        worst = worst.max(lift.abs());
    }
    worst
}

#[test]
fn a_box_rides_on_a_table_that_is_shaken_by_less_than_gravity() {
    for h in [0.01, 0.005, 0.0025] {
        let lift = greatest_lift(0.9, h);
        // Mean velocities of the table over the step are what the box is pushed with: it rides to what
        // solvers leave, not to h².
        assert!(lift < 1e-10, "{h}: {lift:e}");
    }
}

/// The table falls away when it brakes by more than gravity: first where `part sin = 1` on the way up. The box then flies on freely.
#[test]
fn a_box_leaves_a_table_that_is_shaken_by_more_than_gravity() {
    let part = 1.5_f64;
    let pace = TAU * FREQUENCY;
    let amplitude = part * G / (pace * pace);
    // Height a (sin φ + 1), acceleration -a pace² sin φ.
    let leaves = (1.0 / part).asin();
    let (height, speed) = (amplitude * (leaves.sin() + 1.0), amplitude * pace * leaves.cos());
    let since = (leaves + FRAC_PI_2) / pace;
    let errors = [0.004, 0.002, 0.001].map(|h| {
        let (_, builder) = shaken(part);
        let mut sim = stepped(builder, LcpOptions::default(), h);
        let mut worst = 0.0_f64;
        while sim.state().time < since + 0.1 {
            sim.step().unwrap();
            let t = sim.state().time - since;
            if t > 0.0 {
                let flight_height = height + speed * t - 0.5 * G * t * t;
                worst = worst.max((position(&sim, 1).z - 0.25 - flight_height).abs());
            }
        }
        (h, worst)
    });
    let order = order(&errors);
    println!("{errors:?}: order {order:.3}");
    assert!(errors[2].1 < 1e-3 && order > 0.8, "{errors:?}");
    assert!(greatest_lift(part, 0.004) > 0.02);
}

/// A slab whose top is z = 0, driven, with a box on it.
fn carried(motion: Motion, mu: f64, at: Vec3) -> ModelBuilder {
    let mut builder = above(slab(20.0, 4.0, 0.2).with_motion(motion), mu);
    builder.body(cuboid("box", 0.2, 0.3, 0.1), Pose::at(at + Vec3::z() * 0.05));
    builder
}

/// A conveyor takes a box along with `μ g` until it is as fast, and no faster.
#[test]
fn a_conveyor_takes_a_box_along_as_friction_lets_it() {
    let (mu, speed, h) = (0.3, 1.0, 0.01);
    let rows = vec![[0.0; 3], [0.6 * 4.0 * speed, 0.8 * 4.0 * speed, 0.0]];
    let path = Motion::path(Table::new(vec![0.0, 4.0], rows).unwrap());
    let mut sim = stepped(carried(path, mu, Vec3::new(-3.0, -1.0, 0.0)), sharp(), h);
    for k in 1..=100 {
        sim.step().unwrap();
        let expected = (mu * G * h * f64::from(k)).min(speed);
        let (v, w) = motion(&sim, 1);
        let error = (v - Vec3::new(0.6, 0.8, 0.0) * expected).norm() + w.norm();
        assert!(error < 1e-9, "{k}: {error:e}");
    }
}

/// On a turntable a box stays where `ω² r < μ g`, but for the tangent of every step, and slides off where it is more.
#[test]
fn a_turntable_holds_a_box_as_far_as_friction_holds() {
    let (mu, radius) = (0.3, 0.5);
    let after = |rate: f64, h: f64| {
        let window = Window { ramp: 2.0, ..Window::default() };
        let turn = Motion::turn(Vec3::z(), Vec3::zeros(), rate, window).unwrap();
        let mut sim = stepped(carried(turn, mu, Vec3::x() * radius), LcpOptions::default(), h);
        run(&mut sim, (3.0 / h) as usize);
        position(&sim, 1).xy().norm()
    };
    let critical = (mu * G / radius).sqrt();
    let drifts = [0.01, 0.005, 0.0025].map(|h| (h, after(0.8 * critical, h) - radius));
    let order = order(&drifts);
    println!("{drifts:?}: order {order:.3}");
    assert!(drifts[0].1 > 0.0 && drifts[0].1 < 0.05 && order > 0.9, "{drifts:?}");
    assert!(after(1.2 * critical, 0.0025) > 1.5 * radius);
}

/// Boxes that fall on a heap.
fn heap() -> ModelBuilder {
    let mut builder = level(0.2, 0.4);
    for k in 0..5 {
        let f = |i: usize| ((k * 7 + i) as f64 * 2.3).sin();
        let turn = Rotation3::from_scaled_axis(Vec3::new(f(0), f(1), f(2)));
        let at = Vec3::new(0.2 * f(3), 0.2 * f(4), 0.6 + 0.8 * k as f64);
        let id = builder.body(cuboid(&format!("box-{k}"), 0.3, 0.5, 0.6), Pose::new(turn, at));
        builder.velocity(id, Vec3::new(f(5), f(6), -1.0), Vec3::new(f(7), f(8), f(9)) * 4.0);
    }
    builder
}

#[test]
fn a_run_that_is_interrupted_goes_on_to_the_same_bits() {
    let h = 0.01;
    for (cut, lcp) in [20, 60, 150].into_iter().flat_map(|cut| stabilisations().map(|lcp| (cut, lcp))) {
        let mut whole = stepped(heap(), lcp, h);
        run(&mut whole, cut);
        let (memory, state) = (whole.save_warm_start(), whole.state().clone());
        assert!(
            cut < 60 || memory.get("normal_impulses").is_some_and(|impulses| impulses.len() > 3),
            "there is something to remember"
        );
        let (model, _) = heap().build_open().unwrap();
        let options = SchemeOptions { lcp, ..SchemeOptions::default() };
        let scheme = SchemeKind::Lcp.build(&model, &state, &options).unwrap();
        let mut again = Simulation::new(model, state, scheme, h).unwrap();
        assert!(again.restore_warm_start(&memory));
        for _ in 0..150 {
            whole.step().unwrap();
            again.step().unwrap();
            assert_eq!(whole.state(), again.state(), "cut at {cut}");
            assert_eq!(solve(&whole), solve(&again));
        }
        assert!(!again.restore_warm_start(&NamedArrays::default()), "other arrays are refused");
    }
}

/// A pendulum hangs from a box on a table that rises steadily, or does not: seen from the table nothing differs. The work of the
/// table is no gain that were to be taken from the pendulum.
#[test]
fn what_happens_on_a_table_that_moves_steadily_is_what_happens_on_one_at_rest() {
    let swing = |velocity: Vec3| {
        let rows = vec![[0.0; 3], (velocity * 10.0).into()];
        let table = Motion::path(Table::new(vec![0.0, 10.0], rows).unwrap());
        let mut builder = carried(table, 0.8, Vec3::zeros());
        let first = BodyId(1);
        let bob = builder.body(Body::particle("bob", 0.2).unwrap(), Pose::at(Vec3::new(0.3, 0.0, 0.05)));
        let rod = builder.joint_at("rod", JointKind::Rod, Some(first), bob, &builder.pose(first));
        builder.close(JointSpec { child_frame: Pose::identity(), ..rod });
        builder.velocity(first, velocity, Vec3::zeros());
        builder.velocity(bob, velocity, Vec3::zeros());
        let mut sim = stepped(builder, sharp(), 0.01);
        let mut seen = Vec::new();
        for _ in 0..50 {
            sim.step().unwrap();
            seen.push(position(&sim, 2) - velocity * sim.state().time);
        }
        seen
    };
    let still = swing(Vec3::zeros());
    assert!(still.iter().any(|at| at.x < 0.0), "it swings");
    for velocity in [Vec3::z(), Vec3::new(0.5, -0.3, 0.0)] {
        for (k, (a, b)) in swing(velocity).iter().zip(&still).enumerate() {
            assert!((a - b).norm() < 1e-7, "{velocity} {k}: {a} {b}");
        }
    }
}
