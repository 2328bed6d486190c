//! Conservation under the decomposition scheme: energy and momentum by source.

use crate::common::*;

fn tilted_cube((restitution, friction): (f64, f64), options: ContactOptions) -> Simulation {
    let mut builder = level(restitution, friction);
    let turn = Rotation3::from_scaled_axis(Vec3::new(0.4, 0.3, 0.1));
    builder.body(cube("cube", 0.2), Pose::new(turn, Vec3::new(0.0, 0.0, 0.8)));
    simulate(builder, options, 1e-3)
}

/// Bricks that fly at each other without any force.
fn crowd(contact: ContactSpec) -> Simulation {
    let mut builder = ModelBuilder::new();
    for k in 0..6 {
        let angle = std::f64::consts::TAU / 6.0 * f64::from(k);
        let out = Vec3::new(angle.cos(), angle.sin(), 0.1 * f64::from(k % 3) - 0.1);
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.3 * f64::from(k), 0.2, 0.5));
        let id = builder.body(cuboid(&format!("brick-{k}"), 0.1, 0.2, 0.3), Pose::new(turn, out * 0.6));
        builder.velocity(id, -out * 0.8, Vec3::new(0.5, -0.2 * f64::from(k), 0.4));
    }
    builder.contact(contact);
    simulate(builder, ContactOptions::default(), 2e-3)
}

#[test]
fn elastic_bricks_conserve_energy_and_momentum_except_for_the_projection() {
    let mut sim = crowd(surface(1.0, 0.0));
    let start = *sim.ledger().initial();
    let mut met = 0;
    for _ in 0..1500 {
        sim.step().unwrap();
        met += sim.step_record().unwrap().impacts.len();
        let now = sim.ledger().latest();
        assert!((now.kinetic - start.kinetic).abs() < 1e-12 * start.kinetic);
        assert!((now.linear - start.linear).norm() < 1e-12 * start.mass);
    }
    assert!(met > 5, "{met}");
    let last = sim.ledger().latest();
    let projected = cause(&sim, "projection").angular;
    println!("{met} impacts; projection changed L by {:e} of {:e}", projected.norm(), start.angular.norm());
    assert!(projected.norm() > 1e-8, "a test that the projection matters");
    assert!((last.angular - start.angular - projected).norm() < 1e-12);
    assert!(cause(&sim, "scheme").angular.norm() < 1e-12 && cause(&sim, "contact").angular.norm() < 1e-12);
}

#[test]
fn friction_and_restitution_conserve_momentum_too() {
    let mut sim = crowd(surface(0.4, 0.6));
    let start = *sim.ledger().initial();
    run(&mut sim, 1500);
    let last = sim.ledger().latest();
    assert!((last.linear - start.linear).norm() < 1e-12 * start.mass);
    assert!((last.angular - start.angular - cause(&sim, "projection").angular).norm() < 1e-12);
    let lost = cause(&sim, "contact").energy + cause(&sim, "friction").energy;
    assert!(
        lost < -0.1 * start.kinetic && (last.kinetic - start.kinetic - lost).abs() < 1e-12 * start.kinetic
    );
}

#[test]
fn the_metronome_beats_regularly_and_its_collisions_conserve_energy() {
    let mut sim = simulate(metronome(), ContactOptions::default(), 0.015);
    let start = *sim.ledger().initial();
    let (mut beats, mut worst) = (Vec::new(), 0f64);
    for _ in 0..2000 {
        sim.step().unwrap();
        beats.extend(sim.step_record().unwrap().impacts.iter().map(|impact| impact.time));
        worst = worst.max((sim.ledger().latest().energy() - start.energy()).abs());
    }
    let (projection, contact) = (cause(&sim, "projection"), cause(&sim, "contact"));
    println!("{} beats; energy within {worst:e} of {:e}", beats.len(), start.energy());
    // Energy oscillates between collisions; collisions conserve it to rounding.
    assert!(
        projection.energy.abs() < 1e-12 * start.energy() && contact.energy.abs() < 1e-12 * start.energy()
    );
    assert!(worst < 1e-3 * start.energy());
    assert!(cause(&sim, "scheme").angular.norm() < 1e-10 && cause(&sim, "scheme").linear.norm() < 1e-10);
    assert!((sim.ledger().latest().angular - projection.angular).norm() < 1e-10);
    // Angular momentum is zero, and a rotation of a chain with zero momentum brings none.
    assert!(sim.ledger().latest().angular.norm() < 1e-10);
    let gaps: Vec<f64> = beats.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() < 2.0 * 0.015 + 1e-9), "{gaps:?}");
    assert!(sim.ledger().extremes().position_violation < 1e-12);
}

#[test]
fn a_projection_raises_a_falling_cube_and_the_energy_consistent_variant_balances_it() {
    let error = |consistent: bool| {
        let options = ContactOptions { consistent: Some(consistent), ..ContactOptions::default() };
        let mut sim = tilted_cube((1.0, 0.0), options);
        let start = sim.ledger().initial().energy();
        let mut worst = 0f64;
        for _ in 0..2000 {
            sim.step().unwrap();
            worst = worst.max((sim.ledger().latest().energy() - start).abs());
        }
        // The gain of energy is the projection's, to rounding; L3 is conserved except for it.
        let rest = sim.ledger().latest().energy() - start - cause(&sim, "projection").energy;
        assert!(rest.abs() < 1e-12 * start, "{rest:e}");
        let spin = sim.ledger().latest().angular.z - cause(&sim, "projection").angular.z;
        assert!(spin.abs() < 1e-12 && cause(&sim, "scheme").angular.norm() < 1e-12);
        worst / start
    };
    let (plain, consistent) = (error(false), error(true));
    println!("energy error over 2 s: plain {plain:e}, consistent {consistent:e}");
    assert!(plain > 1e-4 && consistent < 1e-10);
}

#[test]
fn the_energy_consistent_variant_loses_only_what_restitution_and_friction_dissipate() {
    let options = ContactOptions { consistent: Some(true), ..ContactOptions::default() };
    let mut sim = tilted_cube((0.8, 0.3), options);
    let start = sim.ledger().initial().energy();
    assert!(!impacts(&mut sim, 450).is_empty());
    let (contact, friction) = (cause(&sim, "contact").energy, cause(&sim, "friction").energy);
    let last = sim.ledger().latest().energy();
    assert!(contact < 0.0 && friction < 0.0);
    assert!((last - start - contact - friction).abs() < 1e-12 * start, "{last} {start}");
    assert!(cause(&sim, "projection").energy.abs() < 1e-12 * start);
}

#[test]
fn the_published_response_lifts_a_box_at_rest_in_every_step_and_the_persistent_one_has_nothing_to_lift() {
    for (response, consistent, lifts) in [
        (ContactResponse::Published, None, 1.0),
        (ContactResponse::Published, Some(true), 0.0),
        (ContactResponse::Persistent, None, 0.0),
    ] {
        let mut builder = level(0.0, 0.0);
        builder.body(cube("box", 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
        let options = ContactOptions { response, consistent, ..ContactOptions::default() };
        let (h, mut sim) = (1e-3, simulate(builder, options, 1e-3));
        run(&mut sim, 100);
        assert!(motion(&sim, 1).0.norm() < 1e-12);
        // Each step falls by g h²/2 and is lifted again: as much energy as the approach has, which pays for it if energy is kept.
        let lifted = 100.0 * sim.model().links[0].mass * 9.81 * 9.81 * h * h / 2.0;
        let projected = cause(&sim, "projection").energy;
        assert!((projected - lifts * lifted).abs() < 1e-9 * lifted, "{response:?}: {projected:e} {lifted:e}");
    }
}

/// `1/2 |q - q̃|²_M + h² |V(q) - V(q̃)|` of the first response of a run.
fn objective(sim: &mut Simulation, h: f64, energy: impl Fn(&Vec3, &Matrix3<f64>) -> f64) -> f64 {
    let met = run_until_impact(sim, 2000);
    let (from, to) = (met.places[0], sim.state());
    let link = &sim.model().links[0];
    let turn = to.rotations[0] - from.rotation;
    let half = 0.5 * link.inertia.sum();
    let turned: f64 = (0..3).map(|k| (half - link.inertia[k]) * turn.column(k).norm_squared()).sum();
    let way = link.mass * (to.positions[0] - from.position).norm_squared() + turned;
    let rise = energy(&to.positions[0], &to.rotations[0]) - energy(&from.position, &from.rotation);
    0.5 * way + h * h * rise.abs()
}

#[test]
fn a_projection_with_potential_trades_distance_for_energy() {
    // A stiff spring at a corner: the potential changes much where the configuration changes little.
    let (h, anchor, arm) = (4e-3, Vec3::new(0.9, 0.2, -0.3), Vec3::new(0.1, 0.1, 0.1));
    let (stiffness, rest) = (2e3, 0.4);
    let build = |potential_in_projection: bool| {
        let mut builder = level(1.0, 0.0);
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.4, 0.3, 0.1));
        let id = builder.body(cube("cube", 0.2), Pose::new(turn, Vec3::new(0.0, 0.0, 0.2)));
        builder.velocity(id, Vec3::new(0.0, 0.0, -3.0), Vec3::zeros());
        builder.force(spring("spring", on(1, arm), in_world(anchor), (stiffness, rest), 0.0));
        simulate(builder, ContactOptions { potential_in_projection, ..ContactOptions::default() }, h)
    };
    let mass = cube("cube", 0.2).mass;
    let energy = |x: &Vec3, r: &Matrix3<f64>| {
        let length = (x + r * arm - anchor).norm();
        0.5 * stiffness * (length - rest).powi(2) + mass * 9.81 * x.z
    };
    let (plain, weighed) = (objective(&mut build(false), h, energy), objective(&mut build(true), h, energy));
    assert!(weighed < 0.99 * plain, "{plain:e} {weighed:e}");
}

/// A bar hinged to the world swings into a wall.
fn pendulum(loops: bool) -> (ModelBuilder, BodyId) {
    let mut builder = ModelBuilder::new();
    builder.body(half_space("wall", -Vec3::x(), -0.4), Pose::identity());
    let hinge = Rotation3::from_scaled_axis(Vec3::new(-std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let bar = |builder: &mut ModelBuilder, name: &str, x: f64| {
        builder.body(cuboid(name, 0.05, 0.05, 1.0), Pose::at(Vec3::new(x, 0.0, -0.5)))
    };
    let first = bar(&mut builder, "bar", 0.0);
    let at = |x: f64, z: f64| Pose::new(hinge, Vec3::new(x, 0.0, z));
    let tie = |builder: &mut ModelBuilder, name: &str, parent, child, frame: Pose, rate: f64| {
        let joint = builder.joint(builder.joint_at(name, JointKind::Revolute, parent, child, &frame));
        builder.rates(joint, &[rate]);
    };
    tie(&mut builder, "hinge", None, first, at(0.0, 0.0), -1.0);
    if loops {
        // A parallelogram: the coupler stays level, and the second bar turns as the first.
        let coupler = builder.body(cuboid("coupler", 0.6, 0.04, 0.04), Pose::at(Vec3::new(-0.3, 0.0, -1.0)));
        tie(&mut builder, "elbow", Some(first), coupler, at(0.0, -1.0), 1.0);
        let second = bar(&mut builder, "other bar", -0.6);
        tie(&mut builder, "other hinge", None, second, at(-0.6, 0.0), -1.0);
        builder.close(builder.joint_at("last", JointKind::Revolute, Some(coupler), second, &at(-0.6, -1.0)));
    }
    (builder, first)
}

#[test]
fn a_mechanism_of_one_dof_rebounds_at_its_speed_of_approach() {
    for loops in [false, true] {
        let (mut builder, bar) = pendulum(loops);
        builder.contact(surface(1.0, 0.0));
        let mut sim = simulate(builder, ContactOptions::default(), 1e-3);
        let start = sim.ledger().initial().energy();
        let met = run_until_impact(&mut sim, 2000);
        let spin = motion(&sim, bar.0).1;
        println!("loops {loops}: {spin:?} at {}", met.impacts[0].time);
        assert!((spin - Vec3::y()).norm() < 1e-9 || (spin + Vec3::y()).norm() < 1e-9, "{spin:?}");
        for name in ["projection", "contact"] {
            assert!(cause(&sim, name).energy.abs() < 1e-12 * start, "{name}");
        }
        let extremes = sim.ledger().extremes();
        assert!(extremes.position_violation < 1e-11 && extremes.velocity_violation < 1e-11, "{extremes:?}");
        assert!(deepest(sim.model(), sim.state()) < 1e-13);
        // Momentum is exchanged with the supports only.
        assert!(cause(&sim, "scheme").angular.norm() < 1e-15);
    }
}
