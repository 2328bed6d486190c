//! A warm start changes the cost of an answer, not the answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/families.rs"]
mod families;

use common::{Random, answer_residuals, ask, ask_planar, body, curved_solids};
use families::{hull, polygon, solid};
use nalgebra::{Rotation2, Rotation3};
use percussion_geometry::separation::{
    Options, PlanarOptions, PlanarWarmStart, Separation, WarmStart, planar_separation, separation,
};
use percussion_geometry::shapes::{PlanarShape, Polytope, Solid};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};

/// Vertices that carry weight, sorted.
fn carriers(s: &Separation) -> [Vec<u32>; 2] {
    let sorted = |weights: &mut dyn Iterator<Item = (u32, f64)>| {
        let mut out: Vec<u32> = weights.map(|(k, _)| k).collect();
        out.sort_unstable();
        out
    };
    [sorted(&mut s.weights_a()), sorted(&mut s.weights_b())]
}

/// A rigid motion of a given size, in turning and in shifting.
fn step(random: &mut Random, length: f64) -> Pose {
    Pose::new(Rotation3::new(random.direction() * length), random.direction() * length)
}

/// A walk of body a around body b; how often the same vertices had to carry the answer.
fn walk(random: &mut Random, a: &Polytope, b: &Polytope, length: f64, steps: usize) -> (usize, u32) {
    let size = a.outer_radius() + b.outer_radius();
    let (sa, sb) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
    let mut pa = Pose::new(random.rotation(), random.direction() * 0.7 * size * random.uniform().abs());
    let pb = Pose::new(random.rotation(), Vec3::zeros());
    let mut warm = WarmStart::default();
    let (mut compared, mut iterations) = (0, 0);
    for _ in 0..steps {
        let motion = step(random, length);
        pa = Pose::new(motion.rotation * pa.rotation, pa.position * 0.999 + motion.position * 0.5);
        let warmed = separation(&sa, &pa, &sb, &pb, &Options::default(), &mut warm).unwrap();
        let cold = ask(&sa, &pa, &sb, &pb, None);
        iterations += warmed.iterations;
        let lever = 1.0 + size / warmed.reference_distance;
        assert!((warmed.separation - cold.separation).abs() <= 1e-14 * size * lever, "{warmed:?} {cold:?}");
        assert_eq!(warm.basis, warmed.basis);
        // All vertices, one by one: hill climbing and remembered portals must not have missed any.
        let residuals = answer_residuals(a, &pa, b, &pb, &warmed);
        let slope = warmed.alpha.norm();
        assert!(residuals.dual_gap.abs() <= 1e-13 * size * slope, "{} {warmed:?}", residuals.dual_gap);
        assert!(residuals.residual <= 1e-13 * size && residuals.weight_error <= 1e-14);
        // Away from ties the same vertices carry both answers.
        let clear = |s: &Separation| s.weights.iter().all(|&w| w > 1e-6);
        if clear(&warmed) && clear(&cold) && slope < 100.0 && !tied(a, &pa, b, &pb, &warmed) {
            compared += 1;
            assert_eq!(carriers(&warmed), carriers(&cold), "{warmed:?} {cold:?}");
            assert!((warmed.alpha - cold.alpha).norm() <= 1e-10 * slope * slope);
            assert!((warmed.point_a - cold.point_a).norm() <= 1e-10 * size * slope);
        }
    }
    (compared, iterations)
}

/// Whether more vertices lie on the supporting planes than carry weight.
fn tied(a: &Polytope, pa: &Pose, b: &Polytope, pb: &Pose, s: &Separation) -> bool {
    let heights = |p: &Polytope, pose: &Pose, n: Vec3| -> usize {
        let n = pose.inverse_direction(&n);
        let top = p.vertices().iter().map(|v| n.dot(v)).fold(f64::NEG_INFINITY, f64::max);
        p.vertices().iter().filter(|v| top - n.dot(v) < 1e-9).count()
    };
    let [on_a, on_b] = carriers(s);
    heights(a, pa, -s.alpha) != on_a.len() || heights(b, pb, s.alpha) != on_b.len()
}

#[test]
fn a_walk_with_memory_meets_the_same_answers() {
    let mut random = Random(71);
    let mut compared = 0;
    for round in 0..400 {
        let one = |r: &mut Random| match round % 3 {
            0 => hull(r),
            1 => solid(r),
            _ => body(r),
        };
        let (a, b) = (one(&mut random), one(&mut random));
        // From confirmations at every step to jumps that make the warm start useless.
        let length = [1e-3, 1e-2, 0.1, 1.0][round / 3 % 4];
        compared += walk(&mut random, &a, &b, length, 50).0;
    }
    assert!(compared > 8000, "{compared}");
}

#[test]
fn finely_faceted_bodies_climb_to_the_same_answers() {
    let mut random = Random(72);
    let round = Polytope::rounded(512, 1.0).unwrap();
    let flat: Vec<Vec3> =
        round.vertices().iter().map(|v| v.component_mul(&Vec3::new(1.0, 0.5, 0.1))).collect();
    let long: Vec<Vec3> =
        round.vertices().iter().map(|v| v.component_mul(&Vec3::new(0.1, 0.1, 2.0)) + Vec3::x()).collect();
    let bodies = [
        round,
        Polytope::from_vertices(&flat).unwrap(),
        Polytope::from_vertices(&long).unwrap(),
        Polytope::prism(256, 0.5, 1.0).unwrap(),
        Polytope::cube(1.0).unwrap(),
    ];
    assert!(bodies.iter().take(4).all(|b| b.vertices().len() == 512));
    let mut compared = 0;
    for a in &bodies[..4] {
        for b in &bodies {
            for length in [1e-3, 1e-2, 0.1, 1.0] {
                let (same, iterations) = walk(&mut random, a, b, length, 60);
                compared += same;
                if length == 1e-3 {
                    assert!(iterations < 60 * 8, "{iterations} support evaluations for 60 small steps");
                }
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

#[test]
fn memory_of_another_pair_does_no_harm() {
    let mut random = Random(73);
    let bodies: Vec<Polytope> =
        (0..40).map(|k| if k % 2 == 0 { hull(&mut random) } else { solid(&mut random) }).collect();
    let mut warm = WarmStart::default();
    for _ in 0..20_000 {
        let (a, b) = (&bodies[random.below(40)], &bodies[random.below(40)]);
        let size = a.outer_radius() + b.outer_radius();
        let (sa, sb) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
        let pa = Pose::new(random.rotation(), random.direction());
        let pb = Pose::new(random.rotation(), random.direction() * 0.3);
        if random.below(4) == 0 {
            // Vertex pairs at random, repeated ones included.
            warm.basis = [0; 3].map(|_| [random.below(12) as u32, random.below(12) as u32]);
        }
        let found = separation(&sa, &pa, &sb, &pb, &Options::default(), &mut warm).unwrap();
        let cold = ask(&sa, &pa, &sb, &pb, None);
        assert!((found.separation - cold.separation).abs() <= 1e-13 * size, "{found:?} {cold:?}");
    }
}

#[test]
fn planar_and_curved_walks_meet_the_same_answers() {
    let mut random = Random(74);
    for _ in 0..300 {
        let (a, b) = (polygon(&mut random), polygon(&mut random));
        let size = a.outer_radius() + b.outer_radius();
        let (a, b) = (PlanarShape::Polygon(a), PlanarShape::Polygon(b));
        let mut pa = PlanarPose::new(random.uniform(), Vec2::new(random.uniform(), random.uniform()));
        let (pb, options, mut warm) =
            (PlanarPose::identity(), PlanarOptions::default(), PlanarWarmStart::default());
        for _ in 0..50 {
            let shift = Vec2::new(random.uniform(), random.uniform()) * 0.05;
            pa = PlanarPose {
                rotation: Rotation2::new(0.1 * random.uniform()) * pa.rotation,
                position: pa.position + shift,
            };
            let found = planar_separation(&a, &pa, &b, &pb, &options, &mut warm).unwrap();
            let cold = ask_planar(&a, &pa, &b, &pb, None);
            let lever = 1.0 + size / found.reference_distance;
            assert!((found.separation - cold.separation).abs() <= 1e-14 * size * lever, "{found:?} {cold:?}");
        }
    }
    let curved = [curved_solids(), vec![Solid::Polytope(solid(&mut random))]].concat();
    for a in &curved[..5] {
        for b in &curved {
            let mut warm = WarmStart::default();
            let mut pa = Pose::at(random.direction());
            for _ in 0..100 {
                let motion = step(&mut random, 0.05);
                pa = Pose::new(motion.rotation * pa.rotation, pa.position + motion.position);
                let size = a.outer_radius() + b.outer_radius();
                let pb = Pose::identity();
                let found = separation(a, &pa, b, &pb, &Options::default(), &mut warm).unwrap();
                let cold = ask(a, &pa, b, &pb, None);
                assert!((found.separation - cold.separation).abs() <= 1e-12 * size, "{found:?} {cold:?}");
            }
        }
    }
}
