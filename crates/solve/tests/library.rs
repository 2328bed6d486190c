//! Every solver on every problem of a library: complementarity problems of the gallery's steps, as
//! `cargo run --release -p percussion --example problems` wrote them. Solvers that agree on them were written apart.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use percussion_solve::{
    Cone, FixedPoint, FixedPointMap, Frictional, FrictionalLemke, FrictionalSolution, GaussSeidel,
    Relaxation, frictional_residual, relaxation_residual,
};
use std::path::Path;

/// Contacts up to which the dense method is asked.
const FEW: usize = 60;
/// Residual of a solution.
const SOLVED: f64 = 1e-9;
/// Difference of velocities in the units of the judge.
const SAME: f64 = 1e-8;

struct Stored {
    name: String,
    text: String,
    problem: Frictional,
    /// Roots of the diagonals of the inverse masses, times the size of the momenta.
    units: Vec<f64>,
}

/// All problems, by name.
fn library() -> Vec<Stored> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let problem: Frictional = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut units = Vec::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("w ")) {
            let w: Vec<f64> = line.split_whitespace().map(|x| x.parse().unwrap()).collect();
            let n = (w.len() as f64).sqrt() as usize;
            units.extend((0..n).map(|i| problem.momentum_size() * w[i * n + i].sqrt()));
        }
        assert_eq!(units.len(), problem.size());
        Stored { name, text, problem, units }
    };
    paths.iter().map(|path| read(path)).collect()
}

/// What the judge says of an answer, whatever its solver said.
fn judged(problem: &Frictional, answer: &FrictionalSolution) -> f64 {
    frictional_residual(problem, &answer.impulses, Cone::Facets).unwrap().worst()
}

/// Largest difference of two velocities in the units of the judge.
fn apart(stored: &Stored, a: &FrictionalSolution, b: &FrictionalSolution) -> f64 {
    let pairs = a.impulses.velocity.iter().zip(&b.impulses.velocity).zip(&stored.units);
    pairs.map(|((a, b), unit)| (a - b).abs() / unit).fold(0.0, f64::max)
}

#[test]
fn problems_are_written_as_they_were_read() {
    let library = library();
    assert!(library.len() >= 20, "{}", library.len());
    for stored in &library {
        assert_eq!(stored.problem.to_text(), stored.text, "{}", stored.name);
    }
    let all: usize = library.iter().map(|stored| stored.text.len()).sum();
    assert!(all < 1_000_000 && library.iter().all(|stored| stored.text.len() < 60_000), "{all}");
}

#[test]
fn every_solver_solves_every_problem_and_all_agree() {
    let (mut compared, mut converged, mut farthest) = (0, 0, 0.0_f64);
    for stored in &library() {
        let Stored { name, problem, .. } = stored;
        let mut answers: Vec<(&str, FrictionalSolution)> = Vec::new();
        if problem.contact_count() <= FEW {
            answers.push(("lemke", FrictionalLemke::new().solve(problem).clone()));
        }
        let mut sweeps = GaussSeidel::new();
        sweeps.tolerance = 1e-12;
        sweeps.limit = 20_000;
        answers.push(("sweeps", sweeps.solve(problem).unwrap().clone()));
        let mut point = FixedPoint::new();
        point.tolerance = 1e-10;
        answers.push(("fixed point", point.solve(problem).unwrap().clone()));
        let mut told = format!("{name}: {} contacts", problem.contact_count());
        for (who, answer) in &answers {
            told += &format!(", {who} {:.1e} ({})", judged(problem, answer), answer.iterations);
        }
        println!("{told}");
        let settled = point.report().converged;
        converged += usize::from(settled);
        for (who, answer) in &answers {
            if *who != "fixed point" || settled {
                assert!(judged(problem, answer) <= SOLVED, "{name}, {who}: {:e}", judged(problem, answer));
            }
        }
        if !settled {
            continue;
        }
        // The relaxation is the problem itself where the widening is that of the solution.
        let slips = &answers.last().unwrap().1.impulses.slip;
        let widening: Vec<f64> =
            stored.frictions().into_iter().zip(slips).map(|(mu, slip)| mu * slip).collect();
        let relaxed = Relaxation::new().solve(problem, &widening).unwrap().clone();
        let residual = relaxation_residual(problem, &widening, &relaxed.impulses).unwrap().worst();
        assert!(residual <= SOLVED, "{name}: {residual:e}");
        answers.push(("relaxation", relaxed));
        for (k, (who, a)) in answers.iter().enumerate() {
            for (other, b) in &answers[..k] {
                let apart = apart(stored, a, b);
                assert!(apart <= SAME, "{name}: {who} and {other} differ by {apart:e}");
                farthest = farthest.max(apart);
                compared += 1;
            }
        }
    }
    println!("{converged} fixed points, {compared} pairs, at most {farthest:.1e} apart");
    assert!(converged >= 15 && compared >= 90, "{converged} {compared}");
}

impl Stored {
    /// Coefficients of friction, by contact.
    fn frictions(&self) -> Vec<f64> {
        let contacts = self.text.lines().filter_map(|line| line.strip_prefix("contact "));
        contacts.map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect()
    }
}

/// Without widening the relaxation lets contacts dilate: another problem, which its own judge accepts.
#[test]
fn the_plain_relaxation_of_every_problem_is_solved() {
    for Stored { name, problem, .. } in &library() {
        let widening = vec![0.0; problem.contact_count()];
        let answer = Relaxation::new().solve(problem, &widening).unwrap().clone();
        let residual = relaxation_residual(problem, &widening, &answer.impulses).unwrap().worst();
        assert!(residual <= SOLVED, "{name}: {residual:e}");
    }
}

/// The three maps have the same fixed points.
#[test]
fn the_three_maps_agree_where_they_converge() {
    let mut compared = 0;
    for stored in &library() {
        let answers: Vec<FrictionalSolution> =
            [FixedPointMap::Velocity, FixedPointMap::Widening, FixedPointMap::LimitedSlip]
                .into_iter()
                .filter_map(|map| {
                    let mut point = FixedPoint::new();
                    (point.map, point.tolerance) = (map, 1e-10);
                    let answer = point.solve(&stored.problem).unwrap().clone();
                    point.report().converged.then_some(answer)
                })
                .collect();
        for pair in answers.windows(2) {
            let apart = apart(stored, &pair[0], &pair[1]);
            assert!(apart <= SAME, "{}: {apart:e}", stored.name);
            compared += 1;
        }
    }
    println!("{compared} pairs");
    assert!(compared >= 30, "{compared}");
}
