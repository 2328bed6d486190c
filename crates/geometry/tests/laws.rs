//! Laws that the separation obeys whatever the bodies: the ratio metric, Hart's bounds, symmetry, invariance,
//! monotony, convexity.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod euclid_common;
#[path = "common/evidence.rs"]
mod evidence;
#[path = "common/families.rs"]
mod families;
#[path = "common/routes.rs"]
mod routes;

use common::{Random, body, cuboid, random_tetrahedron, solve as ask};
use euclid_common::{Placed, brute_distance, brute_facets};
use evidence::{Programs, Worst, planar_question, question};
use families::{FAMILIES, PLANAR_FAMILIES, Pair, PlanarPair, hull, pair, planar_pair, polygon, solid};
use nalgebra::{Rotation2, Rotation3};
use percussion_geometry::separation::{Options, PlanarSeparation, Separation, WarmStart, separation};
use percussion_geometry::shapes::{PlanarShape, Polygon, Polytope, Solid};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};
use rayon::prelude::*;

fn ask_along(a: &Polytope, pa: &Pose, b: &Polytope, pb: &Pose, beta: Option<Vec3>) -> Separation {
    common::ask(&Solid::Polytope(a.clone()), pa, &Solid::Polytope(b.clone()), pb, beta)
}

fn ask_planar(a: &Polygon, pa: &PlanarPose, b: &Polygon, pb: &PlanarPose) -> PlanarSeparation {
    common::ask_planar(&PlanarShape::Polygon(a.clone()), pa, &PlanarShape::Polygon(b.clone()), pb, None)
}

fn size(p: &Pair) -> f64 {
    p.a.outer_radius() + p.b.outer_radius()
}

/// A pair of moderate bodies: hulls, solids, simple shapes.
fn moderate(random: &mut Random) -> Pair {
    let one = |r: &mut Random| match r.below(3) {
        0 => hull(r),
        1 => solid(r),
        _ => body(r),
    };
    let (a, b) = (one(random), one(random));
    let (pose_a, pose_b) = (
        Pose::new(random.rotation(), random.direction() * 1.5 * random.uniform()),
        Pose::new(random.rotation(), random.direction() * 0.5),
    );
    Pair { a, pose_a, b, pose_b }
}

/// Whether direction and weights are the only ones, by a margin: no weight of the basis is small.
fn unique(s: &Separation) -> bool {
    s.weights.iter().all(|&w| w > 1e-3) && s.alpha.norm() < 20.0
}

#[test]
fn separation_is_the_distance_times_the_ratio_metric() {
    let asked = Programs { simplex: false, interior: false, growth: true };
    let count = 2000;
    let check_family = |name: &str, seed: u64, one: &(dyn Fn(&mut Random) -> Worst + Sync)| {
        let worst = (0..count / 100)
            .into_par_iter()
            .map(|chunk| {
                let mut random = Random(31 * seed + 1000 + chunk);
                (0..100).fold(Worst::default(), |worst, _| worst.and(one(&mut random)))
            })
            .reduce(Worst::default, Worst::and);
        println!("{name}: {} pairs, |s - D(r-1)/r| at most {:.1e} of size", worst.pairs, worst.growth);
        assert!(worst.growth <= 1e-12, "{name}: {worst:?}");
    };
    for (seed, name) in FAMILIES.iter().enumerate() {
        check_family(name, seed as u64, &|random| question(&pair(name, random)).errors(asked));
    }
    for (seed, name) in PLANAR_FAMILIES.iter().enumerate() {
        check_family(name, seed as u64, &|random| planar_question(&planar_pair(name, random)).errors(asked));
    }
}

#[test]
fn the_ratio_metric_lies_between_harts_bounds() {
    let mut random = Random(61);
    let (mut apart, mut overlapping, mut shallow) = (0, 0, 0);
    for _ in 0..20_000 {
        let one = |r: &mut Random| match r.below(2) {
            0 => cuboid(Vec3::from_fn(|_, _| 0.3 + 0.5 * r.uniform().abs())),
            _ => random_tetrahedron(r),
        };
        let (a, b) = (one(&mut random), one(&mut random));
        let pa = Pose::new(random.rotation(), random.direction() * 1.8 * random.uniform().abs());
        let pb = Pose::new(random.rotation(), Vec3::zeros());
        let s = ask(&a, &pa, &b, &pb);
        let (ratio, far) = (s.ratio(), s.reference_distance);
        let rho = (ratio - 1.0) / ratio;
        let ball = a.inner_radius().min(b.inner_radius());
        let placed = [(&a, &pa), (&b, &pb)].map(|(body, pose)| Placed::new(body, pose, &Vec3::zeros()));
        let sunk = -brute_facets(&placed[0], &placed[1]);
        if s.separation > 0.0 {
            // [Hart 2.5]
            apart += 1;
            let gap = brute_distance(&placed[0], &placed[1]);
            assert!(
                sunk <= 1e-14 && gap / far <= rho + 1e-14 && rho <= gap / ball + 1e-13,
                "{gap} {rho} {s:?}"
            );
            // The supporting planes of the kernel prove part of the distance.
            assert!(s.gap() <= gap + 1e-14);
        } else {
            // [Hart 2.6]; its lower bound supposes that the overlap is at most the ball's radius.
            overlapping += 1;
            assert!(rho <= -sunk / far + 1e-14, "{sunk} {rho} {s:?}");
            assert!(-s.gap() >= sunk - 1e-14);
            if sunk <= ball {
                shallow += 1;
                assert!(-sunk / ball <= rho + 1e-13, "{sunk} {rho} {s:?}");
            }
        }
    }
    println!("{apart} apart, {overlapping} overlapping, {shallow} of them shallow");
    assert!(apart > 3000 && shallow > 2000 && overlapping > shallow);
}

#[test]
fn exchanging_the_bodies_mirrors_the_answer() {
    let mut random = Random(62);
    let mut compared = 0;
    for _ in 0..20_000 {
        let p = moderate(&mut random);
        let there = ask(&p.a, &p.pose_a, &p.b, &p.pose_b);
        let back = ask(&p.b, &p.pose_b, &p.a, &p.pose_a);
        let slope = there.alpha.norm();
        assert!((there.separation - back.separation).abs() <= 1e-14 * size(&p) * slope, "{there:?} {back:?}");
        assert!((there.beta + back.beta).norm() <= 1e-14 * size(&p) / there.reference_distance);
        if unique(&there) {
            compared += 1;
            // Sharp features amplify rounding by their slope.
            let tolerance = 1e-12 * slope;
            assert!((there.alpha + back.alpha).norm() <= tolerance * slope, "{there:?} {back:?}");
            assert!((there.point_a - back.point_b).norm() <= tolerance, "{there:?} {back:?}");
            assert!((there.point_b - back.point_a).norm() <= tolerance, "{there:?} {back:?}");
        }
    }
    assert!(compared > 5000, "{compared}");
}

#[test]
fn a_common_rigid_motion_changes_nothing() {
    let mut random = Random(63);
    for _ in 0..20_000 {
        let p = moderate(&mut random);
        let motion = Pose::new(random.rotation(), random.direction());
        let here = ask(&p.a, &p.pose_a, &p.b, &p.pose_b);
        let there = ask(&p.a, &motion.then(&p.pose_a), &p.b, &motion.then(&p.pose_b));
        let tolerance = 1e-13 * size(&p);
        assert!((here.separation - there.separation).abs() <= tolerance, "{here:?} {there:?}");
        if unique(&here) {
            let slope = here.alpha.norm();
            assert!((motion.direction(&here.alpha) - there.alpha).norm() <= 10.0 * tolerance * slope * slope);
            assert!((motion.point(&here.point_a) - there.point_a).norm() <= 10.0 * tolerance * slope);
        }
    }
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    // Places on a lattice of 2^-20 m and a shift of millions of metres: every sum is exact, so every answer is equal.
    let mut random = Random(64);
    let far = Vec3::new(1048576.0, -3145728.0, 2097152.0);
    let lattice = |v: Vec3| v.map(|c| (c * 1048576.0).round() / 1048576.0);
    for _ in 0..5000 {
        let mut p = moderate(&mut random);
        p.pose_a.position = lattice(p.pose_a.position);
        p.pose_b.position = lattice(p.pose_b.position);
        let moved = |q: &Pose| Pose::new(q.rotation, q.position + far);
        let here = ask(&p.a, &p.pose_a, &p.b, &p.pose_b);
        let (far_a, far_b) = (moved(&p.pose_a), moved(&p.pose_b));
        let there = ask(&p.a, &far_a, &p.b, &far_b);
        assert_eq!(here.separation, there.separation);
        assert_eq!((here.alpha, here.basis, here.weights), (there.alpha, there.basis, there.weights));
        // Also when the pair is warm, and for bodies whose reference point is not their frame's origin.
        let (a, b) = (Solid::Polytope(p.a.clone()), Solid::Polytope(p.b.clone()));
        let mut warm = WarmStart::default();
        separation(&a, &far_a, &b, &far_b, &Options::default(), &mut warm).unwrap();
        let warmed = separation(&a, &far_a, &b, &far_b, &Options::default(), &mut warm).unwrap();
        assert!((warmed.separation - here.separation).abs() <= 1e-13 * size(&p), "{here:?} {warmed:?}");
    }
}

#[test]
fn a_growing_body_never_comes_further_away() {
    let mut random = Random(65);
    for _ in 0..10_000 {
        let p = moderate(&mut random);
        let grow = |body: &Polytope, factor: f64| {
            let c = body.reference();
            let vertices = body.vertices().iter().map(|v| c + (v - c) * factor).collect();
            let loops: Vec<Vec<u32>> = body.faces().iter().map(|f| body.face_loop(f).to_vec()).collect();
            Polytope::from_faces(vertices, &loops).unwrap().with_reference(c).unwrap()
        };
        let before = ask(&p.a, &p.pose_a, &p.b, &p.pose_b);
        let slack = 1e-14 * size(&p) * before.alpha.norm();
        let factor = 1.0 + random.uniform().abs();
        let one = ask(&grow(&p.a, factor), &p.pose_a, &p.b, &p.pose_b);
        assert!(one.separation <= before.separation + slack);
        // Grown alike, the Minkowski difference grows by the factor: D - s does too.
        let both = ask(&grow(&p.a, factor), &p.pose_a, &grow(&p.b, factor), &p.pose_b);
        let expected = before.reference_distance - factor * (before.reference_distance - before.separation);
        assert!((both.separation - expected).abs() <= 4.0 * slack * factor, "{expected} {both:?}");
    }
}

#[test]
fn a_shift_along_beta_is_added_to_the_separation() {
    let mut random = Random(66);
    for _ in 0..20_000 {
        let p = moderate(&mut random);
        let before = ask(&p.a, &p.pose_a, &p.b, &p.pose_b);
        let shift =
            (before.reference_distance + 1.0) * random.uniform().abs() - 0.9 * before.reference_distance;
        let moved = Pose::new(p.pose_a.rotation, p.pose_a.position + before.beta * shift);
        let after = ask(&p.a, &moved, &p.b, &p.pose_b);
        // Closer centres turn the same rounding of the positions into a larger turn of β.
        let lever = 1.0 + size(&p) / before.reference_distance.min(after.reference_distance);
        let tolerance = 1e-15 * size(&p) * before.alpha.norm() * lever;
        assert!(
            (after.separation - before.separation - shift).abs() <= 4.0 * tolerance,
            "{before:?} {after:?}"
        );
    }
}

#[test]
fn along_a_fixed_direction_the_separation_is_convex_and_alpha_its_slope() {
    // s is a maximum of functions <α, c1> + const: between two places it rises at least as the first α gives and at
    // most as the last does, hence by no more than |α| |shift|.
    let mut random = Random(67);
    for _ in 0..20_000 {
        let p = moderate(&mut random);
        let free = ask(&p.a, &p.pose_a, &p.b, &p.pose_b);
        let shift = random.direction() * 10f64.powf(-4.0 * random.uniform().abs()) * p.b.inner_radius() * 0.2;
        let moved = Pose::new(p.pose_a.rotation, p.pose_a.position + shift);
        let before = ask_along(&p.a, &p.pose_a, &p.b, &p.pose_b, Some(free.beta));
        let after = ask_along(&p.a, &moved, &p.b, &p.pose_b, Some(free.beta));
        let rise = after.separation - before.separation;
        let steepest = before.alpha.norm().max(after.alpha.norm());
        let slack = 1e-14 * size(&p) * steepest;
        assert!(rise >= before.alpha.dot(&shift) - slack, "{before:?} {after:?}");
        assert!(rise <= after.alpha.dot(&shift) + slack, "{before:?} {after:?}");
        assert!(rise.abs() <= steepest * shift.norm() + slack);
    }
}

#[test]
fn the_growth_factor_is_a_gauge_of_the_relative_place() {
    // r is the Minkowski functional of K1 - K2 at c1 - c2: homogeneous and convex.
    let mut random = Random(68);
    for _ in 0..10_000 {
        let p = moderate(&mut random);
        let (turn_a, turn_b) = (p.pose_a.rotation, p.pose_b.rotation);
        let centred =
            |body: &Polytope, turn: Rotation3<f64>, at: Vec3| Pose::new(turn, at - turn * body.reference());
        let pb = centred(&p.b, turn_b, Vec3::zeros());
        let ratio = |at: Vec3| ask(&p.a, &centred(&p.a, turn_a, at), &p.b, &pb).ratio();
        let (t, u) = (random.direction() * (0.1 + random.uniform().abs()), random.direction());
        let (at_t, at_u) = (ratio(t), ratio(u));
        let slack = 1e-13 * (1.0 + at_t + at_u) / (p.a.inner_radius() + p.b.inner_radius());
        assert!((ratio(t * 3.0) - 3.0 * at_t).abs() <= slack);
        assert!(ratio((t + u) / 2.0) <= (at_t + at_u) / 2.0 + slack);
    }
}

#[test]
fn planar_answers_obey_the_same_laws() {
    let mut random = Random(69);
    for _ in 0..20_000 {
        let (a, b) = (polygon(&mut random), polygon(&mut random));
        let pose = |r: &mut Random| PlanarPose::new(3.0 * r.uniform(), Vec2::new(r.uniform(), r.uniform()));
        let p = PlanarPair { a, pose_a: pose(&mut random), b, pose_b: pose(&mut random) };
        let size = p.a.outer_radius() + p.b.outer_radius();
        let here = ask_planar(&p.a, &p.pose_a, &p.b, &p.pose_b);
        let slope = here.alpha.norm();
        let lever = 1.0 + size / here.reference_distance;
        let tolerance = 4e-15 * size * slope * lever;
        let back = ask_planar(&p.b, &p.pose_b, &p.a, &p.pose_a);
        assert!((here.separation - back.separation).abs() <= tolerance, "{here:?} {back:?}");
        let sharp = here.weights.iter().all(|&w| w > 1e-3) && slope < 20.0;
        if sharp {
            assert!((here.alpha + back.alpha).norm() <= 1e-12 * slope * slope * lever);
            assert!((here.point_a - back.point_b).norm() <= 1e-12 * slope * lever);
        }
        let motion =
            PlanarPose { rotation: Rotation2::new(random.uniform() * 3.0), position: Vec2::new(0.5, -2.0) };
        let moved = ask_planar(&p.a, &motion.then(&p.pose_a), &p.b, &motion.then(&p.pose_b));
        assert!((here.separation - moved.separation).abs() <= tolerance, "{here:?} {moved:?}");
        let shift = random.uniform().abs();
        let away = PlanarPose { position: p.pose_a.position + here.beta * shift, ..p.pose_a };
        let further = ask_planar(&p.a, &away, &p.b, &p.pose_b);
        assert!((further.separation - here.separation - shift).abs() <= tolerance, "{here:?} {further:?}");
        let c = p.a.reference();
        let grown = p.a.vertices().iter().map(|v| c + (v - c) * (1.0 + shift)).collect();
        let grown = Polygon::from_loop(grown).unwrap().with_reference(c).unwrap();
        assert!(ask_planar(&grown, &p.pose_a, &p.b, &p.pose_b).separation <= here.separation + tolerance);
    }
}
