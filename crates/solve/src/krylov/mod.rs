//! Linear systems given by products: GMRES with a preconditioner on the right.
//!
//! ```text
//! minimise |b - A M⁻¹ y| over the Krylov space of A M⁻¹ and b;  x = M⁻¹ y
//! ```
//!
//! On the right, so that the residual that is minimised is the true one. Everything is allocated once: a solve of a
//! system no larger than announced allocates nothing.

use crate::arithmetic::{dot, norm};

/// Workspace for systems of up to a given size.
#[derive(Clone, Debug)]
pub struct Gmres {
    size: usize,
    depth: usize,
    basis: Vec<f64>,
    hessenberg: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    rhs: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GmresReport {
    /// Products with the matrix.
    pub products: usize,
    /// `|b - A x| / |b|`, by the recurrence of the method.
    pub residual: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

impl Gmres {
    /// Workspace for up to `size` unknowns and `depth` directions before a restart.
    pub fn new(size: usize, depth: usize) -> Self {
        let depth = depth.min(size.max(1));
        Self {
            size,
            depth,
            basis: vec![0.0; size * (depth + 1)],
            hessenberg: vec![0.0; (depth + 1) * depth],
            rotations: vec![(1.0, 0.0); depth],
            rhs: vec![0.0; depth + 1],
            direction: vec![0.0; size],
            image: vec![0.0; size],
        }
    }

    /// Solves `A x = b` from `x = 0` to `|b - A x| <= tolerance |b|`. `apply` writes `A v` or `M⁻¹ v`, as
    /// it is asked; `restarts` bounds the work. Vectors longer than announced are refused by a report that
    /// says nothing converged.
    pub fn solve(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        restarts: usize,
        mut apply: impl FnMut(Product, &[f64], &mut [f64]),
    ) -> GmresReport {
        let n = b.len();
        x.fill(0.0);
        let goal = norm(b);
        let mut report = GmresReport { products: 0, residual: 0.0, converged: true };
        if goal == 0.0 {
            return report;
        }
        report = GmresReport { residual: 1.0, converged: false, ..report };
        if n > self.size {
            return report;
        }
        for _ in 0..restarts.max(1) {
            // r = b - A x
            let (first, _) = self.basis.split_at_mut(n);
            if report.products == 0 {
                first.copy_from_slice(b);
            } else {
                apply(Product::Matrix, x, &mut self.image[..n]);
                report.products += 1;
                for ((r, b), ax) in first.iter_mut().zip(b).zip(&self.image) {
                    *r = b - ax;
                }
            }
            let start = norm(first);
            report.residual = start / goal;
            if report.residual <= tolerance {
                break;
            }
            first.iter_mut().for_each(|v| *v /= start);
            self.rhs.fill(0.0);
            self.rhs[0] = start;
            let used = self.cycle(n, goal, tolerance, &mut report, &mut apply);
            self.finish_cycle(n, used, x, &mut apply);
            if report.residual <= tolerance {
                break;
            }
        }
        report.converged = report.residual <= tolerance;
        report
    }

    /// Arnoldi with Givens rotations; returns how many directions were made.
    fn cycle(
        &mut self,
        n: usize,
        goal: f64,
        tolerance: f64,
        report: &mut GmresReport,
        apply: &mut impl FnMut(Product, &[f64], &mut [f64]),
    ) -> usize {
        let depth = self.depth;
        for j in 0..depth {
            let (done, rest) = self.basis.split_at_mut((j + 1) * n);
            let w = &mut rest[..n];
            apply(Product::Preconditioner, &done[j * n..], &mut self.direction[..n]);
            apply(Product::Matrix, &self.direction[..n], w);
            report.products += 1;
            let column = &mut self.hessenberg[j * (depth + 1)..(j + 1) * (depth + 1)];
            for i in 0..=j {
                let v = &done[i * n..(i + 1) * n];
                let h = dot(v, w);
                column[i] = h;
                w.iter_mut().zip(v).for_each(|(w, v)| *w -= h * v);
            }
            let height = norm(w);
            column[j + 1] = height;
            for i in 0..j {
                let (c, s) = self.rotations[i];
                (column[i], column[i + 1]) =
                    (c * column[i] + s * column[i + 1], -s * column[i] + c * column[i + 1]);
            }
            let length = column[j].hypot(height);
            // A zero column: the space is exhausted and this direction adds nothing.
            if length == 0.0 {
                return j;
            }
            let (c, s) = (column[j] / length, height / length);
            self.rotations[j] = (c, s);
            column[j] = length;
            column[j + 1] = 0.0;
            self.rhs[j + 1] = -s * self.rhs[j];
            self.rhs[j] *= c;
            report.residual = self.rhs[j + 1].abs() / goal;
            if report.residual <= tolerance || height <= f64::EPSILON * length {
                return j + 1;
            }
            w.iter_mut().for_each(|w| *w /= height);
        }
        depth
    }

    /// Back substitution and the step `x += M⁻¹ V y`.
    fn finish_cycle(
        &mut self,
        n: usize,
        used: usize,
        x: &mut [f64],
        apply: &mut impl FnMut(Product, &[f64], &mut [f64]),
    ) {
        let stride = self.depth + 1;
        for i in (0..used).rev() {
            let mut value = self.rhs[i];
            for k in i + 1..used {
                value -= self.hessenberg[k * stride + i] * self.rhs[k];
            }
            self.rhs[i] = value / self.hessenberg[i * stride + i];
        }
        self.direction[..n].fill(0.0);
        for (i, y) in self.rhs[..used].iter().enumerate() {
            let v = &self.basis[i * n..(i + 1) * n];
            self.direction[..n].iter_mut().zip(v).for_each(|(d, v)| *d += y * v);
        }
        apply(Product::Preconditioner, &self.direction[..n], &mut self.image[..n]);
        x.iter_mut().zip(&self.image).for_each(|(x, d)| *x += d);
    }
}

/// Which product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// `A v`
    Matrix,
    /// `M⁻¹ v`
    Preconditioner,
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn sample(n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |r, c| {
            let noise = ((r * 31 + c * 17 + 7) as f64).sin();
            if r == c { 3.0 + r as f64 + noise } else { 0.3 * noise }
        })
    }

    fn solve(gmres: &mut Gmres, a: &DMatrix<f64>, b: &[f64], restarts: usize) -> (Vec<f64>, GmresReport) {
        let mut x = vec![0.0; b.len()];
        let report = gmres.solve(b, &mut x, 1e-12, restarts, |which, v, out| {
            let v = DVector::from_column_slice(v);
            let y = match which {
                Product::Matrix => a * v,
                Product::Preconditioner => v.component_div(&a.diagonal()),
            };
            out.copy_from_slice(y.as_slice());
        });
        (x, report)
    }

    #[test]
    fn agrees_with_elimination_with_and_without_restarts() {
        let a = sample(24);
        let b: Vec<f64> = (0..24).map(|i| (i as f64).cos()).collect();
        let direct = a.clone().lu().solve(&DVector::from_column_slice(&b)).unwrap();
        for depth in [24, 6] {
            let (x, report) = solve(&mut Gmres::new(30, depth), &a, &b, 40);
            assert!(report.converged, "{report:?}");
            assert!((DVector::from_vec(x) - &direct).norm() < 1e-11 * direct.norm());
        }
    }

    #[test]
    fn says_when_it_has_not_converged_and_when_there_is_nothing_to_do() {
        let a = sample(24);
        let b: Vec<f64> = (0..24).map(|i| (i as f64).cos()).collect();
        let (_, report) = solve(&mut Gmres::new(24, 2), &a, &b, 1);
        assert!(!report.converged && report.residual > 1e-12);
        let (x, report) = solve(&mut Gmres::new(24, 8), &a, &[0.0; 24], 1);
        assert!(report.converged && x.iter().all(|&v| v == 0.0));
    }
}
