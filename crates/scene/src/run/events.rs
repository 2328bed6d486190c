//! `events.jsonl`: one line for each contact event of two bodies, in the order of time.
//!
//! Lines are on the disk before the checkpoint that counts their bytes is written. A run that is resumed removes later lines and ends
//! with the lines of an uninterrupted run.

use percussion_geometry::Vec3;
use percussion_mechanics::Model;
use percussion_mechanics::step_record::{Impact, ImpactKind};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// A line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRecord<'a> {
    /// Time, s.
    pub time: f64,
    /// The two bodies.
    #[serde(borrow)]
    pub bodies: [Cow<'a, str>; 2],
    /// Contact point, m.
    pub point: [f64; 3],
    /// Unit normal from the second body to the first.
    pub normal: [f64; 3],
    /// Impulse on the first body, N s.
    pub impulse: [f64; 3],
    /// `impact`, `response`, `time-stepping` or `fallback`; of a plan, `planned`; of a joint that a contact makes in a replay, `joint`.
    #[serde(borrow)]
    pub kind: Cow<'a, str>,
    /// Kinetic energy of the islands of the two bodies before the event, J.
    pub energy_before: f64,
    /// The same after the event, J.
    pub energy_after: f64,
    /// Normal velocity before the event, m/s; negative while the bodies approach.
    pub normal_velocity_before: f64,
    /// The same after the event, m/s.
    pub normal_velocity_after: f64,
}

impl<'a> EventRecord<'a> {
    /// Of two bodies of a model, with point, normal and impulse; energies and normal velocities are those before and after.
    pub(super) fn of(
        model: &'a Model,
        kind: &'static str,
        time: f64,
        bodies: (usize, usize),
        [point, normal, impulse]: [Vec3; 3],
        energy: (f64, f64),
        speed: (f64, f64),
    ) -> Self {
        let name = |body: usize| Cow::Borrowed(model.bodies[body].name.as_str());
        Self {
            time,
            bodies: [name(bodies.0), name(bodies.1)],
            point: point.into(),
            normal: normal.into(),
            impulse: impulse.into(),
            kind: Cow::Borrowed(kind),
            energy_before: energy.0,
            energy_after: energy.1,
            normal_velocity_before: speed.0,
            normal_velocity_after: speed.1,
        }
    }
}

/// Writer of the events.
#[derive(Debug)]
pub struct EventWriter {
    file: BufWriter<File>,
    line: Vec<u8>,
    bytes: u64,
}

impl EventWriter {
    /// Continues after a number of bytes; later ones are removed.
    pub fn open(file: File, bytes: u64) -> io::Result<Self> {
        if file.metadata()?.len() < bytes {
            let text = "it is shorter than in the checkpoint";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        file.set_len(bytes)?;
        Ok(Self { file: BufWriter::new(file), line: Vec::new(), bytes })
    }

    /// Number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes the line of an impact and returns whether it counts as a collision.
    pub fn push(&mut self, impact: &Impact, model: &Model) -> io::Result<bool> {
        let Impact { time, bodies, point, normal, impulse, energy, speed, .. } = *impact;
        let vectors = [point, normal, impulse];
        self.write(&EventRecord::of(model, impact.kind.word(), time, bodies, vectors, energy, speed))?;
        Ok(impact.kind != ImpactKind::Fallback)
    }

    /// Writes a line.
    pub fn write(&mut self, event: &EventRecord<'_>) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, event)?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)?;
        self.bytes += self.line.len() as u64;
        Ok(())
    }

    /// Passes buffered lines to the operating system: other processes can read them.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Writes buffered lines to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.get_ref().sync_data()
    }
}

/// Calls `take` with the events of a file, one by one.
pub fn read_events(path: &Path, mut take: impl FnMut(usize, &EventRecord<'_>)) -> io::Result<()> {
    for (index, line) in BufReader::new(File::open(path)?).lines().enumerate() {
        let line = line?;
        take(index, &serde_json::from_str(&line)?);
    }
    Ok(())
}
