//! `percussion sweep`: runs a study and writes its charts, report page and table.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use percussion::gallery::{self, SCENES};
use percussion::report::study as shown;
use percussion::scene::run::{Progress, Status, folder as run_folder};
use percussion::scene::study::{
    CurveResult, Options, PointOutcome, PointStatus, Study, StudyError, StudyProgress, StudyRecord, folder,
    sweep,
};
use percussion::scene::{SceneError, nearest};

use super::interrupt::{INTERRUPTED, Interruption};
use super::progress::ProgressMeter;
use super::run::RUNS;
use super::{SceneComplaints, print, print_status, report, scene};

/// What a study leaves that is interrupted within a step.
const LEFT: &str = "finished points are in study.json, and the study can be resumed (--resume)";

const EXAMPLES: &str = "Examples:
  percussion sweep order-of-schemes
  percussion sweep my-study.toml --jobs 4 --out runs/my-study
  percussion sweep my-study.toml --set run.until=0.5 --keep
  percussion sweep my-study.toml --resume

A study file names a scene, the axes of a parameter grid and the figures to plot:
  scene = \"gyroscope\"
  x = \"h\"
  [axes.h]
  path = \"run.step\"
  values = [4e-3, 2e-3, 1e-3]
  [axes.scheme]
  path = \"run.scheme\"
  values = [\"variational\", \"newmark-explicit\"]
  [figures.energy]
  value = \"energy.max_relative_error\"
  fit = { at_least = 1.9 }
The guide's page on studies describes the format. The folder (runs/NAME, or --out) contains
study.json, study.csv, a chart NAME.svg of each figure, and report.html.

Exit code: 0 finished, and all slopes are within their bounds; 1 a run failed or a slope is out of
its bounds (listed in study.json and in the last lines); 2 misuse; 130 interrupted by Ctrl-C
(continue with --resume).";

/// Runs a study: one scene over a grid of parameters, with charts and convergence rates
///
/// Each point of the grid is a run. A run that fails is reported; the others continue.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub struct Arguments {
    /// A study file, a folder with a study.toml, or a name from the gallery
    study: String,

    /// Folder of the study [default: runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Number of runs at a time [default: number of cores]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Override a value of the scene at all points, such as run.until=0.5; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,

    /// Keep the run folders of all points, below DIR/runs
    #[arg(long)]
    keep: bool,

    /// Resume the study in the folder; points that are finished and unchanged are not run again
    #[arg(long)]
    resume: bool,
}

/// Runs the study.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (mut study, home) = arguments.load()?;
    study.set.extend(scene::overrides(&arguments.set)?);
    let is_unknown = |name: &&String| scene::named(name, &home, &[]).is_none();
    if let Some(unknown) = study.scenes().iter().find(is_unknown) {
        let text = scene::unknown_scene(unknown);
        let (message, remedy) = text.split_once("; ").unwrap_or((&text, ""));
        return fail(SceneError { complaints: vec![study.place.complaint(message, remedy)] });
    }
    let jobs = arguments.jobs.map(usize::from);
    super::set_threads(jobs)?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let options = Options { jobs: jobs.unwrap_or(cores), keep: arguments.keep, resume: arguments.resume };
    let out = arguments.out.clone().unwrap_or_else(|| Path::new(RUNS).join(&study.name));
    let interruption = Interruption::on_signal(LEFT)?;
    let monitor = StudyMonitor { meter: Mutex::new(ProgressMeter::new()), interruption: &interruption };
    let source = |name: &str, overrides: &[(String, String)]| match scene::named(name, &home, overrides) {
        Some(read) => read,
        // It was found above.
        None => {
            let complaint = study.place.complaint("the scene has disappeared", "restore it");
            Err(SceneError { complaints: vec![complaint] })
        }
    };
    let outcome = sweep(&study, &source, &out, options, &|progress| monitor.update(progress));
    // All threads have stopped.
    interruption.accept();
    monitor.meter.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let record = match outcome {
        Ok(record) => record,
        Err(StudyError::Refused(error)) => return fail(error),
        Err(error) => return Err(error.into()),
    };
    write_results(&record, &out)?;
    print(&closing_lines(&record, &out))?;
    let unmet = record.unmet_expectations();
    for run in record.incomplete() {
        print_status(&format!("error: {}: {}", run.label, run.text()));
    }
    for expectation in &unmet {
        print_status(&format!("error: {expectation}"));
    }
    Ok(match record.status {
        Status::Interrupted => ExitCode::from(INTERRUPTED),
        _ if unmet.is_empty() && record.incomplete().next().is_none() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn fail(error: SceneError) -> Result<ExitCode> {
    bail!(SceneComplaints(error.to_string()))
}

impl Arguments {
    /// Reads the study; its scene is searched in the folder that is returned with it.
    fn load(&self) -> Result<(Study, PathBuf)> {
        let path = Path::new(&self.study);
        let inside = path.join("study.toml");
        let file = if inside.is_file() { &inside } else { path };
        let read = if file.is_file() {
            Study::load(file)
        } else if let Some(read) = gallery::study(&self.study) {
            read
        } else {
            bail!("{}", unknown_study(&self.study));
        };
        match read {
            Ok(study) => Ok((study, file.parent().unwrap_or(Path::new("")).to_owned())),
            Err(error) => bail!(SceneComplaints(error.to_string())),
        }
    }
}

/// The error for an unknown study.
fn unknown_study(name: &str) -> String {
    if let Some(scene) = gallery::scene(name) {
        return format!("`{name}` is not a study; try: percussion {} {name}", scene.kind);
    }
    let names = SCENES.iter().filter(|scene| scene.kind == "sweep").map(|scene| scene.name);
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`percussion gallery` lists the studies of the gallery with the kind sweep".to_owned(),
    };
    format!("there is no file and no gallery study `{name}`; {hint}")
}

/// Shows the progress of a study.
struct StudyMonitor<'a> {
    meter: Mutex<ProgressMeter>,
    interruption: &'a Interruption,
}

impl StudyMonitor<'_> {
    fn update(&self, progress: StudyProgress<'_>) -> ControlFlow<()> {
        // Before the lock is taken: other threads do not wait for a page.
        let page = match progress {
            StudyProgress::Ended { folder: Some(folder), .. } => write_run_page(folder),
            _ => Ok(()),
        };
        let mut meter = self.meter.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            StudyProgress::Warning { point, warning } => {
                meter.print_line(&format!("warning: {point}: {warning}"))
            }
            StudyProgress::Step { steps, total, from, done, points } => {
                meter.update_study(&Progress { steps, total, from, time: 0.0 }, done, points);
            }
            StudyProgress::Ended { outcome, done, points, .. } => {
                let width = points.to_string().len();
                let PointOutcome { label, wall_time_s, .. } = outcome;
                meter.print_line(&format!(
                    "{done:width$}/{points}  {label}: {} ({wall_time_s:.2} s)",
                    outcome.text()
                ));
                if let Err(error) = page {
                    meter.print_line(&format!(
                        "warning: {label}: the report page of the run was not written: {error:#}"
                    ));
                }
            }
        }
        match self.interruption.is_requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Writes the report page of a run that is kept.
fn write_run_page(run: &Path) -> Result<()> {
    report::write_page(&run.join(run_folder::REPORT), &mut report::recordings(&[run.to_owned()])?)
}

/// Writes charts, table and report page.
fn write_results(record: &StudyRecord, out: &Path) -> Result<()> {
    let put = |name: &str, text: &[u8]| {
        let path = out.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for drawn in &record.figures {
        put(&format!("{}.svg", drawn.figure.name), shown::chart(record, drawn).svg().as_bytes())?;
    }
    let mut table = Vec::new();
    shown::table(record, &mut table).context("cannot make the table")?;
    put(folder::TABLE, &table)?;
    put(folder::REPORT, shown::page(record).as_bytes())
}

/// Numbers of runs, slopes, and the path of the report page.
fn closing_lines(record: &StudyRecord, out: &Path) -> String {
    let count = |status: PointStatus| record.runs.iter().filter(|run| run.status == status).count();
    let (finished, failed) = (count(PointStatus::Finished), count(PointStatus::Failed));
    let spent: f64 = record.runs.iter().map(|run| run.wall_time_s).sum();
    let mut text = format!("{}: {finished} of {} runs finished", record.study, record.runs.len());
    if failed > 0 {
        text += &format!(", {failed} failed");
    }
    if record.status == Status::Interrupted {
        text += ", interrupted (continue with --resume)";
    }
    text += &format!(", {spent:.1} s of computing time\n");
    for drawn in record.figures.iter().filter(|drawn| drawn.figure.fit.is_some()) {
        let width = drawn.curves.iter().map(|curve| curve.label.chars().count()).max().unwrap_or(0);
        for CurveResult { label, rate, .. } in &drawn.curves {
            let found = match rate {
                None => "no slope".to_owned(),
                Some(rate) => match rate.standard_error {
                    Some(error) => format!("slope {:.3} ± {error:.3}", rate.slope),
                    None => format!("slope {:.3}", rate.slope),
                },
            };
            text += &format!("{:12} {label:width$}  {found}\n", drawn.figure.name);
        }
    }
    text + &format!("report       {}\n", out.join(folder::REPORT).display())
}
