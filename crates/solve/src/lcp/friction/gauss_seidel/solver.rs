//! The solver: sweeps over every part by itself, extrapolated, and Newton's method where they are slow.
//!
//! ```text
//! for each part:
//!   repeat: sweep forth, sweep back
//!           stop if the error is below the tolerance
//!           Newton's method if it is at hand and the error falls slowly
//!           extrapolate over the pairs of sweeps before (Anderson, on the velocities), back into the cones
//!   unsolved and more energy than without impulses: sweep on; if that does not help, their best multiple
//! ```
//!
//! The cost of a sweep is linear in the contacts; a warm call allocates nothing. Forth and back together are a
//! symmetric map, which extrapolation likes. Fixed points are exactly the solutions; nothing guarantees that
//! one is reached, and a friction cone that is not pointed may end in the limit of sweeps.
//!
//! What sweeps cannot do is carry news far: a tower of n blocks on four corners each bends like a beam, its
//! condition grows like n⁴ and the sweeps almost so. Newton's method solves for all contacts at once.

use super::islands::Part;
use super::nonsmooth_newton::Newton;
use super::sweep::Account;
use super::system::System;
use crate::arithmetic::add_scaled;
use crate::error::SolveError;
use crate::lcp::friction::anderson::Anderson;
use crate::lcp::friction::impulses::{Cone, FrictionalOutcome, FrictionalSolution, Impulses};
use crate::lcp::friction::problem::FrictionContactProblem;
use crate::lcp::friction::residual::{FrictionalResidual, judge};

/// Sweeps between looks at the error while changes are still large.
const LOOK: usize = 24;

/// Growth of what a pair of sweeps changes that ends an extrapolation.
const TRUST: f64 = 3.0;

/// Sweeps are worth going on with, if Newton's method is at hand, while errors fall by this from look to look.
const WORTH: f64 = 0.1;

/// The share of the tolerance that parts are solved to: the judge rounds in its own way.
const SHARE: f64 = 0.9;

/// Errors of more than so many tolerances are no matter of rounding.
const DOUBT: f64 = 2.0;

/// Most sweeps over a part whose impulses bring energy, in multiples of the limit.
const RESERVE: usize = 10;

/// Solves frictional problems by sweeps over the contacts.
///
/// ```
/// use percussion_solve::{Cone, FrictionContactProblem, GaussSeidel};
///
/// // A puck of mass 1 slides along the diagonal of its two tangents.
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
    /// Most sweeps over a part; ten times as many if what they leave brings energy.
    pub limit: usize,
    /// Factor of every normal change and every equality: below one is slower and calmer.
    pub relaxation: f64,
    /// Pairs of sweeps that the extrapolation looks back on; none at zero.
    pub memory: usize,
    /// Most factorisations over a part by Newton's method, which takes over where sweeps are slow; sweeps are
    /// all at zero.
    pub polish: usize,
    system: System,
    /// Velocities before a pair of sweeps, then what the pair changed.
    before: Vec<f64>,
    anderson: Anderson,
    newton: Newton,
    scratch: Vec<f64>,
    /// What all parts leave.
    left: FrictionalResidual,
    report: GaussSeidelReport,
    answer: FrictionalSolution,
}

/// What the last solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GaussSeidelReport {
    /// Parts of the problem that know nothing of each other.
    pub parts: usize,
    /// Most sweeps over a part.
    pub sweeps: usize,
    /// Visits of rows in all sweeps: a measure of work.
    pub visits: usize,
    /// Factorisations of Newton's method in all parts.
    pub factorisations: usize,
    /// Parts that were left unsolved with impulses that brought energy beyond what was asked for: they were swept on, or scaled
    /// down.
    pub guarded: usize,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        Self {
            cone: Cone::Facets,
            tolerance: 1e-8,
            limit: 10_000,
            relaxation: 1.0,
            memory: 5,
            polish: 0,
            newton: Newton::default(),
            system: System::default(),
            before: Vec::new(),
            anderson: Anderson::default(),
            scratch: Vec::new(),
            left: FrictionalResidual::default(),
            report: GaussSeidelReport::default(),
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
        Self { tolerance: 1e-10, polish: 2000, ..Self::default() }
    }

    /// Residual 1e-5 or fifty sweeps, whichever comes first, without extrapolation, which so few do not repay.
    pub fn fast() -> Self {
        Self { tolerance: 1e-5, limit: 50, memory: 0, ..Self::default() }
    }

    /// The last solve's figures.
    pub fn report(&self) -> GaussSeidelReport {
        self.report
    }

    /// Solves a problem from no impulses at all. The answer lives until the next call.
    pub fn solve(&mut self, problem: &FrictionContactProblem) -> Result<&FrictionalSolution, SolveError> {
        problem.suits(self.cone)?;
        self.system.pose(problem);
        Ok(self.iterate(problem))
    }

    /// Solves a problem from the impulses of another one, matched by their order: those of the step before,
    /// as a rule. Entries that are missing start at zero.
    pub fn solve_from(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
    ) -> Result<&FrictionalSolution, SolveError> {
        problem.suits(self.cone)?;
        self.system.pose(problem);
        self.system.start(problem, start);
        for k in 0..self.system.graph.parts.len() {
            let part = self.system.graph.parts[k].clone();
            self.system.enter_cones(&part, self.cone);
            self.system.propel(&part);
        }
        Ok(self.iterate(problem))
    }

    fn iterate(&mut self, problem: &FrictionContactProblem) -> &FrictionalSolution {
        self.report = GaussSeidelReport { parts: self.system.graph.parts.len(), ..Default::default() };
        self.left = FrictionalResidual::default();
        for k in 0..self.report.parts {
            let part = self.system.graph.parts[k].clone();
            self.settle(&part);
        }
        self.conclude(problem)
    }

    /// Writes the impulses into the answer and has them judged.
    fn conclude(&mut self, problem: &FrictionContactProblem) -> &FrictionalSolution {
        let impulses = &mut self.answer.impulses;
        self.system.answer(problem, self.cone, impulses);
        // What is certainly not solved needs no judge to say so: it would say the same but for rounding.
        let left = self.left.worst();
        self.answer.residual = if left > DOUBT * self.tolerance && left.is_finite() {
            self.left
        } else {
            judge(problem, impulses, self.cone, None, &mut self.scratch)
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
    fn settle(&mut self, part: &Part) {
        let goal = SHARE * self.tolerance;
        let (mut sweeps, mut spent, mut eager) = (0, 0, self.polish > 0);
        if eager {
            self.newton.make_room(&self.system, part);
        }
        let mut left = loop {
            let swept = self.relax(part, &mut sweeps, eager);
            if swept.error() <= goal {
                break swept;
            }
            if eager {
                let budget = self.polish - spent;
                let error = self.newton.polish(&mut self.system, part, self.cone, goal, budget);
                spent += self.newton.steps;
                if error <= goal {
                    break self.system.account(part, self.cone);
                }
                eager = spent < self.polish;
            }
            if sweeps >= self.limit.max(1) {
                break if self.polish > 0 { self.system.account(part, self.cone) } else { swept };
            }
        };
        if left.error() > goal && self.system.brings_energy(part, &left) {
            self.report.guarded += 1;
            left = self.sweep_on(part, &mut sweeps);
            if self.system.brings_energy(part, &left) {
                self.system.temper(part, self.cone);
                left = self.system.account(part, self.cone);
            }
        }
        self.left.take(&left.residual);
        self.report.sweeps = self.report.sweeps.max(sweeps);
        self.report.factorisations += spent;
        self.report.visits += sweeps * self.system.rows_of(part).len();
    }

    /// Sweeps over one part, plainly, until its impulses bring no energy, or too many.
    fn sweep_on(&mut self, part: &Part, sweeps: &mut usize) -> Account {
        let most = self.limit.max(LOOK).saturating_mul(RESERVE);
        let mut left = Account::default();
        for k in 1..=most {
            self.system.sweep(part, k % 2 == 0, self.cone, self.relaxation);
            *sweeps += 1;
            if k % LOOK == 0 || k == most {
                self.system.propel(part);
                left = self.system.account(part, self.cone);
                if !self.system.brings_energy(part, &left) {
                    break;
                }
            }
        }
        left
    }

    /// Sweeps over one part until they are good enough, or too many, or `eager` and slow. Returns what is left.
    fn relax(&mut self, part: &Part, sweeps: &mut usize, eager: bool) -> Account {
        let (rows, bodies) = (self.system.rows_of(part), part.bodies.clone());
        let goal = SHARE * self.tolerance;
        let start = self.system.account(part, self.cone);
        if start.error() <= goal {
            return start;
        }
        let (mut due, mut seen, mut last) = (f64::INFINITY, *sweeps, start.error());
        let width = self.system.v[bodies.clone()].as_flattened().len();
        self.anderson.prepare(width, rows.len() + width, self.memory, TRUST);
        self.before.resize(width.max(self.before.len()), 0.0);
        let limit = self.limit.max(1);
        loop {
            let f = &mut self.before[..width];
            f.copy_from_slice(self.system.v[bodies.clone()].as_flattened());
            let mut change = self.system.sweep(part, false, self.cone, self.relaxation);
            *sweeps += 1;
            if *sweeps < limit && change > 0.0 {
                change = self.system.sweep(part, true, self.cone, self.relaxation);
                *sweeps += 1;
            }
            if change <= goal.min(0.5 * due) || *sweeps >= seen + LOOK || *sweeps >= limit {
                (due, seen) = (change, *sweeps);
                self.system.propel(part);
                let now = self.system.account(part, self.cone);
                let slow = eager && now.error() > WORTH * last;
                if now.error() <= goal || *sweeps >= limit || slow {
                    return now;
                }
                last = now.error();
            }
            if self.memory > 0 {
                let System { x, v, .. } = &mut self.system;
                let v = v[bodies.clone()].as_flattened_mut();
                f.iter_mut().for_each(|f| *f = -*f);
                add_scaled(f, 1.0, v);
                if self.anderson.extrapolate(f, &mut [&mut x[rows.clone()], v]) {
                    self.system.enter_cones(part, self.cone);
                }
            }
        }
    }
}
