//! Persistent contact in scenes with impacts, changes of features, redundant contacts and short intervals between impacts.

use crate::common::*;

/// Deepest penetration in a run by the exact scheme, relative to a size, and its fallbacks.
fn deepest_in(builder: ModelBuilder, (h, until, size): (f64, f64, f64)) -> (f64, u64, Simulation) {
    let (model, state) = builder.build().unwrap();
    let mut sim = exactly(model, state, h, &ContactOptions::default());
    let (mut depth, mut fallbacks) = (0.0f64, 0);
    while sim.state().time < until - 0.5 * h {
        sim.step().unwrap();
        assert!(sim.state().is_finite());
        depth = depth.max(deepest(sim.model(), sim.state()) / size);
        fallbacks += sim.step_record().unwrap().fallbacks;
    }
    (depth, fallbacks, sim)
}

#[test]
fn a_small_cube_that_falls_on_a_corner_does_not_sink_in_long_steps() {
    // It turns by more in a step than faces in contact are tilted.
    let side = 0.01;
    for h in [1e-2, 1e-3] {
        let mut builder = level(0.0, 0.5);
        let turn = Rotation3::from_axis_angle(&Vec3::x_axis(), 0.3)
            * Rotation3::from_axis_angle(&Vec3::y_axis(), 0.2);
        builder.body(cube("cube", side), Pose::new(turn, Vec3::new(0.0, 0.0, 0.8 * side)));
        let (depth, fallbacks, sim) = deepest_in(builder, (h, 0.2, side));
        assert!(depth < 1e-9 && fallbacks == 0, "{h}: {depth:e}");
        assert!((position(&sim, 1).z - 0.5 * side).abs() < 1e-9 * side);
    }
}

#[test]
fn balls_that_meet_a_rolling_ball_touch_it_at_its_place() {
    for h in [1e-2, 1e-3] {
        let mut builder = falling();
        builder.contact(surface(0.0, 0.3));
        walls(&mut builder, Vec3::new(0.5, 0.5, 2.0));
        let mut random = Random::new(5);
        for k in 0..8 {
            let at = Vec3::new(random.signed() * 0.1, random.signed() * 0.1, -0.6 + 0.2 * k as f64);
            builder.body(sphere(&format!("ball{k}"), 0.08, 1000.0), Pose::at(at));
        }
        let (depth, fallbacks, _) = deepest_in(builder, (h, 0.7, 0.08));
        assert!(depth < 1e-6 && fallbacks == 0, "{h}: {depth:e}");
    }
}

#[test]
fn touching_cubes_in_a_stack_and_impacts_shortly_after_one_another_leave_no_step_unsolved() {
    // The momentum of the rounding of gaps over a nanosecond is that of gravity.
    for (count, restitution, lift) in [(6, 0.0, 0.0), (3, 0.3, 0.005)] {
        let mut builder = level(restitution, 0.5);
        for k in 0..count {
            let at = Vec3::new(2.0 * lift * (k % 2) as f64, 0.0, 0.1 + (0.2 + lift) * k as f64);
            let turn = Rotation3::from_axis_angle(&Vec3::z_axis(), 20.0 * lift * k as f64);
            builder.body(cube(&format!("cube{k}"), 0.2), Pose::new(turn, at));
        }
        let (depth, fallbacks, _) = deepest_in(builder, (1e-3, 0.1, 0.2));
        assert!(depth < 1e-8 && fallbacks == 0, "{count}: {depth:e}");
    }
}

#[test]
fn a_cube_that_rests_with_friction_locked_in_its_feet_does_not_sink() {
    // It falls from an angle so small that friction of its four corners is left at the cone.
    let side: f64 = 0.2;
    let mut builder = level(0.0, 0.8);
    let angle = std::f64::consts::FRAC_PI_4 - 1e-4;
    let lean = Rotation3::from_axis_angle(&Vec3::y_axis(), 1e-4);
    builder.body(cube("cube", side), Pose::new(lean, Vec3::new(0.0, 0.0, side / 2f64.sqrt() * angle.cos())));
    let (depth, fallbacks, _) = deepest_in(builder, (1e-3, 0.5, side));
    assert!(depth < 5e-10 && fallbacks == 0, "{depth:e}");
}

/// A capsule along y of length 0.3 m without its ends, or a cylinder.
fn rod(name: &str, rounded: bool) -> Body {
    let solid = match rounded {
        true => Solid::Capsule(Capsule::new(0.15, 0.05).unwrap()),
        false => Solid::Cylinder(Cylinder::new(0.15, 0.05).unwrap()),
    };
    solid_body(name, solid, 1000.0)
}

#[test]
fn rods_side_by_side_do_not_sink_into_each_other() {
    // Their contact is a line, of which the nearest point is that of rounding.
    let along_y = Rotation3::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
    let mut on_top = level(0.0, 0.5);
    for (k, x) in [0.0, 0.01].into_iter().enumerate() {
        let at = Vec3::new(x, x, 0.05 + 0.1 * k as f64);
        on_top.body(rod(&format!("rod{k}"), true), Pose::new(along_y, at));
    }
    let mut groove = falling();
    groove.contact(surface(0.2, 0.0));
    for side in [1.0, -1.0] {
        let plane = Vec3::new(side, 0.0, 1.0).normalize();
        groove.body(half_space(&format!("side{side}"), plane, 0.0), Pose::identity());
    }
    for k in 0..4 {
        let at = Vec3::new(0.02 * k as f64 - 0.03, 0.0, 0.15 + 0.15 * k as f64);
        groove.body(rod(&format!("rod{k}"), false), Pose::new(along_y, at));
    }
    for (name, builder) in [("on top", on_top), ("groove", groove)] {
        let start = builder.clone().build().unwrap();
        let begin = totals(&start.0, &start.1);
        let (depth, fallbacks, sim) = deepest_in(builder, (1e-2, 0.6, 0.05));
        let end = totals(sim.model(), sim.state());
        assert!(depth < 1e-9 && fallbacks == 0, "{name}: {depth:e}");
        assert!(end.0 + end.1 < begin.0 + begin.1, "{name}: gains energy");
    }
}

#[test]
fn a_four_bar_linkage_comes_to_rest_with_a_foot_on_the_floor() {
    // Queries shortly after the impact take intervals of nanoseconds, in which the rounding of the loop has the momentum of gravity.
    for h in [1e-2, 1e-3] {
        let mut builder = falling();
        builder.contact(surface(0.0, 0.0));
        builder.body(half_space("floor", Vec3::z(), -0.25), Pose::identity());
        let hinge = Rotation3::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2);
        let points = [(0.0, 0.0), (0.1, 0.4), (0.8, 0.6), (0.9, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
        let mut last = None;
        for k in 0..3 {
            let mut bar = link(&format!("bar{k}"));
            if k == 1 {
                let foot = Solid::Sphere(Sphere::new(0.1).unwrap());
                bar = bar.with_shape(foot, Pose::at(Vec3::new(0.2, 0.0, -0.3)));
            }
            let id = builder.body(bar, Pose::at((points[k] + points[k + 1]) * 0.5));
            let parent = last.replace(id);
            let at = Pose::new(hinge, points[k]);
            builder.joint(builder.joint_at(&format!("joint{k}"), JointKind::Revolute, parent, id, &at));
        }
        let at = Pose::new(hinge, points[3]);
        builder.close(builder.joint_at("last", JointKind::Revolute, None, last.unwrap(), &at));
        builder.project(true);
        builder.velocity(BodyId(1), Vec3::new(0.8, 0.0, -0.2), Vec3::y());
        let (depth, fallbacks, sim) = deepest_in(builder, (h, 0.8, 0.1));
        assert!(depth < 1e-9 && fallbacks == 0, "{h}: {depth:e}");
        let (kinetic, ..) = totals(sim.model(), sim.state());
        assert!(kinetic < 1e-12, "{h}: {kinetic:e}");
    }
}

#[test]
fn dominoes_do_not_penetrate_where_contacts_open_and_close_within_a_step() {
    let (half_width, half_height) = (0.01, 0.1);
    // The lean of the first one decides which contacts slide in the row that lies at last.
    for (count, spacing, friction, lean) in
        [(6, 0.08, 0.4, 0.15), (6, 0.08, 0.4, 0.15 + 1e-6), (5, 0.1, 0.3, 0.15)]
    {
        let mut builder = level(0.0, friction);
        for k in 0..count {
            let turn = Rotation3::from_axis_angle(&Vec3::y_axis(), if k == 0 { lean } else { 0.0 });
            let foot = Vec3::new(spacing * k as f64 + half_width, 0.0, 0.0);
            let pose = Pose::new(turn, foot + turn * Vec3::new(-half_width, 0.0, half_height));
            builder.body(brick(&format!("domino{k}"), Vec3::new(0.02, 0.1, 0.2), 600.0), pose);
        }
        let (depth, fallbacks, _) = deepest_in(builder, (1e-3, 1.0, 0.02));
        assert!(depth < 1e-6 && fallbacks == 0, "{count} dominoes, lean {lean}: {depth:e}");
    }
}

/// Bricks in rows, each half a brick beside those below it.
fn brick_wall(rows: usize, width: usize) -> ModelBuilder {
    let mut builder = level(0.0, 0.5);
    for r in 0..rows {
        for k in 0..width {
            let x = 0.2 * (k as f64 + 0.5 * (r % 2) as f64);
            let at = Vec3::new(x, 0.0, 0.1 * (r as f64 + 0.5));
            builder.body(brick(&format!("brick{r}-{k}"), Vec3::new(0.2, 0.1, 0.1), 500.0), Pose::at(at));
        }
    }
    builder
}

/// Cubes that touch one another and the floor.
fn touching_cubes(count: usize, side: f64, density: f64) -> ModelBuilder {
    let mut builder = level(0.0, 0.5);
    for k in 0..count.pow(3) {
        let at = Vec3::new((k % count) as f64, (k / count % count) as f64, (k / count / count) as f64 + 0.5);
        builder.body(brick(&format!("cube{k}"), Vec3::repeat(side), density), Pose::at(at * side));
    }
    builder
}

#[test]
fn piles_come_to_rest_at_once_and_stay_where_they_are_bitwise() {
    let piles = [
        ("wall", brick_wall(5, 4)),
        ("light cubes", touching_cubes(3, 0.1, 30.0)),
        ("heavy cubes", touching_cubes(4, 1.0, 8000.0)),
        ("columns", touching_cubes(2, 0.3, 270.0)),
    ];
    for (name, builder) in piles {
        let (model, state) = builder.build().unwrap();
        let start = state.positions.clone();
        let mut sim = exactly(model, state, 1e-3, &ContactOptions::default());
        sim.run_until(0.02).unwrap();
        let at_rest = sim.state().positions.clone();
        let moved = start.iter().zip(&at_rest).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(moved < 1e-12, "{name}: {moved:e}");
        for _ in 0..30 {
            sim.step().unwrap();
            let record = sim.step_record().unwrap();
            assert_eq!((record.unsolved, record.fallbacks, record.impacts.len()), (0, 0, 0), "{name}");
            assert!(sim.state().momenta.iter().all(|p| *p == 0.0), "{name}");
            assert_eq!(sim.state().positions, at_rest, "{name}");
        }
        // The floor carries all of the weight: impulses and the weight balance in the ledger.
        let extremes = sim.ledger().extremes();
        let weight: f64 = sim.model().links.iter().map(|link| link.mass * G).sum();
        let (linear, angular) = (extremes.linear_error, extremes.angular_error);
        assert!(linear.max(angular) < 1e-12 * weight, "{name}: {linear:e} {angular:e}");
    }
}

#[test]
fn a_run_that_is_resumed_beside_piles_at_rest_is_bitwise_the_same() {
    // A ball falls on a wall at rest; another wall is not touched.
    let mut builder = brick_wall(3, 3);
    for k in 0..8 {
        let at = Vec3::new(2.0, 0.0, 0.1 * (k as f64 + 0.5));
        builder.body(cube(&format!("cube{k}"), 0.1), Pose::at(at));
    }
    builder.body(sphere("ball", 0.05, 500.0), Pose::at(Vec3::new(0.2, 0.01, 0.3503)));
    let (model, state) = builder.build().unwrap();
    let mut whole = exactly(model.clone(), state, 1e-3, &ContactOptions::default());
    for _ in 0..5 {
        whole.step().unwrap();
    }
    let saved = whole.save_warm_start();
    let mut resumed = exactly(model, whole.state().clone(), 1e-3, &ContactOptions::default());
    assert!(resumed.restore_warm_start(&saved));
    let mut impacts = 0;
    for _ in 0..10 {
        whole.step().unwrap();
        resumed.step().unwrap();
        impacts += whole.step_record().unwrap().impacts.len();
        assert_eq!(whole.state(), resumed.state());
        assert_eq!(whole.step_contacts(), resumed.step_contacts());
    }
    assert!(impacts > 0);
}
