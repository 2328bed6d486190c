//! Files for other programs: VTK for ParaView, glTF for viewers and Blender, CSV for spreadsheets.
//!
//! Everything is made from a [`Recording`]; nothing is computed anew. Each format is a file of functions that write to
//! anything that takes bytes, and [`write()`] puts them into a folder. Numbers are taken to be finite, as those of a run
//! are: a step that makes others fails the run before they are written.
//!
//! | file | contents |
//! |---|---|
//! | `csv.rs` | tables |
//! | `vtk.rs`, `xml.rs` | files for ParaView, XML |
//! | `gltf.rs`, `glb.rs` | glTF scene and its binary file |

pub mod csv;
mod glb;
mod gltf;
pub mod vtk;
pub(crate) mod xml;

pub use gltf::gltf;

use crate::Recording;
use crate::mesh::Mesh;
use percussion_geometry::{Pose, Vec3};
use percussion_scene::run::TrajectoryReader;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use thiserror::Error;

/// The guide's page, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/src/export.md")]
mod guide {}

/// A format other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// VTK's XML files: ParaView, VisIt, PyVista.
    Vtk,
    /// A binary glTF 2.0 file: browsers, Blender, viewers of all kinds.
    Gltf,
    /// Comma-separated values: spreadsheets, pandas.
    Csv,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Vtk, Self::Gltf, Self::Csv];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vtk => "vtk",
            Self::Gltf => "gltf",
            Self::Csv => "csv",
        }
    }
}

/// There is no such format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no format `{0}`; choose vtk, gltf or csv")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// Why a run cannot be exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A file cannot be written, or the run cannot be read while it is.
    #[error("cannot write {}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A glTF file may not be longer than 4 GiB.
    #[error("{bytes} bytes are more than a glTF file may hold; take fewer frames, as with --frames 1000")]
    TooLarge {
        /// How long it would be.
        bytes: usize,
    },
}

impl ExportError {
    fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source }
    }
}

/// The files of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files, the one to open first.
    pub files: Vec<PathBuf>,
    /// Their bytes.
    pub bytes: u64,
}

impl Written {
    /// Writes a file and counts it.
    fn file(
        &mut self,
        path: PathBuf,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        let written = (|| {
            let mut out = BufWriter::new(File::create(&path)?);
            fill(&mut out)?;
            out.flush()?;
            Ok(out.get_ref().metadata()?.len())
        })();
        self.bytes += written.map_err(ExportError::at(&path))?;
        self.files.push(path);
        Ok(())
    }
}

/// Writes a run into a folder, which is made if it is not there.
///
/// | format | files |
/// |---|---|
/// | VTK | `run.pvd`, and below `vtk/` what it lists: `frame-000000.vtu`, ..., `fixed.vtu`; also `events.vtu` |
/// | glTF | `run.glb` |
/// | CSV | `plots.csv`, `bodies.csv`, `events.csv` |
///
/// Files of an earlier export of the same format are replaced; frames it had beyond the new ones are removed.
pub fn write(recording: &mut Recording, format: Format, folder: &Path) -> Result<Written, ExportError> {
    fs::create_dir_all(folder).map_err(ExportError::at(folder))?;
    let mut written = Written::default();
    match format {
        Format::Vtk => vtk::write(recording, folder, &mut written)?,
        Format::Gltf => {
            let bytes = gltf(recording)?;
            written.file(folder.join("run.glb"), |out| out.write_all(&bytes))?;
        }
        Format::Csv => {
            written.file(folder.join("plots.csv"), |out| csv::plots(recording, out))?;
            written.file(folder.join("bodies.csv"), |out| csv::bodies(recording, out))?;
            written.file(folder.join("events.csv"), |out| csv::events(recording, out))?;
        }
    }
    Ok(written)
}

/// The surface of a body: its shapes, and the pieces of unbounded ones.
fn surface(recording: &Recording, body: usize) -> Mesh {
    let appearance = &recording.appearances[body];
    let mut all = appearance.mesh.clone();
    all.add(&appearance.ground, &Pose::identity());
    all
}

/// Velocities of the bodies' origins and their angular velocities, at a row of the trajectory.
fn twists(trajectory: &mut TrajectoryReader, row: usize) -> io::Result<Vec<[Vec3; 2]>> {
    let (mut v, mut w) = (Vec::new(), Vec::new());
    trajectory.read("velocity", [row], |_, row| v.extend_from_slice(row.as_chunks::<3>().0))?;
    trajectory.read("angular_velocity", [row], |_, row| w.extend_from_slice(row.as_chunks::<3>().0))?;
    Ok(v.into_iter().zip(w).map(|(v, w)| [Vec3::from(v), Vec3::from(w)]).collect())
}
