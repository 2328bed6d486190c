//! Batches answer what single calls answer, to the last bit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Random, body, capsule, cuboid, half_space, prism, sphere};
use nalgebra::Rotation3;
use percussion_geometry::batch::{
    BatchAnswer, BatchError, BatchPair, BatchSettings, separations, separations_into,
};
use percussion_geometry::separation::{Options, QueryError, WarmStart, separation};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

struct Pile {
    shapes: Vec<Solid>,
    poses: Vec<Pose>,
    pairs: Vec<BatchPair>,
}

/// A crowd of turning bodies of every kind, with one placement per body.
fn pile(random: &mut Random, bodies: usize, count: usize) -> Pile {
    let mut shapes: Vec<Solid> = (0..20).map(|_| Solid::Polytope(body(random))).collect();
    shapes.push(Solid::Polytope(cuboid(Vec3::new(0.5, 0.4, 0.3))));
    // One that is not centred on its frame, one large enough to climb.
    let shifted: Vec<Vec3> =
        cuboid(Vec3::repeat(0.5)).vertices().iter().map(|v| v + Vec3::new(0.1, 0.2, 0.3)).collect();
    shapes.push(Solid::Polytope(Polytope::from_vertices(&shifted).unwrap()));
    shapes.push(Solid::Polytope(prism(40, Vec3::repeat(0.6))));
    shapes.extend([sphere(0.4), capsule(0.3, 0.2), half_space(Vec3::z(), -1.0)]);
    let poses = (0..bodies).map(|_| Pose::new(random.rotation(), random.direction() * 1.5)).collect();
    let last = shapes.len() - 1;
    let pairs = (0..count)
        .map(|k| BatchPair {
            shape_a: random.below(last) as u32,
            pose_a: random.below(bodies) as u32,
            shape_b: random.below(last + 1) as u32,
            pose_b: random.below(bodies) as u32,
            prediction: if k % 5 == 0 { 0.3 } else { f64::INFINITY },
        })
        .collect();
    Pile { shapes, poses, pairs }
}

fn bits(answer: &BatchAnswer) -> String {
    // Debug output of f64 is exact, and NaN compares equal as text.
    format!("{answer:?}")
}

#[test]
fn every_path_gives_the_same_bits() {
    let mut random = Random(41);
    let mut pile = pile(&mut random, 400, 3000);
    let mut warm = [0; 4].map(|_| vec![WarmStart::default(); pile.pairs.len()]);
    let mut answers = [0; 4].map(|_| vec![Err(QueryError::BothUnbounded); pile.pairs.len()]);
    let mut confirmed = 0;
    for _ in 0..20 {
        for (k, (warm, answers)) in warm.iter_mut().zip(&mut answers).enumerate() {
            if k == 0 {
                for ((pair, warm), answer) in pile.pairs.iter().zip(warm).zip(answers) {
                    let (a, b) = (&pile.shapes[pair.shape_a as usize], &pile.shapes[pair.shape_b as usize]);
                    let (pa, pb) = (&pile.poses[pair.pose_a as usize], &pile.poses[pair.pose_b as usize]);
                    let options = Options { prediction: pair.prediction, ..Options::default() };
                    *answer = separation(a, pa, b, pb, &options, warm);
                }
                continue;
            }
            let settings = BatchSettings { parallel: k & 1 == 1, vector: k & 2 == 2 };
            separations_into(&pile.shapes, &pile.poses, &pile.pairs, &settings, warm, answers).unwrap();
        }
        for pair in 0..pile.pairs.len() {
            let single = bits(&answers[0][pair]);
            confirmed += answers[0][pair].is_ok_and(|a| a.iterations == 1) as usize;
            for k in 1..4 {
                assert_eq!(single, bits(&answers[k][pair]), "pair {pair}, path {k}");
                assert_eq!(warm[0][pair], warm[k][pair]);
            }
        }
        for pose in &mut pile.poses {
            let turn = Rotation3::new(random.direction() * 1e-2);
            *pose = Pose::new(turn * pose.rotation, pose.position + random.direction() * 1e-3);
        }
    }
    assert!(confirmed > 30_000, "the warm path was hardly used: {confirmed}");
}

#[test]
fn the_order_of_the_pairs_does_not_matter() {
    let mut random = Random(42);
    let pile = pile(&mut random, 50, 500);
    let ask = |pairs: &[BatchPair]| {
        let mut warm = vec![WarmStart::default(); pairs.len()];
        let mut answers = Vec::new();
        for _ in 0..2 {
            separations(&pile.shapes, &pile.poses, pairs, &mut warm, &mut answers).unwrap();
        }
        answers
    };
    let forward = ask(&pile.pairs);
    let backward = ask(&pile.pairs.iter().rev().copied().collect::<Vec<_>>());
    for (f, b) in forward.iter().zip(backward.iter().rev()) {
        assert_eq!(bits(f), bits(b));
    }
}

#[test]
fn unfit_batches_are_refused() {
    let shapes = [Solid::Polytope(cuboid(Vec3::repeat(0.5)))];
    let poses = [Pose::identity(); 3];
    let pair = |b| [BatchPair { shape_b: 0, ..BatchPair::of_parts(0, b, f64::INFINITY) }];
    let mut answers = Vec::new();
    let mut ask = |b, warm: &mut [WarmStart]| separations(&shapes, &poses, &pair(b), warm, &mut answers);
    let error = ask(7, &mut [WarmStart::default()]).unwrap_err();
    assert_eq!(error, BatchError::OutOfRange { pair: 0, what: "placement", index: 7, count: 3 });
    assert!(matches!(ask(1, &mut []), Err(BatchError::Lengths { .. })));
}
