//! Conditions of the plan: a measure is kept between bounds at selected nodes.

use super::super::{Assembly, Label};
use super::{MeasureFunction, depends_on_unknowns};
use crate::plan::{Condition, Plan};
use std::sync::Arc;

/// Adds the conditions of the plan that do not depend on velocities.
pub(super) fn add(assembly: &mut Assembly) {
    for (condition, node, label) in conditions(&assembly.problem.plan, false) {
        let function = MeasureFunction(condition.measure.clone());
        if depends_on_unknowns(assembly.problem, node, &function) {
            assembly.path_constraint(node, &label, function, &condition.bounds);
        }
    }
}

/// Conditions on velocities or on configurations alone, at each of their nodes, with the labels of their rows.
pub(super) fn conditions(plan: &Plan, on_velocity: bool) -> impl Iterator<Item = (&Condition, usize, Label)> {
    let own = plan.conditions.iter().filter(move |own| own.measure.depends_on_velocity() == on_velocity);
    own.flat_map(|condition| {
        let name: Arc<str> = condition.name.as_str().into();
        let nodes = (0..=plan.intervals).filter(|&node| condition.nodes.contains(node, plan.intervals));
        nodes.map(move |node| (condition, node, Label::Path { name: name.clone(), node }))
    })
}
