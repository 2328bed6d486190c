//! The program of the algorithm: rows scaled, fixed variables and free constraints left out, time and calls counted.

use super::reduced_layout::ReducedLayout;
use crate::nlp::problem::{Bound, Program};
use crate::tolerances::interior_point::CONSTRAINT_ROUNDING;
use std::time::{Duration, Instant};

/// A program with its scales and its full vectors.
pub(super) struct ScaledProgram<'a, P: Program> {
    pub program: &'a mut P,
    pub reduced: &'a ReducedLayout,
    /// Factors of the rows.
    pub scales: Vec<f64>,
    values: Vec<f64>,
    gradient: Vec<f64>,
    jacobian: Vec<f64>,
    hessian: Vec<f64>,
    multipliers: Vec<f64>,
    step: Vec<f64>,
    coordinates: Vec<f64>,
    /// Evaluations so far.
    pub evaluations: usize,
    /// Time spent in the program.
    pub time: Duration,
    /// Why the program had no value where it was last evaluated, if so.
    pub undefined: Option<String>,
}

impl<'a, P: Program> ScaledProgram<'a, P> {
    pub fn new(program: &'a mut P, reduced: &'a ReducedLayout) -> Self {
        let (n, m) = (reduced.variables, reduced.constraints);
        Self {
            program,
            scales: vec![1.0; reduced.rows.len()],
            values: vec![0.0; m],
            gradient: vec![0.0; n],
            jacobian: vec![0.0; reduced.entries.0],
            hessian: vec![0.0; reduced.entries.1],
            multipliers: vec![0.0; m],
            step: vec![0.0; n],
            coordinates: vec![0.0; n],
            reduced,
            evaluations: 0,
            time: Duration::ZERO,
            undefined: None,
        }
    }

    /// Bounds of a row, scaled.
    pub fn row_bound(&self, row: usize) -> Bound {
        let Bound { lower, upper } = self.reduced.rows[row];
        Bound { lower: lower * self.scales[row], upper: upper * self.scales[row] }
    }

    /// Moves fixed variables to where they belong.
    pub fn fix(&mut self, from: &P::Point, to: &mut P::Point) {
        self.program.coordinates(from, &mut self.coordinates);
        self.step.fill(0.0);
        for &(variable, value) in &self.reduced.fixed {
            self.step[variable] = value - self.coordinates[variable];
        }
        self.program.retract(from, &self.step, to);
    }

    /// Moves a point by a multiple of a step of the columns.
    pub fn retract(&mut self, from: &P::Point, alpha: f64, step: &[f64], to: &mut P::Point) {
        let start = Instant::now();
        self.step.fill(0.0);
        for (&variable, d) in self.reduced.variable_of.iter().zip(step) {
            self.step[variable] = alpha * d;
        }
        self.program.retract(from, &self.step, to);
        self.time += start.elapsed();
    }

    /// Reads the columns that have bounds.
    pub fn coordinates(&mut self, at: &P::Point, w: &mut [f64]) {
        self.program.coordinates(at, &mut self.coordinates);
        for (j, (&variable, bound)) in self.reduced.variable_of.iter().zip(&self.reduced.columns).enumerate()
        {
            if *bound != Bound::FREE {
                w[j] = self.coordinates[variable];
            }
        }
    }

    /// The objective, unscaled, and the rows. `None` where there are none.
    pub fn evaluate(&mut self, at: &P::Point, rows: &mut [f64]) -> Option<f64> {
        let start = Instant::now();
        let value = self.program.evaluate(at, &mut self.values);
        self.time += start.elapsed();
        self.evaluations += 1;
        let why = match value {
            Ok(f) if f.is_finite() => {
                for (row, c) in rows.iter_mut().enumerate() {
                    *c = self.scales[row] * self.values[self.reduced.constraint_of[row]];
                }
                let Some(row) = rows.iter().position(|c| !c.is_finite()) else { return Some(f) };
                let name = self.program.constraint_name(self.reduced.constraint_of[row]);
                format!("{name} is not a number")
            }
            Ok(_) => "the objective is not a number".into(),
            Err(why) => why.0,
        };
        self.undefined = Some(why);
        None
    }

    /// The gradient of the objective, unscaled, and the Jacobian of the rows. Whether there are any.
    pub fn differentiate(&mut self, at: &P::Point, gradient: &mut [f64], jacobian: &mut [f64]) -> bool {
        let start = Instant::now();
        let value = self.program.differentiate(at, &mut self.gradient, &mut self.jacobian);
        self.time += start.elapsed();
        if let Err(why) = value {
            self.undefined = Some(why.0);
            return false;
        }
        for (g, &variable) in gradient.iter_mut().zip(&self.reduced.variable_of) {
            *g = self.gradient[variable];
        }
        for (value, &(entry, row, _)) in jacobian.iter_mut().zip(&self.reduced.jacobian) {
            *value = self.scales[row] * self.jacobian[entry];
        }
        let finite = gradient.iter().chain(jacobian.iter()).all(|v| v.is_finite());
        if !finite {
            self.undefined = Some("a first derivative is not a number".into());
        }
        finite
    }

    /// The Hessian of `weight f + Σ y c`. Whether there is one.
    pub fn lagrangian_hessian(&mut self, at: &P::Point, weight: f64, y: &[f64], hessian: &mut [f64]) -> bool {
        self.multipliers.fill(0.0);
        for (row, &constraint) in self.reduced.constraint_of.iter().enumerate() {
            self.multipliers[constraint] = y[row] * self.scales[row];
        }
        let start = Instant::now();
        let value = self.program.lagrangian_hessian(at, weight, &self.multipliers, &mut self.hessian);
        self.time += start.elapsed();
        if value.is_err() || self.reduced.hessian.iter().any(|&(entry, ..)| !self.hessian[entry].is_finite())
        {
            return false;
        }
        for (value, &(entry, ..)) in hessian.iter_mut().zip(&self.reduced.hessian) {
            *value = self.hessian[entry];
        }
        true
    }

    /// Whether all constraints hold to a tolerance in the program's units, or to rounding.
    pub fn holds(&self, rows: &[f64], tolerance: f64) -> bool {
        let mut each = rows.iter().zip(&self.scales).zip(&self.reduced.rows);
        each.all(|((c, scale), bound)| {
            let value = c / scale;
            bound.violation(value) <= tolerance.max(CONSTRAINT_ROUNDING * value.abs())
        })
    }

    /// Largest violation of a constraint, in the program's units.
    pub fn violation(&self, rows: &[f64]) -> f64 {
        let each = rows.iter().zip(&self.scales).zip(&self.reduced.rows);
        each.fold(0.0, |worst: f64, ((c, scale), bound)| worst.max(bound.violation(c / scale)))
    }
}
