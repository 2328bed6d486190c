//! The commands: what the user types, what it means, and which exit code follows.
//!
//! Exit codes: 0 success, 1 something could not be answered or computed, 2 misuse, 130 interrupted.

mod check;
mod distance;
mod export;
mod gallery;
mod plan;
mod progress;
mod report;
mod run;
mod scene;
mod sweep;
mod view;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// The dynamics and optimal control of bodies that touch.
#[derive(Debug, Parser)]
#[command(name = "percussion", version, about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Separation of pairs of shapes given as lines of JSON, one answer per line
    Distance(distance::Arguments),
    /// Lists the shipped scenes
    Gallery(gallery::Arguments),
    /// Simulates a scene
    Run(run::Arguments),
    /// Plans a manoeuvre: the motion that the table [plan] of a scene asks for
    Plan(plan::Arguments),
    /// Runs a study: a scene over a grid of changes, with charts and rates
    Sweep(sweep::Arguments),
    /// Writes the page of a run, one that compares several, or pictures
    Report(report::Arguments),
    /// Shows a run in the browser; one that still computes is followed
    View(view::Arguments),
    /// Writes a run into files for ParaView, Blender, spreadsheets and others
    Export(export::Arguments),
    /// Validates a scene without running it
    Check(check::Arguments),
}

/// Runs the command that was typed.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Distance(arguments) => distance::run(arguments),
        Command::Gallery(arguments) => gallery::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::View(arguments) => view::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Check(arguments) => check::run(arguments),
    };
    result.unwrap_or_else(|error| {
        match error.downcast_ref::<Told>() {
            Some(Told(complaints)) => say(complaints),
            None => say(&format!("error: {error:#}")),
        }
        ExitCode::from(2)
    })
}

/// Complaints that name their places themselves, one per line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Told(String);

/// Text for standard output. A reader that has left early, such as `head`, is no error.
fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to the output")
        }
        _ => Ok(()),
    }
}

/// Limits the threads, if asked to.
fn threads(jobs: Option<usize>) -> Result<()> {
    let Some(jobs) = jobs else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global().context("cannot start the threads")
}

/// A line for the person at the terminal. That it cannot be written is no reason to stop.
fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
