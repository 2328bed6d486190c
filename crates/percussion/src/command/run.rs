//! `percussion run`: simulates a scene into a run folder.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use percussion::scene::run::{self, Status, Summary, folder};

use super::progress::{Meter, rounded};
use super::scene::Asked;
use super::{print, report, say};

const EXAMPLES: &str = "Examples:
  percussion run free-top
  percussion run kepler --until 100 --every 10 --out runs/long-kepler
  percussion run my-scene.toml --scheme variational --set run.step=1e-4
  percussion run my-scene.toml --resume

The folder (runs/NAME unless --out says otherwise) gets summary.json, trajectory.npz, events.jsonl,
scene.toml, checkpoint and report.html. The guide's page on `run` describes them.

Exit code: 0 finished; 1 a step could not be made (summary.json says why, the last good state is
the checkpoint); 2 misuse; 130 interrupted by Ctrl-C (--resume goes on).";

/// Exit code of what Ctrl-C ends, by the shells' custom: 128 and the signal's number.
const INTERRUPTED: u8 = 130;

/// Simulates a scene
///
/// Writes a run folder with figures, trajectory and a page. An old run in the folder is replaced; a folder that
/// holds anything else is left alone.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,

    /// Run folder; runs/NAME when absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Go on with the run in the folder, from its checkpoint, to the same bits
    #[arg(long)]
    resume: bool,

    /// Threads to use; all cores when absent. The result does not depend on it
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// Runs the scene.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    super::threads(arguments.jobs)?;
    let scene = arguments.asked.load()?;
    for warning in &scene.warnings {
        say(&format!("warning: {warning}"));
    }
    let path = arguments.out.clone().unwrap_or_else(|| Path::new("runs").join(&scene.name));
    let known = scene.warnings.len();
    let stop = listen()?;
    let mut meter = Meter::new();
    let outcome = run::run(scene, &path, arguments.resume, &mut |progress| {
        meter.show(progress);
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    meter.clear();
    let summary = outcome?;
    let place = path.join(folder::REPORT);
    report::write(&place, &mut report::recordings(std::slice::from_ref(&path))?)?;
    print(&closing(&summary, &place))?;
    for warning in summary.warnings.iter().skip(known) {
        say(&format!("warning: {warning}"));
    }
    if let Some(failure) = &summary.failure {
        say(&format!(
            "error: step {} at t = {:.6} s, body `{}`: {}; {} residuals in {}",
            failure.step,
            failure.time,
            failure.body,
            failure.message,
            failure.residuals.len(),
            path.join(folder::SUMMARY).display(),
        ));
    }
    Ok(match summary.status {
        Status::Finished => ExitCode::SUCCESS,
        Status::Failed => ExitCode::FAILURE,
        Status::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// A flag that Ctrl-C raises. Whoever presses it twice does not want to wait.
fn listen() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

/// The key figures in a few lines.
fn closing(summary: &Summary, report: &Path) -> String {
    let Summary { scene, steps, t_end, wall_time_s, energy, linear_momentum, angular_momentum, .. } = summary;
    let how = match summary.status {
        Status::Finished => "finished",
        Status::Interrupted => "interrupted (--resume goes on)",
        Status::Failed => "failed",
    };
    let contact = match (summary.collisions, summary.overlap_max) {
        (_, None) => String::new(),
        (n, Some(overlap)) => format!("contact      {n} collisions, {overlap:.2e} m greatest overlap\n"),
    };
    let rate = rounded(*steps as f64 / wall_time_s.max(f64::MIN_POSITIVE));
    format!(
        "{scene}: {how} at t = {t_end:.6} s, {steps} steps in {wall_time_s:.3} s ({rate} steps/s)\n\
         energy       {:.2e} greatest error, relative\n\
         momentum     {:.2e} N s linear, {:.2e} N m s angular, that no cause explains\n\
         constraints  {:.2e} greatest violation\n\
         {contact}report       {}\n",
        energy.max_relative_error,
        linear_momentum.max_error,
        angular_momentum.max_error,
        summary.constraint_max,
        report.display()
    )
}
