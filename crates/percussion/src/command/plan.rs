//! `percussion plan`: looks for the manoeuvre that a scene asks for, into a run folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::Result;
use percussion::control::Progress;
use percussion::control::shooting::Iteration;
use percussion::scene::run::{self, PlanFigures, ShootFigures, StartFigure, Status, Summary, folder};
use percussion::solve::nlp::{Record, Watch};

use super::run::{INTERRUPTED, RUNS, listen};
use super::scene::Asked;
use super::{print, report, say};

const EXAMPLES: &str = "Examples:
  percussion plan my-throw.toml
  percussion plan my-throw.toml --set plan.intervals=60 --out runs/finer
  percussion plan my-throw.toml --set 'plan.guess={ run = \"runs/my-throw\" }'
  percussion run my-throw.toml --controls runs/my-throw --out runs/my-throw-replay

The scene says in [plan] what is wanted, or in [shoot] which initial conditions. The folder (runs/NAME unless --out says otherwise) is that of a
run: summary.json with the figures of the search under `plan`, trajectory.npz with the nodes and
the controls, events.jsonl with the planned contacts, scene.toml, checkpoint and report.html. The guide's page
on `plan` describes them. `run --controls` simulates the scene under the planned efforts and says
how near it comes to the plan.

Exit code: 0 an optimal manoeuvre was found; 1 none was (summary.json and the last lines say why, and
the folder holds the best one so far); 2 misuse; 130 interrupted by Ctrl-C (the folder holds
the best one so far).";

/// Plans a manoeuvre
///
/// Looks for the motion that the table [plan] of a scene asks for, and writes a run folder with it. An old run in the
/// folder is replaced; a folder that holds anything else is left alone.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,

    /// Run folder; runs/NAME when absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// No line per iteration
    #[arg(long)]
    quiet: bool,
}

/// Looks for the manoeuvre.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let scene = arguments.asked.load()?;
    for warning in &scene.warnings {
        say(&format!("warning: {warning}"));
    }
    let known = scene.warnings.len();
    let path = arguments.out.clone().unwrap_or_else(|| Path::new(RUNS).join(&scene.name));
    let stop = listen()?;
    let mut log = Log { quiet: arguments.quiet, begun: 0 };
    let go_on = || if stop.load(Ordering::Relaxed) { Watch::Stop } else { Watch::Continue };
    let summary = match scene.shoot {
        Some(_) => run::shoot(scene, &path, &mut |round| {
            log.tell_shot(round);
            go_on()
        }),
        None => run::plan(scene, &path, &mut |progress| {
            log.tell(progress);
            go_on()
        }),
    }?;
    let page = path.join(folder::REPORT);
    report::write(&page, &mut report::recordings(&[path])?)?;
    for warning in summary.warnings.iter().skip(known) {
        say(&format!("warning: {warning}"));
    }
    if let Some(figures) = &summary.plan {
        print(&closing(&summary, figures, &page))?;
        complain(figures);
    }
    if let Some(figures) = &summary.shoot {
        print(&landing(&summary, figures, &page))?;
        complain_of_shot(figures);
    }
    Ok(match summary.status {
        Status::Finished => ExitCode::SUCCESS,
        Status::Failed => ExitCode::FAILURE,
        Status::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// The iterations, a line each.
struct Log {
    quiet: bool,
    /// Searches so far: each begins with its iteration zero.
    begun: usize,
}

impl Log {
    fn tell(&mut self, progress: &Progress) {
        if self.quiet {
            return;
        }
        let record = progress.record;
        if record.iteration == 0 {
            self.begun += 1;
            match (progress.start, progress.round) {
                (1, 1) => {}
                (start, 1) => say(&format!("round {}, start {start}", self.begun)),
                _ => say(&format!("round {}", self.begun)),
            }
            say(&Record::heading());
        }
        say(&record.line());
    }
}

impl Log {
    fn tell_shot(&mut self, round: &Iteration) {
        if self.quiet {
            return;
        }
        if round.iteration == 0 {
            say(&Iteration::heading());
        }
        say(&round.line());
    }
}

/// What is wrong with a shot that does not hit.
fn complain_of_shot(figures: &ShootFigures) {
    let what = match figures.ending.as_str() {
        "stuck" => {
            "no step brings the shot nearer; begin with a first shot that comes nearer, or ask for `impacts`"
        }
        "iteration-limit" => {
            "too many iterations; raise `shoot.iterations`, or begin with a shot that comes nearer"
        }
        _ => return,
    };
    say(&format!("error: {what}"));
    for left in &figures.left {
        say(&format!("  {} is missed by {:.3e}", left.name, left.residual));
    }
}

/// The key figures of a shot.
fn landing(summary: &Summary, figures: &ShootFigures, page: &Path) -> String {
    let last = figures.residuals.last().copied().unwrap_or(f64::NAN);
    let mut text = format!(
        "{}: {}, {} iterations in {:.3} s\n\
         residual     {last:.2e}\n\
         time         {:.9} s, {} impacts\n",
        summary.scene,
        figures.ending,
        figures.iterations,
        figures.solve_time_s,
        figures.time,
        figures.impacts
    );
    for one in &figures.chosen {
        text += &format!("chosen       {} {:.9} (guess {})\n", one.name, one.value, one.guess);
    }
    text + &format!("report       {}\n", page.display())
}

/// What is wrong with a manoeuvre that is not optimal, with what is known about it.
fn complain(figures: &PlanFigures) {
    let what = match figures.ending.as_str() {
        "infeasible" => "no manoeuvre satisfies all of these together; loosen one of them",
        "stalled" => "the search stopped; try another guess or `plan.search.starts`",
        "iteration-limit" => {
            "too many iterations; raise `plan.search.iterations` or begin with a better guess"
        }
        "misses" => {
            "planned contacts miss the face or the edge that is to meet; begin with a guess that touches it, or ask for another end"
        }
        "overlaps" => "bodies overlap between nodes; take more intervals or a margin",
        "saddle" => "the manoeuvre found is not a least one; begin with another guess",
        _ => return,
    };
    say(&format!("error: {what}"));
    for line in &figures.evidence {
        say(&format!("  {line}"));
    }
}

/// The key figures in a few lines.
fn closing(summary: &Summary, figures: &PlanFigures, page: &Path) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |v| format!("{v:.6e}"));
    let small = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |v| format!("{v:.2e}"));
    let ending = match figures.ending.as_str() {
        "stopped" => "stopped; this is the best manoeuvre so far",
        other => other,
    };
    let mut text = format!(
        "{}: {ending}, {} iterations in {} {} and {:.3} s\n\
         objective    {} (guess {})\n\
         violation    {} of constraints, {} of stationarity, {} N s or N m s of momentum\n",
        summary.scene,
        figures.iterations,
        figures.rounds,
        if figures.rounds == 1 { "round" } else { "rounds" },
        figures.solve_time_s,
        number(figures.objective),
        number(figures.objective_guess),
        small(figures.violation_max),
        small(figures.stationarity_max),
        small(figures.momentum_consistency_max),
    );
    if figures.starts.len() > 1 {
        let one = |start: &StartFigure| match start.objective {
            Some(price) => format!("{} {price:.6e}", start.ending),
            None => start.ending.clone(),
        };
        let list: Vec<String> = figures.starts.iter().map(one).collect();
        text += &format!("starts       the best is number {} of {}\n", figures.start, list.join(", "));
    }
    text += &format!("time         {:.6} s", summary.t_end);
    if figures.sigma.len() > 1 {
        let scales: Vec<String> = figures.sigma.iter().map(|s| format!("{s:.4}")).collect();
        text += &format!(", scales {}", scales.join(", "));
    }
    text += "\n";
    for contact in &figures.contacts {
        let size = contact.impulse.iter().map(|v| v * v).sum::<f64>().sqrt();
        text += &format!("contact      {} at {:.6} s, {size:.4e} N s\n", contact.name, contact.time);
    }
    if let (Some(at), Some(between)) = (figures.clearance, figures.clearance_between) {
        text += &format!("clearance    {at:.2e} m at nodes, {between:.2e} m between them\n");
    }
    text + &format!("report       {}\n", page.display())
}
