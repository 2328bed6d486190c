//! `percussion run`: simulates a scene into a run folder.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use percussion::control::replay::default_scheme;
use percussion::scene::Scene;
use percussion::scene::run::{
    self, JointFigures, PlannedTrajectory, Progress, RunError, Status, Summary, folder,
};

use super::progress::{Meter, rounded};
use super::scene::Asked;
use super::{print, report, say};

const EXAMPLES: &str = "Examples:
  percussion run free-top
  percussion run kepler --until 100 --every 10 --out runs/long-kepler
  percussion run my-scene.toml --scheme variational --set run.step=1e-4
  percussion run my-scene.toml --resume
  percussion run falling-cube/tilted --scheme exact,decomposition
  percussion run metronome metronome/decomposition metronome/potential
  percussion run my-throw.toml --controls runs/my-throw --out runs/my-throw-replay

The folder (runs/NAME unless --out says otherwise) gets summary.json, trajectory.npz, events.jsonl,
scene.toml, checkpoint and report.html. The guide's page on `run` describes them. Several scenes or
schemes run one after the other, each in a folder of its own below runs/ or --out, and
comparison.html lays them over each other.

Exit code: 0 finished; 1 a step could not be made (summary.json says why, the last good state is
the checkpoint); 2 misuse; 130 interrupted by Ctrl-C (--resume goes on).";

/// Exit code of what Ctrl-C ends, by the shells' custom: 128 and the signal's number.
pub const INTERRUPTED: u8 = 130;
/// Where runs go when nobody says.
pub const RUNS: &str = "runs";

/// Simulates a scene
///
/// Writes a run folder with figures, trajectory and a page. An old run in the folder is replaced; a folder that
/// holds anything else is left alone.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,

    /// More scenes, run with the same options and compared
    #[arg(value_name = "SCENE")]
    more: Vec<String>,

    /// Run folder; runs/NAME when absent. Of several runs, the folder of their folders
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Go on with the run in the folder, from its checkpoint, to the same bits
    #[arg(long)]
    resume: bool,

    /// Simulate under the efforts that `plan` left in this folder, a step for each interval, and compare with the plan.
    /// The scheme is `exact` for a plan with contacts and `variational` otherwise, unless --scheme says another
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "until"])]
    controls: Option<PathBuf>,

    /// Threads to use; all cores when absent. The result does not depend on it
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// Runs the scenes.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    super::threads(arguments.jobs)?;
    let jobs = arguments.jobs_in_order()?;
    let stop = listen()?;
    let (several, mut done, mut failed) = (jobs.len() > 1, Vec::new(), false);
    for (scene, path) in jobs {
        match one(scene, &path, arguments, &stop)? {
            Status::Finished => {}
            Status::Failed => failed = true,
            Status::Interrupted => return Ok(ExitCode::from(INTERRUPTED)),
        }
        done.push(path);
    }
    if several {
        let page = arguments.out.as_deref().unwrap_or(Path::new(RUNS)).join(report::COMPARISON);
        report::write(&page, &mut report::recordings(&done)?)?;
        print(&format!("comparison   {}\n", page.display()))?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Arguments {
    /// Every scene with every scheme, and its folder. All are read before the first is run.
    fn jobs_in_order(&self) -> Result<Vec<(Scene, PathBuf)>> {
        let schemes: Vec<Option<&str>> = match &self.asked.scheme {
            None => vec![None],
            Some(list) => list.split(',').map(|name| Some(name.trim())).collect(),
        };
        let scenes = || std::iter::once(&self.asked.scene).chain(&self.more);
        let several = scenes().count() * schemes.len() > 1;
        let mut jobs: Vec<(Scene, PathBuf)> = Vec::new();
        for name in scenes() {
            for scheme in &schemes {
                let mut scene = self.asked.read(name, *scheme)?;
                if let (Some(_), None) = (&self.controls, scheme) {
                    let settings = scene.plan.as_ref().ok_or(RunError::NoPlan)?;
                    scene = self.asked.read(name, Some(default_scheme(&settings.plan)))?;
                }
                if let (Some(scheme), true) = (scheme, schemes.len() > 1) {
                    scene.name = format!("{}-{scheme}", scene.name);
                }
                let own = |folder: &Path| folder.join(&scene.name);
                let path = match &self.out {
                    Some(folder) if several => own(folder),
                    Some(folder) => folder.clone(),
                    None => own(Path::new(RUNS)),
                };
                if jobs.iter().any(|(_, other)| *other == path) {
                    bail!("two of the scenes would run into {}; rename one of them", path.display());
                }
                jobs.push((scene, path));
            }
        }
        Ok(jobs)
    }
}

/// Runs one scene.
fn one(scene: Scene, path: &Path, arguments: &Arguments, stop: &AtomicBool) -> Result<Status> {
    for warning in &scene.warnings {
        say(&format!("warning: {warning}"));
    }
    let known = scene.warnings.len();
    let mut meter = Meter::new();
    let mut watch = |progress: &Progress| {
        meter.show(progress);
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let outcome = match &arguments.controls {
        Some(from) => {
            let settings = scene.plan.as_ref().ok_or(RunError::NoPlan)?;
            let planned = PlannedTrajectory::read(from, &settings.plan)?;
            run::run_with_controls(scene, path, planned, &mut watch)
        }
        None => run::run(scene, path, arguments.resume, &mut watch),
    };
    meter.clear();
    let summary = outcome?;
    let place = path.join(folder::REPORT);
    report::write(&place, &mut report::recordings(&[path.to_owned()])?)?;
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
    Ok(summary.status)
}

/// A flag that Ctrl-C raises. Whoever presses it twice does not want to wait.
pub fn listen() -> Result<Arc<AtomicBool>> {
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
    let replay = summary.replay.as_ref().map_or_else(String::new, |replay| {
        let (position, rotation) = (replay.agreement_position, replay.agreement_rotation);
        let joints: String = replay.joints.iter().map(joint).collect();
        format!("{joints}replay       {position:.2e} m and {rotation:.2e} rad from the plan at its nodes\n")
    });
    let rate = rounded(*steps as f64 / wall_time_s.max(f64::MIN_POSITIVE));
    format!(
        "{scene}: {how} at t = {t_end:.6} s, {steps} steps in {wall_time_s:.3} s ({rate} steps/s)\n\
         energy       {:.2e} greatest error, relative\n\
         momentum     {:.2e} N s linear, {:.2e} N m s angular, that no cause explains\n\
         constraints  {:.2e} greatest violation\n\
         {contact}{replay}report       {}\n",
        energy.max_relative_error,
        linear_momentum.max_error,
        angular_momentum.max_error,
        summary.constraint_max,
        report.display()
    )
}

/// A joint that a planned contact made, in a line.
fn joint(made: &JointFigures) -> String {
    let JointFigures { name, joint, bodies: [one, other], .. } = made;
    let until = made.left.map_or_else(|| "the end".to_owned(), |left| format!("{left:.6} s"));
    let blow = made.impulse.iter().map(|i| i * i).sum::<f64>().sqrt();
    let cone = match made.cone {
        None => String::new(),
        Some(cone) if cone.blow.max(cone.force.unwrap_or(0.0)) <= 0.0 => ", within its cone".to_owned(),
        Some(cone) => {
            let force = cone.force.unwrap_or(0.0).max(0.0);
            format!(", out of its cone by up to {:.1e} N s and {force:.1e} N", cone.blow.max(0.0))
        }
    };
    format!(
        "joint        {name}: `{one}` on `{other}`, {joint}, from {:.6} s to {until}, made by {blow:.3e} N s{cone}\n",
        made.made
    )
}
