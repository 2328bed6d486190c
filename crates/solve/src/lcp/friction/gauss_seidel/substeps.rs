//! Small steps: the step of a problem in parts that share its rows, each swept over twice [Macklin].
//!
//! ```text
//! v = v₀, d = 0
//! for each of n substeps:
//!   accelerate     v += Δv/n + Σ rows x           forces, and the impulses of the substep before
//!   set_biases     gaps that the displacement d has left, along fixed rows; penetrations open slowly
//!   sweep
//!   displace       d += v
//!   set_biases     penetrations without bias: the velocity that opened them ends
//!   sweep
//! rebound          contacts that were loaded have at least their velocity of restitution
//! ```
//!
//! With `Δ = Φ/h + w` of the whole step, `w` the rate of a gap because of driven bodies, and displacements in units of `h/n`, the
//! gap after s substeps is `n Φ/h + s w + rᵀ d`: no geometry is needed. Impulses propagate by one body per sweep, so that few sweeps leave a
//! residual; n substeps of two sweeps leave far less of it than 2n sweeps of one step, since the next substep begins with the velocities and
//! gaps that the last one has left. The result is the velocity at the end, the mean velocity, whose multiple by h is the displacement,
//! and the sum of the impulses.

use super::block_pair::{BlockVector, row_velocity};
use super::islands::Island;
use super::solver::GaussSeidel;
use super::system::System;
use crate::error::SolveError;
use crate::lcp::friction::impulses::{Cone, FrictionalOutcome, FrictionalSolution, Impulses};
use crate::lcp::friction::problem::FrictionContactProblem;
use crate::lcp::friction::residual::FrictionalResidual;

/// Sweeps after the substeps if contacts rebound.
const REBOUND_SWEEPS: usize = 2;

/// What substeps need beyond the problem of the whole step.
#[derive(Clone, Copy, Debug)]
pub struct Substeps<'a> {
    /// Number of substeps.
    pub count: usize,
    /// Change of the momentum by forces over the step, in the order of the velocities.
    pub momentum: &'a [f64],
    /// Fraction of a penetration that a substep removes.
    pub stabilisation: f64,
    /// By contact.
    pub contacts: &'a [SubstepContact],
}

/// A contact over the substeps, in the units of its row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SubstepContact {
    /// Rate of the gap because of driven bodies, contained in the gap of the problem.
    pub driven_rate: f64,
    /// Largest velocity with which a penetration is removed.
    pub max_push: f64,
    /// Penetration that is left, per length of the step: contacts that are not solved to the end stay closed.
    pub allowed: f64,
    /// Normal velocity after the step if the contact is loaded: zero without restitution.
    pub rebound: f64,
}

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct SubstepWorkspace {
    /// Sum of the velocities, by place of the block.
    displacement: Vec<BlockVector>,
    /// Velocities of a substep without impulses, then what its impulses do.
    response: Vec<BlockVector>,
    /// Change of velocity by forces in a substep.
    acceleration: Vec<BlockVector>,
    /// Sum of the impulses, by row.
    impulses: Vec<f64>,
    /// By constraint: gap at the beginning and rate, in the units of the system.
    gaps: Vec<SubstepGap>,
    /// Mean velocity over the step, in the order of the velocities.
    mean: Vec<f64>,
}

/// A gap over the substeps, in units of velocity per substep.
#[derive(Clone, Copy, Debug, Default)]
struct SubstepGap {
    gap: f64,
    rate: f64,
    max_push: f64,
    allowed: f64,
    rebound: f64,
}

/// Which biases constraints have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bias {
    /// A part of each penetration is removed.
    Stabilised(f64),
    /// Penetrations stay.
    Relaxed,
}

impl GaussSeidel {
    /// Solves a problem in substeps, from impulses of the whole step. Drives are not taken: their impulses depend on the length of the
    /// step. The residual is that of the problem of the last substep. [`GaussSeidel::mean_velocity`] is the velocity of the displacement.
    pub fn solve_in_substeps(
        &mut self,
        problem: &FrictionContactProblem,
        start: &Impulses,
        substeps: &Substeps,
    ) -> Result<&FrictionalSolution, SolveError> {
        problem.check_cone(self.cone)?;
        self.system.assemble(problem);
        self.system.set_impulses(problem, start);
        let (system, work) = (&mut self.system, &mut self.substeps);
        work.begin(system, problem, substeps);
        let mut residual = FrictionalResidual::default();
        for k in 0..system.graph.islands.len() {
            let island = system.graph.islands[k].clone();
            work.advance(system, &island, self.cone, substeps);
            residual.max_with(&system.island_residual(&island, self.cone).residual);
        }
        work.finish(system, problem, substeps.count);
        let answer = &mut self.answer;
        system.write_solution(problem, self.cone, &mut answer.impulses);
        answer.residual = residual;
        answer.iterations = 2 * substeps.count;
        answer.evidence = None;
        answer.outcome = match residual.worst() <= self.tolerance {
            true => FrictionalOutcome::Solved,
            false => FrictionalOutcome::IterationLimit,
        };
        Ok(&self.answer)
    }

    /// Mean velocity over the substeps of the last solution.
    pub fn mean_velocity(&self) -> &[f64] {
        &self.substeps.mean
    }
}

impl SubstepWorkspace {
    /// The shares of a substep.
    fn begin(&mut self, system: &mut System, problem: &FrictionContactProblem, substeps: &Substeps) {
        let share = 1.0 / substeps.count as f64;
        let (masses, factors) = (problem.masses(), problem.all_factors());
        let count = system.free.len();
        for list in [&mut self.displacement, &mut self.response, &mut self.acceleration] {
            list.clear();
            list.resize(count, BlockVector::default());
        }
        for (place, &block) in system.graph.blocks.iter().enumerate() {
            let known = &masses.blocks[block as usize];
            let mut momentum = BlockVector::default();
            momentum[..known.width]
                .copy_from_slice(&substeps.momentum[known.start..known.start + known.width]);
            let change = known.mass_scaled(factors, &momentum);
            self.acceleration[place] = change.map(|v| share * v / system.size);
        }
        self.impulses.clear();
        self.impulses.resize(system.x.len(), 0.0);
        self.gaps.clear();
        self.gaps.reserve(system.constraints.len());
        let n = substeps.count as f64;
        for constraint in &system.constraints {
            // Velocity along the row in the units of the system, per unit.
            let unit = system.unit[constraint.first as usize] / (system.size * system.size);
            let own = match constraint.contact {
                true => substeps.contacts.get(constraint.source as usize).copied().unwrap_or_default(),
                false => SubstepContact { max_push: f64::INFINITY, ..SubstepContact::default() },
            };
            let rate = own.driven_rate * unit;
            self.gaps.push(SubstepGap {
                gap: n * (constraint.bias - rate),
                rate,
                max_push: own.max_push * unit,
                allowed: n * own.allowed * unit,
                rebound: own.rebound * unit,
            });
        }
        system.x.iter_mut().for_each(|x| *x *= share);
    }

    /// The substeps of an island.
    fn advance(&mut self, system: &mut System, island: &Island, cone: Cone, substeps: &Substeps) {
        let (blocks, rows) = (island.blocks.clone(), system.rows_of(island));
        self.response_of_start(system, island, cone, substeps.count);
        for s in 0..substeps.count {
            for place in blocks.clone() {
                let (v, response) = (&mut system.v[place], &mut self.response[place]);
                for i in 0..v.len() {
                    let without = v[i] + self.acceleration[place][i];
                    v[i] = without + response[i];
                    response[i] = without;
                }
            }
            self.set_biases(system, island, s, Bias::Stabilised(substeps.stabilisation));
            system.sweep(island, false, cone, 1.0);
            for place in blocks.clone() {
                let (v, d) = (&system.v[place], &mut self.displacement[place]);
                (0..v.len()).for_each(|i| d[i] += v[i]);
            }
            self.set_biases(system, island, s + 1, Bias::Relaxed);
            system.sweep(island, true, cone, 1.0);
            self.impulses[rows.clone()]
                .iter_mut()
                .zip(&system.x[rows.clone()])
                .for_each(|(sum, x)| *sum += x);
            for place in blocks.clone() {
                let (v, response) = (&system.v[place], &mut self.response[place]);
                (0..v.len()).for_each(|i| response[i] = v[i] - response[i]);
            }
        }
        self.rebound(system, island, cone);
    }

    /// Velocities at the beginning of the step, and what the impulses do from which the first substep starts.
    fn response_of_start(&mut self, system: &mut System, island: &Island, cone: Cone, count: usize) {
        system.project_to_cones(island, cone);
        system.update_velocities(island);
        for place in island.blocks.clone() {
            let (v, free) = (&mut system.v[place], &system.free[place]);
            for i in 0..v.len() {
                self.response[place][i] = v[i] - free[i];
                v[i] = free[i] - count as f64 * self.acceleration[place][i];
            }
        }
    }

    /// Biases of an island after a number of substeps.
    fn set_biases(&self, system: &mut System, island: &Island, after: usize, bias: Bias) {
        let System { constraints, rows, .. } = system;
        let done = after as f64;
        let own = &mut constraints[island.constraints.clone()];
        for (constraint, known) in own.iter_mut().zip(&self.gaps[island.constraints.clone()]) {
            let [a, b] = constraint.endpoints.map(|e| &self.displacement[e as usize]);
            let moved = row_velocity(&rows[constraint.first as usize], a, b);
            let gap = known.gap + done * known.rate + moved;
            constraint.bias = known.rate
                + match (bias, constraint.contact) {
                    (_, true) if gap >= 0.0 => gap,
                    (Bias::Stabilised(share), true) => {
                        (share * (gap + known.allowed).min(0.0)).max(-known.max_push)
                    }
                    (Bias::Stabilised(share), false) => share * gap,
                    (Bias::Relaxed, _) => 0.0,
                };
        }
    }

    /// Gives loaded contacts with restitution their normal velocities.
    fn rebound(&mut self, system: &mut System, island: &Island, cone: Cone) {
        let own = island.constraints.clone();
        let mut rebounds = false;
        for (constraint, known) in system.constraints[own.clone()].iter_mut().zip(&self.gaps[own]) {
            if known.rebound > 0.0 && self.impulses[constraint.first as usize] > 0.0 {
                constraint.bias = constraint.bias.min(known.rate - known.rebound);
                rebounds = true;
            }
        }
        if !rebounds {
            return;
        }
        let rows = system.rows_of(island);
        let add = |sums: &mut [f64], sign: f64, x: &[f64]| {
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += sign * x);
        };
        add(&mut self.impulses[rows.clone()], -1.0, &system.x[rows.clone()]);
        (0..REBOUND_SWEEPS).for_each(|k| {
            system.sweep(island, k % 2 == 1, cone, 1.0);
        });
        add(&mut self.impulses[rows.clone()], 1.0, &system.x[rows]);
    }

    /// Sums of impulses as impulses of the step, and the mean velocity.
    fn finish(&mut self, system: &mut System, problem: &FrictionContactProblem, count: usize) {
        system.x.copy_from_slice(&self.impulses);
        self.mean.resize(problem.size(), 0.0);
        system.write_velocities(problem, &self.displacement, system.size / count as f64, &mut self.mean);
    }
}
