//! Lemke's method with the lexicographic ratio test (Cottle, Pang, Stone, The Linear Complementarity Problem,
//! 4.4 and 4.9).
//!
//! Symbols: B the basis, columns of `[I, -M, -d]`; x its values, `B x = q`; a the entering column in terms of
//! the basis. The inverse of B is kept, as the test needs its rows, and renewed from the data before rounding
//! shows; the values of the last basis are solved for anew and refined. Rows and columns are scaled alike by
//! powers of two.

use super::mixed::Elimination;
use super::problem::{Lcp, LcpOutcome, LcpRay, LcpSolution};
use super::residual::lcp_residual;
use crate::arithmetic::{TwofoldSum, accurate_dot, max_abs, zeroed};
use crate::dense::Lu;
use crate::tolerances::lcp::{ACCEPTED, BLOCKING, TIED};

/// Pivots after which the inverse is computed anew.
const REFACTOR_INTERVAL: usize = 50;

/// A basic or entering variable.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Variable {
    W(usize),
    Z(usize),
    Artificial,
}

impl Variable {
    fn complement(self) -> Self {
        match self {
            Self::W(i) => Self::Z(i),
            Self::Z(i) => Self::W(i),
            Self::Artificial => Self::Artificial,
        }
    }
}

/// How one walk along the path ended.
enum PathEnd {
    Solved,
    /// Nothing blocks this variable.
    Ray(Variable),
    Failed,
}

/// Solves linear complementarity problems with a reusable workspace.
///
/// ```
/// use percussion_solve::{Lcp, Lemke};
/// use percussion_solve::lcp::lcp_residual;
///
/// // Minimise x^2 + y^2 - 2 x + y over x, y >= 0: the gradient is the slack.
/// let problem = Lcp::new(&[2.0, 0.0, 0.0, 2.0], &[-2.0, 1.0])?;
/// let mut lemke = Lemke::new();
/// let solution = lemke.solve(&problem);
/// assert!(solution.is_solved());
/// assert_eq!(solution.z, [1.0, 0.0]);
/// assert!(lcp_residual(&problem, solution)?.worst() < 1e-15);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    n: usize,
    /// Scaled matrix, column by column, right-hand side and cover.
    matrix: Vec<f64>,
    q: Vec<f64>,
    cover: Vec<f64>,
    scale: Vec<f64>,
    basis: Vec<Variable>,
    /// Inverse of the basis, row by row.
    inverse: Vec<f64>,
    x: Vec<f64>,
    column: Vec<f64>,
    ties: Vec<usize>,
    work: Vec<f64>,
    lu: Lu,
    elimination: Elimination,
    answer: LcpSolution,
}

impl Lemke {
    /// A solver with an empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a problem, mixed or not. The answer is valid until the next call.
    pub fn solve(&mut self, problem: &Lcp) -> &LcpSolution {
        if problem.free().contains(&true) {
            let mut elimination = std::mem::take(&mut self.elimination);
            elimination.eliminate(problem);
            if elimination.reduced().size() > 0 {
                self.solve_pure(elimination.reduced());
            } else {
                self.answer.prepare(0);
                self.answer.outcome = LcpOutcome::Solved;
            }
            elimination.restore(problem, &mut self.answer);
            self.elimination = elimination;
        } else {
            self.solve_pure(problem);
        }
        &self.answer
    }

    fn solve_pure(&mut self, problem: &Lcp) {
        let n = problem.size();
        self.answer.prepare(n);
        self.scale_problem(problem);
        // A path that rounding spoils is walked again along another cover.
        for attempt in 0..3 {
            for (i, d) in self.cover.iter_mut().enumerate() {
                *d = if attempt == 0 { 1.0 } else { 1.0 + perturbation(i, attempt) };
            }
            match self.follow_path() {
                PathEnd::Solved => {
                    self.finish(problem);
                    self.answer.outcome = LcpOutcome::Solved;
                    if lcp_residual(problem, &self.answer).is_ok_and(|r| r.worst() <= ACCEPTED) {
                        return;
                    }
                    self.answer.outcome = LcpOutcome::IterationLimit;
                }
                PathEnd::Ray(enters) => {
                    self.answer.ray = Some(self.secondary_ray(problem, enters));
                    self.finish(problem);
                    self.answer.outcome = LcpOutcome::Ray;
                    return;
                }
                PathEnd::Failed => self.finish(problem),
            }
        }
    }

    /// Scaled copies of the data: `D M D`, `D q`, the largest entry of each row or column near one.
    fn scale_problem(&mut self, problem: &Lcp) {
        let n = problem.size();
        self.n = n;
        let sized =
            [&mut self.q, &mut self.cover, &mut self.x, &mut self.column, &mut self.work, &mut self.scale];
        for vector in sized {
            vector.clear();
            vector.resize(n, 1.0);
        }
        zeroed(&mut self.matrix, n * n);
        zeroed(&mut self.inverse, n * n);
        for _ in 0..3 {
            for i in 0..n {
                let mut largest = 0.0_f64;
                for j in 0..n {
                    let pair = problem.row(i)[j].abs().max(problem.row(j)[i].abs());
                    largest = largest.max(pair * self.scale[i] * self.scale[j]);
                }
                self.work[i] = largest;
            }
            for (scale, &largest) in self.scale.iter_mut().zip(&self.work) {
                if largest > 0.0 && largest.is_finite() {
                    *scale *= (-0.5 * largest.log2()).round().exp2();
                }
            }
        }
        for i in 0..n {
            for j in 0..n {
                self.matrix[j * n + i] = problem.row(i)[j] * self.scale[i] * self.scale[j];
            }
            self.q[i] = problem.rhs()[i] * self.scale[i];
        }
    }

    fn follow_path(&mut self) -> PathEnd {
        let n = self.n;
        self.basis.clear();
        self.basis.extend((0..n).map(Variable::W));
        self.inverse.fill(0.0);
        (0..n).for_each(|i| self.inverse[i * n + i] = 1.0);
        self.x.copy_from_slice(&self.q);
        if self.q.iter().all(|q| *q >= 0.0) {
            return PathEnd::Solved;
        }
        // Lexicographically least of [q, I] / d: the last of those that tie.
        let ratio = |i: usize| self.q[i] / self.cover[i];
        let row = (1..n).fold(0, |r, i| if ratio(i) <= ratio(r) { i } else { r });
        for (a, d) in self.column.iter_mut().zip(&self.cover) {
            *a = -d;
        }
        let mut left = self.pivot(row, Variable::Artificial);
        let mut pivots_since = 1;
        for _ in 0..100 + 50 * n {
            if left == Variable::Artificial {
                return PathEnd::Solved;
            }
            let enters = left.complement();
            self.entering_column(enters);
            if pivots_since >= REFACTOR_INTERVAL {
                if !self.refactor() {
                    return PathEnd::Failed;
                }
                pivots_since = 0;
                self.entering_column(enters);
            }
            let Some(row) = self.ratio_test() else {
                // Believed only of a basis computed from the data.
                if pivots_since == 0 {
                    return PathEnd::Ray(enters);
                }
                if !self.refactor() {
                    return PathEnd::Failed;
                }
                pivots_since = 0;
                self.entering_column(enters);
                match self.ratio_test() {
                    None => return PathEnd::Ray(enters),
                    Some(row) => left = self.pivot(row, enters),
                }
                continue;
            };
            left = self.pivot(row, enters);
            pivots_since += 1;
        }
        PathEnd::Failed
    }

    /// The column of a variable in terms of the basis.
    fn entering_column(&mut self, variable: Variable) {
        let n = self.n;
        for (i, row) in self.inverse.chunks_exact(n).enumerate() {
            self.column[i] = match variable {
                Variable::W(j) => row[j],
                Variable::Z(j) => {
                    let m = &self.matrix[j * n..(j + 1) * n];
                    -row.iter().zip(m).map(|(b, m)| b * m).sum::<f64>()
                }
                Variable::Artificial => -row.iter().zip(&self.cover).map(|(b, d)| b * d).sum::<f64>(),
            };
        }
    }

    /// The row that leaves: the artificial variable if it may, else the lexicographically first.
    fn ratio_test(&mut self) -> Option<usize> {
        let n = self.n;
        let least_pivot = BLOCKING * max_abs(&self.column).max(1.0);
        self.ties.clear();
        self.ties.extend((0..n).filter(|&i| self.column[i] > least_pivot));
        let x_size = max_abs(&self.x);
        let (x, a, inverse) = (&self.x, &self.column, &self.inverse);
        retain_least(&mut self.ties, |i| (x[i].max(0.0) / a[i], TIED * x_size / a[i]));
        if let Some(&row) = self.ties.iter().find(|&&i| self.basis[i] == Variable::Artificial) {
            return Some(row);
        }
        for k in 0..n {
            if self.ties.len() < 2 {
                break;
            }
            retain_least(&mut self.ties, |i| (inverse[i * n + k] / a[i], TIED / a[i]));
        }
        self.ties.first().copied()
    }

    /// Brings a variable into the basis in a given row, its column being expressed; returns the one that
    /// leaves.
    fn pivot(&mut self, row: usize, enters: Variable) -> Variable {
        let n = self.n;
        self.answer.pivots += 1;
        let pivot = self.column[row];
        self.x[row] /= pivot;
        self.inverse[row * n..(row + 1) * n].iter_mut().for_each(|b| *b /= pivot);
        self.work.copy_from_slice(&self.inverse[row * n..(row + 1) * n]);
        for i in (0..n).filter(|&i| i != row) {
            let factor = self.column[i];
            if factor != 0.0 {
                self.x[i] -= factor * self.x[row];
                let other = &mut self.inverse[i * n..(i + 1) * n];
                other.iter_mut().zip(&self.work).for_each(|(o, b)| *o -= factor * b);
            }
        }
        std::mem::replace(&mut self.basis[row], enters)
    }

    fn factor(&mut self) -> bool {
        let n = self.n;
        let columns = self.lu.reset(n);
        for (k, variable) in self.basis.iter().enumerate() {
            let column = &mut columns[k * n..(k + 1) * n];
            match *variable {
                Variable::W(i) => column[i] = 1.0,
                Variable::Z(j) => {
                    column.iter_mut().zip(&self.matrix[j * n..(j + 1) * n]).for_each(|(c, m)| *c = -m);
                }
                Variable::Artificial => column.iter_mut().zip(&self.cover).for_each(|(c, d)| *c = -d),
            }
        }
        self.lu.factor().is_ok()
    }

    /// The inverse and the values of the basis, from the data.
    fn refactor(&mut self) -> bool {
        let n = self.n;
        if !self.factor() {
            return false;
        }
        for j in 0..n {
            self.work.fill(0.0);
            self.work[j] = 1.0;
            self.lu.solve(&mut self.work);
            (0..n).for_each(|i| self.inverse[i * n + j] = self.work[i]);
        }
        self.solve_basis();
        true
    }

    /// `B x = q` with the present factors, refined twice.
    fn solve_basis(&mut self) {
        let n = self.n;
        self.x.fill(0.0);
        for _ in 0..3 {
            for i in 0..n {
                let mut sum = TwofoldSum::new(self.q[i]);
                for (variable, x) in self.basis.iter().zip(&self.x) {
                    match *variable {
                        Variable::W(j) if j == i => sum.add_product(-1.0, *x),
                        Variable::W(_) => {}
                        Variable::Z(j) => sum.add_product(self.matrix[j * n + i], *x),
                        Variable::Artificial => sum.add_product(self.cover[i], *x),
                    }
                }
                self.work[i] = sum.value();
            }
            self.lu.solve(&mut self.work);
            self.x.iter_mut().zip(&self.work).for_each(|(x, d)| *x += d);
        }
    }

    /// Writes the values of the basis into the answer.
    fn finish(&mut self, problem: &Lcp) {
        if self.factor() {
            self.solve_basis();
        }
        self.answer.z.fill(0.0);
        for (variable, x) in self.basis.iter().zip(&self.x) {
            if let Variable::Z(j) = *variable {
                self.answer.z[j] = x.max(0.0) * self.scale[j];
            }
        }
        self.answer.compute_slacks(problem);
    }

    /// The direction of the path when nothing blocks: the entering variable rises, the basis follows by `-a`.
    fn secondary_ray(&self, problem: &Lcp, enters: Variable) -> LcpRay {
        let n = self.n;
        let rounding = BLOCKING * max_abs(&self.column).max(1.0);
        let cover = self.cover.iter().zip(&self.scale).map(|(d, s)| d / s).collect();
        let mut ray = LcpRay { z: vec![0.0; n], w: vec![0.0; n], z0: 0.0, cover };
        let basis =
            self.basis.iter().zip(&self.column).map(|(v, a)| (*v, if *a < -rounding { -a } else { 0.0 }));
        for (variable, change) in basis.chain([(enters, 1.0)]) {
            match variable {
                Variable::Z(j) => ray.z[j] = change * self.scale[j],
                Variable::W(_) => {}
                Variable::Artificial => ray.z0 = change,
            }
        }
        let size = max_abs(&ray.z);
        if size > 0.0 {
            ray.z.iter_mut().for_each(|z| *z /= size);
            ray.z0 /= size;
        }
        for i in 0..n {
            ray.w[i] = accurate_dot(ray.cover[i] * ray.z0, problem.row(i), &ray.z);
        }
        ray
    }
}

/// Keeps those entries whose value is least, up to the larger of both margins.
fn retain_least(entries: &mut Vec<usize>, value: impl Fn(usize) -> (f64, f64)) {
    let Some(&least) = entries.iter().min_by(|a, b| value(**a).0.total_cmp(&value(**b).0)) else { return };
    let (bound, margin) = value(least);
    entries.retain(|&i| {
        let (v, m) = value(i);
        v <= bound + margin.max(m)
    });
}

/// A number between 0 and 1 that is pseudo-random: fractional parts of multiples of the golden ratio.
fn perturbation(i: usize, attempt: usize) -> f64 {
    ((i + 1) as f64 * 0.618_033_988_749_894_9 * (attempt as f64 + 0.5)).fract()
}
