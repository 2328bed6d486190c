//! What time stepping with complementarity keeps: energy never grows, momentum is kept, overlaps are of the order of h².

use crate::common::*;

/// Bodies at random above a floor: boxes, tetrahedra, balls, capsules; every second one may be the child of the one before by a joint.
fn crowd(seed: u64, count: usize, joints: &[JointKind]) -> ModelBuilder {
    let mut random = Random::new(seed);
    let mut builder = level(0.0, 0.4);
    // Velocities as far as joints let them.
    builder.project(true);
    let mut before: Option<BodyId> = None;
    for k in 0..count {
        let name = format!("body-{k}");
        let body = match k % 4 {
            0 => cuboid(&name, 0.3, 0.5, 0.8),
            1 => solid_body(&name, Solid::Polytope(Polytope::tetrahedron(0.7).unwrap()), DENSITY),
            2 => sphere(&name, 0.3, DENSITY),
            _ => solid_body(&name, Solid::Capsule(Capsule::new(0.3, 0.15).unwrap()), DENSITY),
        };
        let at = Vec3::new(0.3 * random.signed(), 0.3 * random.signed(), 0.9 + 1.1 * k as f64);
        let id = builder.body(body, Pose::new(random.rotation(), at));
        builder.velocity(id, random.vector() - Vec3::z(), random.vector() * 6.0);
        let tied = before.replace(id).filter(|_| k % 2 == 1 && !joints.is_empty());
        if let Some(other) = tied {
            let kind = joints[k / 2 % joints.len()];
            let frame = Pose::new(random.rotation(), (at + builder.pose(other).position) * 0.5);
            let mut joint = builder.joint_at(&format!("joint-{k}"), kind, tied, id, &frame);
            if kind == JointKind::Rod {
                joint.child_frame = Pose::identity();
            }
            builder.joint(joint);
        }
    }
    builder
}

#[test]
fn energy_never_grows_among_bodies_that_fall_on_each_other_free_or_on_joints() {
    let default = LcpOptions::default();
    let kinds = [JointKind::Revolute, JointKind::Spherical, JointKind::Rod, JointKind::Universal];
    let published = LcpOptions::published();
    let choices = [
        ("default", default),
        ("default ratio", LcpOptions { metric: DistanceMetric::Ratio, ..default }),
        ("default pyramid", LcpOptions { cone: Some(FrictionCone::Pyramid), ..default }),
        ("published", published),
        ("gamma 0.3", LcpOptions { gamma: 0.3, ..published }),
        ("ratio", LcpOptions { metric: DistanceMetric::Ratio, ..published }),
    ];
    for (name, lcp) in choices {
        for (seed, joints) in
            (1..=4).map(|seed| (seed, &kinds[..0])).chain((11..=13).map(|seed| (seed, &kinds[..])))
        {
            let mut sim = stepped(crowd(seed, 6, joints), lcp, 0.01);
            let (first, mut reduced, mut overlap) = (energy(&sim), 0, 0.0_f64);
            let gain = greatest_gain(&mut sim, 400, |sim| {
                reduced += usize::from(solve(sim).stabilisation_factor < 1.0);
                overlap = overlap.max(infeasibility(sim));
            }) / first.abs();
            println!("{name}, seed {seed}: gain {gain:.1e}, overlap {overlap:.1e}, reduced {reduced}");
            assert!(gain < 1e-10, "{name} {seed}: {gain:e}");
        }
    }
}

/// Velocities are bounded by the energy that there is [Hart 6.12]: no body has more than all had at the start, above the floor.
#[test]
fn velocities_are_bounded_by_the_energy_at_the_start() {
    let mut sim = stepped(crowd(5, 6, &[]), LcpOptions::default(), 0.01);
    let first = energy(&sim);
    for _ in 0..400 {
        sim.step().unwrap();
        for body in 1..=6 {
            let mass = sim.model().bodies[body].mass;
            let v = motion(&sim, body).0;
            assert!(v.norm() <= (2.0 * first / mass).sqrt());
        }
        assert!(sim.ledger().latest().potential > -1e-3 * first, "nothing sinks into the floor");
    }
}

#[test]
fn a_free_top_keeps_momentum_never_gains_energy_and_turns_to_first_order() {
    // A reference of second order with steps a thousand times smaller.
    let top = || top(Vec3::new(1.0, 2.0, 2.5), Vec3::new(0.4, 1.0, -0.7));
    let (model, mut state) = top().build().unwrap();
    let mut reference = Variational::new(&model, &state);
    for _ in 0..200_000 {
        reference.step(&model, &mut state, 1e-5).unwrap();
    }
    let truth: Mat3 = state.rotations[0];
    let mut errors = Vec::new();
    for h in [0.02, 0.01, 0.005, 0.0025] {
        let mut sim = stepped(top(), LcpOptions::default(), h);
        let start = *sim.ledger().latest();
        let mut last = start.kinetic;
        let (mut drift, mut gain) = (0.0_f64, f64::NEG_INFINITY);
        for _ in 0..(2.0_f64 / h).round() as usize {
            sim.step().unwrap();
            let now = sim.ledger().latest();
            let spin = now.angular_about_centre() - start.angular_about_centre();
            drift = drift.max(spin.norm() / start.angular_about_centre().norm());
            drift = drift.max((now.linear - start.linear).norm() / start.linear.norm());
            gain = gain.max((now.kinetic - last) / start.kinetic);
            last = now.kinetic;
        }
        let error = (sim.state().rotations[0] - truth).norm();
        println!("{h}: momentum {drift:.1e}, gain {gain:.1e}, turn {error:.2e}");
        assert!(drift < 1e-12 && gain < 1e-14, "{h}: {drift:e} {gain:e}");
        errors.push((h, error));
    }
    let order = order(&errors);
    assert!((0.9..=1.1).contains(&order), "{order}");
}

/// Two bodies that fly into each other, spinning, in empty space; after a second, how far momenta are from where they were,
/// relative: linear, and angular about the common centre of mass.
fn collision(body: impl Fn(&str) -> Body, h: f64) -> (f64, f64) {
    let mut builder = ModelBuilder::new();
    let mut random = Random::new(3);
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let at = Vec3::new(0.8 * side, 0.05 * side, -0.04 * side);
        let id = builder.body(body(name), Pose::new(random.rotation(), at));
        builder.velocity(id, Vec3::new(-1.5 * side, 0.3, 0.1), random.vector() * 2.0);
    }
    builder.contact(surface(0.0, 0.3));
    let mut sim = stepped(builder, LcpOptions::default(), h);
    let start = *sim.ledger().latest();
    let mut met = 0;
    for _ in 0..(1.0 / h).round() as usize {
        sim.step().unwrap();
        met += sim.step_record().unwrap().impacts.len();
    }
    assert!(met > 0);
    let now = sim.ledger().latest();
    // Of the size of what the bodies exchange.
    let size = 0.5 * start.mass * 1.5;
    let spin = now.angular_about_centre() - start.angular_about_centre();
    ((now.linear - start.linear).norm() / size, spin.norm() / (size * 0.3))
}

#[test]
fn collisions_in_free_space_keep_linear_momentum_and_balls_keep_angular_momentum_too() {
    let (linear, angular) = collision(|name| sphere(name, 0.3, DENSITY), 0.01);
    assert!(linear < 1e-12 && angular < 1e-12, "{linear:e} {angular:e}");
    // The turn of a step is that of its end: bodies with three moments lose as much spin as they precess in the step of an
    // impulse.
    let mut errors = Vec::new();
    for h in [0.02, 0.01, 0.005, 0.0025, 0.00125] {
        let (linear, angular) = collision(|name| cuboid(name, 0.3, 0.5, 0.8), h);
        println!("boxes, {h}: linear {linear:.1e}, angular {angular:.1e}");
        assert!(linear < 1e-12, "{linear:e}");
        errors.push((h, angular));
    }
    let order = order(&errors);
    assert!(order > 0.8, "{order}");
}

/// Mean overlap while a plank falls over an edge and a box on the plank, m or in units of the ratio metric.
fn mean_overlap(lcp: LcpOptions, h: f64) -> f64 {
    let mut builder = level(0.0, 0.2);
    let solid = Solid::Polytope(Polytope::cuboid(0.5, 2.0, 0.5).unwrap());
    builder
        .body(Body::fixed("step").with_shape(solid, Pose::at(Vec3::new(0.0, 0.0, 0.25))), Pose::identity());
    builder.body(cuboid("plank", 2.0, 0.3, 0.1), Pose::at(Vec3::new(0.35, 0.0, 0.56)));
    builder.body(cuboid("box", 0.3, 0.3, 0.3), Pose::at(Vec3::new(1.0, 0.02, 1.2)));
    let mut sim = stepped(builder, lcp, h);
    let steps = (1.5 / h).round() as usize;
    let mut sum = 0.0;
    for _ in 0..steps {
        sim.step().unwrap();
        sum += infeasibility(&sim);
    }
    sum / steps as f64
}

#[test]
fn the_mean_overlap_falls_with_the_square_of_the_step() {
    for (name, lcp) in [
        ("gap", LcpOptions::published()),
        ("ratio", LcpOptions { metric: DistanceMetric::Ratio, ..LcpOptions::published() }),
    ] {
        let points = [0.02, 0.01, 0.005, 0.0025, 0.00125].map(|h| (h, mean_overlap(lcp, h)));
        let order = order(&points);
        println!("{name}: {points:?} order {order:.3}");
        assert!(order >= 1.8, "{name}: {order}");
    }
}

#[test]
fn projected_positions_do_not_overlap() {
    for metric in [DistanceMetric::Gap, DistanceMetric::Ratio] {
        let overlap = mean_overlap(LcpOptions { metric, ..LcpOptions::default() }, 0.01);
        assert!(overlap < 1e-9, "{metric:?}: {overlap:e}");
    }
}
