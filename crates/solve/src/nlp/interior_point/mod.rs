//! Primal-dual interior-point method with a filter line search, after Wächter and Biegler, "On the implementation of an
//! interior-point filter line-search algorithm for large-scale nonlinear programming" (2006), for points on manifolds.
//!
//! ```text
//! solve_from: initial point, scales, first multipliers                                  initial_point
//! escape_saddles                                                                        negative_curvature
//!   solve_barrier_problems: check_termination, decrease_barrier                         algorithm
//!     search_direction: inertia correction, Newton step                                 direction, kkt, condensed
//!     line_search: filter, Armijo condition, second_order_correction                    line_search, filter
//!     watchdog_step, soft_step, restoration                                             watchdog, soft_restoration, restoration
//! ```
//!
//! `barrier_problem` is the iterate with its multipliers; `reduced_layout` and `scaled_program` the program without fixed variables,
//! scaled; `cut_steps` damps steps at kinks. Greek constants carry the names of the paper.
//!
//! Differs from the paper: slacks of inequalities are eliminated from the matrix; the objective is scaled up as well as down; in
//! final restoration the proximal centre moves with the iterate; steps are damped at kinks; saddle points are left.

mod algorithm;
mod barrier_problem;
mod condensed;
mod cut_steps;
mod direction;
mod filter;
mod initial_point;
mod kkt;
mod line_search;
mod negative_curvature;
mod options;
mod reduced_layout;
mod restoration;
mod scaled_program;
mod soft_restoration;
mod watchdog;

pub use options::{Options, WarmStart};

use super::problem::Program;
use super::residual::kkt_residual;
use super::solution::{
    CallbackAction, Conflict, ConstraintId, IterationRecord, Multipliers, Outcome, Solution, Timing,
};
use crate::error::SolveError;
use crate::tolerances::interior_point::CONFLICTING;
use algorithm::{Algorithm, Exit};
use barrier_problem::BarrierProblem;
use direction::Regularisation;
use kkt::KktSystem;
use reduced_layout::ReducedLayout;
use scaled_program::ScaledProgram;
use std::time::Instant;

/// The solver with its workspace: programs of one pattern after another reuse the analysis of their matrix.
#[derive(Default)]
pub struct InteriorPoint {
    cached: Option<(ReducedLayout, KktSystem)>,
}

impl InteriorPoint {
    /// With an empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a program from a start.
    pub fn solve<P: Program>(
        &mut self,
        program: &mut P,
        start: &P::Point,
        options: &Options,
    ) -> Result<Solution<P::Point>, SolveError> {
        self.solve_with_callback(program, start, options, &mut |_| CallbackAction::Continue)
    }

    /// Solves a program; the callback receives every iteration and may end the search.
    pub fn solve_with_callback<P: Program>(
        &mut self,
        program: &mut P,
        start: &P::Point,
        options: &Options,
        callback: &mut dyn FnMut(&IterationRecord) -> CallbackAction,
    ) -> Result<Solution<P::Point>, SolveError> {
        let began = Instant::now();
        let reduced = ReducedLayout::new(program.layout())?;
        initial_point::check(options, &reduced)?;
        let mut kkt = match self.cached.take() {
            Some((old, kkt)) if old.same_pattern(&reduced) => kkt,
            _ => KktSystem::new(&reduced),
        };
        kkt.reset_statistics();
        let mut search = Algorithm {
            scaled: ScaledProgram::new(program, &reduced),
            kkt: &mut kkt,
            options,
            callback,
            point: start.clone(),
            trial_point: start.clone(),
            iteration: 0,
            regularisation: Regularisation::default(),
            barrier_restarts: 0,
            best: None,
            watchdog: None,
        };
        let (exit, problem) = search.solve_from(start);
        let mut solution = search.into_solution(exit, problem);
        solution.residual = kkt_residual(program, &solution.point, &solution.multipliers)?;
        solution.timing.total = began.elapsed();
        self.cached = Some((reduced, kkt));
        Ok(solution)
    }
}

impl<P: Program> Algorithm<'_, P> {
    /// The answer, with multipliers in the program's units.
    fn into_solution(mut self, exit: Exit, mut problem: BarrierProblem) -> Solution<P::Point> {
        let unfinished =
            matches!(exit, Exit::Acceptable(_) | Exit::Stalled(_) | Exit::IterationLimit | Exit::Stopped);
        if unfinished
            && let Some(best) = self.best.take()
            && best.error < algorithm::rank(&problem.optimality_errors(0.0))
        {
            self.point = best.point;
            problem.y = best.y;
            problem.zl = best.zl;
            problem.zu = best.zu;
        }
        // The rows' values at the point that is returned.
        let objective = self.scaled.evaluate(&self.point, &mut problem.current.c).unwrap_or(f64::NAN);
        let outcome = match exit {
            Exit::Converged => Outcome::Optimal,
            Exit::Saddle(curvature) => Outcome::Saddle { curvature: curvature / problem.weight },
            Exit::Acceptable(why) => Outcome::Acceptable { why },
            Exit::Stalled(why) => Outcome::Stalled { why },
            Exit::Infeasible => Outcome::Infeasible { conflicts: self.conflicts(&problem) },
            Exit::Unbounded => Outcome::Unbounded,
            Exit::IterationLimit => Outcome::IterationLimit,
            Exit::Stopped => Outcome::Stopped,
            Exit::Restored => Outcome::Stalled { why: "restoration ended where it should not".into() },
        };
        // Multipliers of the feasibility problem do not depend on the objective.
        let weight = if matches!(outcome, Outcome::Infeasible { .. }) { 1.0 } else { problem.weight };
        let reduced = self.scaled.reduced;
        let mut multipliers = Multipliers::zeros(reduced.variables, reduced.constraints);
        for (row, &constraint) in reduced.constraint_of.iter().enumerate() {
            multipliers.constraints[constraint] = problem.y[row] * self.scaled.scales[row] / weight;
        }
        for (column, &variable) in reduced.variable_of.iter().enumerate() {
            multipliers.lower[variable] = problem.zl[column] / weight;
            multipliers.upper[variable] = problem.zu[column] / weight;
        }
        let timing = Timing {
            program: self.scaled.time,
            factorisation: self.kkt.factoring,
            substitution: self.kkt.solving,
            ..Timing::default()
        };
        Solution {
            point: self.point,
            objective,
            multipliers,
            outcome,
            residual: Default::default(),
            iterations: self.iteration,
            factorisations: self.kkt.factorisations,
            evaluations: self.scaled.evaluations,
            barrier: problem.mu,
            scale: problem.weight,
            timing,
        }
    }

    /// The constraints that conflict: violated ones, then those that hold and conflict.
    fn conflicts(&self, problem: &BarrierProblem) -> Vec<Conflict> {
        let mut conflicts: Vec<Conflict> = Vec::new();
        for (row, &constraint) in self.scaled.reduced.constraint_of.iter().enumerate() {
            let scale = self.scaled.scales[row];
            let violation = self.scaled.reduced.rows[row].violation(problem.current.c[row] / scale);
            let multiplier = problem.y[row] * scale;
            if violation > self.options.constraint_tolerance || problem.y[row].abs() > CONFLICTING {
                let name = self.scaled.program.constraint_name(constraint);
                let id = ConstraintId::Constraint(constraint);
                conflicts.push(Conflict { id, name, violation, multiplier });
            }
        }
        for (column, &variable) in self.scaled.reduced.variable_of.iter().enumerate() {
            let multiplier = problem.zu[column] - problem.zl[column];
            if multiplier.abs() > CONFLICTING {
                let (id, name) =
                    (ConstraintId::Variable(variable), self.scaled.program.variable_name(variable));
                conflicts.push(Conflict { id, name, violation: 0.0, multiplier });
            }
        }
        conflicts.sort_by(|a, b| {
            let by_violation = b.violation.total_cmp(&a.violation);
            by_violation.then(b.multiplier.abs().total_cmp(&a.multiplier.abs()))
        });
        conflicts
    }
}
