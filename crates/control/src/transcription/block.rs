//! A program as a sum of constraint blocks, each with few variables and rows.

use super::variables::NONE;
use super::workspace::Context;
pub(crate) use crate::tolerances::block::EPSILON;
use percussion_solve::nlp::{SparsityPattern, Undefined};

/// Undefined where forces or separations are.
pub type Evaluation = Result<(), Undefined>;

/// The row of the objective.
pub const OBJECTIVE: usize = usize::MAX - 1;

/// The central difference of a gradient that is evaluated with a step forwards and back, into `sides`.
pub fn central_difference(
    sides: &mut [Vec<f64>; 2],
    step: f64,
    mut gradient: impl FnMut(f64, &mut [f64]) -> Evaluation,
) -> Result<impl Iterator<Item = f64>, Undefined> {
    for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
        gradient(sign * step, side)?;
    }
    Ok(sides[0].iter().zip(&sides[1]).map(move |(forwards, back)| (forwards - back) / (2.0 * step)))
}

/// A few functions of a few variables: rows of constraints, or a part of the objective. Functions are added to rows of the program, each
/// times a factor.
pub trait ConstraintBlock {
    /// Its variables, [`NONE`] for those that are fixed; the rows of its functions with their factors, [`NONE`] for no row.
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]);

    /// Its functions.
    fn value(&self, context: &mut Context, out: &mut [f64]) -> Evaluation;

    /// Their derivatives, column by column: `out[variable * rows + row]`, zero on entry.
    fn jacobian(&self, context: &mut Context, out: &mut [f64]) -> Evaluation;

    /// The Hessian of their weighted sum, zero on entry; only its symmetric part counts. Not called if nothing curves or weighs.
    fn hessian(&self, _: &mut Context, _weights: &[f64], _out: &mut [f64]) -> Evaluation {
        Ok(())
    }

    /// Sparsity of the Jacobian: whether a function depends on a variable.
    fn depends(&self, _row: usize, _variable: usize) -> bool {
        true
    }

    /// Sparsity of the Hessian: whether a second derivative can differ from zero.
    fn curves(&self, _one: usize, _other: usize) -> bool {
        true
    }
}

/// A block with the places of its entries in the program's sparse matrices.
pub struct AssembledBlock {
    block: Box<dyn ConstraintBlock>,
    /// Entries of the Jacobian, in the order of the program's: places in the dense block.
    jacobian: Vec<u32>,
    /// Their factors; empty if all are one.
    factors: Vec<f64>,
    /// Entries of the gradient: variable, place, factor.
    gradient: Vec<(usize, usize, f64)>,
    /// Entries of the Hessian: two places in the dense block, of which the mean (or on the diagonal the one) counts.
    hessian: Vec<(u32, u32)>,
}

impl AssembledBlock {
    /// Registers the entries of a block.
    pub fn new(
        block: Box<dyn ConstraintBlock>,
        jacobian: &mut SparsityPattern,
        hessian: &mut SparsityPattern,
    ) -> Self {
        let (mut own, mut factors, mut gradient, mut curved) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        // Half the memory of a usize, and there are many; a dense block of more than 2^32 entries fits nowhere.
        let short = |place: usize| place as u32;
        let (variables, rows) = block.variables_and_rows();
        let n = variables.len();
        for (v, &variable) in variables.iter().enumerate().filter(|(_, variable)| **variable != NONE) {
            for (r, &(row, factor)) in rows.iter().enumerate() {
                let place = v * rows.len() + r;
                match row {
                    NONE => {}
                    OBJECTIVE => gradient.push((variable, place, factor)),
                    _ if block.depends(r, v) => {
                        own.push(short(place));
                        factors.push(factor);
                        jacobian.push(row, variable);
                    }
                    _ => {}
                }
            }
            for (w, &other) in variables.iter().enumerate().take(v + 1) {
                if other != NONE && block.curves(v, w) {
                    curved.push((short(v * n + w), short(w * n + v)));
                    hessian.push(variable.max(other), variable.min(other));
                }
            }
        }
        if factors.iter().all(|factor| *factor == 1.0) {
            factors.clear();
        }
        Self { block, jacobian: own, factors, gradient, hessian: curved }
    }

    /// Adds its functions to the rows; returns its part of the objective.
    pub fn add_value(
        &self,
        context: &mut Context,
        scratch: &mut Vec<f64>,
        constraints: &mut [f64],
    ) -> Result<f64, Undefined> {
        let (_, rows) = self.block.variables_and_rows();
        scratch.clear();
        scratch.resize(rows.len(), 0.0);
        self.block.value(context, scratch)?;
        let mut objective = 0.0;
        for (&(row, factor), value) in rows.iter().zip(scratch.iter()) {
            match row {
                NONE => {}
                OBJECTIVE => objective += factor * value,
                _ => constraints[row] += factor * value,
            }
        }
        Ok(objective)
    }

    /// Writes its entries of the Jacobian from `next` on, adds its part of the gradient; returns where it ended.
    pub fn put_jacobian(
        &self,
        context: &mut Context,
        scratch: &mut Vec<f64>,
        gradient: &mut [f64],
        (jacobian, next): (&mut [f64], usize),
    ) -> Result<usize, Undefined> {
        let (variables, rows) = self.block.variables_and_rows();
        scratch.clear();
        scratch.resize(rows.len() * variables.len(), 0.0);
        self.block.jacobian(context, scratch)?;
        for &(variable, place, factor) in &self.gradient {
            gradient[variable] += factor * scratch[place];
        }
        let entries = &mut jacobian[next..next + self.jacobian.len()];
        for (entry, &place) in entries.iter_mut().zip(&self.jacobian) {
            *entry = scratch[place as usize];
        }
        for (entry, factor) in entries.iter_mut().zip(&self.factors) {
            *entry *= factor;
        }
        Ok(next + self.jacobian.len())
    }

    /// Writes its entries of the Hessian from `next` on; returns where it ended.
    pub fn put_hessian(
        &self,
        context: &mut Context,
        scratch: &mut (Vec<f64>, Vec<f64>),
        (weight, multipliers): (f64, &[f64]),
        (hessian, next): (&mut [f64], usize),
    ) -> Result<usize, Undefined> {
        let (weights, block) = scratch;
        let (variables, rows) = self.block.variables_and_rows();
        weights.clear();
        weights.extend(rows.iter().map(|&(row, factor)| match row {
            NONE => 0.0,
            OBJECTIVE => factor * weight,
            _ => factor * multipliers[row],
        }));
        block.clear();
        block.resize(variables.len() * variables.len(), 0.0);
        if !self.hessian.is_empty() && weights.iter().any(|w| *w != 0.0) {
            self.block.hessian(context, weights, block)?;
        }
        for (entry, &(one, other)) in hessian[next..].iter_mut().zip(&self.hessian) {
            *entry = 0.5 * (block[one as usize] + block[other as usize]);
        }
        Ok(next + self.hessian.len())
    }
}
