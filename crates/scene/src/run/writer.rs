//! Writer of a trajectory: one growing file per array, assembled into a `.npz` archive at the end.
//!
//! Memory does not grow with the run. Each file holds the bare numbers of its array, row after row. The number of complete rows
//! is in the checkpoint, so that a run that was interrupted in the middle of a row resumes after the last complete one.

use super::npz::{Array, Header, Kind, Reader, Writer, words};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Size of the write buffer of each array, bytes.
const BUFFER: usize = 1 << 16;

/// An array to which rows are appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowingArray {
    /// Name in the archive.
    pub name: &'static str,
    /// The shape of a row.
    pub shape: Vec<usize>,
}

impl GrowingArray {
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

/// A row: the values of each growing array at an instant, by the array's name.
#[derive(Debug)]
pub struct Row {
    arrays: Vec<GrowingArray>,
    values: Vec<Vec<f64>>,
}

impl Row {
    /// An empty row of some arrays.
    pub fn new(arrays: &[GrowingArray]) -> Self {
        let values = arrays.iter().map(|array| Vec::with_capacity(array.width())).collect();
        Self { arrays: arrays.to_vec(), values }
    }

    /// Sets the values of an array; nothing happens if the trajectory does not have it.
    pub fn set(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        let Some(k) = self.arrays.iter().position(|array| array.name == name) else { return };
        self.values[k].clear();
        self.values[k].extend(values);
        debug_assert_eq!(self.values[k].len(), self.arrays[k].width(), "`{name}`");
    }
}

/// The growing files.
#[derive(Debug)]
pub struct TrajectoryWriter {
    folder: PathBuf,
    arrays: Vec<GrowingArray>,
    files: Vec<BufWriter<File>>,
    rows: u64,
    buffer: Vec<u8>,
}

impl TrajectoryWriter {
    /// Starts without rows in a folder that is created.
    pub fn create(folder: &Path, arrays: Vec<GrowingArray>) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Self::open(folder, arrays, 0)
    }

    /// Continues after a number of rows; later ones are removed.
    pub fn open(folder: &Path, arrays: Vec<GrowingArray>, rows: u64) -> io::Result<Self> {
        let mut files = Vec::with_capacity(arrays.len());
        for array in &arrays {
            let path = array.path(folder);
            let mut file =
                OpenOptions::new().read(true).write(true).create(rows == 0).truncate(false).open(path)?;
            let wanted = array.bytes(rows);
            if file.metadata()?.len() < wanted {
                let text = format!("the file of the array `{}` has fewer than {rows} rows", array.name);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            file.set_len(wanted)?;
            file.seek(SeekFrom::End(0))?;
            files.push(BufWriter::with_capacity(BUFFER, file));
        }
        Ok(Self { folder: folder.to_owned(), arrays, files, rows, buffer: Vec::new() })
    }

    /// Recovers the growing files from the first rows of an assembled trajectory.
    pub fn unpack(archive: &Path, folder: &Path, arrays: Vec<GrowingArray>, rows: u64) -> io::Result<Self> {
        let mut reader = Reader::open(archive)?;
        fs::create_dir_all(folder)?;
        for array in &arrays {
            let (header, data) = reader.stream(array.name)?;
            let whole = header.shape.first().map_or(0, |&n| n as u64);
            if header != array.header(whole) || whole < rows {
                let text = format!("the array `{}` of the trajectory belongs to another scene", array.name);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            let mut file = File::create(array.path(folder))?;
            io::copy(&mut io::Read::take(data, array.bytes(rows)), &mut file)?;
        }
        Self::open(folder, arrays, rows)
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends a row.
    pub fn push(&mut self, row: &Row) -> io::Result<()> {
        debug_assert_eq!(row.arrays, self.arrays);
        for (file, values) in self.files.iter_mut().zip(&row.values) {
            self.buffer.clear();
            self.buffer.extend(words(values));
            file.write_all(&self.buffer)?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Passes buffered rows to the operating system: they survive the end of the process.
    pub fn flush(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(Write::flush)
    }

    /// Writes buffered rows to the disk: they survive a power failure.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.files.iter().try_for_each(|file| file.get_ref().sync_data())
    }

    /// Writes all rows and the constant arrays into an archive. The growing files stay.
    pub fn assemble(&mut self, archive: &Path, fixed: &[(&str, Array)]) -> io::Result<()> {
        let mut writer = Writer::new(BufWriter::with_capacity(BUFFER, File::create(archive)?));
        self.flush()?;
        for array in &self.arrays {
            let mut data = BufReader::with_capacity(BUFFER, File::open(array.path(&self.folder))?);
            writer.stream(array.name, &array.header(self.rows), &mut data)?;
        }
        for (name, array) in fixed {
            writer.array(name, array)?;
        }
        writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }

    /// Removes the growing files, and their folder if it is empty then.
    pub fn remove(self) -> io::Result<()> {
        drop(self.files);
        for array in &self.arrays {
            fs::remove_file(array.path(&self.folder))?;
        }
        // A folder with other files stays.
        _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrays() -> Vec<GrowingArray> {
        vec![
            GrowingArray { name: "time", shape: vec![] },
            GrowingArray { name: "position", shape: vec![2, 3] },
        ]
    }

    fn push(writer: &mut TrajectoryWriter, i: usize) {
        let mut row = Row::new(&arrays());
        row.set("time", [i as f64]);
        row.set("position", (0..6).map(|k| (10 * i + k) as f64));
        row.set("absent", [0.0]);
        writer.push(&row).unwrap();
    }

    #[test]
    fn an_interrupted_trajectory_resumes_after_its_last_complete_row() {
        let folder = std::env::temp_dir().join(format!("percussion-parts-{}", std::process::id()));
        let (place, archive) = (folder.join("parts"), folder.join("t.npz"));
        let mut writer = TrajectoryWriter::create(&place, arrays()).unwrap();
        (0..5).for_each(|i| push(&mut writer, i));
        writer.sync().unwrap();
        drop(writer);
        OpenOptions::new().append(true).open(place.join("time.part")).unwrap().write_all(b"abc").unwrap();
        assert!(TrajectoryWriter::open(&place, arrays(), 6).is_err(), "there are only five rows");
        let mut writer = TrajectoryWriter::open(&place, arrays(), 3).unwrap();
        push(&mut writer, 7);
        writer.assemble(&archive, &[("bodies", Array::texts(&["a", "b"]))]).unwrap();
        writer.remove().unwrap();
        assert!(!place.exists());
        let mut reader = Reader::open(&archive).unwrap();
        assert_eq!(reader.array("time").unwrap().as_floats().unwrap(), [0.0, 1.0, 2.0, 7.0]);
        let position = reader.array("position").unwrap();
        assert_eq!(position.header.shape, [4, 2, 3]);
        assert_eq!(position.as_floats().unwrap()[18..20], [70.0, 71.0]);

        let mut writer = TrajectoryWriter::unpack(&archive, &place, arrays(), 2).unwrap();
        push(&mut writer, 2);
        let again = folder.join("again.npz");
        writer.assemble(&again, &[]).unwrap();
        let mut reader = Reader::open(&again).unwrap();
        assert_eq!(reader.array("time").unwrap().as_floats().unwrap(), [0.0, 1.0, 2.0]);
        assert!(TrajectoryWriter::unpack(&archive, &place, arrays(), 5).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
