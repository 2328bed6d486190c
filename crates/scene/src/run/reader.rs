//! Reader of the trajectory of a run, finished or not: the rows of `trajectory.npz`, or the rows so far of the growing files in
//! `parts/`.
//!
//! The interface is the same for both. Rows are counted when the trajectory is opened: for a run in progress, the complete ones of
//! that moment.

use super::error::RunError;
use super::folder;
use super::npz::Reader;
use super::planned_arrays::{GUARDED, PLANNED};
use super::row::{constant_arrays, growing_arrays};
use super::writer::GrowingArray;
use percussion_mechanics::Model;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The trajectory of a run.
#[derive(Debug)]
pub struct TrajectoryReader {
    source: Storage,
    arrays: Vec<(&'static str, Vec<usize>)>,
    rows: usize,
    in_progress: bool,
}

#[derive(Debug)]
enum Storage {
    Archive(Reader<BufReader<File>>),
    Parts { arrays: Vec<(GrowingArray, BufReader<File>)>, names: Vec<(&'static str, Vec<String>)> },
}

impl TrajectoryReader {
    /// Opens the trajectory in a run folder, with the model of its scene.
    pub fn open(path: &Path, model: &Model) -> Result<Self, RunError> {
        let archive = path.join(folder::TRAJECTORY);
        if archive.exists() {
            return Self::open_archive(&archive, model).map_err(RunError::at(&archive));
        }
        let parts = path.join(folder::PARTS);
        if !parts.exists() {
            return Err(RunError::NothingToShow { folder: path.to_owned() });
        }
        let in_progress = is_locked(&path.join(folder::EVENTS));
        Self::open_parts(&parts, model, in_progress).map_err(RunError::at(&parts))
    }

    fn open_archive(archive: &Path, model: &Model) -> io::Result<Self> {
        let mut reader = Reader::open(archive)?;
        let rows = reader.rows("time")?.count();
        let all: Vec<&'static str> = growing_arrays(model, true)
            .iter()
            .map(|array| array.name)
            .chain(PLANNED)
            .chain(GUARDED)
            .collect();
        let mut arrays = Vec::new();
        for name in all {
            // A run has only the arrays of its scheme; one under planned control inputs has more sources than its scene.
            if reader.names().any(|other| other == name) {
                arrays.push((name, reader.rows(name)?.shape().to_vec()));
            }
        }
        Ok(Self { source: Storage::Archive(reader), arrays, rows, in_progress: false })
    }

    fn open_parts(parts: &Path, model: &Model, in_progress: bool) -> io::Result<Self> {
        // Arrays that the scheme does not have have no file.
        let mut all = growing_arrays(model, true);
        all.retain(|array| array.path(parts).exists());
        let arrays = shapes(&all);
        let mut open = Vec::new();
        let mut rows = u64::MAX;
        for array in all {
            let file = File::open(array.path(parts))?;
            if let Some(complete) = file.metadata()?.len().checked_div(array.bytes(1)) {
                rows = rows.min(complete);
            }
            open.push((array, BufReader::new(file)));
        }
        let names = constant_arrays(model)
            .iter()
            .filter_map(|(name, array)| Some((*name, array.as_texts().ok()?)))
            .collect();
        Ok(Self { source: Storage::Parts { arrays: open, names }, arrays, rows: rows as usize, in_progress })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether a process is still adding rows.
    pub fn is_in_progress(&self) -> bool {
        self.in_progress
    }

    /// The arrays that grow with the run, each with the shape of a row of it; `time` is the first.
    pub fn arrays(&self) -> &[(&'static str, Vec<usize>)] {
        &self.arrays
    }

    /// Numbers in a row of an array; none if the trajectory does not have it.
    pub fn width(&mut self, array: &str) -> Option<usize> {
        match &mut self.source {
            Storage::Archive(reader) => reader.rows(array).ok().map(|rows| rows.width()),
            Storage::Parts { arrays, .. } => {
                arrays.iter().find(|(own, _)| own.name == array).map(|(own, _)| own.width())
            }
        }
    }

    /// A list of names, such as `bodies` or `energy_names`; empty if there is none.
    pub fn names(&mut self, array: &str) -> Vec<String> {
        match &mut self.source {
            Storage::Archive(reader) => reader.array(array).and_then(|a| a.as_texts()).unwrap_or_default(),
            Storage::Parts { names, .. } => names
                .iter()
                .find(|(name, _)| *name == array)
                .map_or_else(Vec::new, |(_, texts)| texts.clone()),
        }
    }

    /// The numbers of a constant array, such as `control_bounds`, row by row; empty if there is none.
    pub fn numbers(&mut self, array: &str) -> Vec<f64> {
        match &mut self.source {
            Storage::Archive(reader) => reader.array(array).and_then(|a| a.as_floats()).unwrap_or_default(),
            Storage::Parts { .. } => Vec::new(),
        }
    }

    /// Calls `take` with some rows of an array, each with its number.
    pub fn read(
        &mut self,
        array: &str,
        rows: impl IntoIterator<Item = usize>,
        mut take: impl FnMut(usize, &[f64]),
    ) -> io::Result<()> {
        let mut values = Vec::new();
        match &mut self.source {
            Storage::Archive(reader) => {
                let mut stored = reader.rows(array)?;
                for row in rows {
                    stored.read(row, &mut values)?;
                    take(row, &values);
                }
            }
            Storage::Parts { arrays, .. } => {
                let found = arrays.iter_mut().find(|(own, _)| own.name == array);
                let (own, file) = found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
                let mut bytes = vec![0; own.bytes(1) as usize];
                let mut next = None;
                for row in rows {
                    if next != Some(row) {
                        file.seek(SeekFrom::Start(own.bytes(row as u64)))?;
                    }
                    file.read_exact(&mut bytes)?;
                    next = Some(row + 1);
                    values.clear();
                    values.extend(bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)));
                    take(row, &values);
                }
            }
        }
        Ok(())
    }
}

fn shapes(arrays: &[GrowingArray]) -> Vec<(&'static str, Vec<usize>)> {
    arrays.iter().map(|array| (array.name, array.shape.clone())).collect()
}

/// Whether a run in progress holds the lock of its events.
fn is_locked(events: &Path) -> bool {
    OpenOptions::new()
        .read(true)
        .open(events)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
