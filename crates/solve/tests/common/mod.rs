//! The independent solvers, shared by the tests of this crate.
#![allow(dead_code, clippy::unwrap_used)]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use nalgebra::DMatrix;
use percussion_solve::{Constraints, LinearProgram};
use percussion_testing::Random;

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The solution by Clarabel of `min 1/2 x.P x + q.x` over the constraints.
pub struct Reference {
    pub status: SolverStatus,
    pub x: Vec<f64>,
    pub objective: f64,
}

pub fn clarabel(hessian: &[Vec<f64>], q: &[f64], constraints: &Constraints) -> Reference {
    let n = q.len();
    let mut equal: Vec<(Vec<f64>, f64)> = vec![];
    let mut less: Vec<(Vec<f64>, f64)> = vec![];
    let mut add = |a: Vec<f64>, (l, u): (f64, f64)| {
        if l == u {
            equal.push((a, l));
            return;
        }
        if u.is_finite() {
            less.push((a.clone(), u));
        }
        if l.is_finite() {
            less.push((a.iter().map(|v| -v).collect(), -l));
        }
    };
    for i in 0..constraints.rows() {
        add(constraints.row(i).to_vec(), constraints.row_bounds(i));
    }
    for j in 0..n {
        let mut e = vec![0.0; n];
        e[j] = 1.0;
        add(e, constraints.bounds(j));
    }
    let cones = [ZeroConeT(equal.len()), NonnegativeConeT(less.len())];
    let (a, b): (Vec<Vec<f64>>, Vec<f64>) = equal.into_iter().chain(less).unzip();
    let a = if a.is_empty() { CscMatrix::zeros((0, n)) } else { CscMatrix::from(&a) };
    let p = if hessian.is_empty() { CscMatrix::zeros((n, n)) } else { CscMatrix::from(hessian).to_triu() };
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-10,
        tol_gap_rel: 1e-10,
        tol_feas: 1e-10,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&p, q, &a, &b, &cones, settings).unwrap();
    solver.solve();
    let solution = solver.solution;
    Reference { status: solution.status, x: solution.x, objective: solution.obj_val }
}

pub fn clarabel_lp(problem: &LinearProgram) -> Reference {
    let sign = if problem.is_maximisation() { -1.0 } else { 1.0 };
    let q: Vec<f64> = problem.objective().iter().map(|c| sign * c).collect();
    let mut reference = clarabel(&[], &q, problem.constraints());
    reference.objective *= sign;
    reference
}

pub fn microlp(problem: &LinearProgram) -> Result<f64, microlp::Error> {
    use microlp::{ComparisonOp, OptimizationDirection, Problem};
    let direction = if problem.is_maximisation() {
        OptimizationDirection::Maximize
    } else {
        OptimizationDirection::Minimize
    };
    let mut other = Problem::new(direction);
    let constraints = problem.constraints();
    let variables: Vec<_> = problem
        .objective()
        .iter()
        .enumerate()
        .map(|(j, c)| other.add_var(*c, constraints.bounds(j)))
        .collect();
    for i in 0..constraints.rows() {
        let row: Vec<_> = variables.iter().copied().zip(constraints.row(i).iter().copied()).collect();
        let (l, u) = constraints.row_bounds(i);
        if l == u {
            other.add_constraint(row, ComparisonOp::Eq, l);
            continue;
        }
        if l.is_finite() {
            other.add_constraint(row.clone(), ComparisonOp::Ge, l);
        }
        if u.is_finite() {
            other.add_constraint(row, ComparisonOp::Le, u);
        }
    }
    Ok(other.solve()?.into_solution().unwrap().objective())
}

/// `B B^T + shift I` of a random square B.
pub fn random_hessian(random: &mut Random, n: usize, shift: f64) -> DMatrix<f64> {
    let b = DMatrix::from_fn(n, n, |_, _| random.signed());
    &b * b.transpose() + DMatrix::identity(n, n) * shift
}

/// Johnson's separation program for two vertex lists: variables alpha (3), a1, a2.
pub fn separation_program(a: &[[f64; 3]], b: &[[f64; 3]], beta: [f64; 3]) -> LinearProgram {
    let mut problem = LinearProgram::maximise(&[0.0, 0.0, 0.0, 1.0, -1.0]).unwrap();
    for x in a {
        problem.at_least(&[x[0], x[1], x[2], -1.0, 0.0], 0.0).unwrap();
    }
    for y in b {
        problem.at_most(&[y[0], y[1], y[2], 0.0, -1.0], 0.0).unwrap();
    }
    problem.equal(&[beta[0], beta[1], beta[2], 0.0, 0.0], 1.0).unwrap();
    problem
}

/// Its dual in standard form: weights of the vertices and the value s; minimise s.
pub fn separation_dual(a: &[[f64; 3]], b: &[[f64; 3]], beta: [f64; 3]) -> LinearProgram {
    let (p, q) = (a.len(), b.len());
    let mut c = vec![0.0; p + q + 1];
    c[p + q] = 1.0;
    let mut problem = LinearProgram::minimise(&c).unwrap();
    problem.nonnegative().bound(p + q, f64::NEG_INFINITY, f64::INFINITY).unwrap();
    for axis in 0..3 {
        let mut row: Vec<f64> = a.iter().map(|x| x[axis]).collect();
        row.extend(b.iter().map(|y| -y[axis]));
        row.push(-beta[axis]);
        problem.equal(&row, 0.0).unwrap();
    }
    for (first, last) in [(0, p), (p, p + q)] {
        let row: Vec<f64> = (0..=p + q).map(|j| if (first..last).contains(&j) { 1.0 } else { 0.0 }).collect();
        problem.equal(&row, 1.0).unwrap();
    }
    problem
}

pub fn cube(centre: [f64; 3], half: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8)
        .map(|k| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            [centre[0] + sign(0) * half[0], centre[1] + sign(1) * half[1], centre[2] + sign(2) * half[2]]
        })
        .collect()
}

/// A random direction.
pub fn direction(random: &mut Random) -> [f64; 3] {
    unit3([random.normal(), random.normal(), random.normal()])
}

pub fn unit3(v: [f64; 3]) -> [f64; 3] {
    let n = dot(&v, &v).sqrt();
    [v[0] / n, v[1] / n, v[2] / n]
}
