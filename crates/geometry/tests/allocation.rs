//! No query touches the heap: warm or cold, near or far, single or batched.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "common/families.rs"]
mod families;

use common::{Random, cuboid, octahedron};
use families::{FAMILIES, PLANAR_FAMILIES, hull, pair, planar_pair, polygon};
use percussion_geometry::batch::{BatchPair, BatchSettings, separations_into};
use percussion_geometry::separation::{
    Options, PlanarOptions, PlanarWarmStart, QueryError, WarmStart, planar_separation, separation,
};
use percussion_geometry::shapes::{
    Capsule, Circle, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, PlanarShape, Polytope, Solid,
    Sphere,
};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};
use percussion_testing::{CountingAllocator, allocations_during};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_counter_counts() {
    assert_eq!(allocations_during(|| drop(std::hint::black_box(vec![1u8; 100]))), 1);
    assert_eq!(allocations_during(|| ()), 0);
}

#[test]
fn polytopes_are_separated_without_the_heap() {
    let mut random = Random(81);
    for name in FAMILIES {
        for _ in 0..200 {
            let p = pair(name, &mut random);
            let (a, b) = (Solid::Polytope(p.a), Solid::Polytope(p.b));
            let beta = random.direction();
            let moved = Pose::new(p.pose_a.rotation, p.pose_a.position + random.direction() * 0.05);
            let made = allocations_during(|| {
                let mut warm = WarmStart::default();
                for (pose, options) in [
                    (&p.pose_a, Options::default()),
                    (&p.pose_a, Options::default()),
                    (&moved, Options::default()),
                    (&moved, Options { prediction: 0.1, ..Options::default() }),
                    (&moved, Options { beta: Some(beta), ..Options::default() }),
                ] {
                    separation(&a, pose, &b, &p.pose_b, &options, &mut warm).unwrap();
                }
            });
            assert_eq!(made, 0, "{name}");
        }
    }
}

#[test]
fn large_polytopes_climb_without_the_heap() {
    let mut random = Random(82);
    let (a, b) = (Polytope::rounded(512, 1.0).unwrap(), Polytope::prism(256, 0.5, 1.0).unwrap());
    let (a, b) = (Solid::Polytope(a), Solid::Polytope(b));
    let mut warm = WarmStart::default();
    for _ in 0..500 {
        let (pa, pb) = (Pose::new(random.rotation(), random.direction()), Pose::identity());
        let made = allocations_during(|| {
            separation(&a, &pa, &b, &pb, &Options::default(), &mut warm).unwrap();
        });
        assert_eq!(made, 0);
    }
}

fn solids(random: &mut Random) -> Vec<Solid> {
    vec![
        Solid::Polytope(hull(random)),
        Solid::Polytope(cuboid(Vec3::new(0.5, 0.4, 0.3))),
        Solid::Polytope(octahedron(Vec3::repeat(0.6))),
        Solid::Sphere(Sphere::new(0.4).unwrap()),
        Solid::Capsule(Capsule::new(0.5, 0.2).unwrap()),
        Solid::Cylinder(Cylinder::new(0.4, 0.3).unwrap()),
        Solid::Cone(Cone::new(0.8, 0.5).unwrap()),
        Solid::Ellipsoid(Ellipsoid::new(Vec3::new(0.2, 0.4, 0.9)).unwrap()),
        Solid::HalfSpace(HalfSpace::new(Vec3::z(), -0.3).unwrap()),
    ]
}

#[test]
fn curved_bodies_and_half_spaces_are_separated_without_the_heap() {
    let mut random = Random(83);
    let solids = solids(&mut random);
    for a in &solids {
        for b in &solids {
            let mut warm = WarmStart::default();
            for _ in 0..30 {
                let pa = Pose::new(random.rotation(), random.direction() * 1.5 * random.uniform());
                let pb = Pose::new(random.rotation(), Vec3::zeros());
                let beta = random.direction();
                let made = allocations_during(|| {
                    // Half-spaces refuse some of these: refusals must not allocate either.
                    let _ = separation(a, &pa, b, &pb, &Options::default(), &mut warm);
                    let options = Options { beta: Some(beta), prediction: 1.0 };
                    let _ = separation(a, &pa, b, &pb, &options, &mut warm);
                });
                assert_eq!(made, 0);
            }
        }
    }
}

#[test]
fn planar_bodies_are_separated_without_the_heap() {
    let mut random = Random(84);
    for name in PLANAR_FAMILIES {
        for _ in 0..200 {
            let p = planar_pair(name, &mut random);
            let (a, b) = (PlanarShape::Polygon(p.a), PlanarShape::Polygon(p.b));
            let made = allocations_during(|| {
                let mut warm = PlanarWarmStart::default();
                for prediction in [f64::INFINITY, f64::INFINITY, 0.1] {
                    let options = PlanarOptions { prediction, beta: None };
                    planar_separation(&a, &p.pose_a, &b, &p.pose_b, &options, &mut warm).unwrap();
                }
            });
            assert_eq!(made, 0, "{name}");
        }
    }
    let shapes = [
        PlanarShape::Polygon(polygon(&mut random)),
        PlanarShape::Circle(Circle::new(0.5).unwrap()),
        PlanarShape::Ellipse(Ellipse::new(Vec2::new(0.3, 0.8)).unwrap()),
        PlanarShape::HalfPlane(HalfPlane::new(Vec2::y(), 0.1).unwrap()),
    ];
    for a in &shapes {
        for b in &shapes {
            for _ in 0..50 {
                let pa =
                    PlanarPose::new(random.uniform(), Vec2::new(random.uniform(), random.uniform()) * 2.0);
                let beta = Vec2::new(random.uniform(), 1.0);
                let made = allocations_during(|| {
                    let mut warm = PlanarWarmStart::default();
                    for beta in [None, Some(beta)] {
                        let options = PlanarOptions { beta, ..PlanarOptions::default() };
                        let _ = planar_separation(a, &pa, b, &PlanarPose::identity(), &options, &mut warm);
                    }
                });
                assert_eq!(made, 0);
            }
        }
    }
}

#[test]
fn a_batch_on_one_thread_needs_no_heap() {
    let mut random = Random(85);
    let shapes = solids(&mut random);
    let mut poses: Vec<Pose> =
        (0..100).map(|_| Pose::new(random.rotation(), random.direction() * 1.5)).collect();
    let pairs: Vec<BatchPair> = (0..1000)
        .map(|_| BatchPair {
            shape_a: random.below(shapes.len() - 1) as u32,
            pose_a: random.below(100) as u32,
            shape_b: random.below(shapes.len()) as u32,
            pose_b: random.below(100) as u32,
            prediction: f64::INFINITY,
        })
        .collect();
    let mut warm = vec![WarmStart::default(); pairs.len()];
    let mut answers = vec![Err(QueryError::BothUnbounded); pairs.len()];
    for vector in [false, true] {
        for _ in 0..3 {
            for pose in &mut poses {
                pose.position += random.direction() * 0.01;
            }
            let made = allocations_during(|| {
                let settings = BatchSettings { parallel: false, vector };
                separations_into(&shapes, &poses, &pairs, &settings, &mut warm, &mut answers).unwrap();
            });
            assert_eq!(made, 0);
            assert!(answers.iter().all(|a| a.is_ok()));
        }
    }
}
