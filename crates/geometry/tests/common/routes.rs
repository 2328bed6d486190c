//! Linear programs independent of the kernel, in any dimension: the separation program by a dense simplex
//! method and by an interior-point method with a crossover, and the growth program of the ratio metric.
#![allow(dead_code)]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, ZeroConeT};
use nalgebra::{DMatrix, DVector, SVector};
use percussion_solve::lp::LpOutcome;
use percussion_solve::{LinearProgram, solve_lp};

/// The separation program [Johnson 2.29] of two point sets, in units of the pair's size.
pub struct Program<const D: usize> {
    /// Points of body a.
    pub x: Vec<SVector<f64, D>>,
    /// Points of body b.
    pub y: Vec<SVector<f64, D>>,
    /// Unit direction from b to a.
    pub beta: SVector<f64, D>,
}

/// Rows among which ties are decided by trying all bases.
const NEAR: usize = 10;

/// An optimum of the program.
#[derive(Debug)]
pub struct Optimum<const D: usize> {
    /// The value `s`.
    pub value: f64,
    /// An optimal direction, `<α, β> = 1`.
    pub alpha: SVector<f64, D>,
    /// Dual weights, those of body a first.
    pub weights: Vec<f64>,
    /// How far the route itself is from proving its value: bounds that do not meet, negative weights, residuals.
    pub doubt: f64,
}

impl<const D: usize> Program<D> {
    /// What a direction and weights prove, by the definition of the program and its dual [Johnson 3.41].
    pub fn doubt(&self, value: f64, alpha: &SVector<f64, D>, weights: &[f64]) -> f64 {
        let low = self.x.iter().map(|p| alpha.dot(p)).fold(f64::INFINITY, f64::min);
        let high = self.y.iter().map(|p| alpha.dot(p)).fold(f64::NEG_INFINITY, f64::max);
        let (on_a, on_b) = weights.split_at(self.x.len());
        let mix = |w: &[f64], p: &[SVector<f64, D>]| -> SVector<f64, D> {
            w.iter().zip(p).map(|(w, p)| p * *w).sum()
        };
        let residual = (mix(on_a, &self.x) - mix(on_b, &self.y) - self.beta * value).norm();
        let sums = [on_a, on_b].map(|w| (w.iter().sum::<f64>() - 1.0).abs());
        let negative = weights.iter().fold(0.0f64, |m, w| m.max(-w));
        [
            (value - (low - high)).abs(),
            residual,
            sums[0],
            sums[1],
            negative,
            (alpha.dot(&self.beta) - 1.0).abs(),
        ]
        .into_iter()
        .fold(0.0, |m, v| if v > m || v.is_nan() { v } else { m })
    }

    /// By the simplex method, rows as printed: maximise `a1 - a2` with `<α,x> >= a1`, `<α,y> <= a2`, `<α,β> = 1`.
    pub fn by_simplex(&self) -> Optimum<D> {
        let mut objective = vec![0.0; D + 2];
        (objective[D], objective[D + 1]) = (1.0, -1.0);
        let mut program = LinearProgram::maximise(&objective).unwrap();
        for row in self.rows() {
            program.at_least(&row, 0.0).unwrap();
        }
        let mut norm = self.beta.as_slice().to_vec();
        norm.extend([0.0, 0.0]);
        program.equal(&norm, 1.0).unwrap();
        let found = solve_lp(&program).unwrap();
        assert_eq!(found.outcome, LpOutcome::Optimal);
        let alpha = SVector::from_column_slice(&found.x[..D]);
        // A row that must rise costs separation: its shadow price is minus the weight.
        let weights: Vec<f64> = found.row_duals[..self.x.len() + self.y.len()].iter().map(|d| -d).collect();
        let doubt = self.doubt(found.objective, &alpha, &weights);
        Optimum { value: found.objective, alpha, weights, doubt }
    }

    /// The inequality rows over `(α, a1, a2)`, all `>= 0`.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let row = |p: &SVector<f64, D>, sign: f64, offsets: [f64; 2]| {
            let mut row: Vec<f64> = p.iter().map(|c| sign * c).collect();
            row.extend(offsets);
            row
        };
        let on_a = self.x.iter().map(|p| row(p, 1.0, [-1.0, 0.0]));
        let on_b = self.y.iter().map(|p| row(p, -1.0, [0.0, 1.0]));
        on_a.chain(on_b).collect()
    }

    /// The norm and the active rows as equations.
    pub fn equations(&self, rows: &[Vec<f64>], active: &[usize]) -> DMatrix<f64> {
        DMatrix::from_fn(active.len() + 1, D + 2, |i, j| match i {
            0 if j < D => self.beta[j],
            0 => 0.0,
            _ => rows[active[i - 1]][j],
        })
    }

    /// By Clarabel's interior-point method, then a crossover: the rows it finds active are solved as equations for
    /// the direction, and their weights from the dual equations, both as the smallest correction of what the
    /// interior point gave. Of several readings of *active* the one that proves itself best is kept.
    pub fn by_interior_point(&self) -> Optimum<D> {
        let rows = self.rows();
        let (m, n) = (rows.len() + 1, D + 2);
        let mut nonzeros = Vec::with_capacity(m * n);
        for j in 0..n {
            nonzeros.push(if j < D { self.beta[j] } else { 0.0 });
            nonzeros.extend(rows.iter().map(|row| -row[j]));
        }
        let matrix = CscMatrix::new(
            m,
            n,
            (0..=n).map(|j| j * m).collect(),
            (0..n * m).map(|k| k % m).collect(),
            nonzeros,
        );
        let mut cost = vec![0.0; n];
        (cost[D], cost[D + 1]) = (-1.0, 1.0);
        let mut right = vec![0.0; m];
        right[0] = 1.0;
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-13,
            tol_gap_rel: 1e-13,
            tol_feas: 1e-13,
            presolve_enable: false,
            ..DefaultSettings::default()
        };
        let cones = [ZeroConeT(1), NonnegativeConeT(rows.len())];
        let none = CscMatrix::zeros((n, n));
        let mut solver = DefaultSolver::new(&none, &cost, &matrix, &right, &cones, settings).unwrap();
        solver.solve();
        let (v, z, slack) = (&solver.solution.x, &solver.solution.z[1..], &solver.solution.s[1..]);
        let mut best: Option<Optimum<D>> = None;
        // Slack counts in units of the body's own width: the two may differ by orders of magnitude.
        let widest = |s: &[f64]| s.iter().fold(0.0f64, |m, v| m.max(*v));
        let widths = [widest(&slack[..self.x.len()]), widest(&slack[self.x.len()..])];
        let height = |k: usize| slack[k] / widths[(k >= self.x.len()) as usize];
        for reading in [0.0, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8] {
            let is_active = |k: &usize| if reading == 0.0 { z[*k] > slack[*k] } else { height(*k) < reading };
            let active: Vec<usize> = (0..rows.len()).filter(is_active).collect();
            let Some(found) = self.crossover(&rows, v, z, &active) else { continue };
            if best.as_ref().is_none_or(|b| found.doubt < b.doubt) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|b| b.doubt < 1e-14) {
                break;
            }
        }
        // Weight on a row that is not active: the interior point has not converged to one of several neighbours.
        let undecided = |b: &Optimum<D>| (0..rows.len()).any(|k| b.weights[k] > 1e-12 && height(k) > 1e-9);
        if best.as_ref().is_none_or(|b| b.doubt > 1e-13 || undecided(b)) {
            let mut near: Vec<usize> = (0..rows.len()).collect();
            near.sort_by(|&i, &j| height(i).total_cmp(&height(j)));
            near.truncate(NEAR);
            let found = self.best_basis(&rows, &near);
            if let Some(found) = found
                && best.as_ref().is_none_or(|b| found.doubt < b.doubt)
            {
                best = Some(found);
            }
        }
        best.unwrap()
    }

    /// The corner of the program, among those where `D + 1` of the given rows are active, that proves itself best. Rows
    /// that tie more closely than an interior point can tell apart are decided here.
    fn best_basis(&self, rows: &[Vec<f64>], near: &[usize]) -> Option<Optimum<D>> {
        let mut best: Option<Optimum<D>> = None;
        let mut cost = DVector::zeros(D + 2);
        (cost[D], cost[D + 1]) = (1.0, -1.0);
        for subset in 0u32..1 << near.len() {
            if subset.count_ones() as usize != D + 1 {
                continue;
            }
            let active: Vec<usize> =
                (0..near.len()).filter(|k| subset >> k & 1 == 1).map(|k| near[k]).collect();
            let matrix = self.equations(rows, &active);
            let mut right = DVector::zeros(D + 2);
            right[0] = 1.0;
            let Some(primal) = matrix.clone().lu().solve(&right) else { continue };
            let Some(dual) = matrix.transpose().lu().solve(&cost) else { continue };
            let alpha = SVector::<f64, D>::from_fn(|k, _| primal[k]);
            let mut weights = vec![0.0; rows.len()];
            for (i, &k) in active.iter().enumerate() {
                weights[k] = -dual[i + 1];
            }
            let doubt = self.doubt(dual[0], &alpha, &weights);
            if best.as_ref().is_none_or(|b| doubt < b.doubt) {
                best = Some(Optimum { value: dual[0], alpha, weights, doubt });
            }
        }
        best
    }

    /// Optimum of the program whose active rows are known.
    fn crossover(&self, rows: &[Vec<f64>], v: &[f64], z: &[f64], active: &[usize]) -> Option<Optimum<D>> {
        let count = active.len();
        if count < 2 {
            return None;
        }
        // Primal: active rows and the norm as equations.
        let matrix = self.equations(rows, active);
        let mut right = DVector::zeros(count + 1);
        right[0] = 1.0;
        let primal = corrected(&matrix, &right, DVector::from_column_slice(v))?;
        let alpha = SVector::<f64, D>::from_fn(|k, _| primal[k]);
        let alpha = alpha / alpha.dot(&self.beta);
        // Dual: unknown active weights and the value.
        let matrix = DMatrix::from_fn(D + 2, count + 1, |i, j| {
            if j == count {
                return if i < D { -self.beta[i] } else { 0.0 };
            }
            let (sum, sign, point) = match active[j].checked_sub(self.x.len()) {
                None => (D, 1.0, &self.x[active[j]]),
                Some(k) => (D + 1, -1.0, &self.y[k]),
            };
            if i < D { sign * point[i] } else { f64::from(i == sum) }
        });
        let mut right = DVector::zeros(D + 2);
        (right[D], right[D + 1]) = (1.0, 1.0);
        let start =
            DVector::from_fn(count + 1, |j, _| if j == count { v[D] - v[D + 1] } else { z[active[j]] });
        let dual = corrected(&matrix, &right, start)?;
        let mut weights = vec![0.0; rows.len()];
        for (j, &k) in active.iter().enumerate() {
            weights[k] = dual[j];
        }
        let value = dual[count];
        let doubt = self.doubt(value, &alpha, &weights);
        Some(Optimum { value, alpha, weights, doubt })
    }
}

/// The solution of `matrix v = right` nearest to `start`, with two steps of iterative refinement.
fn corrected(matrix: &DMatrix<f64>, right: &DVector<f64>, start: DVector<f64>) -> Option<DVector<f64>> {
    let svd = matrix.clone().svd(true, true);
    let tolerance = 1e-12 * svd.singular_values.max();
    let mut v = start;
    for _ in 0..3 {
        v += svd.solve(&(right - matrix * &v), tolerance).ok()?;
    }
    v.iter().all(|c| c.is_finite()).then_some(v)
}

/// A body as faces about its reference point: outward normals in world axes and depths of the reference below them.
pub type Faces<const D: usize> = Vec<(SVector<f64, D>, f64)>;

/// The growth program of the ratio metric [Hart 2.3, 2.12]: the smallest factor `t` at which `c1 + t (K1 - c1)` and
/// `c2 + t (K2 - c2)` share a point, `<n, x - c1> <= t b` on the faces of a and likewise of b. Solved in units of
/// the distance of the reference points, `x = c2 + D u`, so that deep pairs lose no digits; returns `t/D`.
pub fn growth<const D: usize>(faces_a: &Faces<D>, faces_b: &Faces<D>, beta: &SVector<f64, D>) -> f64 {
    let mut objective = vec![0.0; D + 1];
    objective[D] = 1.0;
    let mut program = LinearProgram::minimise(&objective).unwrap();
    for (faces, shift) in [(faces_a, 1.0), (faces_b, 0.0)] {
        for (normal, depth) in faces {
            let mut row = normal.as_slice().to_vec();
            row.push(-depth);
            program.at_most(&row, shift * normal.dot(beta)).unwrap();
        }
    }
    let found = solve_lp(&program).unwrap();
    assert_eq!(found.outcome, LpOutcome::Optimal);
    found.objective
}

/// `s = D (r - 1)/r` of a growth factor given in units of `1/D`.
pub fn separation_of_growth(growth: f64, distance: f64) -> f64 {
    let r = growth * distance;
    distance * (r - 1.0) / r
}
