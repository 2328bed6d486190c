//! What a run has kept, whether it has ended or not: the rows of `trajectory.npz`, or those of `parts/` so far.
//!
//! Whoever looks at a run reads it through this door and need not know which of the two there is. Rows are counted once,
//! when it is opened: of a run that goes on, the complete ones of that moment.

use super::error::RunError;
use super::folder;
use super::npz::Reader;
use super::planning::PLANNED;
use super::row::{columns, fixed};
use super::writer::Column;
use percussion_mechanics::Model;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The rows a run has kept.
#[derive(Debug)]
pub struct TrajectoryReader {
    source: Source,
    arrays: Vec<(&'static str, Vec<usize>)>,
    rows: usize,
    going: bool,
}

#[derive(Debug)]
enum Source {
    Archive(Reader<BufReader<File>>),
    TrajectoryWriter { columns: Vec<(Column, BufReader<File>)>, names: Vec<(&'static str, Vec<String>)> },
}

impl TrajectoryReader {
    /// Opens what is in a run folder; the model is that of its scene.
    pub fn open(path: &Path, model: &Model) -> Result<Self, RunError> {
        let archive = path.join(folder::TRAJECTORY);
        if archive.exists() {
            return Self::ended(&archive, model).map_err(RunError::at(&archive));
        }
        let parts = path.join(folder::PARTS);
        if !parts.exists() {
            return Err(RunError::NothingToShow { folder: path.to_owned() });
        }
        let going = is_locked(&path.join(folder::EVENTS));
        Self::growing(&parts, model, going).map_err(RunError::at(&parts))
    }

    fn ended(archive: &Path, model: &Model) -> io::Result<Self> {
        let mut reader = Reader::open(archive)?;
        let rows = reader.rows("time")?.count();
        let all: Vec<&'static str> =
            columns(model, true).iter().map(|column| column.name).chain(PLANNED).collect();
        let mut arrays = Vec::new();
        for name in all {
            // An older run may have kept less; one with planned efforts has more causes than its scene.
            if reader.names().any(|other| other == name) {
                arrays.push((name, reader.rows(name)?.shape().to_vec()));
            }
        }
        Ok(Self { source: Source::Archive(reader), arrays, rows, going: false })
    }

    fn growing(parts: &Path, model: &Model, going: bool) -> io::Result<Self> {
        // What the scheme does not have has no file.
        let mut all = columns(model, true);
        all.retain(|column| column.path(parts).exists());
        let arrays = shapes(&all);
        let mut open = Vec::new();
        let mut rows = u64::MAX;
        for column in all {
            let file = File::open(column.path(parts))?;
            if let Some(complete) = file.metadata()?.len().checked_div(column.bytes(1)) {
                rows = rows.min(complete);
            }
            open.push((column, BufReader::new(file)));
        }
        let names =
            fixed(model).iter().filter_map(|(name, array)| Some((*name, array.as_texts().ok()?))).collect();
        Ok(Self {
            source: Source::TrajectoryWriter { columns: open, names },
            arrays,
            rows: rows as usize,
            going,
        })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether a process is still adding to them.
    pub fn is_going(&self) -> bool {
        self.going
    }

    /// The arrays that grow with the run, each with the shape of a row of it; `time` is the first.
    pub fn arrays(&self) -> &[(&'static str, Vec<usize>)] {
        &self.arrays
    }

    /// Numbers in a row of an array; `None` if the run does not keep it.
    pub fn width(&mut self, array: &str) -> Option<usize> {
        match &mut self.source {
            Source::Archive(reader) => reader.rows(array).ok().map(|rows| rows.width()),
            Source::TrajectoryWriter { columns, .. } => {
                columns.iter().find(|(column, _)| column.name == array).map(|(column, _)| column.width())
            }
        }
    }

    /// A list of names, such as `bodies` or `energy_names`; nothing if there is none.
    pub fn names(&mut self, array: &str) -> Vec<String> {
        match &mut self.source {
            Source::Archive(reader) => reader.array(array).and_then(|a| a.as_texts()).unwrap_or_default(),
            Source::TrajectoryWriter { names, .. } => names
                .iter()
                .find(|(name, _)| *name == array)
                .map_or_else(Vec::new, |(_, texts)| texts.clone()),
        }
    }

    /// The numbers of an array that does not grow with the run, such as `control_bounds`, row by row; nothing if there is none.
    pub fn numbers(&mut self, array: &str) -> Vec<f64> {
        match &mut self.source {
            Source::Archive(reader) => reader.array(array).and_then(|a| a.as_floats()).unwrap_or_default(),
            Source::TrajectoryWriter { .. } => Vec::new(),
        }
    }

    /// Hands some rows of an array to `take`, each with its number.
    pub fn read(
        &mut self,
        array: &str,
        rows: impl IntoIterator<Item = usize>,
        mut take: impl FnMut(usize, &[f64]),
    ) -> io::Result<()> {
        let mut values = Vec::new();
        match &mut self.source {
            Source::Archive(reader) => {
                let mut kept = reader.rows(array)?;
                for row in rows {
                    kept.read(row, &mut values)?;
                    take(row, &values);
                }
            }
            Source::TrajectoryWriter { columns, .. } => {
                let found = columns.iter_mut().find(|(column, _)| column.name == array);
                let (column, file) = found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
                let mut bytes = vec![0; column.bytes(1) as usize];
                let mut next = None;
                for row in rows {
                    if next != Some(row) {
                        file.seek(SeekFrom::Start(column.bytes(row as u64)))?;
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

fn shapes(columns: &[Column]) -> Vec<(&'static str, Vec<usize>)> {
    columns.iter().map(|column| (column.name, column.shape.clone())).collect()
}

/// Whether a run holds the file it locks.
fn is_locked(events: &Path) -> bool {
    OpenOptions::new()
        .read(true)
        .open(events)
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
