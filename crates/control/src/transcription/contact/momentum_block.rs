//! A block of functions of one node's configuration, momenta and impulses: contact constraints, and velocities.
//!
//! Second derivatives are central differences of the gradient (`momentum_gradient.rs`); where functions are linear in momenta and impulses,
//! along configurations alone.

use super::super::{
    ConstraintBlock, Context, EPSILON, Evaluation, Iterate, NONE, NodeIslands, Problem, Workspace,
    central_difference, range,
};
use super::constraint::ContactConstraint;
use crate::plan::{Measure, MomentumCondition, Plan};
use crate::tolerances::contact::momentum_block::MIN_SCALE;

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
    pub(super) function: MomentumFunction,
    pub(super) islands: NodeIslands,
    /// Local places of the first momentum and of the first impulse; configurations are first of all.
    pub(super) momenta: usize,
    pub(super) impulses: usize,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
    /// Given momenta, by local place.
    given: Vec<(usize, f64)>,
    /// Whether the momenta are those after the impulses; otherwise those before.
    pub(in super::super) momenta_after: bool,
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
        let (islands, mut variables) = NodeIslands::new(problem, node, islands);
        let momenta = variables.len();
        for &island in &islands.islands {
            let count = problem.plan.model.islands[island].dofs.len();
            variables.extend(range(problem.indices.momenta[node][island], count));
        }
        let given = given_momenta(&problem.plan, &islands, momenta);
        let impulses = variables.len();
        if let MomentumFunction::Impulses(constraints) = &function {
            let count: usize = constraints.iter().map(|constraint| constraint.directions.count()).sum();
            variables.extend(first_impulse..first_impulse + count);
        }
        Self { function, islands, momenta, impulses, variables, rows, given, momenta_after: false }
    }

    /// Reads momenta and impulses by local place; zero for configurations.
    fn read_scalars(&self, at: &Iterate, out: &mut Vec<f64>) {
        out.clear();
        let scalar =
            |(i, &v): (usize, &usize)| if i < self.momenta || v == NONE { 0.0 } else { at.scalars[v] };
        out.extend(self.variables.iter().enumerate().map(scalar));
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
fn given_momenta(plan: &Plan, islands: &NodeIslands, momenta: usize) -> Vec<(usize, f64)> {
    let mut given = Vec::new();
    let Some(boundary) = plan.boundary(islands.node) else { return given };
    for (island, first) in islands.iter() {
        if let MomentumCondition::Given(p) = &boundary.momentum[island] {
            given.extend((momenta + first..).zip(p.iter().copied()));
        }
    }
    given
}

impl ConstraintBlock for MomentumBlock {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.rows)
    }

    fn value(&self, Context { problem, workspace, at }: &mut Context, out: &mut [f64]) -> Evaluation {
        let workspace = &mut workspace.contact;
        self.read_scalars(at, &mut workspace.scalars);
        self.linearize(workspace, &problem.plan.model, &at.nodes[self.islands.node]);
        self.functions(workspace, out);
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let (workspace, model) = (&mut context.workspace.contact, &context.problem.plan.model);
        self.read_scalars(context.at, &mut workspace.scalars);
        self.linearize(workspace, model, &context.at.nodes[self.islands.node]);
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

    fn hessian(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let (model, state) = (&*context.problem.plan.model, &context.at.nodes[self.islands.node]);
        let Workspace { contact: workspace, displaced, .. } = &mut *context.workspace;
        self.read_scalars(context.at, &mut workspace.scalars);
        let all = self.variables.len();
        let mut sides = [vec![0.0; all], vec![0.0; all]];
        // Where all is linear in scalars their columns mirror their rows.
        let linear = self.is_linear();
        let last = if linear { self.momenta } else { all };
        for v in (0..last).filter(|&v| self.variables[v] != NONE) {
            let step = self.step(&workspace.scalars, v);
            let slopes = central_difference(&mut sides, step, |by, side| {
                let here = workspace.scalars[v];
                if v < self.momenta {
                    let (island, dof) = self.islands.dof(v);
                    self.linearize(workspace, model, displaced.set(model, state, island, (dof, by)));
                } else {
                    workspace.scalars[v] += by;
                    self.linearize(workspace, model, state);
                }
                self.gradient(workspace, model, weights, side);
                workspace.scalars[v] = here;
                Ok(())
            })?;
            for (w, slope) in slopes.enumerate() {
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
