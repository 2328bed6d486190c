//! A prediction distance saves work and never hides a pair that is closer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod euclid_common;
#[path = "common/families.rs"]
mod families;

use common::{Random, body, curved_solids, half_space, sphere};
use euclid_common::{Placed, brute, planar_brute};
use families::{FAMILIES, PLANAR_FAMILIES, pair, planar_pair, solid};
use percussion_geometry::separation::{
    Options, Outcome, PlanarOptions, PlanarWarmStart, Separation, WarmStart, planar_separation, separation,
};
use percussion_geometry::shapes::{PlanarShape, Polygon, Polytope, Solid};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};

fn ask_warm(a: &Solid, pa: &Pose, b: &Solid, pb: &Pose, prediction: f64, warm: &mut WarmStart) -> Separation {
    separation(a, pa, b, pb, &Options { prediction, ..Options::default() }, warm).unwrap()
}

fn ask(a: &Solid, pa: &Pose, b: &Solid, pb: &Pose, prediction: f64) -> Separation {
    ask_warm(a, pa, b, pb, prediction, &mut WarmStart::default())
}

/// Euclidean distance by brute force, zero when the bodies overlap.
fn true_distance(a: &Polytope, pa: &Pose, b: &Polytope, pb: &Pose) -> f64 {
    brute(&Placed::new(a, pa, &Vec3::zeros()), &Placed::new(b, pb, &Vec3::zeros())).max(0.0)
}

#[test]
fn only_pairs_beyond_the_prediction_are_waved_through() {
    let mut random = Random(91);
    let (mut beyond, mut solved, mut saved) = (0, 0, 0i64);
    for round in 0..20_000 {
        let one = |r: &mut Random| if round % 2 == 0 { body(r) } else { solid(r) };
        let (p, q) = (one(&mut random), one(&mut random));
        let pa = Pose::new(random.rotation(), random.direction() * 3.0 * random.uniform().abs());
        let pb = Pose::new(random.rotation(), Vec3::zeros());
        let true_distance = true_distance(&p, &pa, &q, &pb);
        let (a, b) = (Solid::Polytope(p), Solid::Polytope(q));
        let plain = ask(&a, &pa, &b, &pb, f64::INFINITY);
        // Well beyond, just beyond, exactly at, just closer than the true distance; and anything.
        let prediction = match random.below(5) {
            0 => 0.5 * true_distance,
            1 => true_distance * (1.0 - 1e-9),
            2 => true_distance,
            3 => true_distance * (1.0 + 1e-9),
            _ => 2.0 * random.uniform().abs(),
        };
        let found = ask(&a, &pa, &b, &pb, prediction);
        match found.outcome {
            Outcome::Beyond => {
                beyond += 1;
                assert!(true_distance > prediction, "{true_distance} {prediction} {found:?}");
                // What it calls the separation is a lower bound of it, and itself beyond the prediction.
                assert!(found.separation <= plain.separation + 1e-14 && found.separation > prediction);
                assert!(found.lower == found.separation && found.upper == f64::INFINITY);
                assert_eq!(found.weights, [0.0; 3]);
                saved += plain.iterations as i64 - found.iterations as i64;
            }
            Outcome::Solved => {
                solved += 1;
                assert_eq!(found, plain);
            }
            Outcome::Missed => panic!("nothing was prescribed"),
        }
        assert!(found.iterations <= plain.iterations);
    }
    println!("{beyond} beyond, {solved} solved, {saved} support evaluations saved");
    assert!(beyond > 3000 && solved > 5000);
}

#[test]
fn distant_pairs_cost_nothing() {
    let mut random = Random(92);
    for _ in 0..2000 {
        let (p, q) = (solid(&mut random), body(&mut random));
        let size = p.outer_radius() + q.outer_radius();
        let (a, b) = (Solid::Polytope(p), Solid::Polytope(q));
        let prediction = 0.1;
        let turn = random.rotation();
        let far = random.direction() * (size + prediction) * 1.001;
        // Reference points apart by `far`.
        let pa = Pose::new(turn, far - turn * a.reference());
        let pb = Pose::at(-b.reference());
        let found = ask(&a, &pa, &b, &pb, prediction);
        assert_eq!((found.outcome, found.iterations), (Outcome::Beyond, 0));
        assert!(found.separation > prediction);
    }
}

#[test]
fn a_pair_that_comes_closer_is_caught_at_the_prediction() {
    // A slow approach with warm starts: once the true distance is below the prediction the answer is exact.
    let mut random = Random(93);
    for _ in 0..300 {
        let (p, q) = (solid(&mut random), body(&mut random));
        let (turn_a, turn_b) = (random.rotation(), random.rotation());
        let direction = random.direction();
        let (a, b) = (Solid::Polytope(p.clone()), Solid::Polytope(q.clone()));
        let (pb, mut warm, prediction) = (Pose::new(turn_b, Vec3::zeros()), WarmStart::default(), 0.2);
        for step in 0..60 {
            let pa = Pose::new(turn_a, direction * (3.0 - 0.05 * step as f64));
            let found = ask_warm(&a, &pa, &b, &pb, prediction, &mut warm);
            let plain = ask(&a, &pa, &b, &pb, f64::INFINITY);
            let near = true_distance(&p, &pa, &q, &pb) < prediction * (1.0 - 1e-14);
            match found.outcome {
                Outcome::Beyond => assert!(!near && found.separation <= plain.separation + 1e-14),
                _ => assert!((found.separation - plain.separation).abs() <= 1e-13),
            }
        }
    }
}

#[test]
fn every_family_keeps_its_promise_with_bounded_effort() {
    let mut random = Random(94);
    for name in FAMILIES {
        let mut most = 0;
        for _ in 0..2000 {
            let p = pair(name, &mut random);
            let size = p.a.outer_radius() + p.b.outer_radius();
            let (a, b) = (Solid::Polytope(p.a), Solid::Polytope(p.b));
            let plain = ask(&a, &p.pose_a, &b, &p.pose_b, f64::INFINITY);
            // The gap of the supporting planes is a distance: a prediction above it must be answered in full only
            // where the bodies may be closer, one below it may be waved through.
            for prediction in [0.0, plain.gap().max(0.0) * 0.5, 0.3 * size] {
                let found = ask(&a, &p.pose_a, &b, &p.pose_b, prediction);
                most = most.max(found.iterations);
                if found.outcome == Outcome::Beyond {
                    let slack = 1e-13 * size;
                    assert!(plain.separation > prediction - slack, "{name} {prediction} {plain:?}");
                    assert!(
                        found.separation <= plain.separation + slack && found.separation > prediction,
                        "{name} {prediction} {found:?} {plain:?}"
                    );
                }
                // Touching counts as not beyond, also to the last bit.
                if plain.separation <= 0.0 {
                    assert_eq!(found.outcome, Outcome::Solved, "{name}");
                }
            }
        }
        assert!(most <= 500, "{name}: {most}");
    }
}

#[test]
fn planar_pairs_beyond_the_prediction_are_waved_through() {
    let placed = |p: &Polygon, pose: &PlanarPose| -> Vec<Vec2> {
        p.vertices().iter().map(|v| pose.point(v)).collect()
    };
    let mut random = Random(95);
    let (mut beyond, mut solved) = (0, 0);
    for name in PLANAR_FAMILIES.iter().filter(|name| **name != "far from the origin") {
        for _ in 0..2000 {
            let p = planar_pair(name, &mut random);
            let size = p.a.outer_radius() + p.b.outer_radius();
            let (x, y) = (placed(&p.a, &p.pose_a), placed(&p.b, &p.pose_b));
            let (a, b) = (PlanarShape::Polygon(p.a), PlanarShape::Polygon(p.b));
            let query = |prediction: f64| {
                let options = PlanarOptions { prediction, ..PlanarOptions::default() };
                planar_separation(&a, &p.pose_a, &b, &p.pose_b, &options, &mut PlanarWarmStart::default())
                    .unwrap()
            };
            let plain = query(f64::INFINITY);
            let true_distance = if plain.separation > 0.0 { planar_brute(&x, &y) } else { 0.0 };
            for prediction in [0.5 * true_distance, true_distance, true_distance * (1.0 + 1e-9), 0.3] {
                let found = query(prediction);
                assert!(found.iterations <= 60);
                if found.outcome == Outcome::Beyond {
                    beyond += 1;
                    assert!(true_distance > prediction, "{name} {true_distance} {prediction}");
                    assert!(
                        found.separation <= plain.separation + 1e-14 * size && found.separation > prediction,
                        "{name} {prediction} {found:?} {plain:?}"
                    );
                } else {
                    solved += 1;
                    assert_eq!(found.separation, plain.separation);
                }
            }
        }
    }
    assert!(beyond > 5000 && solved > 5000, "{beyond} {solved}");
}

#[test]
fn curved_pairs_and_floors_keep_the_promise_too() {
    let mut random = Random(96);
    let solids = [curved_solids(), vec![Solid::Polytope(solid(&mut random))]].concat();
    let floor = half_space(Vec3::z(), 0.0);
    let mut beyond = 0;
    for round in 0..20_000 {
        let (a, b) = (&solids[random.below(6)], &solids[random.below(6)]);
        let pa = Pose::new(random.rotation(), random.direction() * 3.0 * random.uniform().abs());
        let pb = Pose::new(random.rotation(), Vec3::zeros());
        let b = if round % 10 == 0 { &floor } else { b };
        let plain = ask(a, &pa, b, &pb, f64::INFINITY);
        let prediction = [plain.gap() * 0.9, plain.gap(), plain.gap() * 1.1, 0.5][random.below(4)].max(0.0);
        let found = ask(a, &pa, b, &pb, prediction);
        assert!(found.iterations <= 301);
        if found.outcome == Outcome::Beyond {
            beyond += 1;
            // The distance is at most the separation and at least the gap of any two supporting planes; only the
            // contact points of a full answer bound it from above.
            assert!(plain.separation > prediction - 1e-12, "{prediction} {plain:?}");
            assert!(
                found.separation <= plain.separation + 1e-12 && found.separation > prediction - 1e-14,
                "{prediction} {found:?} {plain:?}"
            );
        }
        if plain.separation <= prediction * (1.0 - 1e-12) {
            assert_eq!(found.outcome, Outcome::Solved, "{prediction} {plain:?}");
        }
    }
    // Balls: the separation is the distance, so the border is known.
    let ball = sphere(0.5);
    for gap in [0.1, 0.2, 0.3, 0.4] {
        let found = ask(&ball, &Pose::at(Vec3::x() * (1.0 + gap)), &ball, &Pose::identity(), 0.25);
        assert_eq!(found.outcome == Outcome::Beyond, gap > 0.25, "{gap}");
    }
    assert!(beyond > 3000, "{beyond}");
}
