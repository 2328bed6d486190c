//! Impulses are bitwise identical for any number of threads: large islands by colours, many islands at the same time.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod piles;

use percussion_solve::lcp::friction::{Cone, FrictionalSolution, frictional_residual};
use percussion_solve::{FrictionContactProblem, GaussSeidel};
use percussion_testing::Random;
use rayon::ThreadPoolBuilder;

/// Solves from nothing and then from its own solution, in a number of threads.
fn solve_in(
    threads: usize,
    solver: &GaussSeidel,
    problem: &FrictionContactProblem,
) -> [FrictionalSolution; 2] {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut solver = solver.clone();
        let first = solver.solve(problem).unwrap().clone();
        let second = solver.solve_from(problem, &first.impulses).unwrap().clone();
        [first, second]
    })
}

/// Heaps far from each other, of growing size: islands of one problem.
fn heaps(count: usize) -> FrictionContactProblem {
    let mut random = Random::new(11);
    let mut pile = piles::Pile::default();
    for k in 0..count {
        let (x, height) = (10.0 * k as f64, 2 + k % 5);
        for level in 0..height {
            let z = 0.5 + level as f64;
            let velocity = random.vector().into();
            let over = pile.solid(1.0, [0.5; 3], [x, 0.0, z], velocity);
            let under = if level > 0 { Some(over - 1) } else { None };
            for (s, t) in [(0.4, 0.4), (-0.4, 0.4), (0.4, -0.4), (-0.4, -0.4)] {
                pile.touch([x + s, t, z - 0.5], [0.0, 0.0, 1.0], (over, under), (0.5, 0.0, 2));
            }
        }
    }
    pile.problem
}

#[test]
fn impulses_are_bitwise_identical_for_any_number_of_threads() {
    let heap = piles::heap(&mut Random::new(5), [8, 8, 8], [0.2, 0.5], 0.02);
    let two_heaps = piles::heap(&mut Random::new(7), [7, 7, 7], [0.3, 0.5], 0.02);
    let mut sweeps = GaussSeidel::fast();
    sweeps.max_sweeps = 30;
    let mut accelerated = GaussSeidel::new();
    (accelerated.max_sweeps, accelerated.tolerance) = (60, 1e-9);
    let mut budget = GaussSeidel::exact();
    (budget.max_sweeps, budget.nonmonotone, budget.sufficient) = (40, true, 1e-8);
    for (name, problem) in [("heap", heap), ("another heap", two_heaps), ("many heaps", heaps(300))] {
        for cone in [Cone::Facets, Cone::Round] {
            for solver in [&sweeps, &accelerated, &budget] {
                let mut solver = solver.clone();
                solver.cone = cone;
                let one = solve_in(1, &solver, &problem);
                println!(
                    "{name}, {cone:?}: {} contacts, residual {:.1e}",
                    problem.contact_count(),
                    frictional_residual(&problem, &one[1].impulses, cone).unwrap().worst()
                );
                for threads in [2, 3, 8] {
                    assert_eq!(one, solve_in(threads, &solver, &problem), "{name} {cone:?} {threads}");
                }
            }
        }
    }
}
