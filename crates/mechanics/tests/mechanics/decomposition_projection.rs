//! The closest-point projection of the decomposition scheme: nearest, group by group, and a failure where there is no room.

use crate::common::*;

/// Responds to the penetrations of an initial state.
fn respond(builder: ModelBuilder, only: Option<&[bool]>) -> (Model, State, State, StepRecord) {
    let (model, trial) = builder.build().unwrap();
    let mut response = DecompositionResponse::new(&model, &trial, &ContactOptions::default());
    let (mut state, mut record) = (trial.clone(), StepRecord::default());
    response.respond(&model, &mut state, 1e-3, 1e-3, only, &mut record).unwrap();
    (model, trial, state, record)
}

/// `(q - q̃)ᵀ M (q - q̃)`.
fn squared_distance(model: &Model, a: &State, b: &State) -> f64 {
    let of = |(slot, link): (usize, &percussion_mechanics::tree::Link)| {
        let turn: Matrix3<f64> = a.rotations[slot] - b.rotations[slot];
        let half = 0.5 * link.inertia.sum();
        let turned: f64 = (0..3).map(|k| (half - link.inertia[k]) * turn.column(k).norm_squared()).sum();
        link.mass * (a.positions[slot] - b.positions[slot]).norm_squared() + turned
    };
    model.links.iter().enumerate().map(of).sum()
}

#[test]
fn spheres_separate_along_the_line_of_centres_in_proportion_to_the_other_mass() {
    let mut builder = ModelBuilder::new();
    let (a, b) = (sphere("a", 0.1, 500.0), sphere("b", 0.2, 300.0));
    let (ma, mb) = (a.mass, b.mass);
    let (xa, xb) = (Vec3::new(0.1, -0.05, 0.0), Vec3::new(0.25, 0.1, 0.15));
    builder.body(a, Pose::at(xa));
    builder.body(b, Pose::at(xb));
    builder.contact(ContactSpec::default());
    let (_, _, state, _) = respond(builder, None);
    let apart = xa - xb;
    let depth = 0.3 - apart.norm();
    assert!(depth > 0.03);
    let n = apart.normalize();
    assert!((state.positions[0] - xa - n * (depth * mb / (ma + mb))).norm() < 1e-10);
    assert!((state.positions[1] - xb + n * (depth * ma / (ma + mb))).norm() < 1e-10);
    assert!((state.rotations[0] - Matrix3::identity()).norm() < 1e-10);
}

#[test]
fn a_flat_box_is_lifted_straight() {
    let mut builder = ModelBuilder::new();
    builder.body(floor(), Pose::identity());
    free_body(&mut builder, cube("box", 0.2), Vec3::new(1.0, 2.0, 0.097), Vec3::zeros(), Vec3::zeros());
    builder.contact(ContactSpec::default());
    let (model, _, state, record) = respond(builder, None);
    assert!((state.positions[0] - Vec3::new(1.0, 2.0, 0.1)).norm() < 1e-13);
    assert!((state.rotations[0] - Matrix3::identity()).norm() < 1e-13);
    assert!(deepest(&model, &state) == 0.0 && record.overlap == 0.0);
    assert_eq!(record.nodes.len(), 1);
    assert_eq!(record.places[0].position, Vec3::new(1.0, 2.0, 0.097));
}

/// Bricks that penetrate the floor and each other.
fn heap(tilt: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.body(floor(), Pose::identity());
    let turn = |x: f64| Rotation3::from_scaled_axis(Vec3::new(0.5, 0.3, x) * tilt);
    let lowest = if tilt > 0.0 { 0.185 } else { 0.145 };
    builder.body(cuboid("low", 0.1, 0.2, 0.3), Pose::new(turn(0.2), Vec3::new(0.0, 0.0, lowest)));
    builder.body(cuboid("high", 0.2, 0.2, 0.2), Pose::new(turn(0.9), Vec3::new(0.02, 0.01, lowest + 0.24)));
    builder.contact(ContactSpec::default());
    builder
}

/// Thousands of configurations without penetration near the result: none is nearer.
#[test]
fn the_projection_is_the_nearest_configuration_without_penetration() {
    let mut random = Random::new(5);
    for tilt in [0.0, 1.0] {
        let (model, trial, state, _) = respond(heap(tilt), None);
        assert!(deepest(&model, &trial) > 1e-3 && deepest(&model, &state) == 0.0);
        let least = squared_distance(&model, &state, &trial);
        let (mut tried, mut best) = (0, f64::INFINITY);
        for k in 0..60_000 {
            let size = 10f64.powf(-2.0 - 3.0 * f64::from(k % 100) / 100.0);
            let mut other = state.clone();
            // Raised by different amounts, so that enough of them do not penetrate.
            let raised = size * f64::from(k % 7) / 3.0;
            for slot in 0..model.moving() {
                other.positions[slot] += random.vector() * size + Vec3::z() * (raised * (slot + 1) as f64);
                let turn = Rotation3::from_scaled_axis(random.vector() * (size / 0.1));
                other.rotations[slot] = turn.matrix() * other.rotations[slot];
            }
            if deepest(&model, &other) == 0.0 {
                tried += 1;
                best = best.min(squared_distance(&model, &other, &trial));
            }
        }
        println!("tilt {tilt}: {tried} tried, nearest {best:e}, projection {least:e}");
        assert!(tried > 1000 && best > least * (1.0 - 1e-9), "{best:e} {least:e}");
    }
}

#[test]
fn pairs_that_collide_far_from_each_other_are_independent() {
    let pair = |builder: &mut ModelBuilder, name: &str, at: Vec3| {
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.2, 0.1));
        builder.body(cuboid(&format!("{name}-a"), 0.2, 0.1, 0.3), Pose::new(turn, at));
        let id = builder.body(cube(&format!("{name}-b"), 0.2), Pose::at(at + Vec3::new(0.15, 0.0, 0.1)));
        builder.velocity(id, Vec3::new(-1.0, 0.2, 0.0), Vec3::y());
    };
    let run = |both: bool| {
        let mut builder = ModelBuilder::new();
        pair(&mut builder, "one", Vec3::zeros());
        if both {
            pair(&mut builder, "two", Vec3::new(2.0, 1.0, 0.0));
        }
        builder.contact(surface(0.5, 0.3));
        respond(builder, None)
    };
    let ((_, trial, one, _), (_, _, two, record)) = (run(false), run(true));
    assert_ne!(trial.positions, one.positions);
    assert_eq!(one.positions[..], two.positions[..2]);
    assert_eq!(one.rotations[..], two.rotations[..2]);
    assert_eq!(one.momenta[..], two.momenta[..12]);
    assert!(record.impacts.len() >= 2);
}

#[test]
fn groups_without_a_marked_island_are_unchanged() {
    let build = || row(&[0.0, 0.27, 2.0, 2.27], &[0.1, 0.0, 0.1, 0.0], ContactSpec::default());
    let (_, trial, state, record) = respond(build(), Some(&[false, true, false, false]));
    assert_eq!(trial.positions[2..], state.positions[2..]);
    assert_eq!(trial.momenta[12..], state.momenta[12..]);
    assert!(trial.positions[0] != state.positions[0] && trial.positions[1] != state.positions[1]);
    assert_eq!(record.nodes.iter().map(|node| node.island).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_projection_leaves_no_penetration_of_a_third_body() {
    // The gap behind the second cube is smaller than its displacement.
    let l = CRADLE;
    for gap in [1e-12, 1e-3, 4e-3, 9e-3] {
        let places = [0.0, l - 0.01, 2.0 * l - 0.01 + gap, 3.0 * l - 0.01 + 2.0 * gap];
        let (model, _, state, _) = respond(row(&places, &[0.0; 4], ContactSpec::default()), None);
        assert_eq!(deepest(&model, &state), 0.0, "{gap}");
        let centre: Vec3 = state.positions.iter().sum::<Vec3>() / 4.0;
        let before = places.iter().sum::<f64>() / 4.0;
        assert!((centre.x - before).abs() < 1e-12, "equal masses: the centre stays");
    }
}

/// A ball of diameter 0.2 m between two walls.
fn between_walls(width: f64, velocity: Vec3, contact: ContactSpec) -> Simulation {
    let mut builder = ModelBuilder::new();
    for (name, normal) in [("left", Vec3::x()), ("right", -Vec3::x())] {
        builder.body(half_space(name, normal, -0.5 * width), Pose::identity());
    }
    free_body(&mut builder, sphere("ball", 0.1, 300.0), Vec3::zeros(), velocity, Vec3::zeros());
    builder.contact(contact);
    simulate(builder, ContactOptions::default(), 1e-3)
}

#[test]
fn without_room_the_step_fails_with_the_history_of_penetrations() {
    // At least 0.2 m wide in every direction, between walls 0.18 m apart.
    let mut sim = between_walls(0.18, Vec3::x(), ContactSpec::default());
    let before = sim.state().clone();
    let failure = sim.step().unwrap_err();
    assert!(matches!(failure.error, StepError::Overlap { depth } if depth > 5e-3), "{failure:?}");
    assert_eq!((failure.body.as_str(), failure.step), ("ball", 0));
    assert!(!failure.history.is_empty() && sim.state() == &before);
}

#[test]
fn a_body_that_just_fits_is_projected() {
    let mut sim = between_walls(0.2, Vec3::new(1.0, 2.0, 0.0), surface(0.0, 0.0));
    run(&mut sim, 100);
    let (v, x) = (motion(&sim, 2).0, position(&sim, 2));
    assert!((v - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-12 && (x - Vec3::new(0.0, 0.2, 0.0)).norm() < 1e-12);
}
