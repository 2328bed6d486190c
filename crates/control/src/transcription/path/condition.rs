//! Conditions of the plan on configurations: a measure is kept between bounds at selected nodes.

use super::super::{Assembly, Label};
use super::{MeasureFunction, depends_on_unknowns};

/// Adds the conditions of the plan that do not depend on velocities.
pub(super) fn add(assembly: &mut Assembly) {
    let plan = &assembly.problem.plan;
    for condition in plan.conditions.iter().filter(|condition| !condition.measure.depends_on_velocity()) {
        let name: std::sync::Arc<str> = condition.name.as_str().into();
        for node in (0..=plan.intervals).filter(|&node| condition.nodes.contains(node, plan.intervals)) {
            let label = Label::Path { name: name.clone(), node };
            let function = MeasureFunction(condition.measure.clone());
            if depends_on_unknowns(assembly.problem, node, &function) {
                assembly.path_constraint(node, &label, function, &condition.bounds);
            }
        }
    }
}
