//! What blocks read, and the scratch memory that they share.

use super::avoidance::AvoidanceWorkspace;
use super::contact::ContactWorkspace;
use super::dynamics::DynamicsWorkspace;
use super::variables::{Iterate, VariableIndices};
use crate::plan::Plan;
use percussion_mechanics::discrete::displace;
use percussion_mechanics::kinematics::KinematicsCache;
use percussion_mechanics::{Model, State};

/// A plan and the indices of its unknowns: constant while blocks are evaluated.
pub struct Problem {
    pub plan: Plan,
    /// Indices of its unknowns.
    pub indices: VariableIndices,
}

/// What blocks are evaluated with.
pub struct Context<'a> {
    /// The plan.
    pub problem: &'a Problem,
    /// Scratch memory.
    pub workspace: &'a mut Workspace,
    pub at: &'a Iterate,
}

/// Scratch memory of all blocks, by the folder that uses it.
#[derive(Default)]
pub struct Workspace {
    pub(super) dynamics: DynamicsWorkspace,
    pub(super) contact: ContactWorkspace,
    pub(super) avoidance: AvoidanceWorkspace,
    /// Jacobian columns of the islands at the nodes of the present iterate.
    pub(super) kinematics: KinematicsCache,
    pub(super) displaced: DisplacedState,
}

/// The state of central differences.
#[derive(Default)]
pub(super) struct DisplacedState(Option<State>, Vec<f64>);

impl DisplacedState {
    /// A state with an island displaced along one of its degrees of freedom.
    pub fn set(&mut self, model: &Model, from: &State, island: usize, (dof, by): (usize, f64)) -> &State {
        let Self(to, d) = self;
        let island = &model.islands[island];
        d.clear();
        d.resize(island.dofs.len(), 0.0);
        d[dof] = by;
        let to = to.get_or_insert_with(|| from.clone());
        to.clone_from(from);
        displace(model, island, from, d, to);
        to
    }
}
