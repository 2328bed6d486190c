//! The kernel against two independent solvers of the separation program: a dense simplex method, and an
//! interior-point method with a crossover.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/evidence.rs"]
mod evidence;
#[path = "common/families.rs"]
mod families;
#[path = "common/routes.rs"]
mod routes;

use common::Random;
use evidence::{Programs, Worst, over, planar_question, question};
use families::{FAMILIES, PLANAR_FAMILIES, pair, planar_pair};
use nalgebra::SVector;
use routes::Program;

/// Pairs per dimension and route.
const PAIRS: usize = 100_000;

const BOTH: Programs = Programs { simplex: true, interior: true, growth: false };

fn check(name: &str, count: usize, one: impl Fn(&mut Random) -> Worst + Sync) -> Worst {
    let worst = over(name, count, one);
    println!(
        "| {name} | {} | {:.1e} | {:.1e} | {:.1e} | {:.1} in {} | {:.0} |",
        worst.pairs, worst.simplex, worst.interior, worst.doubt, worst.direction, worst.unique, worst.slope
    );
    assert!(worst.doubt <= 1e-13, "{name}: a route does not prove its own value: {worst:?}");
    assert!(worst.simplex <= 1e-12, "{name}: {worst:?}");
    assert!(worst.interior <= 1e-12, "{name}: {worst:?}");
    assert!(worst.certificate <= 1e-11, "{name}: {worst:?}");
    // Direction and weights to a few roundings of their equations.
    assert!(worst.direction <= 8.0, "{name}: {worst:?}");
    // A dozen pivots, and a few hundred where slender bodies make the kernel try again for a tighter certificate.
    assert!(worst.most <= 500 && worst.total <= 20 * worst.pairs as u64, "{name}: {worst:?}");
    worst
}

fn heading() {
    println!("| family | pairs | simplex | interior point | doubt of the routes | direction | slope |");
    println!("|---|---|---|---|---|---|---|");
}

#[test]
fn separations_in_space_agree_with_two_linear_programs() {
    heading();
    let each = PAIRS.div_ceil(FAMILIES.len());
    let total = FAMILIES.iter().fold(Worst::default(), |total, name| {
        total.and(check(name, each, |random| question(&pair(name, random)).errors(BOTH)))
    });
    assert!(total.pairs >= PAIRS && total.unique > PAIRS / 2, "{total:?}");
}

#[test]
fn separations_in_the_plane_agree_with_two_linear_programs() {
    heading();
    let each = PAIRS.div_ceil(PLANAR_FAMILIES.len());
    let total = PLANAR_FAMILIES.iter().fold(Worst::default(), |total, name| {
        total.and(check(name, each, |random| planar_question(&planar_pair(name, random)).errors(BOTH)))
    });
    assert!(total.pairs >= PAIRS && total.unique > PAIRS / 2, "{total:?}");
}

#[test]
fn the_routes_know_the_answer_for_two_squares() {
    // The unit square about (3, 0) and the square of half-width 1 about the origin: s = 3 - 0.5 - 1.
    let square = |half: f64, at: f64| -> Vec<SVector<f64, 2>> {
        [(-half, -half), (half, -half), (half, half), (-half, half)]
            .iter()
            .map(|(x, y)| SVector::from([x + at, *y]))
            .collect()
    };
    let program = Program { x: square(0.5, 3.0), y: square(1.0, 0.0), beta: SVector::from([1.0, 0.0]) };
    for found in [program.by_simplex(), program.by_interior_point()] {
        assert!((found.value - 1.5).abs() < 1e-15 && found.doubt < 1e-15, "{found:?}");
        assert!((found.alpha - program.beta).norm() < 1e-14);
    }
    // A wrong value, direction or weight is not waved through.
    let found = program.by_simplex();
    assert!(program.doubt(1.5 + 1e-9, &found.alpha, &found.weights) > 9e-10);
    assert!(program.doubt(1.5, &(found.alpha + SVector::from([0.0, 1e-9])), &found.weights) > 9e-10);
    let mut weights = found.weights.clone();
    weights[0] += 1e-9;
    assert!(program.doubt(1.5, &found.alpha, &weights) > 9e-10);
}
