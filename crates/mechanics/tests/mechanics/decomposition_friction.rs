//! Friction of the decomposition scheme: sticking and sliding of single contacts, stopping distances of blocks.

use crate::common::*;

/// A ball thrown at a floor without gravity, after the impact: velocity and angular velocity.
fn thrown(options: ContactOptions, e: f64, mu: f64, velocity: Vec3, spin: Vec3) -> (Simulation, Vec3, Vec3) {
    let mut builder = ModelBuilder::new();
    builder.body(floor(), Pose::identity());
    free_body(&mut builder, sphere("ball", 0.1, 300.0), Vec3::new(0.0, 0.0, 0.5), velocity, spin);
    builder.contact(surface(e, mu));
    let mut sim = simulate(builder, options, 1e-3);
    run_until_impact(&mut sim, 1000);
    let (v, w) = motion(&sim, 1);
    (sim, v, w)
}

#[test]
fn an_oblique_ball_slides_or_sticks_as_in_textbooks() {
    // J = 2/5 m r²: a ball that is stopped where it touches keeps 5/7 of its speed and rolls.
    let (vx, vz, e, r) = (2.0, 1.0, 0.6, 0.1);
    for law in [ImpactLaw::Sum, ImpactLaw::Sequential, ImpactLaw::Moreau] {
        for (mu, sticks) in [(0.05, false), (0.3, false), (0.5, true), (5.0, true)] {
            assert_eq!(mu * (1.0 + e) * vz >= 2.0 / 7.0 * vx, sticks);
            let options = ContactOptions { law, ..ContactOptions::default() };
            let (sim, v, w) = thrown(options, e, mu, Vec3::new(vx, 0.0, -vz), Vec3::zeros());
            let slowed = if sticks { 2.0 / 7.0 * vx } else { mu * (1.0 + e) * vz };
            assert!((v - Vec3::new(vx - slowed, 0.0, e * vz)).norm() < 1e-12, "{law:?} {mu} {v:?}");
            assert!((w - Vec3::y() * (2.5 * slowed / r)).norm() < 1e-11, "{law:?} {mu} {w:?}");
            // Restitution takes (1-e²) of the energy of the approach, friction the rest.
            let m = sim.model().links[0].mass;
            let start = sim.ledger().initial().energy();
            let friction = m * (slowed * slowed * (0.5 + 1.25) - slowed * vx);
            assert!(
                (cause(&sim, "contact").energy + 0.5 * m * (1.0 - e * e) * vz * vz).abs() < 1e-12 * start
            );
            assert!((cause(&sim, "friction").energy - friction).abs() < 1e-12 * start, "{law:?} {mu}");
            assert!((cause(&sim, "friction").linear + Vec3::x() * (m * slowed)).norm() < 1e-12 * m);
            assert!((cause(&sim, "contact").linear - Vec3::z() * ((1.0 + e) * m * vz)).norm() < 1e-12 * m);
            assert!(cause(&sim, "scheme").energy.abs() < 1e-12 * start);
            assert!(cause(&sim, "scheme").angular.norm() < 1e-12 * m);
        }
    }
}

#[test]
fn a_ball_that_rolls_already_is_not_slowed() {
    let (v, w) = (Vec3::new(2.0, 1.0, -1.0), Vec3::new(-10.0, 20.0, 7.0));
    let (_, after, spin) = thrown(ContactOptions::default(), 1.0, 0.4, v, w);
    assert!(
        (after - Vec3::new(2.0, 1.0, 1.0)).norm() < 1e-11 && (spin - w).norm() < 1e-10,
        "{after:?} {spin:?}"
    );
}

#[test]
fn the_printed_ratio_compares_squares_and_omits_restitution() {
    // With W_tt = 7/(2m): |p_slide|² = 2m/7 vx², |p_norm|² = m vz².
    let (vx, vz, e, r) = (2.0, 1.0, 0.6, 0.1);
    let ratio = 2.0 / 7.0 * vx * vx / (vz * vz);
    for law in [ImpactLaw::Sum, ImpactLaw::Moreau] {
        for mu in [0.3, 1.0, 1.2] {
            let options = ContactOptions { law, friction: FrictionLaw::Ratio, ..ContactOptions::default() };
            let (_, v, w) = thrown(options, e, mu, Vec3::new(vx, 0.0, -vz), Vec3::zeros());
            let factor = if ratio <= mu { 1.0 } else { mu / ratio };
            let slowed = factor * 2.0 / 7.0 * vx;
            assert!((v - Vec3::new(vx - slowed, 0.0, e * vz)).norm() < 1e-12, "{law:?} {mu} {v:?}");
            assert!((w - Vec3::y() * (2.5 * slowed / r)).norm() < 1e-11);
        }
    }
}

/// A corner couples normal and tangential velocities; the outcome is read off the velocity of the corner.
#[test]
fn a_corner_that_sticks_stops_sliding_and_still_rebounds() {
    for (e, mu, sticks) in [(0.0, 2.0, true), (0.5, 2.0, true), (0.8, 0.02, false), (1.0, 0.02, false)] {
        let mut builder = ModelBuilder::new();
        builder.body(floor(), Pose::identity());
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.5, 0.3, 0.2));
        let id = builder.body(cuboid("brick", 0.1, 0.2, 0.3), Pose::new(turn, Vec3::new(0.0, 0.0, 0.4)));
        builder.velocity(id, Vec3::new(0.7, -0.3, -1.5), Vec3::new(0.4, 0.2, -1.0));
        builder.contact(surface(e, mu));
        let mut sim = simulate(builder, ContactOptions::default(), 1e-3);
        let met = run_until_impact(&mut sim, 1000);
        let impact = met.impacts[0];
        let after = velocity_at(&sim, 1, &impact.point);
        assert!((after.z + e * impact.speed.0).abs() < 1e-12, "{after:?} {impact:?}");
        let (push, drag) = (impact.impulse.z, impact.impulse.xy());
        assert_eq!(drag.norm() < mu * push * (1.0 - 1e-9), sticks, "{impact:?}");
        if sticks {
            assert!(after.xy().norm() < 1e-12, "{after:?}");
        } else {
            // Slides against the impulse, which is at its bound.
            assert!((drag.norm() - mu * push).abs() < 1e-12 * push);
            let sliding = after.xy();
            assert!(drag.perp(&sliding).abs() < 1e-11 * sliding.norm() && drag.dot(&sliding) < 0.0);
        }
        assert!(sim.ledger().latest().kinetic <= sim.ledger().initial().kinetic * (1.0 + 1e-12));
    }
}

/// Where a flat block that slides stops, and how far from `v²/(2 μ g)` that is.
fn stopping_error(h: f64, plane: bool, response: ContactResponse) -> f64 {
    let (v, mu) = (1.0, 0.3);
    let mut builder = if plane { ground(0.0, mu) } else { level(0.0, mu) };
    let body = if plane {
        let square = PlanarShape::Polygon(Polygon::rectangle(0.2, 0.2).unwrap());
        flat(&mut builder, "block", square, (3.0, 0.02), 0.0, Vec2::new(0.0, 0.1))
    } else {
        builder.body(cube("block", 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)))
    };
    builder.velocity(body, Vec3::new(v, 0.0, 0.0), Vec3::zeros());
    let mut sim = simulate(builder, ContactOptions { response, ..ContactOptions::default() }, h);
    let start = position(&sim, body.0);
    run(&mut sim, (0.6 / h) as usize);
    let (left, spin) = motion(&sim, body.0);
    assert!(left.norm() < 1e-12 && spin.norm() < 1e-12);
    let moved = position(&sim, body.0) - start;
    assert!(moved.yz().norm() < 1e-9, "it slides straight on, flat on the floor: {moved:?}");
    moved.x - v * v / (2.0 * mu * 9.81)
}

#[test]
fn the_stopping_distance_of_a_sliding_block_converges_at_order_one_as_published() {
    for plane in [false, true] {
        let errors = [4e-3, 2e-3, 1e-3].map(|h| stopping_error(h, plane, ContactResponse::Published));
        println!("{errors:?}");
        // Velocities fall by μ g h each step and positions follow the old ones: v h/2 too far.
        for (error, h) in errors.iter().zip([4e-3, 2e-3, 1e-3]) {
            assert!((error - 0.5 * h).abs() < 0.01 * h, "{error} {h}");
        }
        let order = (errors[0] / errors[2]).log2() / 2.0;
        assert!((order - 1.0).abs() < 0.01, "{order}");
    }
}

#[test]
fn the_stopping_distance_of_a_sliding_block_is_exact_to_the_step_in_which_it_stops() {
    for plane in [false, true] {
        for h in [4e-3, 2e-3, 1e-3] {
            // The distance is exact until the last step, in which at most μ g h²/8 are missing or too much.
            let error = stopping_error(h, plane, ContactResponse::Persistent);
            assert!(error.abs() <= 0.125 * 0.3 * 9.81 * h * h, "{h}: {error:e}");
        }
    }
}

#[test]
fn a_block_on_a_slope_as_published_holds_below_the_angle_of_friction_and_slides_above() {
    // Gravity is tilted instead of the floor.
    let slid = |angle: f64| {
        let mut builder = slope(angle, 0.5);
        builder.body(cube("block", 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
        let options = ContactOptions { response: ContactResponse::Published, ..ContactOptions::default() };
        let mut sim = simulate(builder, options, 1e-3);
        run(&mut sim, 500);
        (position(&sim, 1).x, motion(&sim, 1).0.x)
    };
    let critical = 0.5f64.atan();
    // Displacement by gravity within a step before friction acts: g h²/2 each.
    let (creep, speed) = slid(critical - 0.01);
    assert!(speed.abs() < 1e-12 && creep <= 500.0 * 0.5 * 9.81 * 1e-6, "{creep} {speed}");
    let angle = critical + 0.05;
    let (_, speed) = slid(angle);
    let expected = 9.81 * (angle.sin() - 0.5 * angle.cos()) * 0.5;
    assert!((speed - expected).abs() < 1e-9, "{speed} {expected}");
}
