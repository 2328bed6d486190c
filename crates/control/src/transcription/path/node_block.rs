//! All functions of one node's configuration as a block.
//!
//! Gradients are analytic. Second derivatives are closed where that is short ([`SecondDerivatives`](percussion_mechanics::kinematics::SecondDerivatives)); those of all
//! other functions together are central differences of the gradient of their weighted sum, with active features constant.

use super::super::block::ConstraintBlock;
use super::super::contact::SeparatingFeature;
use super::super::variables::Iterate;
use super::super::workspace::{Problem, Workspace};
use super::PathConstraint;
use crate::islands::island_of;
use percussion_mechanics::State;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_solve::nlp::Undefined;

/// Step of central differences, rad and m.
const EPSILON: f64 = 1e-5;

/// Scratch memory of node blocks.
#[derive(Default)]
pub(in super::super) struct PathWorkspace {
    /// Weights of functions without closed second derivatives.
    weights: Vec<f64>,
}

/// Functions of a node with the rows of their components.
#[derive(Default)]
pub(in super::super) struct NodeConstraints {
    pub functions: Vec<Box<dyn PathConstraint>>,
    pub rows: Vec<(usize, f64)>,
}

/// All functions of a node's configuration.
pub(super) struct NodeBlock {
    node: usize,
    functions: Vec<Box<dyn PathConstraint>>,
    /// Islands with variables, each with the place of its first local variable.
    islands: Vec<(usize, usize)>,
    /// The islands that each row depends on.
    involved: Vec<Vec<usize>>,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
}

impl NodeBlock {
    /// Of functions with the rows of their components.
    pub fn new(problem: &Problem, node: usize, constraints: NodeConstraints) -> Self {
        let NodeConstraints { functions, rows } = constraints;
        let (model, indices) = (&problem.plan.model, &problem.indices);
        let (mut islands, mut variables, mut involved) = (Vec::new(), Vec::new(), Vec::new());
        for function in &functions {
            let mut own = Vec::new();
            for slot in function.bodies(model).into_iter().flatten().filter_map(|body| model.slots[body]) {
                let island = island_of(model, slot);
                if !own.contains(&island) && indices.is_free(node, island) {
                    own.push(island);
                }
            }
            (0..function.rows()).for_each(|_| involved.push(own.clone()));
        }
        for island in 0..model.islands.len() {
            if involved.iter().any(|own: &Vec<usize>| own.contains(&island)) {
                islands.push((island, variables.len()));
                variables.extend(indices.configuration(&problem.plan, node, island));
            }
        }
        Self { node, functions, islands, involved, variables, rows }
    }

    fn island_at(&self, variable: usize) -> usize {
        let at = self.islands.partition_point(|(_, first)| *first <= variable);
        self.islands[at - 1].0
    }

    /// Gradients of all components along all degrees of freedom of the model, row by row; or of their weighted sum alone.
    fn gradients(
        &self,
        kinematics: &mut ConfigurationKinematics,
        features: &[Option<SeparatingFeature>],
        weights: Option<&[f64]>,
        out: &mut [f64],
    ) {
        let n = kinematics.model.dofs;
        let mut scratch = vec![0.0; 3 * n];
        let mut next = 0;
        for (function, feature) in self.functions.iter().zip(features) {
            let count = function.rows();
            let rows = &mut scratch[..count * n];
            if weights.is_none_or(|w| w[next..next + count].iter().any(|w| *w != 0.0)) {
                function.jacobian(kinematics, feature.as_ref(), rows);
                match weights {
                    None => out[next * n..(next + count) * n].copy_from_slice(rows),
                    Some(weights) => {
                        for (row, w) in rows.chunks_exact(n).zip(&weights[next..next + count]) {
                            out.iter_mut().zip(row).for_each(|(o, v)| *o += w * v);
                        }
                    }
                }
            }
            next += count;
        }
    }

    /// The active features of all functions at a state.
    fn active_features(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        state: &State,
    ) -> Result<Vec<Option<SeparatingFeature>>, Undefined> {
        let model = &*problem.plan.model;
        self.functions.iter().map(|function| function.active_feature(model, state, workspace)).collect()
    }

    /// Adds the closed second derivatives, and sets the weights of their functions to zero.
    fn add_closed(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        at: &Iterate,
        weights: &mut [f64],
        out: &mut [f64],
    ) {
        let (model, state, all) = (&*problem.plan.model, &at.nodes[self.node], self.variables.len());
        for (island, _) in &self.islands {
            workspace.kinematics.update(model, &at.nodes, (self.node, *island));
        }
        let kinematics = &workspace.kinematics;
        let chain = |slot: usize| {
            let island = island_of(model, slot);
            let (_, first) = self.islands.iter().find(|(own, _)| *own == island)?;
            let body = slot - model.islands[island].bodies.start;
            Some((kinematics.columns(model, (self.node, island)).ancestors(body), *first))
        };
        let mut next = 0;
        for function in &self.functions {
            let own = next..next + function.rows();
            next = own.end;
            if weights[own.clone()].iter().all(|w| *w == 0.0) {
                continue;
            }
            if let Some(closed) = function.second_derivative(model, state, &weights[own.clone()]) {
                closed.for_each(chain, |i, j, value| out[i * all + j] += value);
                weights[own].fill(0.0);
            }
        }
    }

    /// Adds central differences of the gradient of the weighted sum.
    fn add_differences(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        state: &State,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let features = self.active_features(problem, workspace, state)?;
        let (model, all) = (&*problem.plan.model, self.variables.len());
        let mut d = vec![0.0; model.dofs];
        let mut sides = [vec![0.0; model.dofs], vec![0.0; model.dofs]];
        for (island, first) in &self.islands {
            let count = model.islands[*island].dofs.len();
            for j in 0..count {
                for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                    d[j] = sign * EPSILON;
                    let displaced = workspace.states.displaced(model, state, *island, &d[..count]);
                    d[j] = 0.0;
                    side.fill(0.0);
                    let mut kinematics = ConfigurationKinematics::new(model, &displaced);
                    self.gradients(&mut kinematics, &features, Some(weights), side);
                    workspace.states.release(displaced);
                }
                for (other, start) in &self.islands {
                    for (i, dof) in model.islands[*other].dofs.clone().enumerate() {
                        let slope = (sides[0][dof] - sides[1][dof]) / (2.0 * EPSILON);
                        out[(first + j) * all + start + i] += slope;
                    }
                }
            }
            // Columns of the block's islands were updated for the closed second derivatives.
            let columns = workspace.kinematics.columns(model, (self.node, *island));
            if !columns.connection_is_zero() {
                sides[0].fill(0.0);
                let mut kinematics = ConfigurationKinematics::new(model, state);
                self.gradients(&mut kinematics, &features, Some(weights), &mut sides[0]);
                columns.add_connection(&sides[0][model.islands[*island].dofs.clone()], |i, j, value| {
                    out[(first + i) * all + first + j] += value;
                });
            }
        }
        Ok(())
    }
}

impl ConstraintBlock for NodeBlock {
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
        let kinematics = ConfigurationKinematics::new(&problem.plan.model, &at.nodes[self.node]);
        let mut next = 0;
        for function in &self.functions {
            let count = function.rows();
            function.value(&kinematics, workspace, &mut out[next..next + count])?;
            next += count;
        }
        Ok(())
    }

    fn jacobian(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        at: &Iterate,
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let (model, state) = (&*problem.plan.model, &at.nodes[self.node]);
        let features = self.active_features(problem, workspace, state)?;
        let mut kinematics = ConfigurationKinematics::new(model, state);
        let (n, rows) = (model.dofs, self.rows.len());
        let mut all = vec![0.0; rows * n];
        self.gradients(&mut kinematics, &features, None, &mut all);
        for (island, first) in &self.islands {
            for (i, dof) in model.islands[*island].dofs.clone().enumerate() {
                for r in 0..rows {
                    out[(first + i) * rows + r] = all[r * n + dof];
                }
            }
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
        let mut rest = std::mem::take(&mut workspace.path.weights);
        rest.clear();
        rest.extend_from_slice(weights);
        self.add_closed(problem, workspace, at, &mut rest, out);
        let answer = self.add_differences(problem, workspace, &at.nodes[self.node], &rest, out);
        workspace.path.weights = rest;
        answer
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        self.involved[row].contains(&self.island_at(variable))
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.island_at(one), self.island_at(other));
        self.involved.iter().any(|own| own.contains(&one) && own.contains(&other))
    }
}
