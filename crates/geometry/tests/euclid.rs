//! Distance and depth of polytopes against brute force: every vertex-face and edge-edge pair when apart,
//! every face normal and edge-edge cross product when overlapping.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod euclid_common;

use euclid_common::*;
use nalgebra::Rotation3;
use percussion_geometry::euclid::{Euclidean, euclidean};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_testing::Random;

/// Worst errors over a family of pairs, relative to the pair's scale.
#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    overlapping: usize,
    value: f64,
    certificate: f64,
    normal: f64,
    witness: f64,
    surface: f64,
    iterations: u32,
}

impl Tally {
    fn add(&mut self, a: &Polytope, pose_a: &Pose, b: &Polytope, pose_b: &Pose) -> Euclidean {
        let (sa, sb) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
        let answer = euclidean(&sa, pose_a, &sb, pose_b).unwrap();
        let size = scale(&sa, pose_a, &sb, pose_b);
        let origin = pose_b.position;
        let (pa, pb) = (Placed::new(a, pose_a, &origin), Placed::new(b, pose_b, &origin));
        let expected = brute(&pa, &pb);
        let note = |name: &str, slot: &mut f64, error: f64| {
            assert!(error.is_finite(), "{name} is {error}: {answer:?}");
            *slot = slot.max(error / size);
        };
        self.pairs += 1;
        self.overlapping += usize::from(expected < 0.0);
        self.iterations = self.iterations.max(answer.iterations);
        note("value", &mut self.value, (answer.distance - expected).abs());
        note("certificate", &mut self.certificate, answer.certificate_gap());
        // The normal is a unit vector whose support gap is the value.
        note("normal", &mut self.normal, (answer.normal.norm() - 1.0).abs() * size);
        note("normal", &mut self.normal, (support_gap(&pa, &pb, &answer.normal) - expected).abs());
        let error = answer.point_a - answer.point_b - answer.distance * answer.normal;
        // World coordinates of points are rounded to the distance from the world's origin.
        let rounding = 4.0 * f64::EPSILON * origin.norm();
        note("witness", &mut self.witness, (error.norm() - rounding).max(0.0));
        for (body, point) in [(&pa, answer.point_a), (&pb, answer.point_b)] {
            let outside = body.outside(&(point - origin));
            note("surface", &mut self.surface, (outside.abs() - rounding).max(0.0));
        }
        assert!(answer.lower <= answer.distance && answer.distance <= answer.upper, "{answer:?}");
        answer
    }

    fn check(&self, name: &str) {
        println!("{name}: {self:?}");
        assert!(self.value <= 5e-14, "{name}: {self:?}");
        assert!(self.certificate <= 2e-14, "{name}: {self:?}");
        assert!(self.normal <= 5e-14, "{name}: {self:?}");
        assert!(self.witness <= 1e-14, "{name}: {self:?}");
        assert!(self.surface <= 1e-10, "{name}: {self:?}");
    }
}

#[test]
fn random_pairs_agree_with_brute_force() {
    let mut random = Random::new(1);
    let mut tally = Tally::default();
    for _ in 0..6000 {
        let a = any_polytope(&mut random, Vec3::repeat(1.0));
        let b = any_polytope(&mut random, Vec3::repeat(1.0));
        let (pose_a, pose_b) = (pose(&mut random, 2.0), pose(&mut random, 2.5));
        tally.add(&a, &pose_a, &b, &pose_b);
    }
    assert!(tally.overlapping > 1000 && tally.overlapping < 5000);
    tally.check("random");
}

#[test]
fn aligned_boxes_have_the_closed_form_at_every_offset() {
    let mut tally = Tally::default();
    let (a, b) = (cuboid(Vec3::new(1.0, 0.5, 0.75)), cuboid(Vec3::new(0.5, 1.0, 0.25)));
    let sum = Vec3::new(1.5, 1.5, 1.0);
    for i in -8..=8 {
        for j in -8..=8 {
            for k in -8..=8 {
                let offset = Vec3::new(f64::from(i), f64::from(j), f64::from(k)) * 0.25;
                let answer = tally.add(&a, &Pose::at(offset), &b, &Pose::identity());
                let excess = offset.abs() - sum;
                let expected =
                    if excess.max() <= 0.0 { excess.max() } else { excess.map(|e| e.max(0.0)).norm() };
                assert!((answer.distance - expected).abs() < 1e-14, "{offset:?} {answer:?}");
                if excess.max() < 0.0 {
                    assert_eq!(answer.normal.amax(), 1.0, "{offset:?} {answer:?}");
                }
            }
        }
    }
    tally.check("aligned boxes");
}

#[test]
fn aligned_boxes_turned_together_agree_with_brute_force() {
    let mut random = Random::new(2);
    let mut tally = Tally::default();
    for _ in 0..3000 {
        let a = cuboid(Vec3::new(1.0, 0.5, 0.75));
        let b = cuboid(Vec3::new(0.5, 1.0, 0.25));
        let rotation = random.rotation();
        let step = |random: &mut Random| 0.25 * (random.below(17) as f64 - 8.0);
        let offset = Vec3::new(step(&mut random), step(&mut random), step(&mut random));
        let quarter = Rotation3::from_axis_angle(
            &[Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()][random.below(3)],
            std::f64::consts::FRAC_PI_4 * random.below(8) as f64,
        );
        let pose_a = Pose::new(rotation, rotation * offset);
        tally.add(&a, &pose_a, &b, &Pose::new(rotation * quarter, Vec3::zeros()));
    }
    tally.check("turned aligned boxes");
}

#[test]
fn nearly_aligned_boxes_agree_with_brute_force() {
    let mut random = Random::new(3);
    let mut tally = Tally::default();
    for k in 0..3000 {
        let (a, b) = (cuboid(Vec3::new(1.0, 0.5, 0.75)), prism(4 + 2 * (k % 3), Vec3::new(1.0, 1.0, 0.5)));
        let tilt = Rotation3::new(random.direction() * 10f64.powf(random.between(-16.0, -4.0)));
        let step = |random: &mut Random| 0.25 * (random.below(13) as f64 - 6.0);
        let offset = Vec3::new(step(&mut random), step(&mut random), step(&mut random));
        let nudge = random.direction() * 10f64.powf(random.between(-16.0, -3.0));
        tally.add(&a, &Pose::new(tilt, offset + nudge), &b, &Pose::identity());
    }
    tally.check("nearly aligned");
}

#[test]
fn edge_parallel_pairs_agree_with_brute_force() {
    let mut random = Random::new(4);
    let mut tally = Tally::default();
    for _ in 0..3000 {
        // Both prisms share the direction of their long edges; turned about it freely.
        let a = prism(3 + random.below(5), Vec3::new(1.0, 1.0, random.between(0.2, 3.0)));
        let b = prism(3 + random.below(5), Vec3::new(0.7, 0.9, random.between(0.2, 3.0)));
        let common = random.rotation();
        let about = |angle: f64| common * Rotation3::from_axis_angle(&Vec3::z_axis(), angle);
        let pose_a =
            Pose::new(about(random.between(0.0, 6.0)), random.direction() * random.between(0.0, 2.5));
        let pose_b = Pose::new(about(random.between(0.0, 6.0)), Vec3::zeros());
        tally.add(&a, &pose_a, &b, &pose_b);
    }
    tally.check("edge-parallel");
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
        let answer = tally.add(&a, &Pose::new(turn_a, Vec3::zeros()), &b, &pose_b);
        assert!(answer.distance.abs() <= 1e-13, "{answer:?}");
    }
    tally.check("touching");
}

#[test]
fn nearly_touching_bodies_agree_with_brute_force() {
    let mut random = Random::new(6);
    let mut tally = Tally::default();
    let unit = Vec3::repeat(1.0);
    for _ in 0..4000 {
        let (a, b) = (any_polytope(&mut random, unit), any_polytope(&mut random, unit));
        let aligned = random.below(2) == 0;
        let turn = if aligned { Rotation3::identity() } else { random.rotation() };
        let (p, q) =
            (a.vertices()[random.below(a.vertices().len())], b.vertices()[random.below(b.vertices().len())]);
        let away = (turn * q - b.reference() - p + a.reference()).normalize();
        let gap = 10f64.powf(random.between(-15.0, -2.0)) * random.signed().signum();
        let pose_b = Pose::new(turn, p - turn * q - away * gap);
        tally.add(&a, &Pose::identity(), &b, &pose_b);
    }
    tally.check("nearly touching");
}

#[test]
fn vertex_to_vertex_pairs_agree_with_brute_force() {
    let mut random = Random::new(7);
    let mut tally = Tally::default();
    for _ in 0..2000 {
        let (a, b) = (octahedron(Vec3::repeat(1.0)), octahedron(Vec3::new(0.5, 0.75, 1.0)));
        let axis = [Vec3::x(), Vec3::y(), Vec3::z()][random.below(3)];
        let offset = axis * random.between(-3.0, 3.0);
        tally.add(&a, &Pose::at(offset), &b, &Pose::identity());
    }
    tally.check("vertex-vertex");
}

#[test]
fn needles_and_flakes_agree_with_brute_force() {
    let mut random = Random::new(8);
    let mut tally = Tally::default();
    for k in 0..6000 {
        let thin = 10f64.powf(random.between(-6.0, -1.0));
        let needle = Vec3::new(thin, thin, 1.0);
        let flake = Vec3::new(1.0, 1.0, thin);
        let a = any_polytope(&mut random, if k % 2 == 0 { needle } else { flake });
        let other = [needle, flake, Vec3::repeat(1.0)][k % 3];
        let b = any_polytope(&mut random, other);
        let reach = [3.0, 1.0, 0.1, thin][random.below(4)];
        let turn = if random.below(4) == 0 { Rotation3::identity() } else { random.rotation() };
        let pose_a = Pose::new(turn, random.direction() * random.between(0.0, reach));
        tally.add(&a, &pose_a, &b, &Pose::identity());
    }
    tally.check("needles and flakes");
}

#[test]
fn a_grain_on_a_mountain_agrees_with_brute_force() {
    let mut random = Random::new(9);
    let mut tally = Tally::default();
    for _ in 0..4000 {
        let a = any_polytope(&mut random, Vec3::repeat(1e6));
        let b = any_polytope(&mut random, Vec3::repeat(1.0));
        let turn = random.rotation();
        let face = a.faces()[random.below(a.faces().len())];
        let corners = a.face_loop(&face);
        let vertex = |k: usize| a.vertices()[corners[k % corners.len()] as usize];
        let spot = [vertex(0), 0.5 * (vertex(0) + vertex(1)), (vertex(0) + vertex(1) + vertex(2)) / 3.0];
        let pose_b = Pose::new(random.rotation(), turn * spot[random.below(3)] + random.direction() * 3.0);
        tally.add(&a, &Pose::new(turn, Vec3::zeros()), &b, &pose_b);
    }
    tally.check("size ratio 1e6");
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
        let here = tally.add(&a, &Pose::new(turn_a, far + near), &b, &Pose::new(turn_b, far));
        let there = tally.add(&a, &Pose::new(turn_a, near), &b, &Pose::new(turn_b, Vec3::zeros()));
        assert_eq!(here.distance, there.distance);
        assert_eq!(here.normal, there.normal);
    }
    tally.check("far from the origin");
}

#[test]
fn bodies_far_apart_agree_with_brute_force() {
    let mut random = Random::new(11);
    let mut tally = Tally::default();
    for _ in 0..1000 {
        let unit = Vec3::repeat(1.0);
        let (a, b) = (any_polytope(&mut random, unit), any_polytope(&mut random, unit));
        let pose_a = Pose::new(random.rotation(), random.direction() * 10f64.powf(random.between(1.0, 6.0)));
        tally.add(&a, &pose_a, &b, &Pose::identity());
    }
    tally.check("far apart");
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
        tally.add(&a, &pose(&mut random, 1.4), &b, &Pose::identity());
        // Standing on each other: sides with the same edges, ends face on face.
        let drum = prism(72, Vec3::new(0.5, 0.5, 1.0));
        let offset = Vec3::new(0.0, random.between(-0.2, 0.2), random.between(1.0, 2.1));
        tally.add(&drum, &Pose::at(offset), &prism(72, Vec3::new(0.8, 0.8, 1.0)), &Pose::identity());
    }
    tally.check("many-sided");
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
    let mut random = Random::new(15);
    let mut tally = Tally::default();
    for k in 0..20000 {
        let thin = 10f64.powf(random.between(-6.0, 0.0));
        let shapes = [Vec3::new(thin, thin, 1.0), Vec3::new(1.0, 1.0, thin), Vec3::repeat(1.0)];
        let ratio = if random.below(4) == 0 { 10f64.powf(random.between(-6.0, 0.0)) } else { 1.0 };
        let a = any_polytope(&mut random, shapes[k % 3]);
        let b = any_polytope(&mut random, shapes[k / 3 % 3] * ratio);
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
        let meet = turn_a * spot(&mut random, &a) - turn_b * spot(&mut random, &b);
        let nudge = random.direction() * 10f64.powf(random.between(-17.0, 0.3));
        tally.add(&a, &Pose::new(turn_a, Vec3::zeros()), &b, &Pose::new(turn_b, meet + nudge));
    }
    tally.check("mixtures");
}
