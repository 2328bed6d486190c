//! Lawson and Hanson's active-set method (Solving Least Squares Problems, 1974, chapter 23).
//!
//! Columns join the passive set one by one, the one that makes the smallest angle with the residual first; the
//! least-squares problem over the passive set is solved by Householder QR, which for a dozen rows is cheaper
//! than updating factors and forgets earlier rounding. Differs from the book: a column whose own coefficient
//! comes out nonpositive is passed over until x changes (in exact arithmetic this cannot happen, in rounded
//! arithmetic it is what makes the original loop for ever).

use super::{NnlsOutcome, NnlsSolution};
use crate::arithmetic::{accurate_dot, dot, norm};
use crate::error::{SolveError, all_finite, length};
use crate::least_squares::least_squares;
use nalgebra::DMatrix;

/// Cosine-like `a . r / (|a| |b|)` below which a column cannot help: rounding of the residual.
const HELPFUL: f64 = 1e-14;

/// Minimises `|A x - b|` over `x >= 0`.
///
/// ```
/// use nalgebra::DMatrix;
/// use percussion_solve::{nnls, nnls_residual};
///
/// // The cone of (1, 0) and (1, 1), and a point beyond its lower edge.
/// let a = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 0.0, 1.0]);
/// let solution = nnls(&a, &[2.0, -3.0])?;
/// assert_eq!(solution.x, [2.0, 0.0]);
/// assert_eq!(solution.distance, 3.0);
/// assert!(nnls_residual(&a, &[2.0, -3.0], &solution)?.worst() < 1e-15);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
pub fn nnls(a: &DMatrix<f64>, b: &[f64]) -> Result<NnlsSolution, SolveError> {
    let (m, n) = a.shape();
    if n == 0 || m == 0 {
        return Err(SolveError::Empty { what: "matrix" });
    }
    length("right-hand side", "row", m, b.len())?;
    all_finite("matrix", a.as_slice())?;
    all_finite("right-hand side", b)?;
    let mut cone = Cone { a, b, norms: a.column_iter().map(|c| c.norm()).collect(), passive: Vec::new() };
    Ok(cone.solve())
}

struct Cone<'a> {
    a: &'a DMatrix<f64>,
    b: &'a [f64],
    norms: Vec<f64>,
    /// Columns whose coefficient may be positive.
    passive: Vec<usize>,
}

impl Cone<'_> {
    fn solve(&mut self) -> NnlsSolution {
        let n = self.norms.len();
        let mut x = vec![0.0; n];
        let mut residual = self.b.to_vec();
        let mut passed_over = vec![false; n];
        let limit = 100 + 10 * (n + self.b.len());
        let mut iterations = 0;
        let mut outcome = NnlsOutcome::Optimal;
        while let Some(j) = self.most_helpful(&residual, &passed_over) {
            if iterations >= limit {
                outcome = NnlsOutcome::IterationLimit;
                break;
            }
            iterations += 1;
            self.passive.push(j);
            let mut trial = self.fit();
            // Dependent on the others, or not helpful after all.
            if trial.as_ref().is_none_or(|t| t[self.passive.len() - 1] <= 0.0) {
                self.passive.pop();
                passed_over[j] = true;
                continue;
            }
            passed_over.fill(false);
            while let Some(t) = trial {
                if t.iter().all(|v| *v > 0.0) {
                    self.passive.iter().zip(&t).for_each(|(&k, v)| x[k] = *v);
                    break;
                }
                iterations += 1;
                self.retreat(&mut x, &t);
                trial = self.fit();
            }
            self.residual(&x, &mut residual);
        }
        let distance = norm(&residual);
        NnlsSolution { outcome, x, residual, distance, iterations }
    }

    fn column(&self, j: usize) -> &[f64] {
        let m = self.b.len();
        &self.a.as_slice()[j * m..(j + 1) * m]
    }

    /// The column that makes the smallest angle with the residual.
    fn most_helpful(&self, residual: &[f64], passed_over: &[bool]) -> Option<usize> {
        let size = norm(self.b);
        let mut best = None;
        let mut best_value = HELPFUL * size;
        for (j, &length) in self.norms.iter().enumerate() {
            if length == 0.0 || passed_over[j] || self.passive.contains(&j) {
                continue;
            }
            let value = dot(self.column(j), residual) / length;
            if value > best_value {
                (best, best_value) = (Some(j), value);
            }
        }
        best
    }

    /// Least-squares coefficients of the passive columns, refined once; None if they are dependent.
    fn fit(&self) -> Option<Vec<f64>> {
        let k = self.passive.len();
        let mut t = vec![0.0; k];
        let mut x = vec![0.0; self.norms.len()];
        let mut target = self.b.to_vec();
        for _ in 0..2 {
            let mut columns: Vec<f64> = self.passive.iter().flat_map(|&j| self.column(j)).copied().collect();
            let mut dt = vec![0.0; k];
            if !least_squares(&mut columns, &mut target, &mut dt) {
                return None;
            }
            t.iter_mut().zip(&dt).for_each(|(t, d)| *t += d);
            self.passive.iter().zip(&t).for_each(|(&j, v)| x[j] = *v);
            self.residual(&x, &mut target);
        }
        Some(t)
    }

    /// Goes from x towards the trial as far as signs allow and releases the columns that reach zero.
    fn retreat(&mut self, x: &mut [f64], trial: &[f64]) {
        let mut reach = 1.0;
        let mut blocking = 0;
        for (position, (&k, &v)) in self.passive.iter().zip(trial).enumerate() {
            if v <= 0.0 {
                let step = x[k] / (x[k] - v);
                if step < reach {
                    (reach, blocking) = (step, position);
                }
            }
        }
        for (position, (&k, &v)) in self.passive.iter().zip(trial).enumerate() {
            x[k] = if position == blocking { 0.0 } else { x[k] + reach * (v - x[k]) };
        }
        self.passive.retain(|&k| {
            let keep = x[k] > 0.0;
            if !keep {
                x[k] = 0.0;
            }
            keep
        });
    }

    /// `b - A x`, accurately.
    fn residual(&self, x: &[f64], out: &mut [f64]) {
        let minus: Vec<f64> = self.passive.iter().map(|&j| -x[j]).collect();
        let mut row = vec![0.0; self.passive.len()];
        for (i, entry) in out.iter_mut().enumerate() {
            row.iter_mut().zip(&self.passive).for_each(|(v, &j)| *v = self.column(j)[i]);
            *entry = accurate_dot(self.b[i], &row, &minus);
        }
    }
}
