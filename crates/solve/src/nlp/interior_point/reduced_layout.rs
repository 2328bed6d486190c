//! Which variables and constraints take part: fixed variables and constraints without ends are left out.

use crate::error::SolveError;
use crate::nlp::problem::{Bound, Layout};

/// Marks what takes no part.
const ABSENT: usize = usize::MAX;

/// The part of a layout that is solved for, with columns and rows of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct ReducedLayout {
    /// Variables of the program, fixed ones too.
    pub variables: usize,
    /// Constraints of the program.
    pub constraints: usize,
    /// The variable of each column.
    pub variable_of: Vec<usize>,
    /// The constraint of each row.
    pub constraint_of: Vec<usize>,
    /// The variables that cannot move, with their values.
    pub fixed: Vec<(usize, f64)>,
    /// Bounds of the columns.
    pub columns: Vec<Bound>,
    /// How far columns may move in one step; infinite without a limit.
    pub step_limits: Vec<f64>,
    /// Bounds of the rows.
    pub rows: Vec<Bound>,
    /// Entries of the Jacobian: position in the layout, row, column.
    pub jacobian: Vec<(usize, usize, usize)>,
    /// Entries of the Hessian's lower triangle: position in the layout, row, column.
    pub hessian: Vec<(usize, usize, usize)>,
    /// Entries of the layout's Jacobian and Hessian.
    pub entries: (usize, usize),
}

impl ReducedLayout {
    /// Reads a layout, and refuses one that is none.
    pub fn new(layout: &Layout) -> Result<Self, SolveError> {
        let (variables, constraints) = (layout.variables.len(), layout.constraints.len());
        if variables == 0 {
            return Err(SolveError::Empty { what: "the list of variables" });
        }
        let mut reduced = Self {
            variables,
            constraints,
            entries: (layout.jacobian.len(), layout.hessian.len()),
            ..Self::default()
        };
        let mut column_of = vec![ABSENT; variables];
        for (variable, bound) in layout.variables.iter().enumerate() {
            check_bound("bounds of variables", variable, bound)?;
            if bound.is_equation() {
                reduced.fixed.push((variable, bound.lower));
            } else {
                column_of[variable] = reduced.columns.len();
                reduced.columns.push(*bound);
                reduced.step_limits.push(layout.step_limits.get(variable).copied().unwrap_or(f64::INFINITY));
                reduced.variable_of.push(variable);
            }
        }
        let mut row_of = vec![ABSENT; constraints];
        for (constraint, bound) in layout.constraints.iter().enumerate() {
            check_bound("bounds of constraints", constraint, bound)?;
            if *bound != Bound::FREE {
                row_of[constraint] = reduced.rows.len();
                reduced.rows.push(*bound);
                reduced.constraint_of.push(constraint);
            }
        }
        for (k, (&i, &j)) in layout.jacobian.rows.iter().zip(&layout.jacobian.columns).enumerate() {
            check_index("constraint", i, constraints)?;
            check_index("variable", j, variables)?;
            if row_of[i] != ABSENT && column_of[j] != ABSENT {
                reduced.jacobian.push((k, row_of[i], column_of[j]));
            }
        }
        for (k, (&i, &j)) in layout.hessian.rows.iter().zip(&layout.hessian.columns).enumerate() {
            check_index("variable", i, variables)?;
            check_index("variable", j, variables)?;
            let (a, b) = (column_of[i], column_of[j]);
            if a != ABSENT && b != ABSENT {
                reduced.hessian.push((k, a.max(b), a.min(b)));
            }
        }
        Ok(reduced)
    }

    /// Whether both have the same sparsity pattern.
    pub fn same_pattern(&self, other: &Self) -> bool {
        self.columns.len() == other.columns.len()
            && self.rows.len() == other.rows.len()
            && self.jacobian == other.jacobian
            && self.hessian == other.hessian
    }
}

fn check_bound(what: &'static str, index: usize, bound: &Bound) -> Result<(), SolveError> {
    let Bound { lower, upper } = *bound;
    let odd = |v: f64, allowed: f64| v.is_nan() || (v.is_infinite() && v != allowed);
    for (value, allowed) in [(lower, f64::NEG_INFINITY), (upper, f64::INFINITY)] {
        if odd(value, allowed) {
            return Err(SolveError::NotFinite { what, index, value });
        }
    }
    if lower > upper { Err(SolveError::CrossedBounds { lower, upper }) } else { Ok(()) }
}

fn check_index(what: &'static str, index: usize, count: usize) -> Result<(), SolveError> {
    if index < count { Ok(()) } else { Err(SolveError::OutOfRange { what, index, count }) }
}
