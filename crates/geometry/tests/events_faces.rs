//! Face on face: the events are the corners of the overlap, computed here on another road.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, cuboid, prism, solve};
use nalgebra::Rotation3;
use percussion_geometry::events::{ContactEvent, ContactRegion, EventKind, EventOptions, EventWorkspace};
use percussion_geometry::shapes::Polytope;
use percussion_geometry::{Pose, Vec2, Vec3};

/// Intersection of two convex polygons by enumeration: corners of each inside the other and all crossings of
/// side lines inside both; then the hull, without corners on straight sides.
fn intersection(p: &[Vec2], q: &[Vec2], tolerance: f64) -> Vec<Vec2> {
    let sides = |polygon: &[Vec2]| -> Vec<(Vec2, Vec2)> {
        (0..polygon.len()).map(|k| (polygon[k], polygon[(k + 1) % polygon.len()] - polygon[k])).collect()
    };
    let (sp, sq) = (sides(p), sides(q));
    let inside = |x: &Vec2| sp.iter().chain(&sq).all(|(o, e)| e.perp(&(x - o)) / e.norm() >= -tolerance);
    let mut points: Vec<Vec2> = p.iter().chain(q).copied().filter(|x| inside(x)).collect();
    for (o, e) in &sp {
        for (r, f) in &sq {
            let c = e.perp(f);
            if c.abs() > 1e-9 * e.norm() * f.norm() {
                let x = o + e * ((r - o).perp(f) / c);
                if inside(&x) {
                    points.push(x);
                }
            }
        }
    }
    hull(points, tolerance)
}

/// Extreme points by gift wrapping, counter-clockwise.
fn hull(points: Vec<Vec2>, tolerance: f64) -> Vec<Vec2> {
    let mut distinct: Vec<Vec2> = Vec::new();
    for p in points {
        if distinct.iter().all(|q| (p - q).norm() > 3.0 * tolerance) {
            distinct.push(p);
        }
    }
    if distinct.len() < 3 {
        return distinct;
    }
    let start = (0..distinct.len())
        .min_by(|&i, &j| {
            let (p, q) = (distinct[i], distinct[j]);
            p.y.total_cmp(&q.y).then(p.x.total_cmp(&q.x))
        })
        .unwrap();
    let mut chain = vec![start];
    loop {
        let here = distinct[*chain.last().unwrap()];
        let mut best = usize::MAX;
        for (k, p) in distinct.iter().enumerate() {
            if (p - here).norm() == 0.0 {
                continue;
            }
            if best == usize::MAX {
                best = k;
                continue;
            }
            let (to_best, to_p) = (distinct[best] - here, p - here);
            let turn = to_best.perp(&to_p) / to_best.norm().max(to_p.norm());
            if turn < -tolerance || turn.abs() <= tolerance && to_p.norm() > to_best.norm() {
                best = k;
            }
        }
        if best == start || chain.len() > distinct.len() {
            break;
        }
        chain.push(best);
    }
    chain.iter().map(|&k| distinct[k]).collect()
}

/// A loop of the bottom (or top) ring of a body in the frame in which the contact plane is `z = const`.
fn ring(body: &Polytope, pose: &Pose, z: f64) -> Vec<Vec2> {
    let points = body.vertices().iter().map(|v| pose.point(v)).filter(|v| (v.z - z).abs() < 1e-9);
    hull(points.map(|v| Vec2::new(v.x, v.y)).collect(), 1e-10)
}

fn same_points(found: &[Vec2], expected: &[Vec2], tolerance: f64) -> bool {
    found.len() == expected.len()
        && expected.iter().all(|e| found.iter().filter(|f| (*f - e).norm() <= tolerance).count() == 1)
}

/// A face of `a` above a face of `b`, in the upright frame; the test turns both together.
struct Stack {
    a: Polytope,
    pose_a: Pose,
    b: Polytope,
    pose_b: Pose,
    /// Height of a's lower face and of b's upper face.
    levels: [f64; 2],
}

/// Checks one stack in a turned frame; `None` when the line of centres meets other features than these faces.
fn check(
    stack: &Stack,
    turn: &Rotation3<f64>,
    shift: &Vec3,
    events: &mut EventWorkspace,
) -> Option<Vec<ContactEvent>> {
    let turned = |pose: &Pose| Pose::new(turn * pose.rotation, turn * pose.position + shift);
    let (pose_a, pose_b) = (turned(&stack.pose_a), turned(&stack.pose_b));
    let answer = solve(&stack.a, &pose_a, &stack.b, &pose_b);
    let upright = |x: &Vec3| turn.inverse() * (x - shift);
    let normal = turn.inverse() * answer.normal();
    if (normal - Vec3::z()).norm() > 1e-6 {
        return None;
    }
    let beta = turn.inverse() * answer.beta;
    let slide = beta * answer.separation;
    let lower: Vec<Vec2> = ring(&stack.a, &stack.pose_a, stack.levels[0])
        .iter()
        .map(|p| p - Vec2::new(slide.x, slide.y))
        .collect();
    let upper = ring(&stack.b, &stack.pose_b, stack.levels[1]);
    let expected = intersection(&lower, &upper, 1e-10);

    let options = EventOptions::active(stack.a.outer_radius(), stack.b.outer_radius());
    let list = events.find(&stack.a, &pose_a, &stack.b, &pose_b, &answer, &options).to_vec();
    let found: Vec<Vec2> = list.iter().map(|e| upright(&e.point_b)).map(|p| Vec2::new(p.x, p.y)).collect();
    assert!(same_points(&found, &expected, 1e-8), "events {list:#?}\n{found:?}\nexpected {expected:?}");
    assert!(same_points(&hull(found, 1e-10), &expected, 1e-8), "an event is no corner of the overlap");
    for event in &list {
        assert!((event.separation - answer.separation).abs() <= 1e-12, "{event:?} {}", answer.separation);
        assert!((event.point_a - event.point_b - answer.beta * event.separation).norm() <= 1e-12);
        assert!((event.normal() - answer.normal()).norm() <= 1e-7);
        assert!((event.alpha.dot(&event.line.beta) - 1.0).abs() <= 1e-12);
    }
    let mut region = ContactRegion::new();
    region.find(&stack.a, &pose_a, &stack.b, &pose_b, &answer, 0.0);
    let corners: Vec<Vec2> = region.points_b().map(|p| upright(&p)).map(|p| Vec2::new(p.x, p.y)).collect();
    assert!(same_points(&corners, &expected, 1e-8), "region {corners:?}\nexpected {expected:?}");
    let (twice, count) = (0..corners.len())
        .fold((0.0, 0), |(sum, n), k| (sum + corners[k].perp(&corners[(k + 1) % corners.len()]), n + 1));
    assert!(count < 3 || twice > 0.0, "the corners run counter-clockwise about alpha");
    assert!((region.area() - 0.5 * twice.abs()).abs() <= 1e-9, "{} {twice}", region.area());
    Some(list)
}

fn offset(random: &mut Random, reach: f64) -> Vec3 {
    Vec3::new(random.uniform(), random.uniform(), 0.0) * reach
}

#[test]
fn prisms_on_prisms_with_any_yaw_touch_in_their_clipped_overlap() {
    let mut random = Random(11);
    let mut events = EventWorkspace::new();
    let (mut used, mut crossings, mut corners) = (0, 0, 0);
    for _ in 0..20_000 {
        let mut side = || 0.4 + 0.3 * (random.uniform() + 1.0);
        let (ha, hb) = (Vec3::new(side(), side(), side()), Vec3::new(side(), side(), side()));
        let (na, nb) = (3 + random.below(8), 3 + random.below(8));
        let (a, b) = (prism(na, ha), prism(nb, hb));
        let yaw = Rotation3::new(Vec3::z() * random.uniform() * 3.0);
        let gap = if random.below(3) == 0 { 0.0 } else { 0.1 * random.uniform() };
        let level = hb.z + gap;
        let pose_a = Pose::new(yaw, Vec3::z() * (level + ha.z) + offset(&mut random, 0.8));
        let stack = Stack { a, pose_a, b, pose_b: Pose::identity(), levels: [level, hb.z] };
        let turn = random.rotation();
        let shift = random.direction() * 10.0;
        if let Some(list) = check(&stack, &turn, &shift, &mut events) {
            used += 1;
            let cross = list.iter().filter(|e| matches!(e.kind, EventKind::EdgeOnEdge { .. })).count();
            crossings += cross;
            corners += list.len() - cross;
        }
    }
    println!("{used} face contacts, {corners} corner events, {crossings} edge events");
    assert!(used > 10_000 && crossings > 10_000 && corners > 10_000);
}

#[test]
fn boxes_on_a_lattice_share_sides_and_corners_without_duplicates() {
    let mut random = Random(12);
    let mut events = EventWorkspace::new();
    let mut used = 0;
    for _ in 0..20_000 {
        let size = |r: &mut Random| Vec3::from_fn(|_, _| 0.25 * (1 + r.below(4)) as f64);
        let (ha, hb) = (size(&mut random), size(&mut random));
        let yaw = Rotation3::new(Vec3::z() * std::f64::consts::FRAC_PI_2 * random.below(4) as f64);
        let lattice = Vec3::new(random.below(7) as f64 - 3.0, random.below(7) as f64 - 3.0, 0.0) * 0.25;
        let pose_a = Pose::new(yaw, lattice + Vec3::z() * (ha.z + hb.z));
        let stack =
            Stack { a: cuboid(ha), pose_a, b: cuboid(hb), pose_b: Pose::identity(), levels: [hb.z, hb.z] };
        let turn = random.rotation();
        used += usize::from(check(&stack, &turn, &Vec3::zeros(), &mut events).is_some());
    }
    println!("{used} lattice contacts");
    assert!(used > 10_000);
}

#[test]
fn identical_faces_touch_in_their_own_corners() {
    let mut events = EventWorkspace::new();
    for sides in 3..20 {
        let body = prism(sides, Vec3::new(0.7, 0.7, 0.5));
        for step in 0..sides {
            // Turned by its own symmetry a corner comes to lie on a corner up to rounding.
            let yaw = Rotation3::new(Vec3::z() * std::f64::consts::TAU * step as f64 / sides as f64);
            let stack = Stack {
                a: body.clone(),
                pose_a: Pose::new(yaw, Vec3::z()),
                b: body.clone(),
                pose_b: Pose::identity(),
                levels: [0.5, 0.5],
            };
            let turn = Rotation3::new(Vec3::new(0.3, -0.4, 0.5));
            let list = check(&stack, &turn, &Vec3::zeros(), &mut events).unwrap();
            assert_eq!(list.len(), sides);
        }
    }
}

#[test]
fn a_small_face_within_a_large_one_touches_in_its_own_corners() {
    let mut events = EventWorkspace::new();
    let (small, large) = (prism(7, Vec3::new(0.3, 0.2, 0.4)), cuboid(Vec3::new(2.0, 2.0, 0.5)));
    for (small_above, corner_of) in [(true, "A"), (false, "B")] {
        let (a, b) = if small_above { (&small, &large) } else { (&large, &small) };
        let (ha, hb) = if small_above { (0.4, 0.5) } else { (0.5, 0.4) };
        let stack = Stack {
            a: a.clone(),
            pose_a: Pose::at(Vec3::new(0.2, 0.1, ha + hb)),
            b: b.clone(),
            pose_b: Pose::identity(),
            levels: [hb, hb],
        };
        let list = check(&stack, &Rotation3::identity(), &Vec3::zeros(), &mut events).unwrap();
        assert_eq!(list.len(), 7);
        for event in &list {
            let EventKind::CornerOnFace { corner_of: side, .. } = event.kind else { panic!("{event:?}") };
            assert_eq!(format!("{side:?}"), corner_of);
        }
    }
}

#[test]
fn far_from_the_origin_the_overlap_is_still_found() {
    let mut events = EventWorkspace::new();
    let stack = Stack {
        a: prism(5, Vec3::new(0.5, 0.6, 0.5)),
        pose_a: Pose::new(Rotation3::new(Vec3::z() * 0.3), Vec3::new(0.4, 0.2, 1.0)),
        b: prism(6, Vec3::new(0.5, 0.6, 0.5)),
        pose_b: Pose::identity(),
        levels: [0.5, 0.5],
    };
    // A power of two keeps the coordinates exact.
    let list = check(&stack, &Rotation3::identity(), &Vec3::repeat(1024.0), &mut events).unwrap();
    assert!(list.len() >= 3);
}
