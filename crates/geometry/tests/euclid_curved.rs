//! Distance and depth of curved bodies. Each answer is checked from both sides without the solver: the support
//! gap of its normal proves the lower bound; apart, its two points (which must lie on the bodies) prove the
//! upper one; overlapping, no normal of a dense sample, climbed to its peak, may beat the upper bound.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod euclid_common;

use common::{capsule, cone, cylinder, ellipsoid, half_space, sphere};
use euclid_common::*;
use nalgebra::Rotation3;
use percussion_geometry::euclid::{Euclidean, euclidean};
use percussion_geometry::separation::QueryError;
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};
use percussion_testing::Random;

fn any_solid(random: &mut Random, kind: usize) -> Solid {
    let mut size = || random.between(0.3, 1.5);
    let (a, b, c) = (size(), size(), size());
    match kind {
        0 => sphere(a),
        1 => capsule(a, b),
        2 => cylinder(a, b),
        3 => cone(a, b),
        4 => ellipsoid(a, b, c),
        _ => Solid::Polytope(any_polytope(random, Vec3::repeat(0.8))),
    }
}

/// How far a body point is outside (positive); zero on the surface.
fn outside(solid: &Solid, p: &Vec3) -> f64 {
    let across = p.xy().norm();
    match solid {
        Solid::Polytope(s) => {
            s.faces().iter().map(|f| f.normal.dot(p) - f.offset).fold(f64::NEG_INFINITY, f64::max)
        }
        Solid::Sphere(s) => p.norm() - s.radius(),
        Solid::Capsule(s) => {
            let nearest = Vec3::new(0.0, 0.0, p.z.clamp(-s.half_length(), s.half_length()));
            (p - nearest).norm() - s.radius()
        }
        Solid::Cylinder(s) => (p.z.abs() - s.half_height()).max(across - s.radius()),
        Solid::Cone(s) => {
            let (h, r) = (s.height(), s.radius());
            let slant = (across * h + (p.z - 0.75 * h) * r) / r.hypot(h);
            slant.max(-0.25 * h - p.z)
        }
        Solid::Ellipsoid(s) => {
            let q = p.component_div(&s.semi_axes());
            let gradient = q.component_div(&s.semi_axes()).norm();
            (q.norm_squared() - 1.0) / (2.0 * gradient)
        }
        Solid::HalfSpace(s) => s.normal().dot(p) - s.offset(),
    }
}

/// The support gap of a unit normal, from the shapes' own supports.
fn gap(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, n: &Vec3) -> f64 {
    let x = pose_a.direction(&a.support(&pose_a.inverse_direction(&-n)).unwrap());
    let y = pose_b.direction(&b.support(&pose_b.inverse_direction(n)).unwrap());
    n.dot(&(pose_a.position - pose_b.position)) + n.dot(&x) - n.dot(&y)
}

/// Largest support gap over a spiral of normals, the best few climbed by shrinking steps.
fn sampled(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose) -> f64 {
    let h = |n: &Vec3| gap(a, pose_a, b, pose_b, n);
    let count = 2000;
    let mut samples: Vec<(f64, Vec3)> = (0..count)
        .map(|k| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
            let angle = 2.399963229728653 * k as f64;
            let n = Vec3::new((1.0 - z * z).sqrt() * angle.cos(), (1.0 - z * z).sqrt() * angle.sin(), z);
            (h(&n), n)
        })
        .collect();
    samples.sort_by(|s, t| t.0.total_cmp(&s.0));
    let mut best = f64::NEG_INFINITY;
    for (mut value, mut n) in samples.into_iter().take(5) {
        let mut step = 0.05;
        while step > 1e-9 {
            let u = n.cross(&if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() }).normalize();
            let v = n.cross(&u);
            let mut moved = false;
            for k in 0..8 {
                let angle = std::f64::consts::FRAC_PI_4 * f64::from(k);
                let next = (n + step * (angle.cos() * u + angle.sin() * v)).normalize();
                if h(&next) > value {
                    (value, n, moved) = (h(&next), next, true);
                }
            }
            step = if moved { step } else { 0.5 * step };
        }
        best = best.max(value);
    }
    best
}

/// The answer for a pair, proved from both sides; `sample`: also against a sample of normals where the bodies overlap.
fn add(tally: &mut Tally, a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, sample: bool) -> Euclidean {
    let answer = euclidean(a, pose_a, b, pose_b).unwrap();
    let sample = sample && answer.distance < 0.0;
    let errors = Errors {
        size: scale(a, pose_a, b, pose_b),
        normal: gap(a, pose_a, b, pose_b, &answer.normal) - answer.lower,
        surface: [(a, pose_a, answer.point_a), (b, pose_b, answer.point_b)]
            .map(|(body, pose, point)| outside(body, &pose.inverse_point(&point))),
        beaten: if sample { sampled(a, pose_a, b, pose_b) - answer.upper } else { 0.0 },
        ..Errors::default()
    };
    tally.note(&answer, errors);
    answer
}

fn check(tally: &Tally, name: &str, surface: f64) {
    tally.check(name, Limits { certificate: 1e-12, normal: 1e-14, surface, beaten: 1e-13 });
}

/// Pairs of every two kinds, each placed by its reach, and how many of them overlap.
fn every_two_kinds(
    name: &str,
    seed: u64,
    count: usize,
    reach: impl Fn(&mut Random, &Solid, &Solid) -> f64,
) -> usize {
    let (mut random, mut overlapping) = (Random::new(seed), 0);
    for (kind_a, kind_b) in (0..6).flat_map(|a| (0..=a).map(move |b| (a, b))) {
        let mut tally = Tally::default();
        for _ in 0..count {
            let (a, b) = (any_solid(&mut random, kind_a), any_solid(&mut random, kind_b));
            let reach = reach(&mut random, &a, &b);
            let pose_a = Pose::new(random.rotation(), random.direction() * reach);
            let pose_b = Pose::new(random.rotation(), Vec3::zeros());
            add(&mut tally, &a, &pose_a, &b, &pose_b, true);
        }
        check(&tally, &format!("{name} {kind_a}-{kind_b}"), 1e-9);
        overlapping += tally.overlapping;
    }
    overlapping
}

#[test]
fn every_pair_of_kinds_proves_its_distance() {
    let reach =
        |r: &mut Random, a: &Solid, b: &Solid| r.between(1.0, 1.6) * (a.outer_radius() + b.outer_radius());
    assert_eq!(every_two_kinds("apart", 21, 150, reach), 0);
}

#[test]
fn every_pair_of_kinds_proves_its_depth() {
    let reach =
        |r: &mut Random, a: &Solid, b: &Solid| r.between(0.0, 0.8) * (a.inner_radius() + b.inner_radius());
    assert_eq!(every_two_kinds("overlap", 22, 15, reach), 21 * 15);
}

/// Distance of two segments: projections of all four ends, and the common perpendicular.
fn segments(p: [Vec3; 2], q: [Vec3; 2]) -> f64 {
    let at = |s: f64, t: f64| (p[0] + s * (p[1] - p[0]) - q[0] - t * (q[1] - q[0])).norm();
    let (d, e, r) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let mut best = f64::INFINITY;
    for end in [0.0, 1.0] {
        best = best.min(at(end, ((r + end * d).dot(&e) / e.norm_squared()).clamp(0.0, 1.0)));
        best = best.min(at(((end * e - r).dot(&d) / d.norm_squared()).clamp(0.0, 1.0), end));
    }
    let n = d.cross(&e);
    if n.norm() > 1e-9 {
        let s = e.cross(&n).dot(&-r) / n.norm_squared();
        let t = d.cross(&n).dot(&-r) / n.norm_squared();
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            best = best.min(at(s, t));
        }
    }
    best
}

#[test]
fn balls_and_capsules_have_their_closed_forms() {
    let mut random = Random::new(23);
    for _ in 0..3000 {
        let (r, s) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
        let (h, k) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
        let (pose_a, pose_b) = (pose(&mut random, 2.0), pose(&mut random, 1.0));
        let ball = euclidean(&sphere(r), &pose_a, &sphere(s), &pose_b).unwrap();
        let centres = (pose_a.position - pose_b.position).norm();
        assert!((ball.distance - (centres - r - s)).abs() < 2e-15);
        let ends = |pose: &Pose, h: f64| [-h, h].map(|z| pose.point(&Vec3::new(0.0, 0.0, z)));
        let rods = euclidean(&capsule(h, r), &pose_a, &capsule(k, s), &pose_b).unwrap();
        let expected = segments(ends(&pose_a, h), ends(&pose_b, k)) - r - s;
        assert!((rods.distance - expected).abs() < 4e-15, "{rods:?} {expected}");
        assert!(rods.certificate_gap() < 1e-13, "{rods:?}");
    }
}

#[test]
fn concentric_balls_and_crossing_rods_have_depth() {
    let ball = euclidean(&sphere(1.0), &Pose::identity(), &sphere(2.0), &Pose::identity()).unwrap();
    assert_eq!((ball.distance, ball.normal.norm()), (-3.0, 1.0));
    let turned = Pose::new(Rotation3::new(Vec3::new(0.7, 0.0, 0.0)), Vec3::zeros());
    let rods = euclidean(&capsule(1.0, 0.5), &Pose::identity(), &capsule(2.0, 0.25), &turned).unwrap();
    assert!((rods.distance + 0.75).abs() < 1e-15 && (rods.normal.x.abs() - 1.0).abs() < 1e-15, "{rods:?}");
    let shifted = Pose::at(Vec3::new(0.0, 0.0, 0.5));
    let inline = euclidean(&capsule(1.0, 0.5), &Pose::identity(), &capsule(2.0, 0.25), &shifted).unwrap();
    assert!((inline.distance + 0.75).abs() < 1e-15 && inline.normal.z.abs() < 1e-15, "{inline:?}");
    let ended = Pose::at(Vec3::new(0.0, 0.0, 3.0));
    let touching = euclidean(&capsule(1.0, 0.5), &Pose::identity(), &capsule(2.0, 0.25), &ended).unwrap();
    assert!((touching.distance + 0.75).abs() < 1e-15, "{touching:?}");
}

#[test]
fn coaxial_bodies_of_revolution_reach_a_tight_certificate() {
    let mut random = Random::new(24);
    let mut tally = Tally::default();
    for k in 0..120 {
        let (a, b) = (any_solid(&mut random, 2 + k % 2), any_solid(&mut random, 1 + k % 3));
        let turn = random.rotation();
        let along = random.between(-0.1, 0.1);
        let across = [0.0, 1e-14, 0.05][k % 3];
        let pose_a = Pose::new(turn, turn * Vec3::new(across, 0.0, along));
        add(&mut tally, &a, &pose_a, &b, &Pose::new(turn, Vec3::zeros()), k % 6 == 0);
    }
    check(&tally, "coaxial", 1e-9);
    let peg =
        euclidean(&cylinder(2.0, 0.5), &Pose::identity(), &cylinder(1.5, 0.25), &Pose::identity()).unwrap();
    assert!((peg.distance + 0.75).abs() < 1e-13 && peg.normal.z.abs() < 1e-13, "{peg:?}");
}

#[test]
fn a_cylinder_standing_on_a_box_has_the_flat_answer() {
    let block = Solid::Polytope(cuboid(Vec3::new(1.0, 1.0, 0.5)));
    for gap in [0.3, 1e-6, 1e-12, 0.0, -1e-12, -1e-6, -0.1] {
        for offset in [Vec3::zeros(), Vec3::new(0.25, -0.5, 0.0), Vec3::new(1.2, 0.0, 0.0)] {
            let pose = Pose::at(offset + Vec3::new(0.0, 0.0, 0.5 + 1.0 + gap));
            let answer = euclidean(&cylinder(1.0, 0.5), &pose, &block, &Pose::identity()).unwrap();
            assert!((answer.distance - gap).abs() < 1e-12, "{gap} {offset:?} {answer:?}");
            assert!((answer.normal - Vec3::z()).norm() < 1e-5, "{gap} {offset:?} {answer:?}");
            assert!(answer.certificate_gap() < 1e-12, "{gap} {offset:?} {answer:?}");
        }
    }
}

#[test]
fn shallow_and_touching_curved_pairs_keep_a_small_certificate_gap() {
    let mut random = Random::new(25);
    let mut tally = Tally::default();
    for k in 0..1500 {
        let (a, b) = (any_solid(&mut random, 2 + k % 4), any_solid(&mut random, 2 + k / 4 % 4));
        let (turn_a, turn_b) = (random.rotation(), random.rotation());
        // Support points along a common normal meet, but for a small gap of either sign.
        let n = random.direction();
        let x = turn_a * a.support(&turn_a.inverse_transform_vector(&-n)).unwrap();
        let y = turn_b * b.support(&turn_b.inverse_transform_vector(&n)).unwrap();
        let gap =
            [0.0, 10f64.powf(random.between(-14.0, -3.0)), -10f64.powf(random.between(-14.0, -3.0))][k % 3];
        let answer = add(
            &mut tally,
            &a,
            &Pose::new(turn_a, y - x + gap * n),
            &b,
            &Pose::new(turn_b, Vec3::zeros()),
            false,
        );
        // The planes are `gap` apart along n; the points are too, so no answer lies above.
        assert!(answer.lower <= gap.abs() + 1e-14 && answer.upper >= gap - 1e-14, "{gap:e} {answer:?}");
    }
    // Where the depth is rounding, the certificate gap is as large as the depth, and points may lie by its square root off the surfaces.
    check(&tally, "shallow", 1e-12f64.sqrt());
}

#[test]
fn thin_and_unequal_curved_pairs_keep_a_small_certificate_gap() {
    let mut random = Random::new(26);
    let mut tally = Tally::default();
    for k in 0..400 {
        let thin = 10f64.powf(random.between(-4.0, -1.0));
        let a = match k % 4 {
            0 => cylinder(thin, 1.0),
            1 => cylinder(1.0, thin),
            2 => cone(1.0, thin),
            _ => ellipsoid(1.0, thin, 0.5),
        };
        let b = any_solid(&mut random, 1 + k % 5);
        let reach = if k % 2 == 0 { 3.0 } else { 0.5 };
        add(&mut tally, &a, &pose(&mut random, reach), &b, &Pose::identity(), false);
    }
    for _ in 0..200 {
        let big = cylinder(1e6, 1e6);
        let small = any_solid(&mut random, 4);
        let offset = Vec3::new(1e6 + random.between(-2.0, 3.0), random.signed(), random.signed());
        add(&mut tally, &big, &Pose::identity(), &small, &Pose::new(random.rotation(), offset), false);
    }
    check(&tally, "thin and unequal", 1e-8);
}

#[test]
fn a_half_space_needs_one_support() {
    let mut random = Random::new(27);
    let floor = half_space(Vec3::new(0.3, -0.2, 2.0), 0.7);
    for kind in 0..6 {
        for _ in 0..100 {
            let body = any_solid(&mut random, kind);
            let (pose, tilt) = (pose(&mut random, 3.0), pose(&mut random, 2.0));
            let answer = euclidean(&body, &pose, &floor, &tilt).unwrap();
            let Solid::HalfSpace(plane) = &floor else { unreachable!() };
            let normal = tilt.direction(&plane.normal());
            let height = |p: &Vec3| plane.normal().dot(&tilt.inverse_point(p)) - plane.offset();
            assert!((answer.normal - normal).norm() < 1e-15);
            assert!((height(&answer.point_a) - answer.distance).abs() < 1e-14);
            assert!(height(&answer.point_b).abs() < 1e-14);
            assert!(outside(&body, &pose.inverse_point(&answer.point_a)).abs() < 1e-14);
            // No point of the body is lower.
            for _ in 0..50 {
                let other = pose.point(&body.support(&random.direction()).unwrap());
                assert!(height(&other) >= answer.distance - 1e-14);
            }
            let mirrored = euclidean(&floor, &tilt, &body, &pose).unwrap();
            assert_eq!((mirrored.distance, mirrored.point_b), (answer.distance, answer.point_a));
            assert_eq!(mirrored.normal, -answer.normal);
        }
    }
    assert_eq!(
        euclidean(&floor, &Pose::identity(), &floor, &Pose::identity()),
        Err(QueryError::BothUnbounded)
    );
}

#[test]
fn a_placement_that_is_not_finite_is_named() {
    let bad = Pose::at(Vec3::new(0.0, f64::NAN, 0.0));
    let ball = sphere(1.0);
    let (a, b) =
        (euclidean(&ball, &bad, &ball, &Pose::identity()), euclidean(&ball, &Pose::identity(), &ball, &bad));
    assert_eq!(a, Err(QueryError::NotFinite { body: 'a' }));
    assert_eq!(b, Err(QueryError::NotFinite { body: 'b' }));
}
