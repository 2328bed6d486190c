//! Checkpoints: an instant of a run, from which it resumes bitwise identically.
//!
//! The file is a `.npz` archive like the trajectory (NumPy reads it): eight bytes for every number, a checksum for every array. It
//! is written beside the old one and renamed when it is complete. Arrays have names; scalars are arrays of one number.
//!
//! | array | contents |
//! |---|---|

use super::complementarity::{ComplementarityStats, RowComplementarity};
use super::extremes::RowExtremes;
use super::npz::{Array, Reader, Writer};
use super::replace::replace;
use super::row::{StepFigures, row_major};
use nalgebra::Matrix3;
use percussion_geometry::Vec3;
use percussion_mechanics::{Ledger, NamedArrays, State};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// The array that marks a checkpoint.
const MARK: &str = "percussion_checkpoint";
/// Version of this format.
const FORMAT: &str = "5";

/// An instant of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Version of the program that wrote it.
    pub version: String,
    /// The state.
    pub state: State,
    /// State of the ledger.
    pub ledger: NamedArrays,
    /// State of the scheme: its warm start.
    pub scheme: NamedArrays,
    /// Rows of the trajectory.
    pub rows: u64,
    /// Most iterations of a step so far.
    pub iterations: u64,
    /// Time spent computing so far, s.
    pub wall_time: f64,
    /// Figures of the last step.
    pub figures: StepFigures,
    /// Bytes of the events.
    pub event_bytes: u64,
    /// Contact so far.
    pub contact: ContactFigures,
    /// Extremes over the steps since the previous row.
    pub extremes: RowExtremes,
    /// Statistics of complementarity problems.
    pub complementarity: ComplementarityStats,
}

/// Contact over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactFigures {
    /// Number of collisions.
    pub collisions: u64,
    /// Steps of islands that fell back to the decomposition scheme.
    pub fallbacks: u64,
    /// Largest penetration of two parts at the end of a step, m.
    pub penetration: f64,
    /// Steps with unsolved problems of impacts or of persistent contact.
    pub unsolved: u64,
    /// Largest residual of these problems, relative to the largest impulse.
    pub residual: f64,
    /// Sequences of impacts that did not end.
    pub unfinished: u64,
}

impl Checkpoint {
    /// Writes it in place of an older one.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let state = &self.state;
        let n = state.positions.len();
        let positions: Vec<f64> = state.positions.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        let rotations: Vec<f64> = state.rotations.iter().flat_map(row_major).collect();
        replace(path, |path| {
            let mut writer = Writer::new(BufWriter::new(File::create(path)?));
            writer.array(MARK, &Array::texts(&[FORMAT, &self.version]))?;
            writer.array("positions", &Array::floats(&[n, 3], &positions))?;
            writer.array("rotations", &Array::floats(&[n, 3, 3], &rotations))?;
            for (name, values) in self.named().iter() {
                writer.array(name, &Array::floats(&[values.len()], values))?;
            }
            writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
        })
    }

    /// Everything but positions and rotations by name. Counts are below 2^53: doubles hold them exactly.
    fn named(&self) -> NamedArrays {
        let mut all = NamedArrays::default();
        let counts = [
            ("steps", self.state.steps),
            ("rows", self.rows),
            ("event_bytes", self.event_bytes),
            ("iterations_max", self.iterations),
            ("collisions", self.contact.collisions),
            ("fallbacks", self.contact.fallbacks),
            ("unsolved_steps", self.contact.unsolved),
            ("unfinished_sequences", self.contact.unfinished),
        ];
        counts.into_iter().for_each(|(name, count)| all.insert(name, [count as f64]));
        let numbers = [
            ("time", self.state.time),
            ("wall_time", self.wall_time),
            ("penetration_max", self.contact.penetration),
            ("contact_residual_max", self.contact.residual),
            ("discrete_energy", self.figures.discrete_energy),
            ("hamiltonian", self.figures.hamiltonian),
            ("hidden_violation", self.figures.hidden_violation),
            ("row/penetration", self.extremes.penetration),
            ("row/substep_min", self.extremes.substep_min),
        ];
        numbers.into_iter().for_each(|(name, number)| all.insert(name, [number]));
        for (name, number) in self.extremes.complementarity.by_name() {
            all.insert(format!("row/{name}"), [number]);
        }
        all.insert("coordinates", self.state.coordinates.as_slice());
        all.insert("momenta", self.state.momenta.as_slice());
        let mut complementarity = NamedArrays::default();
        self.complementarity.save(&mut complementarity);
        for (prefix, arrays) in
            [("complementarity/", &complementarity), ("ledger/", &self.ledger), ("scheme/", &self.scheme)]
        {
            arrays.iter().for_each(|(name, values)| all.insert(format!("{prefix}{name}"), values));
        }
        all
    }

    /// Reads it back.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut reader = Reader::open(path)?;
        let mark = reader.array(MARK)?.as_texts()?;
        let [format, version] = mark.as_slice() else { return Err(unusable("it has no version")) };
        if format != FORMAT {
            return Err(unusable(&format!(
                "its format is {format}, this program reads {FORMAT}; run without --resume to start anew"
            )));
        }
        let mut all = NamedArrays::default();
        let names: Vec<String> = reader.names().filter(|name| *name != MARK).map(str::to_owned).collect();
        for name in names {
            let values = reader.array(&name)?.as_floats()?;
            all.insert(name, values);
        }
        let list = |name: &str| all.get(name).ok_or_else(|| unusable(&format!("it has no `{name}`")));
        let number = |name: &str| {
            all.fixed::<1>(name)
                .map(|[value]| value)
                .ok_or_else(|| unusable(&format!("it has no number `{name}`")))
        };
        let count = |name: &str| number(name).map(|value| value as u64);
        let section = |prefix: &str| {
            let mut part = NamedArrays::default();
            let own = all.iter().filter_map(|(name, values)| Some((name.strip_prefix(prefix)?, values)));
            own.for_each(|(name, values)| part.insert(name, values));
            part
        };
        let row = RowComplementarity::from_named(|name| number(&format!("row/{name}")).ok());
        let (positions, _) = list("positions")?.as_chunks::<3>();
        let (rotations, _) = list("rotations")?.as_chunks::<9>();
        Ok(Self {
            version: version.clone(),
            state: State {
                time: number("time")?,
                steps: count("steps")?,
                positions: positions.iter().map(|p| Vec3::from_column_slice(p)).collect(),
                rotations: rotations.iter().map(|r| Matrix3::from_row_slice(r)).collect(),
                coordinates: list("coordinates")?.to_vec(),
                momenta: list("momenta")?.to_vec(),
            },
            ledger: section("ledger/"),
            scheme: section("scheme/"),
            rows: count("rows")?,
            iterations: count("iterations_max")?,
            wall_time: number("wall_time")?,
            figures: StepFigures {
                discrete_energy: number("discrete_energy")?,
                hamiltonian: number("hamiltonian")?,
                hidden_violation: number("hidden_violation")?,
            },
            event_bytes: count("event_bytes")?,
            contact: ContactFigures {
                collisions: count("collisions")?,
                fallbacks: count("fallbacks")?,
                penetration: number("penetration_max")?,
                unsolved: count("unsolved_steps")?,
                unfinished: count("unfinished_sequences")?,
                residual: number("contact_residual_max")?,
            },
            extremes: RowExtremes {
                penetration: number("row/penetration")?,
                substep_min: number("row/substep_min")?,
                complementarity: row
                    .ok_or_else(|| unusable("it has no extremes of complementarity problems"))?,
            },
            complementarity: ComplementarityStats::restore(&section("complementarity/"))
                .ok_or_else(|| unusable("it has no statistics of complementarity problems"))?,
        })
    }

    /// Whether a file is a checkpoint.
    pub fn is_at(path: &Path) -> bool {
        Reader::open(path).is_ok_and(|reader| reader.names().any(|name| name == MARK))
    }
}

/// State of a ledger.
pub(crate) fn saved_ledger(ledger: &Ledger) -> NamedArrays {
    let mut arrays = NamedArrays::default();
    ledger.save(&mut arrays);
    arrays
}

fn unusable(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the checkpoint cannot be used: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn arrays(all: &[(&str, &[f64])]) -> NamedArrays {
        let mut arrays = NamedArrays::default();
        all.iter().for_each(|(name, values)| arrays.insert(*name, *values));
        arrays
    }

    #[test]
    fn a_checkpoint_is_read_back_bitwise_identical() {
        let state = State {
            time: 0.1 + 0.2,
            steps: 3,
            positions: vec![Vec3::new(0.1, -0.0, 1e-310), Vec3::new(1.0, 2.0, 3.0)],
            rotations: vec![Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0), Matrix3::identity()],
            coordinates: vec![],
            momenta: vec![1.0 / 3.0],
        };
        let mut saved = NamedArrays::default();
        ComplementarityStats::default().save(&mut saved);
        let mut numbers = NamedArrays::default();
        for (k, (name, values)) in saved.iter().enumerate() {
            numbers.insert(name, vec![3.0 * k as f64; values.len()]);
        }
        let written = Checkpoint {
            version: "0.1.0".into(),
            state,
            ledger: arrays(&[("figures", &[f64::INFINITY, -1.0 / 7.0])]),
            scheme: arrays(&[("impulses", &[0.1, 0.2 + 0.1, -3.0]), ("none", &[])]),
            rows: 4,
            iterations: 5,
            wall_time: 1.5,
            figures: StepFigures { discrete_energy: -0.1, hamiltonian: 0.3, hidden_violation: 1e-9 },
            event_bytes: 6,
            contact: ContactFigures {
                collisions: 7,
                fallbacks: 8,
                penetration: 0.1 + 0.7,
                unsolved: 9,
                unfinished: 10,
                residual: 0.1 + 0.8,
            },
            extremes: RowExtremes {
                penetration: 0.1 + 0.6,
                substep_min: 1e-3 / 3.0,
                complementarity: RowComplementarity {
                    infeasibility: 1e-5 / 3.0,
                    contacts: 12.0,
                    solver: 4.0,
                    iterations: 31.0,
                    residual: 1e-10 / 7.0,
                    converged: 1.0,
                },
            },
            complementarity: ComplementarityStats::restore(&numbers).unwrap(),
        };
        let path = std::env::temp_dir().join(format!("percussion-checkpoint-{}", std::process::id()));
        written.write(&path).unwrap();
        assert!(Checkpoint::is_at(&path));
        let back = Checkpoint::read(&path).unwrap();
        assert_eq!(back, written);
        assert!(back.state.positions[0].y.is_sign_negative());
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.windows(8).position(|w| w == (1.0f64 / 3.0).to_le_bytes()).unwrap();
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert!(Checkpoint::read(&path).is_err(), "a flipped bit is detected");
        fs::write(&path, b"something else").unwrap();
        assert!(!Checkpoint::is_at(&path));
        fs::remove_file(&path).unwrap();
    }
}
