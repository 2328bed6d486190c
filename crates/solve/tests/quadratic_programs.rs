//! Quadratic programs: closed forms, degenerate and infeasible ones, and seeded random families against another
//! solver and between the two methods.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use clarabel::solver::SolverStatus;
use common::{clarabel, dot, random_hessian};
use percussion_solve::qp::{QpMethod, QpOutcome, QpSolution, qp_residual};
use percussion_solve::{QpSolver, QuadraticProgram, SolveError};
use percussion_testing::Random;

/// Karush-Kuhn-Tucker residual of well-conditioned problems.
const EVIDENCE: f64 = 1e-13;

fn rows_of(hessian: Option<&[f64]>, n: usize) -> Vec<Vec<f64>> {
    match hessian {
        Some(g) => g.chunks(n).map(<[f64]>::to_vec).collect(),
        None => (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect(),
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// An answer of the outcome expected whose evidence is rounding.
fn solved(problem: &QuadraticProgram, outcome: QpOutcome) -> QpSolution {
    let solution = QpSolver::new().solve(problem).unwrap().clone();
    assert_eq!(solution.outcome, outcome);
    let residual = qp_residual(problem, &solution).unwrap();
    assert!(residual.worst() <= EVIDENCE, "{:?} {residual:?}", solution.outcome);
    solution
}

/// Rows of every kind around a point that satisfies them all (if `feasible`).
fn random_program(random: &mut Random, n: usize, m: usize, feasible: bool, grid: bool) -> QuadraticProgram {
    let round = |v: f64| if grid { (4.0 * v).round() / 4.0 } else { v };
    let mut problem = if random.below(2) == 0 {
        QuadraticProgram::least_distance(&random.numbers(n))
    } else {
        QuadraticProgram::new(random_hessian(random, n, 0.1).as_slice(), &random.numbers(n))
    }
    .unwrap();
    let inside: Vec<f64> = random.numbers(n).into_iter().map(round).collect();
    let equalities = random.below(1 + n.min(m) / 2);
    for i in 0..m {
        let a: Vec<f64> = random.numbers(n).into_iter().map(round).collect();
        let at = if feasible { dot(&a, &inside) } else { round(random.signed()) };
        let slack = round(0.3 * random.unit());
        match random.below(3) {
            _ if i < equalities => problem.equal(&a, at),
            0 => problem.at_most(&a, at + slack),
            1 => problem.at_least(&a, at - slack),
            _ => problem.between(&a, at - slack, at + 0.5),
        }
        .unwrap();
    }
    for (j, &at) in inside.iter().enumerate() {
        let (below, above) = (round(random.unit()), round(random.unit()));
        match random.below(5) {
            0 | 1 => continue,
            2 => problem.bound(j, at - below, f64::INFINITY),
            3 => problem.bound(j, f64::NEG_INFINITY, at + above),
            _ => problem.bound(j, at - below, at + above),
        }
        .unwrap();
    }
    problem
}

#[test]
fn random_programs_agree_with_another_solver() {
    let mut random = Random::new(11);
    let mut solver = QpSolver::new();
    let (mut optimal, mut infeasible, mut evidence) = (0, 0, 0.0_f64);
    for trial in 0..4000 {
        let (n, m) = (1 + random.below(12), random.below(25));
        let problem = random_program(&mut random, n, m, trial % 3 > 0, trial % 2 == 0);
        let solution = solver.solve_by(&problem, QpMethod::ActiveSet).unwrap();
        let residual = qp_residual(&problem, solution).unwrap();
        evidence = evidence.max(residual.worst());
        assert!(
            residual.worst() <= EVIDENCE,
            "trial {trial}, {n} x {m}: {:?} {residual:?}",
            solution.outcome
        );
        match solution.outcome {
            QpOutcome::Optimal => optimal += 1,
            QpOutcome::Infeasible => infeasible += 1,
            QpOutcome::IterationLimit => panic!("trial {trial}: iteration limit"),
        }
        if trial % 5 == 0 {
            let reference =
                clarabel(&rows_of(problem.hessian(), n), problem.gradient(), problem.constraints());
            match reference.status {
                SolverStatus::Solved => {
                    assert_eq!(solution.outcome, QpOutcome::Optimal, "trial {trial}");
                    assert!(distance(&solution.x, &reference.x) < 1e-4, "trial {trial}");
                    let size = 1.0 + solution.objective.abs();
                    assert!((solution.objective - reference.objective).abs() < 1e-7 * size, "trial {trial}");
                }
                SolverStatus::PrimalInfeasible => {
                    assert_eq!(solution.outcome, QpOutcome::Infeasible, "trial {trial}");
                }
                _ => {}
            }
        }
    }
    println!("{optimal} optimal, {infeasible} infeasible, evidence {evidence:.1e}");
    assert!(optimal > 2000 && infeasible > 500);
}

/// The point of the unit simplex nearest to v, by sorting: the threshold of Held, Wolfe and Crowder.
fn onto_simplex(v: &[f64]) -> Vec<f64> {
    let mut sorted = v.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut threshold) = (0.0, 0.0);
    for (k, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (k + 1) as f64;
        if value - candidate > 0.0 {
            threshold = candidate;
        }
    }
    v.iter().map(|x| (x - threshold).max(0.0)).collect()
}

#[test]
fn the_projection_onto_a_simplex_is_that_of_the_sorting_formula() {
    let mut random = Random::new(12);
    let mut solver = QpSolver::new();
    for trial in 0..500 {
        let n = 1 + random.below(130);
        let target: Vec<f64> = random.numbers(n).iter().map(|v| v * [1.0, 0.01, 10.0][trial % 3]).collect();
        let mut problem = QuadraticProgram::least_distance(&target).unwrap();
        problem.equal(&vec![1.0; n], 1.0).unwrap().nonnegative();
        let expected = onto_simplex(&target);
        for method in [QpMethod::ActiveSet, QpMethod::DualNewton] {
            let solution = solver.solve_by(&problem, method).unwrap();
            assert_eq!(solution.outcome, QpOutcome::Optimal, "trial {trial} {method:?}");
            assert!(distance(&solution.x, &expected) < 1e-13, "trial {trial} {method:?}");
        }
    }
}

/// Two convex polygons of radius one in a common plane of space, their centres `apart`, each with a corner on
/// the line between the centres: the weights of their corners under the rows of the dual polytope of a contact.
/// The rows are always dependent, as all corners share the plane.
fn face_on_face(random: &mut Random, corners: [usize; 2], apart: f64) -> QuadraticProgram {
    let normal = random.direction();
    let u = normal.cross(&random.direction()).normalize();
    let v = normal.cross(&u);
    let polygon = |count: usize, centre: f64, radius: f64| -> Vec<[f64; 3]> {
        let angles = (0..count).map(|k| (std::f64::consts::TAU * k as f64 / count as f64).sin_cos());
        angles.map(|(s, c)| ((centre + radius * c) * u + radius * s * v + 0.3 * normal).into()).collect()
    };
    let (a, b) = (polygon(corners[0], 0.0, 1.0), polygon(corners[1], apart, -1.0));
    let n = a.len() + b.len();
    let mut problem = QuadraticProgram::least_distance(&vec![0.0; n]).unwrap();
    problem.nonnegative();
    for axis in 0..3 {
        let row: Vec<f64> = a.iter().map(|x| x[axis]).chain(b.iter().map(|y| -y[axis])).collect();
        problem.equal(&row, 0.0).unwrap();
    }
    for (first, last) in [(0, a.len()), (a.len(), n)] {
        let row: Vec<f64> = (0..n).map(|j| if (first..last).contains(&j) { 1.0 } else { 0.0 }).collect();
        problem.equal(&row, 1.0).unwrap();
    }
    problem
}

#[test]
fn faces_that_share_their_centre_are_carried_equally_by_all_corners() {
    let mut random = Random::new(13);
    for _ in 0..200 {
        let corners = [3 + random.below(62), 3 + random.below(62)];
        let problem = face_on_face(&mut random, corners, 0.0);
        let solution = solved(&problem, QpOutcome::Optimal);
        for (j, w) in solution.x.iter().enumerate() {
            let count = if j < corners[0] { corners[0] } else { corners[1] };
            assert!((w - 1.0 / count as f64).abs() < 1e-13);
        }
    }
}

#[test]
fn faces_that_barely_touch_are_carried_by_the_corners_that_meet() {
    let mut random = Random::new(15);
    let mut solver = QpSolver::new();
    for trial in 0..400 {
        let corners = [3 + random.below(62), 3 + random.below(62)];
        // Corner on corner, exactly or with a trace of overlap: all but one or a few weights vanish.
        let overlap = if trial % 2 == 0 { 0.0 } else { 1e-6 * random.unit() };
        let problem = face_on_face(&mut random, corners, 2.0 - overlap);
        for method in [QpMethod::Automatic, QpMethod::ActiveSet] {
            let solution = solver.solve_by(&problem, method).unwrap();
            assert_eq!(solution.outcome, QpOutcome::Optimal, "trial {trial} {method:?}");
            let residual = qp_residual(&problem, solution).unwrap();
            assert!(residual.worst() <= EVIDENCE, "trial {trial} {method:?}: {residual:?}");
            // The touching corners carry all but what a lever of at least 0.001 (1 - cos of a sixty-fourth of a
            // turn is 0.005) makes of the overlap and of the rounding of the rows.
            for w in [solution.x[0], solution.x[corners[0]]] {
                assert!((w - 1.0).abs() <= 1e3 * (overlap + 1e-14), "trial {trial} {method:?}: {w}");
            }
        }
    }
}

/// As many weights, a few dependent rows, and a representable right-hand side that makes many of them vanish.
fn random_weights(random: &mut Random, n: usize, rows: usize) -> QuadraticProgram {
    let few = 1 + random.below(4);
    let mut weights = vec![0.0; n];
    for _ in 0..few {
        weights[random.below(n)] += 1.0 / few as f64;
    }
    let spread = if random.below(2) == 0 { 0.0 } else { 1.0 };
    let target: Vec<f64> = random.numbers(n).iter().map(|v| spread * v).collect();
    let mut problem = QuadraticProgram::least_distance(&target).unwrap();
    problem.nonnegative().equal(&vec![1.0; n], 1.0).unwrap();
    let mut last = vec![1.0; n];
    for k in 1..rows {
        let mut row = random.numbers(n);
        if k == rows - 1 && random.below(2) == 0 {
            // A combination of the earlier ones: consistent, dependent.
            row = last.iter().map(|v| 2.0 * v - 0.5).collect();
        }
        let b = dot(&row, &weights);
        problem.equal(&row, b).unwrap();
        last = row;
    }
    problem
}

#[test]
fn both_methods_find_the_same_smallest_weights() {
    let mut random = Random::new(14);
    let mut solver = QpSolver::new();
    let (mut settled, mut worst, mut evidence, mut most) = (0, 0.0_f64, 0.0_f64, 0);
    let trials = 1000;
    for trial in 0..trials {
        let n = 2 + random.below(129);
        let rows = 2 + random.below(n.min(6) - 1);
        let problem = random_weights(&mut random, n, rows);
        let one = solver.solve_by(&problem, QpMethod::ActiveSet).unwrap().clone();
        let residual = qp_residual(&problem, &one).unwrap();
        assert_eq!(one.outcome, QpOutcome::Optimal, "trial {trial}: {n} weights, {rows} rows");
        assert!(residual.worst() <= 1e-11, "trial {trial}: {residual:?}");
        let two = solver.solve_by(&problem, QpMethod::DualNewton).unwrap();
        if two.is_optimal() {
            settled += 1;
            worst = worst.max(distance(&one.x, &two.x));
            most = most.max(two.iterations);
            evidence = evidence.max(qp_residual(&problem, two).unwrap().worst());
        }
        let residual = qp_residual(&problem, solver.solve(&problem).unwrap()).unwrap();
        assert!(residual.worst() <= 1e-11, "trial {trial}: {residual:?}");
    }
    println!(
        "dual Newton settled {settled} of {trials}, at most {most} steps; difference {worst:.1e}, evidence {evidence:.1e}"
    );
    assert!(settled * 100 >= trials * 95, "{settled}");
    assert!(worst < 1e-10);
    assert!(evidence < 1e-12);
}

#[test]
fn a_corner_shared_by_many_faces_is_found() {
    // The apex of a cone of forty planes through one point: every dependence there is.
    let mut problem = QuadraticProgram::least_distance(&[0.3, -0.2, 5.0]).unwrap();
    for k in 0..40 {
        let angle = std::f64::consts::TAU * f64::from(k) / 40.0;
        problem.at_most(&[angle.cos(), angle.sin(), 1.0], 1.0).unwrap();
        problem.at_most(&[2.0 * angle.cos(), 2.0 * angle.sin(), 2.0], 2.0).unwrap();
    }
    let solution = solved(&problem, QpOutcome::Optimal);
    assert!(distance(&solution.x, &[0.0, 0.0, 1.0]) < 1e-14);
}

#[test]
fn repeated_rows_change_nothing_and_contradicting_ones_are_proved_infeasible() {
    let build = |again: f64| {
        let mut problem = QuadraticProgram::least_distance(&[1.0, 2.0, 3.0]).unwrap();
        problem.equal(&[1.0, 1.0, 1.0], 1.0).unwrap();
        problem.equal(&[1.0, -1.0, 0.0], 0.0).unwrap();
        problem.equal(&[3.0, 1.0, 2.0], again).unwrap();
        problem
    };
    // Third row = 2 * first + second.
    let redundant = solved(&build(2.0), QpOutcome::Optimal);
    // On x = y, 2x + z = 1 the derivative of the distance vanishes at 12 x + 2 = 0.
    let expected = [-1.0 / 6.0, -1.0 / 6.0, 4.0 / 3.0];
    assert!(distance(&redundant.x, &expected) < 1e-14, "{:?}", redundant.x);
    for again in [2.1, 1.9] {
        solved(&build(again), QpOutcome::Infeasible);
    }
}

#[test]
fn a_minimum_at_the_origin_far_from_the_target_is_no_contradiction() {
    // Both faces pass through the origin: what rounding leaves of x must not count as a violation.
    let mut problem = QuadraticProgram::new(&[0.11], &[-0.43]).unwrap();
    problem.at_least(&[-0.75], 0.0).unwrap().at_least(&[0.5], 0.0).unwrap();
    let solution = solved(&problem, QpOutcome::Optimal);
    assert!(solution.x[0].abs() < 1e-15);
}

#[test]
fn parallel_faces_that_exclude_each_other_are_proved_infeasible() {
    let mut problem = QuadraticProgram::least_distance(&[0.0, 0.0]).unwrap();
    problem.at_least(&[1.0, 0.0], 1.0).unwrap().at_most(&[1.0, 0.0], 0.999).unwrap();
    let solution = solved(&problem, QpOutcome::Infeasible);
    assert_eq!(solution.objective, f64::INFINITY);
    assert!(solution.row_duals[0] > 0.0 && solution.row_duals[1] < 0.0);
    let mut problem = QuadraticProgram::least_distance(&[0.0; 3]).unwrap();
    problem.nonnegative().equal(&[1.0, 1.0, 1.0], -1.0).unwrap();
    solved(&problem, QpOutcome::Infeasible);
}

#[test]
fn a_badly_scaled_hessian_keeps_its_accuracy() {
    // Masses from 1e-4 to 1e4 under one row: x = G^-1 a / (a . G^-1 a).
    let masses = [1e-4, 1.0, 1e4];
    let mut g = vec![0.0; 9];
    (0..3).for_each(|i| g[4 * i] = masses[i]);
    let mut problem = QuadraticProgram::new(&g, &[0.0; 3]).unwrap();
    problem.equal(&[1.0, 2.0, 3.0], 1.0).unwrap();
    let solution = solved(&problem, QpOutcome::Optimal);
    let weights = [1.0 / masses[0], 2.0 / masses[1], 3.0 / masses[2]];
    let total = dot(&weights, &[1.0, 2.0, 3.0]);
    for (x, w) in solution.x.iter().zip(&weights) {
        assert!((x - w / total).abs() <= 1e-15);
    }
    assert!((solution.row_duals[0] - 1.0 / total).abs() <= 1e-14 / total);
}

#[test]
fn misuse_is_refused_with_the_place() {
    assert!(matches!(
        QuadraticProgram::new(&[1.0, 0.5, 0.0, 1.0], &[0.0; 2]),
        Err(SolveError::NotSymmetric { row: 1, column: 0 })
    ));
    assert!(matches!(QuadraticProgram::new(&[1.0; 3], &[0.0; 2]), Err(SolveError::Length { .. })));
    assert!(matches!(
        QuadraticProgram::least_distance(&[0.0, f64::NAN]),
        Err(SolveError::NotFinite { index: 1, .. })
    ));
    let flat = QuadraticProgram::new(&[1.0, 1.0, 1.0, 1.0], &[0.0; 2]).unwrap();
    assert!(matches!(QpSolver::new().solve(&flat), Err(SolveError::NotPositiveDefinite { index: 1, .. })));
    let mut other = QuadraticProgram::least_distance(&[0.0; 2]).unwrap();
    other.at_least(&[1.0, 1.0], 1.0).unwrap();
    assert!(matches!(
        QpSolver::new().solve_by(&other, QpMethod::DualNewton),
        Err(SolveError::Unsuitable { .. })
    ));
}

#[test]
fn the_residual_finds_a_spoilt_answer() {
    let mut problem = QuadraticProgram::least_distance(&[2.0, 1.0, -1.0]).unwrap();
    problem.at_most(&[1.0, 1.0, 0.0], 1.0).unwrap().bound(2, 0.0, f64::INFINITY).unwrap();
    let good = solved(&problem, QpOutcome::Optimal);
    let spoil = |change: &dyn Fn(&mut QpSolution)| {
        let mut bad = good.clone();
        change(&mut bad);
        qp_residual(&problem, &bad).unwrap()
    };
    assert!(spoil(&|s| s.x[0] += 1e-6).primal > 1e-8);
    assert!(spoil(&|s| s.row_duals[0] += 1e-6).stationarity > 1e-8);
    assert!(spoil(&|s| s.row_duals[0] = 1.0).dual_sign > 0.1);
    assert!(spoil(&|s| s.bound_duals[0] = f64::NAN).worst() > 0.1);
    assert!(spoil(&|s| s.x[2] += 1e-6).complementarity > 1e-8);
    assert!(spoil(&|s| s.outcome = QpOutcome::Infeasible).worst() > 0.1);
}
