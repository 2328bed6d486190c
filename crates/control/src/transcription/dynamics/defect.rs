//! The defect of the discrete Euler-Lagrange equations of an island over an interval: its momenta at both ends.
//!
//! First derivatives are those of the simulator's equations ([`Differentiator`](percussion_mechanics::discrete::Differentiator)). A free
//! body (`free_body.rs`) and trees (`tree.rs`) under uniform gravity have second derivatives in closed form. Of everything else they are
//! central differences of the first ones: exact to about nine digits, and momenta are linear in control inputs.

use super::super::{
    ConstraintBlock, Context, EPSILON, Evaluation, Iterate, NONE, Problem, Workspace, central_difference,
    range,
};
use super::DynamicsWorkspace;
use super::free_body::FreeBody;
use super::tree;
use percussion_mechanics::discrete::{Control, IntervalInputs};
use percussion_solve::nlp::Undefined;

/// How second derivatives are computed.
enum Form {
    FreeBody(FreeBody),
    Tree,
    Differences,
}

/// An island over an interval.
pub(super) struct DynamicsDefect {
    pub(super) interval: usize,
    pub(super) island: usize,
    /// Degrees of freedom of the island.
    dofs: usize,
    /// Components of its controls.
    components: usize,
    pub(super) controls: Vec<Control>,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
    form: Form,
}

impl DynamicsDefect {
    /// Momenta go to rows `before` (of the first node, with a factor of -1) and `after` (of the second).
    pub fn new(problem: &Problem, interval: usize, island: usize, (before, after): (usize, usize)) -> Self {
        let (plan, indices) = (&problem.plan, &problem.indices);
        let dofs = plan.model.islands[island].dofs.len();
        let (controls, own) = plan.controls_of(island);
        let (components, inputs) = (own.len(), indices.inputs[interval] + own.start);
        let mut variables: Vec<usize> = indices.configuration(plan, interval, island).collect();
        variables.extend(indices.configuration(plan, interval + 1, island));
        variables.extend(inputs..inputs + components);
        variables.push(indices.time_scale_of(plan, interval));
        let rows = range(before, dofs).map(|row| (row, -1.0));
        let rows = rows.chain(range(after, dofs).map(|row| (row, 1.0))).collect();
        let form = match FreeBody::of(problem, interval, island, &controls) {
            Some(body) => Form::FreeBody(body),
            None if tree::has_closed_hessian(&plan.model, island, &controls) => Form::Tree,
            None => Form::Differences,
        };
        Self { interval, island, dofs, components, controls, variables, rows, form }
    }

    pub(super) fn inputs<'a>(&self, at: &'a Iterate) -> &'a [f64] {
        let first = self.variables[2 * self.dofs];
        if self.components == 0 { &[] } else { &at.scalars[first..first + self.components] }
    }

    fn interval_inputs<'a>(&'a self, problem: &'a Problem, at: &'a Iterate) -> IntervalInputs<'a> {
        let model = &*problem.plan.model;
        let (start, end) = (&at.nodes[self.interval], &at.nodes[self.interval + 1]);
        let h = problem.indices.length(&problem.plan, at, self.interval);
        IntervalInputs {
            model,
            island: &model.islands[self.island],
            start,
            end,
            t: start.time.max(problem.plan.start.state.time) + 0.5 * h,
            h,
            controls: &self.controls,
            control_inputs: self.inputs(at),
        }
    }

    /// The gradient of the weighted sum from the derivatives in the workspace.
    fn gradient(&self, problem: &Problem, workspace: &DynamicsWorkspace, weights: &[f64], out: &mut [f64]) {
        let (n, m) = (self.dofs, self.components);
        let d = &workspace.derivatives;
        out.fill(0.0);
        for (w, momentum) in weights.chunks_exact(n).zip([&d.before, &d.after]) {
            let sum = |column: &[f64]| -> f64 { column.iter().zip(w).map(|(a, b)| a * b).sum() };
            for j in 0..n {
                out[j] += sum(&momentum.by_start[j * n..(j + 1) * n]);
                out[n + j] += sum(&momentum.by_end[j * n..(j + 1) * n]);
            }
            for j in 0..m {
                out[2 * n + j] += sum(&momentum.by_input[j * n..(j + 1) * n]);
            }
            out[2 * n + m] += problem.plan.step * sum(&momentum.by_length);
        }
    }

    /// Adds central differences of the gradient of the weighted sum.
    fn add_differences(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let (n, m) = (self.dofs, self.components);
        let all = 2 * n + m + 1;
        let (problem, model) = (context.problem, &context.problem.plan.model);
        let here = self.interval_inputs(problem, context.at);
        let mut sides = [vec![0.0; all], vec![0.0; all]];
        let Workspace { dynamics, displaced, .. } = &mut *context.workspace;
        for j in (0..2 * n).chain([all - 1]).filter(|&j| self.variables[j] != NONE) {
            let slopes = central_difference(&mut sides, EPSILON, |by, side| {
                let interval = if j < n {
                    let start = displaced.set(model, here.start, self.island, (j, by));
                    IntervalInputs { start, ..here }
                } else if j < 2 * n {
                    let end = displaced.set(model, here.end, self.island, (j - n, by));
                    IntervalInputs { end, ..here }
                } else {
                    IntervalInputs { h: here.h + by * problem.plan.step, ..here }
                };
                dynamics.differentiate(&interval)?;
                self.gradient(problem, dynamics, weights, side);
                Ok(())
            })?;
            for (i, slope) in slopes.enumerate() {
                out[j * all + i] += slope;
                // Control inputs are not displaced themselves: their rows mirror their columns.
                if (2 * n..2 * n + m).contains(&i) {
                    out[i * all + j] += slope;
                }
            }
        }
        self.add_connection(context, weights, out)
    }

    /// Adds what differences lack where directions of degrees of freedom rotate.
    fn add_connection(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let Context { problem, at, .. } = *context;
        let nodes = [self.interval, self.interval + 1];
        let model = &*problem.plan.model;
        let Workspace { dynamics, kinematics, .. } = &mut *context.workspace;
        for node in nodes {
            kinematics.update(model, &at.nodes, (node, self.island));
        }
        if kinematics.columns(model, (nodes[0], self.island)).connection_is_zero() {
            return Ok(());
        }
        dynamics.differentiate(&self.interval_inputs(problem, at))?;
        let (n, all) = (self.dofs, self.variables.len());
        let mut slopes = vec![0.0; all];
        self.gradient(problem, dynamics, weights, &mut slopes);
        for (node, first) in nodes.into_iter().zip([0, n]) {
            let columns = kinematics.columns(model, (node, self.island));
            columns.add_connection(&slopes[first..first + n], |i, j, value| {
                out[(first + i) * all + first + j] += value;
            });
        }
        Ok(())
    }
}

impl ConstraintBlock for DynamicsDefect {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.rows)
    }

    fn value(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let Context { problem, at, .. } = *context;
        if let Form::FreeBody(body) = &self.form {
            body.value(problem, at, self.inputs(at), out);
            return Ok(());
        }
        let (before, after) = out.split_at_mut(self.dofs);
        let differentiator = &mut context.workspace.dynamics.differentiator;
        let momenta = differentiator.momenta(&self.interval_inputs(problem, at), before, after);
        momenta.map_err(|e| Undefined(e.to_string()))
    }

    fn jacobian(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let Context { problem, at, .. } = *context;
        if let Form::FreeBody(body) = &self.form {
            body.jacobian(problem, at, self.inputs(at), out);
            return Ok(());
        }
        let dynamics = &mut context.workspace.dynamics;
        dynamics.differentiate(&self.interval_inputs(problem, at))?;
        let (n, m, step) = (self.dofs, self.components, problem.plan.step);
        let d = &dynamics.derivatives;
        for (half, momentum) in [&d.before, &d.after].iter().enumerate() {
            let lists =
                [(0, &momentum.by_start, n), (n, &momentum.by_end, n), (2 * n, &momentum.by_input, m)];
            for (first, list, count) in lists {
                for (j, column) in list.chunks_exact(n).enumerate().take(count) {
                    let place = (first + j) * 2 * n + half * n;
                    out[place..place + n].copy_from_slice(column);
                }
            }
            let place = (2 * n + m) * 2 * n + half * n;
            out[place..place + n].iter_mut().zip(&momentum.by_length).for_each(|(o, v)| *o = v * step);
        }
        Ok(())
    }

    fn hessian(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        match &self.form {
            Form::FreeBody(body) => body.hessian(context.problem, context.at, weights, out),
            Form::Tree => tree::add_hessian(self, context, weights, out),
            Form::Differences => return self.add_differences(context, weights, out),
        }
        Ok(())
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        match &self.form {
            Form::FreeBody(body) => body.depends(row, variable),
            _ => true,
        }
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let inputs = 2 * self.dofs..2 * self.dofs + self.components;
        match &self.form {
            Form::FreeBody(body) => body.curves(one, other),
            _ => !(inputs.contains(&one) && inputs.contains(&other)),
        }
    }
}
