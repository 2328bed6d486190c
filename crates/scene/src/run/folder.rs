//! The run folder: its files, the lock of its writer, and the conditions under which an old run is replaced.
//!
//! A folder is a run folder if it holds a checkpoint, which every run writes first. Any other folder that is not empty is
//! refused. An old run is replaced file by file; other files in the folder stay.

use super::checkpoint::Checkpoint;
use super::error::RunError;
use super::events::EventWriter;
use super::replace::{UNFINISHED, replace};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The summary, as JSON.
pub const SUMMARY: &str = "summary.json";
/// The trajectory, for NumPy.
pub const TRAJECTORY: &str = "trajectory.npz";
/// One line of JSON for each event.
pub const EVENTS: &str = "events.jsonl";
/// The resolved scene.
pub const SCENE: &str = "scene.toml";
/// The last checkpoint.
pub const CHECKPOINT: &str = "checkpoint";
/// The report page.
pub const REPORT: &str = "report.html";
/// The growing files of the trajectory.
pub const PARTS: &str = "parts";

/// A run folder, locked by this process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// `events.jsonl`, which carries the lock while it is open.
    events: File,
}

impl Folder {
    /// Creates a folder for a new run, or removes the old run in it.
    pub fn begin(path: &Path, scene: &str) -> Result<Self, RunError> {
        Self::check(path)?;
        fs::create_dir_all(path).map_err(RunError::at(path))?;
        let folder = Self::lock(path)?;
        // The old checkpoint stays until the new one replaces it: it marks the folder as a run folder.
        for name in [SUMMARY, TRAJECTORY, REPORT, SCENE, CHECKPOINT] {
            remove(&folder.file(&format!("{name}{UNFINISHED}")))?;
        }
        remove_parts(&folder.file(PARTS))?;
        for name in [SUMMARY, TRAJECTORY, REPORT] {
            remove(&folder.file(name))?;
        }
        folder.write(SCENE, scene)?;
        folder.events.set_len(0).map_err(RunError::at(&folder.file(EVENTS)))?;
        Ok(folder)
    }

    /// Checks that a run may begin in a folder: it is absent or empty, or it holds an old run.
    pub fn check(path: &Path) -> Result<(), RunError> {
        if path.exists() && !is_empty(path).map_err(RunError::at(path))? && !is_run(path) {
            return Err(RunError::NotARun { folder: path.to_owned() });
        }
        Ok(())
    }

    /// Opens the run in a folder to be resumed, if it is one of the same scene.
    pub fn resume(path: &Path, scene: &str) -> Result<(Self, Checkpoint), RunError> {
        if !is_run(path) {
            return Err(RunError::NothingToResume { folder: path.to_owned() });
        }
        let folder = Self::lock(path)?;
        let place = folder.file(SCENE);
        let old = fs::read_to_string(&place).map_err(RunError::at(&place))?;
        if let Some((before, now)) = first_difference(&old, scene) {
            return Err(RunError::OtherScene { folder: path.to_owned(), before, now });
        }
        folder.write(SCENE, scene)?;
        let place = folder.file(CHECKPOINT);
        let checkpoint = Checkpoint::read(&place).map_err(RunError::at(&place))?;
        Ok((folder, checkpoint))
    }

    fn lock(path: &Path) -> Result<Self, RunError> {
        let place = path.join(EVENTS);
        let events =
            OpenOptions::new().append(true).create(true).open(&place).map_err(RunError::at(&place))?;
        match events.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunError::Busy { folder: path.to_owned() }),
            // Some file systems have no locks; a run does not fail for that.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(RunError::at(&place)(error)),
        }
        Ok(Self { path: path.to_owned(), events })
    }

    /// A writer of `events.jsonl` that continues after a number of bytes.
    pub fn events(&self, bytes: u64) -> Result<EventWriter, RunError> {
        let place = self.file(EVENTS);
        self.events.try_clone().and_then(|file| EventWriter::open(file, bytes)).map_err(RunError::at(&place))
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a whole file.
    pub fn write(&self, name: &str, text: &str) -> Result<(), RunError> {
        let path = self.file(name);
        replace(&path, |path| fs::write(path, text)).map_err(RunError::at(&path))
    }
}

/// Whether a folder is a run folder.
pub fn is_run(path: &Path) -> bool {
    Checkpoint::is_at(&path.join(CHECKPOINT))
}

fn is_empty(path: &Path) -> io::Result<bool> {
    Ok(fs::read_dir(path)?.next().is_none())
}

fn remove(path: &Path) -> Result<(), RunError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunError::at(path)(error)),
        _ => Ok(()),
    }
}

/// Removes the growing files of a trajectory; other files in their folder stay.
fn remove_parts(folder: &Path) -> Result<(), RunError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "part") {
            remove(&path)?;
        }
    }
    _ = fs::remove_dir(folder);
    Ok(())
}

/// The first line in which two scenes differ, apart from `run.until`.
fn first_difference(before: &str, now: &str) -> Option<(String, String)> {
    let (mut a, mut b) = (lines(before), lines(now));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (x, y) if x == y => {}
            (x, y) => return Some((x.unwrap_or("nothing").to_owned(), y.unwrap_or("nothing").to_owned())),
        }
    }
}

/// The lines of a scene without `run.until`.
fn lines(scene: &str) -> impl Iterator<Item = &str> {
    let mut in_run = false;
    scene.lines().filter(move |line| {
        if line.starts_with('[') {
            in_run = *line == "[run]";
        }
        !(in_run && line.starts_with("until ="))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_may_differ_in_their_end_time_only() {
        let scene = "title = \"x\"\n\n[run]\nstep = 0.1\nuntil = 1\n\n[bodies.a]\nmass = 2.0\n";
        assert_eq!(first_difference(scene, &scene.replace("until = 1", "until = 20")), None);
        let difference = first_difference(scene, &scene.replace("2.0", "3.0"));
        assert_eq!(difference, Some(("mass = 2.0".into(), "mass = 3.0".into())));
        let difference = first_difference(scene, &format!("{scene}spin = 1\n"));
        assert_eq!(difference, Some(("nothing".into(), "spin = 1".into())));
        let elsewhere = scene.replace("mass = 2.0", "until = 2");
        assert!(first_difference(&elsewhere, &elsewhere.replace("until = 2", "until = 3")).is_some());
    }
}
