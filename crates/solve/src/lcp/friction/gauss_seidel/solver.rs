//! The Gauss-Seidel solver.
//!
//! ```text
//! solve_all_islands: for each island, many of them at the same time, solve_island:
//!   sweep_until_slow:  sweep forth, sweep back, island_residual; Anderson extrapolation, project_to_cones
//!   NonsmoothNewton::solve  where the error falls slowly
//!   unsolved and gains_energy: sweep_until_passive; scale_impulses if that does not help
//! finish: the residual of the whole problem
//! ```
//!
//! The cost of a sweep is linear in the contacts; a warm call allocates nothing. Forth and back together are a symmetric map, which
//! extrapolation needs. Fixed points are exactly the solutions; nothing guarantees that one is reached, and a friction cone that is
//! not pointed may end in the limit of sweeps.
//!
//! Sweeps propagate slowly: a tower of n blocks on four corners each bends like a beam, its condition grows like n⁴ and the number
//! of sweeps almost so. Newton's method solves for all contacts at once.

use super::islands::Island;
use super::nonsmooth_newton::NonsmoothNewton;
use super::substeps::SubstepWorkspace;
use super::sweep::IslandResidual;
use super::system::System;
use crate::arithmetic::add_scaled;
use crate::error::SolveError;
use crate::lcp::friction::anderson::Anderson;
use crate::lcp::friction::impulses::{Cone, FrictionalOutcome, FrictionalSolution, Impulses};
use crate::lcp::friction::problem::FrictionContactProblem;
use crate::lcp::friction::residual::{FrictionalResidual, residual_of};
use crate::tolerances::gauss_seidel::{ISLAND_SHARE, NEAR, SLOW, SLOW_ON_BUDGET, SWEEP_GROWTH, UNSOLVED};

/// Sweeps between checks of the error while changes are still large.
const CHECK_INTERVAL: usize = 24;

/// The same on a budget, in multiples of the interval between checks.
const PASSIVE_CHECKS: usize = 4;

/// Blocks of an island beyond which Newton's method on a budget only follows sweeps that come near: it could not afford to begin far away.
const MAX_NEWTON_BLOCKS: usize = 200;

/// Most sweeps over an island whose impulses add energy, in multiples of the limit.
const EXTRA_SWEEPS: usize = 10;

/// Solves frictional problems by sweeps over the contacts.
///
/// ```
/// use percussion_solve::{FrictionContactProblem, GaussSeidel};
/// use percussion_solve::lcp::friction::Cone;
///
/// // A puck of mass 1 slides row_velocity the diagonal of its two tangents.
/// let mut problem = FrictionContactProblem::new();
/// let w = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let puck = problem.block(&w, &[3.0, 4.0, -1.0])?;
/// problem.contact(&[(puck, &[0.0, 0.0, 1.0])], 0.5, 0.0)?;
/// problem.tangent(&[(puck, &[1.0, 0.0, 0.0])])?.tangent(&[(puck, &[0.0, 1.0, 0.0])])?;
/// let mut solver = GaussSeidel::new();
/// solver.cone = Cone::Round;
/// let v = &solver.solve(&problem)?.impulses.velocity;
/// // Coulomb's friction takes 0.5 of the speed 5, in its direction.
/// assert!((v[0] - 2.7).abs() < 1e-8 && (v[1] - 3.6).abs() < 1e-8 && v[2].abs() < 1e-8);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussSeidel {
    /// Pyramid or round cone.
    pub cone: Cone,
    /// Residual at which to stop.
    pub tolerance: f64,
    /// Most sweeps over an island; ten times as many if what they leave adds energy.
    pub max_sweeps: usize,
    /// Factor of every normal change and every equality: below one is slower and calmer.
    pub relaxation: f64,
    /// Pairs of sweeps of the Anderson extrapolation; none at zero.
    pub anderson_depth: usize,
    /// Most factorisations over an island by Newton's method, which takes over where sweeps are slow; sweeps are
    /// all at zero.
    pub newton_factorizations: usize,
    /// Whether Newton's method goes on through impulses with larger errors, which takes fewer factorisations and solves more problems; else
    /// it descends.
    pub nonmonotone: bool,
    /// Residual from which on this method computes further digits, up to the tolerance, only as long as they cost little.
    pub sufficient: f64,
    pub(super) system: System,
    pub(super) substeps: SubstepWorkspace,
    /// Velocities before a pair of sweeps, then what the pair changed.
    before: Vec<f64>,
    anderson: Anderson,
    newton: NonsmoothNewton,
    scratch: Vec<f64>,
    /// What all islands leave.
    pub(super) residual: FrictionalResidual,
    pub(super) report: GaussSeidelReport,
    /// Solvers of groups of islands.
    pub(super) workers: Vec<Self>,
    pub(super) answer: FrictionalSolution,
}

/// What the last solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GaussSeidelReport {
    /// Islands: parts of the problem that share no block.
    pub islands: usize,
    /// Most sweeps over an island.
    pub sweeps: usize,
    /// Visits of rows in all sweeps: a measure of work.
    pub row_updates: usize,
    /// Factorisations of Newton's method in all islands.
    pub factorisations: usize,
    /// Islands left unsolved with impulses that added energy: they were swept on, or scaled
    /// down.
    pub energy_guarded: usize,
}

impl GaussSeidelReport {
    /// Adds the figures of other islands of the same problem.
    pub(super) fn join(&mut self, other: &Self) {
        self.sweeps = self.sweeps.max(other.sweeps);
        self.row_updates += other.row_updates;
        self.factorisations += other.factorisations;
        self.energy_guarded += other.energy_guarded;
    }
}

impl Default for GaussSeidel {
    fn default() -> Self {
        Self {
            cone: Cone::Facets,
            tolerance: 1e-8,
            max_sweeps: 10_000,
            relaxation: 1.0,
            anderson_depth: 5,
            newton_factorizations: 0,
            nonmonotone: false,
            sufficient: 0.0,
            newton: NonsmoothNewton::default(),
            system: System::default(),
            substeps: SubstepWorkspace::default(),
            before: Vec::new(),
            anderson: Anderson::default(),
            scratch: Vec::new(),
            residual: FrictionalResidual::default(),
            report: GaussSeidelReport::default(),
            workers: Vec::new(),
            answer: FrictionalSolution::default(),
        }
    }
}

impl GaussSeidel {
    /// Facets, residual 1e-8, at most 10,000 sweeps, extrapolation over five pairs, no Newton's method.
    pub fn new() -> Self {
        Self::default()
    }

    /// Residual 1e-10, with Newton's method.
    pub fn exact() -> Self {
        Self { tolerance: 1e-10, newton_factorizations: 2000, ..Self::default() }
    }

    /// Residual 1e-5 or fifty sweeps, whichever comes first, without extrapolation, which so few do not repay.
    pub fn fast() -> Self {
        Self { tolerance: 1e-5, max_sweeps: 50, anderson_depth: 0, ..Self::default() }
    }

    /// The last solve's figures.
    pub fn report(&self) -> GaussSeidelReport {
        self.report
    }

    /// Solves a problem from no impulses at all. The answer is valid until the next call.
    pub fn solve(&mut self, problem: &FrictionContactProblem) -> Result<&FrictionalSolution, SolveError> {
        problem.check_cone(self.cone)?;
        self.system.assemble(problem);
        Ok(self.iterate(problem))
    }

    /// Solves a problem from the impulses of another one, matched by their order: a warm start from the step before,
    /// as a rule. Entries that are missing start at zero.
    pub fn solve_from(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
    ) -> Result<&FrictionalSolution, SolveError> {
        problem.check_cone(self.cone)?;
        self.system.assemble(problem);
        self.system.set_impulses(problem, start);
        for k in 0..self.system.graph.islands.len() {
            let island = self.system.graph.islands[k].clone();
            self.system.project_to_cones(&island, self.cone);
            self.system.update_velocities(&island);
        }
        Ok(self.iterate(problem))
    }

    fn iterate(&mut self, problem: &FrictionContactProblem) -> &FrictionalSolution {
        self.report = GaussSeidelReport { islands: self.system.graph.islands.len(), ..Default::default() };
        self.residual = FrictionalResidual::default();
        self.solve_all_islands();
        self.finish(problem)
    }

    /// Solves the islands one after the other.
    pub(super) fn solve_islands(&mut self) {
        for k in 0..self.system.graph.islands.len() {
            let island = self.system.graph.islands[k].clone();
            self.solve_island(&island);
        }
    }

    /// Takes the options of another solver and discards the residual and the figures of the last problem.
    pub(super) fn copy_options(&mut self, from: &Self) {
        (self.cone, self.tolerance, self.max_sweeps) = (from.cone, from.tolerance, from.max_sweeps);
        (self.relaxation, self.anderson_depth) = (from.relaxation, from.anderson_depth);
        (self.newton_factorizations, self.nonmonotone) = (from.newton_factorizations, from.nonmonotone);
        self.sufficient = from.sufficient;
        (self.residual, self.report) = Default::default();
    }

    /// Writes the impulses into the answer and computes their residual.
    fn finish(&mut self, problem: &FrictionContactProblem) -> &FrictionalSolution {
        let impulses = &mut self.answer.impulses;
        self.system.write_solution(problem, self.cone, impulses);
        // What is certainly not solved needs no residual computed again.
        let left = self.residual.worst();
        self.answer.residual = if left > UNSOLVED * self.tolerance && left.is_finite() {
            self.residual
        } else {
            residual_of(problem, impulses, self.cone, None, &mut self.scratch)
        };
        self.answer.iterations = self.report.sweeps + self.report.factorisations;
        self.answer.evidence = None;
        self.answer.outcome = if self.answer.residual.worst() <= self.tolerance {
            FrictionalOutcome::Solved
        } else {
            FrictionalOutcome::IterationLimit
        };
        &self.answer
    }

    /// Sweeps and Newton's method in turns.
    fn solve_island(&mut self, island: &Island) {
        let goal = ISLAND_SHARE * self.tolerance;
        let sufficient = f64::max(goal, if self.nonmonotone { ISLAND_SHARE * self.sufficient } else { 0.0 });
        let (mut sweeps, mut factorisations, mut use_newton) = (0, 0, self.newton_factorizations > 0);
        if use_newton {
            self.newton.reserve(&self.system, island);
        }
        let mut left = loop {
            let large = self.nonmonotone && island.blocks.len() > MAX_NEWTON_BLOCKS;
            let swept = self.sweep_until_slow(island, &mut sweeps, use_newton && !large);
            if swept.error() <= goal {
                break swept;
            }
            if use_newton && !(large && swept.error() > NEAR) {
                let budget = self.newton_factorizations.saturating_sub(factorisations);
                let (system, cone) = (&mut self.system, self.cone);
                let error = if self.nonmonotone {
                    let (accuracy, budget) = ((goal, sufficient), (budget, factorisations));
                    self.newton.solve_nonmonotone(system, island, cone, accuracy, budget)
                } else {
                    self.newton.solve(system, island, cone, goal, budget)
                };
                factorisations += if self.nonmonotone { self.newton.cost() } else { self.newton.steps };
                if error <= sufficient || self.nonmonotone && self.newton.exhausted {
                    break self.system.island_residual(island, self.cone);
                }
                use_newton = factorisations < self.newton_factorizations;
            }
            if sweeps >= self.max_sweeps.max(1) {
                break if self.newton_factorizations > 0 {
                    self.system.island_residual(island, self.cone)
                } else {
                    swept
                };
            }
        };
        if left.error() > sufficient && self.system.gains_energy(island, &left) {
            self.report.energy_guarded += 1;
            left = self.sweep_until_passive(island, &mut sweeps);
            if self.system.gains_energy(island, &left) {
                self.system.scale_impulses(island, self.cone);
                left = self.system.island_residual(island, self.cone);
            }
        }
        self.residual.max_with(&left.residual);
        self.report.sweeps = self.report.sweeps.max(sweeps);
        self.report.factorisations += factorisations;
        self.report.row_updates += sweeps * self.system.rows_of(island).len();
    }

    /// Sweeps over one island, plainly, until its impulses bring no energy, or too many.
    fn sweep_until_passive(&mut self, island: &Island, sweeps: &mut usize) -> IslandResidual {
        // Impulses that are scaled down are passive, too; that must do where there is a budget.
        let most = match self.nonmonotone {
            true => PASSIVE_CHECKS * CHECK_INTERVAL,
            false => self.max_sweeps.max(CHECK_INTERVAL).saturating_mul(EXTRA_SWEEPS),
        };
        let mut left = IslandResidual::default();
        for k in 1..=most {
            self.system.sweep(island, k % 2 == 0, self.cone, self.relaxation);
            *sweeps += 1;
            if k % CHECK_INTERVAL == 0 || k == most {
                self.system.update_velocities(island);
                left = self.system.island_residual(island, self.cone);
                if !self.system.gains_energy(island, &left) {
                    break;
                }
            }
        }
        left
    }

    /// Sweeps over one island until they are good enough, or too many, or `use_newton` and slow. Returns what is left.
    fn sweep_until_slow(&mut self, island: &Island, sweeps: &mut usize, use_newton: bool) -> IslandResidual {
        let (rows, blocks) = (self.system.rows_of(island), island.blocks.clone());
        let goal = ISLAND_SHARE * self.tolerance;
        let start = self.system.island_residual(island, self.cone);
        if start.error() <= goal {
            return start;
        }
        let (mut due, mut seen, mut last) = (f64::INFINITY, *sweeps, start.error());
        let width = self.system.v[blocks.clone()].as_flattened().len();
        self.anderson.prepare(width, rows.len() + width, self.anderson_depth, SWEEP_GROWTH);
        self.before.resize(width.max(self.before.len()), 0.0);
        let limit = self.max_sweeps.max(1);
        loop {
            let f = &mut self.before[..width];
            f.copy_from_slice(self.system.v[blocks.clone()].as_flattened());
            let mut change = self.system.sweep(island, false, self.cone, self.relaxation);
            *sweeps += 1;
            if *sweeps < limit && change > 0.0 {
                change = self.system.sweep(island, true, self.cone, self.relaxation);
                *sweeps += 1;
            }
            if change <= goal.min(0.5 * due) || *sweeps >= seen + CHECK_INTERVAL || *sweeps >= limit {
                (due, seen) = (change, *sweeps);
                self.system.update_velocities(island);
                let now = self.system.island_residual(island, self.cone);
                let ratio = if self.nonmonotone { SLOW_ON_BUDGET } else { SLOW };
                let slow = use_newton && now.error() > ratio * last;
                if now.error() <= goal || *sweeps >= limit || slow {
                    return now;
                }
                last = now.error();
            }
            if self.anderson_depth > 0 {
                let System { x, v, .. } = &mut self.system;
                let v = v[blocks.clone()].as_flattened_mut();
                f.iter_mut().for_each(|f| *f = -*f);
                add_scaled(f, 1.0, v);
                if self.anderson.extrapolate(f, &mut [&mut x[rows.clone()], v]) {
                    self.system.project_to_cones(island, self.cone);
                }
            }
        }
    }
}
