//! Every answer proves itself, also where everything is degenerate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::lattice::{self, Placed};
use common::{Random, answer_residuals, body, cuboid, prism, scaled};
use nalgebra::Rotation3;
use percussion_geometry::separation::{Options, Outcome, WarmStart, separation};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use std::f64::consts::FRAC_PI_2;

fn family(name: &str, random: &mut Random) -> Placed {
    let place = |r: &mut Random, reach: f64| {
        Pose::new(r.rotation(), r.direction() * reach * (0.3 + r.uniform().abs()))
    };
    match name {
        "generic" => (body(random), place(random, 1.0), body(random), place(random, 1.0)),
        "aligned" => lattice::boxes(random),
        "turned together" => {
            // The aligned lattice, turned as a whole: coincidences up to rounding.
            let (a, pa, b, pb) = family("aligned", random);
            let turn = random.rotation();
            let turned = |p: Pose| Pose::new(turn * p.rotation, turn * p.position);
            (a, turned(pa), b, turned(pb))
        }
        "touching" => {
            let (a, pa, b, pb) = family("generic", random);
            let (sa, sb) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
            let s = separation(&sa, &pa, &sb, &pb, &Options::default(), &mut WarmStart::default()).unwrap();
            let position = pa.position - s.beta * s.separation;
            (a, Pose::new(pa.rotation, position), b, pb)
        }
        "edge-parallel" => {
            let turn = random.rotation();
            let (sides_a, sides_b) = (3 + random.below(6), 3 + random.below(6));
            let quarter = FRAC_PI_2 * random.below(4) as f64;
            let along = turn * Vec3::z();
            let turn_a = Rotation3::new(along * random.uniform()) * turn;
            let turn_b = Rotation3::new(along * (random.uniform() + quarter)) * turn;
            let (ha, hb) = (Vec3::new(0.5, 0.5, 1.0), Vec3::new(0.7, 0.7, 0.5));
            let position = random.direction() * 1.2 * random.uniform();
            (
                prism(sides_a, ha),
                Pose::new(turn_a, position),
                prism(sides_b, hb),
                Pose::new(turn_b, Vec3::zeros()),
            )
        }
        "corner-corner" => lattice::tips(random),
        "needle" => {
            let thin = 10f64.powf(-4.0 * random.uniform().abs());
            let a = prism(3 + random.below(5), Vec3::new(thin, thin, 1.0));
            let thin = 10f64.powf(-4.0 * random.uniform().abs());
            let b = cuboid(Vec3::new(thin, thin, 1.0));
            (a, place(random, 0.5), b, place(random, 0.5))
        }
        "flake" => {
            let thin = 10f64.powf(-4.0 * random.uniform().abs());
            let a = prism(3 + random.below(5), Vec3::new(1.0, 1.0, thin));
            let thin = 10f64.powf(-4.0 * random.uniform().abs());
            let b = cuboid(Vec3::new(1.0, 1.0, thin));
            (a, place(random, 0.5), b, place(random, 0.5))
        }
        "size ratio 1e6" => {
            let (a, pa, b, pb) = family(["generic", "aligned"][random.below(2)], random);
            (a, pa, scaled(&b, 1e-6), pb)
        }
        "far from the origin" => {
            let (a, pa, b, pb) = family(["generic", "aligned", "touching"][random.below(3)], random);
            let far = Vec3::new(1e6, -3e6, 2e6);
            (a, Pose::new(pa.rotation, pa.position + far), b, Pose::new(pb.rotation, pb.position + far))
        }
        "centres coincide" => {
            let (a, b) = (body(random), body(random));
            let turn = random.rotation();
            let at = random.direction();
            let placed = |p: &Polytope, turn: Rotation3<f64>| Pose::new(turn, at - turn * p.reference());
            let (pa, pb) = (placed(&a, turn), placed(&b, random.rotation()));
            (a, pa, b, pb)
        }
        "tetrahedra on a lattice" => lattice::tetrahedra(random),
        _ => unreachable!("no such family"),
    }
}

const FAMILIES: [&str; 12] = [
    "generic",
    "aligned",
    "turned together",
    "touching",
    "edge-parallel",
    "corner-corner",
    "needle",
    "flake",
    "size ratio 1e6",
    "far from the origin",
    "centres coincide",
    "tetrahedra on a lattice",
];

#[test]
fn a_million_pairs_carry_their_certificates() {
    println!("| family | pairs | worst certificate | worst dual gap | worst residual | most iterations |");
    println!("|---|---|---|---|---|---|");
    for (f, name) in FAMILIES.iter().enumerate() {
        let count = 84_000;
        let mut random = Random(1000 + f as u64);
        let (mut gap, mut dual, mut residual, mut most) = (0.0f64, 0.0f64, 0.0f64, 0);
        for index in 0..count {
            let (a, pa, b, pb) = family(name, &mut random);
            let size = a.outer_radius() + b.outer_radius();
            let (a, b) = (Solid::Polytope(a), Solid::Polytope(b));
            let answer =
                separation(&a, &pa, &b, &pb, &Options::default(), &mut WarmStart::default()).unwrap();
            let (Solid::Polytope(a), Solid::Polytope(b)) = (&a, &b) else { unreachable!() };
            let residuals = answer_residuals(a, &pa, b, &pb, &answer);
            // In units of size; the rounding of the check itself far from the origin is that of the coordinates.
            let blur = 1e-16 * pa.position.norm() / size * answer.alpha.norm();
            let numbers =
                [answer.certificate_gap(), residuals.dual_gap, residuals.residual, residuals.normalisation];
            assert!(numbers.iter().all(|v| v.is_finite()), "{name} {index}: {numbers:?}");
            assert!(
                residuals.weight_error <= 1e-14,
                "{name} {index}: weights off by {}",
                residuals.weight_error
            );
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
            let (a, pa, b, pb) = family("aligned", &mut random);
            let mut nudged = |p: Pose| {
                let turn = Rotation3::new(random.direction() * tiny * random.uniform());
                Pose::new(turn * p.rotation, p.position + random.direction() * tiny * random.uniform())
            };
            let (pa, pb) = (nudged(pa), nudged(pb));
            let size = a.outer_radius() + b.outer_radius();
            let (sa, sb) = (Solid::Polytope(a), Solid::Polytope(b));
            let (Solid::Polytope(a), Solid::Polytope(b)) = (&sa, &sb) else { unreachable!() };
            let ask = |beta| {
                separation(
                    &sa,
                    &pa,
                    &sb,
                    &pb,
                    &Options { beta, ..Options::default() },
                    &mut WarmStart::default(),
                )
                .unwrap()
            };
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
                let residuals = answer_residuals(a, &pa, b, &pb, &answer);
                let slope = answer.alpha.norm();
                assert!(answer.certificate_gap() <= 1e-11 * size * slope, "{tiny:e} {index}: {answer:?}");
                assert!(
                    residuals.dual_gap.abs() <= 1e-11 * size * slope,
                    "{tiny:e} {index}: {}",
                    residuals.dual_gap
                );
                assert!(residuals.residual <= 1e-11 * size, "{tiny:e} {index}: {}", residuals.residual);
            }
        }
    }
}
