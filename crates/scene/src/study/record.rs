//! The results of a study: `study.json`.
//!
//! Runs are kept with their whole summary, so that a figure can be added to a study without running it again. Curves and rates are
//! computed from the summaries.

use super::fit::{Rate, rate};
use super::{Axis, AxisValue, Curve, Figure, Fit, Study};
use crate::run::{Status, Summary};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Version of this format.
const FORMAT: u32 = 1;

/// The results of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyRecord {
    /// The version of this format, which marks the file.
    pub percussion_study: u32,
    /// Name of the study.
    pub study: String,
    /// Its title, one line.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Version of the program.
    pub version: String,
    /// Name of the scene, or of all scenes of the axis that has them.
    pub scene: String,
    /// Overrides at all points.
    pub set: Vec<String>,
    /// `finished` if all points have been run, otherwise `interrupted`.
    pub status: Status,
    /// Name of the abscissa axis.
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
    /// The figure.
    #[serde(flatten)]
    pub figure: Figure,
    /// Its curves, in the order of the grid.
    pub curves: Vec<CurveResult>,
}

/// A curve of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveResult {
    /// Its label; empty if there is one curve.
    pub label: String,
    /// A value of each axis that makes curves.
    pub at: BTreeMap<String, AxisValue>,
    /// Abscissas.
    pub x: Vec<f64>,
    /// Ordinates; none where a run failed or is missing.
    pub y: Vec<Option<f64>>,
    /// The fitted slope of the logarithms, if a fit is given.
    pub rate: Option<Rate>,
    /// Whether the slope is within its bounds; none without bounds.
    pub verdict: Option<Verdict>,
}

/// Whether a slope is within its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is within its bounds.
    Holds,
    /// It is out of its bounds, or there are too few points for a slope.
    Broken,
}

/// Status of the run of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointStatus {
    /// It reached its end.
    Finished,
    /// A step failed.
    Failed,
    /// It has not been run to its end.
    Missing,
}

/// Result of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointOutcome {
    /// A value of every axis.
    pub at: BTreeMap<String, AxisValue>,
    /// Its label, in the order of the axes.
    pub label: String,
    /// Status of its run.
    pub status: PointStatus,
    /// The error, if there is one.
    pub message: Option<String>,
    /// Values of the figures by name; none where the summary has no number.
    pub values: BTreeMap<String, Option<f64>>,
    /// Time spent computing, s.
    pub wall_time_s: f64,
    /// Checksum of the resolved scene.
    pub scene: String,
    /// Its `summary.json`; null before the run.
    pub summary: Value,
}

impl PointOutcome {
    /// With the summary of its run.
    pub(super) fn with_summary(mut self, study: &Study, summary: &Summary) -> Self {
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
        // A summary holds numbers, texts and lists of them, which JSON can express: this does not fail.
        self.summary = serde_json::to_value(summary).unwrap_or_default();
        self.extract_figures(study);
        self
    }

    /// Extracts the figures from the summary.
    pub(super) fn extract_figures(&mut self, study: &Study) {
        let finished = self.status == PointStatus::Finished;
        let values = study.figures.iter().map(|figure| {
            let found = lookup(&self.summary, &figure.value).ok().and_then(Value::as_f64);
            let ordinate = found.and_then(|number| figure.ordinate(number, &self.at));
            (figure.name.clone(), ordinate.filter(|_| finished))
        });
        self.values = values.collect();
        if finished {
            let lacks = self.values.iter().find(|(_, value)| value.is_none());
            self.message = lacks.map(|(name, _)| format!("figure `{name}` has no value"));
        }
    }

    /// The result as text: values of the figures, or the error.
    pub fn text(&self) -> String {
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
                format!("failed: {}", message.as_deref().unwrap_or("unknown error"))
            }
            (PointStatus::Missing, _) => "not finished".to_owned(),
        }
    }
}

/// A path into a summary that leads to nothing.
pub(super) struct UnknownPath {
    pub at: String,
    pub key: String,
    pub known: Vec<String>,
}

/// The value at a path: through tables by key, through lists by index, through sources by name.
pub(super) fn lookup<'v>(mut value: &'v Value, path: &str) -> Result<&'v Value, UnknownPath> {
    let mut at = String::new();
    for key in path.split('.') {
        let unknown_path = |known: Vec<String>| UnknownPath { at: at.clone(), key: key.to_owned(), known };
        value = match value {
            Value::Object(map) => map.get(key).ok_or_else(|| unknown_path(map.keys().cloned().collect()))?,
            Value::Array(items) => {
                let name = |item: &Value| item["source"].as_str().map(str::to_owned);
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
    /// Of the results of all points in the order of the grid.
    pub(super) fn new(study: &Study, runs: Vec<PointOutcome>) -> Self {
        let all = runs.iter().all(|run| run.status != PointStatus::Missing);
        Self {
            percussion_study: FORMAT,
            study: study.name.clone(),
            title: study.title.clone(),
            description: study.description.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: study.scenes().join(", "),
            set: study.set.iter().map(|(path, value)| format!("{path}={value}")).collect(),
            status: if all { Status::Finished } else { Status::Interrupted },
            x: study.axis().name.clone(),
            axes: study.axes.clone(),
            figures: study.figures.iter().map(|figure| figure_result(study, figure, &runs)).collect(),
            runs,
        }
    }

    /// Whether it has the format of this version.
    pub(super) fn is_readable(&self) -> bool {
        self.percussion_study == FORMAT
    }

    /// The abscissa axis.
    pub fn axis(&self) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == self.x)
    }

    /// Points whose runs failed, or that have no value for a figure.
    pub fn incomplete(&self) -> impl Iterator<Item = &PointOutcome> {
        self.runs.iter().filter(|run| run.message.is_some())
    }

    /// Slopes that are out of their bounds, curve by curve.
    pub fn unmet_expectations(&self) -> Vec<String> {
        let mut all = Vec::new();
        for FigureResult { figure, curves } in &self.figures {
            for curve in curves.iter().filter(|curve| curve.verdict == Some(Verdict::Broken)) {
                let name = match curve.label.as_str() {
                    "" => String::new(),
                    label => format!(", curve `{label}`"),
                };
                let found = curve.rate.map_or_else(
                    || "too few points for a slope".to_owned(),
                    |rate| format!("slope {}", slope_text(&rate)),
                );
                let expected = figure.fit.as_ref().map(expectation).unwrap_or_default();
                all.push(format!("figure `{}`{name}: {found}; expected {expected}", figure.name));
            }
        }
        all
    }
}

/// A slope with its standard error.
fn slope_text(rate: &Rate) -> String {
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

fn figure_result(study: &Study, figure: &Figure, runs: &[PointOutcome]) -> FigureResult {
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
        let verdict = figure.fit.as_ref().filter(|fit| complete && has_bounds(fit, curve)).map(|fit| {
            let within_bounds = rate.is_some_and(|rate| {
                fit.at_least.is_none_or(|least| rate.slope >= least)
                    && fit.at_most.is_none_or(|most| rate.slope <= most)
            });
            if within_bounds { Verdict::Holds } else { Verdict::Broken }
        });
        CurveResult { label: curve.label.clone(), at: curve.at.clone(), x: x.clone(), y, rate, verdict }
    };
    let curves = curves.iter().zip(runs.chunks(x.len().max(1))).map(of_curve).collect();
    FigureResult { figure: figure.clone(), curves }
}

/// Whether the slope of a curve has bounds.
fn has_bounds(fit: &Fit, curve: &Curve) -> bool {
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
    fn paths_lead_through_tables_lists_and_sources() {
        let summary =
            json!({"energy": {"kinetic": [1.0, 2.0]}, "sources": [{"source": "friction", "energy": -3.0}]});
        let number = |path: &str| lookup(&summary, path).ok().and_then(Value::as_f64);
        assert_eq!(number("energy.kinetic.1"), Some(2.0));
        assert_eq!(number("sources.friction.energy"), Some(-3.0));
        let unknown_path = lookup(&summary, "energy.knetic").err().unwrap();
        assert_eq!(unknown_path.at, "energy");
        assert_eq!(unknown_path.key, "knetic");
        assert_eq!(unknown_path.known, ["kinetic"]);
        assert!(
            lookup(&summary, "sources.drag.energy")
                .is_err_and(|unknown_path| unknown_path.known == ["friction"])
        );
        assert!(lookup(&summary, "energy.kinetic.1.more").is_err());
    }
}
