//! Replay of a plan: a run under the planned control inputs, one step for each interval.

use super::error::RunError;
use super::follower::PlanFollower;
use super::planned_trajectory::PlannedTrajectory;
use super::session::{Progress, Session};
use super::summary::Summary;
use crate::Scene;
use percussion_control::replay::{ContactJoints, model_with_controls};
use std::ops::ControlFlow;
use std::path::Path;

/// Runs a scene under the control inputs that were planned for it, one step for each interval, and compares the nodes.
pub fn run_with_controls(
    mut scene: Scene,
    path: &Path,
    planned: PlannedTrajectory,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Summary, RunError> {
    let plan = &scene.plan.as_ref().ok_or(RunError::NoPlan)?.plan;
    scene.model = model_with_controls(plan, &planned.times(), &planned.inputs)?;
    let joints = ContactJoints::new(plan, &planned.nodes, scene.model.clone())?;
    scene.state = planned.nodes[0].clone();
    let follower = PlanFollower::new(planned.nodes, joints, &scene.run);
    scene.run.step = follower.length(0);
    let mut session = Session::begin(scene, path, Some(follower))?;
    let (status, failure) = session.advance(observe)?;
    session.close(status, failure)
}
