//! Sweeps over heaps of growing size: time per sweep and contact, time of a warm step.
//!
//! `cargo bench -p percussion-solve --bench piles` prints markdown tables and the exponents that fit them. Each
//! step moves all momenta a little, as a time step would, and starts from the impulses of the step before.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/piles/mod.rs"]
mod piles;

use common::Random;
use percussion_solve::{Frictional, GaussSeidel, Impulses};
use std::time::Instant;

const STEPS: usize = 5;

/// Heaps of a size that differ in their momenta only, by a hundredth.
fn steps(side: [usize; 3]) -> Vec<Frictional> {
    (0..STEPS).map(|k| piles::heap(&mut Random::new(5), side, [0.3, 0.7], 0.1 + 0.001 * k as f64)).collect()
}

/// Time of all warm steps together, the most sweeps and the worst residual.
fn run(solver: &mut GaussSeidel, problems: &[Frictional]) -> (f64, usize, usize, f64) {
    let mut last: Impulses = solver.solve(&problems[0]).unwrap().impulses.clone();
    let (mut time, mut sweeps, mut visits, mut residual) = (0.0, 0, 0, 0.0_f64);
    for problem in &problems[1..] {
        let from = Instant::now();
        let solution = solver.solve_from(problem, &last).unwrap();
        time += from.elapsed().as_secs_f64();
        residual = residual.max(solution.residual.worst());
        sweeps = sweeps.max(solution.iterations);
        last.clone_from(&solution.impulses);
        visits += solver.report().visits;
    }
    (time, sweeps, visits, residual)
}

/// Slope of the line through the logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let log: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = log.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (up, down) =
        log.iter().fold((0.0, 0.0), |(u, d), (x, y)| (u + (x - mx) * (y - my), d + (x - mx) * (x - mx)));
    up / down
}

fn main() {
    let sides = [[3, 3, 2], [4, 4, 4], [6, 6, 5], [8, 8, 8], [10, 10, 10], [13, 13, 12]];
    println!("| contacts | assembly ms | fixed 20 sweeps ms | ns/row/sweep | 1e-5: ms | sweeps | residual |");
    println!("|---|---|---|---|---|---|---|");
    let (mut fixed, mut reached) = (vec![], vec![]);
    for side in sides {
        let from = Instant::now();
        let problems = steps(side);
        let assembly = from.elapsed().as_secs_f64() / STEPS as f64;
        let contacts = problems[0].contact_count();
        let mut solver = GaussSeidel::new();
        (solver.tolerance, solver.limit, solver.memory) = (0.0, 2, 0);
        let (few, _, less, _) = run(&mut solver, &problems);
        solver.limit = 20;
        let (time, _, visits, _) = run(&mut solver, &problems);
        let row = (time - few) / (visits - less) as f64;
        (solver.tolerance, solver.limit, solver.memory) = (1e-5, 1000, 5);
        let (total, sweeps, _, residual) = run(&mut solver, &problems);
        let step = 1e3 / (STEPS - 1) as f64;
        println!(
            "| {contacts} | {:.2} | {:.2} | {:.1} | {:.2} | {sweeps} | {residual:.1e} |",
            assembly * 1e3,
            time * step,
            row * 1e9,
            total * step,
        );
        fixed.push((contacts as f64, time));
        reached.push((contacts as f64, total));
    }
    println!(
        "\ntime grows like contacts^{:.2} for 20 sweeps, ^{:.2} to 1e-5",
        exponent(&fixed),
        exponent(&reached)
    );
}
