//! Distance and depth in the plane: polygons against brute force, circles and ellipses proved from both sides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod euclid_common;

use common::{circle, ellipse, half_plane};
use euclid_common::{Errors, Limits, Tally, grid, planar_brute};
use percussion_geometry::euclid::{PlanarEuclidean, planar_euclidean};
use percussion_geometry::separation::QueryError;
use percussion_geometry::shapes::{PlanarShape, Polygon};
use percussion_geometry::{PlanarPose, Vec2};
use percussion_testing::Random;

fn rectangle(x: f64, y: f64) -> PlanarShape {
    PlanarShape::Polygon(Polygon::rectangle(2.0 * x, 2.0 * y).unwrap())
}

/// A polygon inscribed in an ellipse at random, well separated angles.
fn any_polygon(random: &mut Random, scale: Vec2) -> PlanarShape {
    let count = 3 + random.below(7);
    let corners = (0..count)
        .map(|k| {
            let angle = std::f64::consts::TAU * (k as f64 + 0.4 * random.signed()) / count as f64;
            Vec2::new(scale.x * angle.cos(), scale.y * angle.sin())
        })
        .collect();
    PlanarShape::Polygon(Polygon::from_loop(corners).unwrap())
}

fn any_pose(random: &mut Random, reach: f64) -> PlanarPose {
    let position = Vec2::new(random.signed(), random.signed()) * reach;
    PlanarPose::new(random.between(-3.0, 3.0), position)
}

fn corners(shape: &PlanarShape, pose: &PlanarPose, origin: &Vec2) -> Vec<Vec2> {
    let PlanarShape::Polygon(p) = shape else { panic!("not a polygon") };
    p.vertices().iter().map(|v| pose.rotation * v + (pose.position - origin)).collect()
}

fn outside(shape: &PlanarShape, p: &Vec2) -> f64 {
    match shape {
        PlanarShape::Polygon(s) => (0..s.vertices().len())
            .map(|k| s.edge(k).0.dot(p) - s.edge(k).1)
            .fold(f64::NEG_INFINITY, f64::max),
        PlanarShape::Circle(s) => p.norm() - s.radius(),
        PlanarShape::Ellipse(s) => {
            let q = p.component_div(&s.semi_axes());
            (q.norm_squared() - 1.0) / (2.0 * q.component_div(&s.semi_axes()).norm())
        }
        PlanarShape::HalfPlane(s) => s.normal().dot(p) - s.offset(),
    }
}

fn support_gap(a: &PlanarShape, pose_a: &PlanarPose, b: &PlanarShape, pose_b: &PlanarPose, n: &Vec2) -> f64 {
    let x = pose_a.direction(&a.support(&pose_a.inverse_direction(&-n)).unwrap());
    let y = pose_b.direction(&b.support(&pose_b.inverse_direction(n)).unwrap());
    n.dot(&(pose_a.position - pose_b.position)) + n.dot(&x) - n.dot(&y)
}

/// The answer for a pair: of polygons compared with brute force, else against a dense sample of normals.
fn add(
    tally: &mut Tally,
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
) -> PlanarEuclidean {
    let answer = planar_euclidean(a, pose_a, b, pose_b).unwrap();
    let reach = (pose_a.point(&a.reference()) - pose_b.point(&b.reference())).norm();
    let mut errors = Errors {
        size: reach.max(a.outer_radius() + b.outer_radius()),
        rounding: 4.0 * f64::EPSILON * pose_b.position.norm(),
        normal: support_gap(a, pose_a, b, pose_b, &answer.normal) - answer.lower,
        surface: [(a, pose_a, answer.point_a), (b, pose_b, answer.point_b)]
            .map(|(body, pose, point)| outside(body, &pose.inverse_point(&point))),
        ..Errors::default()
    };
    if let (PlanarShape::Polygon(_), PlanarShape::Polygon(_)) = (a, b) {
        let origin = pose_b.position;
        errors.value =
            answer.distance - planar_brute(&corners(a, pose_a, &origin), &corners(b, pose_b, &origin));
    } else if answer.distance < 0.0 {
        for k in 0..2000 {
            let angle = std::f64::consts::TAU * f64::from(k) / 2000.0;
            let gap = support_gap(a, pose_a, b, pose_b, &Vec2::new(angle.cos(), angle.sin()));
            errors.beaten = errors.beaten.max(gap - answer.upper);
        }
    }
    tally.note(&answer, errors);
    answer
}

fn check(tally: &Tally, name: &str, certificate: f64, surface: f64) {
    tally.check(name, Limits { certificate, normal: 1e-14, surface, beaten: 1e-14 });
}

#[test]
fn random_polygons_agree_with_brute_force() {
    let mut random = Random::new(31);
    let mut tally = Tally::default();
    for _ in 0..30000 {
        let (a, b) =
            (any_polygon(&mut random, Vec2::new(1.0, 0.7)), any_polygon(&mut random, Vec2::new(0.6, 1.0)));
        let (pose_a, pose_b) = (any_pose(&mut random, 1.5), any_pose(&mut random, 1.0));
        add(&mut tally, &a, &pose_a, &b, &pose_b);
    }
    assert!(tally.overlapping > 8000 && tally.overlapping < 25000);
    check(&tally, "random polygons", 2e-14, 1e-12);
}

#[test]
fn aligned_rectangles_have_the_closed_form_at_every_offset() {
    let mut tally = Tally::default();
    let (a, b, here) = (rectangle(1.0, 0.5), rectangle(0.5, 1.0), PlanarPose::identity());
    for offset in grid([12, 12, 0]).map(|v| v.xy()) {
        let answer = add(&mut tally, &a, &PlanarPose::at(offset), &b, &here);
        let excess = offset.abs() - Vec2::new(1.5, 1.5);
        let expected = if excess.max() <= 0.0 { excess.max() } else { excess.map(|e| e.max(0.0)).norm() };
        assert!((answer.distance - expected).abs() < 1e-15, "{offset:?} {answer:?}");
    }
    check(&tally, "aligned rectangles", 2e-14, 1e-12);
}

#[test]
fn hard_polygons_agree_with_brute_force() {
    let mut random = Random::new(32);
    let mut tally = Tally::default();
    for k in 0..30000 {
        let thin = 10f64.powf(random.between(-6.0, 0.0));
        let a = any_polygon(&mut random, Vec2::new(1.0, thin));
        let b = match k % 3 {
            0 => rectangle(1.0, thin),
            1 => any_polygon(&mut random, Vec2::new(1e-6, 1e-6)),
            _ => any_polygon(&mut random, Vec2::new(1.0, 1.0)),
        };
        // Corner to corner, nearly touching, nearly parallel.
        let tilt = 10f64.powf(random.between(-17.0, 0.5));
        let pose_b = PlanarPose::new(tilt, Vec2::zeros());
        let origin = Vec2::zeros();
        let p = corners(&a, &PlanarPose::identity(), &origin);
        let q = corners(&b, &pose_b, &origin);
        let meet = q[random.below(q.len())] - p[random.below(p.len())];
        let nudge = Vec2::new(random.signed(), random.signed()) * 10f64.powf(random.between(-17.0, 0.0));
        add(&mut tally, &a, &PlanarPose::at(meet + nudge), &b, &pose_b);
    }
    check(&tally, "hard polygons", 1e-12, 1e-11);
}

#[test]
fn polygons_far_from_the_origin_lose_no_accuracy() {
    let mut random = Random::new(33);
    let mut tally = Tally::default();
    for _ in 0..3000 {
        let (a, b) =
            (any_polygon(&mut random, Vec2::new(1.0, 0.7)), any_polygon(&mut random, Vec2::new(0.6, 1.0)));
        let far = Vec2::new(random.signed(), random.signed()).map(|c| (c * 1e8).round());
        let near = Vec2::new(random.signed(), random.signed()).map(|c| (c * 1048576.0).round() / 1048576.0);
        let (t, u) = (random.between(-3.0, 3.0), random.between(-3.0, 3.0));
        let here = add(&mut tally, &a, &PlanarPose::new(t, far + near), &b, &PlanarPose::new(u, far));
        let there = add(&mut tally, &a, &PlanarPose::new(t, near), &b, &PlanarPose::new(u, Vec2::zeros()));
        assert_eq!((here.distance, here.normal), (there.distance, there.normal));
    }
    check(&tally, "far from the origin", 2e-14, 1e-12);
}

#[test]
fn circles_and_ellipses_prove_their_distance_and_depth() {
    let mut random = Random::new(34);
    let mut tally = Tally::default();
    let any = |random: &mut Random, kind: usize| {
        let (x, y) = (random.between(0.2, 1.2), random.between(0.2, 1.2));
        match kind {
            0 => circle(x),
            1 => ellipse(x, y),
            2 => ellipse(x, 0.01 * y),
            _ => any_polygon(random, Vec2::new(x, y)),
        }
    };
    for k in 0..3000 {
        let (a, b) = (any(&mut random, k % 3), any(&mut random, k / 3 % 4));
        let reach = [0.0, 0.3, 1.0, 2.0][random.below(4)];
        let (pose_a, pose_b) = (any_pose(&mut random, reach), any_pose(&mut random, reach));
        add(&mut tally, &a, &pose_a, &b, &pose_b);
    }
    assert!(tally.overlapping > 500 && tally.overlapping < 2800);
    check(&tally, "curved", 1e-12, 1e-6);
}

#[test]
fn circles_have_their_closed_form() {
    let at = |x: f64, y: f64| PlanarPose::at(Vec2::new(x, y));
    let apart = planar_euclidean(&circle(1.0), &at(3.0, 4.0), &circle(2.0), &at(0.0, 0.0)).unwrap();
    assert!((apart.distance - 2.0).abs() < 1e-15 && (apart.normal - Vec2::new(0.6, 0.8)).norm() < 1e-15);
    let concentric = planar_euclidean(&circle(1.0), &at(0.0, 0.0), &circle(2.0), &at(0.0, 0.0)).unwrap();
    assert_eq!((concentric.distance, concentric.normal.norm()), (-3.0, 1.0));
    let inside =
        planar_euclidean(&circle(0.25), &at(0.25, 0.0), &rectangle(1.0, 2.0), &at(0.0, 0.0)).unwrap();
    assert!(
        (inside.distance + 1.0).abs() < 1e-15 && (inside.normal - Vec2::x()).norm() < 1e-15,
        "{inside:?}"
    );
}

#[test]
fn a_half_plane_needs_one_support() {
    let floor = half_plane(Vec2::new(0.0, 2.0), 0.5);
    let body = rectangle(1.0, 0.5);
    let pose = PlanarPose::new(std::f64::consts::FRAC_PI_4, Vec2::new(0.3, 2.0));
    let answer = planar_euclidean(&body, &pose, &floor, &PlanarPose::identity()).unwrap();
    let expected = 1.5 - 1.5 / 2f64.sqrt();
    assert!((answer.distance - expected).abs() < 1e-15 && answer.normal == Vec2::y(), "{answer:?}");
    assert!((answer.point_b.y - 0.5).abs() < 1e-15);
    let mirrored = planar_euclidean(&floor, &PlanarPose::identity(), &body, &pose).unwrap();
    assert_eq!((mirrored.normal, mirrored.point_b), (-answer.normal, answer.point_a));
    let both = planar_euclidean(&floor, &pose, &floor, &pose);
    assert_eq!(both, Err(QueryError::BothUnbounded));
    let bad = PlanarPose::at(Vec2::new(f64::INFINITY, 0.0));
    assert_eq!(planar_euclidean(&body, &pose, &body, &bad), Err(QueryError::NotFinite { body: 'b' }));
}
