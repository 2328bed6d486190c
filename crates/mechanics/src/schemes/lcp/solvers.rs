//! The solver of the complementarity problem of a step, and its choice.

use super::options::{FrictionCone, LcpOptions};
use crate::discrete::StepError;
use crate::step_record::{LcpSolveStats, StepSolver};
use crate::tolerances::lcp::solvers::{MAX_RESIDUAL, SUFFICIENT_RESIDUAL};
use percussion_solve::lcp::friction::{
    Cone, ConvexRelaxation, FixedPoint, FrictionalLemke, FrictionalOutcome, FrictionalSolution, Substeps,
};
use percussion_solve::{FrictionContactProblem, GaussSeidel, Impulses, SolveError};

/// Contacts up to which Lemke's dense method follows Gauss-Seidel sweeps that do not converge; on pyramids the fixed point beyond.
const MAX_LEMKE_CONTACTS: usize = 60;
/// Contacts up to which it follows on the round cone.
const MAX_RESCUED_CONTACTS: usize = 16;
/// Sweeps from which extrapolation pays.
const MIN_EXTRAPOLATED_SWEEPS: usize = 50;
/// Pairs of sweeps over which is extrapolated.
const EXTRAPOLATION_DEPTH: usize = 5;
/// Contacts beyond which the automatic choice on pyramids is Gauss-Seidel sweeps alone.
const MAX_EXACT_CONTACTS: usize = 400;

/// All solvers, with their workspaces.
#[derive(Debug, Default)]
pub(super) struct Solvers {
    lemke: FrictionalLemke,
    relaxation: ConvexRelaxation,
    fixed_point: FixedPoint,
    sweeps: GaussSeidel,
    widening: Vec<f64>,
    best: FrictionalSolution,
    start: Impulses,
}

impl Solvers {
    /// Solves a problem from given impulses with the solver of the options.
    pub fn solve(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
        options: &LcpOptions,
    ) -> Result<(&FrictionalSolution, LcpSolveStats), StepError> {
        let mut solver = options.solver;
        let tolerance = options.tolerance;
        self.sweeps.tolerance = tolerance;
        let round = options.friction_cone() == FrictionCone::Round;
        // With one tangent the round cone is a pyramid.
        self.sweeps.cone = if round && problem.max_tangents() > 1 { Cone::Round } else { Cone::Facets };
        self.sweeps.max_sweeps = options.sweeps;
        let auto = options.solver == StepSolver::Auto;
        self.sweeps.nonmonotone = auto && round;
        self.sweeps.sufficient = SUFFICIENT_RESIDUAL;
        let large_pile = auto && !round && problem.contact_count() > MAX_EXACT_CONTACTS;
        self.sweeps.newton_factorizations = if large_pile { 0 } else { options.newton_factorizations };
        self.sweeps.anderson_depth =
            if options.sweeps > MIN_EXTRAPOLATED_SWEEPS { EXTRAPOLATION_DEPTH } else { 0 };
        self.fixed_point.tolerance = tolerance;
        match options.solver {
            StepSolver::Lemke => store(&mut self.best, self.lemke.solve(problem)),
            StepSolver::Relaxation => {
                self.widening.clear();
                self.widening.resize(problem.contact_count(), 0.0);
                store(&mut self.best, self.relaxation.solve(problem, &self.widening)?);
            }
            StepSolver::FixedPoint => store(&mut self.best, self.fixed_point.solve(problem)?),
            StepSolver::GaussSeidel => store(&mut self.best, self.sweeps.solve_from(problem, start)?),
            StepSolver::Auto if round => solver = self.solve_on_round_cone(problem, start)?,
            StepSolver::Auto => solver = self.solve_on_pyramid(problem, start)?,
        }
        let best = &self.best;
        let residual = best.residual.worst();
        if best.outcome == FrictionalOutcome::NotPointed {
            return Err(cancelling_impulses(best));
        }
        // Sweeps that were chosen, those of a large pile and the best impulses on the round cone are used unconverged; the stats say so.
        let used = options.solver == StepSolver::GaussSeidel || large_pile || auto && round;
        if !(residual <= MAX_RESIDUAL || used && residual.is_finite()) {
            return Err(StepError::Impulses { residual });
        }
        let solve = LcpSolveStats {
            solver,
            contacts: problem.contact_count(),
            iterations: best.iterations,
            residual,
            laws: best.residual,
            converged: residual <= if auto && round { tolerance.max(SUFFICIENT_RESIDUAL) } else { tolerance },
            stabilisation_factor: 1.0,
            energy_guarded: if solver == StepSolver::GaussSeidel {
                self.sweeps.report().energy_guarded
            } else {
                0
            },
            impulse_scale: 1.0,
        };
        Ok((best, solve))
    }

    /// Solves a problem in substeps; the mean velocity is that of the displacement.
    pub fn solve_in_substeps(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
        substeps: &Substeps,
        options: &LcpOptions,
    ) -> Result<(&FrictionalSolution, LcpSolveStats, &[f64]), StepError> {
        let round = options.friction_cone() == FrictionCone::Round;
        self.sweeps.cone = if round && problem.max_tangents() > 1 { Cone::Round } else { Cone::Facets };
        self.sweeps.tolerance = options.tolerance;
        store(&mut self.best, self.sweeps.solve_in_substeps(problem, start, substeps)?);
        let best = &self.best;
        let residual = best.residual.worst();
        if !residual.is_finite() {
            return Err(StepError::Impulses { residual });
        }
        let solve = LcpSolveStats {
            solver: StepSolver::GaussSeidel,
            contacts: problem.contact_count(),
            iterations: best.iterations,
            residual,
            laws: best.residual,
            converged: residual <= options.tolerance,
            stabilisation_factor: 1.0,
            energy_guarded: 0,
            impulse_scale: 1.0,
        };
        Ok((best, solve, self.sweeps.mean_velocity()))
    }

    /// Sweeps and Newton's method on a budget. Where few contacts are left unsolved, Lemke's method looks for another start, or for evidence
    /// that there is no solution.
    fn solve_on_round_cone(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
    ) -> Result<StepSolver, SolveError> {
        let first = self.sweeps.solve_from(problem, start)?;
        store(&mut self.best, first);
        if first.residual.worst() <= SUFFICIENT_RESIDUAL || problem.contact_count() > MAX_RESCUED_CONTACTS {
            return Ok(StepSolver::GaussSeidel);
        }
        let residual = first.residual.worst();
        let pyramid = self.lemke.solve(problem);
        if pyramid.outcome == FrictionalOutcome::NotPointed && !(residual <= MAX_RESIDUAL) {
            store(&mut self.best, pyramid);
            return Ok(StepSolver::Lemke);
        }
        // The impulses on a pyramid are another start.
        self.start.copy_from(&pyramid.impulses);
        let second = self.sweeps.solve_from(problem, &self.start)?;
        if second.residual.worst() < residual || !residual.is_finite() {
            let iterations = self.best.iterations;
            store(&mut self.best, second);
            self.best.iterations += iterations;
        }
        Ok(StepSolver::GaussSeidel)
    }

    /// Sweeps first; where they do not converge, the solution of another solver if its residual is smaller.
    fn solve_on_pyramid(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
    ) -> Result<StepSolver, SolveError> {
        let first = self.sweeps.solve_from(problem, start)?;
        store(&mut self.best, first);
        let count = problem.contact_count();
        // The fixed point takes no drives.
        let alone = count > MAX_EXACT_CONTACTS || count > MAX_LEMKE_CONTACTS && problem.has_drives();
        if first.is_solved() || alone {
            return Ok(StepSolver::GaussSeidel);
        }
        let iterations = first.iterations;
        let (second, solver) = if count <= MAX_LEMKE_CONTACTS {
            (self.lemke.solve(problem), StepSolver::Lemke)
        } else {
            (self.fixed_point.solve(problem)?, StepSolver::FixedPoint)
        };
        let evidence = second.outcome == FrictionalOutcome::NotPointed;
        let residual = self.best.residual.worst();
        if second.residual.worst() < residual || (evidence && !(residual <= MAX_RESIDUAL)) {
            store(&mut self.best, second);
            self.best.iterations += iterations;
            return Ok(solver);
        }
        Ok(StepSolver::GaussSeidel)
    }
}

/// Copies a solution without allocation.
fn store(best: &mut FrictionalSolution, from: &FrictionalSolution) {
    best.outcome = from.outcome;
    best.residual = from.residual;
    best.iterations = from.iterations;
    best.evidence.clone_from(&from.evidence);
    best.impulses.copy_from(&from.impulses);
}

/// Impulses that cancel, as a step error.
fn cancelling_impulses(solution: &FrictionalSolution) -> StepError {
    let pressed = solution.evidence.as_ref().map_or(0, |e| e.normal.iter().filter(|c| **c > 0.0).count());
    StepError::Jammed { contacts: pressed }
}
