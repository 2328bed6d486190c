//! The start: an interior point, scales, first multipliers.

use super::options::{Options, Warm};
use super::phase::Phase;
use super::run::{Exit, Search};
use super::shape::Shape;
use crate::arithmetic::max_abs;
use crate::error::{SolveError, length};
use crate::nlp::answer::{Record, Watch};
use crate::nlp::problem::{Bound, Program};

/// How far inside its bounds a variable begins: relative to the bound and to the distance of both.
const PUSH: f64 = 1e-2;
const PUSH_WARM: f64 = 1e-9;
/// Bounds give way by this share of the tolerance of constraints: a program may have no strictly feasible point.
const RELAXATION: f64 = 0.1;
/// Entries of a row of the Jacobian are scaled into this range.
const ROW_RANGE: (f64, f64) = (1e-2, 1e2);
/// Scales of rows and objective at most.
const MOST_ROW: f64 = 1e4;
const MOST_OBJECTIVE: f64 = 1e10;
/// The least length of a step that matters: together with the curvature a least gradient.
const LENGTH: f64 = 1e-4;
/// Multipliers above this are not believed at the start.
const LARGE: f64 = 1e3;

/// Refuses settings that make no sense.
pub(super) fn check(options: &Options, shape: &Shape) -> Result<(), SolveError> {
    let numbers =
        [options.tolerance, options.constraint_tolerance, options.acceptable_tolerance, options.barrier];
    if let Some(index) = numbers.iter().position(|v| !(v.is_finite() && *v > 0.0)) {
        return Err(SolveError::NotPositive {
            what: ["tolerance", "constraint tolerance", "acceptable tolerance", "barrier parameter"][index],
            value: numbers[index],
        });
    }
    if let Some(warm) = &options.warm {
        if !(warm.barrier.is_finite() && warm.barrier > 0.0) {
            return Err(SolveError::NotPositive {
                what: "barrier parameter of a warm start",
                value: warm.barrier,
            });
        }
        if let Some(value) = warm.scale.filter(|s| !(s.is_finite() && *s > 0.0)) {
            return Err(SolveError::NotPositive { what: "scale of a warm start", value });
        }
        let m = &warm.multipliers;
        length("multipliers of constraints", "constraint", shape.constraints, m.constraints.len())?;
        length("multipliers of lower bounds", "variable", shape.variables, m.lower.len())?;
        length("multipliers of upper bounds", "variable", shape.variables, m.upper.len())?;
        crate::error::all_finite("multipliers of constraints", &m.constraints)?;
        crate::error::all_finite("multipliers of lower bounds", &m.lower)?;
        crate::error::all_finite("multipliers of upper bounds", &m.upper)?;
    }
    Ok(())
}

impl<P: Program> Search<'_, P> {
    /// Begins, and runs to the end.
    pub fn begin_at(&mut self, start: &P::Point) -> (Exit, Phase) {
        let shape = self.scaled.shape;
        let mut phase = Phase::new(shape, |row| self.scaled.row_bound(row));
        self.scaled.fix(start, &mut self.point);
        self.push_columns(&mut phase);
        if !self.evaluate_here(&mut phase) {
            let why = self.scaled.undefined.take().unwrap_or_default();
            return (Exit::Stalled(format!("the program has no value at the start: {why}")), phase);
        }
        self.scale_rows(&mut phase);
        let mut phase = {
            let relaxation = RELAXATION * self.options.constraint_tolerance;
            let mut scaled = Phase::new(shape, |row| self.scaled.row_bound(row));
            scaled.relax(relaxation, &self.scaled.scales);
            scaled.now = phase.now;
            scaled
        };
        self.push_locals(&mut phase);
        phase.mu = self.options.barrier;
        self.first_multipliers(&mut phase);
        let record = Record {
            objective: phase.now.f,
            primal: self.scaled.violation(&phase.now.c),
            dual: phase.errors(0.0).gradient,
            log_barrier: phase.mu.log10(),
            ..Record::default()
        };
        if (self.watch)(&record) == Watch::Stop {
            return (Exit::Stopped, phase);
        }
        let exit = self.run_past_saddles(&mut phase);
        (exit, phase)
    }

    fn push(&self) -> f64 {
        if self.options.warm.is_some() { PUSH_WARM } else { PUSH }
    }

    /// Moves variables inside their bounds.
    fn push_columns(&mut self, phase: &mut Phase) {
        let n = phase.columns();
        self.scaled.coordinates(&self.point, &mut phase.now.w);
        let push = self.push();
        for j in 0..n {
            let bound = Bound { lower: phase.lower[j], upper: phase.upper[j] };
            phase.step.w[j] =
                if bound == Bound::FREE { 0.0 } else { inside(phase.now.w[j], bound, push) - phase.now.w[j] };
        }
        if phase.step.w[..n].iter().any(|d| *d != 0.0) {
            self.scaled.moved(&self.point, 1.0, &phase.step.w[..n], &mut self.trial_point);
            std::mem::swap(&mut self.point, &mut self.trial_point);
            self.scaled.coordinates(&self.point, &mut phase.now.w);
        }
    }

    fn evaluate_here(&mut self, phase: &mut Phase) -> bool {
        let now = &mut phase.now;
        match self.scaled.evaluate(&self.point, &mut now.c) {
            Some(f) => {
                now.f = f;
                self.scaled.differentiate(&self.point, &mut now.gradient, &mut now.jacobian)
            }
            None => false,
        }
    }

    /// Brings the entries of every row into range.
    fn scale_rows(&mut self, phase: &mut Phase) {
        let mut largest = vec![0.0_f64; self.scaled.scales.len()];
        for (value, &(row, _)) in phase.now.jacobian.iter().zip(&phase.places) {
            let most = &mut largest[row as usize];
            *most = most.max(value.abs());
        }
        for (scale, &size) in self.scaled.scales.iter_mut().zip(&largest) {
            *scale = match size {
                s if s > ROW_RANGE.1 => ROW_RANGE.1 / s,
                s if s > 0.0 && s < ROW_RANGE.0 => (ROW_RANGE.0 / s).min(MOST_ROW),
                _ => 1.0,
            };
        }
        for (c, scale) in phase.now.c.iter_mut().zip(&self.scaled.scales) {
            *c *= scale;
        }
        for (value, &(row, _)) in phase.now.jacobian.iter_mut().zip(&phase.places) {
            *value *= self.scaled.scales[row as usize];
        }
    }

    /// Slacks of inequalities: where the constraints are, pushed inside.
    fn push_locals(&mut self, phase: &mut Phase) {
        let n = phase.columns();
        let push = self.push();
        phase.now.w.resize(phase.lower.len(), 0.0);
        for k in 0..phase.locals.len() {
            let bound = Bound { lower: phase.lower[n + k], upper: phase.upper[n + k] };
            phase.now.w[n + k] = inside(phase.now.c[phase.locals[k].row], bound, push);
        }
    }

    /// Scales the objective to gradients of about one, here or where the linearised rows lead: efforts often begin at rest,
    /// where their gradient vanishes. Needs the matrix of least squares factorised.
    fn scale_objective(&mut self, phase: &mut Phase) {
        phase.shortest_step(self.kkt);
        phase.y.fill(0.0);
        let mut size = max_abs(&phase.now.gradient);
        if self.scaled.curve(&self.point, 1.0, &phase.y, &mut phase.hessian) {
            let mut there = phase.now.gradient.clone();
            for (value, &(_, i, j)) in phase.hessian.iter().zip(&self.scaled.shape.hessian) {
                there[i] += value * phase.step.w[j];
                if i != j {
                    there[j] += value * phase.step.w[i];
                }
            }
            size = size.max(max_abs(&there)).max(LENGTH * max_abs(&phase.hessian));
        }
        phase.weight = weight(size);
    }

    fn first_multipliers(&mut self, phase: &mut Phase) {
        if let Some(warm) = &self.options.warm
            && let Some(scale) = warm.scale
        {
            phase.weight = scale;
            self.warm_multipliers(phase, warm);
            return;
        }
        let factored = phase.factor_identity(self.kkt);
        if factored {
            self.scale_objective(phase);
        } else {
            phase.weight = weight(max_abs(&phase.now.gradient));
        }
        if let Some(warm) = &self.options.warm {
            self.warm_multipliers(phase, warm);
            return;
        }
        phase.first_bound_multipliers();
        if factored {
            phase.balancing_multipliers(self.kkt, LARGE);
        }
    }

    /// Multipliers as given.
    fn warm_multipliers(&self, phase: &mut Phase, warm: &Warm) {
        let given = &warm.multipliers;
        phase.mu = warm.barrier;
        let n = phase.columns();
        let (shape, weight) = (self.scaled.shape, phase.weight);
        for (row, &constraint) in shape.constraint_of.iter().enumerate() {
            phase.y[row] = given.constraints[constraint] * weight / self.scaled.scales[row];
        }
        for (column, &variable) in shape.variable_of.iter().enumerate() {
            phase.zl[column] = (given.lower[variable] * weight).max(0.0);
            phase.zu[column] = (given.upper[variable] * weight).max(0.0);
        }
        // A slack's multipliers are the two signs of its row's.
        for (k, local) in phase.locals.iter().enumerate() {
            phase.zl[n + k] = (-phase.y[local.row]).max(0.0);
            phase.zu[n + k] = phase.y[local.row].max(0.0);
        }
        for k in 0..phase.zl.len() {
            let (below, above) = (phase.below(&phase.now.w, k), phase.above(&phase.now.w, k));
            phase.zl[k] = if below.is_finite() { phase.zl[k].max(phase.mu / below.max(1.0)) } else { 0.0 };
            phase.zu[k] = if above.is_finite() { phase.zu[k].max(phase.mu / above.max(1.0)) } else { 0.0 };
        }
        phase.tidy_multipliers();
    }
}

/// The objective's scale for a gradient of given size.
fn weight(size: f64) -> f64 {
    match size {
        s if s > 100.0 => 100.0 / s,
        s if s > 0.0 && s < 1.0 => (1.0 / s).min(MOST_OBJECTIVE),
        _ => 1.0,
    }
}

/// A value moved inside its bounds.
fn inside(value: f64, bound: Bound, push: f64) -> f64 {
    let Bound { lower, upper } = bound;
    let width = upper - lower;
    let margin = |end: f64| (push * end.abs().max(1.0)).min(push * width);
    let low = if lower.is_finite() { lower + margin(lower) } else { lower };
    let high = if upper.is_finite() { upper - margin(upper) } else { upper };
    value.max(low).min(high)
}
