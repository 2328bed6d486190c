//! `percussion gallery`: lists the scenes and studies of the gallery.

use std::process::ExitCode;

use anyhow::{Context, Result};
use percussion::gallery::SCENES;

use super::print;

/// Lists the scenes and studies of the gallery, one line each
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Print a JSON list of {"name", "title", "kind", "schemes"}
    #[arg(long)]
    json: bool,
}

/// Prints the list.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut text = String::new();
    if arguments.json {
        text = serde_json::to_string_pretty(SCENES).context("cannot write the list")?;
        text.push('\n');
    } else {
        let width = SCENES.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
        for scene in SCENES {
            text += &format!("{:width$}  {:8}  {}\n", scene.name, scene.kind, scene.title);
        }
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
