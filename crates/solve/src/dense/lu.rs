//! Square systems by elimination with row exchanges, in place.

use crate::arithmetic::zeroed;
use thiserror::Error;

/// A column that is a combination of those before it.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("column {column} of the matrix depends on those before it")]
pub struct DependentColumn {
    /// Which column.
    pub column: usize,
}

/// A factorisation `P A = L U` with a reused workspace.
#[derive(Clone, Debug, Default)]
pub struct Lu {
    n: usize,
    a: Vec<f64>,
    /// The row that came to stand in each place.
    exchanges: Vec<usize>,
}

impl Lu {
    /// Workspace for systems of up to `n` unknowns.
    pub fn new(n: usize) -> Self {
        Self { n: 0, a: Vec::with_capacity(n * n), exchanges: Vec::with_capacity(n) }
    }

    /// Resizes to an `n` by `n` matrix, column by column, filled with zeros.
    pub fn reset(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        zeroed(&mut self.a, n * n);
        self.exchanges.clear();
        &mut self.a
    }

    /// Factorises the matrix of [`Lu::reset`].
    pub fn factor(&mut self) -> Result<(), DependentColumn> {
        let n = self.n;
        for k in 0..n {
            let column = &self.a[k * n..(k + 1) * n];
            let pivot = (k..n).fold(k, |best, r| if column[r].abs() > column[best].abs() { r } else { best });
            let value = column[pivot];
            if !(value.abs() > 0.0 && value.is_finite()) {
                return Err(DependentColumn { column: k });
            }
            self.exchanges.push(pivot);
            if pivot != k {
                self.a.chunks_exact_mut(n).for_each(|column| column.swap(k, pivot));
            }
            let (left, right) = self.a.split_at_mut((k + 1) * n);
            let below = &mut left[k * n + k + 1..];
            below.iter_mut().for_each(|v| *v /= value);
            for other in right.chunks_exact_mut(n) {
                let factor = other[k];
                if factor != 0.0 {
                    other[k + 1..].iter_mut().zip(below.iter()).for_each(|(o, l)| *o -= factor * l);
                }
            }
        }
        Ok(())
    }

    /// The solution for the right-hand side `b`, which is overwritten by it.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for (k, &pivot) in self.exchanges.iter().enumerate() {
            b.swap(k, pivot);
        }
        for k in 0..n {
            let value = b[k];
            let below = &self.a[k * n + k + 1..(k + 1) * n];
            b[k + 1..n].iter_mut().zip(below).for_each(|(b, l)| *b -= value * l);
        }
        for k in (0..n).rev() {
            let column = &self.a[k * n..k * n + k + 1];
            b[k] /= column[k];
            let value = b[k];
            b[..k].iter_mut().zip(column).for_each(|(b, u)| *b -= value * u);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn sample(n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |r, c| ((r * r * 3 + c * (r + 2) * 7 + c * c + 1) as f64).sin())
    }

    #[test]
    fn a_system_is_solved_to_rounding_and_the_workspace_is_reused() {
        let mut lu = Lu::new(9);
        for n in [9, 1, 5] {
            let a = sample(n);
            let x = DVector::from_fn(n, |i, _| (i as f64 + 0.3).cos());
            let mut b: Vec<f64> = (&a * &x).as_slice().to_vec();
            lu.reset(n).copy_from_slice(a.as_slice());
            lu.factor().unwrap();
            lu.solve(&mut b);
            assert!((DVector::from_vec(b) - x).norm() < 1e-12);
        }
    }

    #[test]
    fn a_zero_where_the_first_pivot_would_be_is_no_obstacle() {
        let a = DMatrix::from_row_slice(3, 3, &[0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 3.0, 0.0, 1.0]);
        let mut lu = Lu::new(3);
        lu.reset(3).copy_from_slice(a.as_slice());
        lu.factor().unwrap();
        let mut b = vec![3.0, 1.0, 4.0];
        lu.solve(&mut b);
        assert!(b.iter().all(|x| (x - 1.0).abs() < 1e-15), "{b:?}");
    }

    #[test]
    fn a_dependent_column_is_named() {
        let a = DMatrix::from_row_slice(3, 3, &[1.0, 2.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 1.0]);
        let mut lu = Lu::new(3);
        lu.reset(3).copy_from_slice(a.as_slice());
        assert_eq!(lu.factor(), Err(DependentColumn { column: 1 }));
        lu.reset(2).copy_from_slice(&[1.0, f64::NAN, 0.0, 1.0]);
        lu.factor().unwrap();
        let mut b = vec![1.0, 1.0];
        lu.solve(&mut b);
        assert!(b[1].is_nan());
    }
}
