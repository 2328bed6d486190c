//! Distance and depth of polytopes against brute force: every vertex-face and edge-edge pair when apart,
//! every face normal and edge-edge cross product when overlapping.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod euclid_common;

use euclid_common::*;
use nalgebra::Rotation3;
use percussion_geometry::euclid::{Euclidean, euclidean};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_testing::Random;

/// The answer for a pair, compared with brute force.
fn add(tally: &mut Tally, a: &Polytope, pose_a: &Pose, b: &Polytope, pose_b: &Pose) -> Euclidean {
    let (sa, sb) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
    let answer = euclidean(&sa, pose_a, &sb, pose_b).unwrap();
    let origin = pose_b.position;
    let (pa, pb) = (Placed::new(a, pose_a, &origin), Placed::new(b, pose_b, &origin));
    let expected = brute(&pa, &pb);
    let errors = Errors {
        size: scale(&sa, pose_a, &sb, pose_b),
        // World coordinates of points are rounded to the distance from the world's origin.
        rounding: 4.0 * f64::EPSILON * origin.norm(),
        value: answer.distance - expected,
        normal: support_gap(&pa, &pb, &answer.normal) - expected,
        surface: [pa.outside(&(answer.point_a - origin)), pb.outside(&(answer.point_b - origin))],
        beaten: 0.0,
    };
    tally.note(&answer, errors);
    answer
}

fn check(tally: &Tally, name: &str) {
    tally.check(name, Limits { certificate: 2e-14, normal: 5e-14, surface: 1e-10, beaten: 0.0 });
}

/// Compares a family of pairs with brute force.
fn compare(
    name: &str,
    seed: u64,
    count: usize,
    mut pair: impl FnMut(&mut Random, usize) -> (Polytope, Pose, Polytope, Pose),
) -> Tally {
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    for k in 0..count {
        let (a, pose_a, b, pose_b) = pair(&mut random, k);
        add(&mut tally, &a, &pose_a, &b, &pose_b);
    }
    check(&tally, name);
    tally
}

/// A multiple of a quarter along every axis, at most `reach` of them.
fn on_grid(random: &mut Random, reach: usize) -> Vec3 {
    Vec3::from_fn(|_, _| 0.25 * (random.below(2 * reach + 1) as f64 - reach as f64))
}

#[test]
fn random_pairs_agree_with_brute_force() {
    let tally = compare("random", 1, 6000, |random, _| {
        let a = any_polytope(random, Vec3::repeat(1.0));
        let b = any_polytope(random, Vec3::repeat(1.0));
        let (pose_a, pose_b) = (pose(random, 2.0), pose(random, 2.5));
        (a, pose_a, b, pose_b)
    });
    assert!(tally.overlapping > 1000 && tally.overlapping < 5000);
}

#[test]
fn aligned_boxes_have_the_closed_form_at_every_offset() {
    let mut tally = Tally::default();
    let (a, b) = (cuboid(Vec3::new(1.0, 0.5, 0.75)), cuboid(Vec3::new(0.5, 1.0, 0.25)));
    let sum = Vec3::new(1.5, 1.5, 1.0);
    for offset in grid([8; 3]) {
        let answer = add(&mut tally, &a, &Pose::at(offset), &b, &Pose::identity());
        let excess = offset.abs() - sum;
        let expected = if excess.max() <= 0.0 { excess.max() } else { excess.map(|e| e.max(0.0)).norm() };
        assert!((answer.distance - expected).abs() < 1e-14, "{offset:?} {answer:?}");
        if excess.max() < 0.0 {
            assert_eq!(answer.normal.amax(), 1.0, "{offset:?} {answer:?}");
        }
    }
    check(&tally, "aligned boxes");
}

#[test]
fn aligned_boxes_turned_together_agree_with_brute_force() {
    compare("turned aligned boxes", 2, 3000, |random, _| {
        let a = cuboid(Vec3::new(1.0, 0.5, 0.75));
        let b = cuboid(Vec3::new(0.5, 1.0, 0.25));
        let rotation = random.rotation();
        let offset = on_grid(random, 8);
        let quarter = Rotation3::from_axis_angle(
            &[Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()][random.below(3)],
            std::f64::consts::FRAC_PI_4 * random.below(8) as f64,
        );
        let pose_a = Pose::new(rotation, rotation * offset);
        (a, pose_a, b, Pose::new(rotation * quarter, Vec3::zeros()))
    });
}

#[test]
fn nearly_aligned_boxes_agree_with_brute_force() {
    compare("nearly aligned", 3, 3000, |random, k| {
        let (a, b) = (cuboid(Vec3::new(1.0, 0.5, 0.75)), prism(4 + 2 * (k % 3), Vec3::new(1.0, 1.0, 0.5)));
        let tilt = Rotation3::new(random.direction() * 10f64.powf(random.between(-16.0, -4.0)));
        let offset = on_grid(random, 6);
        let nudge = random.direction() * 10f64.powf(random.between(-16.0, -3.0));
        (a, Pose::new(tilt, offset + nudge), b, Pose::identity())
    });
}

#[test]
fn edge_parallel_pairs_agree_with_brute_force() {
    compare("edge-parallel", 4, 3000, |random, _| {
        // Both prisms share the direction of their long edges; turned about it freely.
        let a = prism(3 + random.below(5), Vec3::new(1.0, 1.0, random.between(0.2, 3.0)));
        let b = prism(3 + random.below(5), Vec3::new(0.7, 0.9, random.between(0.2, 3.0)));
        let common = random.rotation();
        let about = |angle: f64| common * Rotation3::from_axis_angle(&Vec3::z_axis(), angle);
        let pose_a =
            Pose::new(about(random.between(0.0, 6.0)), random.direction() * random.between(0.0, 2.5));
        let pose_b = Pose::new(about(random.between(0.0, 6.0)), Vec3::zeros());
        (a, pose_a, b, pose_b)
    });
}

#[test]
fn touching_bodies_are_at_distance_zero() {
    let mut random = Random::new(5);
    let mut tally = Tally::default();
    let unit = Vec3::repeat(1.0);
    for _ in 0..4000 {
        let (a, b) = (any_polytope(&mut random, unit), any_polytope(&mut random, unit));
        let (turn_a, turn_b) = (random.rotation(), random.rotation());
        // A point of each (vertex, edge or face point) is brought together, b's along a's outward normal.
        let face = a.faces()[random.below(a.faces().len())];
        let corners = a.face_loop(&face);
        let vertex = |k: usize| a.vertices()[corners[k % corners.len()] as usize];
        let on_a = match random.below(3) {
            0 => vertex(0),
            1 => 0.5 * (vertex(0) + vertex(1)),
            _ => (vertex(0) + vertex(1) + vertex(2)) / 3.0,
        };
        let out = turn_a * face.normal;
        let on_b = b.vertices()[b.support_index(&turn_b.inverse_transform_vector(&-out))];
        let pose_b = Pose::new(turn_b, turn_a * on_a - turn_b * on_b);
        let answer = add(&mut tally, &a, &Pose::new(turn_a, Vec3::zeros()), &b, &pose_b);
        assert!(answer.distance.abs() <= 1e-13, "{answer:?}");
    }
    check(&tally, "touching");
}

#[test]
fn nearly_touching_bodies_agree_with_brute_force() {
    compare("nearly touching", 6, 4000, |random, _| {
        let unit = Vec3::repeat(1.0);
        let (a, b) = (any_polytope(random, unit), any_polytope(random, unit));
        let aligned = random.below(2) == 0;
        let turn = if aligned { Rotation3::identity() } else { random.rotation() };
        let (p, q) =
            (a.vertices()[random.below(a.vertices().len())], b.vertices()[random.below(b.vertices().len())]);
        let away = (turn * q - b.reference() - p + a.reference()).normalize();
        let gap = 10f64.powf(random.between(-15.0, -2.0)) * random.signed().signum();
        let pose_b = Pose::new(turn, p - turn * q - away * gap);
        (a, Pose::identity(), b, pose_b)
    });
}

#[test]
fn vertex_to_vertex_pairs_agree_with_brute_force() {
    compare("vertex-vertex", 7, 2000, |random, _| {
        let (a, b) = (octahedron(Vec3::repeat(1.0)), octahedron(Vec3::new(0.5, 0.75, 1.0)));
        let axis = [Vec3::x(), Vec3::y(), Vec3::z()][random.below(3)];
        let offset = axis * random.between(-3.0, 3.0);
        (a, Pose::at(offset), b, Pose::identity())
    });
}

#[test]
fn needles_and_flakes_agree_with_brute_force() {
    compare("needles and flakes", 8, 6000, |random, k| {
        let thin = 10f64.powf(random.between(-6.0, -1.0));
        let needle = Vec3::new(thin, thin, 1.0);
        let flake = Vec3::new(1.0, 1.0, thin);
        let a = any_polytope(random, if k % 2 == 0 { needle } else { flake });
        let other = [needle, flake, Vec3::repeat(1.0)][k % 3];
        let b = any_polytope(random, other);
        let reach = [3.0, 1.0, 0.1, thin][random.below(4)];
        let turn = if random.below(4) == 0 { Rotation3::identity() } else { random.rotation() };
        let pose_a = Pose::new(turn, random.direction() * random.between(0.0, reach));
        (a, pose_a, b, Pose::identity())
    });
}

#[test]
fn a_grain_on_a_mountain_agrees_with_brute_force() {
    compare("size ratio 1e6", 9, 4000, |random, _| {
        let a = any_polytope(random, Vec3::repeat(1e6));
        let b = any_polytope(random, Vec3::repeat(1.0));
        let turn = random.rotation();
        let pose_b = Pose::new(random.rotation(), turn * spot(random, &a) + random.direction() * 3.0);
        (a, Pose::new(turn, Vec3::zeros()), b, pose_b)
    });
}

#[test]
fn bodies_far_from_the_origin_lose_no_accuracy() {
    let mut random = Random::new(10);
    let mut tally = Tally::default();
    for _ in 0..2000 {
        let unit = Vec3::repeat(1.0);
        let (a, b) = (any_polytope(&mut random, unit), any_polytope(&mut random, unit));
        // Positions that the offset cannot round: multiples of 2^-20 below 2^30.
        let grid = |v: Vec3, step: f64| v.map(|c| (c / step).round() * step);
        let far = grid(random.direction() * 1e8, 1.0);
        let near = grid(random.direction() * random.between(0.0, 2.5), 1.0 / 1048576.0);
        let (turn_a, turn_b) = (random.rotation(), random.rotation());
        let here = add(&mut tally, &a, &Pose::new(turn_a, far + near), &b, &Pose::new(turn_b, far));
        let there = add(&mut tally, &a, &Pose::new(turn_a, near), &b, &Pose::new(turn_b, Vec3::zeros()));
        assert_eq!(here.distance, there.distance);
        assert_eq!(here.normal, there.normal);
    }
    check(&tally, "far from the origin");
}

#[test]
fn bodies_far_apart_agree_with_brute_force() {
    compare("far apart", 11, 1000, |random, _| {
        let unit = Vec3::repeat(1.0);
        let (a, b) = (any_polytope(random, unit), any_polytope(random, unit));
        let pose_a = Pose::new(random.rotation(), random.direction() * 10f64.powf(random.between(1.0, 6.0)));
        (a, pose_a, b, Pose::identity())
    });
}

#[test]
fn many_sided_bodies_agree_with_brute_force() {
    let mut random = Random::new(12);
    let mut tally = Tally::default();
    for k in 0..40 {
        let a = boulder(&mut random, 150, Vec3::new(1.0, 0.8, 0.6));
        let b = if k % 2 == 0 {
            boulder(&mut random, 150, Vec3::new(0.5, 0.8, 1.0))
        } else {
            prism(48, Vec3::new(0.5, 0.5, 1.0))
        };
        add(&mut tally, &a, &pose(&mut random, 1.4), &b, &Pose::identity());
        // Standing on each other: sides with the same edges, ends face on face.
        let drum = prism(72, Vec3::new(0.5, 0.5, 1.0));
        let offset = Vec3::new(0.0, random.between(-0.2, 0.2), random.between(1.0, 2.1));
        add(&mut tally, &drum, &Pose::at(offset), &prism(72, Vec3::new(0.8, 0.8, 1.0)), &Pose::identity());
    }
    check(&tally, "many-sided");
}

#[test]
fn exchanging_the_bodies_mirrors_the_answer() {
    let mut random = Random::new(13);
    for _ in 0..2000 {
        let unit = Vec3::repeat(1.0);
        let a = Solid::Polytope(any_polytope(&mut random, unit));
        let b = Solid::Polytope(any_polytope(&mut random, unit));
        let (pose_a, pose_b) = (pose(&mut random, 1.5), pose(&mut random, 1.5));
        let here = euclidean(&a, &pose_a, &b, &pose_b).unwrap();
        let there = euclidean(&b, &pose_b, &a, &pose_a).unwrap();
        assert!((here.distance - there.distance).abs() < 1e-13);
        let moved = Pose::new(pose_a.rotation, pose_a.position - here.distance * here.normal);
        // Moving a by minus the distance along the normal brings the bodies into touch.
        let touch = euclidean(&a, &moved, &b, &pose_b).unwrap();
        assert!(touch.distance.abs() < 1e-13, "{here:?} {touch:?}");
    }
}

/// A box whose top is a warped quadrilateral: still convex to the tolerance of a hull, but its four top
/// corners leave their common plane.
fn warped(lift: f64) -> Polytope {
    let plain = cuboid(Vec3::new(1.0, 0.8, 0.6));
    let mut vertices = plain.vertices().to_vec();
    vertices[7].z += lift;
    let loops: Vec<Vec<u32>> = plain.faces().iter().map(|f| plain.face_loop(f).to_vec()).collect();
    Polytope::from_faces(vertices, &loops).unwrap()
}

#[test]
fn faces_that_are_not_quite_flat_still_give_the_depth_of_the_vertices() {
    let mut random = Random::new(14);
    for _ in 0..300 {
        let body = warped(1e-9 * random.between(0.1, 0.9));
        let other = any_polytope(&mut random, Vec3::repeat(0.5));
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 1.2));
        let (sa, sb) = (Solid::Polytope(body.clone()), Solid::Polytope(other.clone()));
        let answer = euclidean(&sa, &Pose::identity(), &sb, &pose).unwrap();
        let exact = Placed::new(&body, &Pose::identity(), &Vec3::zeros());
        let placed = Placed::new(&other, &pose, &Vec3::zeros());
        let mut normals = exact.normals.clone();
        for t in 0..exact.vertices.len() {
            for u in 0..t {
                for v in 0..u {
                    let [p, q, r] = [t, u, v].map(|k| exact.vertices[k]);
                    if let Some(n) = (q - p).cross(&(r - p)).try_normalize(1e-9) {
                        normals.push(n);
                    }
                }
            }
        }
        let mut edges = Vec::new();
        for t in 0..exact.vertices.len() {
            edges.extend((0..t).map(|u| [t, u]));
        }
        // Every plane through three vertices and every pair of vertices is a candidate: the true facets are
        // among them.
        let full = Placed { vertices: exact.vertices, normals, edges, triangles: exact.triangles };
        let facets = brute_facets(&full, &placed);
        if facets < -1e-8 {
            assert!((answer.distance - facets).abs() < 2e-13, "{} {facets} {answer:?}", answer.distance);
            assert!(answer.lower <= facets + 1e-14 && facets <= answer.upper + 1e-14, "{facets} {answer:?}");
        }
    }
}

/// A vertex, the middle of an edge or a point of a face.
fn spot(random: &mut Random, body: &Polytope) -> Vec3 {
    let face = body.faces()[random.below(body.faces().len())];
    let corners = body.face_loop(&face);
    let first = random.below(corners.len());
    let vertex = |k: usize| body.vertices()[corners[(first + k) % corners.len()] as usize];
    match random.below(3) {
        0 => vertex(0),
        1 => 0.5 * (vertex(0) + vertex(1)),
        _ => (vertex(0) + vertex(1) + vertex(2)) / 3.0,
    }
}

/// Thin, unequal, aligned or nearly so, with a spot of each brought together up to a nudge of any size: the
/// mixture in which every degeneracy meets every other.
#[test]
fn mixtures_of_degeneracies_agree_with_brute_force() {
    compare("mixtures", 15, 20000, |random, k| {
        let thin = 10f64.powf(random.between(-6.0, 0.0));
        let shapes = [Vec3::new(thin, thin, 1.0), Vec3::new(1.0, 1.0, thin), Vec3::repeat(1.0)];
        let ratio = if random.below(4) == 0 { 10f64.powf(random.between(-6.0, 0.0)) } else { 1.0 };
        let a = any_polytope(random, shapes[k % 3]);
        let b = any_polytope(random, shapes[k / 3 % 3] * ratio);
        let turn_a = random.rotation();
        let axis = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()][random.below(3)];
        let eighth = Rotation3::from_axis_angle(&axis, std::f64::consts::FRAC_PI_4 * random.below(8) as f64);
        let tilt = Rotation3::new(random.direction() * 10f64.powf(random.between(-17.0, 0.0)));
        let turn_b = match random.below(4) {
            0 => turn_a,
            1 => turn_a * eighth,
            2 => turn_a * eighth * tilt,
            _ => random.rotation(),
        };
        let meet = turn_a * spot(random, &a) - turn_b * spot(random, &b);
        let nudge = random.direction() * 10f64.powf(random.between(-17.0, 0.3));
        (a, Pose::new(turn_a, Vec3::zeros()), b, Pose::new(turn_b, meet + nudge))
    });
}
