//! Anderson's acceleration of a fixed-point iteration `x <- F(x)`.
//!
//! ```text
//! f = F(x) - x;  t = argmin |f - ΔF t| over the last few differences;  x <- F(x) - (ΔF + ΔX) t
//! ```
//!
//! Walker and Ni (SIAM J. Numer. Anal. 49, 2011). Differs: a step after which f has grown is not trusted, the
//! history is dropped and the plain iteration taken instead; f may be a linear image that is shorter
//! than x itself.

use crate::arithmetic::{add_scaled, dot, norm};
use crate::least_squares::least_squares;
use crate::tolerances::friction::MAX_WEIGHTS;

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Anderson {
    /// Lengths of f and of x.
    n: usize,
    m: usize,
    depth: usize,
    trust: f64,
    /// Differences of f and of F(x), newest last in time, a ring of `depth` columns.
    df: Vec<f64>,
    dy: Vec<f64>,
    f: Vec<f64>,
    y: Vec<f64>,
    columns: Vec<f64>,
    rhs: Vec<f64>,
    weights: Vec<f64>,
    stored: usize,
    next: usize,
    least: f64,
    started: bool,
}

impl Anderson {
    /// Workspace for f of length n, x of length m and a number of differences; clears everything. Trust ends
    /// where f has grown to this multiple of the least seen since the last restart.
    pub(super) fn prepare(&mut self, n: usize, m: usize, depth: usize, trust: f64) {
        (self.n, self.m, self.depth, self.trust) = (n, m, depth.min(n), trust);
        for (list, len) in [
            (&mut self.df, n * self.depth),
            (&mut self.dy, m * self.depth),
            (&mut self.columns, n * self.depth),
            (&mut self.f, n),
            (&mut self.y, m),
            (&mut self.rhs, n),
            (&mut self.weights, self.depth),
        ] {
            // Whatever is there is overwritten before it is read.
            list.resize(len, 0.0);
        }
        self.restart();
    }

    /// Starts anew.
    pub(super) fn restart(&mut self) {
        (self.stored, self.next, self.started, self.least) = (0, 0, false, f64::INFINITY);
    }

    /// Given f and `y = F(x)`, in one piece or several, overwrites y by the extrapolation. False if y was left
    /// as it is.
    pub(super) fn extrapolate(&mut self, f: &[f64], y: &mut [&mut [f64]]) -> bool {
        let (n, m) = (self.n, self.m);
        if self.depth == 0 {
            return false;
        }
        let size = norm(f);
        if size > self.trust * self.least || !size.is_finite() {
            self.restart();
        }
        self.least = self.least.min(size);
        if self.started {
            let column = &mut self.df[self.next * n..(self.next + 1) * n];
            column.iter_mut().zip(f).zip(&self.f).for_each(|((d, f), old)| *d = f - old);
            let column = &mut self.dy[self.next * m..(self.next + 1) * m];
            let now = y.iter().flat_map(|piece| piece.iter());
            column.iter_mut().zip(now).zip(&self.y).for_each(|((d, y), old)| *d = y - old);
            self.next = (self.next + 1) % self.depth;
            self.stored = (self.stored + 1).min(self.depth);
        }
        self.f.copy_from_slice(f);
        let mut at = 0;
        for piece in y.iter() {
            self.y[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        }
        self.started = true;
        if self.stored == 0 {
            return false;
        }
        let k = self.stored;
        self.rhs.copy_from_slice(f);
        self.columns[..k * n].copy_from_slice(&self.df[..k * n]);
        let t = &mut self.weights[..k];
        if !least_squares(&mut self.columns[..k * n], &mut self.rhs, t) || dot(t, t) > MAX_WEIGHTS {
            self.restart();
            return false;
        }
        for (j, t) in t.iter().enumerate() {
            let mut column = &self.dy[j * m..(j + 1) * m];
            for piece in y.iter_mut() {
                let (head, tail) = column.split_at(piece.len());
                add_scaled(piece, -t, head);
                column = tail;
            }
        }
        true
    }
}
