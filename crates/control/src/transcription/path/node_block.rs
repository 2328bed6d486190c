//! All functions of one node's configuration as a block.
//!
//! Gradients are analytic. Second derivatives are closed where that is short ([`SecondDerivatives`](percussion_mechanics::kinematics::SecondDerivatives)); those of all
//! other functions together are central differences of the gradient of their weighted sum, with active features constant.

use super::super::{
    ConstraintBlock, Context, EPSILON, Evaluation, NodeIslands, Problem, Workspace, central_difference,
};
use super::PathConstraint;
use crate::islands::island_of;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Undefined;

/// Functions of a node with the rows of their components.
#[derive(Default)]
pub(in super::super) struct NodeConstraints {
    pub functions: Vec<Box<dyn PathConstraint>>,
    pub rows: Vec<(usize, f64)>,
}

/// All functions of a node's configuration.
pub(super) struct NodeBlock {
    functions: Vec<Box<dyn PathConstraint>>,
    islands: NodeIslands,
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
        let mut involved: Vec<Vec<usize>> = Vec::new();
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
        let mut islands = involved.concat();
        islands.sort_unstable();
        islands.dedup();
        let (islands, variables) = NodeIslands::new(problem, node, islands);
        Self { functions, islands, involved, variables, rows }
    }

    /// Gradients of all components along all degrees of freedom of the model, row by row; or of their weighted sum alone.
    fn gradients(
        &self,
        kinematics: &mut ConfigurationKinematics,
        active: &[Option<Box<dyn PathConstraint>>],
        weights: Option<&[f64]>,
        out: &mut [f64],
    ) {
        let n = kinematics.model.dofs;
        let mut scratch = vec![0.0; 3 * n];
        let mut next = 0;
        for (function, active) in self.functions.iter().zip(active) {
            let count = function.rows();
            let rows = &mut scratch[..count * n];
            if weights.is_none_or(|w| w[next..next + count].iter().any(|w| *w != 0.0)) {
                active.as_ref().unwrap_or(function).jacobian(kinematics, rows);
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

    /// The functions of active features at a state.
    fn active_features(
        &self,
        workspace: &mut Workspace,
        model: &Model,
        state: &State,
    ) -> Result<Vec<Option<Box<dyn PathConstraint>>>, Undefined> {
        self.functions.iter().map(|function| function.with_active_feature(model, state, workspace)).collect()
    }

    /// Adds the closed second derivatives, and sets the weights of their functions to zero.
    fn add_closed(&self, context: &mut Context, weights: &mut [f64], out: &mut [f64]) {
        let (model, all) = (&*context.problem.plan.model, self.variables.len());
        self.islands.update(&mut context.workspace.kinematics, model, context.at);
        let (kinematics, state) = (&context.workspace.kinematics, &context.at.nodes[self.islands.node]);
        let mut next = 0;
        for function in &self.functions {
            let own = next..next + function.rows();
            next = own.end;
            if weights[own.clone()].iter().all(|w| *w == 0.0) {
                continue;
            }
            if let Some(closed) = function.second_derivative(model, state, &weights[own.clone()]) {
                let chain = |slot: usize| self.islands.chain(kinematics, model, slot);
                closed.for_each(chain, |i, j, value| out[i * all + j] += value);
                weights[own].fill(0.0);
            }
        }
    }

    /// Adds central differences of the gradient of the weighted sum.
    fn add_differences(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let (model, all) = (&*context.problem.plan.model, self.variables.len());
        let state = &context.at.nodes[self.islands.node];
        let features = self.active_features(context.workspace, model, state)?;
        let gradient = |state: &State, out: &mut [f64]| {
            out.fill(0.0);
            let mut kinematics = ConfigurationKinematics::new(model, state);
            self.gradients(&mut kinematics, &features, Some(weights), out);
        };
        let mut sides = [vec![0.0; model.dofs], vec![0.0; model.dofs]];
        let displaced = &mut context.workspace.displaced;
        for v in 0..all {
            let (island, dof) = self.islands.dof(v);
            let slopes = central_difference(&mut sides, EPSILON, |by, side| {
                gradient(displaced.set(model, state, island, (dof, by)), side);
                Ok(())
            })?;
            let slopes: Vec<f64> = slopes.collect();
            for (other, start) in self.islands.iter() {
                let own = &slopes[model.islands[other].dofs.clone()];
                out[v * all + start..].iter_mut().zip(own).for_each(|(o, slope)| *o += slope);
            }
        }
        for (island, first) in self.islands.iter() {
            // Columns of the block's islands were updated for the closed second derivatives.
            let columns = context.workspace.kinematics.columns(model, (self.islands.node, island));
            if !columns.connection_is_zero() {
                gradient(state, &mut sides[0]);
                columns.add_connection(&sides[0][model.islands[island].dofs.clone()], |i, j, value| {
                    out[(first + i) * all + first + j] += value;
                });
            }
        }
        Ok(())
    }
}

impl ConstraintBlock for NodeBlock {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.rows)
    }

    fn value(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let state = &context.at.nodes[self.islands.node];
        let kinematics = ConfigurationKinematics::new(&context.problem.plan.model, state);
        let mut next = 0;
        for function in &self.functions {
            let count = function.rows();
            function.value(&kinematics, context.workspace, &mut out[next..next + count])?;
            next += count;
        }
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let (model, state) = (&*context.problem.plan.model, &context.at.nodes[self.islands.node]);
        let features = self.active_features(context.workspace, model, state)?;
        let mut kinematics = ConfigurationKinematics::new(model, state);
        let (n, rows) = (model.dofs, self.rows.len());
        let mut all = vec![0.0; rows * n];
        self.gradients(&mut kinematics, &features, None, &mut all);
        for (v, column) in out.chunks_exact_mut(rows).enumerate() {
            let (island, dof) = self.islands.dof(v);
            let place = model.islands[island].dofs.start + dof;
            column.iter_mut().zip(all.chunks_exact(n)).for_each(|(o, row)| *o = row[place]);
        }
        Ok(())
    }

    fn hessian(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let mut rest = weights.to_vec();
        self.add_closed(context, &mut rest, out);
        self.add_differences(context, &rest, out)
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        self.involved[row].contains(&self.islands.dof(variable).0)
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.islands.dof(one).0, self.islands.dof(other).0);
        self.involved.iter().any(|own| own.contains(&one) && own.contains(&other))
    }
}
