//! Time stepping with complementarity at rest: boxes, towers and round bodies stay where they lie, card houses and arches stand
//! as long as statics lets them.

use crate::common::*;
use std::f64::consts::FRAC_PI_2;

/// Boxes of side one on each other.
fn stack(count: usize, mu: f64) -> ModelBuilder {
    let mut builder = level(0.0, mu);
    for k in 0..count {
        builder.body(cube(&format!("box-{k}"), 1.0), Pose::at(Vec3::new(0.0, 0.0, 0.5 + k as f64)));
    }
    builder
}

#[test]
fn a_box_at_rest_stays_where_it_is_with_every_solver_and_metric() {
    for solver in StepSolver::WORDS.map(|(_, solver)| solver) {
        for (metric, gamma) in
            [(DistanceMetric::Gap, 1.0), (DistanceMetric::Ratio, 1.0), (DistanceMetric::Gap, 0.3)]
        {
            let lcp = LcpOptions { solver, metric, gamma, ..LcpOptions::default() };
            let mut sim = stepped(stack(1, 0.3), lcp, 0.01);
            let start = sim.state().positions.clone();
            run(&mut sim, 1000);
            let drift = drift(&sim, &start);
            assert!(drift < 1e-11, "{solver:?} {metric:?} {gamma}: {drift:e}");
        }
    }
}

#[test]
fn ten_boxes_stand_for_a_minute() {
    let mut sim = stepped(stack(10, 0.3), LcpOptions::default(), 0.01);
    let start = sim.state().positions.clone();
    let mut worst = 0.0_f64;
    for _ in 0..6000 {
        sim.step().unwrap();
        worst = worst.max(solve(&sim).residual);
    }
    let drift = drift(&sim, &start);
    assert!(worst <= 1e-9, "{worst:e}");
    assert!(drift < 1e-9, "{drift:e}");
}

/// Boxes thrown on a heap end at rest, without a threshold that puts them to sleep.
#[test]
fn boxes_come_to_rest() {
    let mut builder = level(0.0, 0.5);
    for k in 0..4 {
        let f = |i: usize| ((k * 5 + i) as f64 * 1.9).sin();
        let turn = Rotation3::from_scaled_axis(Vec3::new(f(0), f(1), f(2)));
        let at = Vec3::new(0.1 * f(3), 0.1 * f(4), 0.6 + 0.7 * k as f64);
        let id = builder.body(cuboid(&format!("box-{k}"), 0.4, 0.5, 0.6), Pose::new(turn, at));
        builder.velocity(id, Vec3::new(f(5), f(6), 0.0), Vec3::new(f(7), f(8), f(9)) * 3.0);
    }
    let mut sim = stepped(builder, LcpOptions::default(), 0.01);
    run(&mut sim, 800);
    let kinetic = sim.ledger().latest().kinetic;
    assert!(kinetic < 1e-10, "{kinetic:e}");
}

/// Round bodies and the height at which their centres rest: a ball, a capsule and a cylinder on their sides, a cylinder on
/// its end.
fn round() -> Vec<(&'static str, Solid, Rotation3<f64>, f64)> {
    let side = Rotation3::from_scaled_axis(Vec3::x() * FRAC_PI_2);
    let cylinder = Solid::Cylinder(Cylinder::new(0.3, 0.2).unwrap());
    vec![
        ("ball", Solid::Sphere(Sphere::new(0.2).unwrap()), Rotation3::identity(), 0.2),
        ("capsule", Solid::Capsule(Capsule::new(0.3, 0.2).unwrap()), side, 0.2),
        ("cylinder", cylinder.clone(), side, 0.2),
        ("standing cylinder", cylinder, Rotation3::identity(), 0.3),
    ]
}

#[test]
fn round_bodies_come_to_rest_on_a_floor_and_on_a_box() {
    for under in [floor(), slab(4.0, 4.0, 0.5)] {
        for (name, solid, turn, height) in round() {
            let mut builder = above(under.clone(), 0.4);
            // Dropped from a hand's breadth.
            let pose = Pose::new(turn, Vec3::new(0.03, -0.05, height + 0.1));
            builder.body(solid_body(name, solid, DENSITY), pose);
            let mut sim = stepped(builder, LcpOptions::default(), 0.01);
            run(&mut sim, 300);
            let (kinetic, at) = (sim.ledger().latest().kinetic, position(&sim, 1));
            let off = (at - Vec3::new(0.03, -0.05, height)).norm();
            println!("{name} on {}: kinetic {kinetic:.1e}, off by {off:.1e}", under.name);
            assert!(kinetic < 1e-16 && off < 1e-9, "{name} on {}: {kinetic:e} {off:e}", under.name);
        }
    }
}

#[test]
fn discs_and_polygons_of_the_plane_come_to_rest_on_a_floor_and_on_a_block() {
    let disc = PlanarShape::Circle(Circle::new(0.2).unwrap());
    let square = PlanarShape::Polygon(Polygon::rectangle(0.4, 0.4).unwrap());
    for on_block in [false, true] {
        for (name, shape, tilt) in [("disc", &disc, 0.0), ("square", &square, 0.0), ("tilted", &square, 0.3)]
        {
            let (mut builder, top, body) = ground_or_block(on_block, 0.4);
            flat(&mut builder, name, shape.clone(), (2.0, 0.05), tilt, Vec2::new(0.1, top + 0.5));
            let mut sim = stepped(builder, LcpOptions::default(), 0.01);
            run(&mut sim, 500);
            let (kinetic, at) = (sim.ledger().latest().kinetic, position(&sim, body));
            let off = (at.y - top - 0.2).abs();
            assert!(kinetic < 1e-16 && off < 1e-9, "{name} {on_block}: {kinetic:e} {off:e}");
        }
    }
}

/// A problem of zeros has no scale for tolerances: bodies that touch at rest, without weight, stay so after they came to rest there.
#[test]
fn bodies_without_weight_stay_where_an_impact_left_them() {
    for solver in StepSolver::WORDS.map(|(_, solver)| solver) {
        let mut builder = level(0.0, 0.3);
        builder.gravity(Vec3::zeros());
        let id = builder.body(cube("box", 0.4), Pose::at(Vec3::new(0.0, 0.0, 0.25)));
        builder.velocity(id, Vec3::new(0.0, 0.0, -2.0), Vec3::zeros());
        let mut sim = stepped(builder, LcpOptions { solver, ..LcpOptions::default() }, 0.01);
        run(&mut sim, 100);
        let (v, w) = motion(&sim, 1);
        assert!((position(&sim, 1) - Vec3::new(0.0, 0.0, 0.2)).norm() < 1e-8, "{solver:?}");
        assert!(v.norm() + w.norm() < 1e-8, "{solver:?}: {v} {w}");
    }
}

/// Stacks of boxes side by side, on a floor that comes first in the list of parts and second in its pairs.
#[test]
fn stacks_at_rest_need_no_more_sweeps() {
    let mut builder = level(0.0, 0.3);
    for k in 0..9 {
        let at = Vec3::new(2.0 * (k % 3) as f64, 0.0, 0.5 + (k / 3) as f64);
        builder.body(cube(&format!("box-{k}"), 1.0), Pose::at(at));
    }
    let (model, mut state) = builder.build_open().unwrap();
    let options = LcpOptions { solver: StepSolver::GaussSeidel, tolerance: 1e-7, ..LcpOptions::default() };
    let mut scheme = Lcp::new(&model, &state, &options).unwrap();
    let mut sweeps = |count: usize| -> usize {
        let mut step = || scheme.step(&model, &mut state, 0.01).map(|stats| stats.iterations).unwrap();
        (0..count).map(|_| step()).sum()
    };
    let first = sweeps(1);
    sweeps(20);
    let later = sweeps(10);
    // Ten cold starts would take ten times as many as the first.
    assert!(later < 2 * first, "{first} {later}");
}
