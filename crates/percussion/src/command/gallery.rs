//! `percussion gallery`: lists the scenes and studies of the gallery.

use std::process::ExitCode;

use anyhow::{Context, Result};
use percussion::gallery::SCENES;
use percussion::mechanics::schemes::SchemeKind;
use serde_json::json;

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
        let list: Vec<_> = SCENES
            .iter()
            .map(|scene| {
                let schemes: Vec<_> = scene.schemes().into_iter().map(SchemeKind::name).collect();
                json!({ "name": scene.name, "title": scene.title, "kind": scene.kind, "schemes": schemes })
            })
            .collect();
        text = serde_json::to_string_pretty(&list).context("cannot write the list")?;
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
