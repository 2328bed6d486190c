//! The commands: what the user types, what it means, and which exit code follows.
//!
//! Exit codes: 0 success, 1 something could not be answered, 2 misuse.

mod distance;
mod gallery;

use std::process::ExitCode;

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
}

/// Runs the command that was typed.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Distance(arguments) => distance::run(arguments),
        Command::Gallery(arguments) => gallery::run(arguments),
    };
    result.unwrap_or_else(|error| {
        say(&format!("error: {error:#}"));
        ExitCode::from(2)
    })
}

/// A line for the person at the terminal. That it cannot be written is no reason to stop.
fn say(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
