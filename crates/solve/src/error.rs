//! Misuse of a solver. What the mathematics answers (infeasible, unbounded) is an outcome, not an error.

use thiserror::Error;

/// A problem that cannot be posed as given: names the place and the remedy.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolveError {
    /// A problem without variables, points or columns.
    #[error("{what} is empty: give at least one entry")]
    Empty {
        /// The argument.
        what: &'static str,
    },
    /// A list whose length does not fit the problem.
    #[error("{what} has {found} entries where {expected} are needed: one per {per}")]
    Length {
        /// The argument.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
        /// The owner of each entry.
        per: &'static str,
    },
    /// NaN, or an infinity where only numbers make sense.
    #[error("{what}, entry {index}, is {value}: replace it by a finite number")]
    NotFinite {
        /// The argument.
        what: &'static str,
        /// Position in the argument.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// An index beyond the last variable or constraint.
    #[error("there is no {what} {index}: the problem has {count}, counted from 0")]
    OutOfRange {
        /// What was indexed.
        what: &'static str,
        /// The index given.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A lower bound above its upper bound.
    #[error(
        "lower bound {lower} exceeds upper bound {upper}: swap them, or give two separate rows if the problem is \
         meant to be infeasible"
    )]
    CrossedBounds {
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// A Hessian that differs from its transpose.
    #[error(
        "the Hessian is not symmetric at ({row}, {column}): give (G + Gᵀ)/2, which has the same quadratic form"
    )]
    NotSymmetric {
        /// Row of the worst entry.
        row: usize,
        /// Column of the worst entry.
        column: usize,
    },
    /// A Hessian on which the Cholesky factorisation fails.
    #[error(
        "the Hessian is not positive definite (pivot {pivot:e} at variable {index}): add a small multiple of the \
         identity, or remove variables that do not enter the objective"
    )]
    NotPositiveDefinite {
        /// The variable whose pivot is not positive.
        index: usize,
        /// That pivot.
        pivot: f64,
    },
    /// A setting that must be positive.
    #[error("the {what} is {value}: give a positive number")]
    NotPositive {
        /// The setting.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The chosen method cannot express the problem.
    #[error("{method} cannot solve this problem: it needs {needs}")]
    Unsuitable {
        /// The method.
        method: &'static str,
        /// What it needs.
        needs: &'static str,
    },
}

/// Rejects NaN and infinities.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<(), SolveError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(SolveError::NotFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

/// Rejects indices beyond the last.
pub(crate) fn in_range(what: &'static str, index: usize, count: usize) -> Result<(), SolveError> {
    if index < count { Ok(()) } else { Err(SolveError::OutOfRange { what, index, count }) }
}

/// Rejects intervals whose ends are not numbers or the right infinities, or are crossed; with the positions of both ends.
pub(crate) fn interval(
    what: &'static str,
    positions: [usize; 2],
    (lower, upper): (f64, f64),
) -> Result<(), SolveError> {
    for (value, wrong, index) in
        [(lower, f64::INFINITY, positions[0]), (upper, f64::NEG_INFINITY, positions[1])]
    {
        if value.is_nan() || value == wrong {
            return Err(SolveError::NotFinite { what, index, value });
        }
    }
    if lower > upper { Err(SolveError::CrossedBounds { lower, upper }) } else { Ok(()) }
}

/// Rejects lists of the wrong length.
pub(crate) fn length(
    what: &'static str,
    per: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), SolveError> {
    if expected == found { Ok(()) } else { Err(SolveError::Length { what, expected, found, per }) }
}
