//! A warm step of the broad phase and of the pair cache allocates nothing.
#![allow(clippy::unwrap_used)]

use percussion_geometry::broad::{BroadPhase, PairCache, Part, PartId, Proxy};
use percussion_geometry::separation::WarmStart;
use percussion_geometry::{Aabb, Vec3};
use percussion_testing::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

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
fn a_warm_step_allocates_nothing() {
    let mut swing = Swing::new();
    let before = allocations();
    for _ in 0..400 {
        swing.step();
    }
    let cold = allocations() - before;
    assert!(cold > 10, "the counter works: {cold}");
    let pairs_before = swing.broad.pairs().to_vec();
    let before = allocations();
    for _ in 0..400 {
        swing.step();
    }
    let warm = allocations() - before;
    assert_eq!(warm, 0);
    assert!(swing.broad.pairs().len() > 1000 && swing.broad.pairs() != pairs_before);
}
