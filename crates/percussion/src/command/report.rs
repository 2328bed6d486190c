//! `percussion report`: pages of finished runs, one by one or side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use percussion::report::{Recording, page};
use percussion::scene::run::folder;

use super::print;

const EXAMPLES: &str = "Examples:
  percussion report runs/metronome
  percussion report runs/metronome runs/metronome-decomposition runs/metronome-potential

One run: its page is written anew, RUN/report.html. Several: one page lays their playbacks and curves
over each other, comparison.html beside the first of them.";

/// Writes the page of a run, or one that compares several
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples.")]
pub struct Arguments {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// The page; RUN/report.html or comparison.html when absent
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes the page.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut recordings = recordings(&arguments.runs)?;
    let out = arguments.out.clone().unwrap_or_else(|| place(&arguments.runs));
    write(&out, &mut recordings)?;
    print(&format!("{}\n", out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads runs for a page.
pub fn recordings(runs: &[PathBuf]) -> Result<Vec<Recording>> {
    runs.iter().map(|run| Ok(Recording::for_page(run)?)).collect()
}

/// Writes the page of some recordings.
pub fn write(out: &Path, recordings: &mut [Recording]) -> Result<()> {
    fs::write(out, page::page(recordings)?).with_context(|| format!("cannot write {}", out.display()))
}

/// Where the page goes when nobody says.
fn place(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [one] => one.join(folder::REPORT),
        // There is a first one: clap asks for it.
        all => all[0].parent().unwrap_or(Path::new("")).join("comparison.html"),
    }
}
