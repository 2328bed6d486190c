//! The kernel in the plane.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, ask_planar as ask, half_plane, lattice};
use percussion_geometry::separation::{Outcome, PlanarOptions, PlanarWarmStart, planar_separation};
use percussion_geometry::shapes::{PlanarShape, Polygon};
use percussion_geometry::{PlanarPose, Vec2};

fn polygon(random: &mut Random, stretch: Vec2) -> PlanarShape {
    let sides = 3 + random.below(8);
    let turn = random.uniform() * 3.0;
    let points = (0..sides).map(|k| {
        let angle = turn + k as f64 / sides as f64 * std::f64::consts::TAU;
        Vec2::new(angle.cos(), angle.sin()).component_mul(&stretch)
    });
    PlanarShape::Polygon(Polygon::from_loop(points.collect()).unwrap())
}

fn rectangle(half: Vec2) -> PlanarShape {
    PlanarShape::Polygon(Polygon::rectangle(2.0 * half.x, 2.0 * half.y).unwrap())
}

fn pose(random: &mut Random, reach: f64) -> PlanarPose {
    PlanarPose::new(random.uniform() * 3.2, Vec2::new(random.uniform(), random.uniform()) * reach)
}

/// Separation by brute force: where the ray from b's to a's reference leaves the Minkowski difference, over all
/// segments between its points that straddle the ray.
fn brute_force(a: &PlanarShape, pa: &PlanarPose, b: &PlanarShape, pb: &PlanarPose) -> f64 {
    let (PlanarShape::Polygon(p), PlanarShape::Polygon(q)) = (a, b) else { panic!("polygons only") };
    let (ca, cb) = (pa.point(&p.reference()), pb.point(&q.reference()));
    let beta = (ca - cb).normalize();
    let mut points = Vec::new();
    for x in p.vertices() {
        for y in q.vertices() {
            points.push(pa.point(x) - pb.point(y));
        }
    }
    let mut lowest = f64::INFINITY;
    for u in &points {
        for v in &points {
            let (cu, cv) = (beta.perp(u), beta.perp(v));
            if cu <= 0.0 && cv >= 0.0 && cv > cu {
                let s = (cv * u.dot(&beta) - cu * v.dot(&beta)) / (cv - cu);
                lowest = lowest.min(s);
            }
        }
    }
    lowest
}

fn size(a: &PlanarShape, b: &PlanarShape) -> f64 {
    a.outer_radius() + b.outer_radius()
}

#[test]
fn polygons_agree_with_every_segment_of_the_difference() {
    let mut random = Random(21);
    for index in 0..20_000 {
        let thin = if index % 4 == 0 { 10f64.powf(-4.0 * random.uniform().abs()) } else { 1.0 };
        let (a, b) = (polygon(&mut random, Vec2::new(1.0, thin)), polygon(&mut random, Vec2::new(0.6, 0.9)));
        let (pa, pb) = (pose(&mut random, 1.5), pose(&mut random, 0.5));
        let answer = ask(&a, &pa, &b, &pb, None);
        let expected = brute_force(&a, &pa, &b, &pb);
        let slope = answer.alpha.norm();
        assert!(
            (answer.separation - expected).abs() <= 1e-15 * slope * size(&a, &b) * 8.0,
            "{index}: {answer:?} {expected}"
        );
    }
}

#[test]
fn half_a_million_planar_pairs_carry_their_certificates() {
    let mut random = Random(22);
    let (mut worst, mut most) = (0.0f64, 0);
    for index in 0..500_000 {
        let thin = 10f64.powf(-5.0 * random.uniform().abs());
        let (stretch_a, stretch_b) = match index % 5 {
            2 => (Vec2::new(1.0, thin), Vec2::new(thin, 1.0)),
            3 => (Vec2::new(1.0, 0.7), Vec2::new(5e-7, 9e-7)),
            _ => (Vec2::new(1.0, 0.7), Vec2::new(0.5, 0.9)),
        };
        let (mut a, mut b) = (polygon(&mut random, stretch_a), polygon(&mut random, stretch_b));
        let (mut pa, mut pb) = (pose(&mut random, 1.0), pose(&mut random, 0.5));
        if index % 5 == 1 {
            let half = |r: &mut Random| Vec2::new(0.25, 0.5) * (1 + r.below(3)) as f64;
            (a, b) = (rectangle(half(&mut random)), rectangle(half(&mut random)));
            let mut place = || PlanarPose::at(lattice::point(&mut random, 4));
            (pa, pb) = (place(), place());
        } else if index % 5 == 4 {
            pa.position += Vec2::new(1e6, -2e6);
            pb.position += Vec2::new(1e6, -2e6);
        }
        let answer = ask(&a, &pa, &b, &pb, None);
        let gap = answer.certificate_gap() / size(&a, &b);
        assert!(gap <= 1e-11 && answer.separation.is_finite(), "{index}: {answer:?}");
        worst = worst.max(gap);
        most = most.max(answer.iterations);
    }
    println!("worst certificate {worst:.1e} of size, at most {most} iterations");
}

#[test]
fn a_warm_query_repeats_the_cold_one() {
    let mut random = Random(23);
    for _ in 0..200 {
        let (a, b) = (polygon(&mut random, Vec2::new(1.0, 0.7)), polygon(&mut random, Vec2::new(0.5, 0.9)));
        let mut warm = PlanarWarmStart::default();
        let mut pa = pose(&mut random, 1.0);
        for _ in 0..100 {
            pa = PlanarPose {
                rotation: nalgebra::Rotation2::new(0.03) * pa.rotation,
                position: pa.position + Vec2::new(0.01, -0.02),
            };
            let pb = PlanarPose::identity();
            let warmed = planar_separation(&a, &pa, &b, &pb, &PlanarOptions::default(), &mut warm).unwrap();
            let cold = ask(&a, &pa, &b, &pb, None);
            assert!((warmed.separation - cold.separation).abs() <= 1e-14);
        }
    }
}

#[test]
fn a_prescribed_direction_meets_or_misses() {
    let mut random = Random(25);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..10_000 {
        let (a, b) = (polygon(&mut random, Vec2::new(1.0, 0.7)), polygon(&mut random, Vec2::new(0.5, 0.9)));
        let (pa, pb) = (pose(&mut random, 2.0), pose(&mut random, 0.2));
        let beta = pose(&mut random, 1.0).rotation * Vec2::x();
        let answer = ask(&a, &pa, &b, &pb, Some(beta * 0.01));
        let height = |shape: &PlanarShape, pose: &PlanarPose, n: Vec2| {
            n.dot(&pose.point(&shape.support(&pose.inverse_direction(&n)).unwrap()))
        };
        let planes = -height(&a, &pa, -answer.alpha) - height(&b, &pb, answer.alpha);
        if answer.outcome == Outcome::Missed {
            misses += 1;
            assert!(
                answer.alpha.dot(&beta).abs() < 1e-14
                    && (planes - answer.gap()).abs() < 1e-14
                    && planes >= -1e-14
            );
        } else {
            hits += 1;
            assert!((planes - answer.separation).abs() < 1e-13 * answer.alpha.norm(), "{planes} {answer:?}");
        }
    }
    assert!(hits > 1000 && misses > 1000);
}

#[test]
fn a_polygon_over_a_line_is_as_far_as_its_lowest_corner() {
    let floor = half_plane(Vec2::new(0.0, 3.0), 0.5);
    let plank = rectangle(Vec2::new(1.0, 0.1));
    let at = PlanarPose::new(0.2, Vec2::new(3.0, 2.0));
    let answer = ask(&plank, &at, &floor, &PlanarPose::identity(), None);
    let lowest = 2.0 - 0.2f64.sin() - 0.1 * 0.2f64.cos();
    assert!((answer.separation - (lowest - 0.5)).abs() < 1e-15);
    assert_eq!(ask(&floor, &PlanarPose::identity(), &plank, &at, None).separation, answer.separation);
}
