//! Initial conditions that were looked for, and the run from them: a folder like that of any run, with the figures of the search.

use super::error::RunError;
use super::folder::Folder;
use super::session::run_shot;
use super::summary::{Status, Summary};
use crate::{Scene, ShootSettings};
use percussion_control::shooting::{Iteration, Outcome, ShootingProblem, ShootingSolution, Target};
use percussion_solve::nlp::Watch;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;

/// What the search for initial conditions came to, as `shoot` in `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShootFigures {
    /// `hit`, `stuck`, `iteration-limit` or `stopped`.
    pub ending: String,
    /// Steps of Newton's method.
    pub iterations: usize,
    /// Greatest residual after each of them; the first is that of the first shot.
    pub residuals: Vec<f64>,
    /// Impacts on the way.
    pub impacts: usize,
    /// How long the shot takes, s.
    pub time: f64,
    /// What was chosen.
    pub chosen: Vec<ChosenFigure>,
    /// What is left of every number asked for.
    pub left: Vec<LeftFigure>,
    /// Time spent on the search, s.
    pub solve_time_s: f64,
}

/// Something that was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChosenFigure {
    /// In the words of the scene.
    pub name: String,
    /// What it was at first.
    pub guess: f64,
    /// What was chosen; of places, how far they were displaced.
    pub value: f64,
}

/// What is left of something asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftFigure {
    /// In words.
    pub name: String,
    /// Greatest of its components.
    pub residual: f64,
}

/// Looks for the initial conditions that a scene asks for, and runs it from the best ones into a folder. `watch` is told every
/// iteration.
pub fn shoot(
    mut scene: Scene,
    path: &Path,
    watch: &mut dyn FnMut(&Iteration) -> Watch,
) -> Result<Summary, RunError> {
    let clock = Instant::now();
    let settings = scene.shoot.take().ok_or(RunError::NoPlan)?;
    Folder::check(path)?;
    let steps = scene.run.steps().max(1) as usize;
    let shot = ShootingProblem {
        model: &scene.model,
        start: &scene.state,
        scheme: &scene.run.scheme,
        options: scene.run.options,
        steps,
        time: scene.run.step * steps as f64,
        unknowns: settings.unknowns.iter().map(|(_, unknown)| unknown.clone()).collect(),
        targets: settings.aims.iter().map(|(_, aim)| aim.clone()).collect(),
        impacts: settings.impacts,
        iterations: settings.iterations,
    };
    let hit = shot.solve(watch)?;
    let figures = figures(&settings, &hit, clock.elapsed().as_secs_f64());
    let status = match hit.outcome {
        Outcome::Converged => Status::Finished,
        Outcome::Interrupted => Status::Interrupted,
        Outcome::Stalled | Outcome::IterationLimit => Status::Failed,
    };
    scene.state = hit.start;
    scene.run.step = hit.time / steps as f64;
    scene.run.until = hit.time;
    run_shot(scene, path, figures, status)
}

fn figures(settings: &ShootSettings, hit: &ShootingSolution, solve_time_s: f64) -> ShootFigures {
    let ending = match hit.outcome {
        Outcome::Converged => "hit",
        Outcome::Stalled => "stuck",
        Outcome::IterationLimit => "iteration-limit",
        Outcome::Interrupted => "stopped",
    };
    let chosen = settings.unknowns.iter().zip(hit.initial_unknowns.iter().zip(&hit.unknowns));
    let mut next = 0;
    let left = settings.aims.iter().map(|(name, aim)| {
        let count = match aim {
            Target::Measure(_, values) => values.iter().flatten().count(),
            Target::Heading { .. } => 1,
        };
        let own = &hit.target_residuals[next..next + count];
        next += count;
        LeftFigure { name: name.clone(), residual: own.iter().fold(0.0, |m: f64, r| m.max(r.abs())) }
    });
    let left = left.collect();
    ShootFigures {
        ending: ending.to_owned(),
        iterations: hit.residuals.len() - 1,
        residuals: hit.residuals.clone(),
        impacts: hit.impacts,
        time: hit.time,
        chosen: chosen
            .map(|((name, _), (guess, value))| ChosenFigure {
                name: name.clone(),
                guess: *guess,
                value: *value,
            })
            .collect(),
        left,
        solve_time_s,
    }
}
