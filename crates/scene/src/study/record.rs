//! What a study has found: `study.json`.
//!
//! Runs are kept with their whole summary, so a figure can be added to a study without running it again. Curves and rates are made from
//! the runs whenever the record is.

use super::fit::{Rate, rate};
use super::{Axis, AxisValue, Curve, Figure, Fit, Study};
use crate::run::{Status, Summary};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Version of this format.
const FORMAT: u32 = 1;

/// All that a study has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyRecord {
    /// The version of this format, which marks the file.
    pub percussion_study: u32,
    /// Name of the study.
    pub study: String,
    /// One line about it.
    pub title: String,
    /// What it shows.
    pub description: String,
    /// Version of the program.
    pub version: String,
    /// The scene.
    pub scene: String,
    /// What is overridden at all points.
    pub set: Vec<String>,
    /// `finished` if all points are there, `interrupted` otherwise.
    pub status: Status,
    /// The axis that figures are drawn over.
    pub x: String,
    /// All axes.
    pub axes: Vec<Axis>,
    /// The figures, with their curves and rates.
    pub figures: Vec<FigureResult>,
    /// All points, in the order of the grid.
    pub runs: Vec<PointOutcome>,
}

/// A figure with its curves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureResult {
    /// What is drawn.
    #[serde(flatten)]
    pub figure: Figure,
    /// Its curves, in the order of the grid.
    pub curves: Vec<CurveResult>,
}

/// A curve of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveResult {
    /// In words; empty if there is only one.
    pub label: String,
    /// A value of each axis that makes curves.
    pub at: BTreeMap<String, AxisValue>,
    /// Places on the axis.
    pub x: Vec<f64>,
    /// Values there; none where a run failed or has not ended.
    pub y: Vec<Option<f64>>,
    /// The slope of its logarithms, if a line is fitted.
    pub rate: Option<Rate>,
    /// Whether it is as expected; none if nothing is.
    pub verdict: Option<Verdict>,
}

/// Whether a slope is as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is.
    Holds,
    /// It is not, or there are too few points to tell.
    Broken,
}

/// How the run of a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointStatus {
    /// It reached its end.
    Finished,
    /// A step could not be made.
    Failed,
    /// It has not ended.
    Missing,
}

/// What came of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointOutcome {
    /// A value of every axis.
    pub at: BTreeMap<String, AxisValue>,
    /// In words, and in the order of the axes.
    pub label: String,
    /// How it ended.
    pub status: PointStatus,
    /// What went wrong.
    pub message: Option<String>,
    /// The figures by name; none where there is none.
    pub values: BTreeMap<String, Option<f64>>,
    /// Time spent computing, s.
    pub wall_time_s: f64,
    /// Checksum of the scene with everything written out.
    pub scene: String,
    /// Its `summary.json`; null as long as there is none.
    pub summary: Value,
}

impl PointOutcome {
    /// What a run has come to.
    pub(super) fn of(mut self, study: &Study, summary: &Summary) -> Self {
        self.status = match summary.status {
            Status::Finished => PointStatus::Finished,
            Status::Failed => PointStatus::Failed,
            Status::Interrupted => PointStatus::Missing,
        };
        self.message = summary.failure.as_ref().map(|failure| {
            let (step, time, body) = (failure.step, failure.time, &failure.body);
            format!("step {step} at t = {time:.6} s, body `{body}`: {}", failure.message)
        });
        self.wall_time_s = summary.wall_time_s;
        // A summary holds numbers, words and lists of them: nothing that JSON cannot say.
        self.summary = serde_json::to_value(summary).unwrap_or_default();
        self.measure(study);
        self
    }

    /// Takes the figures out of the summary.
    pub(super) fn measure(&mut self, study: &Study) {
        let finished = self.status == PointStatus::Finished;
        let values = study.figures.iter().map(|figure| {
            let found = lookup(&self.summary, &figure.value).ok().and_then(Value::as_f64);
            (figure.name.clone(), found.filter(|_| finished))
        });
        self.values = values.collect();
        if finished {
            let lacks = self.values.iter().find(|(_, value)| value.is_none());
            self.message = lacks.map(|(name, _)| format!("figure `{name}` has no value here"));
        }
    }

    /// What it found, in words.
    pub fn says(&self) -> String {
        match (self.status, &self.message) {
            (PointStatus::Finished, None) => {
                let say = |(name, value): (&String, &Option<f64>)| match value {
                    Some(value) => format!("{name} {value:.3e}"),
                    None => format!("{name} none"),
                };
                self.values.iter().map(say).collect::<Vec<_>>().join(", ")
            }
            (PointStatus::Finished, Some(message)) => message.clone(),
            (PointStatus::Failed, message) => {
                format!("failed: {}", message.as_deref().unwrap_or("nobody knows why"))
            }
            (PointStatus::Missing, _) => "not finished".to_owned(),
        }
    }
}

/// Where a path into a summary ends.
pub(super) struct UnknownPath {
    pub at: String,
    pub key: String,
    pub known: Vec<String>,
}

/// What a path leads to: through tables by key, through lists by number, through causes by name.
pub(super) fn lookup<'v>(mut value: &'v Value, path: &str) -> Result<&'v Value, UnknownPath> {
    let mut at = String::new();
    for key in path.split('.') {
        let unknown_path = |known: Vec<String>| UnknownPath { at: at.clone(), key: key.to_owned(), known };
        value = match value {
            Value::Object(map) => map.get(key).ok_or_else(|| unknown_path(map.keys().cloned().collect()))?,
            Value::Array(items) => {
                let name = |item: &Value| item["cause"].as_str().map(str::to_owned);
                let numbered = key.parse().ok().and_then(|k: usize| items.get(k));
                let found = numbered.or_else(|| items.iter().find(|item| name(item).as_deref() == Some(key)));
                let known = || (0..items.len()).map(|k| name(&items[k]).unwrap_or_else(|| k.to_string()));
                found.ok_or_else(|| unknown_path(known().collect()))?
            }
            _ => return Err(unknown_path(Vec::new())),
        };
        at = if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    }
    Ok(value)
}

impl StudyRecord {
    /// Puts everything together; runs are in the order of the grid.
    pub(super) fn new(study: &Study, runs: Vec<PointOutcome>) -> Self {
        let all = runs.iter().all(|run| run.status != PointStatus::Missing);
        Self {
            percussion_study: FORMAT,
            study: study.name.clone(),
            title: study.title.clone(),
            description: study.description.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: study.scene.clone(),
            set: study.set.iter().map(|(path, value)| format!("{path}={value}")).collect(),
            status: if all { Status::Finished } else { Status::Interrupted },
            x: study.axis().name.clone(),
            axes: study.axes.clone(),
            figures: study.figures.iter().map(|figure| drawn(study, figure, &runs)).collect(),
            runs,
        }
    }

    /// Whether this version reads it.
    pub(super) fn is_readable(&self) -> bool {
        self.percussion_study == FORMAT
    }

    /// The axis that figures are drawn over.
    pub fn axis(&self) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == self.x)
    }

    /// Points whose runs failed, or that have no value for a figure.
    pub fn incomplete(&self) -> impl Iterator<Item = &PointOutcome> {
        self.runs.iter().filter(|run| run.message.is_some())
    }

    /// What is not as expected, curve by curve.
    pub fn broken(&self) -> Vec<String> {
        let mut all = Vec::new();
        for FigureResult { figure, curves } in &self.figures {
            for curve in curves.iter().filter(|curve| curve.verdict == Some(Verdict::Broken)) {
                let name = match curve.label.as_str() {
                    "" => String::new(),
                    label => format!(", curve `{label}`"),
                };
                let found = curve.rate.map_or_else(
                    || "too few points for a slope".to_owned(),
                    |rate| format!("slope {}", words(&rate)),
                );
                let expected = figure.fit.as_ref().map(expectation).unwrap_or_default();
                all.push(format!("figure `{}`{name}: {found}; expected {expected}", figure.name));
            }
        }
        all
    }
}

/// A slope with its standard error.
fn words(rate: &Rate) -> String {
    match rate.standard_error {
        Some(error) => format!("{:.3} ± {error:.3} over {} points", rate.slope, rate.points),
        None => format!("{:.3} over {} points", rate.slope, rate.points),
    }
}

fn expectation(fit: &Fit) -> String {
    let least = fit.at_least.map(|least| format!("at least {least}"));
    let most = fit.at_most.map(|most| format!("at most {most}"));
    least.into_iter().chain(most).collect::<Vec<_>>().join(" and ")
}

fn drawn(study: &Study, figure: &Figure, runs: &[PointOutcome]) -> FigureResult {
    let x: Vec<f64> = study.axis().values.iter().filter_map(AxisValue::number).collect();
    let curves = study.curves();
    let of_curve = |(curve, runs): (&Curve, &[PointOutcome])| {
        let y: Vec<Option<f64>> =
            runs.iter().map(|run| run.values.get(&figure.name).copied().flatten()).collect();
        let complete = runs.iter().all(|run| run.status != PointStatus::Missing);
        let rate = figure.fit.as_ref().and_then(|fit| {
            let within = |x: f64| fit.from.is_none_or(|from| x >= from) && fit.to.is_none_or(|to| x <= to);
            rate(x.iter().zip(&y).filter_map(|(x, y)| Some((*x, (*y)?))).filter(|(x, _)| within(*x)))
        });
        let verdict = figure.fit.as_ref().filter(|fit| complete && expects(fit, curve)).map(|fit| {
            let fine = rate.is_some_and(|rate| {
                fit.at_least.is_none_or(|least| rate.slope >= least)
                    && fit.at_most.is_none_or(|most| rate.slope <= most)
            });
            if fine { Verdict::Holds } else { Verdict::Broken }
        });
        CurveResult { label: curve.label.clone(), at: curve.at.clone(), x: x.clone(), y, rate, verdict }
    };
    let curves = curves.iter().zip(runs.chunks(x.len().max(1))).map(of_curve).collect();
    FigureResult { figure: figure.clone(), curves }
}

/// Whether something is expected of a curve.
fn expects(fit: &Fit, curve: &Curve) -> bool {
    let chosen = |(axis, values): (&String, &Vec<AxisValue>)| {
        curve.at.get(axis).is_some_and(|value| values.contains(value))
    };
    (fit.at_least.is_some() || fit.at_most.is_some()) && fit.only.iter().all(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_through_tables_lists_and_causes() {
        let summary =
            json!({"energy": {"kinetic": [1.0, 2.0]}, "causes": [{"cause": "friction", "energy": -3.0}]});
        let number = |path: &str| lookup(&summary, path).ok().and_then(Value::as_f64);
        assert_eq!(number("energy.kinetic.1"), Some(2.0));
        assert_eq!(number("causes.friction.energy"), Some(-3.0));
        let unknown_path = lookup(&summary, "energy.knetic").err().unwrap();
        assert_eq!(
            (unknown_path.at.as_str(), unknown_path.key.as_str(), unknown_path.known),
            ("energy", "knetic", vec!["kinetic".to_owned()])
        );
        assert!(
            lookup(&summary, "causes.drag.energy")
                .is_err_and(|unknown_path| unknown_path.known == ["friction"])
        );
        assert!(lookup(&summary, "energy.kinetic.1.more").is_err());
    }
}
