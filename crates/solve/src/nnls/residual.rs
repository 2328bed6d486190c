//! The judge of nonnegative least squares. Calls no solver.

use super::NnlsSolution;
use crate::arithmetic::{accurate_dot, dot, max_abs, norm};
use crate::constraints::{ratio, worst_of};
use crate::error::{SolveError, length};
use nalgebra::DMatrix;

/// Relative errors of the optimality conditions, all zero for a perfect answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NnlsResidual {
    /// Most negative coefficient, relative to the largest.
    pub sign: f64,
    /// Largest cosine-like `|a . r| / (|a| |b|)` of a column in use with the residual r.
    pub stationarity: f64,
    /// Largest `a . r / (|a| |b|)` of any column: positive means that more of it would help.
    pub dual: f64,
    /// Error of the reported residual, relative to the size of its terms.
    pub consistency: f64,
}

impl NnlsResidual {
    /// The largest of the four.
    pub fn worst(&self) -> f64 {
        self.sign.max(self.stationarity).max(self.dual).max(self.consistency)
    }
}

/// Judges an answer, whichever solver it came from.
pub fn nnls_residual(
    a: &DMatrix<f64>,
    b: &[f64],
    solution: &NnlsSolution,
) -> Result<NnlsResidual, SolveError> {
    let (m, n) = a.shape();
    length("right-hand side", "row", m, b.len())?;
    length("solution", "column", n, solution.x.len())?;
    length("residual", "row", m, solution.residual.len())?;
    let (x, r) = (&solution.x, &solution.residual);
    let mut judged = NnlsResidual::default();
    for i in 0..m {
        let row: Vec<f64> = a.row(i).iter().map(|v| -v).collect();
        let exact = accurate_dot(b[i], &row, x);
        let size = b[i].abs() + max_abs(&row) * max_abs(x);
        worst_of(&mut judged.consistency, ratio((exact - r[i]).abs(), size));
    }
    for (j, &xj) in x.iter().enumerate() {
        let column = a.column(j);
        let column = column.as_slice();
        let angle = dot(column, r);
        let size = norm(column) * norm(b);
        worst_of(&mut judged.sign, ratio(-xj, max_abs(x)));
        worst_of(&mut judged.dual, ratio(angle, size));
        if xj != 0.0 {
            worst_of(&mut judged.stationarity, ratio(angle.abs(), size));
        }
    }
    Ok(judged)
}
