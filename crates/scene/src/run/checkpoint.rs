//! Checkpoints: an instant of a run, exactly, so that it can go on to the same bits.
//!
//! The file is a `.npz` archive like the trajectory (NumPy reads it): every number has its eight bytes, every array its
//! checksum. It is written beside the old one and takes its name when it is complete.
//!
//! | array | holds |
//! |---|---|
//! | `percussion_checkpoint` | the version of this format and that of the program |
//! | `counts` | steps taken, rows of the trajectory that count, most iterations of a step; bytes of the events that count, collisions, fallbacks |
//! | `times` | time of the scene and time spent computing, s |
//! | `energy` | `E_d` of the last step, J |
//! | `overlap` | the greatest so far, m |
//! | `since` | over the steps since the last row that counts: the greatest overlap, m, and the shortest piece of a step, s |
//! | `positions`, `rotations`, `coordinates`, `momenta` | the state: moving bodies in the engine's order, principal frames |
//! | `ledger` | the figures of the ledger |
//! | `memory` | what the scheme carries from step to step besides the state |
//! | `stepping`, `stepping_since` | what complementarity problems have come to: over the run, and since the last row that counts |

use super::complementarity::{ComplementarityStats, RowComplementarity};
use super::extremes::RowExtremes;
use super::npz::{Array, Reader, Writer};
use super::row::{StepFigures, rows};
use nalgebra::Matrix3;
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

/// The array that marks a checkpoint.
const MARK: &str = "percussion_checkpoint";
/// Version of this format.
const FORMAT: &str = "4";

/// An instant of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The program that wrote it.
    pub version: String,
    /// The state.
    pub state: State,
    /// The figures of the ledger.
    pub ledger: Vec<f64>,
    /// Rows of the trajectory that count.
    pub rows: u64,
    /// Most iterations of a step so far.
    pub iterations: u64,
    /// Time spent computing so far, s.
    pub wall_time: f64,
    /// `E_d` of the last step, J.
    pub figures: StepFigures,
    /// Bytes of the events that count.
    pub event_bytes: u64,
    /// What collisions have come to.
    pub contact: ContactFigures,
    /// What was seen since the last row that counts.
    pub since: RowExtremes,
    /// What the scheme carries from step to step besides the state.
    pub memory: Vec<f64>,
    /// What complementarity problems have come to.
    pub stepping: ComplementarityStats,
}

/// What collisions have come to so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactFigures {
    /// How many there were.
    pub collisions: u64,
    /// Steps of islands handed to the decomposition scheme.
    pub fallbacks: u64,
    /// Greatest overlap of two parts at the end of a step, m.
    pub overlap: f64,
}

impl Checkpoint {
    /// Writes it in place of an older one.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let state = &self.state;
        let n = state.positions.len();
        let positions: Vec<f64> = state.positions.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        let rotations: Vec<f64> = state.rotations.iter().flat_map(rows).collect();
        let list = |values: &[f64]| Array::floats(&[values.len()], values);
        replace(path, |path| {
            let mut writer = Writer::new(BufWriter::new(File::create(path)?));
            writer.array(MARK, &Array::texts(&[FORMAT, &self.version]))?;
            let ContactFigures { collisions, fallbacks, overlap } = self.contact;
            let counts = [state.steps, self.rows, self.iterations, self.event_bytes, collisions, fallbacks]
                .map(|n| n as i64);
            writer.array("counts", &Array::integers(&counts))?;
            writer.array("times", &list(&[state.time, self.wall_time]))?;
            let StepFigures { discrete_energy, hamiltonian, hidden } = self.figures;
            writer.array("energy", &list(&[discrete_energy, hamiltonian, hidden]))?;
            writer.array("overlap", &list(&[overlap]))?;
            writer.array("since", &list(&[self.since.overlap, self.since.piece]))?;
            writer.array("positions", &Array::floats(&[n, 3], &positions))?;
            writer.array("rotations", &Array::floats(&[n, 3, 3], &rotations))?;
            writer.array("coordinates", &list(&state.coordinates))?;
            writer.array("momenta", &list(&state.momenta))?;
            writer.array("ledger", &list(&self.ledger))?;
            writer.array("memory", &list(&self.memory))?;
            writer.array("stepping", &list(&self.stepping.numbers()))?;
            writer.array("stepping_since", &list(&self.since.steps.numbers()))?;
            writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
        })
    }

    /// Reads it back.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut reader = Reader::open(path)?;
        let mark = reader.array(MARK)?.as_texts()?;
        let [format, version] = mark.as_slice() else { return Err(other("it has no version")) };
        if format != FORMAT {
            return Err(other(&format!(
                "its format is {format}, this program reads {FORMAT}; run without --resume to start anew"
            )));
        }
        let counts = reader.array("counts")?.as_integers()?;
        let &[steps, rows, iterations, event_bytes, collisions, fallbacks] = counts.as_slice() else {
            return Err(other("its counts are not six"));
        };
        let times = reader.array("times")?.as_floats()?;
        let &[time, wall_time] = times.as_slice() else { return Err(other("its times are not two")) };
        let energy = reader.array("energy")?.as_floats()?;
        let &[discrete_energy, hamiltonian, hidden] = energy.as_slice() else {
            return Err(other("it has no energies"));
        };
        let overlap = reader.array("overlap")?.as_floats()?;
        let &[overlap] = overlap.as_slice() else { return Err(other("it has no overlap")) };
        let since = reader.array("since")?.as_floats()?;
        let &[deepest, piece] = since.as_slice() else { return Err(other("its extremes are not two")) };
        let mut floats = |name: &str| reader.array(name)?.as_floats();
        let seen = <[f64; 6]>::try_from(floats("stepping_since")?);
        let seen = RowComplementarity::of(seen.map_err(|_| other("it has not seen what is watched"))?);
        let stepping = ComplementarityStats::of(&floats("stepping")?)
            .ok_or_else(|| other("its problems are not counted"))?;
        let (positions, rotations) = (floats("positions")?, floats("rotations")?);
        let (positions, _) = positions.as_chunks::<3>();
        let (rotations, _) = rotations.as_chunks::<9>();
        Ok(Self {
            version: version.clone(),
            state: State {
                time,
                steps: steps as u64,
                positions: positions.iter().map(|p| Vec3::from_column_slice(p)).collect(),
                rotations: rotations.iter().map(|r| Matrix3::from_row_slice(r)).collect(),
                coordinates: floats("coordinates")?,
                momenta: floats("momenta")?,
            },
            ledger: floats("ledger")?,
            rows: rows as u64,
            iterations: iterations as u64,
            wall_time,
            figures: StepFigures { discrete_energy, hamiltonian, hidden },
            event_bytes: event_bytes as u64,
            contact: ContactFigures { collisions: collisions as u64, fallbacks: fallbacks as u64, overlap },
            since: RowExtremes { overlap: deepest, piece, steps: seen },
            memory: floats("memory")?,
            stepping,
        })
    }

    /// Whether a file is one.
    pub fn is_at(path: &Path) -> bool {
        Reader::open(path).is_ok_and(|reader| reader.names().any(|name| name == MARK))
    }
}

/// Writes a file under another name and lets it take its name when it is complete.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(super::folder::UNFINISHED);
    let unfinished = Path::new(&name);
    write(unfinished)?;
    fs::rename(unfinished, path)
}

fn other(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the checkpoint cannot be used: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_comes_back_with_the_same_bits() {
        let state = State {
            time: 0.1 + 0.2,
            steps: 3,
            positions: vec![Vec3::new(0.1, -0.0, 1e-310), Vec3::new(1.0, 2.0, 3.0)],
            rotations: vec![Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0), Matrix3::identity()],
            coordinates: vec![],
            momenta: vec![1.0 / 3.0],
        };
        let kept = Checkpoint {
            version: "0.1.0".into(),
            state,
            ledger: vec![f64::INFINITY, -1.0 / 7.0],
            rows: 4,
            iterations: 5,
            wall_time: 1.5,
            figures: StepFigures { discrete_energy: -0.1, hamiltonian: 0.3, hidden: 1e-9 },
            event_bytes: 6,
            contact: ContactFigures { collisions: 7, fallbacks: 8, overlap: 0.1 + 0.7 },
            since: RowExtremes {
                overlap: 0.1 + 0.6,
                piece: 1e-3 / 3.0,
                steps: RowComplementarity::of([1e-5 / 3.0, 12.0, 4.0, 31.0, 1e-10 / 7.0, 1.0]),
            },
            memory: vec![0.1, 0.2 + 0.1, -3.0],
            stepping: ComplementarityStats::of(&std::array::from_fn::<f64, 18, _>(|k| 3.0 * k as f64))
                .unwrap(),
        };
        let path = std::env::temp_dir().join(format!("percussion-checkpoint-{}", std::process::id()));
        kept.write(&path).unwrap();
        assert!(Checkpoint::is_at(&path));
        let back = Checkpoint::read(&path).unwrap();
        assert_eq!(back, kept);
        assert!(back.state.positions[0].y.is_sign_negative());
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.windows(8).position(|w| w == (1.0f64 / 3.0).to_le_bytes()).unwrap();
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert!(Checkpoint::read(&path).is_err(), "a flipped bit is noticed");
        fs::write(&path, b"something else").unwrap();
        assert!(!Checkpoint::is_at(&path));
        fs::remove_file(&path).unwrap();
    }
}
