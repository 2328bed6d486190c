//! Who solves the problem of a step, and what they said of it.

use super::options::LcpOptions;
use crate::discrete::StepError;
use crate::step_record::{LcpSolveStats, StepSolver};
use percussion_solve::{
    FixedPoint, Frictional, FrictionalLemke, FrictionalOutcome, FrictionalSolution, GaussSeidel, Impulses,
    Relaxation, SolveError,
};

/// ContactGeometry up to which Lemke's dense method is the one to turn to.
const FEW: usize = 60;
/// Sweeps that extrapolation does not repay.
const BRIEF: usize = 50;
/// Extrapolation over so many pairs of sweeps.
const MEMORY: usize = 5;
/// ContactGeometry of a pile: beyond, the automatic choice leaves it at sweeps.
const MANY: usize = 400;
/// Residual above which impulses that no solver improves are not used.
const USELESS: f64 = 1e-3;

/// All solvers, with their memory.
#[derive(Debug, Default)]
pub(super) struct Solvers {
    lemke: FrictionalLemke,
    relaxation: Relaxation,
    fixed_point: FixedPoint,
    sweeps: GaussSeidel,
    widening: Vec<f64>,
    best: FrictionalSolution,
}

impl Solvers {
    /// Solves a problem; the answer lives until the next call.
    pub fn solve(
        &mut self,
        problem: &Frictional,
        start: &Impulses,
        options: &LcpOptions,
    ) -> Result<(&FrictionalSolution, LcpSolveStats), StepError> {
        let mut who = options.solver;
        let tolerance = options.tolerance;
        self.sweeps.tolerance = tolerance;
        self.sweeps.limit = options.sweeps;
        let pile = options.solver == StepSolver::Auto && problem.contact_count() > MANY;
        self.sweeps.polish = if pile { 0 } else { options.polish };
        self.sweeps.memory = if options.sweeps > BRIEF { MEMORY } else { 0 };
        self.fixed_point.tolerance = tolerance;
        match options.solver {
            StepSolver::Lemke => keep(&mut self.best, self.lemke.solve(problem)),
            StepSolver::Relaxation => {
                self.widening.clear();
                self.widening.resize(problem.contact_count(), 0.0);
                keep(&mut self.best, self.relaxation.solve(problem, &self.widening)?);
            }
            StepSolver::FixedPoint => keep(&mut self.best, self.fixed_point.solve(problem)?),
            StepSolver::Sweeps => keep(&mut self.best, self.sweeps.solve_from(problem, start)?),
            StepSolver::Auto => who = self.auto(problem, start)?,
        }
        let best = &self.best;
        let residual = best.residual.worst();
        if best.outcome == FrictionalOutcome::NotPointed {
            return Err(jammed(best));
        }
        // Whoever asks for sweeps, or leaves the choice for a pile, takes what so many of them give, and is told.
        if !(residual <= USELESS) && options.solver != StepSolver::Sweeps && !pile {
            return Err(StepError::Impulses { residual });
        }
        let solve = LcpSolveStats {
            solver: who,
            contacts: problem.contact_count(),
            iterations: best.iterations,
            residual,
            converged: residual <= tolerance,
            eased: 1.0,
            guarded: if who == StepSolver::Sweeps { self.sweeps.report().guarded } else { 0 },
            calmed: 1.0,
        };
        Ok((best, solve))
    }

    /// Sweeps first; then whoever can do better.
    fn auto(&mut self, problem: &Frictional, start: &Impulses) -> Result<StepSolver, SolveError> {
        let swept = self.sweeps.solve_from(problem, start)?;
        keep(&mut self.best, swept);
        if swept.is_solved() || problem.contact_count() > MANY {
            return Ok(StepSolver::Sweeps);
        }
        let iterations = swept.iterations;
        let mut who = StepSolver::Sweeps;
        let mut better = |other: &FrictionalSolution, solver: StepSolver| {
            let evidence = other.outcome == FrictionalOutcome::NotPointed;
            if other.residual.worst() < self.best.residual.worst()
                || (evidence && !(self.best.residual.worst() <= USELESS))
            {
                keep(&mut self.best, other);
                self.best.iterations += iterations;
                who = solver;
            }
        };
        if problem.contact_count() <= FEW {
            better(self.lemke.solve(problem), StepSolver::Lemke);
        } else {
            better(self.fixed_point.solve(problem)?, StepSolver::FixedPoint);
        }
        Ok(who)
    }
}

/// Takes over an answer in memory that is there already.
fn keep(best: &mut FrictionalSolution, from: &FrictionalSolution) {
    best.outcome = from.outcome;
    best.residual = from.residual;
    best.iterations = from.iterations;
    best.evidence.clone_from(&from.evidence);
    best.impulses.copy_from(&from.impulses);
}

/// Impulses that cancel, as a reason why there is no step.
fn jammed(solution: &FrictionalSolution) -> StepError {
    let pressed = solution.evidence.as_ref().map_or(0, |e| e.normal.iter().filter(|c| **c > 0.0).count());
    StepError::Jammed { contacts: pressed }
}
