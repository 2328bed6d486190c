//! A run under the efforts of a manoeuvre: a step for each interval, joints that planned contacts make, and the nodes compared.

use super::error::RunError;
use super::events::EventRecord;
use super::planned_trajectory::PlannedTrajectory;
use super::session::{Progress, Session};
use super::summary::{ConeFigures, JointFigures, ReplayFigures, Summary};
use crate::Scene;
use percussion_control::plan::ContactJoint;
use percussion_control::replay::{self, Agreement, Joints, Made};
use percussion_mechanics::schemes::{self, Options};
use percussion_mechanics::{JointKind, Model, Simulation, State};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;

/// Runs a scene under the efforts of a manoeuvre that was planned for it, a step for each interval, and compares the nodes.
pub fn run_with_controls(
    mut scene: Scene,
    path: &Path,
    planned: PlannedTrajectory,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Summary, RunError> {
    let plan = &scene.plan.as_ref().ok_or(RunError::NoPlan)?.plan;
    scene.model = replay::loaded(plan, &planned.times(), &planned.efforts)?;
    let joints = Joints::new(plan, &planned.nodes, scene.model.clone())?;
    scene.state = planned.nodes[0].clone();
    let (scheme, options) = (scene.run.scheme.clone(), scene.run.options);
    let agreement = Agreement::default();
    let follower = PlanFollower { nodes: planned.nodes, agreement, joints, scheme, options };
    scene.run.step = follower.length(0);
    let mut session = Session::begun(scene, path, Some(follower))?;
    let (status, failure) = session.advance(watch)?;
    session.close(status, failure)
}

/// The nodes of a manoeuvre that a run is to follow.
pub(super) struct PlanFollower {
    nodes: Vec<State>,
    agreement: Agreement,
    joints: Joints,
    scheme: String,
    options: Options,
}

impl PlanFollower {
    /// How many steps lead through all nodes.
    pub fn intervals(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Length of an interval, s.
    fn length(&self, interval: usize) -> f64 {
        self.nodes[interval + 1].time - self.nodes[interval].time
    }

    /// Makes a simulation ready for its next interval. Returns how many joints have entered.
    pub fn enter(&mut self, simulation: &mut Simulation) -> Result<usize, RunError> {
        let node = simulation.state().steps as usize;
        simulation.change_step(self.length(node));
        let before = self.joints.made().len();
        let mut state = simulation.state().clone();
        if let Some(model) = self.joints.enter(node, &mut state) {
            let scheme = schemes::by_name(&self.scheme, &model, &state, &self.options)?;
            simulation.change_model(model, &state.momenta, scheme)?;
        }
        Ok(self.joints.made().len() - before)
    }

    /// The joints that entered last, as lines of the events.
    pub fn entered<'a>(
        &'a self,
        count: usize,
        model: &'a Model,
        time: f64,
    ) -> impl Iterator<Item = EventRecord<'a>> {
        let made = self.joints.made();
        made[made.len() - count..].iter().map(move |made| event(made, model, time))
    }

    /// Takes into account where an interval has led.
    pub fn compare(&mut self, simulation: &Simulation) {
        let state = simulation.state();
        self.joints.look(state, replay::broken(simulation.transcript()));
        self.agreement.compare(&self.nodes[state.steps as usize], state);
    }

    /// What came of it.
    pub fn figures(&self, model: &Model) -> ReplayFigures {
        let name = |body: usize| model.bodies[body].name.clone();
        let joint = |made: &Made| JointFigures {
            name: made.name.clone(),
            joint: kind(made.tie).word().to_owned(),
            bodies: [name(made.bodies.0), name(made.bodies.1)],
            node: made.nodes.0,
            made: made.times.0,
            release: made.nodes.1,
            left: made.times.1,
            point: made.point.into(),
            impulse: made.impulse.into(),
            cone: made.cone.map(|cone| ConeFigures {
                friction: cone.friction,
                blow: cone.blow,
                force: cone.force,
            }),
        };
        ReplayFigures {
            agreement_position: self.agreement.position,
            agreement_rotation: self.agreement.rotation,
            joints: self.joints.made().iter().map(joint).collect(),
        }
    }
}

/// The kind of joint that a tie is.
fn kind(tie: ContactJoint) -> JointKind {
    match tie {
        ContactJoint::Point => JointKind::Spherical,
        ContactJoint::Rigid => JointKind::Fixed,
    }
}

/// A contact that made a joint as a line of the events.
fn event<'a>(made: &'a Made, model: &'a Model, time: f64) -> EventRecord<'a> {
    let name = |body: usize| Cow::Borrowed(model.bodies[body].name.as_str());
    EventRecord {
        time,
        bodies: [name(made.bodies.0), name(made.bodies.1)],
        point: made.point.into(),
        normal: made.normal.into(),
        impulse: made.impulse.into(),
        kind: Cow::Borrowed("joint"),
        energy_before: made.energy.0,
        energy_after: made.energy.1,
        normal_velocity_before: made.speed.0,
        normal_velocity_after: made.speed.1,
    }
}
