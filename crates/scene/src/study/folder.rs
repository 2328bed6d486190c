//! The folder of a study: its files, its lock, and the results of an older study in it.
//!
//! A folder belongs to a study if it holds a `study.json` of this study. Any other folder that is not empty is refused.

use super::error::StudyError;
use super::record::StudyRecord;
use crate::run::{RunError, replace};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// All results, as JSON.
pub const STUDY: &str = "study.json";
/// The values of the figures as a table.
pub const TABLE: &str = "study.csv";
/// The report page.
pub const REPORT: &str = "report.html";
/// Run folders that are kept, one for each point.
pub const RUNS: &str = "runs";
/// Run folders of points in progress that are not kept.
pub const POINTS: &str = "points";
/// File with the lock of the folder.
const LOCK: &str = "lock";

/// The folder of a study, locked by this process.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: Option<File>,
}

impl Folder {
    /// Opens a folder; returns the results of the study in it too, if it is resumed.
    pub fn open(path: &Path, resume: bool) -> Result<(Self, Option<StudyRecord>), StudyError> {
        let old = record(path);
        if resume && old.is_none() {
            return Err(StudyError::NothingToResume { folder: path.to_owned() });
        }
        // A study that was killed before it wrote results leaves an empty folder of points.
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

    /// Run folder of a point.
    pub fn run(&self, name: &str, keep: bool) -> PathBuf {
        self.path.join(if keep { RUNS } else { POINTS }).join(name)
    }

    /// Writes the results.
    pub fn write(&self, record: &StudyRecord) -> Result<(), StudyError> {
        let path = self.path.join(STUDY);
        // A record holds numbers, texts and lists of them, which JSON can express: this does not fail.
        let text = serde_json::to_string_pretty(record).unwrap_or_default() + "\n";
        Ok(replace(&path, |path| fs::write(path, text)).map_err(RunError::at(&path))?)
    }

    /// Removes runs in progress.
    fn clear(&self) -> Result<(), StudyError> {
        let points = self.path.join(POINTS);
        for entry in fs::read_dir(&points).map_err(RunError::at(&points))?.flatten() {
            if crate::run::folder::is_run(&entry.path()) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Run folder of the step that checks the figures; no point has this name.
    pub fn trial(&self) -> PathBuf {
        self.run("first step", false)
    }

    /// Removes temporary folders, if the study is finished, and the lock.
    pub fn close(mut self, finished: bool) -> Result<(), StudyError> {
        if finished {
            self.clear()?;
        }
        self.lock = None;
        let points = self.path.join(POINTS);
        _ = fs::remove_file(points.join(LOCK));
        // A folder with other files stays.
        _ = fs::remove_dir(points);
        Ok(())
    }
}

/// Removes the run folder of a point.
pub(super) fn remove(run: &Path) -> Result<(), StudyError> {
    match fs::remove_dir_all(run) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunError::at(run)(error).into()),
        _ => Ok(()),
    }
}

/// The results of the study in a folder, if there is one.
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
        // Some file systems have no locks; a study does not fail for that.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(TryLockError::Error(error)) => Err(RunError::at(&place)(error).into()),
    }
}
