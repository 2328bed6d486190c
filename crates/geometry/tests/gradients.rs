//! Derivatives against differences.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, ask, body, cylinder, ellipsoid, half_space, moved};
use percussion_geometry::separation::BetaTerm;
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

const STEP: f64 = 1e-6;

/// Largest difference between gradient and central differences, `None` near a kink (where the two one-sided
/// differences disagree).
fn motion_error(
    a: &Solid,
    pa: &Pose,
    b: &Solid,
    pb: &Pose,
    beta: Option<Vec3>,
    term: BetaTerm,
) -> Option<f64> {
    let centre = ask(a, pa, b, pb, beta);
    let (ca, cb) = (pa.point(&a.reference()), pb.point(&b.reference()));
    let columns = centre.motion_gradient(&ca, &cb, term).columns();
    // Holding β means prescribing the one of the centre.
    let beta = if term == BetaTerm::Hold { Some(centre.beta) } else { beta };
    let mut worst = 0.0f64;
    for (k, column) in columns.iter().enumerate() {
        let at = |by: f64| {
            if k < 6 {
                ask(a, &moved(pa, &ca, k, by), b, pb, beta).separation
            } else {
                ask(a, pa, b, &moved(pb, &cb, k - 6, by), beta).separation
            }
        };
        let (up, here, down) = (at(STEP), at(0.0), at(-STEP));
        if ((up - here) - (here - down)).abs() > 1e-3 * STEP {
            return None;
        }
        worst = worst.max(((up - down) / (2.0 * STEP) - column).abs() / (1.0 + column.abs()));
    }
    Some(worst)
}

fn place(random: &mut Random, reach: f64) -> Pose {
    Pose::new(random.rotation(), random.direction() * reach * (0.4 + random.uniform().abs()))
}

#[test]
fn motion_gradients_of_polytopes_match_differences() {
    let mut random = Random(31);
    let (mut smooth, mut worst) = (0, 0.0f64);
    for _ in 0..2000 {
        let (a, b) = (Solid::Polytope(body(&mut random)), Solid::Polytope(body(&mut random)));
        let (pa, pb) = (place(&mut random, 1.2), place(&mut random, 0.3));
        for (beta, term) in
            [(None, BetaTerm::Follow), (None, BetaTerm::Hold), (Some(random.direction()), BetaTerm::Follow)]
        {
            if ask(&a, &pa, &b, &pb, beta).separation.abs() > 10.0 {
                continue;
            }
            if let Some(error) = motion_error(&a, &pa, &b, &pb, beta, term) {
                smooth += 1;
                worst = worst.max(error);
                assert!(error <= 1e-6, "{error:e} {term:?} {beta:?}");
            }
        }
    }
    println!("{smooth} gradients, worst relative error {worst:.1e}");
    assert!(smooth > 3500);
}

#[test]
fn motion_gradients_of_curved_bodies_match_differences() {
    let mut random = Random(32);
    let floor = half_space(Vec3::new(0.1, 0.2, 1.0), 0.3);
    let mut smooth = 0;
    for index in 0..600 {
        let a = if index % 2 == 0 { ellipsoid(0.4, 0.7, 1.1) } else { cylinder(0.5, 0.8) };
        let (pa, pb) = (place(&mut random, 1.2), place(&mut random, 0.3));
        let b = Solid::Polytope(body(&mut random));
        for (other, pose, term) in [
            (&b, &pb, BetaTerm::Follow),
            (&b, &pb, BetaTerm::Hold),
            (&floor, &Pose::identity(), BetaTerm::Follow),
        ] {
            let error = if matches!(other, Solid::HalfSpace(_)) {
                // A floor's own motion turns β; only the body's columns are promised.
                let centre = ask(&a, &pa, other, pose, None);
                let ca = pa.point(&a.reference());
                let columns = centre.motion_gradient(&ca, &Vec3::zeros(), term).columns();
                let difference = |k: usize| {
                    let at = |by: f64| ask(&a, &moved(&pa, &ca, k, by), other, pose, None).separation;
                    ((at(STEP) - at(-STEP)) / (2.0 * STEP) - columns[k]).abs()
                };
                Some((0..6).map(difference).fold(0.0, f64::max))
            } else {
                motion_error(&a, &pa, other, pose, None, term)
            };
            if let Some(error) = error {
                smooth += 1;
                assert!(error <= 1e-6, "{error:e} {term:?} {a:?}");
            }
        }
    }
    assert!(smooth > 1000, "{smooth}");
}

#[test]
fn vertex_gradients_match_differences_with_the_mean_as_reference() {
    // As in finite elements: the reference point is the mean of the vertices, so every vertex moves β.
    let mean = |p: &[Vec3]| p.iter().fold(Vec3::zeros(), |s, v| s + v) / p.len() as f64;
    let tetrahedron = |points: &[Vec3]| {
        let p: [Vec3; 4] = [points[0], points[1], points[2], points[3]];
        let faces = [vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![0, 3, 2]];
        let solid = Polytope::from_faces(p.to_vec(), &faces).unwrap().with_reference(mean(&p)).unwrap();
        Solid::Polytope(solid)
    };
    let mut random = Random(33);
    let mut checked = 0;
    for _ in 0..1000 {
        let mut points = || loop {
            let p: Vec<Vec3> = (0..4).map(|_| random.direction() * (1.0 + 0.3 * random.uniform())).collect();
            let volume = (p[1] - p[0]).cross(&(p[2] - p[0])).dot(&(p[3] - p[0]));
            if volume > 0.3 {
                return p;
            }
        };
        let (x, y) = (points(), points());
        let shift = random.direction() * 1.3;
        let x: Vec<Vec3> = x.iter().map(|v| v + shift).collect();
        let here = Pose::identity();
        let value = |x: &[Vec3], y: &[Vec3]| ask(&tetrahedron(x), &here, &tetrahedron(y), &here, None);
        let centre = value(&x, &y);
        let (local_a, local_b): (Vec<_>, Vec<_>) =
            (centre.vertex_gradients_a().collect(), centre.vertex_gradients_b().collect());
        let shared = centre.reference_gradient() / 4.0;
        let pick = |list: &[(u32, Vec3)], k: usize| {
            list.iter().find(|(i, _)| *i as usize == k).map_or(Vec3::zeros(), |(_, g)| *g)
        };
        for k in 0..4 {
            for axis in 0..3 {
                let bumped = |points: &[Vec3], by: f64| {
                    let mut p = points.to_vec();
                    p[k][axis] += by;
                    p
                };
                for (plus, minus, gradient) in [
                    (value(&bumped(&x, STEP), &y), value(&bumped(&x, -STEP), &y), pick(&local_a, k) + shared),
                    (value(&x, &bumped(&y, STEP)), value(&x, &bumped(&y, -STEP)), pick(&local_b, k) - shared),
                ] {
                    let kink =
                        (plus.separation + minus.separation - 2.0 * centre.separation).abs() > 1e-3 * STEP;
                    if !kink {
                        checked += 1;
                        let difference = (plus.separation - minus.separation) / (2.0 * STEP);
                        assert!((difference - gradient[axis]).abs() <= 1e-6 * (1.0 + gradient.norm()));
                    }
                }
            }
        }
    }
    assert!(checked > 20_000, "{checked}");
}

#[test]
fn a_turned_direction_changes_the_separation_as_predicted() {
    let mut random = Random(34);
    let mut checked = 0;
    for _ in 0..2000 {
        let (a, b) = (Solid::Polytope(body(&mut random)), Solid::Polytope(body(&mut random)));
        let (pa, pb) = (place(&mut random, 1.2), place(&mut random, 0.3));
        let beta = ((pa.position - pb.position).normalize() + random.direction() * 0.2).normalize();
        let across = beta.cross(&random.direction()).normalize();
        let at = |angle: f64| ask(&a, &pa, &b, &pb, Some(beta * angle.cos() + across * angle.sin()));
        let (up, here, down) = (at(STEP), at(0.0), at(-STEP));
        if !here.separation.is_finite()
            || (up.separation + down.separation - 2.0 * here.separation).abs() > 1e-3 * STEP
        {
            continue;
        }
        checked += 1;
        let difference = (up.separation - down.separation) / (2.0 * STEP);
        let predicted = here.beta_gradient().dot(&across);
        assert!((difference - predicted).abs() <= 1e-6 * (1.0 + predicted.abs()), "{difference} {predicted}");
    }
    assert!(checked > 1000, "{checked}");
}
