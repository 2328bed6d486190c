//! A block of functions of one node's configuration, momenta and impulses: contact constraints, and velocities.
//!
//! Second derivatives are central differences of the gradient (`momentum_gradient.rs`); where functions are linear in momenta and impulses,
//! along configurations alone.

use super::super::block::ConstraintBlock;
use super::super::variables::{Iterate, NONE};
use super::super::workspace::{Problem, StatePool, Workspace};
use super::ContactWorkspace;
use super::constraint::ContactConstraint;
use crate::plan::{Measure, MomentumCondition};
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Undefined;

/// Step of central differences: rad, m, and parts of the largest momentum or impulse.
const EPSILON: f64 = 1e-5;
/// Least momentum or impulse to which that step is relative.
const MIN_SCALE: f64 = 1e-4;

/// What a block computes.
#[derive(Clone, Debug)]
pub(in super::super) enum MomentumFunction {
    /// `Dᵀ Λ` and the laws of contact constraints.
    Impulses(Vec<ContactConstraint>),
    /// Measured velocities after the impulses.
    Velocity(Measure),
    /// `weight Σ (velocity - target)²`.
    VelocityGoal(Measure, Vec<f64>, f64),
}

/// Functions of configurations, momenta and impulses at a node.
pub(in super::super) struct MomentumBlock {
    node: usize,
    pub(super) function: MomentumFunction,
    pub(super) islands: Vec<usize>,
    /// Local places of the first momentum and of the first impulse; configurations are first of all.
    pub(super) momenta: usize,
    pub(super) impulses: usize,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
    /// Given momenta, by local place.
    given: Vec<(usize, f64)>,
    /// Whether the momenta are those after the impulses; otherwise those before.
    pub(super) momenta_after: bool,
}

impl MomentumBlock {
    /// Of islands at a node: their configurations, their momenta if they are unknown, and impulses from a first variable on.
    pub fn new(
        problem: &Problem,
        node: usize,
        function: MomentumFunction,
        islands: Vec<usize>,
        first_impulse: usize,
        rows: Vec<(usize, f64)>,
    ) -> Self {
        let (plan, indices) = (&problem.plan, &problem.indices);
        let mut variables: Vec<usize> =
            islands.iter().flat_map(|&island| indices.configuration(plan, node, island)).collect();
        let momenta = variables.len();
        variables.extend(islands.iter().flat_map(|&island| indices.momentum(plan, node, island)));
        let given = given_momenta(problem, node, &islands, momenta);
        let impulses = variables.len();
        if let MomentumFunction::Impulses(constraints) = &function {
            let count: usize = constraints.iter().map(|constraint| constraint.directions.count()).sum();
            variables.extend(first_impulse..first_impulse + count);
        }
        Self { node, function, islands, momenta, impulses, variables, rows, given, momenta_after: false }
    }

    /// The same with momenta after the impulses.
    pub fn with_momenta_after(mut self, after: bool) -> Self {
        self.momenta_after = after;
        self
    }

    /// Reads momenta and impulses by local place; zero for configurations.
    fn read_scalars(&self, at: &Iterate, out: &mut Vec<f64>) {
        out.clear();
        out.extend(
            self.variables
                .iter()
                .enumerate()
                .map(|(i, &v)| if i < self.momenta || v == NONE { 0.0 } else { at.scalars[v] }),
        );
        self.given.iter().for_each(|&(place, value)| out[place] = value);
    }

    /// Step of a local variable's difference: absolute for configurations, relative for momenta and impulses.
    fn step(&self, scalars: &[f64], v: usize) -> f64 {
        if v < self.momenta {
            return EPSILON;
        }
        let range =
            if v < self.impulses { self.momenta..self.impulses } else { self.impulses..scalars.len() };
        let size = scalars[range].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        EPSILON * size.max(MIN_SCALE)
    }

    /// The gradient of the weighted sum with a local variable displaced.
    fn displaced_gradient(
        &self,
        model: &Model,
        (workspace, states): (&mut ContactWorkspace, &mut StatePool),
        state: &State,
        (v, by): (usize, f64),
        (weights, out): (&[f64], &mut [f64]),
    ) {
        let mut first = 0;
        for &island in &self.islands {
            let count = model.islands[island].dofs.len();
            if (first..first + count).contains(&v) {
                workspace.displacement.clear();
                workspace.displacement.resize(count, 0.0);
                workspace.displacement[v - first] = by;
                let displaced = states.displaced(model, state, island, &workspace.displacement);
                self.linearize(workspace, model, &displaced);
                states.release(displaced);
            }
            first += count;
        }
        let here = workspace.scalars[v];
        if v >= self.momenta {
            workspace.scalars[v] += by;
            self.linearize(workspace, model, state);
        }
        self.gradient(workspace, model, weights, out);
        workspace.scalars[v] = here;
    }

    /// Whether its functions are linear in momenta and impulses: no cone, no square.
    fn is_linear(&self) -> bool {
        match &self.function {
            MomentumFunction::Impulses(constraints) => constraints.iter().all(|c| !c.tangential.is_cone()),
            MomentumFunction::Velocity(_) => true,
            MomentumFunction::VelocityGoal(..) => false,
        }
    }
}

/// Momenta that are given at an end of the trajectory, by local place.
fn given_momenta(problem: &Problem, node: usize, islands: &[usize], first: usize) -> Vec<(usize, f64)> {
    let plan = &problem.plan;
    let boundary = match node {
        0 => &plan.start,
        k if k == plan.intervals => &plan.end,
        _ => return Vec::new(),
    };
    let mut next = first;
    let mut given = Vec::new();
    for &island in islands {
        let n = plan.model.islands[island].dofs.len();
        if let MomentumCondition::Given(p) = &boundary.momentum[island] {
            given.extend((next..next + n).zip(p.iter().copied()));
        }
        next += n;
    }
    given
}

impl ConstraintBlock for MomentumBlock {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        at: &Iterate,
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let workspace = &mut workspace.contact;
        self.read_scalars(at, &mut workspace.scalars);
        self.linearize(workspace, &problem.plan.model, &at.nodes[self.node]);
        self.functions(workspace, out);
        Ok(())
    }

    fn jacobian(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        at: &Iterate,
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let (workspace, model) = (&mut workspace.contact, &problem.plan.model);
        self.read_scalars(at, &mut workspace.scalars);
        self.linearize(workspace, model, &at.nodes[self.node]);
        let rows = self.rows.len();
        let (mut weights, mut gradient) = (vec![0.0; rows], vec![0.0; self.variables.len()]);
        for r in 0..rows {
            weights[r] = 1.0;
            self.gradient(workspace, model, &weights, &mut gradient);
            weights[r] = 0.0;
            gradient.iter().enumerate().for_each(|(v, slope)| out[v * rows + r] = *slope);
        }
        Ok(())
    }

    fn hessian(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        at: &Iterate,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let (model, state) = (&*problem.plan.model, &at.nodes[self.node]);
        let Workspace { contact: workspace, states, .. } = workspace;
        self.read_scalars(at, &mut workspace.scalars);
        let all = self.variables.len();
        let mut sides = [vec![0.0; all], vec![0.0; all]];
        // Where all is linear in scalars their columns mirror their rows.
        let linear = self.is_linear();
        let last = if linear { self.momenta } else { all };
        for v in (0..last).filter(|&v| self.variables[v] != NONE) {
            let step = self.step(&workspace.scalars, v);
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                let memory = (&mut *workspace, &mut *states);
                self.displaced_gradient(model, memory, state, (v, sign * step), (weights, side));
            }
            for w in 0..all {
                let slope = (sides[0][w] - sides[1][w]) / (2.0 * step);
                out[v * all + w] = slope;
                if linear && w >= self.momenta {
                    out[w * all + v] = slope;
                }
            }
        }
        if !workspace.inertia.connection_is_zero() {
            self.linearize(workspace, model, state);
            self.gradient(workspace, model, weights, &mut sides[0]);
            workspace.inertia.add_connection(&sides[0], |i, j, value| out[i * all + j] += value);
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        !(self.is_linear() && one >= self.momenta && other >= self.momenta)
    }
}
