//! Studies: one scene at every point of a grid of overrides, and what its figures do there.
//!
//! A study file names a scene, the axes of the grid (a path that is set and its values), the axis that figures are drawn over, and the
//! figures: paths into `summary.json`, with the rate that is expected of them. Every other axis makes curves. **Opens files** and runs
//! scenes through [`crate::run`]; prints and draws nothing.
//!
//! | file | knows |
//! |---|---|
//! | `read.rs` | what the keys of a study file mean |
//! | `grid.rs` | points and curves, in their order |
//! | `plan.rs` | what every point overrides, found fit to run before the first one is |
//! | `session.rs` | the points in threads, what is kept of them, and how a study goes on |
//! | `fit.rs` | the slope of a line through logarithms, with its standard error |
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

/// Where the scene of a study comes from: what it is with these overrides.
pub type Source<'a> = dyn Fn(&[(String, String)]) -> Result<Scene, SceneError> + Sync + 'a;

/// A study, read from its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The name of its folder or file.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// What it shows.
    pub description: String,
    /// The scene: a file, a folder, or a name from the gallery.
    pub scene: String,
    /// What is overridden at all points: paths and TOML values.
    pub set: Vec<(String, String)>,
    /// The axes of the grid, in the order of the file.
    pub axes: Vec<Axis>,
    /// The axis that figures are drawn over, as its place in the list.
    pub x: usize,
    /// What is drawn.
    pub figures: Vec<Figure>,
    /// Where the scene is named.
    pub place: SourcePlace,
    /// Where the first of what is overridden is written; the others were added later.
    set_places: Vec<SourcePlace>,
}

/// An axis of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its name: `h`.
    pub name: String,
    /// What is set, as by `--set`: `run.step`.
    pub path: String,
    /// What it is set to, one value after the other.
    pub values: Vec<AxisValue>,
    /// What it is, in words.
    pub label: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// How it is drawn.
    pub scale: Scale,
    /// Where it is written.
    #[serde(skip)]
    pub place: SourcePlace,
}

/// A value that an axis sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AxisValue {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Number(f64),
    /// A word.
    Text(String),
}

/// How numbers are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// By decades.
    #[default]
    Log,
    /// In proportion.
    Linear,
}

/// A figure over the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name; its drawing is `NAME.svg`.
    pub name: String,
    /// Path into `summary.json`: `energy.max_relative_error`.
    pub value: String,
    /// What it is, in words.
    pub label: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// How it is drawn.
    pub scale: Scale,
    /// A slope to be drawn for comparison.
    pub slope: Option<f64>,
    /// Whether lines are fitted, and what is expected of them.
    pub fit: Option<Fit>,
    /// What others have found.
    pub published: Vec<Published>,
    /// Where it is written.
    #[serde(skip)]
    pub place: SourcePlace,
}

/// A line through the logarithms of every curve, and what is expected of its slope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Smallest value of the axis that counts.
    pub from: Option<f64>,
    /// Greatest value of the axis that counts.
    pub to: Option<f64>,
    /// The slope is expected to be no smaller.
    pub at_least: Option<f64>,
    /// The slope is expected to be no greater.
    pub at_most: Option<f64>,
    /// Of which curves that is expected: values by axis. An axis that is not named has no say.
    pub only: BTreeMap<String, Vec<AxisValue>>,
}

/// What others have found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Who, and where.
    pub label: String,
    /// Places on the axis and values.
    pub points: Vec<[f64; 2]>,
    /// The curve it is to be compared with: a value of each axis that makes curves. Empty if it is all of them.
    pub at: BTreeMap<String, AxisValue>,
}

/// A place in a study file, for those who find out later that something is wrong there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    file: String,
    place: Option<(usize, usize)>,
}

impl SourcePlace {
    /// Says what is wrong there.
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

impl Axis {
    /// A value with the name of the axis and its unit; words speak for themselves.
    pub fn says(&self, value: &AxisValue) -> String {
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
