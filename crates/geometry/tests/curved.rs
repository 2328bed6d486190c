//! Curved bodies, half-spaces and prescribed directions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, any_solid, ask, body, cuboid, ellipsoid, half_space, sphere, support_height};
use nalgebra::Rotation3;
use percussion_geometry::separation::{Options, Outcome, QueryError, WarmStart, separation};
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};

fn curved(random: &mut Random) -> Solid {
    let kind = random.below(6);
    any_solid(random, kind)
}

#[test]
fn curved_pairs_converge_with_certificates() {
    let mut random = Random(5);
    let (mut worst, mut most, mut total) = (0.0f64, 0, 0);
    let count = 20_000;
    for index in 0..count {
        let (a, b) = (curved(&mut random), curved(&mut random));
        let pa = Pose::new(random.rotation(), random.direction() * random.uniform() * 2.0);
        let pb = Pose::new(random.rotation(), Vec3::zeros());
        let answer = ask(&a, &pa, &b, &pb, None);
        let size = a.outer_radius() + b.outer_radius();
        worst = worst.max(answer.certificate_gap() / size);
        most = most.max(answer.iterations);
        total += answer.iterations;
        assert!(answer.certificate_gap() <= 1e-11 * size, "{index}: {answer:?} {a:?} {b:?}");
        // The lower bound from support functions alone.
        let low = -support_height(&a, &pa, &pb.position, &-answer.alpha);
        let high = support_height(&b, &pb, &pb.position, &answer.alpha);
        assert!((answer.separation - (low - high)).abs() <= 2e-11 * size * answer.alpha.norm(), "{index}");
        assert!((answer.point_a - answer.point_b - answer.separation * answer.beta).norm() <= 1e-14 * size);
    }
    println!(
        "certificate at most {worst:.1e} of size, iterations at most {most}, mean {}",
        total as f64 / count as f64
    );
}

#[test]
fn balls_along_a_prescribed_line_meet_where_pythagoras_says() {
    let mut random = Random(6);
    let (a, b) = (sphere(0.7), sphere(0.4));
    for _ in 0..2000 {
        let beta = random.direction();
        let position = random.direction() * 1.5 * random.uniform().abs();
        let answer = ask(&a, &Pose::at(position), &b, &Pose::identity(), Some(beta * 3.0));
        let along = position.dot(&beta);
        let across = (position - along * beta).norm();
        if across > 1.1 {
            assert_eq!(answer.outcome, Outcome::Missed);
            assert!(answer.alpha.dot(&beta).abs() < 1e-12 && (answer.gap() - (across - 1.1)).abs() < 1e-2);
            continue;
        }
        let expected = along - (1.1f64.powi(2) - across * across).sqrt();
        // Near the silhouette the value has an infinite slope; allow its square root.
        let tolerance = 1e-11 / (1.1 - across).max(1e-11).sqrt();
        assert!(
            (answer.separation - expected).abs() <= tolerance,
            "{} {expected} {across}",
            answer.separation
        );
        assert!(answer.prescribed && (answer.alpha.dot(&beta) - 1.0).abs() < 1e-9 * answer.alpha.norm());
    }
}

#[test]
fn equal_aligned_ellipsoids_are_balls_in_stretched_space() {
    let mut random = Random(8);
    let semi = Vec3::new(0.3, 0.7, 1.9);
    let body = ellipsoid(semi.x, semi.y, semi.z);
    for _ in 0..2000 {
        let turn = random.rotation();
        let position = random.direction() * 3.0 * random.uniform();
        let answer = ask(&body, &Pose::new(turn, position), &body, &Pose::new(turn, Vec3::zeros()), None);
        let stretched = (turn.inverse() * position).component_div(&semi).norm();
        assert!((answer.separation - position.norm() * (1.0 - 2.0 / stretched)).abs() < 1e-11);
    }
}

#[test]
fn prescribed_direction_through_the_centres_changes_nothing() {
    let mut random = Random(9);
    for _ in 0..5000 {
        let (a, b) = (Solid::Polytope(body(&mut random)), Solid::Polytope(body(&mut random)));
        let pa = Pose::new(random.rotation(), random.direction() * 2.0 * random.uniform());
        let pb = Pose::new(random.rotation(), random.direction());
        let free = ask(&a, &pa, &b, &pb, None);
        let fixed = ask(&a, &pa, &b, &pb, Some(free.beta));
        assert!(
            (free.separation - fixed.separation).abs() < 1e-13,
            "{} {}",
            free.separation,
            fixed.separation
        );
    }
}

#[test]
fn a_prescribed_line_far_off_the_centres_is_found_or_proven_to_miss() {
    let mut random = Random(10);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..20_000 {
        let (a, b) = (Solid::Polytope(body(&mut random)), Solid::Polytope(body(&mut random)));
        let pa = Pose::new(random.rotation(), random.direction() * 2.0 * random.uniform());
        let pb = Pose::new(random.rotation(), Vec3::zeros());
        let beta = random.direction();
        let answer = ask(&a, &pa, &b, &pb, Some(beta));
        let low = -support_height(&a, &pa, &Vec3::zeros(), &-answer.alpha);
        let high = support_height(&b, &pb, &Vec3::zeros(), &answer.alpha);
        match answer.outcome {
            Outcome::Solved => {
                hits += 1;
                assert!((low - high - answer.separation).abs() < 1e-13 * answer.alpha.norm().max(1.0));
                assert!(answer.certificate_gap() < 1e-12 * answer.alpha.norm().max(1.0));
            }
            _ => {
                misses += 1;
                assert!(answer.separation == f64::INFINITY && answer.alpha.dot(&beta).abs() < 1e-12);
                assert!(low - high >= -1e-14 && (low - high - answer.gap()).abs() < 1e-13);
            }
        }
    }
    assert!(hits > 1000 && misses > 1000, "{hits} {misses}");
}

#[test]
fn a_box_over_a_floor_is_as_far_as_its_lowest_corner() {
    let floor = half_space(Vec3::new(0.0, 0.0, 2.0), 0.25);
    let cube = Solid::Polytope(cuboid(Vec3::repeat(0.1)));
    let tilt = Rotation3::new(Vec3::new(0.3, 0.2, 0.1));
    let pose = Pose::new(tilt, Vec3::new(5.0, 4.0, 1.0));
    // Every side of the cube takes half its height.
    let lowest = 1.0 - 0.1 * tilt.matrix().row(2).iter().map(|c| c.abs()).sum::<f64>();
    let above = ask(&cube, &pose, &floor, &Pose::identity(), None);
    assert!((above.separation - (lowest - 0.25)).abs() < 1e-15);
    assert_eq!(above.normal(), Vec3::z());
    let below = ask(&floor, &Pose::identity(), &cube, &pose, None);
    assert_eq!(below.separation, above.separation);
    assert_eq!(
        (below.normal(), below.point_a, below.point_b),
        (-above.normal(), above.point_b, above.point_a)
    );
    let slanted = ask(&cube, &pose, &floor, &Pose::identity(), Some(Vec3::new(1.0, 0.0, 1.0)));
    assert!((slanted.separation - above.separation * 2f64.sqrt()).abs() < 1e-15);
}

#[test]
fn unusable_questions_are_refused() {
    let floor = half_space(Vec3::z(), 0.0);
    let cube = Solid::Polytope(cuboid(Vec3::repeat(0.1)));
    let ball = sphere(1.0);
    let here = Pose::identity();
    let query = |a: &Solid, pa: &Pose, b: &Solid, beta| {
        separation(a, pa, b, &here, &Options { beta, ..Options::default() }, &mut WarmStart::default())
            .unwrap_err()
    };
    assert_eq!(query(&floor, &here, &floor, None), QueryError::BothUnbounded);
    assert_eq!(query(&cube, &here, &floor, Some(-Vec3::z())), QueryError::IntoHalfSpace);
    let far_away = Pose::at(Vec3::new(1e160, 0.0, 0.0));
    assert_eq!(query(&cube, &far_away, &cube, None), QueryError::OutOfScale);
    assert_eq!(query(&cube, &far_away, &ball, None), QueryError::OutOfScale);
    // Also when the pair is warm.
    let mut warm = WarmStart::default();
    let apart = Pose::at(Vec3::new(1.0, 0.2, 0.1));
    separation(&cube, &apart, &cube, &here, &Options::default(), &mut warm).unwrap();
    let gone = separation(&cube, &far_away, &cube, &here, &Options::default(), &mut warm);
    assert_eq!(gone.unwrap_err(), QueryError::OutOfScale);
}
