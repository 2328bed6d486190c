//! The points of a study with their overrides. All scenes are read before the first one is run, so that an error in the last value is found at once.

use super::record::{PointOutcome, PointStatus, UnknownPath, lookup};
use super::{Axis, AxisValue, Figure, Source, Study};
use crate::complaint::{Complaint, SceneError};
use crate::report::Report;
use crate::run::prepare;
use crate::scene::Scene;
use flate2::Crc;
use serde_json::Value;
use std::collections::BTreeMap;

/// A point that can be run.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The name of its scene.
    pub scene: String,
    /// Its overrides in their order.
    pub overrides: Vec<(String, String)>,
    /// The name of its run folder.
    pub name: String,
    /// Steps of its run.
    pub steps: u64,
    /// Its result before it is run.
    pub blank: PointOutcome,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// All points in the order of the grid, or all complaints about them.
pub(super) fn plan(study: &Study, source: &Source<'_>) -> Result<Vec<Point>, SceneError> {
    let (mut points, mut complaints) = (Vec::new(), Vec::new());
    for curve in study.curves() {
        for value in &study.axis().values {
            let mut overrides = study.set.clone();
            overrides.extend(curve.overrides.iter().cloned());
            overrides.push((study.axis().path.clone(), value.toml()));
            let mut at = curve.at.clone();
            at.insert(study.axis().name.clone(), value.clone());
            let (label, name) = names(study, &at, &points);
            let named = study.scene_at(&at);
            match check_scene(source, (&named, &overrides), study, &label) {
                Err(more) => complaints.extend(more.into_iter().map(|one| located(study, one))),
                Ok((scene, steps, warnings)) => {
                    let blank = PointOutcome {
                        at,
                        label,
                        status: PointStatus::Missing,
                        message: None,
                        values: BTreeMap::new(),
                        wall_time_s: 0.0,
                        scene,
                        summary: Value::Null,
                    };
                    points.push(Point { scene: named, overrides, name, steps, blank, warnings });
                }
            }
        }
    }
    if complaints.is_empty() {
        return Ok(points);
    }
    // Points of a curve give the same complaint.
    let mut all: Vec<Complaint> = Vec::new();
    for new in complaints {
        let same =
            |old: &Complaint| (&old.file, old.place, &old.remedy) == (&new.file, new.place, &new.remedy);
        if !all.iter().any(same) {
            all.push(new);
        }
    }
    Err(SceneError { complaints: all })
}

/// Checks that a scene can run; returns its checksum, steps and warnings.
fn check_scene(
    source: &Source<'_>,
    (name, overrides): (&str, &[(String, String)]),
    study: &Study,
    label: &str,
) -> Result<(String, u64, Vec<String>), Vec<Complaint>> {
    let scene = source(name, overrides).map_err(|error| error.complaints)?;
    let (steps, warnings) = (scene.run.steps(), scene.warnings.clone());
    let mut crc = Crc::new();
    crc.update(scene.resolved.as_bytes());
    prepare(scene).map_err(|error| {
        let text = error.to_string();
        let (message, remedy) = text.split_once("; ").unwrap_or((&text, "change the scene or the values"));
        vec![study.place.complaint(format!("{label}: {message}"), remedy)]
    })?;
    Ok((format!("{:08x}", crc.sum()), steps, warnings))
}

/// The label of a point and the name of its run folder.
fn names(study: &Study, at: &BTreeMap<String, AxisValue>, others: &[Point]) -> (String, String) {
    let own = |axis: &Axis| {
        at.get(&axis.name).map(|value| (axis.value_label(value), format!("{}-{value}", axis.name)))
    };
    let (words, names): (Vec<String>, Vec<String>) = study.axes.iter().filter_map(own).unzip();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '-' };
    let mut name: String = names.join("_").chars().map(plain).collect();
    while others.iter().any(|other| other.name == name) {
        name.push('-');
    }
    (words.join(", "), name)
}

/// A complaint about an override, moved to its place in the study file; other complaints are unchanged.
fn located(study: &Study, complaint: Complaint) -> Complaint {
    let Some(change) = complaint.file.strip_prefix("override ") else { return complaint };
    let axes = study.axes.iter().flat_map(|axis| {
        axis.values.iter().map(move |value| (format!("{}={}", axis.path, value.toml()), &axis.place))
    });
    let set = study
        .set
        .iter()
        .zip(&study.set_places)
        .map(|((path, value), place)| (format!("{path}={value}"), place));
    match axes.chain(set).find(|(own, _)| own == change) {
        Some((_, place)) => place.complaint(format!("{change}: {}", complaint.message), complaint.remedy),
        None => complaint,
    }
}

/// Checks that a summary has all figures.
pub(super) fn check_figures(study: &Study, summary: &Value) -> Result<(), SceneError> {
    let unknown_path = |figure: &Figure| {
        lookup(summary, &figure.value).err().map(|unknown_path| unknown(figure, &unknown_path))
    };
    let complaints: Vec<Complaint> = study.figures.iter().filter_map(unknown_path).collect();
    if complaints.is_empty() { Ok(()) } else { Err(SceneError { complaints }) }
}

fn unknown(figure: &Figure, unknown_path: &UnknownPath) -> Complaint {
    let UnknownPath { at, key, known } = unknown_path;
    let message = match at.as_str() {
        "" => format!("summary.json has no `{key}`"),
        at => format!("`{at}` of summary.json has no `{key}`"),
    };
    let remedy = Report::remedy(key, known.iter().map(String::as_str), "remove what follows");
    figure.place.complaint(message, remedy)
}

/// A scene whose trajectory has only its first and last rows.
pub(super) fn figures_only(mut scene: Scene) -> Scene {
    scene.run.every = usize::try_from(scene.run.steps()).unwrap_or(usize::MAX).max(1);
    scene
}
