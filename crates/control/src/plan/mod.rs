//! What is asked of a manoeuvre: boundary states, controls, what must hold on the way, contacts on purpose, and what is
//! dear. Only data, by the model's numbers; the scene's words come from above.
//!
//! A manoeuvre has `K` intervals of base length `h`. Planned contacts cut it into segments; the intervals of a segment are
//! `σ h` long with the segment's time scale `σ` [Johnson 4.25]. Nodes are numbered from 0 to `K`.

mod condition;
mod contact;
mod measure;

pub use condition::{Condition, Goal, When};
pub use contact::{ContactJoint, PlannedContact, Slip};
pub(crate) use measure::left_jacobian;
pub use measure::{Measure, Seen, rotation_of};

use percussion_mechanics::discrete::Control;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Bound;
use std::sync::Arc;

/// What can be steered: a control with the bounds and prices of its components.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// What people call it.
    pub name: String,
    /// What it acts on.
    pub control: Control,
    /// The island it acts in.
    pub island: usize,
    /// Bounds of its components; equal bounds hold one.
    pub bounds: Vec<Bound>,
    /// Weight in the effort.
    pub weight: f64,
}

/// What is known of the momentum of an island at an end of the manoeuvre.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// Nothing: any will do.
    Free,
    /// All of it: the reduced momentum.
    Given(Vec<f64>),
    /// What conditions on velocities say.
    Conditioned,
}

/// One end of the manoeuvre.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Configurations of the islands that stand firm.
    pub state: State,
    /// Which islands stand firm; the others stand where conditions let them.
    pub fixed: Vec<bool>,
    /// What is known of their momenta.
    pub drive: Vec<Drive>,
}

/// How long the manoeuvre takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Of each time scale.
    pub scale: Bound,
    /// Of the whole, s.
    pub total: Bound,
}

/// Collision avoidance.
#[derive(Clone, Debug, PartialEq)]
pub struct Avoidance {
    /// Distance to keep, m.
    pub margin: f64,
    /// Pairs of parts to keep apart; `None` are all that may meet.
    pub pairs: Option<Vec<(usize, usize)>>,
}

/// A manoeuvre that is wanted.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bodies, joints, forces.
    pub model: Arc<Model>,
    /// Intervals `K`.
    pub intervals: usize,
    /// Base length `h` of an interval, s.
    pub step: f64,
    /// What can be steered, by island.
    pub actuators: Vec<Actuator>,
    /// Where it begins.
    pub start: Terminal,
    /// Where it ends.
    pub end: Terminal,
    /// What must hold at nodes.
    pub conditions: Vec<Condition>,
    /// Price of the effort `Σ σ h Σ w τ²`.
    pub effort: f64,
    /// Price of a second.
    pub time: f64,
    /// What else is dear.
    pub goals: Vec<Goal>,
    /// Collision avoidance, if wanted.
    pub avoidance: Option<Avoidance>,
    /// ContactGeometry on purpose, in order.
    pub meetings: Vec<PlannedContact>,
    /// How long it may take.
    pub times: Times,
}

impl Plan {
    /// Components of all controls.
    pub fn components(&self) -> usize {
        self.actuators.iter().map(|a| a.control.components()).sum()
    }

    /// Which segment an interval belongs to: the number of meetings at or before its first node.
    pub fn segment(&self, interval: usize) -> usize {
        let mut nodes: Vec<usize> = self.meetings.iter().map(|m| m.node).collect();
        nodes.dedup();
        nodes.iter().filter(|&&node| node <= interval).count()
    }

    /// How many segments there are.
    pub fn segments(&self) -> usize {
        self.segment(self.intervals) + 1
    }

    /// Whether time scales are sought.
    pub fn scales_sought(&self) -> bool {
        self.segments() > 1 || !self.times.total.is_equation()
    }

    /// The actuators of an island, as a range of the list.
    pub fn actuators_of(&self, island: usize) -> std::ops::Range<usize> {
        let first = self.actuators.partition_point(|a| a.island < island);
        let last = self.actuators.partition_point(|a| a.island <= island);
        first..last
    }

    /// Where the components of an actuator begin among those of an interval.
    pub fn first_component(&self, actuator: usize) -> usize {
        self.actuators[..actuator].iter().map(|a| a.control.components()).sum()
    }
}
