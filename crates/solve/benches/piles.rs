//! Sweeps over heaps of growing size: time per sweep and contact, time of a warm step.
//!
//! `cargo bench -p percussion-solve --bench piles` prints markdown tables and the exponents that fit them. Each
//! step moves all momenta a little, as a time step would, and starts from the impulses of the step before. With `-- threads`, sweeps with one
//! thread and with two.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/piles/mod.rs"]
mod piles;

use percussion_solve::{FrictionContactProblem, GaussSeidel, Impulses};
use percussion_testing::Random;
use std::time::Instant;

const STEPS: usize = 5;

/// Heaps of a size that differ in their momenta only, by a hundredth.
fn steps(side: [usize; 3]) -> Vec<FrictionContactProblem> {
    (0..STEPS).map(|k| piles::heap(&mut Random::new(5), side, [0.2, 0.5], 0.02 + 0.0002 * k as f64)).collect()
}

/// Seconds and visits of rows of all warm steps together, and the worst residual.
struct Run {
    time: f64,
    visits: usize,
    residual: f64,
}

fn run(solver: &mut GaussSeidel, problems: &[FrictionContactProblem]) -> Run {
    let mut last: Impulses = solver.solve(&problems[0]).unwrap().impulses.clone();
    let mut run = Run { time: 0.0, visits: 0, residual: 0.0 };
    for problem in &problems[1..] {
        let from = Instant::now();
        let solution = solver.solve_from(problem, &last).unwrap();
        run.time += from.elapsed().as_secs_f64();
        run.residual = run.residual.max(solution.residual.worst());
        last.clone_from(&solution.impulses);
        run.visits += solver.report().row_updates;
    }
    run
}

/// The fastest of a few runs, which are all the same but for what else the machine does.
fn best(solver: &mut GaussSeidel, problems: &[FrictionContactProblem]) -> Run {
    let mut best = run(solver, problems);
    for _ in 0..4 {
        let again = run(solver, problems);
        if again.time < best.time {
            best = again;
        }
    }
    best
}

/// Sweeps over heaps with one thread and with two: milliseconds of 20 sweeps and their ratio.
fn threads() {
    println!(
        "\n| bodies | contacts | 20 sweeps, one thread: ms | two threads: ms | ratio |\n|---|---|---|---|---|"
    );
    for side in [[6, 6, 5], [8, 8, 8], [10, 10, 10], [13, 13, 12]] {
        let problems = steps(side);
        let times = [1, 2].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut solver = GaussSeidel::new();
                (solver.tolerance, solver.anderson_depth, solver.max_sweeps) = (0.0, 0, 20);
                let start = solver.solve(&problems[0]).unwrap().impulses.clone();
                let times = [2, 22].map(|sweeps| {
                    solver.max_sweeps = sweeps;
                    let solve = |_| {
                        let from = Instant::now();
                        solver.solve_from(&problems[1], &start).unwrap();
                        from.elapsed().as_secs_f64()
                    };
                    (0..300).map(solve).fold(f64::INFINITY, f64::min)
                });
                1e3 * (times[1] - times[0])
            })
        });
        println!(
            "| {} | {} | {:.3} | {:.3} | {:.2} |",
            side.iter().product::<usize>(),
            problems[0].contact_count(),
            times[0],
            times[1],
            times[0] / times[1]
        );
    }
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
    if std::env::args().any(|argument| argument == "threads") {
        return threads();
    }
    let sides = [[3, 3, 2], [4, 4, 4], [6, 6, 5], [8, 8, 8], [10, 10, 10], [13, 13, 12]];
    println!("Warm steps of heaps; 'exact' with Newton's method up to 3,000 contacts.\n");
    println!(
        "| contacts | assembly ms | 2 sweeps ms | 20 sweeps ms | ns/row/sweep | fast: ms | residual | exact: ms | residual |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut fixed, mut fast) = (vec![], vec![]);
    let step = 1e3 / (STEPS - 1) as f64;
    for side in sides {
        let from = Instant::now();
        let problems = steps(side);
        let assembly = from.elapsed().as_secs_f64() * 1e3 / STEPS as f64;
        let contacts = problems[0].contact_count();
        let mut solver = GaussSeidel::new();
        (solver.tolerance, solver.max_sweeps, solver.anderson_depth) = (0.0, 2, 0);
        let few = best(&mut solver, &problems);
        solver.max_sweeps = 20;
        let many = best(&mut solver, &problems);
        let row = (many.time - few.time) / (many.visits - few.visits) as f64;
        let rough = best(&mut GaussSeidel::fast(), &problems);
        let exact = (contacts <= 3500).then(|| run(&mut GaussSeidel::exact(), &problems));
        let exact = exact
            .map_or_else(|| "- | -".into(), |run| format!("{:.0} | {:.0e}", run.time * step, run.residual));
        println!(
            "| {contacts} | {assembly:.2} | {:.2} | {:.2} | {:.1} | {:.2} | {:.0e} | {exact} |",
            few.time * step,
            many.time * step,
            row * 1e9,
            rough.time * step,
            rough.residual,
        );
        fixed.push((contacts as f64, many.time));
        fast.push((contacts as f64, rough.time));
    }
    println!(
        "\ntime grows like contacts^{:.2} for 20 sweeps, contacts^{:.2} for the fast setting",
        exponent(&fixed),
        exponent(&fast)
    );
}
