//! Distance queries of separated polytopes allocate nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod euclid_common;

use euclid_common::*;
use percussion_geometry::euclid::euclidean;
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};
use percussion_testing::{CountingAllocator, Random, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn separated_polytopes_are_measured_without_allocation() {
    let mut random = Random::new(51);
    let mut apart = 0;
    for _ in 0..2000 {
        let unit = Vec3::repeat(1.0);
        let a = Solid::Polytope(any_polytope(&mut random, unit));
        let b = Solid::Polytope(any_polytope(&mut random, unit));
        let (pose_a, pose_b) = (pose(&mut random, 4.0), Pose::identity());
        let before = allocations();
        let answer = euclidean(&a, &pose_a, &b, &pose_b).unwrap();
        let after = allocations();
        if answer.distance > 1e-9 {
            apart += 1;
            assert_eq!(after - before, 0, "{answer:?}");
        }
    }
    assert!(apart > 500);
}
