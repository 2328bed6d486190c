//! Impulses of the assembled problem, and the velocities after them.

use super::StepInput;
use super::assemble_problem::ProblemAssembly;
use super::contact_constraint::ContactConstraint;
use super::free_velocities::FreeVelocities;
use super::joint_rows::JointRows;
use super::solvers::Solvers;
use super::warm_start::ImpulseWarmStart;
use crate::discrete::StepError;
use crate::spatial::Vec6;
use crate::step_record::LcpSolveStats;
use crate::tolerances::lcp::solve_impulses::SUBSTEP_SHARE;
use percussion_geometry::Vec3;
use percussion_solve::lcp::friction::{SubstepContact, Substeps};

/// Velocities and impulses of a step.
#[derive(Debug, Default)]
pub(super) struct StepSolution {
    /// Twists of all bodies at the end of the step, by slot.
    pub twists: Vec<Vec6>,
    /// Mean twists over the substeps; empty without substeps.
    mean: Vec<Vec6>,
    /// Normal impulses by contact, N s per unit of the gradient.
    pub normal: Vec<f64>,
    /// Friction impulses on the first body by contact, world axes, N s.
    pub friction: Vec<Vec3>,
    /// Impulses of the joints' constraints.
    pub joint: Vec<f64>,
    /// Fraction of γ with which penetrations are stabilised.
    factor: f64,
    /// Statistics of the solve.
    pub stats: LcpSolveStats,
}

impl StepSolution {
    /// The twists with which the bodies move from the beginning of the step to its end.
    pub fn path_twists(&self) -> &[Vec6] {
        if self.mean.is_empty() { &self.twists } else { &self.mean }
    }

    /// Velocities without impulses, for a problem with penetrations stabilised by `factor` times γ.
    pub fn reset(&mut self, free: &[Vec6], contacts: usize, factor: f64) {
        self.factor = factor;
        self.twists.clear();
        self.twists.extend_from_slice(free);
        self.mean.clear();
        self.normal.clear();
        self.normal.resize(contacts, 0.0);
        self.friction.clear();
        self.friction.resize(contacts, Vec3::zeros());
    }
}

/// Which problem of a step is solved [an extension of Hart 4]: with Poisson's restitution there are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The first, or only, problem.
    Compression,
    /// The problem after the impulses of expansion; its joint impulses are not stored.
    Expansion,
}

/// The solvers, with the warm start.
#[derive(Debug, Default)]
pub(super) struct ImpulseSolver {
    solvers: Solvers,
    /// Change of the momenta by forces over a step, in the unknowns.
    momentum: Vec<f64>,
    /// Impulses of the last step.
    pub warm_start: ImpulseWarmStart,
}

impl ImpulseSolver {
    /// Solves the assembled problem and adds its impulses to the solution.
    pub fn solve_impulses(
        &mut self,
        step: &StepInput,
        contacts: &[ContactConstraint],
        (assembly, rows): (&ProblemAssembly, &mut JointRows),
        (velocities, substeps): (&FreeVelocities, &[SubstepContact]),
        phase: Phase,
        solution: &mut StepSolution,
    ) -> Result<(), StepError> {
        let (problem, dofs) = (&assembly.problem, &velocities.dofs);
        if step.options.in_substeps() {
            mean_twists(&velocities.initial, &velocities.free, &mut solution.mean);
        }
        // No bodies in the problem, or neither momentum nor bias: no impulses.
        if problem.momentum_size() == 0.0 {
            solution.stats = LcpSolveStats { contacts: problem.contact_count(), ..LcpSolveStats::default() };
            solution.joint.clear();
            return Ok(());
        }
        let initial = self.warm_start.initial_impulses(step.geometry, contacts, assembly, rows);
        let (solved, stats) = match step.options.in_substeps() {
            true => {
                acceleration(assembly, velocities, &mut self.momentum);
                let substeps = Substeps {
                    count: step.options.substeps,
                    momentum: &self.momentum,
                    stabilisation: SUBSTEP_SHARE,
                    contacts: substeps,
                };
                let (solved, stats, mean) =
                    self.solvers.solve_in_substeps(problem, initial, &substeps, step.options)?;
                for &(slot, at) in &assembly.members {
                    let dofs = &dofs[slot];
                    solution.mean[slot] = dofs.twist(&mean[at..at + dofs.count]);
                }
                (solved, stats)
            }
            false => self.solvers.solve(problem, initial, step.options)?,
        };
        solution.stats = LcpSolveStats { stabilisation_factor: solution.factor, ..stats };
        let impulses = &solved.impulses;
        for &(slot, at) in &assembly.members {
            let dofs = &dofs[slot];
            solution.twists[slot] = dofs.twist(&impulses.velocity[at..at + dofs.count]);
        }
        for (k, contact) in contacts.iter().enumerate() {
            solution.normal[k] += impulses.normal[k];
            for t in assembly.tangents_of(k) {
                let along = impulses.facets[2 * t] - impulses.facets[2 * t + 1];
                solution.friction[k] += assembly.tangents[t] * (along / contact.unit);
            }
        }
        rows.add_impulses(impulses, contacts.len());
        if phase == Phase::Compression {
            solution.joint.clone_from(&impulses.equality);
        }
        Ok(())
    }
}

/// Mean twists of bodies without impulses, which move at the mean of the velocities at both ends.
fn mean_twists(initial: &[Vec6], free: &[Vec6], mean: &mut Vec<Vec6>) {
    mean.clear();
    mean.extend(initial.iter().zip(free).map(|(a, b)| (a + b) * 0.5));
}

/// Change of the momenta by forces, in the unknowns of a problem.
fn acceleration(assembly: &ProblemAssembly, velocities: &FreeVelocities, momentum: &mut Vec<f64>) {
    momentum.clear();
    for &(slot, _) in &assembly.members {
        let dofs = &velocities.dofs[slot];
        let change = dofs.unknowns(&(velocities.free[slot] - velocities.initial[slot]));
        momentum.extend((0..dofs.count).map(|k| change[k] / dofs.inverse_mass[k]));
    }
}
