//! The frictional problem as a fixed point of convex relaxations [Hart 5.17].
//!
//! ```text
//! χ1(v) = P1(μ Λ(v))            χ2(Γ) = μ Λ(P1(Γ))            χ3(Γ) = μ Λ(P2(Λ(P1(Γ))))
//!
//! Γ = 0
//! repeat: v, impulses = P1(Γ);  stop if they satisfy Coulomb's law
//!         λ = Λ(v);  for χ3: λ = Λ(P2(λ))
//!         Γ = μ λ, extrapolated over the relaxations before (Anderson)
//! ```
//!
//! Contractions for small friction, where the fixed point is the only solution [Hart 5.9]. The first two make
//! the same steps and differ in what is seen to contract: velocities or widenings.

use super::anderson::Anderson;
use super::impulses::{Cone, FrictionalOutcome, FrictionalSolution, Impulses};
use super::problem::FrictionContactProblem;
use super::relaxation::ConvexRelaxation;
use super::residual::residual_of;
use crate::error::SolveError;
use crate::tolerances::friction::{FIXED_POINT_GROWTH, STATIONARY, VISIBLE};

/// Which map is iterated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixedPointMap {
    /// χ1, on velocities.
    Velocity,
    /// χ2, on widenings.
    #[default]
    Widening,
    /// χ3, with a second quadratic program that limits the slip.
    LimitedSlip,
}

/// What the iteration showed of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedPointReport {
    /// Relaxations solved.
    pub iterations: usize,
    /// Largest ratio of successive changes among the last five that are above rounding; below one where the
    /// map contracts, if it is not extrapolated. Zero if there were fewer than two.
    pub contraction: f64,
    /// The last change, in the units of [the module](super).
    pub change: f64,
    /// Whether the residual came below the tolerance.
    pub converged: bool,
}

/// Iterates convex relaxations until they satisfy Coulomb's law on the polyhedral cone.
#[derive(Clone, Debug)]
pub struct FixedPoint {
    /// Which map; the second by default.
    pub map: FixedPointMap,
    /// Residual at which to stop.
    pub tolerance: f64,
    /// Most relaxations to solve.
    pub max_relaxations: usize,
    /// Relaxations of the Anderson extrapolation of Γ; the plain map at zero.
    pub anderson_depth: usize,
    relaxation: ConvexRelaxation,
    widening: Vec<f64>,
    /// What the map makes of the widening, in units of √g, less the widening.
    changes: Vec<f64>,
    anderson: Anderson,
    velocity: Vec<f64>,
    answer: FrictionalSolution,
    report: FixedPointReport,
}

impl Default for FixedPoint {
    fn default() -> Self {
        Self {
            map: FixedPointMap::default(),
            tolerance: 1e-10,
            max_relaxations: 200,
            anderson_depth: 5,
            relaxation: ConvexRelaxation::new(),
            widening: Vec::new(),
            changes: Vec::new(),
            anderson: Anderson::default(),
            velocity: Vec::new(),
            answer: FrictionalSolution::default(),
            report: FixedPointReport::default(),
        }
    }
}

impl FixedPoint {
    /// The second map, tolerance 1e-10, at most 200 relaxations.
    pub fn new() -> Self {
        Self::default()
    }

    /// The last solve's figures.
    pub fn report(&self) -> FixedPointReport {
        self.report
    }

    /// Solves a problem. The answer, checked against Coulomb's law, is valid until the next call; the iterations it
    /// counts are those of the interior-point method in all relaxations.
    pub fn solve(&mut self, problem: &FrictionContactProblem) -> Result<&FrictionalSolution, SolveError> {
        self.widening.clear();
        self.widening.resize(problem.contact_count(), 0.0);
        self.iterate(problem)
    }

    /// Solves a problem from the slips of another one, matched by their order: a warm start from the step before, as a
    /// rule. Entries that are missing start at zero.
    pub fn solve_from(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
    ) -> Result<&FrictionalSolution, SolveError> {
        self.widening.clear();
        let slips = start.slip.iter().map(|slip| if *slip > 0.0 && slip.is_finite() { *slip } else { 0.0 });
        let slips = slips.chain(std::iter::repeat(0.0));
        self.widening
            .extend(problem.contacts.iter().zip(slips).map(|(contact, slip)| contact.friction * slip));
        self.iterate(problem)
    }

    fn iterate(&mut self, problem: &FrictionContactProblem) -> Result<&FrictionalSolution, SolveError> {
        self.changes.resize(problem.contact_count(), 0.0);
        self.anderson.prepare(
            problem.contact_count(),
            problem.contact_count(),
            self.anderson_depth,
            FIXED_POINT_GROWTH,
        );
        self.report = FixedPointReport::default();
        let size = problem.momentum_size().max(f64::MIN_POSITIVE);
        let (mut changes, mut work) = (Vec::new(), 0);
        for k in 0..self.max_relaxations.max(1) {
            self.answer = self.relaxation.solve(problem, &self.widening)?.clone();
            work += self.answer.iterations;
            self.answer.iterations = work;
            self.report.iterations = k + 1;
            if self.answer.outcome == FrictionalOutcome::NotPointed {
                return Ok(&self.answer);
            }
            let impulses = &self.answer.impulses;
            self.answer.residual =
                residual_of(problem, impulses, Cone::Facets, None, &mut Default::default());
            let mut slip = impulses.slip.clone();
            if self.map == FixedPointMap::LimitedSlip {
                let mut limited = self.answer.impulses.clone();
                // Without such a velocity the first one is as good a guess.
                if self.relaxation.limited_slip(problem, &slip, &mut limited.velocity) {
                    limited.compute_slip(problem, Cone::Facets);
                    slip = limited.slip;
                }
            }
            let step = self.update_widening(problem, &slip) / size;
            let moved = self.velocity_change(problem) / size;
            self.report.change = if self.map == FixedPointMap::Velocity { moved } else { step };
            if self.map != FixedPointMap::Velocity || k > 0 {
                changes.push(self.report.change);
            }
            self.report.converged = self.answer.residual.worst() <= self.tolerance;
            // Where nothing moves any more the residual is that of the relaxation itself.
            let stationary = changes.len() > 1 && self.report.change <= STATIONARY;
            if self.report.converged || stationary {
                break;
            }
            if self.anderson.extrapolate(&self.changes, &mut [&mut self.widening]) {
                self.widening.iter_mut().for_each(|gamma| *gamma = gamma.max(0.0));
            }
        }
        let seen: Vec<f64> = changes.into_iter().filter(|c| *c > VISIBLE).collect();
        let ratios = seen.windows(2).map(|pair| pair[1] / pair[0]);
        self.report.contraction = ratios.rev().take(5).fold(0.0, f64::max);
        self.answer.outcome =
            if self.report.converged { FrictionalOutcome::Solved } else { FrictionalOutcome::IterationLimit };
        Ok(&self.answer)
    }

    /// `Γ = μ λ`; returns the largest change in units of √g.
    fn update_widening(&mut self, problem: &FrictionContactProblem, slip: &[f64]) -> f64 {
        let mut change = 0.0_f64;
        let contacts = problem.contacts.iter().zip(slip);
        for ((gamma, moved), (contact, slip)) in self.widening.iter_mut().zip(&mut self.changes).zip(contacts)
        {
            let next = contact.friction * slip;
            *moved = (next - *gamma) / contact.normal.compliance.sqrt();
            change = change.max(moved.abs());
            *gamma = next;
        }
        change
    }

    /// Largest change of the velocity since the last call, in units of √W.
    fn velocity_change(&mut self, problem: &FrictionContactProblem) -> f64 {
        let v = &self.answer.impulses.velocity;
        self.velocity.resize(v.len(), 0.0);
        let mut change = 0.0_f64;
        for (start, w, b) in problem.blocks() {
            for i in 0..b.len() {
                let difference = v[start + i] - self.velocity[start + i];
                change = change.max(difference.abs() / w[i * b.len() + i].sqrt());
            }
        }
        self.velocity.copy_from_slice(v);
        change
    }
}
