//! The plan that a run follows: the length of each interval, the joints made by planned contacts, and the deviation from the nodes.

use super::error::RunError;
use super::events::EventRecord;
use super::summary::{ConeFigures, JointFigures, ReplayFigures};
use crate::RunSettings;
use percussion_control::plan::ContactJoint;
use percussion_control::replay::{self, ContactJoints, Deviation, JointRecord};
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::{JointKind, Model, Simulation, State};

/// The plan that a run follows.
pub(super) struct PlanFollower {
    nodes: Vec<State>,
    agreement: Deviation,
    joints: ContactJoints,
    scheme: SchemeKind,
    options: SchemeOptions,
}

impl PlanFollower {
    /// For the nodes of a plan, under the scheme of a run.
    pub fn new(nodes: Vec<State>, joints: ContactJoints, run: &RunSettings) -> Self {
        let agreement = Deviation::default();
        Self { nodes, agreement, joints, scheme: run.scheme, options: run.options }
    }

    /// Number of intervals, which is the number of steps.
    pub fn intervals(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Length of an interval, s.
    pub fn length(&self, interval: usize) -> f64 {
        self.nodes[interval + 1].time - self.nodes[interval].time
    }

    /// Prepares a simulation for its next interval. Returns the number of joints that are made at its beginning.
    pub fn start_interval(&mut self, simulation: &mut Simulation) -> Result<usize, RunError> {
        let node = simulation.state().steps as usize;
        simulation.change_step(self.length(node));
        let before = self.joints.records().len();
        let mut state = simulation.state().clone();
        if let Some(model) = self.joints.enter(node, &mut state) {
            let scheme = self.scheme.build(&model, &state, &self.options)?;
            simulation.change_model(model, &state.momenta, scheme)?;
        }
        Ok(self.joints.records().len() - before)
    }

    /// Events of the joints that were made last.
    pub fn joint_events<'a>(
        &'a self,
        count: usize,
        model: &'a Model,
        time: f64,
    ) -> impl Iterator<Item = EventRecord<'a>> {
        let made = self.joints.records();
        made[made.len() - count..].iter().map(move |made| {
            let vectors = [made.point, made.normal, made.impulse];
            EventRecord::of(model, "joint", time, made.bodies, vectors, made.energy, made.speed)
        })
    }

    /// Compares the state with the node at the end of an interval.
    pub fn compare(&mut self, simulation: &Simulation) {
        let state = simulation.state();
        self.joints.record_reactions(state, replay::has_collision(simulation.step_record()));
        self.agreement.compare(&self.nodes[state.steps as usize], state);
    }

    /// Deviation from the plan.
    pub fn figures(&self, model: &Model) -> ReplayFigures {
        let name = |body: usize| model.bodies[body].name.clone();
        let joint = |made: &JointRecord| JointFigures {
            name: made.name.clone(),
            joint: kind(made.joint).word().to_owned(),
            bodies: [name(made.bodies.0), name(made.bodies.1)],
            node: made.nodes.0,
            made: made.times.0,
            release: made.nodes.1,
            left: made.times.1,
            point: made.point.into(),
            impulse: made.impulse.into(),
            cone: made.cone.map(|cone| ConeFigures {
                friction: cone.friction,
                blow: cone.impulse,
                force: cone.force,
            }),
        };
        ReplayFigures {
            agreement_position: self.agreement.position,
            agreement_rotation: self.agreement.rotation,
            joints: self.joints.records().iter().map(joint).collect(),
        }
    }
}

/// The kind of a joint made by a contact.
fn kind(joint: ContactJoint) -> JointKind {
    match joint {
        ContactJoint::Point => JointKind::Spherical,
        ContactJoint::Rigid => JointKind::Fixed,
    }
}
