//! Every answer proves itself, also where everything is degenerate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/families.rs"]
mod families;

use common::{Random, answer_residuals, ask, body, cuboid, lattice, prism, solve};
use families::Pair;
use nalgebra::Rotation3;
use percussion_geometry::separation::{Options, Outcome, WarmStart, separation};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

/// Families beside the named ones: thinner bodies, and bodies without a line of centres.
const MORE: [&str; 5] = ["generic", "lattice boxes", "needle", "flake", "centres coincide"];

fn family(name: &str, random: &mut Random) -> Pair {
    let place = |r: &mut Random, reach: f64| {
        Pose::new(r.rotation(), r.direction() * reach * (0.3 + r.uniform().abs()))
    };
    let (a, pose_a, b, pose_b) = match name {
        "generic" => (body(random), place(random, 1.0), body(random), place(random, 1.0)),
        "lattice boxes" => lattice::boxes(random),
        "needle" | "flake" => {
            let size = |r: &mut Random| {
                let thin = 10f64.powf(-4.0 * r.uniform().abs());
                if name == "needle" { Vec3::new(thin, thin, 1.0) } else { Vec3::new(1.0, 1.0, thin) }
            };
            let a = prism(3 + random.below(5), size(random));
            (a, place(random, 0.5), cuboid(size(random)), place(random, 0.5))
        }
        "centres coincide" => {
            let (a, b) = (body(random), body(random));
            let at = random.direction();
            let mut placed = |p: &Polytope| {
                let turn = random.rotation();
                Pose::new(turn, at - turn * p.reference())
            };
            let (pose_a, pose_b) = (placed(&a), placed(&b));
            (a, pose_a, b, pose_b)
        }
        _ => return families::pair(name, random),
    };
    Pair { a, pose_a, b, pose_b }
}

#[test]
fn a_million_pairs_carry_their_certificates() {
    println!("| family | pairs | worst certificate | worst dual gap | worst residual | most iterations |");
    println!("|---|---|---|---|---|---|");
    for (f, name) in families::FAMILIES.iter().chain(&MORE).enumerate() {
        let count = 54_000;
        let mut random = Random(1000 + f as u64);
        let (mut gap, mut dual, mut residual, mut most) = (0.0f64, 0.0f64, 0.0f64, 0);
        for index in 0..count {
            let Pair { a, pose_a, b, pose_b } = family(name, &mut random);
            let size = a.outer_radius() + b.outer_radius();
            let answer = solve(&a, &pose_a, &b, &pose_b);
            let residuals = answer_residuals(&a, &pose_a, &b, &pose_b, &answer);
            // In units of size; the rounding of the check itself far from the origin is that of the coordinates.
            let blur = 1e-16 * pose_a.position.norm() / size * answer.alpha.norm();
            let numbers =
                [answer.certificate_gap(), residuals.dual_gap, residuals.residual, residuals.normalisation];
            assert!(numbers.iter().all(|v| v.is_finite()), "{name} {index}: {numbers:?}");
            assert!(residuals.weight_error <= 1e-14, "{name} {index}: {}", residuals.weight_error);
            gap = gap.max(answer.certificate_gap() / size);
            dual = dual.max(residuals.dual_gap.abs() / size - blur);
            residual = residual.max(residuals.residual / size - blur);
            most = most.max(answer.iterations);
        }
        assert!(gap <= 1e-13 && dual <= 1e-12 && residual <= 1e-11 && most <= 500, "{name}");
        println!("| {name} | {count} | {gap:.1e} | {dual:.1e} | {residual:.1e} | {most} |");
    }
}

#[test]
fn climbing_never_runs_in_circles_over_level_vertices() {
    // A finely faceted body standing on its flat face: along the face's normal all its corners are level.
    let drum = Solid::Polytope(prism(200, Vec3::new(1.0, 1.0, 0.5)));
    let round = Solid::Polytope(Polytope::rounded(160, 0.5).unwrap());
    let mut random = Random(77);
    for _ in 0..3000 {
        let turn = random.rotation();
        let about = Rotation3::new(turn * Vec3::z() * random.uniform() * 3.0);
        for (body, height) in [(&drum, 1.0), (&round, 0.9)] {
            let pa = Pose::new(about * turn, turn * Vec3::new(0.3 * random.uniform(), 0.2, height));
            let pb = Pose::new(turn, Vec3::zeros());
            let mut warm = WarmStart::default();
            for _ in 0..2 {
                let answer = separation(body, &pa, &drum, &pb, &Options::default(), &mut warm).unwrap();
                assert!(answer.certificate_gap() <= 1e-12 && answer.iterations < 100);
            }
        }
    }
}

#[test]
fn nearly_aligned_boxes_keep_their_certificates() {
    // Tilts and shifts from a thousandth to rounding: slivers of every width among the facets of the difference.
    for exponent in 3..16 {
        let tiny = 10f64.powi(-exponent);
        let mut random = Random(500 + exponent as u64);
        for index in 0..4000 {
            let (a, pa, b, pb) = lattice::boxes(&mut random);
            let mut nudged = |p: Pose| {
                let turn = Rotation3::new(random.direction() * tiny * random.uniform());
                Pose::new(turn * p.rotation, p.position + random.direction() * tiny * random.uniform())
            };
            let (pa, pb) = (nudged(pa), nudged(pb));
            let size = a.outer_radius() + b.outer_radius();
            let (sa, sb) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
            let ask = |beta| ask(&sa, &pa, &sb, &pb, beta);
            let free = ask(None);
            let up = Vec3::z() + random.direction() * tiny;
            for answer in [free, ask(Some(free.beta)), ask(Some(up))] {
                if answer.outcome != Outcome::Solved {
                    assert!(
                        answer.outcome == Outcome::Missed && answer.gap() >= -1e-5 * size,
                        "{index}: {answer:?}"
                    );
                    continue;
                }
                let residuals = answer_residuals(&a, &pa, &b, &pb, &answer);
                let slope = answer.alpha.norm();
                assert!(answer.certificate_gap() <= 1e-11 * size * slope, "{tiny:e} {index}: {answer:?}");
                let gap = residuals.dual_gap;
                assert!(gap.abs() <= 1e-11 * size * slope, "{tiny:e} {index}: {gap}");
                assert!(residuals.residual <= 1e-11 * size, "{tiny:e} {index}: {}", residuals.residual);
            }
        }
    }
}
