//! Restitution in time stepping with complementarity: impact laws and Poisson's law against closed forms.

use crate::common::*;

const LAWS: [RestitutionLaw; 2] = [RestitutionLaw::Newton, RestitutionLaw::Poisson];

fn law(restitution: RestitutionLaw) -> LcpOptions {
    LcpOptions { restitution, ..sharp() }
}

/// A ball or a box, lowest point at a height.
fn dropped(ball: bool, e: f64, height: f64) -> ModelBuilder {
    let mut builder = level(e, 0.3);
    let body: Body = if ball { sphere("ball", 0.2, DENSITY) } else { cuboid("box", 0.4, 0.5, 0.4) };
    builder.body(body, Pose::at(Vec3::new(0.0, 0.0, 0.2 + height)));
    builder
}

/// Vertical velocities before and after the step of the next impact, and the gap before.
fn meeting(sim: &mut Simulation) -> (f64, f64, f64) {
    loop {
        let (before, gap) = (motion(sim, 1).0.z, position(sim, 1).z - 0.2);
        sim.step().unwrap();
        let after = motion(sim, 1).0.z;
        if after > before {
            return (before, after, gap);
        }
    }
}

/// Without gravity: whatever gap is left in the step of the impact, the body leaves with e times its speed, and does not turn.
#[test]
fn what_hits_a_floor_leaves_with_e_times_its_speed_wherever_in_the_step_it_meets() {
    for restitution in LAWS {
        for ball in [true, false] {
            for e in [0.0, 0.3, 0.8, 1.0] {
                for part in [0.0, 0.1, 0.37, 0.5, 0.83, 0.99] {
                    let (speed, h) = (2.0, 0.01);
                    let mut builder = dropped(ball, e, speed * h * (3.0 + part));
                    builder.gravity(Vec3::zeros());
                    builder.velocity(BodyId(1), Vec3::new(0.0, 0.0, -speed), Vec3::zeros());
                    let mut sim = stepped(builder, law(restitution), h);
                    run(&mut sim, 6);
                    let (v, w) = motion(&sim, 1);
                    let error = (v - Vec3::z() * (e * speed)).norm() + w.norm();
                    assert!(error < 1e-9, "{restitution:?} ball {ball} e {e} part {part}: {error:e}");
                }
            }
        }
    }
}

/// With gravity the speed is that at the instant of contact, and the body flies on for the rest of the step (impact law); or it is
/// that at the end of the step without impulse, where the step begins (Poisson).
#[test]
fn a_body_dropped_flat_leaves_with_e_times_its_speed() {
    for restitution in LAWS {
        for ball in [true, false] {
            for e in [0.3, 0.8, 1.0] {
                let h = 0.001;
                let mut sim = stepped(dropped(ball, e, 0.5), law(restitution), h);
                let (before, after, gap) = meeting(&mut sim);
                let time = gap / (0.5 * G * h - before);
                let expected = match restitution {
                    RestitutionLaw::Poisson => -e * (before - G * h),
                    RestitutionLaw::Newton => -e * (before - G * time) - G * (h - time),
                };
                assert!(
                    (after - expected).abs() < 1e-9,
                    "{restitution:?} {ball} {e}: {before} {after} {expected}"
                );
                assert!((-before - (2.0 * G * 0.5_f64).sqrt()).abs() < 3.0 * G * h);
            }
        }
    }
}

#[test]
fn bounces_are_lower_by_the_square_of_e_each_to_first_order() {
    for restitution in LAWS {
        let (e, height) = (0.8, 0.5);
        let errors = [0.004, 0.002, 0.001, 0.0005].map(|h| {
            let mut sim = stepped(dropped(true, e, height), law(restitution), h);
            let mut tops = Vec::new();
            let mut rising = false;
            while tops.len() < 3 {
                sim.step().unwrap();
                let up = motion(&sim, 1).0.z > 0.0;
                if rising && !up {
                    tops.push(position(&sim, 1).z - 0.2);
                }
                rising = up;
            }
            let exact = (1..=3).map(|k| height * f64::powi(e, 2 * k));
            (h, tops.iter().zip(exact).map(|(top, exact)| (top - exact).abs()).fold(0.0, f64::max))
        });
        let order = order(&errors);
        println!("{restitution:?}: {errors:?}, order {order:.3}");
        assert!(errors[0].1 < 0.05 * height);
        assert!(order > 0.6, "{restitution:?}: {order}");
    }
}

/// A plate that falls with a corner first, pushed sideways without friction: what the normal impulse does to its energy is
/// `-(1 - e²)/2 v_n²/w`, so that e = 1 keeps it and no e <= 1 brings any.
#[test]
fn frictionless_impacts_at_a_corner_take_the_energy_that_the_law_says() {
    for restitution in LAWS {
        for e in [0.0, 0.5, 1.0] {
            let mut builder = ground(e, 0.0);
            builder.gravity(Vec3::zeros());
            let shape = PlanarShape::Polygon(Polygon::rectangle(0.6, 0.4).unwrap());
            let (mass, moment, angle) = (2.0, 0.07, 0.4_f64);
            let (sin, cos) = angle.sin_cos();
            let low = 0.3 * sin + 0.2 * cos;
            let arm = Vec2::new(-0.3 * cos + 0.2 * sin, -low);
            // The corner touches at once: no gap enters.
            let id = flat(&mut builder, "plate", shape, (mass, moment), angle, Vec2::new(0.0, low));
            builder.velocity(id, Vec3::new(0.7, -1.0, 0.0), Vec3::new(0.0, 0.0, 0.5));
            let mut sim = stepped(builder, law(restitution), 1e-4);
            let before = energy(&sim);
            sim.step().unwrap();
            let approach = -1.0 + 0.5 * arm.x;
            let yielding = 1.0 / mass + arm.x * arm.x / moment;
            let taken = 0.5 * (1.0 - e * e) * approach * approach / yielding;
            let error = (before - energy(&sim) - taken) / before;
            assert!(error.abs() < 1e-9, "{restitution:?} {e}: {error:e}");
        }
    }
}

/// A rod that slides while it falls on its end. In compression the end slides, `p_t = μ p_n`, for both laws
/// `p_c = -v_n/(w_nn - μ w_nt)`. Newton's law makes the normal velocity -e v_n with sliding friction all along; Poisson's gives
/// the normal impulse e p_c once more, along the normal alone: the two part where the end is not straight below the
/// centre of mass.
#[test]
fn newton_and_poisson_part_where_friction_acts_off_the_centre_of_mass() {
    let (mass, moment, angle, e, mu) = (1.0, 1.0 / 12.0, 0.9_f64, 0.5, 0.1);
    let (vx, vy) = (3.0, -1.0);
    let after = |restitution: RestitutionLaw| {
        let mut builder = ground(e, mu);
        builder.gravity(Vec3::zeros());
        let shape = PlanarShape::Polygon(Polygon::rectangle(1.0, 0.02).unwrap());
        let low = 0.5 * angle.sin() + 0.01 * angle.cos();
        let id = flat(&mut builder, "rod", shape, (mass, moment), angle, Vec2::new(0.0, low));
        builder.velocity(id, Vec3::new(vx, vy, 0.0), Vec3::zeros());
        let mut sim = stepped(builder, law(restitution), 1e-4);
        sim.step().unwrap();
        let (v, w) = motion(&sim, 1);
        Vec3::new(v.x, v.y, w.z)
    };
    // Arm of the end, and what an impulse (p_t, p_n) there does to the velocity of the centre of mass and the spin.
    let arm = Vec2::new(-0.5 * angle.cos() + 0.01 * angle.sin(), -0.5 * angle.sin() - 0.01 * angle.cos());
    let moved = |p: Vec2| {
        let spin = (arm.x * p.y - arm.y * p.x) / moment;
        Vec3::new(vx + p.x / mass, vy + p.y / mass, spin)
    };
    let normal = |v: Vec3| v.y + v.z * arm.x;
    let slides = Vec2::new(-mu, 1.0);
    let yielding = normal(moved(slides)) - vy;
    let compression = -vy / yielding;
    let newton = moved(slides * ((1.0 + e) * compression));
    let poisson = moved(slides * compression + Vec2::new(0.0, e * compression));
    let seen = LAWS.map(after);
    println!("{} {}", (seen[0] - newton).norm(), (seen[1] - poisson).norm());
    assert!((normal(newton) + e * vy).abs() < 1e-12);
    assert!((seen[0] - newton).norm() < 1e-9, "{} {newton}", seen[0]);
    assert!((seen[1] - poisson).norm() < 1e-9, "{} {poisson}", seen[1]);
    assert!((seen[0] - seen[1]).norm() > 0.01);
}

/// Three balls in a line, the first hits two that touch. All contacts at once, by Moreau's or Poisson's law: the second contact was not
/// closing, so that it passes on what the first brings, with velocities -1/3, 2/3, 2/3 for e = 1. One after the other: 0, 0, 1.
#[test]
fn a_ball_that_hits_two_that_touch_sets_one_going_or_both_as_the_law_says() {
    for (restitution, impacts, expected) in [
        (RestitutionLaw::Newton, ImpactLaw::Sequential, [0.0, 0.0, 1.0]),
        (RestitutionLaw::Newton, ImpactLaw::Moreau, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (RestitutionLaw::Poisson, ImpactLaw::Sequential, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
    ] {
        let mut builder = ModelBuilder::new();
        for (k, x) in [-0.41, 0.0, 0.4].into_iter().enumerate() {
            builder.body(sphere(&format!("ball-{k}"), 0.2, DENSITY), Pose::at(Vec3::new(x, 0.0, 0.0)));
        }
        builder.velocity(BodyId(0), Vec3::x(), Vec3::zeros());
        builder.contact(surface(1.0, 0.0));
        let contact = ContactOptions { law: impacts, ..ContactOptions::default() };
        let options = SchemeOptions { contact, lcp: law(restitution), ..SchemeOptions::default() };
        let mut sim = simulated(SchemeKind::Lcp, builder, &options, 0.02);
        run(&mut sim, 3);
        let v = [0, 1, 2].map(|k| motion(&sim, k).0.x);
        println!("{restitution:?} {impacts:?}: {v:?}");
        for (v, exact) in v.into_iter().zip(expected) {
            assert!((v - exact).abs() < 1e-8, "{restitution:?} {impacts:?}: {v} {exact}");
        }
    }
}
