//! Equilibration by powers of two: brings the entries of rows and columns near one without a rounding error,
//! so that tolerances mean the same for a satellite in centimetres and a station in hectometres.
//!
//! The geometric means of the entries of every row and column go to one, the least-squares fit of Curtis and Reid
//! (1972) by alternation, and then the largest entry of every row. Largest entries alone would not do (in the
//! rows `x . alpha - a` of a small body x they are the ones of a), nor would smallest ones, often rounding.

use super::problem::LinearProgram;
use crate::arithmetic::max_abs;
use crate::tolerances::lp::NOISE;

/// A minimisation over the variables `x_scaled = x / column` and the rows `row * (A x)`.
pub(super) struct ScaledProgram {
    /// Variables.
    pub n: usize,
    /// Rows.
    pub m: usize,
    /// Row-major `m x n` coefficients.
    pub a: Vec<f64>,
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

/// Alternations; more change little.
const PASSES: usize = 5;

/// Factors stay where the product of two of them with any sensible coefficient is finite.
const LARGEST_POWER: i32 = 300;

impl ScaledProgram {
    pub(super) fn new(problem: &LinearProgram) -> Self {
        let constraints = problem.constraints();
        let (n, m) = (problem.variables(), problem.rows());
        let mut a: Vec<f64> = (0..m).flat_map(|i| constraints.row(i)).copied().collect();
        let row_largest: Vec<f64> = a.chunks(n).map(max_abs).collect();
        let column_largest: Vec<f64> =
            (0..n).map(|j| (0..m).fold(0.0, |l: f64, i| l.max(a[i * n + j].abs()))).collect();
        // Binary logarithms; minus infinity has no say.
        let logarithm = |i: usize, j: usize| {
            let entry = a[i * n + j].abs();
            let noise = NOISE * row_largest[i].max(column_largest[j]);
            if entry > noise { entry.log2() } else { f64::NEG_INFINITY }
        };
        let logarithms: Vec<f64> = (0..m * n).map(|k| logarithm(k / n, k % n)).collect();
        let (mut row, mut column) = (vec![0.0; m], vec![0.0; n]);
        for _ in 0..PASSES {
            for i in 0..m {
                row[i] = -mean((0..n).map(|j| logarithms[i * n + j] + column[j]));
            }
            for j in 0..n {
                column[j] = -mean((0..m).map(|i| logarithms[i * n + j] + row[i]));
            }
        }
        for i in 0..m {
            let sums = (0..n).map(|j| logarithms[i * n + j] + column[j]);
            let largest = sums.fold(f64::NEG_INFINITY, f64::max);
            row[i] = if largest.is_finite() { -largest } else { 0.0 };
        }
        let power = |log: &f64| 2f64.powi((log.round() as i32).clamp(-LARGEST_POWER, LARGEST_POWER));
        let row: Vec<f64> = row.iter().map(power).collect();
        let column: Vec<f64> = column.iter().map(power).collect();
        for i in 0..m {
            for j in 0..n {
                a[i * n + j] *= row[i] * column[j];
            }
        }
        let mut c: Vec<f64> = problem.objective().iter().zip(&column).map(|(c, f)| c * f).collect();
        let largest = max_abs(&c);
        let size = if largest > 0.0 { power(&largest.log2()) } else { 1.0 };
        let objective = if problem.is_maximisation() { -1.0 / size } else { 1.0 / size };
        c.iter_mut().for_each(|v| *v *= objective);

        let sides = (0..n).map(|j| (constraints.bounds(j), 1.0 / column[j]));
        let sides = sides.chain((0..m).map(|i| (constraints.row_bounds(i), row[i])));
        let (lower, upper) = sides.map(|((l, u), f)| (l * f, u * f)).unzip();
        Self { n, m, a, c, lower, upper, row, column, objective }
    }
}

/// Mean of the finite entries; zero if there is none.
fn mean(entries: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for v in entries.filter(|v| v.is_finite()) {
        sum += v;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}
