//! Manifolds of spheres, capsules, cylinders and half-spaces.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{
    Random, ask, body, capsule, cone, cuboid, cylinder, ellipsoid, half_space, moved, octahedron, prism,
    sphere,
};
use nalgebra::Rotation3;
use percussion_geometry::events::{ContactEvent, EventKind, EventOptions, EventWorkspace};
use percussion_geometry::separation::{BetaTerm, Separation};
use percussion_geometry::shapes::{Feature, Solid};
use percussion_geometry::{Pose, Vec3};
use std::f64::consts::FRAC_PI_2;

fn nearly(a: &Solid, b: &Solid) -> EventOptions {
    EventOptions::nearly_active(a.outer_radius(), b.outer_radius())
}

fn active(a: &Solid, b: &Solid) -> EventOptions {
    EventOptions::active(a.outer_radius(), b.outer_radius())
}

fn floor() -> Solid {
    half_space(Vec3::z(), 0.0)
}

fn manifold(
    a: &Solid,
    pa: &Pose,
    b: &Solid,
    pb: &Pose,
    options: &EventOptions,
) -> (Separation, Vec<ContactEvent>) {
    let answer = ask(a, pa, b, pb, None);
    let list = EventWorkspace::new().manifold(a, pa, b, pb, &answer, options).to_vec();
    for event in &list {
        let size = event.alpha.norm();
        assert!((event.point_a - event.point_b - answer.beta * event.separation).norm() < 1e-12 * size);
        assert!((event.alpha.dot(&answer.beta) - 1.0).abs() < 1e-12 * size);
        assert!(event.separation >= answer.separation - 2e-9 * size, "{event:?} {}", answer.separation);
    }
    let least = list.iter().map(|e| e.separation).fold(f64::INFINITY, f64::min);
    assert!((least - answer.separation).abs() < 2e-9 * answer.alpha.norm(), "{least} {answer:?} {list:?}");
    (answer, list)
}

/// Distance of a body point from a rounded solid's surface.
fn off_surface(solid: &Solid, x: &Vec3) -> f64 {
    match solid {
        Solid::Sphere(s) => (x.norm() - s.radius()).abs(),
        Solid::Capsule(c) => {
            let core = Vec3::new(0.0, 0.0, x.z.clamp(-c.half_length(), c.half_length()));
            ((x - core).norm() - c.radius()).abs()
        }
        Solid::Polytope(p) => {
            p.faces().iter().map(|f| f.normal.dot(x) - f.offset).fold(f64::MIN, f64::max).abs()
        }
        _ => panic!(),
    }
}

#[test]
fn round_bodies_touch_where_the_kernel_says() {
    let mut random = Random(41);
    let mut features = std::collections::BTreeMap::new();
    for _ in 0..20_000 {
        let round = |r: &mut Random| match r.below(2) {
            0 => sphere(0.2 + 0.2 * r.uniform().abs()),
            _ => capsule(0.3 + 0.2 * r.uniform(), 0.2 + 0.1 * r.uniform()),
        };
        let any = |r: &mut Random| match r.below(2) {
            0 => round(r),
            _ => Solid::Polytope(body(r)),
        };
        let (mut a, mut b) = (round(&mut random), any(&mut random));
        if random.below(2) == 0 {
            std::mem::swap(&mut a, &mut b);
        }
        let pa = Pose::new(random.rotation(), random.direction() * (1.0 + 0.6 * random.uniform()));
        let pb = Pose::new(random.rotation(), Vec3::zeros());
        let (answer, list) = manifold(&a, &pa, &b, &pb, &active(&a, &b));
        // A generic pair: one event, the separation itself, on named features.
        assert_eq!(list.len(), 1, "{list:?}");
        let event = list[0];
        let size = answer.alpha.norm();
        assert!((event.alpha - answer.alpha).norm() < 1e-5 * size * size, "{event:?} {answer:?}");
        assert!((event.point_a - answer.point_a).norm() < 1e-5 * size * size, "{event:?} {answer:?}");
        assert!(off_surface(&a, &pa.inverse_point(&event.point_a)) < 1e-9);
        assert!(off_surface(&b, &pb.inverse_point(&event.point_b)) < 1e-9);
        for (solid, feature) in [&a, &b].into_iter().zip(event.kind.features()) {
            let curved = feature == Feature::Curved;
            assert_eq!(curved, matches!(solid, Solid::Sphere(_)), "{event:?}");
        }
        let name = |f: Feature| format!("{f:?}").split('(').next().unwrap().to_string();
        let [f, g] = event.kind.features().map(name);
        *features.entry(format!("{f} {g}")).or_insert(0) += 1;
    }
    println!("{features:?}");
    assert!(features.len() >= 10);
}

#[test]
fn a_capsule_along_a_face_touches_at_both_ends() {
    let (rod, table) = (capsule(0.4, 0.1), Solid::Polytope(cuboid(Vec3::new(1.0, 1.0, 0.5))));
    let lying = Rotation3::new(Vec3::y() * FRAC_PI_2);
    for yaw in [0.0, 0.4, 1.1] {
        let turn = Rotation3::new(Vec3::z() * yaw) * lying;
        let pose = Pose::new(turn, Vec3::new(0.2, -0.1, 0.6));
        let (_, list) = manifold(&rod, &pose, &table, &Pose::identity(), &active(&rod, &table));
        assert_eq!(list.len(), 2, "{list:?}");
        assert!((list[0].point_a - list[1].point_a).norm() > 0.79);
        for event in &list {
            assert!(event.separation.abs() < 1e-12 && (event.normal() - Vec3::z()).norm() < 1e-12);
        }
    }
    // A little tilt: one active event, two nearly active.
    let tilted = Rotation3::new(Vec3::y() * 0.005) * lying;
    let pose = Pose::new(tilted, Vec3::new(0.2, -0.1, 0.61));
    assert_eq!(manifold(&rod, &pose, &table, &Pose::identity(), &active(&rod, &table)).1.len(), 1);
    let (answer, list) = manifold(&rod, &pose, &table, &Pose::identity(), &nearly(&rod, &table));
    assert_eq!(list.len(), 2);
    let rise = (list[0].gap() - list[1].gap()).abs();
    assert!((rise - 0.8 * 0.005f64.sin()).abs() < 1e-12, "{rise} {answer:?}");
}

#[test]
fn a_capsule_over_the_edge_of_a_table_touches_in_its_end_and_on_the_edge() {
    let (rod, table) = (capsule(0.4, 0.1), Solid::Polytope(cuboid(Vec3::new(1.0, 1.0, 0.5))));
    let turn = Rotation3::new(Vec3::z() * 0.3) * Rotation3::new(Vec3::y() * FRAC_PI_2);
    let pose = Pose::new(turn, Vec3::new(0.8, -0.1, 0.6));
    let (_, list) = manifold(&rod, &pose, &table, &Pose::identity(), &active(&rod, &table));
    assert_eq!(list.len(), 2, "{list:?}");
    let on_edge = list
        .iter()
        .find(|e| matches!(e.kind, EventKind::Smooth { a: Feature::Edge(0), b: Feature::Edge(_) }));
    let event = on_edge.unwrap();
    // The axis through (0.8, -0.1) at 0.3 rad meets x = 1, seen along β.
    let beta = event.line.beta;
    assert!((event.point_b.x - 1.0).abs() < 1e-12 && (event.point_b.z - 0.5).abs() < 1e-12);
    let expected = -0.1 + 0.2 * 0.3f64.tan();
    assert!((event.point_a.y - expected).abs() < 1e-9 + event.separation.abs(), "{event:?} {beta}");
}

#[test]
fn parallel_capsules_touch_along_their_overlap() {
    let (long, short) = (capsule(0.5, 0.1), capsule(0.2, 0.15));
    for (shift, length) in [(0.0, 0.4), (0.5, 0.2)] {
        let pose = Pose::at(Vec3::new(0.25, 0.0, shift));
        for (a, pa, b, pb) in
            [(&short, pose, &long, Pose::identity()), (&long, Pose::identity(), &short, pose)]
        {
            let (_, list) = manifold(a, &pa, b, &pb, &active(a, b));
            assert_eq!(list.len(), 2, "{list:?}");
            // Points slide along β; at s = 0 (β crosswise) the stretch is the overlap itself.
            assert!(list.iter().all(|e| (e.normal().x.abs() - 1.0).abs() < 1e-12));
            let stretch = (list[0].point_a.z - list[1].point_a.z).abs();
            assert!((stretch - length).abs() < 1e-12, "{stretch} {length} {list:?}");
        }
    }
}

#[test]
fn a_capsule_lying_on_an_edge_touches_in_two_places() {
    // The edge of a roof, parallel to the capsule.
    let roof = Solid::Polytope(octahedron(Vec3::new(1.0, 1.0, 1.0)));
    let edge = (Vec3::y() - Vec3::x()).normalize();
    let out = Vec3::new(1.0, 1.0, 0.0).normalize();
    let turn = Rotation3::rotation_between(&Vec3::z(), &edge).unwrap();
    let rod = capsule(0.3, 0.2);
    let pose = Pose::new(turn, out * (0.5f64.sqrt() + 0.2));
    let (_, list) = manifold(&rod, &pose, &roof, &Pose::identity(), &active(&rod, &roof));
    assert_eq!(list.len(), 2, "{list:?}");
    assert!((list[0].point_a - list[1].point_a).norm() > 0.6 - 1e-9);
    assert!(list.iter().all(|e| (e.normal() - out).norm() < 1e-9));
}

#[test]
fn gradients_of_round_contacts_agree_with_differences() {
    let mut random = Random(42);
    let (mut checked, mut worst) = (0, 0f64);
    for round in 0..400 {
        let (a, pa, b, pb);
        if round % 2 == 0 {
            a = if random.below(2) == 0 { sphere(0.4) } else { capsule(0.4, 0.2) };
            b = if random.below(3) == 0 { capsule(0.5, 0.3) } else { Solid::Polytope(body(&mut random)) };
            pa = Pose::new(random.rotation(), random.direction() * 1.3);
            pb = Pose::new(random.rotation(), Vec3::zeros());
        } else {
            // A rod nearly flat on a table.
            a = capsule(0.4, 0.1);
            b = Solid::Polytope(cuboid(Vec3::new(1.0, 1.0, 0.5)));
            let lying = Rotation3::new(Vec3::z() * random.uniform())
                * Rotation3::new(Vec3::y() * (FRAC_PI_2 + 0.003));
            pa = Pose::new(
                lying,
                Vec3::new(0.7 * random.uniform(), 0.7 * random.uniform(), 0.6 + 0.01 * random.uniform()),
            );
            pb = Pose::identity();
        }
        let options = nearly(&a, &b);
        let (_, list) = manifold(&a, &pa, &b, &pb, &options);
        let reference = |s: &Solid, pose: &Pose| pose.point(&s.reference());
        let (ca, cb) = (reference(&a, &pa), reference(&b, &pb));
        for event in list.iter().filter(|e| e.alpha.norm() < 3.0) {
            let gradient = event.motion_gradient(&ca, &cb, BetaTerm::Follow).columns();
            let step = 1e-6;
            for (k, &column) in gradient.iter().enumerate() {
                let value = |sign: f64| {
                    let (qa, qb) = match k < 6 {
                        true => (moved(&pa, &ca, k, sign * step), pb),
                        false => (pa, moved(&pb, &cb, k - 6, sign * step)),
                    };
                    let answer = ask(&a, &qa, &b, &qb, None);
                    let mut events = EventWorkspace::new();
                    let list = events.manifold(&a, &qa, &b, &qb, &answer, &options);
                    list.iter().find(|e| e.kind == event.kind).map(|e| e.separation)
                };
                // An event at the border of its feature may change its name within the step.
                let (Some(up), Some(down)) = (value(1.0), value(-1.0)) else { continue };
                let difference = (up - down) / (2.0 * step);
                let error = (difference - column).abs() / column.abs().max(1.0);
                worst = worst.max(error);
                assert!(error < 1e-6, "column {k}: {difference} {column} {event:?}");
                checked += 1;
            }
        }
    }
    println!("{checked} gradient columns of round contacts, largest relative error {worst:e}");
    assert!(checked > 4_000);
}

#[test]
fn bodies_stand_on_the_floor_with_all_they_have() {
    let up = |z: f64| Pose::new(Rotation3::new(Vec3::z() * 0.3), Vec3::new(3.0, -2.0, z));
    let lying = |z: f64| {
        let turn = Rotation3::new(Vec3::z() * 0.3) * Rotation3::new(Vec3::y() * FRAC_PI_2);
        Pose::new(turn, Vec3::new(3.0, -2.0, z))
    };
    let half = 0.003;
    for (solid, pose, expected) in [
        (Solid::Polytope(cuboid(Vec3::new(0.3, 0.4, 0.5))), up(0.5 + half), 4),
        (Solid::Polytope(prism(7, Vec3::new(0.3, 0.4, 0.5))), up(0.5 + half), 7),
        (sphere(0.4), up(0.4 + half), 1),
        (capsule(0.4, 0.2), lying(0.2 + half), 2),
        (capsule(0.4, 0.2), up(0.6 + half), 1),
        (cylinder(0.4, 0.2), up(0.4 + half), 4),
        (cylinder(0.4, 0.2), lying(0.2 + half), 2),
        (cone(0.8, 0.3), up(0.2 + half), 4),
        (ellipsoid(0.3, 0.4, 0.5), up(0.5 + half), 1),
    ] {
        let ground = floor();
        let options = nearly(&solid, &ground);
        let (_, list) = manifold(&solid, &pose, &ground, &Pose::identity(), &options);
        assert_eq!(list.len(), expected, "{solid:?} {list:?}");
        for event in &list {
            assert!((event.separation - half).abs() < 1e-12 && (event.normal() - Vec3::z()).norm() < 1e-12);
            assert!((event.point_a.z - half).abs() < 1e-12 && event.point_b.z.abs() < 1e-12);
            // A floor does not follow: translation is the normal itself, rotation acts through the point.
            let g = event.motion_gradient(&pose.position, &Vec3::zeros(), BetaTerm::Follow);
            assert!((g.translation_a - Vec3::z()).norm() < 1e-12);
            let arm = event.point_a - pose.position;
            assert!((g.rotation_a - Vec3::new(arm.y, -arm.x, 0.0)).norm() < 1e-12);
        }
        let (_, swapped) = manifold(&ground, &Pose::identity(), &solid, &pose, &options);
        assert_eq!(swapped.len(), expected);
        for event in &swapped {
            assert!(list.iter().any(
                |e| (e.point_a - event.point_b).norm() < 1e-12 && (e.alpha + event.alpha).norm() < 1e-12
            ));
        }
    }
}

#[test]
fn a_tipping_cylinder_keeps_its_far_rim_in_view() {
    let (can, ground) = (cylinder(0.4, 0.2), floor());
    let tilt = 0.004;
    let pose = Pose::new(Rotation3::new(Vec3::new(0.6, 0.8, 0.0) * tilt), Vec3::z() * 0.41);
    let (answer, list) = manifold(&can, &pose, &ground, &Pose::identity(), &nearly(&can, &ground));
    assert_eq!(list.len(), 4);
    let far = list.iter().map(|e| e.separation).fold(f64::MIN, f64::max);
    assert!((far - answer.separation - 0.4 * tilt.sin()).abs() < 1e-12);
    assert_eq!(manifold(&can, &pose, &ground, &Pose::identity(), &active(&can, &ground)).1.len(), 1);
}

#[test]
fn a_cylinder_on_a_table_touches_within_the_overlap() {
    let (can, table) = (cylinder(0.4, 0.3), Solid::Polytope(cuboid(Vec3::new(1.0, 1.0, 0.5))));
    let stack = |x: f64, y: f64| Pose::at(Vec3::new(x, y, 0.9));
    // Well inside: four rim points. Over a side: crossings too. Over a corner: the corner as well.
    for (x, y, corners, least) in [(0.1, 0.2, 0, 4), (0.9, 0.2, 0, 4), (0.9, 0.95, 1, 4)] {
        for turned in [false, true] {
            let frame =
                if turned { Rotation3::new(Vec3::new(0.4, -1.0, 0.7)) } else { Rotation3::identity() };
            let place = |p: Pose| Pose::new(frame * p.rotation, frame * p.position);
            let (pa, pb) = (place(stack(x, y)), place(Pose::identity()));
            for swapped in [false, true] {
                let (a, pa, b, pb) = if swapped { (&table, pb, &can, pa) } else { (&can, pa, &table, pb) };
                let (answer, list) = manifold(a, &pa, b, &pb, &active(a, b));
                assert!(list.len() >= least, "{list:?}");
                let on_corner =
                    |e: &&ContactEvent| e.kind.features().iter().any(|f| matches!(f, Feature::Vertex(_)));
                assert_eq!(list.iter().filter(on_corner).count(), corners, "{list:?}");
                for event in &list {
                    assert!((event.separation - answer.separation).abs() < 1e-12 * event.alpha.norm());
                    let p = frame.inverse() * event.point_a;
                    assert!((p.z - 0.5).abs() < 1e-9);
                    assert!(p.x < 1.0 + 1e-9 && p.y < 1.0 + 1e-9 && ((p.x - x).hypot(p.y - y)) < 0.3 + 1e-9);
                    let on_outline = (p.x - 1.0).abs() < 1e-9
                        || (p.y - 1.0).abs() < 1e-9
                        || ((p.x - x).hypot(p.y - y) - 0.3).abs() < 1e-9;
                    assert!(on_outline, "{p}");
                }
            }
        }
    }
    // Lying across the edge: one end on the table, the other at the edge.
    let lying = Pose::new(Rotation3::new(Vec3::y() * FRAC_PI_2), Vec3::new(0.8, 0.1, 0.8));
    let (_, list) = manifold(&can, &lying, &table, &Pose::identity(), &active(&can, &table));
    assert_eq!(list.len(), 2, "{list:?}");
    let mut ends: Vec<f64> = list.iter().map(|e| e.point_b.x).collect();
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] - 0.4).abs() < 1e-9 && (ends[1] - 1.0).abs() < 1e-9, "{ends:?}");
}

#[test]
fn a_ball_on_a_ball_is_one_event() {
    let (a, b) = (sphere(0.5), sphere(0.3));
    let (answer, list) = manifold(&a, &Pose::at(Vec3::x()), &b, &Pose::identity(), &nearly(&a, &b));
    assert_eq!(list.len(), 1);
    assert!((list[0].separation - 0.2).abs() < 1e-15 && list[0].alpha == answer.alpha);
    assert!((list[0].point_b - Vec3::x() * 0.3).norm() < 1e-15);
}
