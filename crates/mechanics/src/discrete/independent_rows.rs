//! Independent rows of a matrix, and the orthogonal complement of its rows.
//!
//! Gram-Schmidt with exchanges: the longest remaining row comes next, until the remainder is rounding.

use crate::tolerances::REDUNDANT_ROW;

/// A choice of rows, with a reused workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Independent {
    /// Indices of the chosen rows, in ascending order.
    pub chosen: Vec<usize>,
    /// Orthonormal rows that span the chosen ones.
    basis: Vec<f64>,
    /// Orthonormal rows orthogonal to them.
    pub complement: Vec<f64>,
    work: Vec<f64>,
    taken: Vec<bool>,
}

impl Independent {
    /// Chooses among rows of length `n`.
    pub fn choose(&mut self, rows: &[f64], n: usize) {
        self.work.clear();
        self.work.extend_from_slice(rows);
        self.basis.clear();
        self.chosen.clear();
        let count = rows.len() / n.max(1);
        let chosen = &mut self.chosen;
        orthogonalise(&mut self.work, n, count, &mut self.taken, &mut self.basis, |k| chosen.push(k));
        self.chosen.sort_unstable();
    }

    /// Completes the choice by an orthonormal basis of its orthogonal complement.
    pub fn complete(&mut self, n: usize) {
        self.work.clear();
        self.work.resize(n * n, 0.0);
        for (k, row) in self.work.chunks_exact_mut(n.max(1)).enumerate() {
            row[k] = 1.0;
            for b in self.basis.chunks_exact(n) {
                remove(b, row);
            }
        }
        self.complement.clear();
        let left = n - self.basis.len() / n.max(1);
        orthogonalise(&mut self.work, n, left, &mut self.taken, &mut self.complement, |_| ());
    }
}

/// `x -= (b·x) b`
fn remove(b: &[f64], x: &mut [f64]) {
    let along: f64 = b.iter().zip(x.iter()).map(|(b, x)| b * x).sum();
    x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
}

/// Moves up to `most` rows of `work`, made orthonormal, into `basis`.
fn orthogonalise(
    work: &mut [f64],
    n: usize,
    most: usize,
    taken: &mut Vec<bool>,
    basis: &mut Vec<f64>,
    mut chosen: impl FnMut(usize),
) {
    let count = work.len() / n.max(1);
    taken.clear();
    taken.resize(count, false);
    let mut first = 0.0;
    for round in 0..most.min(count) {
        let length = |k: usize| work[k * n..(k + 1) * n].iter().map(|v| v * v).sum::<f64>().sqrt();
        let (best, longest) = (0..count)
            .filter(|&k| !taken[k])
            .map(|k| (k, length(k)))
            .fold((0, -1.0), |best, next| if next.1 > best.1 { next } else { best });
        if round == 0 {
            first = longest;
        }
        if !(longest > REDUNDANT_ROW * first) {
            return;
        }
        taken[best] = true;
        chosen(best);
        let row = &mut work[best * n..(best + 1) * n];
        row.iter_mut().for_each(|v| *v /= longest);
        // Rounding of the earlier subtractions, amplified by the division.
        for b in basis.chunks_exact(n) {
            remove(b, row);
        }
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        let start = basis.len();
        basis.extend(row.iter().map(|v| v / length));
        for (k, other) in work.chunks_exact_mut(n).enumerate() {
            if !taken[k] {
                remove(&basis[start..], other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_row_is_left_out_and_the_complement_is_orthogonal() {
        let a = [1.0, 2.0, 0.0, -1.0];
        let b = [0.5, 0.0, 3.0, 1.0];
        let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - 2.0 * b).collect();
        let rows: Vec<f64> = a.iter().chain(&b).chain(&sum).copied().collect();
        let mut choice = Independent::default();
        choice.choose(&rows, 4);
        assert_eq!(choice.chosen.len(), 2);
        choice.complete(4);
        assert_eq!(choice.complement.len(), 2 * 4);
        for (k, c) in choice.complement.chunks_exact(4).enumerate() {
            for row in rows.chunks_exact(4) {
                assert!(row.iter().zip(c).map(|(r, c)| r * c).sum::<f64>().abs() < 1e-14);
            }
            for (l, d) in choice.complement.chunks_exact(4).enumerate() {
                let dot: f64 = c.iter().zip(d).map(|(c, d)| c * d).sum();
                assert!((dot - if k == l { 1.0 } else { 0.0 }).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn no_rows_leave_everything_free() {
        let mut choice = Independent::default();
        choice.choose(&[], 3);
        choice.complete(3);
        assert!(choice.chosen.is_empty());
        assert_eq!(choice.complement.len(), 9);
    }
}
