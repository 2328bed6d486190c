//! `percussion sweep`: runs a study and writes its charts, page and table.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
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

use super::progress::Meter;
use super::run::{INTERRUPTED, RUNS, listen};
use super::{Told, print, report, say, scene};

const EXAMPLES: &str = "Examples:
  percussion sweep order-of-schemes
  percussion sweep my-study.toml --jobs 4 --out runs/my-study
  percussion sweep my-study.toml --set run.until=0.5 --keep
  percussion sweep my-study.toml --resume

A study file names a scene, the axes of a grid and the figures to be drawn:
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
The guide's page on studies describes all of it. The folder (runs/NAME unless --out says otherwise)
gets study.json, study.csv, a drawing NAME.svg of each figure, and report.html.

Exit code: 0 finished, and slopes are as expected; 1 the run of a point failed or a slope is not as
expected (study.json and the last lines say which); 2 misuse; 130 interrupted by Ctrl-C (--resume
goes on).";

/// Runs a study: a scene over a grid of changes, with charts and rates
///
/// Every point of the grid is a run of its own. One that fails is reported, and the others go on.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub struct Arguments {
    /// A study file, a folder with a study.toml, or a name from the gallery
    study: String,

    /// Folder of the study; runs/NAME when absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Points at a time; as many as there are cores when absent. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Changes a value of the scene at all points, such as run.until=0.5; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,

    /// Keep the run folder of every point, below DIR/runs
    #[arg(long)]
    keep: bool,

    /// Go on with the study in the folder: points that are there and have not changed are not run again
    #[arg(long)]
    resume: bool,
}

/// Runs the study.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (mut study, home) = arguments.load()?;
    study.set.extend(scene::changes(&arguments.set)?);
    if scene::named(&study.scene, &home, &[]).is_none() {
        let text = scene::unknown(&study.scene);
        let (message, remedy) = text.split_once("; ").unwrap_or((&text, ""));
        return refuse(SceneError { complaints: vec![study.place.complaint(message, remedy)] });
    }
    let jobs = arguments.jobs.map(usize::from);
    super::threads(jobs)?;
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let options = Options { jobs: jobs.unwrap_or(cores), keep: arguments.keep, resume: arguments.resume };
    let out = arguments.out.clone().unwrap_or_else(|| Path::new(RUNS).join(&study.name));
    let stop = listen()?;
    let watcher = Watcher { meter: Mutex::new(Meter::new()), stop: &stop };
    let source = |overrides: &[(String, String)]| match scene::named(&study.scene, &home, overrides) {
        Some(read) => read,
        // It was there a moment ago.
        None => {
            let complaint = study.place.complaint("the scene has gone", "put it back");
            Err(SceneError { complaints: vec![complaint] })
        }
    };
    let outcome = sweep(&study, &source, &out, options, &|news| watcher.hear(news));
    watcher.meter.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let record = match outcome {
        Ok(record) => record,
        Err(StudyError::Refused(error)) => return refuse(error),
        Err(error) => return Err(error.into()),
    };
    write(&record, &out)?;
    print(&closing(&record, &out))?;
    let broken = record.broken();
    for run in record.incomplete() {
        say(&format!("error: {}: {}", run.label, run.says()));
    }
    for broken in &broken {
        say(&format!("error: {broken}"));
    }
    Ok(match record.status {
        Status::Interrupted => ExitCode::from(INTERRUPTED),
        _ if broken.is_empty() && record.incomplete().next().is_none() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn refuse(error: SceneError) -> Result<ExitCode> {
    bail!(Told(error.to_string()))
}

impl Arguments {
    /// Reads the study; the scene is looked for in the folder that comes with it.
    fn load(&self) -> Result<(Study, PathBuf)> {
        let path = Path::new(&self.study);
        let inside = path.join("study.toml");
        let file = if inside.is_file() { &inside } else { path };
        let read = if file.is_file() {
            Study::load(file)
        } else if let Some(read) = gallery::study(&self.study) {
            read
        } else {
            bail!("{}", unknown(&self.study));
        };
        match read {
            Ok(study) => Ok((study, file.parent().unwrap_or(Path::new("")).to_owned())),
            Err(error) => bail!(Told(error.to_string())),
        }
    }
}

/// What to say when there is no such study.
fn unknown(name: &str) -> String {
    if let Some(scene) = gallery::scene(name) {
        return format!("`{name}` is not a study; try: percussion {} {name}", scene.kind);
    }
    let names = SCENES.iter().filter(|scene| scene.kind == "sweep").map(|scene| scene.name);
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`percussion gallery` lists the studies that come with the program, as sweep".to_owned(),
    };
    format!("there is no file and no gallery study `{name}`; {hint}")
}

/// Tells the person at the terminal what happens.
struct Watcher<'a> {
    meter: Mutex<Meter>,
    stop: &'a AtomicBool,
}

impl Watcher<'_> {
    fn hear(&self, news: StudyProgress<'_>) -> ControlFlow<()> {
        // Nobody waits for a page.
        let page = match news {
            StudyProgress::Ended { folder: Some(folder), .. } => with_page(folder),
            _ => Ok(()),
        };
        let mut meter = self.meter.lock().unwrap_or_else(PoisonError::into_inner);
        match news {
            StudyProgress::Warning { point, warning } => meter.say(&format!("warning: {point}: {warning}")),
            StudyProgress::Step { steps, total, from, done, points } => {
                meter.show_several(&Progress { steps, total, from, time: 0.0 }, done, points);
            }
            StudyProgress::Ended { outcome, done, points, .. } => {
                let width = points.to_string().len();
                let PointOutcome { label, wall_time_s, .. } = outcome;
                meter.say(&format!(
                    "{done:width$}/{points}  {label}: {} ({wall_time_s:.2} s)",
                    outcome.says()
                ));
                if let Err(error) = page {
                    meter.say(&format!("warning: {label}: no page of the run: {error:#}"));
                }
            }
        }
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Writes the page of a run that is kept.
fn with_page(run: &Path) -> Result<()> {
    report::write(&run.join(run_folder::REPORT), &mut report::recordings(&[run.to_owned()])?)
}

/// Writes everything that is made from the record.
fn write(record: &StudyRecord, out: &Path) -> Result<()> {
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

/// How far it came, the slopes, and where the page is.
fn closing(record: &StudyRecord, out: &Path) -> String {
    let count = |standing: PointStatus| record.runs.iter().filter(|run| run.status == standing).count();
    let (finished, failed) = (count(PointStatus::Finished), count(PointStatus::Failed));
    let spent: f64 = record.runs.iter().map(|run| run.wall_time_s).sum();
    let mut text = format!("{}: {finished} of {} runs finished", record.study, record.runs.len());
    if failed > 0 {
        text += &format!(", {failed} failed");
    }
    if record.status == Status::Interrupted {
        text += ", interrupted (--resume goes on)";
    }
    text += &format!(", {spent:.1} s of computing\n");
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
