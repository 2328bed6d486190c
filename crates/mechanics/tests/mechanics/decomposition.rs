//! The decomposition scheme: impacts have textbook outcomes under every law for simultaneous contacts.

use crate::common::*;

const LAWS: [ImpactLaw; 3] = [ImpactLaw::Sum, ImpactLaw::Sequential, ImpactLaw::Moreau];

fn with(law: ImpactLaw) -> ContactOptions {
    ContactOptions { law, ..ContactOptions::default() }
}

/// Whether energy and momentum are those of the start, relative to the energy and momentum there.
fn assert_conserved(sim: &Simulation, momentum: f64) {
    let (start, last) = (sim.ledger().initial(), sim.ledger().latest());
    assert!((last.energy() - start.energy()).abs() < 1e-12 * start.energy());
    assert!((last.linear - start.linear).norm() < 1e-12 * momentum);
    let scheme = cause(sim, "scheme");
    assert!(scheme.angular.norm() < 1e-12 * momentum && scheme.linear.norm() < 1e-12 * momentum);
}

#[test]
fn newtons_cradle_transfers_its_momentum_cube_by_cube() {
    let h = 0.015;
    for law in LAWS {
        let mut sim = simulate(cradle_one(ContactSpec::default()), with(law), h);
        let energy = sim.ledger().initial().energy();
        assert!((energy - 0.0336781).abs() < 1e-7, "{energy}");
        let met = impacts(&mut sim, 200);
        assert_eq!(met.len(), 4, "{law:?}");
        for (impact, exact) in met.iter().zip([1.346870, 1.616244, 1.885618, 2.154992]) {
            assert!((0.0..h).contains(&(impact.time - exact)), "{} {exact}", impact.time);
        }
        for k in 0..4 {
            assert!(motion(&sim, k).0.norm() < 1e-12 * 0.105);
        }
        let (v, w) = motion(&sim, 4);
        assert!((v - Vec3::new(0.105, 0.0, 0.0)).norm() < 1e-12 * 0.105 && w.norm() < 1e-12, "{v:?} {w:?}");
        assert_conserved(&sim, sim.ledger().initial().linear.norm());
    }
}

#[test]
fn newtons_cradle_from_both_sides_stays_symmetric() {
    for law in LAWS {
        let mut sim = simulate(cradle_two(ContactSpec::default()), with(law), 0.015);
        let mut triple = Vec::new();
        for _ in 0..150 {
            sim.step().unwrap();
            let met = &sim.step_record().unwrap().impacts;
            if met.iter().any(|impact| impact.bodies.0 == 2 || impact.bodies.1 == 2) {
                assert_eq!(met.len(), 2, "both neighbours hit the middle one in one step");
                triple.push(met[0].time);
            }
            for k in 0..5 {
                let (x, mirror) = (position(&sim, k), position(&sim, 4 - k));
                assert!((x + mirror).norm() < 1e-12);
            }
        }
        assert_eq!(triple.len(), 1, "{law:?}");
        assert!((triple[0] - 1.373807).abs() < 2.0 * 0.015, "{triple:?}");
        for (k, expected) in [-0.105, 0.0, 0.0, 0.0, 0.105].into_iter().enumerate() {
            let (v, w) = motion(&sim, k);
            assert!((v - Vec3::new(expected, 0.0, 0.0)).norm() < 1e-12 && w.norm() < 1e-12, "{law:?} {v:?}");
        }
        assert_conserved(&sim, 0.105);
    }
}

#[test]
fn plastic_cubes_move_on_together() {
    for law in LAWS {
        for (speeds, common) in [([0.5, 0.0], 0.25), ([0.5, -0.5], 0.0)] {
            let mut sim = simulate(row(&[-0.3, 0.3], &speeds, surface(0.0, 0.0)), with(law), 0.01);
            let start = sim.ledger().initial().energy();
            run(&mut sim, 200);
            for k in 0..2 {
                let (v, w) = motion(&sim, k);
                assert!((v - Vec3::new(common, 0.0, 0.0)).norm() < 1e-12 && w.norm() < 1e-12, "{v:?} {w:?}");
            }
            let lost = start - sim.ledger().latest().energy();
            assert!((cause(&sim, "contact").energy + lost).abs() < 1e-12 * start);
            assert!(cause(&sim, "scheme").energy.abs() < 1e-12 * start);
        }
    }
}

#[test]
fn unequal_spheres_have_the_central_impact_of_textbooks() {
    let e = 0.5;
    for law in LAWS {
        let mut builder = ModelBuilder::new();
        let (a, b) = (sphere("a", 0.1, 500.0), sphere("b", 0.2, 300.0));
        let (ma, mb) = (a.mass, b.mass);
        let (va, vb) = (Vec3::new(2.0, 0.3, 0.0), Vec3::new(-0.1, 0.3, 0.0));
        free_body(&mut builder, a, Vec3::new(-0.5, 0.0, 0.0), va, Vec3::zeros());
        free_body(&mut builder, b, Vec3::new(0.5, 0.0, 0.0), vb, Vec3::zeros());
        builder.contact(surface(e, 0.0));
        let mut sim = simulate(builder, with(law), 1e-2);
        let met = run_until_impact(&mut sim, 100);
        let common = (ma * va.x + mb * vb.x) / (ma + mb);
        let (closing, reduced) = (va.x - vb.x, ma * mb / (ma + mb));
        let expected = [common - e * mb / (ma + mb) * closing, common + e * ma / (ma + mb) * closing];
        for (k, x) in expected.into_iter().enumerate() {
            let (v, w) = motion(&sim, k);
            assert!((v - Vec3::new(x, 0.3, 0.0)).norm() < 1e-12 && w.norm() < 1e-12);
        }
        let impact = met.impacts[0];
        assert_eq!((met.impacts.len(), impact.kind, impact.bodies), (1, ImpactKind::Response, (0, 1)));
        assert!((impact.impulse + Vec3::x() * ((1.0 + e) * reduced * closing)).norm() < 1e-12);
        assert!((impact.speed.0 + closing).abs() < 1e-12 && (impact.speed.1 - e * closing).abs() < 1e-12);
        let lost = 0.5 * reduced * (1.0 - e * e) * closing * closing;
        assert!((impact.energy.0 - impact.energy.1 - lost).abs() < 1e-12);
        assert!((cause(&sim, "contact").energy + lost).abs() < 1e-12);
        assert!((impact.normal + Vec3::x()).norm() < 1e-12 && met.overlap <= 1e-15);
    }
}

/// Three equal balls in contact, hit by a fourth: the laws give different results.
#[test]
fn a_row_of_touching_balls_distinguishes_the_impact_laws() {
    let outcome = |law: ImpactLaw, e: f64| {
        let mut builder = ModelBuilder::new();
        for (k, x) in [-0.5, 0.0, 0.2].into_iter().enumerate() {
            let v = if k == 0 { Vec3::x() } else { Vec3::zeros() };
            let ball = sphere(&format!("ball-{k}"), 0.1, 300.0);
            free_body(&mut builder, ball, Vec3::new(x, 0.0, 0.0), v, Vec3::zeros());
        }
        builder.contact(surface(e, 0.0));
        let mut sim = simulate(builder, with(law), 0.01);
        run_until_impact(&mut sim, 100);
        [0, 1, 2].map(|k| motion(&sim, k).0.x)
    };
    let check = |found: [f64; 3], expected: [f64; 3]| {
        let off = (Vec3::from(found) - Vec3::from(expected)).amax();
        assert!(off < 1e-12, "{found:?} {expected:?}");
    };
    // One after the other: the last one leaves. At once: relative velocities are reversed, (-1, 0) to (1, 0).
    check(outcome(ImpactLaw::Sequential, 1.0), [0.0, 0.0, 1.0]);
    check(outcome(ImpactLaw::Moreau, 1.0), [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
    check(outcome(ImpactLaw::Moreau, 0.0), [1.0 / 3.0; 3]);
    // The sum of both gradients is (-1, 0, 1): no impulse on the middle ball.
    check(outcome(ImpactLaw::Sum, 1.0), [0.0, 0.0, 1.0]);
}

#[test]
fn different_restitutions_on_both_sides_are_feasible_and_gain_no_energy() {
    let mut builder = ModelBuilder::new();
    builder.body(half_space("left", Vec3::x(), -0.1), Pose::identity());
    builder.body(half_space("right", -Vec3::x(), -0.1), Pose::identity());
    // In contact with both walls, moving towards one of them.
    let ball = free_body(&mut builder, sphere("ball", 0.1, 300.0), Vec3::zeros(), -Vec3::x(), Vec3::zeros());
    let rule = |a: usize, restitution: f64| PairRule {
        a: BodyId(a),
        b: ball,
        collide: true,
        surface: Some(Surface { restitution, friction: 0.0 }),
    };
    builder.contact(ContactSpec { pairs: vec![rule(0, 1.0), rule(1, 0.5)], ..ContactSpec::default() });
    let mut sim = simulate(builder, ContactOptions::default(), 1e-3);
    let start = sim.ledger().initial().energy();
    for _ in 0..10 {
        sim.step().unwrap();
        assert!(sim.ledger().latest().energy() <= start * (1.0 + 1e-12));
    }
}
