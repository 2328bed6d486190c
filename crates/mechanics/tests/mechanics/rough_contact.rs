//! Friction under every scheme that takes it: Painlevé's rod, ladders, sliding blocks and rolling balls against closed forms.

use crate::common::*;

/// Angle of the rod, angular velocity and velocity along x.
fn rod_state(sim: &Simulation) -> [f64; 3] {
    let (v, w) = motion(sim, 1);
    let axis = sim.model().pose(sim.state(), 1).rotation * Vec3::x();
    [axis.y.atan2(axis.x), w.z, v.x]
}

#[test]
fn painleves_rod_slides_as_the_closed_form_says_while_it_is_consistent() {
    for (kind, options) in rough_schemes() {
        for friction in [4.0 / 3.0, 2.0] {
            for angle in [0.5, 0.6, 1.3] {
                for speed in [2.0, -2.0] {
                    let rod = PainleveRod { angle, friction, speed };
                    if !rod.is_consistent() {
                        continue;
                    }
                    // Before it detaches.
                    let (time, steps) = (5e-3, [5e-4, 2.5e-4]);
                    let expected = rod.sliding(time);
                    let errors = steps.map(|h| {
                        let mut sim = simulated(kind, rod.builder(), &options, h);
                        sim.run_until(time).unwrap();
                        let found = rod_state(&sim);
                        assert!(
                            energy(&sim) <= sim.ledger().initial().energy() * (1.0 + 1e-9),
                            "{kind} {rod:?}"
                        );
                        (0..3).map(|k| (found[k] - expected[k]).abs()).fold(0.0, f64::max)
                    });
                    let order = (errors[0] / errors[1]).log2();
                    println!(
                        "{kind} {friction:.2} {angle} {speed}: {:.1e} {:.1e} order {order:.2}",
                        errors[0], errors[1]
                    );
                    let claimed = if kind == SchemeKind::Lcp { 0.8 } else { 1.8 };
                    assert!(errors[1] < 1e-9 || order > claimed, "{kind} {rod:?}: {errors:?}");
                    assert!(
                        errors[1] < if kind == SchemeKind::Lcp { 1e-1 } else { 1e-4 },
                        "{kind} {rod:?}: {errors:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn painleves_rod_jams_where_no_force_lets_it_slide() {
    for (kind, options) in rough_schemes() {
        for (friction, angle) in [(2.0, 2.0f64.atan()), (2.0, 1.0), (3.0, 2.0f64.atan()), (3.0, 0.9)] {
            let rod = PainleveRod { angle, friction, speed: -2.0 };
            assert!(!rod.is_consistent(), "{rod:?}");
            for h in [1e-3, 1e-4] {
                let mut sim = simulated(kind, rod.builder(), &options, h);
                sim.step().unwrap();
                let [_, spin, _] = rod_state(&sim);
                println!(
                    "{kind} {friction} {angle:.3} {h}: spin {spin} of {}; fallbacks {} unsolved {}",
                    rod.jammed_spin(),
                    sim.step_record().unwrap().fallbacks,
                    sim.step_record().unwrap().unsolved
                );
                assert!(
                    (spin - rod.jammed_spin()).abs() < 50.0 * h,
                    "{kind} {rod:?} {h}: {spin} {}",
                    rod.jammed_spin()
                );
                assert!(energy(&sim) <= sim.ledger().initial().energy(), "{kind} {rod:?}");
                run(&mut sim, 20);
                assert!(sim.state().is_finite() && deepest(sim.model(), sim.state()) < 1e-6, "{kind}");
            }
        }
    }
}

#[test]
fn a_ladder_stays_or_slips_at_the_angle_of_statics() {
    let friction: f64 = 0.4;
    let critical = ((1.0 - friction * friction) / (2.0 * friction)).atan();
    for (kind, options) in rough_schemes() {
        for (above, stays) in [(0.01, true), (-0.01, false)] {
            let angle = critical + above;
            assert_eq!(ladder_stays(angle, friction), stays);
            let mut sim = simulated(kind, ladder(angle, friction), &options, 1e-3);
            let start = sim.state().positions.clone();
            run(&mut sim, 1000);
            let moved = drift(&sim, &start);
            println!("{kind} {above}: {moved:e}");
            assert_eq!(moved < 1e-9, stays, "{kind} {above}: {moved:e}");
            assert!(stays || moved > 1e-3, "{kind} {above}: {moved:e}");
        }
    }
}

/// The rolling task of SimBenchmark: a box is pushed over a rough floor, balls roll on it.
#[test]
fn balls_roll_on_a_pushed_box_with_the_closed_form_accelerations() {
    let (mass, ball, count, radius) = (10.0, 1.0, 4u8, 0.1);
    let (on_floor, on_box, push) = (0.4, 0.8, 100.0);
    let all = mass + ball * f64::from(count);
    let acceleration = (push - on_floor * all * G) / (mass + 2.0 / 7.0 * ball * f64::from(count));
    for (kind, options) in rough_schemes() {
        for h in [1e-2, 1e-3] {
            let mut builder = falling();
            let ground = builder.body(floor(), Pose::identity());
            let sides = Vec3::new(1.0, 1.0, 0.2);
            let id = builder.body(brick("box", sides, mass / 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
            for k in 0..i32::from(count) {
                let at =
                    Vec3::new(0.3 * f64::from(k % 2) - 0.15, 0.3 * f64::from(k / 2) - 0.15, 0.2 + radius);
                let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
                builder.body(sphere(&format!("ball-{k}"), radius, ball / volume), Pose::at(at));
            }
            let rule = PairRule {
                a: ground,
                b: id,
                collide: true,
                surface: Some(Surface { restitution: 0.0, friction: on_floor }),
            };
            builder.contact(ContactSpec { pairs: vec![rule], ..surface(0.0, on_box) });
            let given = Given::constant(Vec3::x() * push, Axes::World);
            let load = Load { anchor: on(id.0, Vec3::zeros()), force: Some(given), torque: None };
            builder.force(force("push", ForceLaw::Load(load)));
            let mut sim = simulated(kind, builder, &options, h);
            let mut worst = 0.0f64;
            for _ in 0..(0.2 / h) as usize {
                sim.step().unwrap();
                let t = sim.state().time;
                worst = worst.max((motion(&sim, 1).0.x - acceleration * t).abs());
                for k in 0..usize::from(count) {
                    worst = worst.max((motion(&sim, 2 + k).0.x - 2.0 / 7.0 * acceleration * t).abs());
                }
            }
            println!("{kind} {h}: velocity error {worst:e} of {}", acceleration * 0.2);
            assert!(worst < 1e-12, "{kind} {h}: {worst:e}");
        }
    }
}

/// The sliding task: a block and a ball are thrown along a rough floor.
#[test]
fn a_block_slides_and_a_ball_comes_to_roll_with_the_velocities_of_textbooks() {
    let (mu, speed, radius) = (0.3, 1.0, 0.1);
    for (kind, options) in rough_schemes() {
        for h in [1e-2, 1e-3] {
            let mut builder = level(0.0, mu);
            free_body(
                &mut builder,
                cube("block", 0.2),
                Vec3::new(0.0, 1.0, 0.1),
                Vec3::x() * speed,
                Vec3::zeros(),
            );
            let ball = sphere("ball", radius, 1000.0);
            free_body(&mut builder, ball, Vec3::new(0.0, 0.0, radius), Vec3::x() * speed, Vec3::zeros());
            let mut sim = simulated(kind, builder, &options, h);
            let (mut sliding, mut rolling, mut roll_error) = (0.0f64, 0.0f64, 0.0f64);
            let rolls = 2.0 * speed / (7.0 * mu * G);
            for _ in 0..(0.3 / h) as usize {
                sim.step().unwrap();
                let t = sim.state().time;
                sliding = sliding.max((motion(&sim, 1).0.x - (speed - mu * G * t)).abs());
                let (v, w) = motion(&sim, 2);
                if t < rolls {
                    rolling = rolling
                        .max((v.x - (speed - mu * G * t)).abs())
                        .max((radius * w.y - 2.5 * mu * G * t).abs());
                } else if t > rolls + 2.0 * h {
                    roll_error =
                        roll_error.max((v.x - 5.0 / 7.0 * speed).abs()).max((radius * w.y - v.x).abs());
                }
            }
            println!("{kind} {h}: block {sliding:.1e}, ball sliding {rolling:.1e}, rolling {roll_error:.1e}");
            let worst = sliding.max(rolling).max(roll_error);
            assert!(worst < 1e-12, "{kind} {h}: {sliding:e} {rolling:e} {roll_error:e}");
        }
    }
}

/// A ball that bounces with restitution comes to rest at the time of the closed form, under every scheme with restitution.
#[test]
fn bouncing_balls_come_to_rest_at_the_closed_form_time() {
    let (height, e): (f64, f64) = (0.2, 0.6);
    let zeno = (2.0 * height / G).sqrt() * (1.0 + e) / (1.0 - e);
    for (kind, options) in rough_schemes() {
        for h in [2e-3, 1e-3] {
            let mut builder = level(e, 0.3);
            builder.body(sphere("ball", 0.1, 1000.0), Pose::at(Vec3::new(0.0, 0.0, 0.1 + height)));
            let mut sim = simulated(kind, builder, &options, h);
            let (mut last, mut moved) = (energy(&sim), 0.0);
            while sim.state().time < 1.5 * zeno {
                sim.step().unwrap();
                assert!(energy(&sim) <= last + 1e-5 * sim.ledger().initial().energy(), "{kind} {h}");
                last = energy(&sim);
                if motion(&sim, 1).0.norm() > 1e-9 {
                    moved = sim.state().time;
                }
            }
            println!("{kind} {h}: at rest {:.1} steps after {zeno}", (moved - zeno) / h);
            assert!((moved - zeno).abs() < 30.0 * h, "{kind} {h}: {moved} {zeno}");
        }
    }
}
