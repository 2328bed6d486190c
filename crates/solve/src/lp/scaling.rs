//! Equilibration by powers of two: brings the entries of rows and columns near one without a rounding error,
//! so that tolerances mean the same for a satellite in centimetres and a station in hectometres.

use super::problem::LinearProgram;
use crate::arithmetic::max_abs;

/// A minimisation over the variables `x_scaled = x / column` and the rows `row * (A x)`.
pub(super) struct ScaledProgram {
    /// Variables.
    pub n: usize,
    /// Rows.
    pub m: usize,
    /// Row-major `m x n` coefficients.
    pub a: Vec<f64>,
    /// Largest absolute coefficient of each row.
    pub row_size: Vec<f64>,
    /// Objective of the minimisation.
    pub c: Vec<f64>,
    /// Lower sides: variables first, then rows.
    pub lower: Vec<f64>,
    /// Upper sides likewise.
    pub upper: Vec<f64>,
    /// Row factors.
    pub row: Vec<f64>,
    /// Column factors.
    pub column: Vec<f64>,
    /// Factor of the objective, negative for a maximisation.
    pub objective: f64,
}

/// Passes of geometric-mean scaling; more changes little.
const PASSES: usize = 3;

impl ScaledProgram {
    pub(super) fn new(problem: &LinearProgram) -> Self {
        let constraints = problem.constraints();
        let (n, m) = (problem.variables(), problem.rows());
        let mut a: Vec<f64> = Vec::with_capacity(m * n);
        for i in 0..m {
            a.extend_from_slice(constraints.row(i));
        }
        let mut row = vec![1.0; m];
        let mut column = vec![1.0; n];
        for _ in 0..PASSES {
            for i in 0..m {
                row[i] = factor((0..n).map(|j| a[i * n + j] * column[j]));
            }
            for j in 0..n {
                column[j] = factor((0..m).map(|i| a[i * n + j] * row[i]));
            }
        }
        for i in 0..m {
            for j in 0..n {
                a[i * n + j] *= row[i] * column[j];
            }
        }
        let row_size = a.chunks(n).map(max_abs).collect();
        let mut c: Vec<f64> = problem.objective().iter().zip(&column).map(|(c, f)| c * f).collect();
        let size = power_of_two(max_abs(&c));
        let objective = if problem.is_maximisation() { -1.0 / size } else { 1.0 / size };
        c.iter_mut().for_each(|v| *v *= objective);

        let sides = (0..n).map(|j| (constraints.bounds(j), 1.0 / column[j]));
        let sides = sides.chain((0..m).map(|i| (constraints.row_bounds(i), row[i])));
        let (lower, upper) = sides.map(|((l, u), f)| (l * f, u * f)).unzip();
        Self { n, m, a, row_size, c, lower, upper, row, column, objective }
    }
}

/// Power of two that brings the geometric mean of the smallest and largest entry near one.
fn factor(entries: impl Iterator<Item = f64>) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for v in entries.map(f64::abs).filter(|v| *v > 0.0) {
        low = low.min(v);
        high = high.max(v);
    }
    // Entries a millionth of the largest are as good as absent: they must not blow up the others.
    if high == 0.0 { 1.0 } else { 1.0 / power_of_two(low.max(1e-6 * high).sqrt() * high.sqrt()) }
}

/// Power of two nearest below or at a positive number; one for zero. The exponent is kept where products of two
/// factors with any coefficient stay finite.
fn power_of_two(v: f64) -> f64 {
    if v > 0.0 { 2f64.powi((v.log2().floor() as i32).clamp(-300, 300)) } else { 1.0 }
}
