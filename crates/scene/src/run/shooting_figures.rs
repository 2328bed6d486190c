//! Figures of a shooting problem, `shoot` in `summary.json`.

use crate::ShootSettings;
use percussion_control::shooting::{Outcome, ShootingSolution, Target};
use serde::{Deserialize, Serialize};

/// Figures of a shooting problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShootFigures {
    /// `converged`, `stalled`, `iteration-limit` or `interrupted`.
    pub outcome: String,
    /// Steps of Newton's method.
    pub iterations: usize,
    /// Largest residual of the guess and after each iteration.
    pub residuals: Vec<f64>,
    /// Number of impacts.
    pub impacts: usize,
    /// Duration of the motion, s.
    pub time: f64,
    /// The unknowns.
    pub unknowns: Vec<UnknownFigure>,
    /// Residuals of the targets.
    pub targets: Vec<TargetFigure>,
    /// Time spent on the solution, s.
    pub solve_time_s: f64,
}

/// An unknown of a shooting problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnknownFigure {
    /// Its name, made of keys of the scene.
    pub name: String,
    /// Its initial guess.
    pub guess: f64,
    /// Its solution; for positions, the displacement.
    pub value: f64,
}

/// A target of a shooting problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetFigure {
    /// Its name.
    pub name: String,
    /// Largest residual of its components.
    pub residual: f64,
}

impl ShootFigures {
    /// Of a shooting problem and its result, which took some seconds.
    pub(super) fn new(settings: &ShootSettings, result: &ShootingSolution, solve_time_s: f64) -> Self {
        let outcome = match result.outcome {
            Outcome::Converged => "converged",
            Outcome::Stalled => "stalled",
            Outcome::IterationLimit => "iteration-limit",
            Outcome::Interrupted => "interrupted",
        };
        let unknowns = settings.unknowns.iter().zip(result.initial_unknowns.iter().zip(&result.unknowns));
        let mut next = 0;
        let targets = settings.targets.iter().map(|(name, aim)| {
            let count = match aim {
                Target::Measure(_, values) => values.iter().flatten().count(),
                Target::Heading { .. } => 1,
            };
            let own = &result.target_residuals[next..next + count];
            next += count;
            TargetFigure { name: name.clone(), residual: own.iter().fold(0.0, |m: f64, r| m.max(r.abs())) }
        });
        let targets = targets.collect();
        Self {
            outcome: outcome.to_owned(),
            iterations: result.residuals.len() - 1,
            residuals: result.residuals.clone(),
            impacts: result.impacts,
            time: result.time,
            unknowns: unknowns
                .map(|((name, _), (guess, value))| UnknownFigure {
                    name: name.clone(),
                    guess: *guess,
                    value: *value,
                })
                .collect(),
            targets,
            solve_time_s,
        }
    }
}
