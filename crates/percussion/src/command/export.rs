//! `percussion export`: exports a run for other programs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Result, bail};
use percussion_report::Recording;
use percussion_report::export::{self, Format, Written};

use super::print;

const EXAMPLES: &str = "Examples:
  percussion export runs/free-top --to vtk
  percussion export runs/free-top --to gltf --to csv --out somewhere
  percussion export runs/free-top --to vtk --frames all

vtk   run.pvd, for ParaView, with a file per frame below vtk/
gltf  run.glb, for browsers, Blender and other viewers
csv   plots.csv (every row), bodies.csv (every frame), events.csv

The guide's page on `export` describes them. Exit code: 0 written; 2 misuse.";

/// Default of --frames.
const FRAMES: usize = 1000;

/// Exports a run for other programs
///
/// Of a run in progress the rows so far are exported.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and files.")]
pub struct Arguments {
    /// A run folder
    run: PathBuf,

    /// Format: vtk, gltf or csv; may be repeated
    #[arg(long, value_name = "FORMAT", required = true)]
    to: Vec<Format>,

    /// Output folder [default: RUN/export]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Largest number of frames, evenly spaced, or `all`
    #[arg(long, value_name = "N", default_value_t = FrameLimit(FRAMES))]
    frames: FrameLimit,
}

/// A largest number of frames.
#[derive(Clone, Copy, Debug)]
struct FrameLimit(usize);

impl FromStr for FrameLimit {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.parse() {
            _ if text == "all" => Ok(Self(usize::MAX)),
            Ok(n) if n > 0 => Ok(Self(n)),
            _ => bail!("give a number of at least 1, or `all`"),
        }
    }
}

impl std::fmt::Display for FrameLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            usize::MAX => f.write_str("all"),
            n => write!(f, "{n}"),
        }
    }
}

/// Reads the run and writes the formats.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut recording = Recording::load(&arguments.run, arguments.frames.0)?;
    let folder = arguments.out.clone().unwrap_or_else(|| arguments.run.join("export"));
    for format in Format::ALL.into_iter().filter(|format| arguments.to.contains(format)) {
        let written = export::write(&mut recording, format, &folder)?;
        print(&line(format, &recording, &written))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line about the files of a format.
fn line(format: Format, recording: &Recording, written: &Written) -> String {
    let (frames, rows) = (recording.frames.len(), recording.trajectory.rows());
    let frames = match frames == rows {
        true => format!("{frames} frames"),
        false => format!("{frames} of {rows} frames (all with --frames all)"),
    };
    let rows = if format == Format::Csv { format!(", {rows} rows of plots") } else { String::new() };
    let files = match written.files.len() {
        1 => String::new(),
        2 => " and 1 more file".to_owned(),
        n => format!(" and {} more files", n - 1),
    };
    let first = written.files.first().map(|path| path.display().to_string()).unwrap_or_default();
    let size = match written.bytes as f64 {
        small if small < 1e6 => format!("{:.0} kB", (small / 1e3).ceil()),
        large => format!("{:.1} MB", large / 1e6),
    };
    format!("{:5} {first}{files}: {frames}{rows}, {size}\n", format.name())
}
