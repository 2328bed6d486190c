//! The contact potential: its gradient, what it keeps, its order, its losses, and the stiffness that is suggested for it.

use crate::common::*;

fn soft(stiffness: f64, drag: f64) -> ContactSpec {
    ContactSpec { potential: Some(Potential { stiffness, drag }), ..surface(1.0, 0.0) }
}

fn potential(model: &Model, state: &State) -> f64 {
    let placements = at_rest(state);
    let bodies = Bodies { first: 0, kinematics: &placements };
    model.forces.iter().map(|force| force.potential(&bodies).unwrap()).sum()
}

/// The derivative of the potential along a displacement of the degrees of freedom, from the pulls.
fn slope(model: &Model, state: &State, d: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (slot, pull) in pulls(model, state).iter().enumerate() {
        let wrench = pull.wrench(&state.rotations[slot]);
        let d = &d[model.links[slot].dofs()];
        // Free bodies move along and turn about the world's axes; planar ones in x, y and about z.
        sum -= match d.len() {
            6 => (0..6).map(|k| wrench[k] * d[k]).sum::<f64>(),
            _ => wrench[0] * d[0] + wrench[1] * d[1] + wrench[5] * d[2],
        };
    }
    sum
}

fn check_gradient(name: &str, model: &Model, state: &State, random: &mut Random) {
    assert!(potential(model, state) > 0.0, "{name}: nothing overlaps");
    for _ in 0..6 {
        let d: Vec<f64> = (0..model.dofs).map(|_| random.signed()).collect();
        let at = |t: f64| {
            let mut moved = state.clone();
            let scaled: Vec<f64> = d.iter().map(|d| d * t).collect();
            for island in &model.islands {
                displace(model, island, state, &scaled[island.dofs.clone()], &mut moved);
            }
            potential(model, &moved)
        };
        let step = 1e-6;
        // Fourth order.
        let found = (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
        let expected = slope(model, state, &d);
        let size = 1.0 + expected.abs();
        assert!((found - expected).abs() < 2e-7 * size, "{name}: {found} {expected}");
    }
}

#[test]
fn forces_are_the_gradient_of_the_potential() {
    let mut random = Random::new(21);
    let scene = |bodies: [(Body, Pose); 2]| {
        let mut builder = ModelBuilder::new();
        bodies.into_iter().for_each(|(body, pose)| _ = builder.body(body, pose));
        builder.contact(soft(10.0, 0.0));
        builder.build().unwrap()
    };
    for i in 0..30 {
        let corners: Vec<Vec3> = (0..12).map(|_| random.vector()).collect();
        let rock = Solid::Polytope(Polytope::from_vertices(&corners).unwrap());
        let bodies = [solid_body("rock", rock, 1.0), brick("box", Vec3::new(1.0, 0.7, 1.3), 1.0)];
        let placed = bodies.map(|body| (body, Pose::new(random.rotation(), random.vector() * 0.4)));
        let (model, state) = scene(placed);
        if potential(&model, &state) > 0.0 {
            check_gradient(&format!("polytopes {i}"), &model, &state, &mut random);
        }
    }
    let tilt = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.2, 0.1));
    let above = Pose::new(tilt, Vec3::new(0.0, 0.0, 0.15));
    let tilted = (brick("box", Vec3::new(0.2, 0.3, 0.4), 100.0), above);
    let beside = Pose::at(Vec3::new(0.5, 0.4, 0.3));
    let balls = [(sphere("a", 0.5, 1.0), Pose::identity()), (sphere("b", 0.5, 1.0), beside)];
    for (name, bodies) in [("box on floor", [(floor(), Pose::identity()), tilted]), ("balls", balls)] {
        let (model, state) = scene(bodies);
        check_gradient(name, &model, &state, &mut random);
    }
}

/// Maximum error of the derivatives of an interval's momenta relative to the greatest of them, and the greatest entry that ties the two bodies.
fn check_derivatives(model: &Model, start: &State, end: &State) -> (f64, f64) {
    let (n, island) = (model.dofs, &model.islands[0]);
    let interval = uncontrolled((model, island), (start, end), (0.0, 0.05));
    let mut found = Derivatives::default();
    Differentiator::default().differentiate(&interval, &mut found).unwrap();
    let momenta = |interval: &IntervalInputs| {
        let mut p = vec![0.0; 2 * n];
        let (before, after) = p.split_at_mut(n);
        Differentiator::default().momenta(interval, before, after).unwrap();
        p
    };
    let (mut worst, mut ties, mut size) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (column, at_end) in (0..n).flat_map(|column| [(column, false), (column, true)]) {
        // A tenth of what corners share a contact within.
        let e = 3e-6;
        let [plus, minus] = [e, -e].map(|by| {
            let mut d = vec![0.0; n];
            d[column] = by;
            let mut moved = start.clone();
            displace(model, island, if at_end { end } else { start }, &d, &mut moved);
            momenta(&match at_end {
                true => IntervalInputs { end: &moved, ..interval },
                false => IntervalInputs { start: &moved, ..interval },
            })
        });
        for row in 0..2 * n {
            let half = if row < n { &found.before } else { &found.after };
            let matrix = if at_end { &half.by_end } else { &half.by_start };
            let entry = matrix[column * n + row % n];
            worst = worst.max((entry - (plus[row] - minus[row]) / (2.0 * e)).abs());
            size = size.max(entry.abs());
            if (row % n < 6) != (column < 6) {
                ties = ties.max(entry.abs());
            }
        }
    }
    (worst / size, ties)
}

#[test]
fn derivatives_for_control_are_complete() {
    let mut random = Random::new(5);
    let mut overlapping = 0;
    for drag in [0.0, 3.0] {
        for i in 0..12 {
            let mut builder = ModelBuilder::new();
            for k in 0..2 {
                let place = Pose::new(random.rotation(), random.vector() * 0.15);
                builder.body(brick(&format!("b{k}"), Vec3::new(0.3, 0.25, 0.4), 100.0), place);
            }
            builder.contact(soft(3000.0, drag));
            let (model, start) = builder.build().unwrap();
            let mut end = start.clone();
            let d: Vec<f64> = (0..12).map(|_| 0.01 * random.signed()).collect();
            displace(&model, &model.islands[0], &start, &d, &mut end);
            let (error, ties) = check_derivatives(&model, &start, &end);
            println!("drag {drag}, {i}: {error:e}, ties {ties:e}");
            assert!(error < 1e-7, "drag {drag}, {i}: {error:e}");
            overlapping += usize::from(ties > 1.0);
        }
    }
    assert!(overlapping > 12, "{overlapping}");
}

/// Planar bodies above a half-plane.
fn planar(shapes: [PlanarShape; 2], places: [(Vec2, f64); 2], drag: f64, speed: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let ground = PlanarShape::HalfPlane(HalfPlane::new(Vec2::y(), -0.5).unwrap());
    builder.body(Body::fixed("floor").with_outline(ground, PlanarPose::identity()), Pose::identity());
    for (k, (shape, (at, angle))) in shapes.into_iter().zip(places).enumerate() {
        let inertia = Mat3::from_diagonal(&Vec3::new(0.1, 0.1, 0.2));
        let body = Body::rigid(&format!("b{k}"), 1.0, Vec3::zeros(), &inertia).unwrap();
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.0, 0.0, angle));
        let pose = Pose::new(turn, Vec3::new(at.x, at.y, 0.0));
        let id = builder.body(body.with_outline(shape, PlanarPose::identity()), pose);
        builder.velocity(id, Vec3::new(if k == 0 { speed } else { -speed }, 0.0, 0.0), Vec3::zeros());
        // Turns about the centre.
        let frame = Pose::at(pose.position);
        builder.joint(builder.joint_at(&format!("plane-{k}"), JointKind::Planar, None, id, &frame));
    }
    builder.contact(soft(100.0, drag));
    builder.build().unwrap()
}

fn hexagon() -> PlanarShape {
    PlanarShape::Polygon(Polygon::regular(6, 0.5).unwrap())
}

#[test]
fn planar_forces_are_gradients_too() {
    let mut random = Random::new(5);
    let places = [(Vec2::new(0.0, 0.1), 0.2), (Vec2::new(0.7, 0.3), 0.5)];
    let (model, state) = planar([hexagon(), hexagon()], places, 0.0, 0.0);
    check_gradient("hexagons", &model, &state, &mut random);
    let circle = PlanarShape::Circle(Circle::new(0.4).unwrap());
    let places = [(Vec2::new(0.0, -0.2), 0.2), (Vec2::new(3.0, 0.0), 0.5)];
    let (model, state) = planar([circle.clone(), circle], places, 0.0, 0.0);
    check_gradient("circle on a half-plane", &model, &state, &mut random);
}

#[test]
fn momenta_are_kept_to_rounding_through_contact() {
    let mut random = Random::new(9);
    for k in 0..8 {
        let mut builder = ModelBuilder::new();
        for (i, x) in [-0.4, 0.4].into_iter().enumerate() {
            let pose = Pose::new(random.rotation(), Vec3::new(x, 0.0, 0.0) + random.vector() * 0.05);
            let id = builder.body(brick(&format!("b{i}"), Vec3::new(0.3, 0.2, 0.4), 270.0), pose);
            builder.velocity(id, Vec3::new(-x, 0.0, 0.0), random.vector());
        }
        builder.contact(soft(2e4, 0.0));
        let (model, state) = builder.build().unwrap();
        let mut sim = simulation(SchemeKind::Potential, (model, state), 2e-3);
        let mut touched = 0.0f64;
        for _ in 0..1000 {
            sim.step().unwrap();
            touched = touched.max(deepest(sim.model(), sim.state()));
        }
        let (first, last) = (sim.ledger().initial(), sim.ledger().latest());
        let scale = sim.ledger().extremes().angular;
        assert!(touched > 1e-3, "{k}: they meet");
        assert!((last.linear - first.linear).norm() < 1e-12, "{k}");
        assert!((last.angular - first.angular).norm() < 1e-12 * scale.max(1.0), "{k}");
    }
}

#[test]
fn a_floor_takes_no_vertical_spin() {
    let mut builder = level(1.0, 0.0);
    let tilt = Rotation3::from_scaled_axis(Vec3::new(0.7, -0.4, 0.2));
    let id = builder
        .body(brick("box", Vec3::new(0.2, 0.3, 0.1), 270.0), Pose::new(tilt, Vec3::new(0.0, 0.0, 0.5)));
    builder.velocity(id, Vec3::zeros(), Vec3::new(0.3, -0.2, 0.5));
    builder.contact(soft(2e4, 0.0));
    let (model, state) = builder.build().unwrap();
    let mut sim = simulation(SchemeKind::Potential, (model, state), 1e-3);
    // About the centre, since the floor is smooth: the body also moves sideways.
    let spin = |sim: &Simulation| sim.ledger().latest().angular.z;
    let first = sim.ledger().initial().angular.z;
    run(&mut sim, 1500);
    assert!((spin(&sim) - first).abs() < 1e-12, "{}", spin(&sim) - first);
}

#[test]
fn a_soft_cradle_passes_its_momentum_on_without_turning() {
    let mut sim = simulation(SchemeKind::Potential, cradle_one(soft(1e4, 0.0)).build().unwrap(), 1e-3);
    run(&mut sim, 3000);
    for (k, twist) in sim.ledger().twists().iter().enumerate() {
        let v = if k == 4 { 0.105 } else { 0.0 };
        assert!((linear(twist).x - v).abs() < 2e-4, "cube {k}: {}", linear(twist).x);
        assert!(twist.fixed_rows::<3>(3).norm() < 1e-12, "cube {k} turns");
        assert!(linear(twist).yz().norm() < 1e-12);
    }
}

#[test]
fn the_variational_rule_is_of_second_order_within_a_contact() {
    let at = |h: f64| {
        let mut builder = ModelBuilder::new();
        let mut ball = |name: &str, at: Vec3, velocity: Vec3| {
            free_body(&mut builder, sphere(name, 0.2, 100.0), at, velocity, Vec3::zeros());
        };
        ball("a", Vec3::new(-0.19, 0.03, 0.0), Vec3::new(0.05, 0.02, 0.0));
        ball("b", Vec3::new(0.19, 0.0, 0.02), Vec3::new(-0.05, 0.0, 0.01));
        builder.contact(soft(200.0, 0.0));
        let (model, state) = builder.build().unwrap();
        let mut sim = simulation(SchemeKind::Potential, (model, state), h);
        run(&mut sim, (0.12 / h).round() as usize);
        assert!(deepest(sim.model(), sim.state()) > 0.0, "in contact throughout");
        sim.state().positions[0]
    };
    // Begun and ended within the contact: where it begins or ends the force has a kink, which steps meet here or there.
    let truth = at(5e-5);
    let errors = [8e-3, 4e-3, 2e-3].map(|h| (at(h) - truth).norm());
    let order = (errors[1] / errors[2]).log2();
    println!("errors {errors:?}, order {order:.3}");
    assert!((order - 2.0).abs() < 0.02, "{order}");
}

#[test]
fn the_ledger_contains_the_energy_dissipated_by_drag() {
    for scheme in [SchemeKind::Potential, SchemeKind::NewmarkExplicit, SchemeKind::NewmarkImplicit] {
        let places = [(Vec2::new(-0.6, 0.3), 0.1), (Vec2::new(0.6, 0.35), 0.4)];
        let (model, state) = planar([hexagon(), hexagon()], places, 3.0, 0.5);
        let mut sim = simulation(scheme, (model, state), 1e-3);
        run(&mut sim, 2000);
        let (first, last) = (sim.ledger().initial(), sim.ledger().latest());
        let lost = first.energy() - last.energy();
        let explained = -sim.ledger().work();
        println!("{scheme}: lost {lost:.4} J of {:.4}, explained {explained:.4}", first.energy());
        assert!(lost > 0.02 * first.energy(), "{scheme}: {lost}");
        assert!((lost - explained).abs() < 2e-2 * lost, "{scheme}: {lost} {explained}");
    }
}

#[test]
fn the_suggested_stiffness_keeps_the_overlap_it_promises() {
    let built = |stiffness: f64| {
        let mut builder = ModelBuilder::new();
        for (i, x) in [-0.3, 0.3].into_iter().enumerate() {
            let id = builder
                .body(brick(&format!("b{i}"), Vec3::repeat(0.2), 270.0), Pose::at(Vec3::new(x, 0.0, 0.0)));
            builder.velocity(id, Vec3::new(-x, 0.0, 0.0), Vec3::zeros());
        }
        builder.contact(soft(stiffness, 0.0));
        builder.build().unwrap()
    };
    let (model, state) = built(1.0);
    let allowed = 2e-3;
    let coarse = suggested_stiffness(&model, &state, 1e-3, allowed).unwrap();
    let step = coarse.step_needed.unwrap();
    assert!(
        step < 1e-3 && coarse.predicted_overlap > allowed,
        "this step does not resolve a contact so stiff"
    );
    let suggestion = suggested_stiffness(&model, &state, step, allowed).unwrap();
    let (model, state) = built(suggestion.stiffness);
    let mut sim = simulation(SchemeKind::Potential, (model, state), step);
    let mut overlap = 0.0f64;
    for _ in 0..4000 {
        sim.step().unwrap();
        overlap = overlap.max(deepest(sim.model(), sim.state()));
    }
    println!("{suggestion:?}, found {overlap}");
    assert!(overlap <= 1.05 * allowed, "{overlap}");
    let predicted = suggestion.predicted_overlap;
    assert!(overlap < 2.0 * predicted && overlap > 0.5 * predicted, "{overlap} {predicted}");
    assert!((linear(&sim.ledger().twists()[0]).x + 0.3).abs() < 3e-3, "they part as fast as they came");
}
