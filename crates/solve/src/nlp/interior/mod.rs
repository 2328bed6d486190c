//! A primal-dual interior-point method with a filter line search, in the spirit of Wächter and Biegler, "On the implementation
//! of an interior-point filter line-search algorithm for large-scale nonlinear programming" (2006), for points on manifolds.
//!
//! `shape` says what takes part, `scaled` evaluates, `kkt` factorises (`condensed` eliminates inequalities), `phase` is a barrier problem with its iterate,
//! `direction` its Newton step, `search` and `filter` accept a part of it, `run` is the loop, `soft` takes steps that the filter
//! does not let pass, `restoration` reduces violations where nothing else works, `watchdog` lets steps pass untested, `damping`
//! shortens them at kinks, `saddle` leaves points that are no minima, `start` begins.
//!
//! Differs from the paper: inequalities' slacks are eliminated from the matrix; the objective is scaled up as well as down;
//! at the end of all searching the restoration's proximal centre moves with the iterate; steps are damped at kinks; saddles are
//! left.

mod condensed;
mod damping;
mod direction;
mod filter;
mod kkt;
mod options;
mod phase;
mod restoration;
mod run;
mod saddle;
mod scaled;
mod search;
mod shape;
mod soft;
mod start;
mod watchdog;

pub use options::{Options, Warm};

use super::answer::{Conflict, Multipliers, Outcome, Party, Record, Solution, Timing, Watch};
use super::judge::kkt_residual;
use super::problem::Program;
use crate::error::SolveError;
use direction::Regularisation;
use kkt::Kkt;
use phase::Phase;
use run::{Exit, Search};
use scaled::Scaled;
use shape::Shape;
use std::time::Instant;

/// Multiplier, scaled, above which what holds stands in the way.
const IN_THE_WAY: f64 = 1e-6;

/// The solver with its memory: programs of one pattern after another reuse the analysis of their matrix.
#[derive(Default)]
pub struct Interior {
    kept: Option<(Shape, Kkt)>,
}

impl Interior {
    /// Without memory yet.
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
        self.solve_watched(program, start, options, &mut |_| Watch::Continue)
    }

    /// Solves a program; the watcher is told every iteration and may end the search.
    pub fn solve_watched<P: Program>(
        &mut self,
        program: &mut P,
        start: &P::Point,
        options: &Options,
        watch: &mut dyn FnMut(&Record) -> Watch,
    ) -> Result<Solution<P::Point>, SolveError> {
        let began = Instant::now();
        let shape = Shape::new(program.layout())?;
        start::check(options, &shape)?;
        let mut kkt = match self.kept.take() {
            Some((old, kkt)) if old.same_pattern(&shape) => kkt,
            _ => Kkt::new(&shape),
        };
        kkt.reset_figures();
        let mut search = Search {
            scaled: Scaled::new(program, &shape),
            kkt: &mut kkt,
            options,
            watch,
            point: start.clone(),
            trial_point: start.clone(),
            iteration: 0,
            regularisation: Regularisation::default(),
            lacking: Vec::new(),
            fresh_starts: 0,
            best: None,
            watchdog: None,
        };
        let (exit, phase) = search.begin_at(start);
        let (solution, point) = search.concluded(exit, phase);
        let mut solution = with_point(solution, point);
        solution.residual = kkt_residual(program, &solution.point, &solution.multipliers)?;
        solution.timing.total = began.elapsed();
        self.kept = Some((shape, kkt));
        Ok(solution)
    }
}

/// The same with a point.
fn with_point<P>(solution: Solution<()>, point: P) -> Solution<P> {
    let Solution { point: (), objective, multipliers, outcome, residual, iterations, .. } = solution;
    let Solution { factorisations, evaluations, barrier, scale, timing, .. } = solution;
    Solution {
        point,
        objective,
        multipliers,
        outcome,
        residual,
        iterations,
        factorisations,
        evaluations,
        barrier,
        scale,
        timing,
    }
}

impl<P: Program> Search<'_, P> {
    /// The answer, with multipliers in the program's units.
    fn concluded(mut self, exit: Exit, mut phase: Phase) -> (Solution<()>, P::Point) {
        let unfinished =
            matches!(exit, Exit::Acceptable(_) | Exit::Stalled(_) | Exit::IterationLimit | Exit::Stopped);
        if unfinished
            && let Some(best) = self.best.take()
            && best.error < run::rank(&phase.errors(0.0))
        {
            self.point = best.point;
            phase.y = best.y;
            phase.zl = best.zl;
            phase.zu = best.zu;
        }
        // The rows' values at the point that is returned.
        let objective = self.scaled.evaluate(&self.point, &mut phase.now.c).unwrap_or(f64::NAN);
        let outcome = match exit {
            Exit::Converged => Outcome::Optimal,
            Exit::Saddle(curvature) => Outcome::Saddle { curvature: curvature / phase.weight },
            Exit::Acceptable(why) => Outcome::Acceptable { why },
            Exit::Stalled(why) => Outcome::Stalled { why },
            Exit::Infeasible => Outcome::Infeasible { conflicts: self.conflicts(&phase) },
            Exit::Unbounded => Outcome::Unbounded,
            Exit::IterationLimit => Outcome::IterationLimit,
            Exit::Stopped => Outcome::Stopped,
            Exit::Restored => Outcome::Stalled { why: "restoration ended where it should not".into() },
        };
        // Multipliers of the feasibility problem know no objective.
        let weight = if matches!(outcome, Outcome::Infeasible { .. }) { 1.0 } else { phase.weight };
        let shape = self.scaled.shape;
        let mut multipliers = Multipliers::zeros(shape.variables, shape.constraints);
        for (row, &constraint) in shape.constraint_of.iter().enumerate() {
            multipliers.constraints[constraint] = phase.y[row] * self.scaled.scales[row] / weight;
        }
        for (column, &variable) in shape.variable_of.iter().enumerate() {
            multipliers.lower[variable] = phase.zl[column] / weight;
            multipliers.upper[variable] = phase.zu[column] / weight;
        }
        let timing = Timing {
            program: self.scaled.time,
            factorisation: self.kkt.factoring,
            substitution: self.kkt.solving,
            ..Timing::default()
        };
        let solution = Solution {
            point: (),
            objective,
            multipliers,
            outcome,
            residual: Default::default(),
            iterations: self.iteration,
            factorisations: self.kkt.factorisations,
            evaluations: self.scaled.evaluations,
            barrier: phase.mu,
            scale: phase.weight,
            timing,
        };
        (solution, self.point)
    }

    /// The constraints that conflict: violated ones, then those that hold and stand in the way.
    fn conflicts(&self, phase: &Phase) -> Vec<Conflict> {
        let mut conflicts: Vec<Conflict> = Vec::new();
        for (row, &constraint) in self.scaled.shape.constraint_of.iter().enumerate() {
            let scale = self.scaled.scales[row];
            let violation = self.scaled.shape.rows[row].violation(phase.now.c[row] / scale);
            let multiplier = phase.y[row] * scale;
            if violation > self.options.constraint_tolerance || phase.y[row].abs() > IN_THE_WAY {
                let name = self.scaled.program.constraint_name(constraint);
                let party = Party::Constraint(constraint);
                conflicts.push(Conflict { party, name, violation, multiplier });
            }
        }
        for (column, &variable) in self.scaled.shape.variable_of.iter().enumerate() {
            let multiplier = phase.zu[column] - phase.zl[column];
            if multiplier.abs() > IN_THE_WAY {
                let (party, name) = (Party::Variable(variable), self.scaled.program.variable_name(variable));
                conflicts.push(Conflict { party, name, violation: 0.0, multiplier });
            }
        }
        conflicts.sort_by(|a, b| {
            let by_violation = b.violation.total_cmp(&a.violation);
            by_violation.then(b.multiplier.abs().total_cmp(&a.multiplier.abs()))
        });
        conflicts
    }
}
