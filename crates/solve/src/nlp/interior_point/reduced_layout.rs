//! Which variables and constraints take part: fixed variables and constraints without ends are left out.

use crate::error::{SolveError, in_range, interval};
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
            interval("bounds of variables", [variable; 2], (bound.lower, bound.upper))?;
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
            interval("bounds of constraints", [constraint; 2], (bound.lower, bound.upper))?;
            if *bound != Bound::FREE {
                row_of[constraint] = reduced.rows.len();
                reduced.rows.push(*bound);
                reduced.constraint_of.push(constraint);
            }
        }
        for (k, (&i, &j)) in layout.jacobian.rows.iter().zip(&layout.jacobian.columns).enumerate() {
            in_range("constraint", i, constraints)?;
            in_range("variable", j, variables)?;
            if row_of[i] != ABSENT && column_of[j] != ABSENT {
                reduced.jacobian.push((k, row_of[i], column_of[j]));
            }
        }
        for (k, (&i, &j)) in layout.hessian.rows.iter().zip(&layout.hessian.columns).enumerate() {
            in_range("variable", i, variables)?;
            in_range("variable", j, variables)?;
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
