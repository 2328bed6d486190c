//! No query touches the heap: warm or cold, near or far.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod euclid_common;
#[path = "common/families.rs"]
mod families;

use common::{
    Random, capsule, circle, cuboid, curved_solids, cylinder, ellipse, half_plane, half_space, octahedron,
    prism, sphere,
};
use families::{FAMILIES, PLANAR_FAMILIES, hull, pair, planar_pair, polygon};
use nalgebra::Rotation3;
use percussion_geometry::broad::{BroadPhase, PairCache, Part, PartId, Proxy};
use percussion_geometry::euclid::euclidean;
use percussion_geometry::events::{ContactRegion, EventOptions, EventWorkspace};
use percussion_geometry::separation::{
    Options, PlanarOptions, PlanarWarmStart, WarmStart, planar_separation, separation,
};
use percussion_geometry::shapes::{PlanarShape, Polytope, Solid};
use percussion_geometry::{Aabb, PlanarPose, Pose, Vec2, Vec3};
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
    let polytopes = [hull(random), cuboid(Vec3::new(0.5, 0.4, 0.3)), octahedron(Vec3::repeat(0.6))];
    let polytopes = polytopes.map(Solid::Polytope).to_vec();
    [polytopes, curved_solids(), vec![half_space(Vec3::z(), -0.3)]].concat()
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
        circle(0.5),
        ellipse(0.3, 0.8),
        half_plane(Vec2::y(), 0.1),
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
fn separated_polytopes_are_measured_without_the_heap() {
    let mut random = percussion_testing::Random::new(51);
    let mut apart = 0;
    for _ in 0..2000 {
        let mut body = || Solid::Polytope(euclid_common::any_polytope(&mut random, Vec3::repeat(1.0)));
        let (a, b) = (body(), body());
        let pose = euclid_common::pose(&mut random, 4.0);
        let mut distance = 0.0;
        let made =
            allocations_during(|| distance = euclidean(&a, &pose, &b, &Pose::identity()).unwrap().distance);
        if distance > 1e-9 {
            apart += 1;
            assert_eq!(made, 0, "{distance}");
        }
    }
    assert!(apart > 500);
}

#[test]
fn warm_event_queries_need_no_heap() {
    let polytopes = [cuboid(Vec3::repeat(0.5)), prism(40, Vec3::new(0.6, 0.6, 0.5))].map(Solid::Polytope);
    let others = [sphere(0.5), capsule(0.4, 0.3), cylinder(0.5, 0.5), half_space(-Vec3::z(), -1.4)];
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
        for a in &polytopes {
            for b in polytopes.iter().chain(&others) {
                for pose in &poses {
                    let options = EventOptions::nearly_active(a.outer_radius(), b.outer_radius());
                    let at = Pose::identity();
                    let answer = common::ask(b, pose, a, &at, None);
                    *count += allocations_during(|| {
                        events.manifold(b, pose, a, &at, &answer, &options);
                        if let (Solid::Polytope(p), Solid::Polytope(q)) = (b, a) {
                            region.find(p, pose, q, &at, &answer, 0.0);
                        }
                    });
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

/// Boxes that swing about fixed places, each at its own pace, so that a long run stays in known bounds.
struct Swing {
    places: Vec<Vec3>,
    proxies: Vec<Proxy>,
    broad: BroadPhase,
    cache: PairCache<WarmStart>,
    time: f64,
}

impl Swing {
    fn new() -> Self {
        let mut broad = BroadPhase::new();
        let side = 12;
        let floor = Aabb { upper: Vec3::new(f64::INFINITY, f64::INFINITY, 0.0), ..Aabb::everything() };
        broad.insert(Part::fixed(PartId::new(u32::MAX, 0)), &floor).unwrap();
        let places: Vec<Vec3> = (0..side * side * side)
            .map(|k| Vec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64))
            .collect();
        let proxies = (0..places.len())
            .map(|k| {
                let b = Aabb::new(places[k], places[k] + Vec3::repeat(0.8));
                broad.insert(Part::moving(PartId::new(k as u32, 0)), &b).unwrap()
            })
            .collect();
        Self { places, proxies, broad, cache: PairCache::new(), time: 0.0 }
    }

    fn step(&mut self) {
        self.time += 0.05;
        for (k, proxy) in self.proxies.iter().enumerate() {
            let phase = k as f64;
            let swing = Vec3::new(
                (self.time * (1.0 + 0.3 * (phase * 0.7).sin()) + phase).sin(),
                (self.time * 1.3 + 2.0 * phase).sin(),
                (self.time * 0.7 + 3.0 * phase).cos(),
            );
            let low = self.places[k] + 0.6 * swing;
            let b = Aabb::new(low, low + Vec3::repeat(0.8));
            self.broad.update_swept(*proxy, &b, &Aabb::new(b.lower, b.upper + Vec3::repeat(0.02))).unwrap();
        }
        self.broad.refresh();
        self.cache.update(self.broad.pairs()).unwrap();
    }
}

#[test]
fn a_warm_step_of_the_broad_phase_needs_no_heap() {
    let mut swing = Swing::new();
    let cold = allocations_during(|| (0..400).for_each(|_| swing.step()));
    assert!(cold > 10, "the counter works: {cold}");
    let pairs_before = swing.broad.pairs().to_vec();
    assert_eq!(allocations_during(|| (0..400).for_each(|_| swing.step())), 0);
    assert!(swing.broad.pairs().len() > 1000 && swing.broad.pairs() != pairs_before);
}
