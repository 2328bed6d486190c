//! What blocks read, and the scratch memory that they share.

use super::avoidance::AvoidanceWorkspace;
use super::contact::ContactWorkspace;
use super::dynamics::DynamicsWorkspace;
use super::path::PathWorkspace;
use super::variables::VariableIndices;
use crate::plan::Plan;
use percussion_mechanics::discrete::displace;
use percussion_mechanics::kinematics::KinematicsCache;
use percussion_mechanics::{Model, State};

/// A plan and the indices of its unknowns: constant while blocks are evaluated.
pub struct Problem {
    /// The plan.
    pub plan: Plan,
    /// Indices of its unknowns.
    pub indices: VariableIndices,
}

/// Scratch memory of all blocks, by the folder that uses it.
#[derive(Default)]
pub struct Workspace {
    pub(super) dynamics: DynamicsWorkspace,
    pub(super) contact: ContactWorkspace,
    pub(super) avoidance: AvoidanceWorkspace,
    pub(super) path: PathWorkspace,
    /// Jacobian columns of the islands at the nodes of the present iterate.
    pub(super) kinematics: KinematicsCache,
    pub(super) states: StatePool,
}

/// States for central differences.
#[derive(Default)]
pub(super) struct StatePool(Vec<State>);

impl StatePool {
    /// A state with an island displaced; give it back with [`StatePool::release`].
    pub fn displaced(&mut self, model: &Model, from: &State, island: usize, d: &[f64]) -> State {
        let mut to = self.0.pop().unwrap_or_else(|| from.clone());
        to.clone_from(from);
        displace(model, &model.islands[island], from, d, &mut to);
        to
    }

    pub fn release(&mut self, state: State) {
        self.0.push(state);
    }
}
