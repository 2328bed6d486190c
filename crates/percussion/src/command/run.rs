//! `percussion run`: simulates a scene into a run folder.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use percussion::control::replay::default_scheme;
use percussion::scene::Scene;
use percussion::scene::run::{
    self, JointFigures, PlannedTrajectory, Progress, RunError, Status, Summary, folder,
};

use super::interrupt::{INTERRUPTED, Interruption};
use super::progress::{ProgressMeter, with_prefix};
use super::scene::SceneArguments;
use super::{print, print_status, report};

const EXAMPLES: &str = "Examples:
  percussion run free-top
  percussion run kepler --until 100 --every 10 --out runs/long-kepler
  percussion run my-scene.toml --scheme variational --set run.step=1e-4
  percussion run my-scene.toml --resume
  percussion run falling-cube/tilted --scheme exact,decomposition
  percussion run metronome metronome/decomposition metronome/potential
  percussion run my-throw.toml --controls runs/my-throw --out runs/my-throw-replay

The run folder (runs/NAME, or --out) contains summary.json, trajectory.npz, events.jsonl, scene.toml,
checkpoint and report.html; the guide's page on `run` describes them. Several scenes or schemes run
one after the other, each into its own folder below runs/ or --out, and comparison.html compares
them.

Exit code: 0 finished; 1 a step failed (the reason is in summary.json, the last valid state in the
checkpoint); 2 misuse; 130 interrupted by Ctrl-C (continue with --resume).";

/// What a run leaves that is interrupted within a step.
const LEFT: &str = "the run folder can be resumed from its last checkpoint (--resume)";
/// Folder of run folders without --out.
pub const RUNS: &str = "runs";

/// Simulates a scene into a run folder
///
/// The run folder holds a summary, the trajectory, contact events and a report page. An old run in the folder is replaced; a
/// folder with other contents is refused.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,

    /// Further scenes, run with the same options and compared
    #[arg(value_name = "SCENE")]
    more: Vec<String>,

    /// Run folder [default: runs/NAME]; with several runs, the parent of their folders
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Resume the run in the folder from its checkpoint; the result is bitwise identical to an uninterrupted run
    #[arg(long)]
    resume: bool,

    /// Replay a plan: simulate under the control inputs in this run folder of `plan`, one step per interval, and
    /// compare with the planned trajectory. Default scheme: `exact` for a plan with contacts, otherwise `variational`
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "until"])]
    controls: Option<PathBuf>,

    /// Number of threads [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// Runs the scenes.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    super::set_threads(arguments.jobs)?;
    let jobs = arguments.scenes_and_folders()?;
    let interruption = Interruption::on_signal(LEFT)?;
    let (several, mut done, mut failed) = (jobs.len() > 1, Vec::new(), false);
    for (scene, path) in jobs {
        match run_one(scene, &path, arguments, &interruption)? {
            Status::Finished => {}
            Status::Failed => failed = true,
            Status::Interrupted => return Ok(ExitCode::from(INTERRUPTED)),
        }
        done.push(path);
    }
    if several {
        let page = arguments.out.as_deref().unwrap_or(Path::new(RUNS)).join(report::COMPARISON);
        report::write_page(&page, &mut report::recordings(&done)?)?;
        print(&format!("comparison   {}\n", page.display()))?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Arguments {
    /// Every scene with every scheme, and its run folder. All scenes are read before the first is run.
    fn scenes_and_folders(&self) -> Result<Vec<(Scene, PathBuf)>> {
        let schemes: Vec<Option<&str>> = match &self.scene.scheme {
            None => vec![None],
            Some(list) => list.split(',').map(|name| Some(name.trim())).collect(),
        };
        let scenes = || std::iter::once(&self.scene.scene).chain(&self.more);
        let several = scenes().count() * schemes.len() > 1;
        let mut jobs: Vec<(Scene, PathBuf)> = Vec::new();
        for name in scenes() {
            for scheme in &schemes {
                let mut scene = self.scene.read(name, *scheme)?;
                if let (Some(_), None) = (&self.controls, scheme) {
                    let settings = scene.plan.as_ref().ok_or(RunError::NoPlan)?;
                    scene = self.scene.read(name, Some(default_scheme(&settings.plan)))?;
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
                    bail!("two of the scenes have the run folder {}; rename one of them", path.display());
                }
                jobs.push((scene, path));
            }
        }
        Ok(jobs)
    }
}

/// Runs one scene.
fn run_one(scene: Scene, path: &Path, arguments: &Arguments, interruption: &Interruption) -> Result<Status> {
    for warning in &scene.warnings {
        print_status(&format!("warning: {warning}"));
    }
    let printed = scene.warnings.len();
    let mut meter = ProgressMeter::new();
    let mut observe = |progress: &Progress| {
        meter.update(progress);
        match interruption.accept() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let outcome = match &arguments.controls {
        Some(from) => {
            let settings = scene.plan.as_ref().ok_or(RunError::NoPlan)?;
            let planned = PlannedTrajectory::read(from, &settings.plan)?;
            run::run_with_controls(scene, path, planned, &mut observe)
        }
        None => run::run(scene, path, arguments.resume, &mut observe),
    };
    meter.clear();
    let summary = outcome?;
    let place = path.join(folder::REPORT);
    report::write_page(&place, &mut report::recordings(&[path.to_owned()])?)?;
    print(&closing_lines(&summary, &place))?;
    for warning in summary.warnings.iter().skip(printed) {
        print_status(&format!("warning: {warning}"));
    }
    if let Some(failure) = &summary.failure {
        print_status(&format!(
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

/// The main figures of the summary, in a few lines.
fn closing_lines(summary: &Summary, report: &Path) -> String {
    let Summary { scene, steps, t_end, wall_time_s, energy, linear_momentum, angular_momentum, .. } = summary;
    let how = match summary.status {
        Status::Finished => "finished",
        Status::Interrupted => "interrupted (continue with --resume)",
        Status::Failed => "failed",
    };
    let contact = match (summary.collisions, summary.overlap_max) {
        (_, None) => String::new(),
        (n, Some(depth)) => format!("contact      {n} collisions, {depth:.2e} m max penetration\n"),
    };
    let replay = summary.replay.as_ref().map_or_else(String::new, |replay| {
        let (position, rotation) = (replay.agreement_position, replay.agreement_rotation);
        let joints: String = replay.joints.iter().map(joint_line).collect();
        format!("{joints}replay       max deviation from the plan at its nodes {position:.2e} m, {rotation:.2e} rad\n")
    });
    let rate = with_prefix(*steps as f64 / wall_time_s.max(f64::MIN_POSITIVE));
    format!(
        "{scene}: {how} at t = {t_end:.6} s, {steps} steps in {wall_time_s:.3} s ({rate} steps/s)\n\
         energy       {:.2e} max relative error\n\
         momentum     {:.2e} N s linear, {:.2e} N m s angular, unaccounted\n\
         constraints  {:.2e} max violation\n\
         {contact}{replay}report       {}\n",
        energy.max_relative_error,
        linear_momentum.max_error,
        angular_momentum.max_error,
        summary.constraint_max,
        report.display()
    )
}

/// A line about a joint that a planned contact made.
fn joint_line(made: &JointFigures) -> String {
    let JointFigures { name, joint, bodies: [one, other], .. } = made;
    let until = made.left.map_or_else(|| "the end".to_owned(), |left| format!("{left:.6} s"));
    let impulse = made.impulse.iter().map(|i| i * i).sum::<f64>().sqrt();
    let cone = match made.cone {
        None => String::new(),
        Some(cone) if cone.blow.max(cone.force.unwrap_or(0.0)) <= 0.0 => {
            ", within the friction cone".to_owned()
        }
        Some(cone) => {
            let force = cone.force.unwrap_or(0.0).max(0.0);
            format!(
                ", outside of the friction cone by up to {:.1e} N s and {force:.1e} N",
                cone.blow.max(0.0)
            )
        }
    };
    format!(
        "joint        {name}: `{one}` on `{other}`, {joint}, from {:.6} s to {until}, impulse {impulse:.3e} N s{cone}\n",
        made.made
    )
}
