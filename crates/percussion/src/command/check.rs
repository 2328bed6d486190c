//! `percussion check`: validates a scene without running it.

use std::process::ExitCode;

use anyhow::Result;
use percussion::scene::run::{self, Counts};

use super::scene::SceneArguments;
use super::{print, print_status};

/// Validates a scene without running it; each complaint has file, line and remedy
///
/// Exit code: 0 the scene is valid; 2 it is not.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
}

/// Reads the scene and prints the numbers of its bodies, joints and forces.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let scene = arguments.scene.load()?;
    let counts = Counts::of(&scene.model);
    let (name, settings) = (scene.name.clone(), scene.run.clone());
    for warning in &scene.warnings {
        print_status(&format!("warning: {warning}"));
    }
    run::prepare(scene)?;
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    print(&format!(
        "OK: {name}: {} ({} moving), {} ({}), {}, {}, {}; {} steps of {} s with the {} scheme\n",
        count(counts.bodies, "body", "bodies"),
        counts.moving,
        count(counts.joints, "joint", "joints"),
        count(counts.loops, "loop", "loops"),
        count(counts.dofs, "degree of freedom", "degrees of freedom"),
        count(counts.islands, "island", "islands"),
        count(counts.forces, "force", "forces"),
        settings.steps(),
        settings.step,
        settings.scheme,
    ))?;
    Ok(ExitCode::SUCCESS)
}
