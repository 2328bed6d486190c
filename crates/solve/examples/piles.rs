//! Towers, walls and heaps solved to 1e-10: sweeps, factorisations, time and residual of each.
//!
//! `cargo run --release -p percussion-solve --example piles`
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/piles/mod.rs"]
mod piles;

use percussion_solve::GaussSeidel;
use percussion_solve::lcp::friction::Cone;
use percussion_testing::Random;
use std::time::Instant;

fn main() {
    let mut cases = vec![
        ("tower 100", piles::tower(100, 0.3, 0.3)),
        ("wall", piles::bricks(15, 14, 0, 0.5, 0.3)),
        ("pyramid", piles::bricks(20, 20, 1, 0.5, 0.3)),
        ("chain", piles::chain(60, 0.3, 3.0)),
    ];
    for (name, speed) in [("quiet", 0.01), ("violent", 0.1)] {
        for side in [[4, 4, 4], [7, 7, 6]] {
            for mu in [[0.1, 0.3], [0.3, 0.7]] {
                for seed in 0..if side[0] == 4 { 4 } else { 1 } {
                    cases.push((name, piles::heap(&mut Random::new(seed), side, mu, speed)));
                }
            }
        }
    }
    for (name, problem) in &cases {
        for cone in [Cone::Facets, Cone::Round] {
            let mut solver = GaussSeidel::exact();
            (solver.cone, solver.max_sweeps) = (cone, 2000);
            let from = Instant::now();
            let residual = solver.solve(problem).unwrap().residual.worst();
            let time = from.elapsed().as_secs_f64() * 1e3;
            let report = solver.report();
            println!(
                "{name}, {} contacts, {cone:?}: {} sweeps, {} factorisations, {time:.0} ms, {residual:.1e}",
                problem.contact_count(),
                report.sweeps,
                report.factorisations,
            );
        }
    }
}
