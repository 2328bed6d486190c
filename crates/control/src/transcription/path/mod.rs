//! Path constraints: functions of the configuration of one node, and conditions on velocities.
//!
//! All functions of a node's configuration are one block (`node_block.rs`): those without a closed second derivative share one central
//! difference of the gradient of their weighted sum.
//!
//! A new kind is one file with an implementation of [`PathConstraint`] and a function in [`PATH_CONSTRAINTS`]; `condition.rs` is an example.

mod condition;
mod measure_function;
mod node_block;
mod velocity;

pub(super) use measure_function::{MeasureFunction, bodies_of};
pub(super) use node_block::NodeConstraints;
pub(super) use velocity::add_velocity_conditions;

use super::{Assembly, Evaluation, Family, Problem, Workspace};
use super::{avoidance, contact, objective};
use crate::islands::island_of;
use node_block::NodeBlock;
use percussion_geometry::Vec3;
use percussion_mechanics::kinematics::{ConfigurationKinematics, SecondDerivatives};
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Undefined;

/// All kinds of path constraints. Rows and functions of a node are in this order.
const PATH_CONSTRAINTS: [Family; 4] =
    [condition::add, avoidance::add_separations, contact::add_positions, objective::add_goals];

/// Functions of the configuration of one node.
pub(super) trait PathConstraint {
    /// Number of functions.
    fn rows(&self) -> usize {
        1
    }

    /// Sparsity: the bodies on whose configuration they depend, two at most.
    fn bodies(&self, model: &Model) -> [Option<usize>; 2];

    /// Their values.
    fn value(
        &self,
        kinematics: &ConfigurationKinematics,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Evaluation;

    /// Their gradients along all degrees of freedom of the model, row by row.
    fn jacobian(&self, kinematics: &mut ConfigurationKinematics, out: &mut [f64]);

    /// The Hessian of their weighted sum, where it has a closed form; otherwise it is a central difference of the Jacobian.
    fn second_derivative(&self, _: &Model, _: &State, _weights: &[f64]) -> Option<SecondDerivatives> {
        None
    }

    /// Of a function that is a maximum over pairs of features: that of the pair which is active at a state. Its Jacobian is taken, and
    /// differenced, in place of this one's.
    fn with_active_feature(
        &self,
        _model: &Model,
        _state: &State,
        _workspace: &mut Workspace,
    ) -> Result<Option<Box<dyn PathConstraint>>, Undefined> {
        Ok(None)
    }
}

/// Second derivatives of `n·x` for a point in the world that is fixed on the body at a slot.
pub(super) fn point_second_derivatives(
    state: &State,
    slot: Option<usize>,
    n: Vec3,
    x: Vec3,
) -> SecondDerivatives {
    match slot {
        Some(slot) => SecondDerivatives::Point { slot, n, arm: x - state.positions[slot] },
        None => SecondDerivatives::Zero,
    }
}

/// Whether functions depend on any unknown of a node.
pub(super) fn depends_on_unknowns(problem: &Problem, node: usize, function: &dyn PathConstraint) -> bool {
    let model = &problem.plan.model;
    let slots = function.bodies(model).into_iter().flatten().filter_map(|body| model.slots[body]);
    slots.into_iter().any(|slot| problem.indices.is_free(node, island_of(model, slot)))
}

/// Adds path constraints of all kinds, one block for each node.
pub(super) fn add_path_constraints(assembly: &mut Assembly) {
    PATH_CONSTRAINTS.iter().for_each(|add| add(assembly));
    for (node, constraints) in std::mem::take(&mut assembly.nodes).into_iter().enumerate() {
        if !constraints.functions.is_empty() {
            assembly.block(NodeBlock::new(assembly.problem, node, constraints));
        }
    }
}
