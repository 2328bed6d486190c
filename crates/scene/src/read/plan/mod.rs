//! The table `[plan]`: an optimal control problem.
//!
//! | file | contents |
//! |---|---|
//! | `targets.rs`, `range.rs` | targets of bodies and joints at an instant, as numbers or ranges |
//! | `measures.rs` | the same as measures with bounds |
//! | `terminal.rs`, `end_state.rs` | start and end: fixed islands, conditions of the others |
//! | `conditions.rs` | path conditions, limits of joints, goals |
//! | `controls.rs`, `contacts.rs`, `avoid.rs`, `guess.rs` | their tables |
//! | `unsupported.rs` | features of scenes that plans do not support |
//! | `shoot.rs` | the table `[shoot]`: unknowns of the start, targets of the end |
//!
//! It is read after the model is built, as it refers to its bodies and joints.

mod avoid;
mod conditions;
mod contacts;
mod context;
mod controls;
mod end_state;
mod guess;
mod measures;
mod range;
mod shoot;
mod targets;
mod terminal;
mod unsupported;

pub use guess::PlanGuess;
pub use shoot::ShootSettings;
pub(crate) use shoot::shoot;

use super::joints::BodyTable;
use super::run::seed;
use super::scene_parts::SceneParts;
use crate::report::{Read, Reported};
use crate::tree::{Fields, Node, Table, Value};
use avoid::EndCheck;
use context::Context;
use percussion_control::plan::{Plan, TimeBounds};
use percussion_control::{Guess, Options};
use percussion_mechanics::contact::ContactSpec;
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Bound;
use std::sync::Arc;
use terminal::End;

/// The keys of `[plan]`.
const KEYS: [&str; 14] = [
    "intervals",
    "step",
    "time",
    "time_scales",
    "search",
    "objective",
    "controls",
    "start",
    "end",
    "conditions",
    "joint_limits",
    "avoid",
    "contacts",
    "guess",
];

/// Largest number of intervals: each of them has unknowns.
const MOST_INTERVALS: usize = 100_000;

/// Default bounds of time scales, dimensionless.
const SCALES: (f64, f64) = (0.2, 5.0);

/// The optimal control problem of a scene.
#[derive(Clone, Debug)]
pub struct PlanSettings {
    /// The problem.
    pub plan: Plan,
    /// The initial guess.
    pub guess: PlanGuess,
    /// Options of the optimiser.
    pub options: Options,
}

/// The model of a scene with a plan.
pub(crate) struct Built<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub scheme: SchemeKind,
    pub contact: Option<&'a ContactSpec>,
}

/// The table `[plan]`, if there is one.
pub(crate) fn plan(
    body_table: &BodyTable<'_>,
    parts: &SceneParts<'_>,
    built: &Built<'_>,
    root: &Table,
) -> Read<Option<PlanSettings>> {
    let Some(entry) = root.entry("plan") else { return Ok(None) };
    let f = Fields::of(body_table.report, &entry.node, "plan", &KEYS)?;
    let model = Arc::new(built.model.clone());
    let context = Context {
        report: body_table.report,
        body_table,
        parts,
        contact: built.contact,
        model: &model,
        state: built.state,
    };
    unsupported::check(&context, built.scheme, entry.place)?;
    let empty = Node { place: entry.place, value: Value::Table(Table::default()) };
    let intervals = f.count("intervals", 1);
    let intervals = intervals?
        .ok_or_else(|| f.missing("intervals", "add the number of intervals, such as intervals = 30"))?;
    if intervals > MOST_INTERVALS {
        let remedy = format!("give at most {MOST_INTERVALS}: each of them has unknowns");
        return Err(f.wrong("intervals", &format!("is {intervals}"), &remedy));
    }
    // All are read before missing ones are reported, so that all complaints are found.
    let (times, options, weights) = (times(&f, intervals), search(&f, &empty), weights(&f, &empty));
    let actuators = controls::controls(&context, &f);
    let (start, end) = (End::at_start(&context, &f, &empty), End::at_end(&context, &f, &empty));
    let start = start.and_then(|start| start.terminal());
    let end = end.and_then(|end| end.terminal());
    let conditions = conditions::Written::read(&context, &f, intervals);
    let avoidance = avoid::avoidance(&context, &f);
    let meetings = contacts::contacts(&context, &f, intervals);
    let ((step, times), options, (effort, time)) = (times?, options?, weights?);
    let ((start, mut terminal_conditions), (end, more)) = (start?, end?);
    terminal_conditions.extend(more);
    let mut plan = Plan {
        model: model.clone(),
        intervals,
        step,
        actuators: actuators?,
        start,
        end,
        conditions: terminal_conditions,
        control_effort_weight: effort,
        time_weight: time,
        goals: Vec::new(),
        avoidance: avoidance?,
        contacts: meetings?,
        time_bounds: times,
    };
    conditions?.add_to(&context, &mut plan)?;
    check_times(&context, &f, &plan)?;
    if let Some(avoidance) = &plan.avoidance {
        let ends = [(&plan.start, false, "start"), (&plan.end, true, "end")];
        for (terminal, last, key) in ends {
            let planned = if last { &plan.contacts[..] } else { &[] };
            let check = EndCheck { terminal, last, place: f.place_of(key), planned };
            avoid::check_separation(&context, avoidance, &check)?;
        }
    }
    let guess = guess::guess(&context, &f, &plan)?;
    match body_table.report.is_clean() {
        true => Ok(Some(PlanSettings { plan, guess, options })),
        false => Err(Reported),
    }
}

/// The length of an interval at time scale one, and the bounds of scales and total time.
fn times(f: &Fields, intervals: usize) -> Read<(f64, TimeBounds)> {
    let step = f.positive("step", "length of an interval in seconds");
    let scales = range::range_of(f, "time_scales");
    let total = match f.node("time").map(|node| (node, node.text())) {
        Some((_, Some("free"))) => Ok(Some(Bound::at_least(0.0))),
        Some((node, Some(word))) => {
            let message = format!("`plan.time` is \"{word}\"");
            let otherwise = "give a number of seconds, or a range such as { min = 0.5, max = 2 }";
            Err(f.report.unknown(node.place, message, word, ["free"], otherwise))
        }
        _ => range::range_of(f, "time"),
    };
    let (step, total, scales) = (step?, total?, scales?.unwrap_or(Bound::between(SCALES.0, SCALES.1)));
    if !(scales.lower > 0.0) {
        let message = format!("has the lower bound {}", scales.lower.max(-f64::MAX));
        return Err(f.wrong("time_scales", &message, "give a positive `min`"));
    }
    if total.is_some_and(|total| !(total.upper > 0.0)) {
        let upper = total.map_or(0.0, |total| total.upper);
        return Err(f.wrong("time", &format!("is {upper}"), "give a positive time in seconds"));
    }
    let count = intervals as f64;
    let step = match (step, total) {
        (Some(step), _) => step,
        (None, Some(total)) if total.is_equation() => total.lower / count,
        (None, Some(total)) if total.lower > 0.0 && total.upper.is_finite() => {
            0.5 * (total.lower + total.upper) / count
        }
        (None, _) => {
            return Err(
                f.missing("step", "add the length of an interval in seconds, or the `time` of all of them")
            );
        }
    };
    let total = total.unwrap_or(Bound::equal(step * count));
    let reach = (scales.lower * step * count, scales.upper * step * count);
    let slack = crate::tolerances::REACHABLE_TIME * reach.1;
    if total.lower > reach.1 + slack || total.upper < reach.0 - slack {
        let message = format!(
            "cannot be reached: {intervals} intervals of {step} s scaled from {} to {} take from {:.4} to {:.4} s",
            scales.lower, scales.upper, reach.0, reach.1
        );
        return Err(f.wrong("time", &message, "change `step`, `intervals` or `time_scales`"));
    }
    Ok((step, TimeBounds { scale: scales, total }))
}

/// Checks that forces tabulated in time have fixed node times, and that a weight of the time has variable ones.
fn check_times(context: &Context<'_>, f: &Fields, plan: &Plan) -> Read<()> {
    if !plan.has_unknown_time_scales() {
        if plan.time_weight != 0.0 {
            let text = "`plan.objective.time` is given, but the time is fixed: it has no effect";
            context.report.warn(Some(f.place_of("objective")), text);
        }
        return Ok(());
    }
    let Some(force) = unsupported::tabulated(context.model) else { return Ok(()) };
    let message =
        format!("force `{force}` is given by a table in time, but the times of the nodes are unknowns");
    let key = if plan.contacts.is_empty() { "time" } else { "contacts" };
    let remedy = "make the force constant, or fix `time` and plan no contacts";
    Err(context.report.complain(f.place_of(key), message, remedy))
}

/// The table `[plan.search]`.
fn search(f: &Fields, empty: &Node) -> Read<Options> {
    let own = Options::default();
    let known = ["tolerance", "iterations", "rounds", "starts", "seed", "perturbation"];
    let s = Fields::of(f.report, f.node("search").unwrap_or(empty), "plan.search", &known)?;
    let tolerance = s.positive("tolerance", "violation of constraints");
    let (iterations, rounds) = (s.count("iterations", 1), s.count("rounds", 1));
    let (starts, seed) = (s.count("starts", 0), seed(&s));
    let perturbation = s.not_negative("perturbation", "size in rad and m");
    Ok(Options {
        tolerance: tolerance?.unwrap_or(own.tolerance),
        iterations: iterations?.unwrap_or(own.iterations),
        rounds: rounds?.unwrap_or(own.rounds),
        starts: starts?.unwrap_or(own.starts),
        seed: seed?,
        perturbation: perturbation?.unwrap_or(own.perturbation),
    })
}

/// Weights of control effort and time in `[plan.objective]`; the goals are read with the conditions.
fn weights(f: &Fields, empty: &Node) -> Read<(f64, f64)> {
    let node = f.node("objective").unwrap_or(empty);
    let o = Fields::of(f.report, node, "plan.objective", &["control_effort", "time", "goals"])?;
    let (effort, time) = (o.not_negative("control_effort", "weight"), o.not_negative("time", "weight"));
    Ok((effort?.unwrap_or(1.0), time?.unwrap_or(0.0)))
}

impl PlanSettings {
    /// The initial guess, if it does not come from a run folder.
    pub fn computed_guess(&self) -> Option<&Guess> {
        match &self.guess {
            PlanGuess::Computed(guess) => Some(guess),
            PlanGuess::Run(_) => None,
        }
    }
}
