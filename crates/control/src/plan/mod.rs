//! Plans as data: boundary states, controls, conditions on the way, planned contacts, the objective.
//!
//! A trajectory has `K` intervals of base length `h`. Planned contacts cut it into segments; the intervals of a segment are `σ h` long with the
//! segment's time scale `σ` [Johnson 4.25]. Nodes are numbered from 0 to `K`.

mod condition;
mod contact;
mod measure;

pub use condition::{Condition, Goal, NodeSelector};
pub use contact::{ContactFriction, ContactJoint, PlannedContact};
pub(crate) use measure::left_jacobian;
pub use measure::{BodyPoint, Measure, rotation_of};

use percussion_mechanics::discrete::Control;
use percussion_mechanics::model::Island;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Bound;
use std::sync::Arc;

/// A control with bounds and weight.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Its name in messages.
    pub name: String,
    /// Its point of application.
    pub control: Control,
    /// The island it acts on.
    pub island: usize,
    /// Bounds of its components; equal bounds fix one.
    pub bounds: Vec<Bound>,
    /// Weight in the control effort.
    pub weight: f64,
}

impl Actuator {
    /// A control with equal bounds of all components and a weight of one.
    pub fn new(name: impl Into<String>, control: Control, island: usize, bound: Bound) -> Self {
        let bounds = vec![bound; control.components()];
        Self { name: name.into(), control, island, bounds, weight: 1.0 }
    }
}

/// What is prescribed about the momentum of an island at an end of the trajectory.
#[derive(Clone, Debug, PartialEq)]
pub enum MomentumCondition {
    /// Nothing.
    Free,
    /// The reduced momentum.
    Given(Vec<f64>),
    /// Conditions on velocities.
    Conditioned,
}

/// One end of the trajectory.
#[derive(Clone, Debug)]
pub struct BoundaryState {
    /// Configurations of the islands that are fixed.
    pub state: State,
    /// Whether the configuration of each island is fixed; others are limited by conditions alone.
    pub fixed: Vec<bool>,
    /// What is prescribed about their momenta.
    pub momentum: Vec<MomentumCondition>,
}

impl BoundaryState {
    /// Configurations and momenta of a state.
    pub fn given(model: &Model, state: State) -> Self {
        let of = |island: &Island| MomentumCondition::Given(state.momenta[island.dofs.clone()].to_vec());
        let momentum = model.islands.iter().map(of).collect();
        Self { fixed: vec![true; model.islands.len()], momentum, state }
    }

    /// Nothing is prescribed; the state is that of islands that are fixed later.
    pub fn free(model: &Model, state: State) -> Self {
        let count = model.islands.len();
        Self { state, fixed: vec![false; count], momentum: vec![MomentumCondition::Free; count] }
    }
}

/// Bounds of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeBounds {
    /// Of each time scale.
    pub scale: Bound,
    /// Of the total time, s.
    pub total: Bound,
}

/// Collision avoidance.
#[derive(Clone, Debug, PartialEq)]
pub struct Avoidance {
    /// Least separation, m.
    pub margin: f64,
    /// Pairs of parts to keep apart; `None` for all that can collide.
    pub pairs: Option<Vec<(usize, usize)>>,
}

/// An optimal control problem.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bodies, joints, forces.
    pub model: Arc<Model>,
    /// Number of intervals `K`.
    pub intervals: usize,
    /// Base length `h` of an interval, s.
    pub step: f64,
    /// Controls, by island.
    pub actuators: Vec<Actuator>,
    /// The first state.
    pub start: BoundaryState,
    /// The last state.
    pub end: BoundaryState,
    /// Conditions at nodes.
    pub conditions: Vec<Condition>,
    /// Weight of the control effort `Σ σ h Σ w τ²` in the objective.
    pub control_effort_weight: f64,
    /// Weight of the total time in the objective.
    pub time_weight: f64,
    /// Further terms of the objective.
    pub goals: Vec<Goal>,
    /// Collision avoidance.
    pub avoidance: Option<Avoidance>,
    /// Planned contacts, in order.
    pub contacts: Vec<PlannedContact>,
    /// Bounds of times.
    pub time_bounds: TimeBounds,
}

impl Plan {
    /// From a state to anywhere in a given time with control effort as the objective; without controls, conditions and contacts.
    pub fn new(model: Arc<Model>, state: State, intervals: usize, step: f64) -> Self {
        let total = Bound::equal(step * intervals as f64);
        Self {
            intervals,
            step,
            actuators: Vec::new(),
            start: BoundaryState::given(&model, state.clone()),
            end: BoundaryState::free(&model, state),
            conditions: Vec::new(),
            control_effort_weight: 1.0,
            time_weight: 0.0,
            goals: Vec::new(),
            avoidance: None,
            contacts: Vec::new(),
            time_bounds: TimeBounds { scale: Bound::between(0.1, 10.0), total },
            model,
        }
    }

    /// What is prescribed at a node, if it is an end of the trajectory.
    pub fn boundary(&self, node: usize) -> Option<&BoundaryState> {
        match node {
            0 => Some(&self.start),
            k if k == self.intervals => Some(&self.end),
            _ => None,
        }
    }

    /// Number of components of all controls.
    pub fn components(&self) -> usize {
        self.actuators.iter().map(|a| a.control.components()).sum()
    }

    /// The segment of an interval: the number of planned contacts at or before its first node.
    pub fn segment(&self, interval: usize) -> usize {
        let mut nodes: Vec<usize> = self.contacts.iter().map(|contact| contact.node).collect();
        nodes.dedup();
        nodes.iter().filter(|&&node| node <= interval).count()
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.segment(self.intervals) + 1
    }

    /// Whether time scales are unknowns.
    pub fn has_unknown_time_scales(&self) -> bool {
        self.segments() > 1 || !self.time_bounds.total.is_equation()
    }

    /// The actuators of an island, as a range of the list.
    pub fn actuators_of(&self, island: usize) -> std::ops::Range<usize> {
        let first = self.actuators.partition_point(|a| a.island < island);
        let last = self.actuators.partition_point(|a| a.island <= island);
        first..last
    }

    /// The controls of an island, and the range of their components among those of an interval.
    pub fn controls_of(&self, island: usize) -> (Vec<Control>, std::ops::Range<usize>) {
        let own = self.actuators_of(island);
        let components = self.first_component(own.start)..self.first_component(own.end);
        (self.actuators[own].iter().map(|a| a.control).collect(), components)
    }

    /// The index of the first component of an actuator among those of an interval.
    pub fn first_component(&self, actuator: usize) -> usize {
        self.actuators[..actuator].iter().map(|a| a.control.components()).sum()
    }
}
