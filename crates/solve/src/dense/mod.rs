//! Square systems that may be rank deficient: orthogonal factorisation with column exchanges, in place.
//!
//! Redundant equations are the rule where mechanisms close (a planar four-bar with four hinges has three too many).
//! As long as they agree with each other any solution will do; this gives one with zeros for the columns that add
//! nothing. [`Lu`] is for systems known to be regular.

mod lu;

pub use lu::{DependentColumn, Lu};

use crate::arithmetic::zeroed;

/// A factorisation `A P = Q R` with a reused workspace.
#[derive(Clone, Debug, Default)]
pub struct PivotedQr {
    n: usize,
    rank: usize,
    a: Vec<f64>,
    order: Vec<usize>,
    tau: Vec<f64>,
    norms: Vec<f64>,
    work: Vec<f64>,
}

impl PivotedQr {
    /// Workspace for systems of up to `n` unknowns.
    pub fn new(n: usize) -> Self {
        let mut workspace = Self::default();
        workspace.reset(n);
        workspace
    }

    /// Resizes to an `n` by `n` matrix, column by column, filled with zeros.
    pub fn reset(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        for (list, len) in
            [(&mut self.a, n * n), (&mut self.tau, n), (&mut self.norms, n), (&mut self.work, n)]
        {
            zeroed(list, len);
        }
        self.order.clear();
        self.order.extend(0..n);
        &mut self.a
    }

    /// Factorises the matrix of [`PivotedQr::reset`]; columns below `tolerance` times the greatest count as zero.
    pub fn factor(&mut self, tolerance: f64) -> usize {
        let n = self.n;
        let mut first = 0.0;
        self.rank = n;
        for k in 0..n {
            // The longest remaining column comes next.
            for c in k..n {
                self.norms[c] = self.a[c * n + k..(c + 1) * n].iter().map(|v| v * v).sum::<f64>().sqrt();
            }
            let best = (k..n).fold(k, |best, c| if self.norms[c] > self.norms[best] { c } else { best });
            let length = self.norms[best];
            if k == 0 {
                first = length;
            }
            if !(length > tolerance * first) {
                self.rank = k;
                return k;
            }
            if best != k {
                for r in 0..n {
                    self.a.swap(k * n + r, best * n + r);
                }
                self.order.swap(k, best);
            }
            // Householder reflection that maps the column to its first entry.
            let (left, right) = self.a.split_at_mut((k + 1) * n);
            let column = &mut left[k * n + k..];
            let alpha = -length.copysign(column[0]);
            let head = column[0] - alpha;
            column[1..].iter_mut().for_each(|v| *v /= head);
            self.tau[k] = -head / alpha;
            column[0] = alpha;
            for other in right.chunks_exact_mut(n) {
                let other = &mut other[k..];
                let dot: f64 =
                    other[0] + column[1..].iter().zip(&other[1..]).map(|(v, o)| v * o).sum::<f64>();
                let scale = self.tau[k] * dot;
                other[0] -= scale;
                other[1..].iter_mut().zip(&column[1..]).for_each(|(o, v)| *o -= scale * v);
            }
        }
        n
    }

    /// A least-squares solution for the right-hand side `b`, which is overwritten by it.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        for k in 0..self.rank {
            let column = &self.a[k * n + k..(k + 1) * n];
            let dot: f64 = b[k] + column[1..].iter().zip(&b[k + 1..n]).map(|(v, o)| v * o).sum::<f64>();
            let scale = self.tau[k] * dot;
            b[k] -= scale;
            b[k + 1..n].iter_mut().zip(&column[1..]).for_each(|(o, v)| *o -= scale * v);
        }
        self.work[..n].fill(0.0);
        for k in (0..self.rank).rev() {
            let mut value = b[k];
            for c in k + 1..self.rank {
                value -= self.a[c * n + k] * self.work[self.order[c]];
            }
            self.work[self.order[k]] = value / self.a[k * n + k];
        }
        b[..n].copy_from_slice(&self.work[..n]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn factored(a: &DMatrix<f64>) -> PivotedQr {
        let mut qr = PivotedQr::new(a.nrows());
        qr.reset(a.nrows()).copy_from_slice(a.as_slice());
        qr.factor(1e-12);
        qr
    }

    #[test]
    fn a_regular_system_is_solved_to_rounding() {
        let a = DMatrix::from_fn(7, 7, |r, c| ((r * r * 3 + c * (r + 2) * 7 + c * c) as f64).sin());
        let x = DVector::from_fn(7, |i, _| (i as f64).cos());
        let mut b: Vec<f64> = (&a * &x).as_slice().to_vec();
        let mut qr = factored(&a);
        assert_eq!(qr.rank, 7);
        qr.solve(&mut b);
        assert!((DVector::from_vec(b) - x).norm() < 1e-13);
    }

    #[test]
    fn redundant_equations_that_agree_are_all_satisfied() {
        let b = DMatrix::from_fn(8, 3, |r, c| ((r * r * 3 + c * (r + 2) * 7 + c * c) as f64).sin());
        let a = &b * b.transpose();
        let mut qr = factored(&a);
        assert_eq!(qr.rank, 3);
        let rhs = &a * DVector::from_fn(8, |i, _| (i as f64).cos());
        let mut x = rhs.as_slice().to_vec();
        qr.solve(&mut x);
        assert!((&a * DVector::from_vec(x) - rhs).norm() < 1e-13);
    }
}
