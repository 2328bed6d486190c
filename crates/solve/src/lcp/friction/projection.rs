//! The velocity nearest to the free one, in the metric of energy, subject to linear constraints.
//!
//! ```text
//! minimise 1/2 vᵀ M v - bᵀ v   subject to   aᵢᵀ v >= rᵢ (or =)
//!
//! W = L Lᵀ, v = S L u:  the point u nearest to u0 = Lᵀ b / S, rows Lᵀ a scaled to unit length
//! interior-point method       -> u, multipliers y; or y >= 0 with Σ yᵢ aᵢ = 0, Σ yᵢ rᵢ > 0: nothing is feasible
//! rows with y > slack are active -> conjugate gradients on (A Aᵀ) dy = r - A u, A the active rows
//! small and still doubtful    -> the dense active-set method of `qp`
//! ```
//!
//! The interior-point method is Clarabel, whose sparse factorisation makes a stack of a thousand blocks a
//! matter of some twenty iterations: conjugate gradients with projections need tens of thousands on it, as
//! its condition grows with the square of the height. The last digits come from the active rows; A Aᵀ may
//! be singular (four corners of a face), which conjugate gradients tolerate. Active rows without
//! multiplier are invisible to the interior-point method, which then has half of the digits only; the active-set
//! method finds them.

use super::problem::FrictionContactProblem;
use super::rows::Row;
use crate::arithmetic::{add_scaled, dot};
use crate::qp::{QpMethod, QpSolver, QuadraticProgram};
use crate::tolerances::friction::{EXACT, INTERIOR_POINT, REFINE_ABOVE, SCALES};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

/// Its iterations; hard problems stop gaining long before.
const ITERATIONS: u32 = 100;

const MAX_DENSE_ENTRIES: usize = 400_000;

/// Steps of conjugate gradients: enough for some hundred contacts; on larger problems the interior-point
/// method is left alone.
const CG_STEPS: usize = 400;

/// Rounds of active-set identification.
const ACTIVE_SET_ROUNDS: usize = 4;

/// Multiples of one or two rows of the problem whose sum must be at least (or exactly) `bound`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinearConstraint<'a> {
    pub(super) row: &'a Row,
    /// A second row and its factor.
    pub(super) second: Option<(&'a Row, f64)>,
    /// Factor of the first row.
    pub(super) factor: f64,
    pub(super) bound: f64,
    pub(super) equality: bool,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ProjectionStatus {
    /// Multipliers of the nearest point.
    Optimal,
    /// Multipliers that prove infeasibility.
    Infeasible,
    /// The solver gave up; the multipliers are its last.
    Failed,
}

/// The program without units, and its multipliers.
#[derive(Clone, Debug, Default)]
pub(super) struct EnergyProjection {
    target: Vec<f64>,
    /// Sparse rows of unit length.
    start: Vec<usize>,
    entries: Vec<(usize, f64)>,
    bound: Vec<f64>,
    equality: Vec<bool>,
    /// What a multiplier is multiplied by to become an impulse along the demand.
    unit: Vec<f64>,
    /// Multipliers.
    y: Vec<f64>,
    pub(super) iterations: usize,
}

impl EnergyProjection {
    /// Poses and solves the program; the impulses along the demands follow from [`EnergyProjection::impulses`].
    pub(super) fn solve<'a>(
        &mut self,
        problem: &FrictionContactProblem,
        constraints: impl Iterator<Item = LinearConstraint<'a>>,
    ) -> ProjectionStatus {
        self.assemble(problem, constraints);
        self.iterations = 0;
        if self.bound.is_empty() {
            self.y.clear();
            return ProjectionStatus::Optimal;
        }
        let mut status = ProjectionStatus::Failed;
        for unit in SCALES {
            status = self.solve_interior_point(unit);
            if status != ProjectionStatus::Failed {
                break;
            }
        }
        if status != ProjectionStatus::Infeasible
            && self.refine_active_set() > REFINE_ABOVE
            && self.target.len() * self.bound.len() <= MAX_DENSE_ENTRIES
        {
            self.solve_active_set();
        }
        status
    }

    /// Impulse along each demand, in their order.
    pub(super) fn impulses(&self) -> impl Iterator<Item = f64> {
        self.y.iter().zip(&self.unit).map(|(y, unit)| y * unit)
    }

    fn assemble<'a>(
        &mut self,
        problem: &FrictionContactProblem,
        constraints: impl Iterator<Item = LinearConstraint<'a>>,
    ) {
        let size = problem.momentum_size().max(f64::MIN_POSITIVE);
        let mut factors: Vec<(usize, &[f64])> = vec![(0, &[]); problem.size()];
        self.target.clear();
        for ((start, n, l), (_, _, b)) in problem.factors().zip(problem.blocks()) {
            factors[start] = (n, l);
            self.target.extend((0..n).map(|j| (j..n).map(|i| l[i * n + j] * b[i]).sum::<f64>() / size));
        }
        for list in [&mut self.bound, &mut self.unit] {
            list.clear();
        }
        self.start.clear();
        self.start.push(0);
        self.entries.clear();
        self.equality.clear();
        for constraint in constraints {
            let first = self.entries.len();
            for (row, factor) in [(constraint.row, constraint.factor)].into_iter().chain(constraint.second) {
                for (start, values) in row.parts() {
                    let (n, l) = factors[start];
                    for j in 0..n {
                        let sum: f64 = values.iter().enumerate().skip(j).map(|(i, v)| l[i * n + j] * v).sum();
                        match self.entries[first..].iter_mut().find(|e| e.0 == start + j) {
                            Some(entry) => entry.1 += factor * sum,
                            None => self.entries.push((start + j, factor * sum)),
                        }
                    }
                }
            }
            let length = self.entries[first..].iter().map(|e| e.1 * e.1).sum::<f64>().sqrt();
            // A normal that its friction cancels is a demand on nothing and stays a row of zeros.
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            self.entries[first..].iter_mut().for_each(|e| e.1 *= scale);
            self.start.push(self.entries.len());
            self.bound.push(constraint.bound * if length > 0.0 { scale / size } else { 1.0 / size });
            self.unit.push(if length > 0.0 { scale * size } else { size });
            self.equality.push(constraint.equality);
        }
    }

    fn solve_interior_point(&mut self, unit: f64) -> ProjectionStatus {
        let (n, m) = (self.target.len(), self.bound.len());
        let order: Vec<usize> =
            (0..m).filter(|&i| self.equality[i]).chain((0..m).filter(|&i| !self.equality[i])).collect();
        let equalities = self.equality.iter().filter(|e| **e).count();
        let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
        for (k, &i) in order.iter().enumerate() {
            for &(column, value) in self.row(i) {
                rows.push(k);
                columns.push(column);
                values.push(-value);
            }
        }
        let a = CscMatrix::new_from_triplets(m, n, rows, columns, values);
        let b: Vec<f64> = order.iter().map(|&i| -unit * self.bound[i]).collect();
        let q: Vec<f64> = self.target.iter().map(|t| -unit * t).collect();
        let cones = [ZeroConeT(equalities), NonnegativeConeT(m - equalities)];
        let settings = DefaultSettings {
            verbose: false,
            max_iter: ITERATIONS,
            tol_gap_abs: INTERIOR_POINT,
            tol_gap_rel: INTERIOR_POINT,
            tol_feas: INTERIOR_POINT,
            ..DefaultSettings::default()
        };
        self.y.clear();
        self.y.resize(m, 0.0);
        let Ok(mut solver) = DefaultSolver::new(&CscMatrix::identity(n), &q, &a, &b, &cones, settings) else {
            return ProjectionStatus::Failed;
        };
        solver.solve();
        let solution = solver.solution;
        self.iterations += solution.iterations as usize;
        for (k, &i) in order.iter().enumerate() {
            let y = solution.z[k] / unit;
            self.y[i] = if self.equality[i] { y } else { y.max(0.0) };
        }
        match solution.status {
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
                ProjectionStatus::Infeasible
            }
            SolverStatus::Solved | SolverStatus::AlmostSolved => ProjectionStatus::Optimal,
            _ => ProjectionStatus::Failed,
        }
    }

    /// The dense active-set method, for what is small: it minds no degeneracy.
    fn solve_active_set(&mut self) {
        let (n, m) = (self.target.len(), self.bound.len());
        let (mut u, mut slack, mut row) = (vec![0.0; n], vec![0.0; m], vec![0.0; n]);
        let Ok(mut program) = QuadraticProgram::least_distance(&self.target) else { return };
        for i in 0..m {
            row.fill(0.0);
            self.row(i).iter().for_each(|e| row[e.0] = e.1);
            let bound = self.bound[i];
            let added =
                if self.equality[i] { program.equal(&row, bound) } else { program.at_least(&row, bound) };
            if added.is_err() {
                return;
            }
        }
        let mut solver = QpSolver::new();
        let Ok(solution) = solver.solve_by(&program, QpMethod::ActiveSet) else { return };
        let before = self.complementarity_error(&self.y, &mut u, &mut slack);
        if self.complementarity_error(&solution.row_duals, &mut u, &mut slack) < before {
            self.y.copy_from_slice(&solution.row_duals);
        }
    }

    /// Solves for the multipliers of the active rows, and keeps them if they are better; returns the error
    /// left.
    fn refine_active_set(&mut self) -> f64 {
        let (n, m) = (self.target.len(), self.bound.len());
        let (mut u, mut slack) = (vec![0.0; n], vec![0.0; m]);
        let mut best = self.complementarity_error(&self.y, &mut u, &mut slack);
        let mut active: Vec<bool> = (0..m).map(|i| self.equality[i] || self.y[i] > slack[i]).collect();
        for _ in 0..ACTIVE_SET_ROUNDS {
            if best <= EXACT {
                break;
            }
            let mut y: Vec<f64> = (0..m).map(|i| if active[i] { self.y[i] } else { 0.0 }).collect();
            self.complementarity_error(&y, &mut u, &mut slack);
            self.conjugate_gradients(&active, &slack, &mut y, best);
            let mut changed = false;
            for (i, y) in y.iter_mut().enumerate().filter(|(i, y)| !self.equality[*i] && **y < 0.0) {
                changed |= *y < -EXACT;
                active[i] &= *y >= -EXACT;
                *y = 0.0;
            }
            let error = self.complementarity_error(&y, &mut u, &mut slack);
            for i in (0..m).filter(|&i| !self.equality[i] && slack[i] < -EXACT && y[i] == 0.0) {
                changed |= !active[i];
                active[i] = true;
            }
            if error < best {
                (self.y, best) = (y, error);
            }
            if !changed {
                break;
            }
        }
        best
    }

    /// `(A Aᵀ) dy = -slack` on the active rows, added to y.
    fn conjugate_gradients(&self, active: &[bool], slack: &[f64], y: &mut [f64], start: f64) {
        let (n, m) = (self.target.len(), self.bound.len());
        let mut r: Vec<f64> = (0..m).map(|i| if active[i] { -slack[i] } else { 0.0 }).collect();
        let (mut p, mut u, mut image) = (r.clone(), vec![0.0; n], vec![0.0; m]);
        let mut square = dot(&r, &r);
        let goal = (0.1 * EXACT * EXACT).max(1e-20 * start * start);
        for _ in 0..CG_STEPS {
            if !(square > goal) {
                return;
            }
            self.transpose_product(&p, &mut u);
            for i in 0..m {
                image[i] = if active[i] { self.row(i).iter().map(|e| e.1 * u[e.0]).sum() } else { 0.0 };
            }
            let curvature = dot(&p, &image);
            if !(curvature > 0.0) {
                return;
            }
            let step = square / curvature;
            add_scaled(y, step, &p);
            add_scaled(&mut r, -step, &image);
            let next = dot(&r, &r);
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + next / square * *p);
            square = next;
        }
    }

    /// Point and slacks of multipliers; returns the largest error of a complementary pair.
    fn complementarity_error(&self, y: &[f64], u: &mut [f64], slack: &mut [f64]) -> f64 {
        self.transpose_product(y, u);
        add_scaled(u, 1.0, &self.target);
        let mut worst = 0.0_f64;
        for i in 0..y.len() {
            slack[i] = self.row(i).iter().map(|e| e.1 * u[e.0]).sum::<f64>() - self.bound[i];
            worst = worst.max(if self.equality[i] { slack[i].abs() } else { slack[i].min(y[i]).abs() });
        }
        worst
    }

    /// `u = Aᵀ y`
    fn transpose_product(&self, y: &[f64], u: &mut [f64]) {
        u.fill(0.0);
        for (i, y) in y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            self.row(i).iter().for_each(|e| u[e.0] += e.1 * y);
        }
    }

    fn row(&self, i: usize) -> &[(usize, f64)] {
        &self.entries[self.start[i]..self.start[i + 1]]
    }
}
