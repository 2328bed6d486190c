//! The commands of the program: arguments, output and exit codes.
//!
//! Exit codes: 0 success, 1 the computation failed, 2 misuse, 130 interrupted.

mod check;
mod distance;
mod export;
mod gallery;
mod interrupt;
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

/// Dynamics and optimal control of bodies in contact.
#[derive(Debug, Parser)]
#[command(name = "percussion", version, about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Computes the separation of pairs of shapes: lines of JSON in, one answer per line out
    Distance(distance::Arguments),
    /// Lists the scenes and studies of the gallery
    Gallery(gallery::Arguments),
    /// Simulates a scene into a run folder
    Run(run::Arguments),
    /// Solves the optimal control problem in the table [plan] of a scene, or the shooting problem in [shoot]
    Plan(plan::Arguments),
    /// Runs a study: one scene over a grid of parameters, with charts and convergence rates
    Sweep(sweep::Arguments),
    /// Writes the report page of a run, a comparison of several runs, or pictures
    Report(report::Arguments),
    /// Shows a run in the browser and follows a run in progress
    View(view::Arguments),
    /// Exports a run for ParaView, Blender, spreadsheets and other programs
    Export(export::Arguments),
    /// Validates a scene without running it
    Check(check::Arguments),
}

/// Runs the command of the command line.
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
        match error.downcast_ref::<SceneComplaints>() {
            Some(SceneComplaints(text)) => print_status(text),
            None => print_status(&format!("error: {error:#}")),
        }
        ExitCode::from(2)
    })
}

/// Complaints about a scene or study, one per line, each with its place: printed without the prefix `error:`.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct SceneComplaints(String);

/// Prints to standard output. A closed pipe, as after `head`, is not an error.
fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// Sets the number of threads, if one is given.
fn set_threads(jobs: Option<usize>) -> Result<()> {
    let Some(jobs) = jobs else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global().context("cannot start the threads")
}

/// Prints a line to standard error. Errors of writing are ignored.
fn print_status(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
