//! The ledger accounts for every change.

use crate::common::*;

/// Two jointed bodies in free flight, a third on a spring with damping.
fn floating(damping: f64, to_world: bool) -> Simulation {
    let mut builder = ModelBuilder::new();
    let ids = [("b0", 0.0), ("b1", 0.5), ("b2", 1.1)].map(|(name, x)| {
        let turn = Rotation3::from_scaled_axis(Vec3::new(x, 0.2, 0.1));
        builder.body(link(name), Pose::new(turn, Vec3::new(x, 0.1 * x, -x * x)))
    });
    let frame = Pose::at(Vec3::new(0.25, 0.05, -0.1));
    let joint = builder.joint(builder.joint_at("j", JointKind::Spherical, Some(ids[0]), ids[1], &frame));
    builder.velocity(ids[0], Vec3::new(0.3, -0.2, 0.1), Vec3::new(1.0, 2.0, -1.5));
    builder.rates(joint, &[0.5, -1.0, 0.2]);
    builder.velocity(ids[2], Vec3::new(-0.4, 0.1, 0.3), Vec3::new(0.2, -3.0, 0.5));
    let b = match to_world {
        true => in_world(Vec3::new(0.0, 2.0, 0.0)),
        false => on(1, Vec3::new(0.1, 0.0, 0.05)),
    };
    builder.force(spring("spring", on(2, Vec3::new(0.0, 0.1, 0.0)), b, (40.0, 0.3), damping));
    simulation(SchemeKind::Variational, builder.build().unwrap(), 1e-3)
}

#[test]
fn floating_bodies_keep_their_momenta_with_a_damped_spring_between_them() {
    let mut simulation = floating(0.7, false);
    let start = *simulation.ledger().initial();
    run(&mut simulation, 3000);
    let now = simulation.ledger().latest();
    println!("{:e} {:e}", (now.linear - start.linear).norm(), (now.angular - start.angular).norm());
    assert!((now.linear - start.linear).norm() < 1e-12 * start.linear.norm());
    assert!((now.angular - start.angular).norm() < 1e-11 * start.angular.norm());
    // The damper dissipates energy, which the ledger contains: the rest is the scheme's, of second order.
    let work = simulation.ledger().work();
    println!("work {work}, unexplained {:e}", now.energy() - start.energy() - work);
    assert!(work < -0.1 * start.kinetic.min(1.0));
    assert!((now.energy() - start.energy() - work).abs() < 1e-4 * start.energy());
}

#[test]
fn impulses_of_a_spring_to_the_world_explain_the_change_of_momentum() {
    let mut simulation = floating(0.2, true);
    let start = *simulation.ledger().initial();
    run(&mut simulation, 2000);
    let ledger = simulation.ledger();
    let (now, spring) = (ledger.latest(), &ledger.sources()[3]);
    assert_eq!(spring.name, "spring");
    assert!(spring.linear.norm() > 0.1, "the spring did something");
    let rest = now.linear - start.linear - spring.linear;
    let turned = now.angular - start.angular - spring.angular;
    println!("{:e} {:e}", rest.norm(), turned.norm());
    assert!(rest.norm() < 1e-12 && turned.norm() < 1e-12);
}

#[test]
fn a_hanging_chain_exchanges_momentum_with_its_support_only() {
    let mut simulation = simulation(SchemeKind::Variational, chain(JointKind::Spherical, 3), 1e-3);
    run(&mut simulation, 500);
    let ledger = simulation.ledger();
    let sources = ledger.sources();
    let sum: Vec3 = sources.iter().map(|c| c.linear).sum();
    assert!((ledger.latest().linear - ledger.initial().linear - sum).norm() < 1e-12);
    assert_eq!(sources[1].name, "supports");
    assert!(sources[1].linear.z > 0.0, "the support carries weight");
    assert_eq!(sources[2].linear, Vec3::zeros(), "nothing is left for the scheme");
    assert!(ledger.extremes().position_violation < 1e-12);
    assert!(ledger.extremes().velocity_violation < 1e-12);
    // Gravity's impulse on what moves is weight times time.
    let weight = -9.81 * 3.0 * 1.2 * 0.5;
    assert!((sources[0].linear.z - weight).abs() < 1e-11);
}

#[test]
fn a_saved_ledger_is_restored_bitwise_and_only_for_its_own_scene() {
    let mut simulation = floating(0.7, true);
    run(&mut simulation, 5);
    let mut saved = NamedArrays::default();
    simulation.ledger().save(&mut saved);
    let scene = (simulation.model().clone(), simulation.state().clone());
    let mut other = crate::common::simulation(SchemeKind::Variational, scene, 1e-3);
    other.restore_ledger(&saved).unwrap();
    for _ in 0..5 {
        assert_eq!(simulation.step().unwrap(), other.step().unwrap());
    }
    assert_eq!(simulation.ledger().sources(), other.ledger().sources());
    assert_eq!(simulation.ledger().extremes(), other.ledger().extremes());
    let mut renamed = NamedArrays::default();
    for (name, values) in saved.iter().filter(|(name, _)| *name != "source.spring.energy") {
        renamed.insert(name, values);
    }
    let missing = LedgerMismatch::Missing("source.spring.energy".to_owned());
    assert_eq!(other.restore_ledger(&renamed), Err(missing));
    renamed.insert("source.spring.energy", [1.0, 2.0]);
    let refused = other.restore_ledger(&renamed);
    assert!(matches!(refused, Err(LedgerMismatch::Length { found: 2, expected: 1, .. })));
}
