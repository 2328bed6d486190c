//! Contact that lasts under the decomposition scheme: no creep, no sinking, no energy from nowhere, bounces that come to rest.

use crate::common::*;

fn decomposed(builder: ModelBuilder, h: f64) -> Simulation {
    simulated(SchemeKind::Decomposition, builder, &SchemeOptions::default(), h)
}

#[test]
fn block_below_the_friction_angle_does_not_creep() {
    let mu: f64 = 0.5;
    for yaw in [0.0, 0.2, 0.785, 1.3] {
        for below in [1e-6, 0.01, 0.2] {
            let mut sim = decomposed(cube_on_slope(mu.atan() - below, yaw, mu), 1e-3);
            let start = sim.state().positions.clone();
            run(&mut sim, 10_000);
            let moved = drift(&sim, &start);
            assert!(moved < 1e-9, "yaw {yaw}, {below} below: {moved:e}");
        }
    }
}

#[test]
fn block_above_the_friction_angle_slides_with_its_acceleration_in_every_direction() {
    let (mu, t) = (0.3f64, 0.5);
    let angle = mu.atan() + 0.1;
    let acceleration = G * (angle.sin() - mu * angle.cos());
    for yaw in [0.0, 0.3, 0.785, 1.2] {
        let mut sim = decomposed(cube_on_slope(angle, yaw, mu), 1e-3);
        let start = sim.state().positions[0];
        sim.run_until(t).unwrap();
        let expected = Vec3::new(angle.cos(), 0.0, -angle.sin()) * (0.5 * acceleration * t * t);
        let moved = sim.state().positions[0] - start;
        assert!((moved - expected).norm() < 1e-6 * expected.norm(), "yaw {yaw}: {moved} {expected}");
    }
}

#[test]
fn spinning_rolling_and_wobbling_bodies_neither_sink_nor_gain_energy() {
    for (restitution, friction) in [(0.0, 0.3), (0.5, 0.3), (0.0, 0.0)] {
        for case in spinners() {
            let (name, size) = (case.name, case.size);
            let mut sim = decomposed(case.on_floor(restitution, friction), 1e-3);
            let (start, mut highest, mut depth) = (energy(&sim), energy(&sim), 0.0f64);
            while sim.state().time < 10.0 {
                sim.step().unwrap();
                highest = highest.max(energy(&sim));
                depth = depth.max(deepest(sim.model(), sim.state()) / size);
                let record = sim.step_record().unwrap();
                assert_eq!((record.fallbacks, record.crossing), (0, None), "{name}");
            }
            let unaccounted = cause(&sim, "scheme").energy;
            let gain = (highest - start) / start;
            println!(
                "{name} {restitution} {friction}: depth {depth:.1e}, highest energy {gain:.1e} above that at the start"
            );
            assert!(depth < 1e-4, "{name}: {depth:e}");
            // Energy oscillates to second order, most where a coin without friction falls flat; the ledger has it as work of contact.
            assert!(gain < 1e-5 && energy(&sim) < start * (1.0 + 1e-6), "{name}: {gain:e}");
            assert!(unaccounted.abs() < 1e-10 * start, "{name}: {unaccounted:e}");
        }
    }
}

#[test]
fn bouncing_ball_comes_to_rest_at_the_closed_form_time() {
    // Falls from H: T = sqrt(2H/g) (1 + e)/(1 - e).
    let height: f64 = 0.5;
    for e in [0.5, 0.8] {
        let zeno = (2.0 * height / G).sqrt() * (1.0 + e) / (1.0 - e);
        for h in [4e-3, 2e-3, 1e-3, 5e-4] {
            let mut builder = level(e, 0.0);
            builder.body(sphere("ball", 0.1, 1000.0), Pose::at(Vec3::new(0.0, 0.0, 0.1 + height)));
            let mut sim = decomposed(builder, h);
            let (mut last, mut moved) = (energy(&sim), 0.0);
            while sim.state().time < 1.2 * zeno {
                sim.step().unwrap();
                assert!(energy(&sim) <= last + 1e-12);
                last = energy(&sim);
                if motion(&sim, 1).0.norm() > 1e-12 {
                    moved = sim.state().time;
                }
            }
            println!("{e} {h}: at rest {:.1} steps after {zeno}", (moved - zeno) / h);
            assert!((moved - zeno).abs() < 10.0 * h, "{e} {h}: {moved} {zeno}");
            assert!((position(&sim, 1).z - 0.1).abs() < 1e-12);
        }
    }
}

#[test]
fn touching_cubes_stay_where_they_are() {
    for count in [2usize, 3] {
        let mut builder = level(0.0, 0.5);
        for k in 0..count.pow(3) {
            let at = Vec3::new((k % count) as f64, (k / count % count) as f64, (k / count / count) as f64);
            builder.body(cube(&format!("cube{k}"), 0.2), Pose::at((at + Vec3::new(0.0, 0.0, 0.5)) * 0.2));
        }
        let mut sim = decomposed(builder, 1e-3);
        let start = sim.state().positions.clone();
        run(&mut sim, 100);
        let moved = drift(&sim, &start);
        assert!(moved < 1e-10, "{count}: {moved:e}");
    }
}

/// A run that is interrupted after `at` steps and continues from a checkpoint ends bitwise as one that is not.
#[test]
fn interrupted_runs_are_bitwise_identical() {
    let build = || {
        let mut builder = level(0.3, 0.5);
        for k in 0..4 {
            let turn = Rotation3::from_scaled_axis(Vec3::new(0.1, 0.2, 0.3) * f64::from(k));
            let pose = Pose::new(turn, Vec3::new(0.02 * f64::from(k), 0.0, 0.2 + 0.3 * f64::from(k)));
            builder.body(cube(&format!("cube{k}"), 0.2), pose);
        }
        builder
    };
    let mut whole = decomposed(build(), 2e-3);
    run(&mut whole, 500);
    let mut first = decomposed(build(), 2e-3);
    run(&mut first, 300);
    let saved = first.save_warm_start();
    let (model, _) = build().build().unwrap();
    let scheme = SchemeKind::Decomposition.build(&model, first.state(), &SchemeOptions::default()).unwrap();
    let mut second = Simulation::new(model, first.state().clone(), scheme, 2e-3).unwrap();
    assert!(second.restore_warm_start(&saved));
    run(&mut second, 200);
    assert_eq!(whole.state(), second.state());
}

/// Hundreds of contacts in one group: the projection and the impulses are solved in sparse form.
#[test]
fn a_heap_of_balls_falls_without_penetration_and_loses_energy_in_every_step() {
    for e in [0.0, 0.5] {
        let mut builder = level(e, 0.3);
        for k in 0..125 {
            let jitter = |i: i32| 0.02 * (f64::from(k * 7 + i) * 1.7).sin();
            let (x, y, z) = (f64::from(k % 5), f64::from(k / 5 % 5), f64::from(k / 25));
            let at = Vec3::new(0.25 * x + jitter(0), 0.25 * y + jitter(1), 0.15 + 0.25 * z);
            builder.body(sphere(&format!("ball-{k}"), 0.1, 1000.0), Pose::at(at));
        }
        let mut sim = decomposed(builder, 1e-2);
        let start = energy(&sim);
        let (mut last, mut contacts) = (start, 0);
        for _ in 0..60 {
            sim.step().unwrap();
            assert!(energy(&sim) <= last + 1e-6 * start, "{e}: {:e}", energy(&sim) - last);
            last = energy(&sim);
            let record = sim.step_record().unwrap();
            assert_eq!((record.fallbacks, record.unsolved, record.unfinished_sequences), (0, 0, 0));
            contacts = contacts.max(sim.step_contacts().len());
            assert!(deepest(sim.model(), sim.state()) < 1e-4 * 0.1);
        }
        println!("{e}: {contacts} contacts, energy {} of the start", last / start);
        assert!(contacts > 80, "{contacts}");
    }
}
