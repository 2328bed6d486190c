//! Time stepping with complementarity and a projection of positions: bodies that spin, roll, wobble and lie do not sink, and energy
//! comes from nothing but the projection.

use crate::common::*;
use std::f64::consts::FRAC_PI_2;

const H: f64 = 1e-3;
/// Steps between measurements of penetration.
const EVERY: usize = 10;

/// One body above the floor.
fn alone(name: &str, solid: Solid, turn: Vec3, height: f64, v: Vec3, w: Vec3) -> ModelBuilder {
    let mut builder = level(0.0, 0.3);
    let pose = Pose::new(Rotation3::from_scaled_axis(turn), Vec3::z() * height);
    let id = builder.body(solid_body(name, solid, DENSITY), pose);
    builder.velocity(id, v, w);
    builder
}

/// Scenes of one body in lasting contact, with the size of the body.
fn lasting() -> Vec<(&'static str, ModelBuilder, f64)> {
    let (tilt, lean) = (0.3_f64, 1.3_f64);
    let plate = Solid::Polytope(Polytope::cuboid(0.3, 0.3, 0.01).unwrap());
    let ellipsoid = Solid::Ellipsoid(Ellipsoid::new(Vec3::new(0.1, 0.06, 0.03)).unwrap());
    let coin = Solid::Cylinder(Cylinder::new(0.001, 0.012).unwrap());
    let capsule = Solid::Capsule(Capsule::new(0.1, 0.05).unwrap());
    let low = 0.15 * tilt.sin() + 0.005 * tilt.cos();
    let rim = 0.012 * lean.sin() + 0.001 * lean.cos();
    let spin = |rate: f64| Vec3::z() * rate;
    vec![
        ("plate", alone("plate", plate.clone(), Vec3::y() * tilt, low, Vec3::zeros(), spin(12.0)), 0.3),
        ("flat plate", alone("plate", plate, Vec3::y() * 0.01, 0.0066, Vec3::zeros(), spin(30.0)), 0.3),
        (
            "ellipsoid",
            alone(
                "ellipsoid",
                ellipsoid,
                Vec3::new(0.2, 0.1, 0.0),
                0.045,
                Vec3::zeros(),
                Vec3::new(1.0, 2.0, 10.0),
            ),
            0.2,
        ),
        ("coin", alone("coin", coin, Vec3::x() * lean, rim, Vec3::zeros(), spin(60.0)), 0.024),
        (
            "capsule",
            alone("capsule", capsule, Vec3::x() * FRAC_PI_2, 0.05, Vec3::x(), Vec3::new(0.0, 15.0, 2.0)),
            0.2,
        ),
    ]
}

/// Ten boxes on each other, a little askew.
fn tower() -> ModelBuilder {
    let mut builder = level(0.0, 0.5);
    for k in 0..10 {
        let at = Vec3::new(0.003 * (k as f64 * 2.3).sin(), 0.0, 0.05 + 0.1 * k as f64);
        builder.body(cube(&format!("box-{k}"), 0.1), Pose::at(at));
    }
    builder
}

/// Mixed boxes above each other, turned anyhow.
fn falling_boxes(count: usize) -> ModelBuilder {
    let mut builder = level(0.0, 0.5);
    let mut random = Random::new(7);
    for k in 0..count {
        let [a, b, c] = [(); 3].map(|()| 0.15 + 0.05 * random.signed());
        let at = Vec3::new(0.15 * random.signed(), 0.15 * random.signed(), 0.2 + 0.25 * k as f64);
        builder.body(cuboid(&format!("box-{k}"), a, b, c), Pose::new(random.rotation(), at));
    }
    builder
}

/// The deepest penetration of any two parts.
fn penetration(sim: &Simulation) -> f64 {
    let geometry = sim.model().contacts.as_deref().unwrap();
    let pose = |part: usize| geometry.parts[part].body_pose(sim.state());
    let depth = |(a, b): (usize, usize)| {
        let poses = (&pose(a), &pose(b));
        if !geometry.bounding_balls_overlap((a, b), poses) {
            return 0.0;
        }
        let cold = &mut PairWarmStart::default();
        -geometry.separation((a, b), poses, f64::INFINITY, cold).unwrap().gap()
    };
    geometry.all_pairs().into_iter().map(depth).fold(0.0, f64::max)
}

/// Figures of a run, relative to the energy at the start but for the penetration, m.
struct Figures {
    deepest: f64,
    /// Greatest gain of energy in a step beyond that of the projection.
    gain: f64,
    /// Energy that the projection brought in all.
    projected: f64,
    /// Steps that were projected.
    steps: usize,
}

fn figures(builder: ModelBuilder, lcp: LcpOptions, until: f64) -> (Simulation, Figures) {
    let mut sim = stepped(builder, lcp, H);
    let size = energy(&sim);
    let (mut deepest, mut k, mut steps) = (0.0_f64, 0, 0);
    let gain = greatest_gain(&mut sim, (until / H).round() as usize, |sim| {
        let projection = sim.step_record().unwrap().projection.unwrap();
        assert_eq!(projection.left, 0.0, "step {k}: {projection:?}");
        steps += usize::from(projection.iterations > 0);
        if k % EVERY == 0 {
            deepest = deepest.max(penetration(sim));
        }
        k += 1;
    });
    let projected = sim.ledger().source("projection").unwrap().energy / size;
    (sim, Figures { deepest, gain: gain / size, projected, steps })
}

#[test]
fn bodies_that_spin_roll_and_wobble_for_ten_seconds_do_not_sink() {
    for (name, builder, size) in lasting() {
        for metric in [DistanceMetric::Gap, DistanceMetric::Ratio] {
            let lcp = LcpOptions { metric, ..LcpOptions::default() };
            let (_, seen) = figures(builder.clone(), lcp, 10.0);
            let Figures { deepest, gain, projected, steps } = seen;
            println!(
                "{name} {metric:?}: penetration {:.1e} of the size, gain {gain:.1e}, projected {projected:.1e} in {steps} steps",
                deepest / size
            );
            assert!(deepest < 1e-7 * size, "{name} {metric:?}: {deepest:e}");
            assert!(gain < 1e-10, "{name} {metric:?}: {gain:e}");
            assert!(projected.abs() < 2e-3, "{name} {metric:?}: {projected:e}");
        }
    }
}

#[test]
fn ten_boxes_stand_and_thirty_boxes_fall_on_a_heap_without_sinking() {
    for (name, builder, until) in [("tower", tower(), 10.0), ("heap", falling_boxes(30), 1.5)] {
        let (sim, Figures { deepest, gain, projected, steps }) =
            figures(builder, LcpOptions::default(), until);
        println!(
            "{name}: penetration {deepest:.1e} m, gain {gain:.1e}, projected {projected:.1e} in {steps} steps"
        );
        assert!(deepest < 1e-8, "{name}: {deepest:e}");
        assert!(gain < 1e-10, "{name}: {gain:e}");
        assert!(projected.abs() < 1e-4, "{name}: {projected:e}");
        assert!(name != "tower" || sim.ledger().latest().kinetic < 1e-15);
    }
}

/// A step of a body that rolls needs no projection to second order: with normals and arms of its middle, what a step penetrates falls
/// with the cube of the step.
#[test]
fn what_a_step_penetrates_falls_with_the_cube_of_the_step() {
    let overlap = |h: f64| {
        let (_, builder, _) = lasting().swap_remove(2);
        let mut sim = stepped(builder, LcpOptions::default(), h);
        let mut sum = 0.0;
        let steps = (0.25 / h).round() as usize;
        for _ in 0..steps {
            sim.step().unwrap();
            sum += sim.step_record().unwrap().projection.unwrap().overlap;
        }
        sum / steps as f64
    };
    let points = [2e-3, 1e-3, 5e-4, 2.5e-4].map(|h| (h, overlap(h)));
    let order = order(&points);
    println!("{points:?}: order {order:.3}");
    assert!(order > 2.5, "{points:?}: {order}");
}

/// Bodies on joints that fall: joints open by what the velocity problem leaves, of the order h², and nothing sinks.
#[test]
fn bodies_on_joints_that_fall_on_a_floor_neither_sink_nor_come_apart() {
    let openings = [2e-3, 1e-3, 5e-4].map(|h| {
        let mut builder = level(0.0, 0.4);
        let mut above = None;
        for k in 0..4 {
            let at = Vec3::new(0.3 * k as f64, 0.02 * k as f64, 0.4);
            let id = builder.body(cuboid(&format!("box-{k}"), 0.2, 0.15, 0.1), Pose::at(at));
            if let Some(before) = above {
                let frame = Pose::at(at - Vec3::x() * 0.15);
                builder.joint(builder.joint_at(
                    &format!("ball-{k}"),
                    JointKind::Spherical,
                    Some(before),
                    id,
                    &frame,
                ));
            }
            builder.project(true);
            builder.velocity(id, Vec3::new(0.2, 0.0, 0.0), Vec3::new(1.0, 2.0, 0.5));
            above = Some(id);
        }
        let mut sim = stepped(builder, LcpOptions::default(), h);
        let (mut open, mut deepest) = (0.0_f64, 0.0_f64);
        let first = energy(&sim);
        let gain = greatest_gain(&mut sim, (2.0 / h) as usize, |sim| {
            open = open.max(violation(sim.model(), sim.state()));
            deepest = deepest.max(penetration(sim));
        });
        println!("{h}: joints open {open:.1e}, penetration {deepest:.1e}, gain {:.1e}", gain / first);
        assert!(deepest < 1e-8 && gain < 1e-10 * first, "{h}: {deepest:e} {gain:e}");
        (h, open)
    });
    assert!(openings[2].1 < 1e-4 && order(&openings) > 1.5, "{openings:?}");
}

/// Two balls that overlap at the start: they are moved apart along their line by masses, keep their velocities, and the ledger has the
/// angular momentum and the potential energy of that.
#[test]
fn a_projection_moves_positions_only_and_is_in_the_ledger() {
    let (depth, h) = (0.01, 1e-3);
    for g in [0.0, G] {
        let mut builder = ModelBuilder::new();
        builder.gravity(Vec3::z() * -g);
        builder.contact(surface(0.0, 0.0));
        let line = Vec3::new(0.6, 0.0, 0.8);
        let spins = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 0.5, 1.0)];
        for (k, radius) in [0.1, 0.2].into_iter().enumerate() {
            let at = line * if k == 0 { 0.0 } else { 0.3 - depth };
            let id = builder.body(sphere(&format!("ball-{k}"), radius, DENSITY), Pose::at(at));
            builder.velocity(id, Vec3::new(0.0, 3.0, 0.0), spins[k]);
        }
        let mut sim = stepped(builder, LcpOptions::default(), h);
        let start = sim.state().positions.clone();
        sim.step().unwrap();
        let velocity = Vec3::new(0.0, 3.0, -g * h);
        let shift = [0, 1].map(|k| position(&sim, k) - start[k] - velocity * h);
        // Masses are as 1 to 8.
        for (shift, part) in shift.iter().zip([-8.0 / 9.0, 1.0 / 9.0]) {
            assert!((shift - line * (depth * part)).norm() < 1e-9, "{shift}");
        }
        for (k, spin) in spins.iter().enumerate() {
            let (v, w) = motion(&sim, k);
            assert!((v - velocity).norm() < 1e-12 && (w - spin).norm() < 1e-12);
        }
        let lifted: f64 = (0..2).map(|k| g * sim.model().bodies[k].mass * shift[k].z).sum();
        let projection = sim.ledger().source("projection").unwrap();
        assert!((projection.energy - lifted).abs() < 1e-12, "{} {lifted}", projection.energy);
        // The ledger's torque of gravity acts at the middle of the way, projection included.
        assert!(g > 0.0 || sim.ledger().source("scheme").unwrap().angular.norm() < 1e-12);
    }
}

/// A run with projections that is interrupted goes on bitwise identically: the projection stores nothing.
#[test]
fn projected_runs_that_are_interrupted_go_on_bitwise_identically() {
    for (name, builder, _) in lasting() {
        let mut whole = stepped(builder.clone(), LcpOptions::default(), H);
        run(&mut whole, 300);
        let (memory, state) = (whole.save_warm_start(), whole.state().clone());
        let (model, _) = builder.build_open().unwrap();
        let scheme = SchemeKind::Lcp.build(&model, &state, &SchemeOptions::default()).unwrap();
        let mut again = Simulation::new(model, state, scheme, H).unwrap();
        assert!(again.restore_warm_start(&memory));
        for _ in 0..300 {
            whole.step().unwrap();
            again.step().unwrap();
            assert_eq!(whole.state(), again.state(), "{name}");
        }
    }
}
