//! The start of the method.
//!
//! ```text
//! push_variables_inside, evaluate_start, scale_rows, initialise_row_variables
//! initialise_multipliers: scale_objective, least-squares multipliers or those of a warm start
//! ```
//!
//! [Wächter and Biegler 2006], sections 3.6 and 3.8. Differs: the objective is scaled up, too.

use super::algorithm::{Algorithm, Exit};
use super::barrier_problem::BarrierProblem;
use super::options::{Options, WarmStart};
use super::reduced_layout::ReducedLayout;
use crate::arithmetic::max_abs;
use crate::error::{SolveError, all_finite};
use crate::nlp::problem::{Bound, Program};
use crate::nlp::solution::{CallbackAction, IterationRecord};
use crate::tolerances::interior_point::{
    MAX_FIRST_MULTIPLIER, MAX_OBJECTIVE_SCALE, MAX_ROW_SCALE, MIN_LENGTH, PUSH, PUSH_WARM, RELAXATION,
    ROW_RANGE,
};

/// Rejects invalid settings.
pub(super) fn check(options: &Options, reduced: &ReducedLayout) -> Result<(), SolveError> {
    let mut settings = vec![
        ("tolerance", options.tolerance),
        ("constraint tolerance", options.constraint_tolerance),
        ("acceptable tolerance", options.acceptable_tolerance),
        ("barrier parameter", options.barrier),
    ];
    if let Some(warm) = &options.warm {
        settings.push(("barrier parameter of a warm start", warm.barrier));
        settings.extend(warm.scale.map(|scale| ("scale of a warm start", scale)));
        let m = &warm.multipliers;
        m.check_lengths(reduced.variables, reduced.constraints)?;
        all_finite("multipliers of constraints", &m.constraints)?;
        all_finite("multipliers of lower bounds", &m.lower)?;
        all_finite("multipliers of upper bounds", &m.upper)?;
    }
    if let Some(&(what, value)) = settings.iter().find(|(_, v)| !(v.is_finite() && *v > 0.0)) {
        return Err(SolveError::NotPositive { what, value });
    }
    Ok(())
}

impl<P: Program> Algorithm<'_, P> {
    /// Begins, and runs to the end.
    pub fn solve_from(&mut self, start: &P::Point) -> (Exit, BarrierProblem) {
        let reduced = self.scaled.reduced;
        let mut problem = BarrierProblem::new(reduced, |row| self.scaled.row_bound(row));
        self.scaled.fix(start, &mut self.point);
        self.push_variables_inside(&mut problem);
        if !self.evaluate_start(&mut problem) {
            let why = self.scaled.undefined.take().unwrap_or_default();
            return (Exit::Stalled(format!("the program has no value at the start: {why}")), problem);
        }
        self.scale_rows(&mut problem);
        let current = problem.current;
        problem = BarrierProblem::new(reduced, |row| self.scaled.row_bound(row));
        problem.relax_bounds(RELAXATION * self.options.constraint_tolerance, &self.scaled.scales);
        problem.current = current;
        self.initialise_row_variables(&mut problem);
        problem.mu = self.options.barrier;
        self.initialise_multipliers(&mut problem);
        let record = IterationRecord {
            objective: problem.current.f,
            primal: self.scaled.violation(&problem.current.c),
            dual: problem.optimality_errors(0.0).gradient,
            log_barrier: problem.mu.log10(),
            ..IterationRecord::default()
        };
        if (self.callback)(&record) == CallbackAction::Stop {
            return (Exit::Stopped, problem);
        }
        let exit = self.escape_saddles(&mut problem);
        (exit, problem)
    }

    fn push_fraction(&self) -> f64 {
        if self.options.warm.is_some() { PUSH_WARM } else { PUSH }
    }

    /// Moves variables inside their bounds.
    fn push_variables_inside(&mut self, problem: &mut BarrierProblem) {
        let n = problem.columns();
        self.scaled.coordinates(&self.point, &mut problem.current.w);
        let push = self.push_fraction();
        for j in 0..n {
            let bound = Bound { lower: problem.lower[j], upper: problem.upper[j] };
            problem.step.w[j] = if bound == Bound::FREE {
                0.0
            } else {
                pushed_inside(problem.current.w[j], bound, push) - problem.current.w[j]
            };
        }
        if problem.step.w[..n].iter().any(|d| *d != 0.0) {
            self.scaled.retract(&self.point, 1.0, &problem.step.w[..n], &mut self.trial_point);
            std::mem::swap(&mut self.point, &mut self.trial_point);
            self.scaled.coordinates(&self.point, &mut problem.current.w);
        }
    }

    fn evaluate_start(&mut self, problem: &mut BarrierProblem) -> bool {
        let current = &mut problem.current;
        let Some(f) = self.scaled.evaluate(&self.point, &mut current.c) else { return false };
        current.f = f;
        self.scaled.differentiate(&self.point, &mut current.gradient, &mut current.jacobian)
    }

    /// Brings the entries of every row into range.
    fn scale_rows(&mut self, problem: &mut BarrierProblem) {
        let mut largest = vec![0.0_f64; self.scaled.scales.len()];
        for (value, &(row, _)) in problem.current.jacobian.iter().zip(&problem.places) {
            let most = &mut largest[row as usize];
            *most = most.max(value.abs());
        }
        for (scale, &size) in self.scaled.scales.iter_mut().zip(&largest) {
            *scale = match size {
                s if s > ROW_RANGE.1 => ROW_RANGE.1 / s,
                s if s > 0.0 && s < ROW_RANGE.0 => (ROW_RANGE.0 / s).min(MAX_ROW_SCALE),
                _ => 1.0,
            };
        }
        for (c, scale) in problem.current.c.iter_mut().zip(&self.scaled.scales) {
            *c *= scale;
        }
        for (value, &(row, _)) in problem.current.jacobian.iter_mut().zip(&problem.places) {
            *value *= self.scaled.scales[row as usize];
        }
    }

    /// Slacks of inequalities: where the constraints are, pushed inside.
    fn initialise_row_variables(&mut self, problem: &mut BarrierProblem) {
        let n = problem.columns();
        let push = self.push_fraction();
        problem.current.w.resize(problem.lower.len(), 0.0);
        for k in 0..problem.row_variables.len() {
            let bound = Bound { lower: problem.lower[n + k], upper: problem.upper[n + k] };
            problem.current.w[n + k] =
                pushed_inside(problem.current.c[problem.row_variables[k].row], bound, push);
        }
    }

    /// Scales the objective to gradients of about one, here or where the linearised rows lead: control inputs often begin at rest,
    /// where their gradient vanishes. Needs the matrix of least squares factorised.
    fn scale_objective(&mut self, problem: &mut BarrierProblem) {
        problem.least_norm_step(self.kkt);
        problem.y.fill(0.0);
        let mut size = max_abs(&problem.current.gradient);
        if self.scaled.lagrangian_hessian(&self.point, 1.0, &problem.y, &mut problem.hessian) {
            let mut there = problem.current.gradient.clone();
            for (value, &(_, i, j)) in problem.hessian.iter().zip(&self.scaled.reduced.hessian) {
                there[i] += value * problem.step.w[j];
                if i != j {
                    there[j] += value * problem.step.w[i];
                }
            }
            size = size.max(max_abs(&there)).max(MIN_LENGTH * max_abs(&problem.hessian));
        }
        problem.weight = weight(size);
    }

    fn initialise_multipliers(&mut self, problem: &mut BarrierProblem) {
        let warm = self.options.warm.as_ref();
        let known_scale = warm.and_then(|warm| warm.scale);
        let factored = known_scale.is_none() && problem.factor_least_squares(self.kkt);
        match known_scale {
            Some(scale) => problem.weight = scale,
            None if factored => self.scale_objective(problem),
            None => problem.weight = weight(max_abs(&problem.current.gradient)),
        }
        if let Some(warm) = warm {
            self.warm_multipliers(problem, warm);
            return;
        }
        problem.initialise_bound_multipliers();
        if factored {
            problem.solve_least_squares_multipliers(self.kkt, MAX_FIRST_MULTIPLIER);
        }
    }

    /// Multipliers as given.
    fn warm_multipliers(&self, problem: &mut BarrierProblem, warm: &WarmStart) {
        let given = &warm.multipliers;
        problem.mu = warm.barrier;
        let n = problem.columns();
        let (reduced, weight) = (self.scaled.reduced, problem.weight);
        for (row, &constraint) in reduced.constraint_of.iter().enumerate() {
            problem.y[row] = given.constraints[constraint] * weight / self.scaled.scales[row];
        }
        for (column, &variable) in reduced.variable_of.iter().enumerate() {
            problem.zl[column] = (given.lower[variable] * weight).max(0.0);
            problem.zu[column] = (given.upper[variable] * weight).max(0.0);
        }
        // A slack's multipliers are the two signs of its row's.
        for (k, row_variable) in problem.row_variables.iter().enumerate() {
            problem.zl[n + k] = (-problem.y[row_variable.row]).max(0.0);
            problem.zu[n + k] = problem.y[row_variable.row].max(0.0);
        }
        for k in 0..problem.zl.len() {
            let (lower_slack, upper_slack) =
                (problem.lower_slack(&problem.current.w, k), problem.upper_slack(&problem.current.w, k));
            for (z, slack) in [(&mut problem.zl[k], lower_slack), (&mut problem.zu[k], upper_slack)] {
                *z = if slack.is_finite() { z.max(problem.mu / slack.max(1.0)) } else { 0.0 };
            }
        }
        problem.reset_bound_multipliers();
    }
}

/// The objective's scale for a gradient of given size.
fn weight(size: f64) -> f64 {
    match size {
        s if s > 100.0 => 100.0 / s,
        s if s > 0.0 && s < 1.0 => (1.0 / s).min(MAX_OBJECTIVE_SCALE),
        _ => 1.0,
    }
}

/// A value moved inside its bounds.
fn pushed_inside(value: f64, bound: Bound, push: f64) -> f64 {
    let Bound { lower, upper } = bound;
    let width = upper - lower;
    let margin = |end: f64| (push * end.abs().max(1.0)).min(push * width);
    let low = if lower.is_finite() { lower + margin(lower) } else { lower };
    let high = if upper.is_finite() { upper - margin(upper) } else { upper };
    value.max(low).min(high)
}
