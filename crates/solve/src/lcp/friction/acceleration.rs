//! Anderson's acceleration of a fixed-point iteration `x <- F(x)`.
//!
//! ```text
//! f = F(x) - x;  t = argmin |f - ΔF t| over the last few differences;  x <- F(x) - (ΔF + ΔX) t
//! ```
//!
//! Walker and Ni (SIAM J. Numer. Anal. 49, 2011). Differs: a step after which f has grown is not trusted, the
//! memory is dropped and the plain iteration taken instead.

use crate::arithmetic::{dot, norm};
use crate::least_squares::least_squares;

/// Growth of f over the least seen since the last restart that ends trust.
const TRUST: f64 = 3.0;

/// Reusable memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Anderson {
    n: usize,
    depth: usize,
    /// Differences of f and of F(x), newest last in time, a ring of `depth` columns.
    df: Vec<f64>,
    dy: Vec<f64>,
    f: Vec<f64>,
    y: Vec<f64>,
    columns: Vec<f64>,
    rhs: Vec<f64>,
    weights: Vec<f64>,
    held: usize,
    next: usize,
    least: f64,
    started: bool,
}

impl Anderson {
    /// Memory for vectors of length n and a number of differences; forgets everything.
    pub(super) fn prepare(&mut self, n: usize, depth: usize) {
        (self.n, self.depth) = (n, depth.min(n));
        for (list, len) in [
            (&mut self.df, n * self.depth),
            (&mut self.dy, n * self.depth),
            (&mut self.columns, n * self.depth),
            (&mut self.f, n),
            (&mut self.y, n),
            (&mut self.rhs, n),
            (&mut self.weights, self.depth),
        ] {
            list.clear();
            list.resize(len, 0.0);
        }
        self.forget();
    }

    fn forget(&mut self) {
        (self.held, self.next, self.started, self.least) = (0, 0, false, f64::INFINITY);
    }

    /// Given x and `y = F(x)`, overwrites y by the extrapolation. False if y was left as it is.
    pub(super) fn extrapolate(&mut self, x: &[f64], y: &mut [f64], scale: &[f64]) -> bool {
        let n = self.n;
        if self.depth == 0 {
            return false;
        }
        // Entries are measured in their own units.
        for i in 0..n {
            self.rhs[i] = (y[i] - x[i]) * scale[i];
        }
        let size = norm(&self.rhs);
        if size > TRUST * self.least || !size.is_finite() {
            self.forget();
        }
        self.least = self.least.min(size);
        if self.started {
            let column = self.next * n..(self.next + 1) * n;
            let differences = self.df[column.clone()].iter_mut().zip(&mut self.dy[column]);
            for (i, (df, dy)) in differences.enumerate() {
                (*df, *dy) = (self.rhs[i] - self.f[i], y[i] - self.y[i]);
            }
            self.next = (self.next + 1) % self.depth;
            self.held = (self.held + 1).min(self.depth);
        }
        self.f.copy_from_slice(&self.rhs);
        self.y.copy_from_slice(y);
        self.started = true;
        if self.held == 0 {
            return false;
        }
        let k = self.held;
        self.columns[..k * n].copy_from_slice(&self.df[..k * n]);
        let t = &mut self.weights[..k];
        if !least_squares(&mut self.columns[..k * n], &mut self.rhs, t) || dot(t, t) > 1e12 {
            self.forget();
            return false;
        }
        for (j, t) in t.iter().enumerate() {
            let column = &self.dy[j * n..(j + 1) * n];
            y.iter_mut().zip(column).for_each(|(y, d)| *y -= t * d);
        }
        true
    }
}
