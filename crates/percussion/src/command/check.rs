//! `percussion check`: validates a scene without running it.

use std::process::ExitCode;

use anyhow::Result;
use percussion::scene::run::{self, Counts};

use super::scene::Asked;
use super::{print, say};

/// Validates a scene without running it; every complaint names file, line and remedy
///
/// Exit code: 0 the scene can run; 2 it cannot.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
}

/// Reads the scene and says what it holds.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let scene = arguments.asked.load()?;
    let counts = Counts::of(&scene.model);
    let (name, settings) = (scene.name.clone(), scene.run.clone());
    for warning in &scene.warnings {
        say(&format!("warning: {warning}"));
    }
    run::prepare(scene)?;
    let some = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    print(&format!(
        "OK: {name}: {} ({} moving), {} ({}), {}, {}, {}; {} steps of {} s with the {} scheme\n",
        some(counts.bodies, "body", "bodies"),
        counts.moving,
        some(counts.joints, "joint", "joints"),
        some(counts.loops, "loop", "loops"),
        some(counts.dofs, "degree of freedom", "degrees of freedom"),
        some(counts.islands, "island", "islands"),
        some(counts.forces, "force", "forces"),
        settings.steps(),
        settings.step,
        settings.scheme,
    ))?;
    Ok(ExitCode::SUCCESS)
}
