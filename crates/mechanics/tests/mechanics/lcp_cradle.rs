//! Impact laws in time stepping with complementarity: cradles, pairs and bodies that bounce.

use crate::common::*;

/// A row of five bodies along x with equal gaps, of which some move in from one side.
fn cradle(cubes: bool, moving: usize, gap: f64, e: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    for k in 0..5 {
        let name = format!("body-{k}");
        let body = if cubes { cube(&name, 0.2) } else { sphere(&name, 0.1, DENSITY) };
        let arrives = if k < moving { 0.0123 } else { 0.0 };
        let velocity = if k < moving { Vec3::x() } else { Vec3::zeros() };
        free_body(
            &mut builder,
            body,
            Vec3::x() * ((0.2 + gap) * k as f64 - arrives),
            velocity,
            Vec3::zeros(),
        );
    }
    builder.contact(surface(e, 0.0));
    builder
}

fn substeps() -> LcpOptions {
    LcpOptions { stabilisation: Stabilisation::Substeps, ..LcpOptions::default() }
}

/// As many leave with their speed as arrive, the others rest; momentum and energy are kept.
fn assert_cradle(lcp: LcpOptions, gap: f64, h: f64) {
    for cubes in [false, true] {
        for moving in 1..=3 {
            let mut sim = stepped(cradle(cubes, moving, gap, 1.0), lcp, h);
            let start = *sim.ledger().initial();
            run(&mut sim, (0.4 / h) as usize);
            let last = sim.ledger().latest();
            let kept = (last.linear - start.linear).norm() / start.linear.norm();
            let energy = (last.energy() / start.energy() - 1.0).abs();
            let mut error = 0.0_f64;
            for k in 0..5 {
                let expected = if k + moving >= 5 { 1.0 } else { 0.0 };
                let (v, w) = motion(&sim, k);
                error = error.max((v - Vec3::x() * expected).norm()).max(w.norm());
            }
            println!("cubes {cubes}, {moving}, gap {gap}, h {h}: {error:.1e}, {kept:.1e}, {energy:.1e}");
            assert!(error < 1e-10, "cubes {cubes}, {moving}, gap {gap}, h {h}: {error:e}");
            assert!(kept < 1e-12 && energy < 1e-12, "{kept:e} {energy:e}");
        }
    }
}

#[test]
fn as_many_bodies_leave_a_touching_cradle_as_arrive_with_their_speed() {
    for h in [1e-3, 2e-2] {
        assert_cradle(LcpOptions::default(), 0.0, h);
        assert_cradle(LcpOptions { metric: DistanceMetric::Ratio, ..LcpOptions::default() }, 0.0, h);
        assert_cradle(substeps(), 0.0, h);
    }
}

#[test]
fn as_many_bodies_leave_a_cradle_with_gaps_as_arrive_with_their_speed() {
    for h in [1e-3, 2e-2] {
        for gap in [1e-4, 1e-3, 5e-3] {
            assert_cradle(LcpOptions::default(), gap, h);
        }
    }
}

/// Each ball of a pair of masses 1 and 3: the closed form of Newton's law.
#[test]
fn a_pair_of_different_masses_separates_as_newtons_law_says() {
    let (e, masses, before) = (0.5, [1.0, 3.0], [1.0, -0.4]);
    let mut builder = ModelBuilder::new();
    for (k, (mass, speed)) in masses.into_iter().zip(before).enumerate() {
        let mut body = sphere(&format!("ball-{k}"), 0.1, DENSITY);
        body.mass = mass;
        let at = Vec3::x() * (0.237 * k as f64);
        free_body(&mut builder, body, at, Vec3::x() * speed, Vec3::zeros());
    }
    builder.contact(surface(e, 0.0));
    let mut sim = stepped(builder, LcpOptions::default(), 1e-3);
    run(&mut sim, 100);
    let total: f64 = masses[0] + masses[1];
    let mean = (masses[0] * before[0] + masses[1] * before[1]) / total;
    for (k, before) in before.into_iter().enumerate() {
        let expected = (1.0 + e) * mean - e * before;
        assert!((motion(&sim, k).0.x - expected).abs() < 1e-12, "{k}: {} {expected}", motion(&sim, k).0);
    }
}

/// The falling ball and the two below it are equal, the line of centres 30 degrees from the vertical: the impulses of both contacts
/// are one impact.
#[test]
fn a_ball_that_falls_on_two_touching_balls_at_rest_stays_in_the_middle() {
    let (radius, e) = (0.1, 0.5);
    let mut builder = level(e, 0.0);
    let high = radius * (1.0 + 3.0_f64.sqrt());
    for (k, x) in [-radius, radius].into_iter().enumerate() {
        builder.body(sphere(&format!("below-{k}"), radius, DENSITY), Pose::at(Vec3::new(x, 0.0, radius)));
    }
    builder.body(sphere("falling", radius, DENSITY), Pose::at(Vec3::new(0.0, 0.0, high + 0.3)));
    let mut sim = stepped(builder, LcpOptions::default(), 1e-3);
    let mut rose = f64::NEG_INFINITY;
    let gain = greatest_gain(&mut sim, 600, |sim| {
        let (left, right, top) = (motion(sim, 1).0, motion(sim, 2).0, motion(sim, 3).0);
        assert!((left.x + right.x).abs() < 1e-9 && (left.z - right.z).abs() < 1e-9, "{left} {right}");
        assert!(top.x.abs() < 1e-9 && position(sim, 3).x.abs() < 1e-10);
        rose = rose.max(right.x);
    });
    println!("gain {gain:e}, aside {rose}");
    assert!(rose > 0.1 && gain < 1e-10 * sim.ledger().initial().energy());
}

/// Rest after `t₀ (1 + e)/(1 - e)`, with `t₀` the time of the first fall.
#[test]
fn a_bouncing_ball_comes_to_rest_at_the_time_of_the_closed_form() {
    for (h, e) in [(1e-3, 0.8), (1e-3, 0.5), (1e-3, 0.6), (4e-3, 0.8), (2.5e-4, 0.8)] {
        for height in [0.5, 0.37] {
            let mut builder = level(e, 0.0);
            builder.body(sphere("ball", 0.2, DENSITY), Pose::at(Vec3::new(0.0, 0.0, 0.2 + height)));
            let mut sim = stepped(builder, LcpOptions::default(), h);
            let first = (2.0 * height / G).sqrt();
            let expected = first * (1.0 + e) / (1.0 - e);
            let mut last = 0.0;
            let gain = greatest_gain(&mut sim, (1.3 * expected / h) as usize, |sim| {
                if motion(sim, 1).0.norm() > 1e-9 {
                    last = sim.state().time;
                }
            });
            let late = (last - expected) / h;
            println!(
                "h {h}, e {e}, from {height}: rest at {last:.4} s, {late:.1} steps late, gain {gain:.1e}"
            );
            assert!(late.abs() < 2.0 / (1.0 - e), "{h} {e} {height}: {late}");
            assert!(gain < 1e-10 * sim.ledger().initial().energy(), "{gain:e}");
            assert!((position(&sim, 1).z - 0.2).abs() < 1e-9);
        }
    }
}

#[test]
fn a_box_dropped_flat_or_tilted_with_restitution_and_friction_gains_no_energy() {
    for lcp in [LcpOptions::default(), substeps()] {
        for turn in
            [Vec3::zeros(), Vec3::new(0.3, 0.2, 0.1), Vec3::new(0.02, 0.0, 0.0), Vec3::new(0.7, 0.6, 0.0)]
        {
            for e in [0.5, 1.0] {
                let mut builder = level(e, 0.4);
                let pose = Pose::new(Rotation3::from_scaled_axis(turn), Vec3::new(0.0, 0.0, 0.8));
                let id = builder.body(cuboid("box", 0.4, 0.5, 0.3), pose);
                builder.velocity(id, Vec3::new(0.7, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0) * turn.norm());
                let mut sim = stepped(builder, lcp, 1e-3);
                let first = sim.ledger().initial().energy();
                let gain = greatest_gain(&mut sim, 1500, |_| {}) / first;
                let left = energy(&sim) / first;
                println!("{:?} {turn:?} e {e}: gain {gain:.1e}, left {left:.3}", lcp.stabilisation);
                let bound = if lcp.stabilisation == Stabilisation::Substeps { 1e-4 } else { 1e-10 };
                assert!(gain < bound, "{turn} {e}: {gain:e}");
            }
        }
    }
}

#[test]
fn impacts_have_the_impulses_and_energies_of_the_closed_form() {
    let mut sim = stepped(cradle(false, 1, 0.0, 1.0), LcpOptions::default(), 1e-3);
    let mass = sim.model().bodies[0].mass;
    let all = impacts(&mut sim, 100);
    assert_eq!(all.len(), 4);
    for impact in all {
        assert!((impact.impulse.norm() - mass).abs() < 1e-10 * mass, "{impact:?}");
    }
    for source in ["contact", "friction", "scheme"] {
        println!("{source}: {:?}", cause(&sim, source));
    }
    assert!(cause(&sim, "scheme").energy.abs() < 1e-12 * mass);
}

/// A ball that is thrown with spin bounces with friction on a floor: the ledger has the energy and the momenta of its impacts, and flight keeps
/// them.
#[test]
fn bounces_in_flight_leave_no_energy_and_no_momentum_unaccounted() {
    let mut builder = level(0.7, 0.3);
    let ball = sphere("ball", 0.2, DENSITY);
    let (velocity, spin) = (Vec3::new(0.9, 0.4, 0.0), Vec3::new(3.0, -5.0, 2.0));
    free_body(&mut builder, ball, Vec3::new(0.3, -0.2, 0.7), velocity, spin);
    let mut sim = stepped(builder, LcpOptions::default(), 2e-3);
    let start = *sim.ledger().initial();
    let met = impacts(&mut sim, 500).len();
    let scheme = cause(&sim, "scheme");
    let angular = scheme.angular.norm() / start.angular.norm();
    println!("{met} impacts, unaccounted {:e} J of {:e}, angular {angular:e}", scheme.energy, start.energy());
    assert!(met >= 2 && scheme.energy.abs() < 1e-12 * start.energy());
    assert!(angular < 1e-12 && scheme.linear.norm() < 1e-12 * start.mass);
}
