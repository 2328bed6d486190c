//! Piles that plain sweeps do not get to the bottom of.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod piles;

use common::Random;
use percussion_solve::{FixedPoint, Frictional, GaussSeidel};
use std::time::Instant;

#[test]
#[ignore = "prints figures"]
fn figures() {
    let cases: Vec<(&str, Frictional)> = vec![
        ("tower 10", piles::tower(10, 0.5, 0.0)),
        ("tower 30", piles::tower(30, 0.5, 0.1)),
        ("wall 60", piles::bricks(8, 8, 0, 0.5, 0.3)),
        ("heap 18", piles::heap(&mut Random::new(5), [3, 3, 2], [0.3, 0.7], 0.1)),
        ("heap 18 mu .1", piles::heap(&mut Random::new(5), [3, 3, 2], [0.1, 0.1], 0.1)),
        ("heap 64", piles::heap(&mut Random::new(5), [4, 4, 4], [0.3, 0.7], 0.1)),
        ("heap 64 mu .1", piles::heap(&mut Random::new(5), [4, 4, 4], [0.1, 0.1], 0.1)),
        ("chain 30", piles::chain(30, 0.5, 1.0)),
    ];
    for (name, problem) in &cases {
        println!("{name}: {} contacts", problem.contact_count());
        for memory in [0, 5, 10] {
            for limit in [20, 100, 1000] {
                let mut solver = GaussSeidel::new();
                (solver.tolerance, solver.limit, solver.memory) = (1e-9, limit, memory);
                let from = Instant::now();
                let s = solver.solve(problem).unwrap();
                let (r, i) = (s.residual, s.iterations);
                println!(
                    "  memory {memory}: {i} sweeps {:.1} ms, residual {:.1e} (n {:.1e} f {:.1e} c {:.1e})",
                    from.elapsed().as_secs_f64() * 1e3,
                    r.worst(),
                    r.normal,
                    r.friction,
                    r.cone
                );
            }
        }
        let mut fixed = FixedPoint::new();
        fixed.limit = 30;
        let from = Instant::now();
        let s = fixed.solve(problem).unwrap();
        let (r, i, o) = (s.residual.worst(), s.iterations, s.outcome);
        println!(
            "  fixed point {i} {:.1} ms, residual {r:.1e} {o:?} {:?}",
            from.elapsed().as_secs_f64() * 1e3,
            fixed.report()
        );
    }
}
