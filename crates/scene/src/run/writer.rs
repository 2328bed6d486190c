//! A trajectory in the making: one growing file per array, assembled into a `.npz` at the end.
//!
//! Memory does not grow with the run. A file of the parts holds the bare numbers of its array, row after row; how many rows
//! count is written in the checkpoint, so a run that was broken off in the middle of a row goes on after the last one
//! that counts.

use super::npz::{Array, Header, Kind, Reader, Writer, words};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes kept in memory for each array before they are written.
const BUFFER: usize = 1 << 16;

/// An array that grows by a row at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the archive.
    pub name: &'static str,
    /// The shape of a row.
    pub shape: Vec<usize>,
}

impl Column {
    pub(super) fn width(&self) -> usize {
        self.shape.iter().product()
    }

    pub(super) fn bytes(&self, rows: u64) -> u64 {
        8 * self.width() as u64 * rows
    }

    fn header(&self, rows: u64) -> Header {
        let shape = std::iter::once(rows as usize).chain(self.shape.iter().copied()).collect();
        Header { kind: Kind::Float, shape }
    }

    pub(super) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.part", self.name))
    }
}

/// The growing files.
#[derive(Debug)]
pub struct TrajectoryWriter {
    folder: PathBuf,
    columns: Vec<Column>,
    files: Vec<BufWriter<File>>,
    rows: u64,
    buffer: Vec<u8>,
}

impl TrajectoryWriter {
    /// Begins with no rows in a folder that is made for them.
    pub fn create(folder: &Path, columns: Vec<Column>) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Self::open(folder, columns, 0)
    }

    /// Goes on after a number of rows; what comes after them is cut off.
    pub fn open(folder: &Path, columns: Vec<Column>, rows: u64) -> io::Result<Self> {
        let mut files = Vec::with_capacity(columns.len());
        for column in &columns {
            let path = column.path(folder);
            let mut file =
                OpenOptions::new().read(true).write(true).create(rows == 0).truncate(false).open(path)?;
            let wanted = column.bytes(rows);
            if file.metadata()?.len() < wanted {
                let text =
                    format!("the part `{}` of the trajectory is shorter than {rows} rows", column.name);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            file.set_len(wanted)?;
            file.seek(SeekFrom::End(0))?;
            files.push(BufWriter::with_capacity(BUFFER, file));
        }
        Ok(Self { folder: folder.to_owned(), columns, files, rows, buffer: Vec::new() })
    }

    /// Takes the first rows of a finished trajectory apart again.
    pub fn unpack(archive: &Path, folder: &Path, columns: Vec<Column>, rows: u64) -> io::Result<Self> {
        let mut reader = Reader::open(archive)?;
        fs::create_dir_all(folder)?;
        for column in &columns {
            let (header, data) = reader.stream(column.name)?;
            let whole = header.shape.first().map_or(0, |&n| n as u64);
            if header != column.header(whole) || whole < rows {
                let text = format!("the array `{}` of the trajectory is not that of this scene", column.name);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            let mut file = File::create(column.path(folder))?;
            io::copy(&mut io::Read::take(data, column.bytes(rows)), &mut file)?;
        }
        Self::open(folder, columns, rows)
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row: one slice per column, of the column's width.
    pub fn push<'a>(&mut self, row: impl Iterator<Item = &'a [f64]> + Clone) -> io::Result<()> {
        debug_assert!(row.clone().map(<[f64]>::len).eq(self.columns.iter().map(Column::width)));
        for (file, values) in self.files.iter_mut().zip(row) {
            self.buffer.clear();
            self.buffer.extend(words(values));
            file.write_all(&self.buffer)?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Hands everything so far to the system: it outlives the process.
    pub fn flush(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(Write::flush)
    }

    /// Brings everything so far to the disk: it outlives a power cut.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.files.iter().try_for_each(|file| file.get_ref().sync_data())
    }

    /// Writes all rows and some arrays that do not grow into an archive. The parts stay.
    pub fn assemble(&mut self, archive: &Path, fixed: &[(&str, Array)]) -> io::Result<()> {
        let mut writer = Writer::new(BufWriter::with_capacity(BUFFER, File::create(archive)?));
        self.flush()?;
        for column in &self.columns {
            let mut data = BufReader::with_capacity(BUFFER, File::open(column.path(&self.folder))?);
            writer.stream(column.name, &column.header(self.rows), &mut data)?;
        }
        for (name, array) in fixed {
            writer.array(name, array)?;
        }
        writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }

    /// Removes the growing files, and their folder if nothing else is in it.
    pub fn remove(self) -> io::Result<()> {
        drop(self.files);
        for column in &self.columns {
            fs::remove_file(column.path(&self.folder))?;
        }
        // Somebody else's file in it is theirs to remove.
        _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        vec![Column { name: "time", shape: vec![] }, Column { name: "position", shape: vec![2, 3] }]
    }

    fn push(parts: &mut TrajectoryWriter, i: usize) {
        let position: Vec<f64> = (0..6).map(|k| (10 * i + k) as f64).collect();
        parts.push([&[i as f64][..], &position].into_iter()).unwrap();
    }

    #[test]
    fn a_trajectory_broken_off_in_a_row_goes_on_after_the_last_one_that_counts() {
        let folder = std::env::temp_dir().join(format!("percussion-parts-{}", std::process::id()));
        let (place, archive) = (folder.join("parts"), folder.join("t.npz"));
        let mut parts = TrajectoryWriter::create(&place, columns()).unwrap();
        (0..5).for_each(|i| push(&mut parts, i));
        parts.sync().unwrap();
        drop(parts);
        OpenOptions::new().append(true).open(place.join("time.part")).unwrap().write_all(b"abc").unwrap();
        assert!(TrajectoryWriter::open(&place, columns(), 6).is_err(), "there are only five rows");
        let mut parts = TrajectoryWriter::open(&place, columns(), 3).unwrap();
        push(&mut parts, 7);
        parts.assemble(&archive, &[("bodies", Array::texts(&["a", "b"]))]).unwrap();
        parts.remove().unwrap();
        assert!(!place.exists());
        let mut reader = Reader::open(&archive).unwrap();
        assert_eq!(reader.array("time").unwrap().as_floats().unwrap(), [0.0, 1.0, 2.0, 7.0]);
        let position = reader.array("position").unwrap();
        assert_eq!(position.header.shape, [4, 2, 3]);
        assert_eq!(position.as_floats().unwrap()[18..20], [70.0, 71.0]);

        let mut parts = TrajectoryWriter::unpack(&archive, &place, columns(), 2).unwrap();
        push(&mut parts, 2);
        let again = folder.join("again.npz");
        parts.assemble(&again, &[]).unwrap();
        let mut reader = Reader::open(&again).unwrap();
        assert_eq!(reader.array("time").unwrap().as_floats().unwrap(), [0.0, 1.0, 2.0]);
        assert!(TrajectoryWriter::unpack(&archive, &place, columns(), 5).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
