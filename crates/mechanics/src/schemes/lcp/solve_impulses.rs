//! Impulses of the assembled problem, and the velocities after them.

use super::StepInput;
use super::assemble_problem::ProblemAssembly;
use super::body_dofs::BodyDofs;
use super::contact_constraint::ContactConstraint;
use super::joint_rows::JointRows;
use super::solvers::Solvers;
use super::warm_start::ImpulseWarmStart;
use crate::discrete::StepError;
use crate::spatial::Vec6;
use crate::step_record::LcpSolveStats;
use percussion_geometry::Vec3;

/// Velocities and impulses of a step.
#[derive(Debug, Default)]
pub(super) struct StepSolution {
    /// Twists of all bodies at the end of the step, by slot.
    pub twists: Vec<Vec6>,
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
    /// Velocities without impulses, for a problem with penetrations stabilised by `factor` times γ.
    pub fn reset(&mut self, free: &[Vec6], contacts: usize, factor: f64) {
        self.factor = factor;
        self.twists.clear();
        self.twists.extend_from_slice(free);
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
        dofs: &[BodyDofs],
        phase: Phase,
        solution: &mut StepSolution,
    ) -> Result<(), StepError> {
        let problem = &assembly.problem;
        // No bodies in the problem, or neither momentum nor bias: no impulses.
        if problem.momentum_size() == 0.0 {
            solution.stats = LcpSolveStats { contacts: problem.contact_count(), ..LcpSolveStats::default() };
            solution.joint.clear();
            return Ok(());
        }
        let initial = self.warm_start.initial_impulses(step.geometry, contacts, assembly, rows);
        let (solved, stats) = self.solvers.solve(problem, initial, step.options)?;
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
