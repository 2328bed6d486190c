//! Linear programs: known answers, degenerate and cycling classics, infeasible and unbounded ones, and seeded
//! random families against two other solvers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use clarabel::solver::SolverStatus;
use common::{clarabel_lp, cube, direction, dot, microlp, separation_dual, separation_program, unit3};
use percussion_solve::lp::{LpOutcome, LpSolution, lp_residual, solve_lp_from};
use percussion_solve::{LinearProgram, SolveError, solve_lp};
use percussion_testing::Random;

/// Evidence of an answer of well-scaled data must be rounding: about fifty units in the last place.
const EVIDENCE: f64 = 1e-14;

/// The direction from the centre of the second body to that of the first.
fn between_centres(a: &[[f64; 3]], b: &[[f64; 3]]) -> [f64; 3] {
    let centre =
        |points: &[[f64; 3]], k: usize| points.iter().map(|x| x[k]).sum::<f64>() / points.len() as f64;
    unit3([0, 1, 2].map(|k| centre(a, k) - centre(b, k)))
}

/// An answer of the outcome expected whose evidence is rounding.
fn solved(problem: &LinearProgram, outcome: LpOutcome) -> LpSolution {
    let solution = solve_lp(problem).unwrap();
    assert_eq!(solution.outcome, outcome);
    let residual = lp_residual(problem, &solution).unwrap();
    assert!(residual.worst() <= EVIDENCE, "{residual:?}");
    solution
}

fn optimum(problem: &LinearProgram) -> f64 {
    solved(problem, LpOutcome::Optimal).objective
}

/// The program of a pair of bodies and its dual: how far their values are apart, the length of alpha, the larger residual, and the
/// larger number of pivots; the value is that of the primal one.
struct PairCheck {
    value: f64,
    difference: f64,
    alpha: f64,
    evidence: f64,
    pivots: usize,
}

fn check_pair(name: &str, a: &[[f64; 3]], b: &[[f64; 3]]) -> PairCheck {
    let beta = between_centres(a, b);
    let (primal, dual) = (separation_program(a, b, beta), separation_dual(a, b, beta));
    let (one, two) = (solve_lp(&primal).unwrap(), solve_lp(&dual).unwrap());
    assert!(one.is_optimal() && two.is_optimal(), "{name}: {:?} {:?}", one.outcome, two.outcome);
    let evidence = |problem, solution| lp_residual(problem, solution).unwrap().worst();
    PairCheck {
        value: one.objective,
        difference: (one.objective - two.objective).abs(),
        alpha: dot(&one.x[..3], &one.x[..3]).sqrt(),
        evidence: f64::max(evidence(&primal, &one), evidence(&dual, &two)),
        pivots: one.iterations.max(two.iterations),
    }
}

#[test]
fn the_examples_of_beale_and_of_marshall_and_suurballe_do_not_cycle() {
    // They cycle under the largest-coefficient rule with lowest-index ties.
    let beale = ([0.75, -150.0, 0.02, -6.0], [0.25, -60.0, -0.04, 9.0], [0.5, -90.0, -0.02, 3.0], 2, 0.05);
    let marshall = ([10.0, -57.0, -9.0, -24.0], [0.5, -5.5, -2.5, 9.0], [0.5, -1.5, -0.5, 1.0], 0, 1.0);
    for (objective, first, second, bounded, value) in [beale, marshall] {
        let mut problem = LinearProgram::maximise(&objective).unwrap();
        problem.nonnegative().at_most(&first, 0.0).unwrap().at_most(&second, 0.0).unwrap();
        let mut last = [0.0; 4];
        last[bounded] = 1.0;
        problem.at_most(&last, 1.0).unwrap();
        assert!((optimum(&problem) - value).abs() < 1e-15 * value, "{value}: {}", optimum(&problem));
    }
}

#[test]
fn klee_minty_cubes_up_to_ten_dimensions_have_the_known_corner() {
    // max sum 2^(n-j) x_j with 2 sum_{j<i} 2^(i-j) x_j + x_i <= 5^i: the optimum is 5^n at the last corner.
    for n in 2..=10_usize {
        let c: Vec<f64> = (0..n).map(|j| 2f64.powi((n - 1 - j) as i32)).collect();
        let mut problem = LinearProgram::maximise(&c).unwrap();
        problem.nonnegative();
        for i in 0..n {
            let entry = |j: usize| if j < i { 2f64.powi((i - j) as i32 + 1) } else { f64::from(j == i) };
            let row: Vec<f64> = (0..n).map(entry).collect();
            problem.at_most(&row, 5f64.powi(i as i32 + 1)).unwrap();
        }
        let solution = solve_lp(&problem).unwrap();
        assert_eq!(solution.outcome, LpOutcome::Optimal, "{n}");
        let expected = 5f64.powi(n as i32);
        assert!((solution.objective - expected).abs() <= 1e-13 * expected);
        assert!((solution.x[n - 1] - expected).abs() <= 1e-13 * expected);
    }
}

#[test]
fn contradicting_rows_are_infeasible_and_the_proof_holds() {
    let mut problem = LinearProgram::minimise(&[1.0, 1.0]).unwrap();
    problem.nonnegative();
    problem.at_least(&[1.0, 1.0], 2.0).unwrap().at_most(&[1.0, 2.0], 1.0).unwrap();
    let solution = solved(&problem, LpOutcome::Infeasible);
    assert_eq!(solution.objective, f64::INFINITY);
    // By hand: y1 (x + y >= 2) - y2 (x + 2y <= 1) with y1 = y2 leaves -y >= 1.
    assert!(solution.row_duals[0] > 0.0 && solution.row_duals[1] < 0.0);
}

#[test]
fn inconsistent_equalities_are_infeasible_and_consistent_copies_are_not() {
    for (third, expected) in [(5.0, LpOutcome::Optimal), (5.1, LpOutcome::Infeasible)] {
        let mut problem = LinearProgram::minimise(&[1.0, 2.0, 3.0]).unwrap();
        problem.equal(&[1.0, 1.0, 0.0], 2.0).unwrap();
        problem.equal(&[0.0, 1.0, 1.0], 3.0).unwrap();
        problem.equal(&[1.0, 2.0, 1.0], third).unwrap();
        problem.nonnegative();
        solved(&problem, expected);
    }
}

#[test]
fn an_open_cone_is_unbounded_and_the_ray_leads_out() {
    let mut problem = LinearProgram::maximise(&[1.0, 1.0]).unwrap();
    problem.at_most(&[1.0, -1.0], 1.0).unwrap().at_most(&[-1.0, 1.0], 1.0).unwrap();
    let solution = solved(&problem, LpOutcome::Unbounded);
    assert_eq!(solution.objective, f64::INFINITY);
    assert!(dot(&solution.ray, &[1.0, 1.0]) > 0.0);
}

#[test]
fn without_rows_the_bounds_decide() {
    let mut problem = LinearProgram::minimise(&[1.0, -2.0, 0.0]).unwrap();
    problem.bound(0, -1.0, 4.0).unwrap().bound(1, f64::NEG_INFINITY, 7.0).unwrap();
    assert_eq!(optimum(&problem), -15.0);
    problem.bound(1, 7.0, f64::INFINITY).unwrap();
    assert_eq!(solve_lp(&problem).unwrap().outcome, LpOutcome::Unbounded);
}

#[test]
fn aligned_cubes_have_the_gap_of_their_faces() {
    // Face to face, shifted, touching and overlapping: heavily degenerate on both sides.
    for gap in [0.5, 1e-3, 0.0, -1e-3, -0.5] {
        for shift in [0.0, 0.25, 1.0] {
            let a = cube([2.0 + gap, shift, 0.0], [1.0; 3]);
            let b = cube([0.0; 3], [1.0; 3]);
            let beta = [1.0, 0.0, 0.0];
            assert!((optimum(&separation_program(&a, &b, beta)) - gap).abs() <= 4e-16);
            assert!((optimum(&separation_dual(&a, &b, beta)) - gap).abs() <= 4e-16);
        }
    }
}

#[test]
fn the_normal_of_a_floor_may_miss_a_body_and_the_program_is_then_unbounded() {
    let a = cube([5.0, 0.0, 0.0], [1.0; 3]);
    let b = cube([0.0; 3], [1.0; 3]);
    let problem = separation_program(&a, &b, [0.0, 0.0, 1.0]);
    solved(&problem, LpOutcome::Unbounded);
    assert_eq!(solve_lp(&separation_dual(&a, &b, [0.0, 0.0, 1.0])).unwrap().outcome, LpOutcome::Infeasible);
}

#[test]
fn separation_and_its_dual_agree_to_rounding_on_random_and_aligned_pairs() {
    let mut random = Random::new(1);
    let mut worst: f64 = 0.0;
    let mut evidence: f64 = 0.0;
    let mut most = 0;
    for trial in 0..3000 {
        let count = 4 + random.below(27);
        let distance = random.between(-0.5, 2.0);
        let beta = direction(&mut random);
        let mut points = |centre: f64| -> Vec<[f64; 3]> {
            if trial % 3 == 0 {
                // Boxes with parallel axes on a coarse grid: ties everywhere.
                let half = [0.5 + random.below(3) as f64 * 0.25, 0.5, 1.0];
                let shift = random.below(3) as f64 * 0.25;
                return cube([centre * 3.0, shift, shift], half);
            }
            let shifted = |u: [f64; 3]| [0, 1, 2].map(|k| u[k] + centre * beta[k]);
            (0..count).map(|_| shifted(direction(&mut random))).collect()
        };
        let (a, b) = (points(distance.abs().max(0.1)), points(0.0));
        let check = check_pair(&format!("trial {trial}"), &a, &b);
        worst = worst.max(check.difference);
        evidence = evidence.max(check.evidence);
        most = most.max(check.pivots);
        if trial % 30 == 0 {
            let primal = separation_program(&a, &b, between_centres(&a, &b));
            assert!((clarabel_lp(&primal).objective - check.value).abs() < 1e-7, "trial {trial}");
            assert!((microlp(&primal).unwrap() - check.value).abs() < 1e-7, "trial {trial}");
        }
    }
    println!("primal-dual difference {worst:.1e}, evidence {evidence:.1e}, at most {most} pivots");
    assert!(worst <= 1e-13);
    assert!(evidence <= EVIDENCE);
}

/// A box, a slab, a thirty-cornered prism or a random polytope, upright, turned by an eighth or tilted at will.
fn body(random: &mut Random, kind: usize, stretch: [f64; 3], size: f64, centre: [f64; 3]) -> Vec<[f64; 3]> {
    let points: Vec<[f64; 3]> = match kind {
        0 => cube([0.0; 3], [0.5; 3]),
        1 => cube([0.0; 3], [0.5, 1.0, 0.25]),
        2 => (0..30)
            .map(|k| {
                let angle = std::f64::consts::TAU * f64::from(k / 2) / 15.0;
                [angle.cos(), angle.sin(), if k % 2 == 0 { 0.5 } else { -0.5 }]
            })
            .collect(),
        _ => (0..8 + random.below(24)).map(|_| direction(random)).collect(),
    };
    let (turn, tilt) = match random.below(3) {
        0 => (0.0, 0.0),
        1 => (std::f64::consts::FRAC_PI_4, 0.0),
        _ => (random.between(0.0, 6.0), random.between(0.0, 6.0)),
    };
    let ((s, c), (v, u)) = (f64::sin_cos(turn), f64::sin_cos(tilt));
    let turned = |p: [f64; 3]| [p[0] * c - p[1] * s, p[0] * s + p[1] * c, p[2]];
    let tilted = |p: [f64; 3]| [p[0], p[1] * u - p[2] * v, p[1] * v + p[2] * u];
    points
        .iter()
        .map(|p| tilted(turned([0, 1, 2].map(|k| stretch[k] * p[k]))))
        .map(|p| [0, 1, 2].map(|k| size * p[k] + centre[k]))
        .collect()
}

#[test]
fn needles_flakes_dwarfs_and_far_away_pairs_are_separated_to_rounding() {
    let mut random = Random::new(5);
    for (name, stretch, ratio, size, away) in [
        ("plain", [1.0; 3], 1.0, 1.0, 0.0),
        ("needle", [1e-4, 1e-4, 1.0], 1.0, 1.0, 0.0),
        ("flake", [1e-4, 1.0, 1.0], 1.0, 1.0, 0.0),
        ("dwarf", [1.0; 3], 1e-6, 1.0, 0.0),
        ("tiny", [1.0; 3], 1.0, 1e-6, 0.0),
        ("tiny dwarf", [1.0; 3], 1e-6, 1e-6, 0.0),
        ("far", [1.0; 3], 1.0, 1.0, 1e4),
    ] {
        let (mut worst, mut evidence, mut most) = (0.0_f64, 0.0_f64, 0);
        for trial in 0..1500 {
            let height = [1.0, 1.2, 0.7, 0.1, 1e-3, 2.0][trial / 16 % 6] * size;
            let a = body(&mut random, trial % 4, stretch, ratio * size, [away, away, away + height]);
            let b = body(&mut random, trial / 4 % 4, stretch, size, [away; 3]);
            let check = check_pair(&format!("{name} {trial}"), &a, &b);
            // A direction that grazes a face makes alpha long, and the value as sensitive to rounding.
            worst = worst.max(check.difference / (size * check.alpha));
            evidence = evidence.max(check.evidence);
            most = most.max(check.pivots);
        }
        println!(
            "{name}: primal-dual difference {worst:.1e}, evidence {evidence:.1e}, at most {most} pivots"
        );
        // Coordinates far from the origin carry their own rounding into the value.
        assert!(worst <= 1e-14 * (1.0 + away), "{name}: {worst:e}");
        assert!(evidence <= EVIDENCE, "{name}: {evidence:e}");
        assert!(most <= 200);
    }
}

/// A program of the given shape with some of every kind of row and bound. `grid` rounds the data to quarters,
/// which makes most vertices degenerate.
fn random_program(random: &mut Random, rows: usize, columns: usize, grid: bool) -> LinearProgram {
    let round = |v: f64| if grid { (4.0 * v).round() / 4.0 } else { v };
    let c: Vec<f64> = random.numbers(columns).into_iter().map(round).collect();
    let inside: Vec<f64> = random.numbers(columns).into_iter().map(round).collect();
    let mut problem =
        if random.below(2) == 0 { LinearProgram::minimise(&c) } else { LinearProgram::maximise(&c) }.unwrap();
    // Half of the programs have a point in common, the others may have none.
    let feasible = random.below(2) == 0;
    let equalities = random.below(1 + columns.min(rows) / 3);
    for i in 0..rows {
        let a: Vec<f64> = random.numbers(columns).into_iter().map(round).collect();
        let at = if feasible { dot(&a, &inside) } else { round(random.signed()) };
        let slack = round(random.unit());
        match random.below(3) {
            _ if i < equalities => problem.equal(&a, at),
            0 => problem.at_most(&a, at + slack),
            1 => problem.at_least(&a, at - slack),
            _ => problem.between(&a, at - slack, at + 1.0),
        }
        .unwrap();
    }
    for (j, &at) in inside.iter().enumerate() {
        match random.below(4) {
            0 => continue,
            1 => problem.bound(j, at - round(random.unit()), f64::INFINITY),
            2 => problem.bound(j, f64::NEG_INFINITY, at + round(random.unit())),
            _ => problem.bound(j, at - round(random.unit()), at + round(random.unit())),
        }
        .unwrap();
    }
    problem
}

#[test]
fn random_programs_of_every_kind_agree_with_two_other_solvers() {
    let mut random = Random::new(2);
    let (mut optimal, mut infeasible, mut unbounded) = (0, 0, 0);
    let mut evidence: f64 = 0.0;
    for trial in 0..3000 {
        let (mut rows, mut columns) = (1 + random.below(60), 1 + random.below(10));
        if trial % 2 == 1 {
            (rows, columns) = (1 + random.below(10), 1 + random.below(60));
        }
        let problem = random_program(&mut random, rows, columns, trial % 4 < 2);
        let solution = solve_lp(&problem).unwrap();
        let residual = lp_residual(&problem, &solution).unwrap();
        evidence = evidence.max(residual.worst());
        assert!(
            residual.worst() <= EVIDENCE,
            "trial {trial}, {rows} x {columns}: {:?} {residual:?}",
            solution.outcome
        );
        match solution.outcome {
            LpOutcome::Optimal => optimal += 1,
            LpOutcome::Infeasible => infeasible += 1,
            LpOutcome::Unbounded => unbounded += 1,
            LpOutcome::IterationLimit => panic!("trial {trial}: iteration limit"),
        }
        if trial % 5 == 0 {
            let check_optimum = |value: f64| {
                assert_eq!(solution.outcome, LpOutcome::Optimal, "trial {trial}");
                let size = 1.0 + solution.objective.abs();
                assert!((solution.objective - value).abs() < 1e-6 * size, "trial {trial}");
            };
            let reference = clarabel_lp(&problem);
            match reference.status {
                SolverStatus::Solved => check_optimum(reference.objective),
                SolverStatus::PrimalInfeasible => assert_eq!(solution.outcome, LpOutcome::Infeasible),
                SolverStatus::DualInfeasible => assert_eq!(solution.outcome, LpOutcome::Unbounded),
                // It gave up: the evidence of our own answer was checked above.
                _ => {}
            }
            match microlp(&problem) {
                Ok(value) => check_optimum(value),
                Err(microlp::Error::Infeasible) => assert_eq!(solution.outcome, LpOutcome::Infeasible),
                Err(microlp::Error::Unbounded) => assert_eq!(solution.outcome, LpOutcome::Unbounded),
                Err(_) => {}
            }
        }
    }
    println!("{optimal} optimal, {infeasible} infeasible, {unbounded} unbounded, evidence {evidence:.1e}");
    assert!(optimal > 500 && infeasible > 200 && unbounded > 200);
}

#[test]
fn the_answer_does_not_depend_on_the_units() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let count = 6 + random.below(10);
        let mut points = |c: f64| -> Vec<[f64; 3]> {
            (0..count).map(|_| direction(&mut random)).map(|u| [u[0] + c, u[1], u[2]]).collect()
        };
        let (a, b) = (points(3.0), points(0.0));
        let beta = between_centres(&a, &b);
        let value = optimum(&separation_program(&a, &b, beta));
        for size in [1e-6, 1e6] {
            let scaled = |p: &[[f64; 3]]| p.iter().map(|x| x.map(|v| size * v)).collect::<Vec<_>>();
            let other = optimum(&separation_program(&scaled(&a), &scaled(&b), beta));
            assert!((other / size - value).abs() <= 1e-14 * value.abs().max(1.0));
        }
    }
}

#[test]
fn an_optimal_basis_restarts_without_a_pivot() {
    let mut random = Random::new(4);
    let mut restarted = 0;
    for _ in 0..300 {
        let problem = random_program(&mut random, 20, 6, false);
        let cold = solve_lp(&problem).unwrap();
        if !cold.is_optimal() {
            continue;
        }
        let warm = solve_lp_from(&problem, &cold.basis).unwrap();
        assert_eq!(warm.iterations, 0);
        assert_eq!(warm.x, cold.x);
        restarted += 1;
    }
    assert!(restarted > 50);
}

#[test]
fn multipliers_are_derivatives_of_the_value() {
    let build = |b: [f64; 2]| {
        let mut problem = LinearProgram::maximise(&[3.0, 5.0]).unwrap();
        problem.at_most(&[3.0, 2.0], b[0]).unwrap().at_most(&[1.0, 2.0], b[1]).unwrap().nonnegative();
        problem
    };
    let base = solve_lp(&build([18.0, 12.0])).unwrap();
    let step = 0.5;
    for k in 0..2 {
        let mut b = [18.0, 12.0];
        b[k] += step;
        let change = optimum(&build(b)) - base.objective;
        assert!((change / step - base.row_duals[k]).abs() < 1e-13);
    }
}

#[test]
fn misuse_is_refused_with_the_place() {
    assert!(matches!(LinearProgram::minimise(&[]), Err(SolveError::Empty { .. })));
    assert!(matches!(
        LinearProgram::minimise(&[1.0, f64::NAN]),
        Err(SolveError::NotFinite { what: "objective", index: 1, .. })
    ));
    let mut problem = LinearProgram::minimise(&[1.0, 1.0]).unwrap();
    assert!(matches!(problem.equal(&[1.0], 0.0), Err(SolveError::Length { expected: 2, found: 1, .. })));
    assert!(matches!(
        problem.at_least(&[1.0, f64::INFINITY], 0.0),
        Err(SolveError::NotFinite { index: 1, .. })
    ));
    assert!(problem.at_most(&[1.0, 1.0], f64::NAN).is_err());
    assert!(matches!(problem.bound(0, 2.0, 1.0), Err(SolveError::CrossedBounds { .. })));
    assert!(matches!(problem.bound(2, 0.0, 1.0), Err(SolveError::OutOfRange { index: 2, count: 2, .. })));
    assert_eq!(problem.rows(), 0, "a refused row leaves the problem as it was");
}

#[test]
fn the_residual_finds_a_spoilt_answer() {
    let a = cube([3.0, 0.2, 0.0], [1.0; 3]);
    let b = cube([0.0; 3], [1.0; 3]);
    let problem = separation_program(&a, &b, [1.0, 0.0, 0.0]);
    let good = solve_lp(&problem).unwrap();
    let spoil = |change: &dyn Fn(&mut LpSolution)| {
        let mut bad = good.clone();
        change(&mut bad);
        lp_residual(&problem, &bad).unwrap()
    };
    assert!(spoil(&|s| s.x[3] += 1e-6).primal > 1e-8);
    assert!(spoil(&|s| s.row_duals[16] += 1e-6).dual > 1e-8);
    assert!(spoil(&|s| s.objective += 1e-6).gap > 1e-8);
    assert!(spoil(&|s| s.outcome = LpOutcome::Infeasible).worst() > 1e-3);
}
