//! Pieces without mechanics: efforts, and sums of numbers.

use super::piece::{Context, OBJECTIVE, Piece};
use super::point::{NONE, Point};
use percussion_solve::nlp::Undefined;

/// The price of the efforts of an interval, `σ h Σ w τ²`.
pub struct Effort {
    weights: Vec<f64>,
    step: f64,
    variables: Vec<usize>,
}

const TO_OBJECTIVE: [(usize, f64); 1] = [(OBJECTIVE, 1.0)];

impl Effort {
    /// Of an interval.
    pub fn new(context: &Context, interval: usize) -> Self {
        let (plan, numbering) = (&context.plan, &context.numbering);
        let each = plan.actuators.iter().map(|a| (a.control.components(), a.weight * plan.effort));
        let weights: Vec<f64> = each.flat_map(|(count, w)| std::iter::repeat_n(w, count)).collect();
        let first = numbering.efforts[interval];
        let mut variables: Vec<usize> = (first..first + weights.len()).collect();
        let mut step = plan.step;
        match numbering.scales {
            NONE => {
                step = plan.times.total.lower / plan.intervals as f64;
                variables.push(NONE);
            }
            scales => variables.push(scales + plan.segment(interval)),
        }
        Self { weights, step, variables }
    }

    fn efforts<'a>(&self, at: &'a Point) -> &'a [f64] {
        match self.variables.first() {
            Some(&first) if !self.weights.is_empty() => &at.numbers[first..first + self.weights.len()],
            _ => &[],
        }
    }

    fn length(&self, at: &Point) -> f64 {
        let scale = self.variables[self.weights.len()];
        self.step * if scale == NONE { 1.0 } else { at.numbers[scale] }
    }

    fn price(&self, at: &Point) -> f64 {
        self.efforts(at).iter().zip(&self.weights).map(|(t, w)| w * t * t).sum()
    }
}

impl Piece for Effort {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &TO_OBJECTIVE
    }

    fn value(&self, _: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        out[0] = self.length(at) * self.price(at);
        Ok(())
    }

    fn jacobian(&self, _: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let length = self.length(at);
        for ((o, t), w) in out.iter_mut().zip(self.efforts(at)).zip(&self.weights) {
            *o = 2.0 * length * w * t;
        }
        out[self.weights.len()] = self.step * self.price(at);
        Ok(())
    }

    fn hessian(
        &self,
        _: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let (m, all) = (self.weights.len(), self.weights.len() + 1);
        let length = self.length(at);
        for (i, (t, w)) in self.efforts(at).iter().zip(&self.weights).enumerate() {
            out[i * all + i] = 2.0 * length * w * weights[0];
            out[i * all + m] = 2.0 * self.step * w * t * weights[0];
            out[m * all + i] = out[i * all + m];
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        one == other && one < self.weights.len() || one.max(other) == self.weights.len() && one != other
    }
}

/// Sums of numbers: `Σ coefficient x` added to rows.
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

impl Piece for Linear {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(&self, _: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        for &(r, v, coefficient) in &self.entries {
            out[r] += coefficient * at.numbers[self.variables[v]];
        }
        Ok(())
    }

    fn jacobian(&self, _: &mut Context, _: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        for &(r, v, coefficient) in &self.entries {
            out[v * self.rows.len() + r] += coefficient;
        }
        Ok(())
    }

    fn hessian(&self, _: &mut Context, _: &Point, _: &[f64], _: &mut [f64]) -> Result<(), Undefined> {
        Ok(())
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        self.entries.iter().any(|&(r, v, _)| (r, v) == (row, variable))
    }

    fn curves(&self, _: usize, _: usize) -> bool {
        false
    }
}
