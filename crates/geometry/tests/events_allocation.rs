//! A warm query allocates nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, cuboid, prism};
use nalgebra::Rotation3;
use percussion_geometry::events::{ContactRegion, EventOptions, EventWorkspace};
use percussion_geometry::separation::{Options, WarmStart, separation};
use percussion_geometry::shapes::{Capsule, Cylinder, HalfSpace, Solid, Sphere};
use percussion_geometry::{Pose, Vec3};
use percussion_testing::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn warm_event_queries_allocate_nothing() {
    let solids = [
        Solid::Polytope(cuboid(Vec3::new(0.5, 0.5, 0.5))),
        Solid::Polytope(prism(40, Vec3::new(0.6, 0.6, 0.5))),
        Solid::Sphere(Sphere::new(0.5).unwrap()),
        Solid::Capsule(Capsule::new(0.4, 0.3).unwrap()),
        Solid::Cylinder(Cylinder::new(0.5, 0.5).unwrap()),
        Solid::HalfSpace(HalfSpace::new(-Vec3::z(), -1.4).unwrap()),
    ];
    let mut random = Random(51);
    let poses: Vec<Pose> = (0..50)
        .map(|k| {
            let yaw = Rotation3::new(Vec3::new(0.0, 0.0, random.uniform()));
            let tilt =
                if k % 2 == 0 { Vec3::zeros() } else { Vec3::new(0.004, 0.003, 0.0) * random.uniform() };
            Pose::new(Rotation3::new(tilt) * yaw, Vec3::new(0.3 * random.uniform(), 0.2, 0.95))
        })
        .collect();
    let (mut events, mut region) = (EventWorkspace::new(), ContactRegion::new());
    let mut round = |count: &mut usize| {
        for a in &solids[..2] {
            for b in &solids {
                for pose in &poses {
                    let options = EventOptions::nearly_active(a.outer_radius(), b.outer_radius());
                    let at = Pose::identity();
                    let answer =
                        separation(b, pose, a, &at, &Options::default(), &mut WarmStart::default()).unwrap();
                    let before = allocations();
                    events.manifold(b, pose, a, &at, &answer, &options);
                    if let (Solid::Polytope(p), Solid::Polytope(q)) = (b, a) {
                        region.find(p, pose, q, &at, &answer, 0.0);
                    }
                    *count += allocations() - before;
                }
            }
        }
    };
    let (mut cold, mut warm) = (0, 0);
    round(&mut cold);
    round(&mut warm);
    assert!(cold > 0);
    assert_eq!(warm, 0);
}
