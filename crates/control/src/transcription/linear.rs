//! Linear functions of scalar variables.

use super::Evaluation;
use super::block::ConstraintBlock;
use super::workspace::Context;

/// `Σ coefficient x`, added to rows.
pub struct Linear {
    rows: Vec<(usize, f64)>,
    /// Local row, local variable, coefficient.
    entries: Vec<(usize, usize, f64)>,
    variables: Vec<usize>,
}

impl Linear {
    /// From rows, variables and coefficients.
    pub fn new(terms: &[(usize, usize, f64)]) -> Self {
        let (mut rows, mut variables, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for &(row, variable, coefficient) in terms {
            let r = place(&mut rows, (row, 1.0));
            let v = place(&mut variables, variable);
            entries.push((r, v, coefficient));
        }
        Self { rows, entries, variables }
    }
}

fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    match list.iter().position(|x| *x == item) {
        Some(at) => at,
        None => {
            list.push(item);
            list.len() - 1
        }
    }
}

impl ConstraintBlock for Linear {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.rows)
    }

    fn value(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        for &(r, v, coefficient) in &self.entries {
            out[r] += coefficient * context.at.scalars[self.variables[v]];
        }
        Ok(())
    }

    fn jacobian(&self, _: &mut Context, out: &mut [f64]) -> Evaluation {
        for &(r, v, coefficient) in &self.entries {
            out[v * self.rows.len() + r] += coefficient;
        }
        Ok(())
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        self.entries.iter().any(|&(r, v, _)| (r, v) == (row, variable))
    }

    fn curves(&self, _: usize, _: usize) -> bool {
        false
    }
}
