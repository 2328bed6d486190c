//! Studies: one scene at every point of a grid of overrides, and figures of its summaries over the grid.
//!
//! A study file names a scene, the axes of the grid (the path of an override and its values), the abscissa axis, and the figures: paths
//! into `summary.json`, with bounds of their convergence rates. The other axes make curves. **Opens files** and runs scenes through
//! [`crate::run`]; prints and draws nothing.
//!
//! | file | contents |
//! |---|---|
//! | `read.rs` | keys of a study file |
//! | `grid.rs` | points and curves |
//! | `plan.rs` | the overrides of every point; all scenes are checked before the first is run |
//! | `session.rs` | runs the points in threads |
//! | `fit.rs` | slope of a line through logarithms, with its standard error |
//! | `record.rs` | `study.json` |

mod error;
mod fit;
pub mod folder;
mod grid;
mod plan;
mod read;
mod record;
mod session;

pub use error::StudyError;
pub use fit::{Rate, rate};
pub use grid::Curve;
pub use record::{CurveResult, FigureResult, PointOutcome, PointStatus, StudyRecord, Verdict};
pub use session::{Options, StudyProgress, sweep};

use crate::complaint::{Complaint, SceneError};
use crate::report::Report;
use crate::scene::Scene;
use crate::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

/// Reads a scene of a study, by its name, with some overrides.
pub type Source<'a> = dyn Fn(&str, &[(String, String)]) -> Result<Scene, SceneError> + Sync + 'a;

/// Path of an axis whose values are scenes.
const SCENE_PATH: &str = "scene";

/// A study, read from its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The name of its folder or file.
    pub name: String,
    /// Its title, one line.
    pub title: String,
    /// Its description.
    pub description: String,
    /// The scene: a file, a folder, or a name from the gallery. None if an axis has scenes.
    pub scene: Option<String>,
    /// Overrides at all points: paths and TOML values.
    pub set: Vec<(String, String)>,
    /// The axes of the grid, in the order of the file.
    pub axes: Vec<Axis>,
    /// Index of the abscissa axis.
    pub x: usize,
    /// The figures.
    pub figures: Vec<Figure>,
    /// Place of the scene's name, or of the table.
    pub place: SourcePlace,
    /// Places of the overrides in the file; further ones come from the command line.
    set_places: Vec<SourcePlace>,
}

/// An axis of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its name: `h`.
    pub name: String,
    /// Path of the override, as after `--set`: `run.step`.
    pub path: String,
    /// Values.
    pub values: Vec<AxisValue>,
    /// Label.
    pub label: String,
    /// Unit; empty if it has none.
    pub unit: String,
    /// Scale of its axis.
    pub scale: Scale,
    /// Place in the file.
    #[serde(skip)]
    pub place: SourcePlace,
}

/// A value of an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AxisValue {
    /// A boolean.
    Boolean(bool),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    Text(String),
}

/// Scale of an axis in charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Logarithmic.
    #[default]
    Log,
    /// Linear.
    Linear,
}

/// A figure over the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name; its chart is `NAME.svg`.
    pub name: String,
    /// Path into `summary.json`: `energy.max_relative_error`.
    pub value: String,
    /// Label.
    pub label: String,
    /// Unit; empty if it has none.
    pub unit: String,
    /// Scale of its axis.
    pub scale: Scale,
    /// A slope drawn for comparison.
    pub slope: Option<f64>,
    /// Fit of lines with bounds of their slopes, if given.
    pub fit: Option<Fit>,
    /// Reference values, of which the figure is the error; none if it is the number itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference: Vec<Reference>,
    /// Published values.
    pub published: Vec<Published>,
    /// Place in the file.
    #[serde(skip)]
    pub place: SourcePlace,
}

/// A line through the logarithms of every curve, with bounds of its slope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Smallest abscissa of the fit.
    pub from: Option<f64>,
    /// Largest abscissa of the fit.
    pub to: Option<f64>,
    /// Lower bound of the slope.
    pub at_least: Option<f64>,
    /// Upper bound of the slope.
    pub at_most: Option<f64>,
    /// The curves to which the bounds apply: values by axis; an axis that is absent does not restrict them.
    pub only: BTreeMap<String, Vec<AxisValue>>,
}

/// The value of a closed form or of an independent solution, from which the error of a curve is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The value.
    pub value: f64,
    /// The curve: a value of each axis that makes curves; empty for all curves.
    pub at: BTreeMap<String, AxisValue>,
}

/// Published values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Source.
    pub label: String,
    /// Abscissas and ordinates.
    pub points: Vec<[f64; 2]>,
    /// The curve to compare with: a value of each axis that makes curves; empty for all curves.
    pub at: BTreeMap<String, AxisValue>,
}

/// A place in a study file, for complaints that are found after reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    file: String,
    place: Option<(usize, usize)>,
}

impl SourcePlace {
    /// A complaint about this place.
    pub fn complaint(&self, message: impl Into<String>, remedy: impl Into<String>) -> Complaint {
        let (file, place) = (self.file.clone(), self.place);
        Complaint { file, place, message: message.into(), remedy: remedy.into() }
    }
}

impl Study {
    /// Reads a study file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        Self::read(path, &|path| std::fs::read_to_string(path))
    }

    /// Reads a study with its file taken from `files`.
    pub fn read(
        path: impl AsRef<Path>,
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<Self, SceneError> {
        Self::read_with(Report::default(), path.as_ref(), files).0
    }

    /// Reads a study and records its keys and words, with those that are accepted beside them, in a vocabulary.
    pub fn read_recording(
        vocabulary: &mut Vocabulary,
        path: impl AsRef<Path>,
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<Self, SceneError> {
        let report = Report::recording(std::mem::take(vocabulary));
        let (outcome, recorded) = Self::read_with(report, path.as_ref(), files);
        *vocabulary = recorded.unwrap_or_default();
        outcome
    }

    /// Reads a study with a report; returns the vocabulary too, if the report records one.
    fn read_with(
        mut report: Report,
        path: &Path,
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> (Result<Self, SceneError>, Option<Vocabulary>) {
        let outcome = read::study(&report, path, files);
        let clean = report.is_clean();
        let vocabulary = report.take_vocabulary();
        let (complaints, _) = report.finish();
        let study = match outcome {
            Ok(study) if clean => Ok(study),
            _ => Err(SceneError { complaints }),
        };
        (study, vocabulary)
    }
}

impl Figure {
    /// The ordinate at a point: the number of its summary, or its distance from the reference value.
    fn ordinate(&self, number: f64, at: &BTreeMap<String, AxisValue>) -> Option<f64> {
        if self.reference.is_empty() {
            return Some(number);
        }
        let applies =
            |reference: &&Reference| reference.at.iter().all(|(axis, value)| at.get(axis) == Some(value));
        self.reference.iter().find(applies).map(|reference| (number - reference.value).abs())
    }
}

impl Axis {
    /// The label of a value: with the name of the axis and its unit, or the string itself.
    pub fn value_label(&self, value: &AxisValue) -> String {
        match value {
            AxisValue::Text(text) => text.clone(),
            other if self.unit.is_empty() => format!("{} = {other}", self.name),
            other => format!("{} = {other} {}", self.name, self.unit),
        }
    }
}

impl AxisValue {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Whole(n) => Some(*n as f64),
            Self::Number(x) => Some(*x),
            _ => None,
        }
    }
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(boolean) => write!(f, "{boolean}"),
            Self::Whole(n) => write!(f, "{n}"),
            Self::Number(x) if *x == 0.0 || (1e-3..1e4).contains(&x.abs()) => write!(f, "{x}"),
            Self::Number(x) => write!(f, "{x:e}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}
