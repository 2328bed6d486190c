//! Goals at the end: `weight Σ (value - target)²` of a measure of the last configuration.

use super::super::path::{PathConstraint, bodies_of};
use super::super::{Assembly, Evaluation, OBJECTIVE, Workspace};
use crate::plan::Goal;
use percussion_mechanics::Model;
use percussion_mechanics::kinematics::ConfigurationKinematics;

/// A goal as a function of a configuration.
struct GoalFunction(Goal);

impl PathConstraint for GoalFunction {
    fn bodies(&self, model: &Model) -> [Option<usize>; 2] {
        bodies_of(&self.0.measure, model)
    }

    fn value(&self, kinematics: &ConfigurationKinematics, _: &mut Workspace, out: &mut [f64]) -> Evaluation {
        let Goal { measure, target, weight, .. } = &self.0;
        let mut values = [0.0; 3];
        measure.value(kinematics, &mut values[..measure.components()]);
        let squares = values.iter().zip(target).map(|(v, t)| (v - t) * (v - t));
        out[0] = weight * squares.sum::<f64>();
        Ok(())
    }

    fn jacobian(&self, kinematics: &mut ConfigurationKinematics, out: &mut [f64]) {
        let Goal { measure, target, weight, .. } = &self.0;
        let (n, count) = (kinematics.model.dofs, measure.components());
        let (mut values, mut rows) = ([0.0; 3], vec![0.0; count * n]);
        measure.value(kinematics, &mut values[..count]);
        measure.gradient(kinematics, &mut rows);
        out.fill(0.0);
        for ((row, value), target) in rows.chunks_exact(n).zip(values).zip(target) {
            let factor = 2.0 * weight * (value - target);
            out.iter_mut().zip(row).for_each(|(o, v)| *o += factor * v);
        }
    }
}

/// Adds the goals of the plan that do not depend on velocities.
pub(in super::super) fn add_goals(assembly: &mut Assembly) {
    let plan = &assembly.problem.plan;
    for goal in plan.goals.iter().filter(|goal| !goal.measure.depends_on_velocity()) {
        assembly.node_function(plan.intervals, GoalFunction(goal.clone()), vec![(OBJECTIVE, 1.0)]);
    }
}
