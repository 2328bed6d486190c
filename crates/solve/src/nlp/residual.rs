//! KKT residual of nonlinear programs: how far a point with multipliers is from the conditions of first order. Calls no solver.
//!
//! ```text
//! ∇f + Jᵀ y - lower + upper = 0,   l ≤ c ≤ u,   l ≤ x ≤ u,
//! y ≤ 0 where only l can hold, y ≥ 0 where only u can,   lower, upper ≥ 0,   multiplier · slack = 0
//! ```

use super::problem::{Bound, Program};
use super::solution::Multipliers;
use crate::constraints::worst_of;
use crate::error::SolveError;
use crate::tolerances::kkt::SIGNIFICANT;

/// Errors of the conditions of first order in the program's own units, all zero for a perfect answer; infinite where the
/// program has no value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KktResidual {
    /// Largest entry of the gradient of the Lagrangian.
    pub stationarity: f64,
    /// The same, each entry relative to the largest of its terms, all terms not less than a millionth of the largest of all.
    pub relative_stationarity: f64,
    /// Largest violation of a constraint.
    pub constraints: f64,
    /// Largest violation of a variable's bound.
    pub bounds: f64,
    /// Largest product of a multiplier and the slack of the end that it belongs to.
    pub complementarity: f64,
    /// Largest multiplier of the wrong sign: of a bound below zero, or pulling where there is no end to pull at.
    pub sign: f64,
}

impl KktResidual {
    const UNDEFINED: Self = Self {
        stationarity: f64::INFINITY,
        relative_stationarity: f64::INFINITY,
        constraints: f64::INFINITY,
        bounds: f64::INFINITY,
        complementarity: f64::INFINITY,
        sign: f64::INFINITY,
    };

    /// The largest of all but the relative one.
    pub fn worst(&self) -> f64 {
        self.stationarity.max(self.violation()).max(self.complementarity).max(self.sign)
    }

    /// The larger violation, of constraints or bounds.
    pub fn violation(&self) -> f64 {
        self.constraints.max(self.bounds)
    }
}

/// Residual of a point with multipliers, whichever solver they came from.
pub fn kkt_residual<P: Program>(
    program: &mut P,
    at: &P::Point,
    multipliers: &Multipliers,
) -> Result<KktResidual, SolveError> {
    let layout = program.layout();
    let (n, m) = (layout.variables.len(), layout.constraints.len());
    let Multipliers { constraints: y, lower, upper } = multipliers;
    multipliers.check_lengths(n, m)?;
    let mut values = vec![0.0; m];
    let mut gradient = vec![0.0; n];
    let mut entries = vec![0.0; layout.jacobian.len()];
    let mut coordinates = vec![0.0; n];
    if program.evaluate(at, &mut values).is_err()
        || program.differentiate(at, &mut gradient, &mut entries).is_err()
    {
        return Ok(KktResidual::UNDEFINED);
    }
    program.coordinates(at, &mut coordinates);

    let layout = program.layout();
    let mut terms: Vec<f64> = gradient.iter().map(|g| g.abs()).collect();
    for (k, &value) in entries.iter().enumerate() {
        let (row, column) = (layout.jacobian.rows[k], layout.jacobian.columns[k]);
        gradient[column] += value * y[row];
        terms[column] = terms[column].max((value * y[row]).abs());
    }
    let mut residual = KktResidual::default();
    let largest = terms.iter().fold(0.0, |a: f64, b| a.max(*b));
    for j in 0..n {
        let bound = layout.variables[j];
        // Multipliers of a fixed variable are not compared.
        let left = if bound.is_equation() { 0.0 } else { (gradient[j] - lower[j] + upper[j]).abs() };
        let size = terms[j].max(lower[j].abs()).max(upper[j].abs()).max(SIGNIFICANT * largest);
        worst_of(&mut residual.stationarity, left);
        worst_of(&mut residual.relative_stationarity, if left == 0.0 { 0.0 } else { left / size });
        if bound == Bound::FREE {
            worst_of(&mut residual.sign, lower[j].abs().max(upper[j].abs()));
            continue;
        }
        worst_of(&mut residual.bounds, bound.violation(coordinates[j]));
        if !bound.is_equation() {
            end(&mut residual, -lower[j], bound, coordinates[j]);
            end(&mut residual, upper[j], bound, coordinates[j]);
            worst_of(&mut residual.sign, (-lower[j]).max(-upper[j]).max(0.0));
        }
    }
    for i in 0..m {
        let bound = layout.constraints[i];
        worst_of(&mut residual.constraints, bound.violation(values[i]));
        if !bound.is_equation() {
            end(&mut residual, y[i], bound, values[i]);
        }
    }
    Ok(residual)
}

/// The multiplier of one end: positive pushes down from the upper one, negative up from the lower one.
fn end(residual: &mut KktResidual, multiplier: f64, bound: Bound, value: f64) {
    let slack = if multiplier > 0.0 { bound.upper - value } else { value - bound.lower };
    if multiplier != 0.0 {
        if slack.is_infinite() {
            worst_of(&mut residual.sign, multiplier.abs());
        } else {
            worst_of(&mut residual.complementarity, (multiplier * slack).abs());
        }
    }
}
