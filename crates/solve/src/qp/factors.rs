//! The matrices that Goldfarb and Idnani carry from one active set to the next.
//!
//! | symbol | meaning |
//! |---|---|
//! | J | n x n, column-major, `J J^T = G^-1`; its first q columns span the active normals in that metric |
//! | R | upper triangular q x q with `J^T N = (R; 0)`, N the active normals |
//! | d | `J^T normal` of the constraint being added |
//!
//! Adding and dropping a constraint are Givens rotations of the columns of J. [Goldfarb and Idnani 1983, section 4]

use crate::arithmetic::{add_scaled, dot, norm, zeroed};
use crate::error::SolveError;
use crate::tolerances::qp::INDEFINITE;

#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    n: usize,
    /// Number of active constraints.
    pub q: usize,
    j: Vec<f64>,
    r: Vec<f64>,
    pub d: Vec<f64>,
}

impl Factors {
    /// J of an empty active set: the inverse transpose of G's Cholesky factor.
    pub(super) fn start(&mut self, n: usize, hessian: Option<&[f64]>) -> Result<(), SolveError> {
        self.n = n;
        self.q = 0;
        for (matrix, count) in [(&mut self.j, n * n), (&mut self.r, n * n), (&mut self.d, n)] {
            zeroed(matrix, count);
        }
        let Some(g) = hessian else {
            (0..n).for_each(|i| self.j[i * n + i] = 1.0);
            return Ok(());
        };
        // Cholesky G = L L^T; L lives in r (row-major) until the first constraint needs that memory.
        let l = &mut self.r;
        for i in 0..n {
            for k in 0..=i {
                let sum = g[i * n + k] - dot(&l[i * n..i * n + k], &l[k * n..k * n + k]);
                if k < i {
                    l[i * n + k] = sum / l[k * n + k];
                } else if sum > INDEFINITE * g[i * n + i].abs() {
                    l[i * n + i] = sum.sqrt();
                } else {
                    // Fourteen digits lost: the rest of the pivot is rounding.
                    return Err(SolveError::NotPositiveDefinite { index: i, pivot: sum });
                }
            }
        }
        // Column c of J = L^-T solves L^T v = e_c.
        for c in 0..n {
            let column = &mut self.j[c * n..(c + 1) * n];
            column[c] = 1.0 / l[c * n + c];
            for i in (0..c).rev() {
                let sum: f64 = (i + 1..=c).map(|k| l[k * n + i] * column[k]).sum();
                column[i] = -sum / l[i * n + i];
            }
        }
        Ok(())
    }

    fn column(&self, k: usize) -> &[f64] {
        &self.j[k * self.n..(k + 1) * self.n]
    }

    /// `d = J^T normal`.
    pub(super) fn project(&mut self, normal: &[f64]) {
        for k in 0..self.n {
            self.d[k] = dot(&self.j[k * self.n..(k + 1) * self.n], normal);
        }
    }

    /// `d = sign J^T e_v`: a row of J, for a bound.
    pub(super) fn project_axis(&mut self, v: usize, sign: f64) {
        for k in 0..self.n {
            self.d[k] = sign * self.j[k * self.n + v];
        }
    }

    /// Lengths of d and of its part outside the active span, in the metric of G^-1.
    pub(super) fn lengths(&self) -> (f64, f64) {
        (norm(&self.d), norm(&self.d[self.q..]))
    }

    /// Primal step direction `z = J2 J2^T normal`.
    pub(super) fn primal_direction(&self, z: &mut [f64]) {
        z.fill(0.0);
        for k in self.q..self.n {
            add_scaled(z, self.d[k], self.column(k));
        }
    }

    /// Dual step direction `r = R^-1 J1^T normal`.
    pub(super) fn dual_direction(&self, out: &mut [f64]) {
        out[..self.q].copy_from_slice(&self.d[..self.q]);
        self.solve_upper(out);
    }

    /// In place `R^-1 v`.
    fn solve_upper(&self, v: &mut [f64]) {
        let n = self.n;
        for k in (0..self.q).rev() {
            // R is stored by columns: column k is r[k n..k n + k].
            v[k] /= self.r[k * n + k];
            let value = v[k];
            add_scaled(&mut v[..k], -value, &self.r[k * n..k * n + k]);
        }
    }

    /// In place `R^-T v`.
    fn solve_upper_transposed(&self, v: &mut [f64]) {
        let n = self.n;
        for k in 0..self.q {
            let sum = dot(&self.r[k * n..k * n + k], &v[..k]);
            v[k] = (v[k] - sum) / self.r[k * n + k];
        }
    }

    /// Adds the constraint whose d is stored to the active set.
    pub(super) fn add(&mut self) {
        let (n, q) = (self.n, self.q);
        // Rotate the tail of d into its entry q.
        for k in (q + 1..n).rev() {
            if self.d[k] != 0.0 {
                let (c, s, length) = rotation(self.d[k - 1], self.d[k]);
                self.d[k - 1] = length;
                self.d[k] = 0.0;
                self.rotate_columns(k - 1, c, s);
            }
        }
        self.r[q * n..q * n + q + 1].copy_from_slice(&self.d[..=q]);
        self.q += 1;
    }

    pub(super) fn remove(&mut self, l: usize) {
        let n = self.n;
        // Shift the later columns of R left; each then has one entry below the diagonal to rotate away.
        for k in l + 1..self.q {
            self.r.copy_within(k * n..k * n + k + 1, (k - 1) * n);
        }
        self.q -= 1;
        for k in l..self.q {
            let (c, s, length) = rotation(self.r[k * n + k], self.r[k * n + k + 1]);
            self.r[k * n + k] = length;
            self.r[k * n + k + 1] = 0.0;
            for m in k + 1..self.q {
                let (a, b) = (self.r[m * n + k], self.r[m * n + k + 1]);
                self.r[m * n + k] = c * a + s * b;
                self.r[m * n + k + 1] = c * b - s * a;
            }
            self.rotate_columns(k, c, s);
        }
    }

    fn rotate_columns(&mut self, k: usize, c: f64, s: f64) {
        let n = self.n;
        let (first, second) = self.j[k * n..(k + 2) * n].split_at_mut(n);
        for (a, b) in first.iter_mut().zip(second) {
            (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
        }
    }

    /// Newton correction of the equality-constrained problem of the active set. Given the stationarity residual
    /// `rho = G x + g - N u` and the slack residual `sigma = b - N^T x`, writes dx and turns sigma into du:
    /// with dx = J w, w1 = R^-T sigma, w2 = -J2^T rho, du = R^-1 (w1 + J1^T rho).
    pub(super) fn correct(&self, rho: &[f64], sigma: &mut [f64], dx: &mut [f64]) {
        self.solve_upper_transposed(sigma);
        dx.fill(0.0);
        for (k, s) in sigma.iter_mut().enumerate() {
            add_scaled(dx, *s, self.column(k));
            *s += dot(self.column(k), rho);
        }
        for k in self.q..self.n {
            let along = dot(self.column(k), rho);
            add_scaled(dx, -along, self.column(k));
        }
        self.solve_upper(sigma);
    }
}

/// Rotation that turns (a, b) into (length, 0).
fn rotation(a: f64, b: f64) -> (f64, f64, f64) {
    let length = a.hypot(b);
    if length == 0.0 { (1.0, 0.0, 0.0) } else { (a / length, b / length, length) }
}
