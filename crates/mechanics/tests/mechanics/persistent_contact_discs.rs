//! Persistent contact of bodies with flat ends and rims: cylinders, discs and cones on faces, on one another and over edges.

use crate::common::*;
use std::f64::consts::FRAC_PI_2;

/// Deepest penetration relative to a size, growth of the energy relative to its scale, unsolved contact problems and fallbacks of a run.
#[derive(Debug)]
struct Run {
    depth: f64,
    growth: f64,
    unsolved: u64,
    fallbacks: u64,
}

fn run_scene(builder: ModelBuilder, (h, until, size): (f64, f64, f64)) -> Run {
    let mut sim = simulated(SchemeKind::Exact, builder, &SchemeOptions::default(), h);
    let mut run = Run { depth: 0.0, growth: 0.0, unsolved: 0, fallbacks: 0 };
    let energies = |sim: &Simulation| {
        let (kinetic, potential, ..) = totals(sim.model(), sim.state());
        (kinetic + potential, kinetic)
    };
    let mut lowest = energies(&sim).0;
    let mut scale = energies(&sim).1.max(0.1 * lowest.abs());
    while sim.state().time < until - 0.5 * h {
        sim.step().unwrap();
        run.depth = run.depth.max(deepest(sim.model(), sim.state()) / size);
        let record = sim.step_record().unwrap();
        run.fallbacks += record.fallbacks;
        run.unsolved += record.unsolved;
        let (now, kinetic) = energies(&sim);
        scale = scale.max(kinetic);
        run.growth = run.growth.max((now - lowest) / scale);
        lowest = lowest.min(now);
    }
    run
}

/// Nothing penetrates, and nothing gains energy beyond the error of the scheme, in scenes whose names contain one of some words.
fn hold(names: &[&str]) {
    let mut count = 0;
    for (name, builder, until, size) in scenes() {
        if !names.iter().any(|part| name.contains(part)) {
            continue;
        }
        let run = run_scene(builder, (1e-3, until, size));
        assert!(run.depth < 1e-6, "{name}: {run:?}");
        // Limits that the guide documents: 6.2e-5 in the step in which a disc that tips hits the floor, 5.8e-4 in two unsolved steps of one
        // that slides and spins.
        let growth = match name {
            "disc tips over the edge of a disc" => 1e-4,
            "disc slides and spins on a disc" => 1e-3,
            _ => 5e-5,
        };
        assert!(run.growth < growth, "{name}: {run:?}");
        assert_eq!(run.fallbacks, 0, "{name}: {run:?}");
        count += 1;
    }
    assert!(count > 0);
}

fn cylinder(name: &str, radius: f64, height: f64) -> Body {
    solid_body(name, Solid::Cylinder(Cylinder::new(0.5 * height, radius).unwrap()), 1000.0)
}

fn cone(name: &str, radius: f64, height: f64) -> Body {
    solid_body(name, Solid::Cone(Cone::new(height, radius).unwrap()), 1000.0)
}

fn capsule(name: &str, radius: f64, half: f64) -> Body {
    solid_body(name, Solid::Capsule(Capsule::new(half, radius).unwrap()), 1000.0)
}

fn about(axis: Vec3, angle: f64) -> Rotation3<f64> {
    Rotation3::from_scaled_axis(axis * angle)
}

/// A cylinder tilted by an angle about y with its lowest rim point at a place.
fn tilted(angle: f64, radius: f64, height: f64, lowest: Vec3) -> Pose {
    let turn = about(Vec3::y(), angle);
    let at = turn * Vec3::new(radius * angle.signum(), 0.0, -0.5 * height);
    Pose::new(turn, lowest - at)
}

/// Name, bodies, duration in s and size in m.
type Scene = (&'static str, ModelBuilder, f64, f64);

fn scenes() -> Vec<Scene> {
    let (r, t) = (0.1, 0.02);
    let mut list: Vec<Scene> = Vec::new();
    let disc = |name: &str| cylinder(name, r, t);
    let mut b = level(0.0, 0.5);
    for k in 0..4 {
        b.body(disc(&format!("d{k}")), Pose::at(Vec3::new(0.0, 0.0, t * (k as f64 + 0.5))));
    }
    list.push(("discs coaxial", b, 0.3, r));
    let mut b = level(0.0, 0.5);
    for k in 0..4 {
        let at = Vec3::new(0.03 * (k % 2) as f64, 0.02 * (k % 3) as f64, t * (k as f64 + 0.5));
        b.body(disc(&format!("d{k}")), Pose::at(at));
    }
    list.push(("discs staggered", b, 0.3, r));
    let mut b = level(0.0, 0.5);
    b.body(disc("a"), Pose::at(Vec3::new(0.0, 0.0, 0.5 * t)));
    b.body(disc("b"), Pose::at(Vec3::new(0.12, 0.0, 1.5 * t)));
    list.push(("disc tips over the edge of a disc", b, 0.5, r));
    let mut b = level(0.0, 0.3);
    b.body(disc("a"), Pose::at(Vec3::new(0.0, 0.0, 0.5 * t)));
    let id = b.body(disc("b"), Pose::at(Vec3::new(0.05, 0.0, 1.5 * t)));
    b.velocity(id, Vec3::new(0.3, 0.2, 0.0), Vec3::new(0.0, 0.0, 20.0));
    list.push(("disc slides and spins on a disc", b, 0.6, r));
    for mu in [0.0, 0.3, 0.8] {
        let mut b = level(0.0, mu);
        b.body(
            Body::fixed("box")
                .with_shape(Solid::Polytope(Polytope::cuboid(0.6, 0.6, 0.2).unwrap()), Pose::identity()),
            Pose::at(Vec3::new(0.0, 0.0, 0.1)),
        );
        b.body(cylinder("c", 0.05, 0.2), tilted(0.4, 0.05, 0.2, Vec3::new(0.0, 0.0, 0.2)));
        list.push(("tilted cylinder on a box", b, 0.6, 0.05));
        let mut b = level(0.0, mu);
        b.body(cylinder("base", 0.3, 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
        b.body(cylinder("c", 0.05, 0.2), tilted(0.4, 0.05, 0.2, Vec3::new(0.0, 0.0, 0.2)));
        list.push(("tilted cylinder on a cylinder", b, 0.6, 0.05));
        let mut b = level(0.0, mu);
        b.body(cylinder("c", 0.05, 0.2), tilted(0.4, 0.05, 0.2, Vec3::new(0.0, 0.0, 0.0)));
        list.push(("tilted cylinder on a floor", b, 0.6, 0.05));
    }
    let mut b = level(0.3, 0.4);
    b.body(disc("coin"), Pose::new(about(Vec3::new(1.0, 0.3, 0.0), 0.9), Vec3::new(0.0, 0.0, 0.2)));
    list.push(("coin falls", b, 1.0, r));
    let mut b = level(0.0, 0.5);
    let lean: f64 = 0.15;
    let pose = tilted(lean, r, t, Vec3::zeros());
    let id = b.body(disc("coin"), pose);
    // Steady rolling nearly: precession.
    let rate = (4.0 * 9.81 / (r * lean.sin())).sqrt();
    b.velocity(id, Vec3::zeros(), about(Vec3::y(), lean) * Vec3::new(-rate * lean.sin(), 0.0, 0.0));
    list.push(("spinning coin", b, 0.6, r));
    let mut b = level(0.0, 0.5);
    b.body(cone("cone", 0.1, 0.2), Pose::new(about(Vec3::y(), 0.05), Vec3::new(0.0, 0.0, 0.06)));
    list.push(("cone lands on its base", b, 0.5, 0.1));
    let mut b = level(0.0, 0.5);
    b.body(cylinder("base", 0.08, 0.1), Pose::at(Vec3::new(0.0, 0.0, 0.05)));
    b.body(cone("cone", 0.1, 0.2), Pose::at(Vec3::new(0.02, 0.0, 0.15)));
    list.push(("cone on its base on a cylinder", b, 0.4, 0.1));
    let mut b = level(0.0, 0.5);
    let half = (0.1f64 / 0.2).atan();
    b.body(
        cone("cone", 0.1, 0.2),
        Pose::new(about(Vec3::y(), FRAC_PI_2 + half + 0.02), Vec3::new(0.0, 0.0, 0.0705)),
    );
    let id = BodyId(1);
    b.velocity(id, Vec3::zeros(), Vec3::new(3.0, 0.0, 0.0));
    list.push(("cone on its side rolls", b, 0.6, 0.1));
    let along_x = about(Vec3::y(), FRAC_PI_2);
    let along_y = about(Vec3::x(), FRAC_PI_2);
    for round in [true, false] {
        let rod = |name: &str| if round { capsule(name, 0.05, 0.15) } else { cylinder(name, 0.05, 0.3) };
        let mut b = level(0.0, 0.5);
        b.body(rod("a"), Pose::new(along_x, Vec3::new(0.0, 0.0, 0.05)));
        b.body(rod("b"), Pose::new(along_y, Vec3::new(0.02, 0.01, 0.15)));
        list.push((if round { "capsules crossed" } else { "cylinders crossed" }, b, 0.8, 0.05));
        let mut b = level(0.0, 0.5);
        b.body(rod("a"), Pose::new(along_x, Vec3::new(0.0, 0.0, 0.05)));
        b.body(rod("b"), Pose::new(about(Vec3::z(), 0.3) * along_x, Vec3::new(0.02, 0.002, 0.152)));
        list.push((if round { "capsules askew" } else { "cylinders askew" }, b, 0.8, 0.05));
    }
    let mut b = level(0.0, 0.5);
    b.body(brick("box", Vec3::new(0.4, 0.4, 0.2), 1000.0), Pose::at(Vec3::new(-0.2, 0.0, 0.1)));
    b.body(cylinder("c", 0.05, 0.2), Pose::at(Vec3::new(0.01, 0.0, 0.3)));
    list.push(("cylinder half over an edge", b, 0.8, 0.05));
    let mut b = level(0.0, 0.5);
    b.body(brick("box", Vec3::new(0.4, 0.4, 0.2), 1000.0), Pose::at(Vec3::new(-0.2, 0.0, 0.1)));
    b.body(cylinder("c", 0.05, 0.2), Pose::at(Vec3::new(-0.01, 0.0, 0.3)));
    list.push(("cylinder stands over an edge", b, 0.5, 0.05));
    let mut b = level(0.0, 0.5);
    b.body(brick("box", Vec3::new(0.4, 0.4, 0.2), 1000.0), Pose::at(Vec3::new(-0.2, 0.0, 0.1)));
    b.body(cylinder("c", 0.05, 0.3), Pose::new(along_x, Vec3::new(0.01, 0.0, 0.25)));
    list.push(("cylinder on its side over an edge", b, 0.8, 0.05));
    let mut b = level(0.0, 0.5);
    b.body(cylinder("c", 0.2, 0.1), Pose::at(Vec3::new(0.0, 0.0, 0.05)));
    b.body(brick("box", Vec3::new(0.2, 0.1, 0.05), 1000.0), Pose::at(Vec3::new(0.18, 0.0, 0.125)));
    b.body(brick("box2", Vec3::new(0.2, 0.1, 0.05), 1000.0), Pose::at(Vec3::new(-0.22, 0.0, 0.125)));
    list.push(("boxes on the rim of a disc", b, 0.8, 0.05));
    list
}

#[test]
fn discs_that_lie_on_discs_do_not_sink() {
    hold(&["discs coaxial", "discs staggered", "cone on its base on a cylinder"]);
}

#[test]
fn discs_that_tip_or_slide_on_discs_do_not_sink() {
    hold(&["disc tips", "disc slides"]);
}

#[test]
fn cylinders_and_cones_that_fall_from_their_rims_neither_sink_nor_gain_energy() {
    // A cylinder that rocks through its upright position lands on the other side of its rim with an impact.
    hold(&["coin", "cone lands", "cone on its side"]);
    for (name, builder, until, size) in scenes().into_iter().filter(|scene| scene.0.starts_with("tilted")) {
        let run = run_scene(builder, (1e-3, until, size));
        // Where it spins through upright the lowest point of its rim turns by a right angle in a step.
        assert!(run.depth < 1e-5 && run.growth < 5e-5, "{name}: {run:?}");
    }
}

#[test]
fn rods_that_cross_do_not_sink() {
    hold(&["crossed", "askew"]);
}

#[test]
fn cylinders_over_edges_and_boxes_over_rims_do_not_sink() {
    hold(&["over an edge", "stands over", "boxes on the rim"]);
}
