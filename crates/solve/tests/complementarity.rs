//! Linear complementarity problems: enumeration of all bases, degenerate ones that make the plain method
//! cycle, rays, free unknowns.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::random_hessian;
use nalgebra::{DMatrix, DVector};
use percussion_solve::lcp::{LcpOutcome, LcpSolution, lcp_residual};
use percussion_solve::{Lcp, Lemke, QpSolver, QuadraticProgram, SolveError};
use percussion_testing::Random;

/// Residual of well-conditioned problems.
const EVIDENCE: f64 = 1e-13;

fn solved(problem: &Lcp) -> LcpSolution {
    let solution = Lemke::new().solve(problem).clone();
    let residual = lcp_residual(problem, &solution).unwrap();
    assert!(residual.worst() <= EVIDENCE, "{:?} {residual:?}", solution.outcome);
    solution
}

/// All solutions whose basic part is determined: one linear system per set of positive z.
fn enumerate(problem: &Lcp) -> Vec<Vec<f64>> {
    let n = problem.size();
    let m = DMatrix::from_row_slice(n, n, problem.matrix());
    let mut found = vec![];
    for set in 0..1_usize << n {
        let basic: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        let k = basic.len();
        let block = DMatrix::from_fn(k, k, |r, c| m[(basic[r], basic[c])]);
        let rhs = DVector::from_fn(k, |r, _| -problem.rhs()[basic[r]]);
        let Some(x) = (if k == 0 { Some(rhs) } else { block.lu().solve(&rhs) }) else { continue };
        let mut z = vec![0.0; n];
        basic.iter().zip(x.iter()).for_each(|(&i, v)| z[i] = *v);
        let fits = |v: f64| v >= -1e-11;
        if z.iter().all(|v| fits(*v)) && (0..n).all(|i| fits(problem.slack(i, &z))) {
            found.push(z);
        }
    }
    found
}

/// Positive definite, not symmetric: all principal minors are positive.
fn p_matrix(random: &mut Random, n: usize) -> Vec<f64> {
    let definite = random_hessian(random, n, 0.05);
    let skew = DMatrix::from_fn(n, n, |_, _| random.signed());
    let m = definite + &skew - skew.transpose();
    m.transpose().as_slice().to_vec()
}

#[test]
fn p_matrices_have_the_one_solution_that_enumeration_finds() {
    let mut random = Random::new(1);
    let mut lemke = Lemke::new();
    for k in 0..400 {
        let n = 1 + k % 8;
        let problem = Lcp::new(&p_matrix(&mut random, n), &random.numbers(n)).unwrap();
        let all = enumerate(&problem);
        assert_eq!(all.len(), 1, "problem {k}");
        let solution = lemke.solve(&problem);
        assert!(solution.is_solved());
        assert!(lcp_residual(&problem, solution).unwrap().worst() <= EVIDENCE);
        let size = all[0].iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        for (a, b) in solution.z.iter().zip(&all[0]) {
            assert!((a - b).abs() <= 1e-9 * size, "problem {k}: {:?} {:?}", solution.z, all[0]);
        }
    }
}

#[test]
fn any_matrix_gives_a_solution_or_a_ray_that_the_residual_accepts() {
    let mut random = Random::new(2);
    let mut lemke = Lemke::new();
    let mut rays = 0;
    for k in 0..600 {
        let n = 2 + k % 6;
        let problem = Lcp::new(&random.numbers(n * n), &random.numbers(n)).unwrap();
        let solution = lemke.solve(&problem);
        assert_ne!(solution.outcome, LcpOutcome::IterationLimit, "problem {k}");
        let residual = lcp_residual(&problem, solution).unwrap();
        assert!(residual.worst() <= 1e-9, "problem {k} {:?} {residual:?}", solution.outcome);
        if solution.outcome == LcpOutcome::Ray {
            rays += 1;
        } else {
            let all = enumerate(&problem);
            let near = |z: &Vec<f64>| {
                z.iter().zip(&solution.z).all(|(a, b)| (a - b).abs() <= 1e-6 * (1.0 + a.abs()))
            };
            assert!(all.iter().any(near), "problem {k}");
        }
    }
    assert!(rays > 20 && rays < 580, "{rays}");
}

/// Lemke's method without protection: the first of the rows that tie leaves. Returns whether a basis repeated.
fn plain_method_cycles(m: &[f64], q: &[f64]) -> bool {
    let n = q.len();
    let mut tableau = DMatrix::from_fn(n, 2 * n + 2, |i, j| match j {
        _ if j < n => f64::from(u8::from(i == j)),
        _ if j < 2 * n => -m[i * n + j - n],
        _ if j == 2 * n => -1.0,
        _ => q[i],
    });
    let mut basis: Vec<usize> = (0..n).collect();
    let mut row = (0..n).fold(0, |r, i| if q[i] < q[r] { i } else { r });
    let (mut enters, mut seen) = (2 * n, vec![]);
    loop {
        let pivot = tableau[(row, enters)];
        tableau.row_mut(row).iter_mut().for_each(|v| *v /= pivot);
        for i in (0..n).filter(|&i| i != row) {
            let factor = tableau[(i, enters)];
            for j in 0..2 * n + 2 {
                tableau[(i, j)] -= factor * tableau[(row, j)];
            }
        }
        let left = std::mem::replace(&mut basis[row], enters);
        let mut key = basis.clone();
        key.sort_unstable();
        if left == 2 * n || seen.contains(&key) {
            return left != 2 * n;
        }
        seen.push(key);
        enters = if left < n { left + n } else { left - n };
        let ratio = |i: usize| tableau[(i, 2 * n + 1)] / tableau[(i, enters)];
        let open: Vec<usize> = (0..n).filter(|&i| tableau[(i, enters)] > 1e-9).collect();
        let Some(&first) = open.first() else { return false };
        row = open.iter().fold(first, |r, &i| if ratio(i) < ratio(r) - 1e-9 { i } else { r });
    }
}

/// Kostreva's example, alone and repeated along the diagonal.
#[test]
fn degenerate_problems_on_which_the_plain_method_cycles_are_solved() {
    let kernel = [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0];
    for copies in 1..=6 {
        let n = 3 * copies;
        let entry = |i: usize, j: usize| if i / 3 == j / 3 { kernel[3 * (i % 3) + j % 3] } else { 0.0 };
        let m: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let q = vec![-1.0; n];
        if copies == 1 {
            assert!(plain_method_cycles(&m, &q));
        }
        let solution = solved(&Lcp::new(&m, &q).unwrap());
        assert!(solution.z.iter().all(|z| (z - 1.0 / 3.0).abs() < 1e-15));
        assert!(solution.pivots <= 20 * n, "{}", solution.pivots);
    }
}

/// Minimum of a convex quadratic function over the positive orthant, with a Hessian of low rank and data on a
/// grid: many ties.
#[test]
fn degenerate_semidefinite_problems_are_solved_or_proved_infeasible() {
    let mut random = Random::new(3);
    let (mut infeasible, mut lemke) = (0, Lemke::new());
    for k in 0..300 {
        let n = 3 + k % 8;
        let a = DMatrix::from_fn(n, 1 + n / 3, |_, _| (random.below(5) as f64) - 2.0);
        let m = &a * a.transpose();
        let q: Vec<f64> = (0..n).map(|_| (random.below(5) as f64) - 1.0).collect();
        let problem = Lcp::new(m.as_slice(), &q).unwrap();
        let solution = lemke.solve(&problem);
        let residual = lcp_residual(&problem, solution).unwrap();
        assert!(residual.worst() <= 1e-11, "problem {k} {:?} {residual:?}", solution.outcome);
        if let Some(ray) = &solution.ray {
            assert!(ray.proves_infeasible(&problem, 1e-9), "problem {k} {ray:?}");
            infeasible += 1;
        }
    }
    assert!(infeasible > 30 && infeasible < 270, "{infeasible}");
}

/// The optimality conditions of `min 1/2 x G x + g x` over `C x = c`, `A x >= a`, all unknowns in one mixed
/// problem.
#[test]
fn mixed_problems_agree_with_the_quadratic_solver_and_redundant_equations_do_not_matter() {
    let mut random = Random::new(4);
    let (mut lemke, mut solver) = (Lemke::new(), QpSolver::new());
    for k in 0..100 {
        let (n, equalities, inequalities) = (3 + k % 4, 1 + k % 2, 2 + k % 5);
        let g_matrix = random_hessian(&mut random, n, 0.2);
        let gradient = random.numbers(n);
        let mut rows: Vec<(Vec<f64>, f64)> =
            (0..equalities + inequalities).map(|_| (random.numbers(n), random.between(-0.3, 0.0))).collect();
        // The last equality repeats the first, twice as long.
        let repeated = (rows[0].0.iter().map(|v| 2.0 * v).collect(), 2.0 * rows[0].1);
        rows.insert(equalities, repeated);
        let equalities = equalities + 1;
        let mut qp = QuadraticProgram::new(g_matrix.as_slice(), &gradient).unwrap();
        for (i, (a, c)) in rows.iter().enumerate() {
            if i < equalities { qp.equal(a, *c) } else { qp.at_least(a, *c) }.unwrap();
        }
        let size = n + rows.len();
        let mut m = g_matrix.resize(size, size, 0.0);
        let mut q = gradient.clone();
        let mut free = vec![true; n];
        for (r, (a, c)) in rows.iter().enumerate() {
            for (j, a) in a.iter().enumerate() {
                m[(n + r, j)] = *a;
                m[(j, n + r)] = -a;
            }
            q.push(-c);
            free.push(r < equalities);
        }
        let problem = Lcp::mixed(m.transpose().as_slice(), &q, &free).unwrap();
        let solution = lemke.solve(&problem);
        let reference = solver.solve(&qp).unwrap();
        assert_eq!(solution.is_solved(), reference.is_optimal(), "problem {k} {:?}", solution.outcome);
        if solution.is_solved() {
            assert!(lcp_residual(&problem, solution).unwrap().worst() <= 1e-12, "problem {k}");
            for (a, b) in solution.z.iter().zip(&reference.x) {
                assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()), "problem {k}");
            }
        }
    }
}

/// A linear program: the free block of the mixed problem is zero and cannot be eliminated.
#[test]
fn free_unknowns_without_a_regular_block_are_split() {
    // Minimise 2 x + y over x + y = 3, x >= 0, y >= 0; the multiplier p of the equation is free.
    // Slack of x: 2 - p, of y: 1 - p, equation: x + y - 3 = 0.
    let m = [0.0, 0.0, -1.0, 0.0, 0.0, -1.0, 1.0, 1.0, 0.0];
    let problem = Lcp::mixed(&m, &[2.0, 1.0, -3.0], &[false, false, true]).unwrap();
    let solution = solved(&problem);
    assert_eq!(solution.z, [0.0, 3.0, 1.0]);
    // Contradicting equations end in a ray.
    let m = [1.0, -1.0, -1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let problem = Lcp::mixed(&m, &[0.0, -1.0, -2.0], &[true; 3]).unwrap();
    assert_eq!(Lemke::new().solve(&problem).outcome, LcpOutcome::Ray);
}

#[test]
fn badly_scaled_unknowns_are_no_obstacle() {
    let mut random = Random::new(5);
    for k in 0..100 {
        let n = 6;
        let plain = p_matrix(&mut random, n);
        let q = random.numbers(n);
        let units: Vec<f64> = (0..n).map(|_| random.between(-30.0, 30.0).exp2()).collect();
        let m: Vec<f64> = (0..n * n).map(|e| plain[e] * units[e / n] * units[e % n]).collect();
        let scaled: Vec<f64> = q.iter().zip(&units).map(|(q, u)| q * u).collect();
        let reference = solved(&Lcp::new(&plain, &q).unwrap());
        let solution = Lemke::new().solve(&Lcp::new(&m, &scaled).unwrap()).clone();
        for (i, unit) in units.iter().enumerate() {
            assert!((solution.z[i] * unit - reference.z[i]).abs() <= 1e-9 * (1.0 + reference.z[i]), "{k}");
        }
    }
}

#[test]
fn misuse_is_refused_with_its_place() {
    assert!(matches!(Lcp::new(&[], &[]), Err(SolveError::Empty { .. })));
    assert!(matches!(Lcp::new(&[1.0], &[1.0, 2.0]), Err(SolveError::Length { expected: 4, found: 1, .. })));
    assert!(matches!(Lcp::new(&[1.0], &[f64::NAN]), Err(SolveError::NotFinite { index: 0, .. })));
    assert!(matches!(Lcp::mixed(&[1.0], &[1.0], &[]), Err(SolveError::Length { .. })));
}
