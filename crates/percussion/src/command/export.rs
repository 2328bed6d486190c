//! `percussion export`: writes a run into files for other programs.

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

/// Frames without --frames.
const FRAMES: usize = 1000;

/// Writes a run into files for other programs
///
/// The run may still go on: what it has kept so far is written.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and files.")]
pub struct Arguments {
    /// A run folder
    run: PathBuf,

    /// vtk, gltf or csv; may be repeated
    #[arg(long, value_name = "FORMAT", required = true)]
    to: Vec<Format>,

    /// Where to write; RUN/export when absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// At most so many frames, evenly spaced, or `all`
    #[arg(long, value_name = "N", default_value_t = Most(FRAMES))]
    frames: Most,
}

/// At most so many.
#[derive(Clone, Copy, Debug)]
struct Most(usize);

impl FromStr for Most {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.parse() {
            _ if text == "all" => Ok(Self(usize::MAX)),
            Ok(n) if n > 0 => Ok(Self(n)),
            _ => bail!("give a number from 1 on, or `all`"),
        }
    }
}

impl std::fmt::Display for Most {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            usize::MAX => f.write_str("all"),
            n => write!(f, "{n}"),
        }
    }
}

/// Reads the run and writes what was asked for.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut recording = Recording::load(&arguments.run, arguments.frames.0)?;
    let folder = arguments.out.clone().unwrap_or_else(|| arguments.run.join("export"));
    for format in Format::ALL.into_iter().filter(|format| arguments.to.contains(format)) {
        let written = export::write(&mut recording, format, &folder)?;
        print(&line(format, &recording, &written))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was written, and of how much.
fn line(format: Format, recording: &Recording, written: &Written) -> String {
    let (frames, rows) = (recording.frames.len(), recording.kept.rows());
    let frames = match frames == rows {
        true => format!("{frames} frames"),
        false => format!("{frames} of {rows} frames (--frames all for every one)"),
    };
    let rows = if format == Format::Csv { format!(", {rows} rows of plots") } else { String::new() };
    let files = match written.files.len() {
        1 => String::new(),
        2 => " and 1 file more".to_owned(),
        n => format!(" and {} files more", n - 1),
    };
    let first = written.files.first().map(|path| path.display().to_string()).unwrap_or_default();
    let size = match written.bytes as f64 {
        small if small < 1e6 => format!("{:.0} kB", (small / 1e3).ceil()),
        large => format!("{:.1} MB", large / 1e6),
    };
    format!("{:5} {first}{files}: {frames}{rows}, {size}\n", format.name())
}
