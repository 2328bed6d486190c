//! Dynamics: discrete Euler-Lagrange equations as equality constraints [Johnson 4.4, 4.5; Leyendecker 5.2].
//!
//! ```text
//! interval k               momenta p⁻(q_k, q_{k+1}, τ_k) at its first node, p⁺(q_k, q_{k+1}, τ_k) at its second   DynamicsDefect
//! node, known momentum     p⁺ - p⁻ = 0                                   one set of rows
//! node, unknown momentum   p⁺ - p = 0,   p + Dᵀ Λ - p⁻ = 0               two sets, p and Λ unknown
//! start, end               p - p⁻ = 0,   p⁺ - p = 0                      p given or unknown; no rows if it is free
//! ```
//!
//! Reads configurations, control inputs and time scales; writes the rows of momentum balance, to which `contact` adds impulses.

mod defect;
mod free_body;
mod tree;

use super::{Assembly, ConstraintBlock, Context, Evaluation, Iterate, Label, Linear, NONE, Transcription};
use crate::plan::MomentumCondition;
use defect::DynamicsDefect;
use percussion_mechanics::discrete::{Derivatives, Differentiator, IntervalInputs};
use percussion_mechanics::kinematics::ColumnDerivative;
use percussion_solve::nlp::{Bound, Undefined};

/// Scratch memory of dynamics defects.
#[derive(Default)]
pub(super) struct DynamicsWorkspace {
    differentiator: Differentiator,
    derivatives: Derivatives,
    /// Of a body, at both ends of an interval.
    column_derivatives: [Vec<ColumnDerivative>; 2],
}

impl DynamicsWorkspace {
    fn differentiate(&mut self, interval: &IntervalInputs) -> Evaluation {
        let Self { differentiator, derivatives, .. } = self;
        differentiator.differentiate(interval, derivatives).map_err(|e| Undefined(e.to_string()))
    }
}

impl Transcription {
    /// Momenta of an island at both ends of an interval.
    pub fn momenta(
        &mut self,
        at: &Iterate,
        interval: usize,
        island: usize,
    ) -> Result<(Vec<f64>, Vec<f64>), Undefined> {
        let Self { problem, workspace, .. } = self;
        let defect = DynamicsDefect::new(problem, interval, island, (NONE, NONE));
        let mut out = vec![0.0; 2 * problem.plan.model.islands[island].dofs.len()];
        defect.value(&mut Context { problem, workspace, at }, &mut out)?;
        let after = out.split_off(out.len() / 2);
        Ok((out, after))
    }
}

/// Adds momentum balance at all nodes, and a defect for every island and interval.
pub(super) fn add(assembly: &mut Assembly) {
    let problem = assembly.problem;
    let (plan, indices) = (&problem.plan, &problem.indices);
    let mut links = Vec::new();
    for node in 0..=plan.intervals {
        let mut own = Vec::new();
        for (i, island) in plan.model.islands.iter().enumerate() {
            let pair = add_balance(assembly, node, i);
            let unknown = indices.momenta[node][i];
            if unknown != NONE {
                for c in 0..island.dofs.len() {
                    let rows = [(pair.0, -1.0), (pair.1, 1.0)].into_iter().filter(|(row, _)| *row != NONE);
                    links.extend(rows.map(|(row, factor)| (row + c, unknown + c, factor)));
                }
            }
            own.push(pair);
        }
        assembly.momentum_rows.push(own);
    }
    if !links.is_empty() {
        assembly.block(Linear::new(&links));
    }
    for interval in 0..plan.intervals {
        for island in 0..plan.model.islands.len() {
            let (before, after) =
                (assembly.momentum_rows[interval][island].1, assembly.momentum_rows[interval + 1][island].0);
            assembly.block(DynamicsDefect::new(problem, interval, island, (before, after)));
        }
    }
}

/// Adds the rows of momentum balance of an island at a node; returns their first indices.
fn add_balance(assembly: &mut Assembly, node: usize, island: usize) -> (usize, usize) {
    let problem = assembly.problem;
    let plan = &problem.plan;
    let n = plan.model.islands[island].dofs.len();
    let mut add = |value: &dyn Fn(usize) -> f64, label: Label| {
        let each = (0..n).map(|c| assembly.row(Bound::equal(value(c)), label.clone()));
        each.min().unwrap_or(NONE)
    };
    if let Some(boundary) = plan.boundary(node) {
        let (label, sign) = (Label::BoundaryMomentum { node, island }, if node == 0 { -1.0 } else { 1.0 });
        let rows = match &boundary.momentum[island] {
            MomentumCondition::Free => NONE,
            MomentumCondition::Given(p) => add(&|c| sign * p[c], label),
            MomentumCondition::Conditioned => add(&|_| 0.0, label),
        };
        return if node == 0 { (NONE, rows) } else { (rows, NONE) };
    }
    let inner = Label::Dynamics { node, island };
    let first = add(&|_| 0.0, inner.clone());
    match problem.indices.momenta[node][island] {
        NONE => (first, first),
        _ => (first, add(&|_| 0.0, inner)),
    }
}
