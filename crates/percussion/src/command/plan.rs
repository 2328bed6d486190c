//! `percussion plan`: solves the optimal control problem or the shooting problem of a scene into a run folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use percussion::control::Progress;
use percussion::control::shooting::Iteration;
use percussion::scene::run::{self, PlanFigures, ShootFigures, StartFigure, Status, Summary, folder};
use percussion::solve::nlp::{CallbackAction, IterationRecord};

use super::interrupt::{INTERRUPTED, Interruption};
use super::run::RUNS;
use super::scene::SceneArguments;
use super::{print, print_status, report};

/// What a plan leaves that is interrupted within an iteration.
const LEFT: &str = "nothing was written";

const EXAMPLES: &str = "Examples:
  percussion plan my-throw.toml
  percussion plan my-throw.toml --set plan.intervals=60 --out runs/finer
  percussion plan my-throw.toml --set 'plan.guess={ run = \"runs/my-throw\" }'
  percussion run my-throw.toml --controls runs/my-throw --out runs/my-throw-replay

The table [plan] of the scene states an optimal control problem (direct transcription), the table
[shoot] a shooting problem for initial conditions. The folder (runs/NAME, or --out) is a run folder:
summary.json has the figures of the solution under `plan` or `shoot`, trajectory.npz the nodes and
control inputs, events.jsonl the planned contacts. The guide's page on `plan` describes them.
`run --controls` simulates the scene under the planned control inputs and compares the result with
the plan.

Exit code: 0 an optimal solution was found; 1 none was found (the reason is in summary.json and in
the last lines; the folder holds the best iterate); 2 misuse; 130 interrupted by Ctrl-C (the folder
holds the best iterate).";

/// Solves the optimal control problem in the table [plan] of a scene, or the shooting problem in [shoot]
///
/// The solution is written into a run folder. An old run in the folder is replaced; a folder with other contents is refused.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,

    /// Run folder [default: runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Do not print iterations
    #[arg(long)]
    quiet: bool,
}

/// Solves the problem.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let scene = arguments.scene.load()?;
    for warning in &scene.warnings {
        print_status(&format!("warning: {warning}"));
    }
    let printed = scene.warnings.len();
    let path = arguments.out.clone().unwrap_or_else(|| Path::new(RUNS).join(&scene.name));
    let interruption = Interruption::on_signal(LEFT)?;
    let mut log = IterationLog { quiet: arguments.quiet, rounds: 0 };
    let next = || if interruption.accept() { CallbackAction::Stop } else { CallbackAction::Continue };
    let summary = match scene.shoot {
        Some(_) => run::shoot(scene, &path, &mut |round| {
            log.shooting_iteration(round);
            next()
        }),
        None => run::plan(scene, &path, &mut |progress| {
            log.plan_iteration(progress);
            next()
        }),
    }?;
    let page = path.join(folder::REPORT);
    report::write_page(&page, &mut report::recordings(&[path])?)?;
    for warning in summary.warnings.iter().skip(printed) {
        print_status(&format!("warning: {warning}"));
    }
    if let Some(figures) = &summary.plan {
        print(&plan_lines(&summary, figures, &page))?;
        print_plan_failure(figures);
    }
    if let Some(figures) = &summary.shoot {
        print(&shooting_lines(&summary, figures, &page))?;
        print_shooting_failure(figures);
    }
    Ok(match summary.status {
        Status::Finished => ExitCode::SUCCESS,
        Status::Failed => ExitCode::FAILURE,
        Status::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// Prints a line for each iteration.
struct IterationLog {
    quiet: bool,
    /// Rounds so far: each starts with iteration zero.
    rounds: usize,
}

impl IterationLog {
    fn plan_iteration(&mut self, progress: &Progress) {
        if self.quiet {
            return;
        }
        let record = progress.record;
        if record.iteration == 0 {
            self.rounds += 1;
            match (progress.start, progress.round) {
                (1, 1) => {}
                (start, 1) => print_status(&format!("round {}, start {start}", self.rounds)),
                _ => print_status(&format!("round {}", self.rounds)),
            }
            print_status(&IterationRecord::heading());
        }
        print_status(&record.line());
    }

    fn shooting_iteration(&mut self, round: &Iteration) {
        if self.quiet {
            return;
        }
        if round.iteration == 0 {
            print_status(&Iteration::heading());
        }
        print_status(&round.line());
    }
}

/// Prints why a shooting problem was not solved.
fn print_shooting_failure(figures: &ShootFigures) {
    let what = match figures.outcome.as_str() {
        "stalled" => "no step reduces the residual; start from a better initial guess, or set `impacts`",
        "iteration-limit" => {
            "the iteration limit was reached; raise `shoot.iterations`, or start from a better initial guess"
        }
        _ => return,
    };
    print_status(&format!("error: {what}"));
    for target in &figures.targets {
        print_status(&format!("  {}: residual {:.3e}", target.name, target.residual));
    }
}

/// The main figures of a shooting problem, in a few lines.
fn shooting_lines(summary: &Summary, figures: &ShootFigures, page: &Path) -> String {
    let last = figures.residuals.last().copied().unwrap_or(f64::NAN);
    let mut text = format!(
        "{}: {}, {} iterations in {:.3} s\n\
         residual     {last:.2e}\n\
         time         {:.9} s, {} impacts\n",
        summary.scene,
        figures.outcome,
        figures.iterations,
        figures.solve_time_s,
        figures.time,
        figures.impacts
    );
    for unknown in &figures.unknowns {
        text += &format!("unknown      {} {:.9} (guess {})\n", unknown.name, unknown.value, unknown.guess);
    }
    text + &format!("report       {}\n", page.display())
}

/// Prints why a plan is not optimal, with the evidence.
fn print_plan_failure(figures: &PlanFigures) {
    let what = match figures.outcome.as_str() {
        "infeasible" => {
            "the problem is infeasible: no trajectory satisfies all of these constraints; relax one of them"
        }
        "stalled" => "the optimiser stalled; try another initial guess or `plan.search.starts`",
        "iteration-limit" => {
            "the iteration limit was reached; raise `plan.search.iterations` or start from a better initial guess"
        }
        "contact-missed" => {
            "planned contacts lie outside of the face or edge; start from an initial guess in which the bodies touch there, or change the end"
        }
        "penetration" => "bodies penetrate each other between nodes; take more intervals or a margin",
        "saddle" => "the solution is a saddle point, not a minimum; start from another initial guess",
        _ => return,
    };
    print_status(&format!("error: {what}"));
    for line in &figures.evidence {
        print_status(&format!("  {line}"));
    }
}

/// The main figures of a plan, in a few lines.
fn plan_lines(summary: &Summary, figures: &PlanFigures, page: &Path) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |v| format!("{v:.6e}"));
    let small = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |v| format!("{v:.2e}"));
    let outcome = match figures.outcome.as_str() {
        "interrupted" => "interrupted; this is the best iterate",
        other => other,
    };
    let mut text = format!(
        "{}: {outcome}, {} iterations in {} {} and {:.3} s\n\
         objective    {} (guess {})\n\
         violation    {} of constraints, {} of stationarity, {} N s or N m s unaccounted momentum\n",
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
        let result = |start: &StartFigure| match start.objective {
            Some(objective) => format!("{} {objective:.6e}", start.outcome),
            None => start.outcome.clone(),
        };
        let list: Vec<String> = figures.starts.iter().map(result).collect();
        text += &format!("starts       the best is number {} of {}\n", figures.start, list.join(", "));
    }
    text += &format!("time         {:.6} s", summary.t_end);
    if figures.sigma.len() > 1 {
        let scales: Vec<String> = figures.sigma.iter().map(|s| format!("{s:.4}")).collect();
        text += &format!(", time scales {}", scales.join(", "));
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
