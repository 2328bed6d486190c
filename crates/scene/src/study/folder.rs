//! The folder of a study: its files, who may write into it, and what of an older study it holds.
//!
//! A folder is a study's if it holds a `study.json` that says so. Anything else that is not empty is left alone.

use super::error::StudyError;
use super::record::StudyRecord;
use crate::run::{RunError, replace};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// All that was found, as JSON.
pub const STUDY: &str = "study.json";
/// The values as a table.
pub const TABLE: &str = "study.csv";
/// The page.
pub const REPORT: &str = "report.html";
/// Runs that are kept, a run folder for each point.
pub const RUNS: &str = "runs";
/// Runs in the making that are not kept.
pub const POINTS: &str = "points";
/// What is locked as long as somebody writes into the folder.
const LOCK: &str = "lock";

/// The folder of a study that this process alone writes into.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: Option<File>,
}

impl Folder {
    /// Opens a folder, and what an older study has left in it: nothing unless it is resumed.
    pub fn open(path: &Path, resume: bool) -> Result<(Self, Option<StudyRecord>), StudyError> {
        let old = record(path);
        if resume && old.is_none() {
            return Err(StudyError::NothingToResume { folder: path.to_owned() });
        }
        // A study that was killed before it wrote anything leaves its empty places.
        let own = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == POINTS);
        let empty = || fs::read_dir(path).map_or(true, |mut entries| entries.all(own));
        if old.is_none() && !empty() {
            return Err(StudyError::NotAStudy { folder: path.to_owned() });
        }
        let points = path.join(POINTS);
        fs::create_dir_all(&points).map_err(RunError::at(&points))?;
        let folder = Self { path: path.to_owned(), lock: lock(&points)? };
        if !resume {
            folder.clear()?;
        }
        Ok((folder, old.filter(|_| resume)))
    }

    /// Where the run of a point goes.
    pub fn run(&self, name: &str, keep: bool) -> PathBuf {
        self.path.join(if keep { RUNS } else { POINTS }).join(name)
    }

    /// Writes the record.
    pub fn write(&self, record: &StudyRecord) -> Result<(), StudyError> {
        let path = self.path.join(STUDY);
        // A record holds numbers, words and lists of them: nothing that JSON cannot say.
        let text = serde_json::to_string_pretty(record).unwrap_or_default() + "\n";
        Ok(replace(&path, |path| fs::write(path, text)).map_err(RunError::at(&path))?)
    }

    /// Removes runs in the making.
    fn clear(&self) -> Result<(), StudyError> {
        let points = self.path.join(POINTS);
        for entry in fs::read_dir(&points).map_err(RunError::at(&points))?.flatten() {
            if crate::run::folder::is_run(&entry.path()) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Where the first step is taken that shows which figures there are: no point is called that.
    pub fn trial(&self) -> PathBuf {
        self.run("first step", false)
    }

    /// Leaves a folder without what was needed on the way, if nothing is left to do.
    pub fn close(mut self, finished: bool) -> Result<(), StudyError> {
        if finished {
            self.clear()?;
        }
        self.lock = None;
        let points = self.path.join(POINTS);
        _ = fs::remove_file(points.join(LOCK));
        // Another one's files keep it.
        _ = fs::remove_dir(points);
        Ok(())
    }
}

/// Removes the run of a point.
pub(super) fn remove(run: &Path) -> Result<(), StudyError> {
    match fs::remove_dir_all(run) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunError::at(run)(error).into()),
        _ => Ok(()),
    }
}

/// The study in a folder, if there is one.
fn record(path: &Path) -> Option<StudyRecord> {
    let text = fs::read_to_string(path.join(STUDY)).ok()?;
    serde_json::from_str(&text).ok().filter(StudyRecord::is_readable)
}

fn lock(points: &Path) -> Result<Option<File>, StudyError> {
    let place = points.join(LOCK);
    let file = OpenOptions::new().append(true).create(true).open(&place).map_err(RunError::at(&place))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {
            let folder = points.parent().unwrap_or(points).to_owned();
            Err(RunError::Busy { folder }.into())
        }
        // Some file systems know no locks; a study need not fail for that.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(TryLockError::Error(error)) => Err(RunError::at(&place)(error).into()),
    }
}
