//! Who solves the problem of a step, and what they said of it.

use super::options::{LcpOptions, StepSolver};
use crate::discrete::StepError;
use percussion_solve::lcp::friction::{
    ConvexRelaxation, FixedPoint, FrictionalLemke, FrictionalOutcome, FrictionalSolution,
};
use percussion_solve::{FrictionContactProblem, GaussSeidel, Impulses, SolveError};

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

/// How the problem of a step was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LcpSolveStats {
    /// Who answered; never `Auto` but for a step without a problem.
    pub solver: StepSolver,
    /// ContactGeometry of the problem.
    pub contacts: usize,
    /// Pivots, sweeps, or iterations of the interior-point method in all relaxations.
    pub iterations: usize,
    /// What the judge says of the impulses, in its units.
    pub residual: f64,
    /// Whether the residual came below the tolerance: for the fixed point, whether it converged.
    pub converged: bool,
    /// Part of `γ` with which overlaps were mended: less than one where all of it would have brought energy.
    pub eased: f64,
    /// Groups of bodies whose unsolved impulses would have brought more energy than there is without contact and than mending overlaps
    /// asks for: more sweeps went over them than were asked for, or their impulses were scaled down.
    pub guarded: usize,
    /// Part of its impulses that an unsolved step was left with where all of them would have brought energy, the least of its groups
    /// of bodies; the residual is that of all of them.
    pub calmed: f64,
}

/// All solvers, with their memory.
#[derive(Debug, Default)]
pub(super) struct Solvers {
    lemke: FrictionalLemke,
    relaxation: ConvexRelaxation,
    fixed_point: FixedPoint,
    sweeps: GaussSeidel,
    widening: Vec<f64>,
    best: FrictionalSolution,
}

impl Solvers {
    /// Solves a problem; the answer lives until the next call.
    pub fn solve(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
        options: &LcpOptions,
    ) -> Result<(&FrictionalSolution, LcpSolveStats), StepError> {
        let mut who = options.solver;
        let tolerance = options.tolerance;
        self.sweeps.tolerance = tolerance;
        self.sweeps.max_sweeps = options.sweeps;
        let pile = options.solver == StepSolver::Auto && problem.contact_count() > MANY;
        self.sweeps.newton_factorizations = if pile { 0 } else { options.polish };
        self.sweeps.anderson_depth = if options.sweeps > BRIEF { MEMORY } else { 0 };
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
            guarded: if who == StepSolver::Sweeps { self.sweeps.report().energy_guarded } else { 0 },
            calmed: 1.0,
        };
        Ok((best, solve))
    }

    /// Sweeps first; then whoever can do better.
    fn auto(&mut self, problem: &FrictionContactProblem, start: &Impulses) -> Result<StepSolver, SolveError> {
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
