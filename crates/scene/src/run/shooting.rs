//! Initial conditions that were looked for, and the run from them: a folder like that of any run, with the figures of the search.

use super::error::RunError;
use super::folder::Folder;
use super::session::run_shooting;
use super::summary::{Status, Summary};
use crate::{Scene, ShootSettings};
use percussion_control::shooting::{Aim, Ending, Hit, Round, Shot};
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
    /// Greatest residual after each of them; the first is that of the first shooting.
    pub residuals: Vec<f64>,
    /// Impacts on the way.
    pub impacts: usize,
    /// How long the shooting takes, s.
    pub time: f64,
    /// What was chosen.
    pub chosen: Vec<UnknownFigure>,
    /// What is left of every number asked for.
    pub left: Vec<TargetFigure>,
    /// Time spent on the search, s.
    pub solve_time_s: f64,
}

/// Something that was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnknownFigure {
    /// In the words of the scene.
    pub name: String,
    /// What it was at first.
    pub guess: f64,
    /// What was chosen; of places, how far they were displaced.
    pub value: f64,
}

/// What is left of something asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetFigure {
    /// In words.
    pub name: String,
    /// Greatest of its components.
    pub residual: f64,
}

/// Looks for the initial conditions that a scene asks for, and runs it from the best ones into a folder. `watch` is reported every
/// iteration.
pub fn shoot(
    mut scene: Scene,
    path: &Path,
    watch: &mut dyn FnMut(&Round) -> Watch,
) -> Result<Summary, RunError> {
    let clock = Instant::now();
    let settings = scene.shoot.take().ok_or(RunError::NoPlan)?;
    Folder::check(path)?;
    let steps = scene.run.steps().max(1) as usize;
    let shooting = Shot {
        model: &scene.model,
        start: &scene.state,
        scheme: &scene.run.scheme,
        options: scene.run.options,
        steps,
        time: scene.run.step * steps as f64,
        unknowns: settings.unknowns.iter().map(|(_, unknown)| unknown.clone()).collect(),
        aims: settings.aims.iter().map(|(_, aim)| aim.clone()).collect(),
        impacts: settings.impacts,
        iterations: settings.iterations,
    };
    let hit = shooting.solve(watch)?;
    let figures = figures(&settings, &hit, clock.elapsed().as_secs_f64());
    let status = match hit.ending {
        Ending::Hit => Status::Finished,
        Ending::Stopped => Status::Interrupted,
        Ending::Stuck | Ending::IterationLimit => Status::Failed,
    };
    scene.state = hit.start;
    scene.run.step = hit.time / steps as f64;
    scene.run.until = hit.time;
    run_shooting(scene, path, figures, status)
}

fn figures(settings: &ShootSettings, hit: &Hit, solve_time_s: f64) -> ShootFigures {
    let ending = match hit.ending {
        Ending::Hit => "hit",
        Ending::Stuck => "stuck",
        Ending::IterationLimit => "iteration-limit",
        Ending::Stopped => "stopped",
    };
    let chosen = settings.unknowns.iter().zip(hit.guessed.iter().zip(&hit.chosen));
    let mut next = 0;
    let left = settings.aims.iter().map(|(name, aim)| {
        let count = match aim {
            Aim::Measure(_, values) => values.iter().flatten().count(),
            Aim::Heading { .. } => 1,
        };
        let own = &hit.left[next..next + count];
        next += count;
        TargetFigure { name: name.clone(), residual: own.iter().fold(0.0, |m: f64, r| m.max(r.abs())) }
    });
    let left = left.collect();
    ShootFigures {
        ending: ending.to_owned(),
        iterations: hit.residuals.len() - 1,
        residuals: hit.residuals.clone(),
        impacts: hit.impacts,
        time: hit.time,
        chosen: chosen
            .map(|((name, _), (guess, value))| UnknownFigure {
                name: name.clone(),
                guess: *guess,
                value: *value,
            })
            .collect(),
        left,
        solve_time_s,
    }
}
