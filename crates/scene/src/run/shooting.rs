//! Shooting: solves for the initial conditions of a scene with `[shoot]` and runs it from them, into an ordinary run folder.

use super::error::RunError;
use super::folder::Folder;
use super::session::run_shooting;
use super::shooting_figures::ShootFigures;
use super::summary::{Status, Summary};
use crate::Scene;
use percussion_control::shooting::{Iteration, Outcome, ShootingProblem};
use percussion_solve::nlp::CallbackAction;
use std::path::Path;
use std::time::Instant;

/// Solves the shooting problem of a scene and runs the scene from the best initial conditions into a folder. `observe` is called at every
/// iteration.
pub fn shoot(
    mut scene: Scene,
    path: &Path,
    observe: &mut dyn FnMut(&Iteration) -> CallbackAction,
) -> Result<Summary, RunError> {
    let clock = Instant::now();
    let settings = scene.shoot.take().ok_or(RunError::NoPlan)?;
    Folder::check(path)?;
    let steps = scene.run.steps().max(1) as usize;
    let problem = ShootingProblem {
        model: &scene.model,
        start: &scene.state,
        scheme: scene.run.scheme,
        options: scene.run.options,
        steps,
        time: scene.run.step * steps as f64,
        unknowns: settings.unknowns.iter().map(|(_, unknown)| unknown.clone()).collect(),
        targets: settings.targets.iter().map(|(_, aim)| aim.clone()).collect(),
        impacts: settings.impacts,
        iterations: settings.iterations,
    };
    let result = problem.solve(observe)?;
    let figures = ShootFigures::new(&settings, &result, clock.elapsed().as_secs_f64());
    let status = match result.outcome {
        Outcome::Converged => Status::Finished,
        Outcome::Interrupted => Status::Interrupted,
        Outcome::Stalled | Outcome::IterationLimit => Status::Failed,
    };
    scene.state = result.start;
    scene.run.step = result.time / steps as f64;
    scene.run.until = result.time;
    run_shooting(scene, path, figures, status)
}
