//! Conditions and goals on velocities: functions of a node's configuration and momenta.

use super::super::contact::{MomentumBlock, MomentumFunction};
use super::super::{Assembly, NONE, OBJECTIVE};
use super::condition::conditions;
use crate::islands::islands_of;

/// Adds the conditions of the plan on velocities, and its goals.
pub(in super::super) fn add_velocity_conditions(assembly: &mut Assembly) {
    let problem = assembly.problem;
    let plan = &problem.plan;
    for (condition, node, label) in conditions(plan, true) {
        let islands = islands_of(&plan.model, condition.measure.bodies().into_iter().flatten());
        let rows = condition.bounds.iter().map(|b| (assembly.row(*b, label.clone()), 1.0)).collect();
        let function = MomentumFunction::Velocity(condition.measure.clone());
        assembly.block(MomentumBlock::new(problem, node, function, islands, NONE, rows));
    }
    for goal in plan.goals.iter().filter(|goal| goal.measure.depends_on_velocity()) {
        let islands = islands_of(&plan.model, goal.measure.bodies().into_iter().flatten());
        let function = MomentumFunction::VelocityGoal(goal.measure.clone(), goal.target.clone(), goal.weight);
        let rows = vec![(OBJECTIVE, 1.0)];
        assembly.block(MomentumBlock::new(problem, plan.intervals, function, islands, NONE, rows));
    }
}
