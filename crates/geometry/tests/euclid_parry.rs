//! Against parry3d-f64: agreement on generic pairs, and a count of what happens on face-aligned boxes, where
//! parry's depths and normals are not an oracle.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod euclid_common;

use euclid_common::*;
use nalgebra::Rotation3;
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::ConvexPolyhedron;
use percussion_geometry::euclid::euclidean;
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_testing::Random;

fn to_parry(body: &Polytope) -> ConvexPolyhedron {
    let points: Vec<_> = body.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

fn to_parry_pose(pose: &Pose) -> ParryPose {
    let q = nalgebra::UnitQuaternion::from_rotation_matrix(&pose.rotation);
    let p = pose.position;
    ParryPose::from_parts(Vector::new(p.x, p.y, p.z), Rotation::from_xyzw(q.i, q.j, q.k, q.w))
}

/// Parry's signed distance and normal from b to a.
fn parry(a: &ConvexPolyhedron, pose_a: &Pose, b: &ConvexPolyhedron, pose_b: &Pose) -> Option<(f64, Vec3)> {
    let contact = query::contact(&to_parry_pose(pose_a), a, &to_parry_pose(pose_b), b, 100.0).ok()??;
    // Parry's first normal points out of a; ours from b to a.
    Some((contact.dist, -Vec3::new(contact.normal1.x, contact.normal1.y, contact.normal1.z)))
}

#[test]
fn generic_pairs_agree_with_parry() {
    let mut random = Random::new(41);
    let (mut worst, mut wrong, mut overlapping) = (0.0_f64, 0, 0);
    let count = 3000;
    for _ in 0..count {
        let a = boulder(&mut random, 16, Vec3::new(1.0, 0.8, 0.6));
        let b = boulder(&mut random, 16, Vec3::new(0.7, 0.9, 0.5));
        let (pose_a, pose_b) = (pose(&mut random, 1.5), pose(&mut random, 1.0));
        let ours =
            euclidean(&Solid::Polytope(a.clone()), &pose_a, &Solid::Polytope(b.clone()), &pose_b).unwrap();
        overlapping += usize::from(ours.distance < 0.0);
        let expected =
            brute(&Placed::new(&a, &pose_a, &Vec3::zeros()), &Placed::new(&b, &pose_b, &Vec3::zeros()));
        assert!((ours.distance - expected).abs() < 1e-13);
        let Some((theirs, _)) = parry(&to_parry(&a), &pose_a, &to_parry(&b), &pose_b) else {
            wrong += 1;
            continue;
        };
        // Brute force has confirmed ours; parry is counted where it errs.
        if (theirs - ours.distance).abs() > 1e-6 {
            wrong += 1;
        } else {
            worst = worst.max((theirs - ours.distance).abs());
        }
    }
    println!(
        "generic: {count} pairs, {overlapping} overlapping, parry differs on {wrong}, else by at most {worst:e}"
    );
    assert!(overlapping > 500 && overlapping < 2500);
    assert!(wrong <= count / 200, "{wrong} of {count} generic pairs differ");
}

#[test]
fn face_aligned_boxes_are_right_where_parry_errs() {
    let mut random = Random::new(42);
    let (mut configurations, mut wrong_depth, mut wrong_normal, mut missing) = (0, 0, 0, 0);
    let (half_a, half_b) = (Vec3::new(1.0, 0.5, 0.75), Vec3::new(0.5, 1.0, 0.25));
    let (a, b) = (cuboid(half_a), cuboid(half_b));
    let (parry_a, parry_b) = (to_parry(&a), to_parry(&b));
    let (solid_a, solid_b) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
    let mut worst = 0.0_f64;
    for turned in [false, true] {
        for offset in grid([5, 5, 3]) {
            let turn = if turned { random.rotation() } else { Rotation3::identity() };
            let (pose_a, pose_b) = (Pose::new(turn, turn * offset), Pose::new(turn, Vec3::zeros()));
            let placed = |body: &Polytope, pose: &Pose| Placed::new(body, pose, &Vec3::zeros());
            let (pa, pb) = (placed(&a, &pose_a), placed(&b, &pose_b));
            let expected = brute(&pa, &pb);
            let ours = euclidean(&solid_a, &pose_a, &solid_b, &pose_b).unwrap();
            configurations += 1;
            worst = worst.max((ours.distance - expected).abs());
            assert!((ours.distance - expected).abs() < 1e-14, "{offset:?} {ours:?}");
            assert!((support_gap(&pa, &pb, &ours.normal) - expected).abs() < 1e-14, "{offset:?} {ours:?}");
            match parry(&parry_a, &pose_a, &parry_b, &pose_b) {
                None => missing += 1,
                Some((distance, normal)) => {
                    wrong_depth += usize::from((distance - expected).abs() > 1e-6);
                    // A normal is wrong when moving along it by the depth does not separate.
                    let gap = support_gap(&pa, &pb, &normal.normalize());
                    wrong_normal += usize::from((gap - expected).abs() > 1e-6);
                }
            }
        }
    }
    println!(
        "aligned boxes, overlapping or touching: {configurations}; ours differ from brute force by at most {worst:e}; \
         parry: {wrong_depth} wrong depths, {wrong_normal} wrong normals, {missing} without an answer"
    );
}
