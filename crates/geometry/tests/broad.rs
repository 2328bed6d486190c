//! The broad phase against brute force, and what it promises about order, margins and misuse.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use percussion_geometry::broad::{BroadError, BroadPhase, Groups, PairCache, Part, PartId, PartPair, Proxy};
use percussion_geometry::{Aabb, PlanarAabb, Vec2, Vec3};
use percussion_testing::Random;

/// The data of a body in the broad phase, for the brute-force check.
struct Body {
    part: Part,
    aabb: Aabb,
    proxy: Proxy,
}

fn brute_force(bodies: &[Body]) -> Vec<PartPair> {
    let mut pairs = vec![];
    for (k, a) in bodies.iter().enumerate() {
        for b in &bodies[..k] {
            let fixed = a.part.fixed && b.part.fixed;
            let agree = a.part.groups.member & b.part.groups.meets != 0
                && b.part.groups.member & a.part.groups.meets != 0;
            let touch =
                (0..3).all(|i| a.aabb.lower[i] <= b.aabb.upper[i] && b.aabb.lower[i] <= a.aabb.upper[i]);
            if a.part.id.body != b.part.id.body && !fixed && agree && touch {
                pairs.push((a.part.id.min(b.part.id), a.part.id.max(b.part.id)));
            }
        }
    }
    pairs.sort();
    pairs
}

/// Names the first difference only: the lists are long.
fn assert_same(pairs: &[PartPair], expected: &[PartPair], place: &str) {
    if let Some(extra) = pairs.iter().find(|p| !expected.contains(p)) {
        panic!("{place}: {extra:?} is listed but does not touch");
    }
    if let Some(missing) = expected.iter().find(|p| !pairs.contains(p)) {
        panic!("{place}: {missing:?} touch but are not listed");
    }
    assert!(pairs == expected, "{place}: order or repeats");
}

/// Parameters of a scene.
#[derive(Clone, Copy)]
struct Layout {
    room: f64,
    sizes: (f64, f64),
    step: f64,
    planar: bool,
    /// Coordinates are rounded to multiples of this (0: not), so that boxes share faces.
    grid: f64,
    /// The whole scene is here and moves by this much each step.
    place: Vec3,
    wind: Vec3,
    /// Chance that a new box reaches infinity.
    unbounded: f64,
}

const ROOM: Layout = Layout {
    room: 3.5,
    sizes: (0.3, 1.0),
    step: 0.1,
    planar: false,
    grid: 0.0,
    place: Vec3::new(0.0, 0.0, 0.0),
    wind: Vec3::new(0.0, 0.0, 0.0),
    unbounded: 0.0,
};

impl Layout {
    fn random_box(&self, r: &mut Random, at: Vec3) -> Aabb {
        // Sizes spread evenly on a logarithmic scale.
        let size = (r.between(self.sizes.0.ln(), self.sizes.1.ln())).exp();
        let half = Vec3::from_fn(|_, _| 0.5 * size * r.between(0.5, 1.5));
        let mut centre = r.vector() * self.room;
        if self.grid > 0.0 {
            centre = centre.map(|x| (x / self.grid).round() * self.grid);
        }
        let half = if self.grid > 0.0 { half.map(|x| (x / self.grid).ceil() * self.grid) } else { half };
        let mut b = Aabb::new(at + centre - half, at + centre + half);
        if r.between(0.0, 1.0) < self.unbounded {
            match r.below(3) {
                0 => b.lower.z = f64::NEG_INFINITY,
                1 => (b.lower.x, b.upper.x) = (f64::NEG_INFINITY, f64::INFINITY),
                _ => b = Aabb::everything(),
            }
        }
        if self.planar {
            (b.lower.z, b.upper.z) = (0.0, 0.0);
        }
        b
    }

    fn moved(&self, r: &mut Random, b: &Aabb) -> Aabb {
        let mut d = r.vector() * self.step;
        if self.grid > 0.0 {
            d = d.map(|x| (x / self.grid).round() * self.grid);
        }
        if self.planar {
            d.z = 0.0;
        }
        Aabb::new(b.lower + d, b.upper + d)
    }
}

/// Hundreds of rounds of moves, insertions, removals and regroupings, each checked.
fn compare_with_brute_force(seed: u64, layout: Layout, count: usize, rounds: usize) -> usize {
    let mut r = Random::new(seed);
    let mut broad = BroadPhase::new();
    let mut bodies: Vec<Body> = vec![];
    let mut next = 0;
    let mut at = layout.place;
    let mut seen = 0;
    for round in 0..rounds {
        let wanted = if round == 0 { count } else { r.below(4) };
        for _ in 0..wanted {
            next += 1;
            // Names in a scrambled order, bodies of up to three parts.
            let id = PartId::new(((next / 3) as u32).wrapping_mul(2_654_435_761), (next % 3) as u32);
            let groups = match r.below(4) {
                0 => Groups { member: 1, meets: 2 },
                1 => Groups { member: 2, meets: 3 },
                _ => Groups::ALL,
            };
            let part = Part { id, fixed: r.below(5) == 0, groups };
            let aabb = layout.random_box(&mut r, at);
            let proxy = broad.insert(part, &aabb).unwrap();
            bodies.push(Body { part, aabb, proxy });
        }
        for _ in 0..if bodies.len() > count { r.below(6) } else { 0 } {
            let gone = bodies.swap_remove(r.below(bodies.len()));
            broad.remove(gone.proxy).unwrap();
        }
        if layout.wind != Vec3::zeros() {
            for body in &mut bodies {
                body.aabb = Aabb::new(body.aabb.lower + layout.wind, body.aabb.upper + layout.wind);
                broad.update(body.proxy, &body.aabb).unwrap();
            }
            at += layout.wind;
        }
        // Rounds in which all move, a few move, none moves.
        let share = [1.0, 0.3, 0.05, 0.0][r.below(4)];
        for body in &mut bodies {
            if !body.part.fixed && r.between(0.0, 1.0) < share {
                body.aabb = if r.below(50) == 0 {
                    layout.random_box(&mut r, at)
                } else {
                    layout.moved(&mut r, &body.aabb)
                };
                broad.update(body.proxy, &body.aabb).unwrap();
            }
        }
        if round % 7 == 3 {
            let k = r.below(bodies.len());
            let body = &mut bodies[k];
            body.part.groups = Groups { member: 1 << r.below(3), meets: r.below(8) as u32 };
            body.part.fixed = !body.part.fixed;
            broad.set_groups(body.proxy, body.part.groups).unwrap();
            broad.set_fixed(body.proxy, body.part.fixed).unwrap();
        }
        broad.refresh();
        let expected = brute_force(&bodies);
        assert_same(broad.pairs(), &expected, &format!("seed {seed}, round {round}"));
        assert_eq!(broad.len(), bodies.len());
        seen += expected.len();
    }
    seen
}

#[test]
fn pairs_agree_with_brute_force_over_hundreds_of_moves_insertions_and_removals() {
    for seed in 0..4 {
        let seen = compare_with_brute_force(seed, ROOM, 150, 300);
        assert!(seen > 10_000, "a scene without contacts proves nothing: {seen}");
    }
}

#[test]
fn pairs_agree_with_brute_force_whatever_the_scene() {
    let crumbs = Layout { sizes: (0.01, 6.0), room: 8.0, ..ROOM };
    let planar = Layout { planar: true, room: 8.0, ..ROOM };
    let shared_faces = Layout { grid: 0.25, step: 0.4, room: 4.0, ..ROOM };
    let unbounded = Layout { unbounded: 0.1, room: 6.0, ..ROOM };
    // Single precision has a resolution of half a metre at this distance: the tree must come along.
    let far = Layout { place: Vec3::new(1e7, -3e6, 5e6), ..ROOM };
    let journey = Layout { wind: Vec3::new(40.0, -3.0, 1e3), ..ROOM };
    for (name, seed, layout, count, rounds, least) in [
        ("crumbs among boulders", 10, crumbs, 250, 150, 10_000),
        ("planar bodies", 11, planar, 150, 300, 10_000),
        ("boxes that share faces", 12, shared_faces, 150, 300, 10_000),
        ("half-spaces and slabs that come and go", 13, unbounded, 120, 300, 10_000),
        ("far from the origin", 14, far, 150, 150, 5_000),
        ("a long journey", 15, journey, 150, 150, 5_000),
    ] {
        let seen = compare_with_brute_force(seed, layout, count, rounds);
        assert!(seen > least, "{name}: {seen}");
    }
}

#[test]
fn pairs_agree_with_brute_force_for_thousands_in_clumps() {
    let mut r = Random::new(16);
    let mut broad = BroadPhase::new();
    let clumps: Vec<Vec3> = (0..12).map(|_| r.vector() * 100.0).collect();
    let mut bodies: Vec<Body> = (0..3000)
        .map(|k| {
            let centre = clumps[k % 12] + r.vector() * 2.0 + r.vector() * 2.0;
            let half = Vec3::from_fn(|_, _| r.between(0.2, 0.5));
            let (part, aabb) =
                (Part::moving(PartId::new(k as u32, 0)), Aabb::new(centre - half, centre + half));
            Body { part, aabb, proxy: broad.insert(part, &aabb).unwrap() }
        })
        .collect();
    for _ in 0..12 {
        for body in &mut bodies {
            let d = r.vector() * 0.3;
            body.aabb = Aabb::new(body.aabb.lower + d, body.aabb.upper + d);
            broad.update(body.proxy, &body.aabb).unwrap();
        }
        broad.refresh();
        let expected = brute_force(&bodies);
        assert!(expected.len() > 3000);
        assert_same(broad.pairs(), &expected, "clumps");
    }
}

fn cube(x: f64, y: f64, z: f64) -> Aabb {
    let c = Vec3::new(x, y, z);
    Aabb::new(c, c + Vec3::repeat(1.0))
}

fn id(body: u32) -> PartId {
    PartId::new(body, 0)
}

#[test]
fn the_order_of_insertions_and_the_way_taken_leave_no_trace() {
    let mut r = Random::new(20);
    let n = 300;
    let last: Vec<Aabb> = (0..n)
        .map(|_| {
            let c = r.vector() * 2.5;
            Aabb::new(c, c + Vec3::from_fn(|_, _| r.between(0.2, 1.2)))
        })
        .collect();
    // Built at once, in the order of names.
    let mut plain = BroadPhase::new();
    for (k, b) in last.iter().enumerate() {
        plain.insert(Part::moving(id(k as u32)), b).unwrap();
    }
    plain.refresh();
    assert!(plain.pairs().len() > 300);
    assert!(plain.pairs().is_sorted() && plain.pairs().iter().all(|(a, b)| a < b));
    for seed in 0..5 {
        // Inserted in another order, elsewhere, with strangers in between, with another slack, and led
        // to the same boxes on a crooked way.
        let mut r = Random::new(100 + seed);
        let mut broad = BroadPhase::with_margin([0.0, 0.01, 0.05, 0.3, 2.0][seed as usize]).unwrap();
        let mut names: Vec<usize> = (0..n).collect();
        for k in (1..n).rev() {
            names.swap(k, r.below(k + 1));
        }
        let mut proxies = vec![];
        let mut strangers = vec![];
        for &k in &names {
            proxies.push(broad.insert(Part::moving(id(k as u32)), &cube(0.0, 0.0, 0.0)).unwrap());
            if r.below(3) == 0 {
                let stranger = Part::moving(PartId::new(r.below(n) as u32, 1 + strangers.len() as u32));
                strangers.push(broad.insert(stranger, &cube(1.0, 0.0, 0.0)).unwrap());
            }
        }
        for _ in 0..10 {
            for proxy in &proxies {
                let c = r.vector() * 5.0;
                broad.update(*proxy, &cube(c.x, c.y, c.z)).unwrap();
            }
            broad.refresh();
        }
        for stranger in strangers {
            broad.remove(stranger).unwrap();
        }
        for (proxy, &k) in proxies.iter().zip(&names) {
            broad.update(*proxy, &last[k]).unwrap();
        }
        broad.refresh();
        assert_eq!(broad.pairs(), plain.pairs());
    }
}

#[test]
fn a_small_move_inside_the_slack_still_ends_and_begins_pairs_exactly() {
    let mut broad = BroadPhase::with_margin(0.5).unwrap();
    broad.insert(Part::moving(id(0)), &cube(0.0, 0.0, 0.0)).unwrap();
    let b = broad.insert(Part::moving(id(1)), &cube(1.0, 0.0, 0.0)).unwrap();
    broad.refresh();
    assert_eq!(broad.pairs(), [(id(0), id(1))], "a shared face counts");
    broad.update(b, &cube(1.0_f64.next_up(), 0.0, 0.0)).unwrap();
    broad.refresh();
    assert!(broad.pairs().is_empty(), "a hair apart is apart");
    broad.update(b, &cube(1.0, 1.0, 1.0)).unwrap();
    broad.refresh();
    assert_eq!(broad.pairs(), [(id(0), id(1))], "a shared corner counts");
}

#[test]
fn a_bullet_does_not_tunnel_through_a_thin_wall() {
    let bullet = |x: f64| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 0.01, 0.01, 0.01));
    let wall = Aabb::new(Vec3::new(5.0, -1.0, -1.0), Vec3::new(5.001, 1.0, 1.0));
    let mut broad = BroadPhase::new();
    broad.insert(Part::fixed(id(0)), &wall).unwrap();
    let proxy = broad.insert(Part::moving(id(1)), &bullet(0.0)).unwrap();
    // Both ends of the step are clear of the wall.
    for end in [bullet(0.0), bullet(10.0)] {
        broad.update(proxy, &end).unwrap();
        broad.refresh();
        assert!(broad.pairs().is_empty());
    }
    broad.update_swept(proxy, &bullet(0.0), &bullet(10.0)).unwrap();
    broad.refresh();
    assert_eq!(broad.pairs(), [(id(0), id(1))]);
    // A bound on the displacement does the same, and is not generous.
    for (reach, pairs) in [(4.98, 0), (4.99, 1), (10.0, 1)] {
        broad.update_reach(proxy, &bullet(0.0), reach).unwrap();
        broad.refresh();
        assert_eq!(broad.pairs().len(), pairs, "reach {reach}");
    }
}

#[test]
fn planar_bodies_meet_edge_to_edge_and_corner_to_corner() {
    let square = |x: f64, y: f64| PlanarAabb::new(Vec2::new(x, y), Vec2::new(x + 1.0, y + 1.0)).lifted();
    let mut broad = BroadPhase::new();
    for (k, (x, y)) in [(0.0, 0.0), (1.0, 0.0), (2.0, 1.0), (3.1, 1.0)].into_iter().enumerate() {
        broad.insert(Part::moving(id(k as u32)), &square(x, y)).unwrap();
    }
    broad.refresh();
    assert_eq!(broad.pairs(), [(id(0), id(1)), (id(1), id(2))]);
}

#[test]
fn a_floor_meets_what_stands_on_it_and_not_what_flies_above() {
    let floor = Aabb { upper: Vec3::new(f64::INFINITY, f64::INFINITY, 0.0), ..Aabb::everything() };
    let mut broad = BroadPhase::new();
    broad.insert(Part::fixed(id(9)), &floor).unwrap();
    broad.insert(Part::fixed(id(8)), &floor).unwrap();
    broad.refresh();
    assert!(broad.pairs().is_empty());
    let mut last = vec![];
    for k in 0..40 {
        last.push(broad.insert(Part::moving(id(100 + k)), &cube(2.0 * f64::from(k), 0.0, 0.0)).unwrap());
    }
    broad.refresh();
    assert_eq!(broad.pairs().len(), 80);
    for (k, proxy) in last.iter().enumerate() {
        broad.update(*proxy, &cube(2.0 * k as f64, 0.0, if k < 10 { -0.5 } else { 1e-9 })).unwrap();
    }
    broad.refresh();
    assert_eq!(broad.pairs().len(), 20);
    assert!(broad.pairs().is_sorted());
}

#[test]
fn one_body_fixed_scenery_foreign_groups_and_a_veto_make_no_pairs() {
    let here = cube(0.0, 0.0, 0.0);
    let mut broad = BroadPhase::new();
    let (a, b) = (Groups { member: 1, meets: 1 }, Groups { member: 2, meets: 3 });
    broad.insert(Part::moving(PartId::new(0, 0)), &here).unwrap();
    broad.insert(Part::moving(PartId::new(0, 1)), &here).unwrap();
    broad.insert(Part::fixed(id(1)), &here).unwrap();
    broad.insert(Part::fixed(id(2)), &here).unwrap();
    broad.insert(Part::moving(id(3)).with_groups(a), &here).unwrap();
    broad.insert(Part::moving(id(4)).with_groups(b), &here).unwrap();
    broad.refresh();
    let all = broad.pairs().to_vec();
    // Of fifteen pairs: one within a body, one of fixed parts, one that one side's groups refuse.
    assert_eq!(all.len(), 12);
    for missing in [(PartId::new(0, 0), PartId::new(0, 1)), (id(1), id(2)), (id(3), id(4))] {
        assert!(!all.contains(&missing));
    }
    broad.refresh_where(|a, b| a.body != 0 && b.body != 4);
    assert_eq!(broad.pairs(), [(id(1), id(3)), (id(2), id(3))]);
    broad.refresh();
    assert_eq!(broad.pairs(), all, "a veto holds for one refresh");
}

#[test]
fn what_is_not_a_box_is_refused_by_name_and_changes_nothing() {
    let mut broad = BroadPhase::new();
    let proxy = broad.insert(Part::moving(PartId::new(7, 3)), &cube(0.0, 0.0, 0.0)).unwrap();
    broad.insert(Part::moving(id(1)), &cube(0.5, 0.0, 0.0)).unwrap();
    let nan = Aabb::new(Vec3::new(0.0, f64::NAN, 0.0), Vec3::repeat(1.0));
    let inside_out = Aabb::new(Vec3::repeat(1.0), Vec3::repeat(0.0));
    let at_infinity = Aabb::new(Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::INFINITY));
    for bad in [nan, inside_out, at_infinity] {
        let error = broad.update(proxy, &bad).unwrap_err();
        assert!(error.to_string().contains("part 3 of body 7"), "{error}");
        assert!(broad.insert(Part::moving(id(50)), &bad).is_err());
        assert!(broad.update_swept(proxy, &cube(0.0, 0.0, 0.0), &bad).is_err());
        assert!(broad.update_swept(proxy, &bad, &cube(0.0, 0.0, 0.0)).is_err());
    }
    for bound in [f64::NAN, -1.0, f64::INFINITY] {
        let error = broad.update_reach(proxy, &cube(0.0, 0.0, 0.0), bound).unwrap_err();
        assert!(matches!(error, BroadError::BadDisplacement { .. }));
        assert!(BroadPhase::with_margin(bound).is_err());
    }
    assert_eq!(
        broad.insert(Part::moving(id(1)), &cube(0.0, 0.0, 0.0)).unwrap_err(),
        BroadError::Duplicate { id: id(1) }
    );
    broad.refresh();
    assert_eq!(broad.pairs(), [(id(1), PartId::new(7, 3))]);
    assert_eq!(broad.len(), 2);
}

#[test]
fn a_proxy_of_a_removed_part_is_refused_even_when_its_place_is_taken_again() {
    let mut broad = BroadPhase::new();
    let old = broad.insert(Part::moving(id(0)), &cube(0.0, 0.0, 0.0)).unwrap();
    broad.insert(Part::moving(id(1)), &cube(0.0, 0.0, 0.0)).unwrap();
    broad.refresh();
    broad.remove(old).unwrap();
    assert!(broad.remove(old).is_err());
    // The name is free at once, also before the refresh.
    let new = broad.insert(Part::fixed(id(0)), &cube(0.5, 0.0, 0.0)).unwrap();
    assert!(broad.update(old, &cube(0.0, 0.0, 0.0)).is_err());
    broad.refresh();
    let third = broad.insert(Part::moving(id(2)), &cube(5.0, 0.0, 0.0)).unwrap();
    assert!(broad.aabb(old).is_err());
    assert_eq!(broad.proxy(id(0)), Some(new));
    assert_eq!(broad.part(new).unwrap(), Part::fixed(id(0)));
    assert_eq!(broad.aabb(third).unwrap(), &cube(5.0, 0.0, 0.0));
    assert_eq!(broad.pairs(), [(id(0), id(1))]);
    // Inserted and removed between two refreshes: never seen.
    broad.remove(third).unwrap();
    broad.refresh();
    assert_eq!(broad.pairs(), [(id(0), id(1))]);
    for proxy in [broad.proxy(id(0)).unwrap(), broad.proxy(id(1)).unwrap()] {
        broad.remove(proxy).unwrap();
    }
    broad.refresh();
    assert!(broad.pairs().is_empty() && broad.is_empty());
}

#[test]
fn warm_values_follow_their_pairs_through_a_moving_scene() {
    let mut r = Random::new(30);
    let mut broad = BroadPhase::new();
    let mut cache = PairCache::<u32>::new();
    let mut ages = std::collections::BTreeMap::<PartPair, u32>::new();
    let mut boxes: Vec<Aabb> = (0..150)
        .map(|_| {
            let c = r.vector() * 2.5;
            cube(c.x, c.y, c.z)
        })
        .collect();
    let proxies: Vec<Proxy> =
        boxes.iter().enumerate().map(|(k, b)| broad.insert(Part::moving(id(k as u32)), b).unwrap()).collect();
    for _ in 0..100 {
        for (b, proxy) in boxes.iter_mut().zip(&proxies) {
            let d = r.vector() * 0.05;
            *b = Aabb::new(b.lower + d, b.upper + d);
            broad.update(*proxy, b).unwrap();
        }
        broad.refresh();
        cache.update(broad.pairs()).unwrap();
        let (pairs, values) = cache.split();
        assert_eq!(pairs, broad.pairs());
        values.iter_mut().for_each(|age| *age += 1);
        ages = pairs.iter().map(|p| (*p, ages.get(p).copied().unwrap_or(0) + 1)).collect();
        assert!(pairs.iter().zip(values.iter()).all(|(p, age)| ages[p] == *age));
    }
    assert!(cache.values().contains(&100) && cache.values().iter().any(|&age| age < 50));
}
