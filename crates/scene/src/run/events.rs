//! `events.jsonl`: a line for each meeting of two bodies, in the order in which they happened.
//!
//! Lines are written as they come and reach the disk before the checkpoint that counts their bytes: a run that goes on cuts
//! off what came after it, and ends with the lines of a run in one piece.

use percussion_mechanics::Model;
use percussion_mechanics::contact::{Impact, ImpactKind};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// A line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRecord<'a> {
    /// When, s.
    pub time: f64,
    /// The two bodies.
    #[serde(borrow)]
    pub bodies: [Cow<'a, str>; 2],
    /// Where.
    pub point: [f64; 3],
    /// Unit normal from the second body to the first.
    pub normal: [f64; 3],
    /// Impulse on the first body, N s.
    pub impulse: [f64; 3],
    /// `impact`, `response` or `fallback`; of a plan, `planned`; of a joint that a contact makes in a replay, `joint`.
    #[serde(borrow)]
    pub kind: Cow<'a, str>,
    /// Kinetic energy of the islands that met, J.
    pub energy_before: f64,
    /// The same afterwards, J.
    pub energy_after: f64,
    /// Normal velocity, m/s; negative while the bodies approach.
    pub normal_velocity_before: f64,
    /// The same afterwards, m/s.
    pub normal_velocity_after: f64,
}

impl<'a> EventRecord<'a> {
    fn of(impact: &Impact, model: &'a Model) -> Self {
        let name = |body: usize| Cow::Borrowed(model.bodies[body].name.as_str());
        Self {
            time: impact.time,
            bodies: [name(impact.bodies.0), name(impact.bodies.1)],
            point: impact.point.into(),
            normal: impact.normal.into(),
            impulse: impact.impulse.into(),
            kind: Cow::Borrowed(impact.kind.word()),
            energy_before: impact.energy.0,
            energy_after: impact.energy.1,
            normal_velocity_before: impact.speed.0,
            normal_velocity_after: impact.speed.1,
        }
    }
}

/// The growing file.
#[derive(Debug)]
pub struct EventWriter {
    file: BufWriter<File>,
    line: Vec<u8>,
    bytes: u64,
}

impl EventWriter {
    /// Goes on after a number of bytes; what comes after them is cut off.
    pub fn open(file: File, bytes: u64) -> io::Result<Self> {
        if file.metadata()?.len() < bytes {
            let text = "it is shorter than the checkpoint says";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        file.set_len(bytes)?;
        Ok(Self { file: BufWriter::new(file), line: Vec::new(), bytes })
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes a line and returns whether two bodies collided.
    pub fn push(&mut self, impact: &Impact, model: &Model) -> io::Result<bool> {
        self.write(&EventRecord::of(impact, model))?;
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

    /// Hands everything so far to the system: others can read it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Brings everything so far to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.get_ref().sync_data()
    }
}

/// Hands the events of a file to `take`, one by one.
pub fn read_events(path: &Path, mut take: impl FnMut(usize, &EventRecord<'_>)) -> io::Result<()> {
    for (index, line) in BufReader::new(File::open(path)?).lines().enumerate() {
        let line = line?;
        take(index, &serde_json::from_str(&line)?);
    }
    Ok(())
}
