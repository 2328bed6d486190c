//! From a plan and a path to a manoeuvre.
//!
//! ```text
//! path  -> features of planned contacts, pairs that are near
//! repeat   solve the program with these held
//!          features no longer the nearest, or missed?  pairs too near that were not watched?  overlap between nodes?
//!          take them in
//! until    nothing changes
//! ```
//!
//! `avoid.rs` watches pairs, `starts.rs` makes the paths.

use crate::avoid;
use crate::guess::Path;
use crate::manoeuvre::{Ending, PlanSolution};
use crate::outcome::{impulses, normal_impulses};
use crate::plan::{Plan, Slip};
use crate::transcription::{
    ContactResolutionError, Kept, Label, Point, ResolvedContact, Setup, Transcription,
};
use percussion_solve::nlp::{
    CallbackAction, Conflict, ConstraintId, InteriorPoint, IterationRecord, Outcome, Program, Solution,
    WarmStart,
};
use std::collections::HashMap;
use thiserror::Error;

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Greatest violation of constraints, in their own units.
    pub tolerance: f64,
    /// Most iterations of a round.
    pub iterations: usize,
    /// Most rounds of new features, pairs and refinement.
    pub rounds: usize,
    /// Searches from disturbed guesses besides the first.
    pub starts: usize,
    /// Of the disturbances.
    pub seed: u64,
    /// How far they go, rad and m.
    pub disturbance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-10, iterations: 500, rounds: 40, starts: 0, seed: 0, disturbance: 0.05 }
    }
}

/// Why a plan cannot even be begun.
#[derive(Clone, Debug, Error)]
pub enum PlanError {
    /// A contact is not between start and end.
    #[error(
        "{name} is at node {node}, but contacts are planned between the start, node 0, and the end, node {end}; give a node between them"
    )]
    AtAnEnd {
        /// What people call it.
        name: String,
        /// Its node.
        node: usize,
        /// The last one.
        end: usize,
    },
    /// A contact cannot be planned.
    #[error(transparent)]
    ResolvedContact(#[from] ContactResolutionError),
    /// The guess cannot be worked out.
    #[error("the guess: {0}")]
    Guess(String),
    /// The solver was misused.
    #[error("the solver: {0}")]
    Solver(String),
}

/// Overlap that counts as rounding, m.
pub(crate) const ROUNDING: f64 = 1e-9;

/// Conflicts named at most.
const NAMED: usize = 8;

/// The barrier parameter that a later round begins with.
const MENDED: f64 = 1e-6;

/// An iteration of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Which start it belongs to, counted from one; the first begins with the guess.
    pub start: usize,
    /// Which round of that, counted from one.
    pub round: usize,
    /// What there is to say about it.
    pub record: &'a IterationRecord,
}

/// What a search carries from round to round.
pub(crate) struct Rounds<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a Options,
    pub(crate) setup: Setup,
    /// Pairs that keep apart, with the distance to keep.
    pub(crate) pairs: Vec<((usize, usize), f64)>,
    pub(crate) interior: InteriorPoint,
    pub(crate) iterations: usize,
    /// Whether the next round begins with the guess.
    afresh: bool,
}

/// The search from one path, which is the start of this number.
pub(crate) fn search(
    plan: &Plan,
    path: Path,
    options: &Options,
    number: usize,
    watch: &mut dyn FnMut(&Progress) -> CallbackAction,
) -> Result<PlanSolution, PlanError> {
    let encounters = plan
        .meetings
        .iter()
        .map(|meeting| ResolvedContact::find(&plan.model, meeting, &path.nodes[meeting.node]))
        .collect::<Result<Vec<_>, _>>()?;
    let mut rounds = Rounds {
        plan,
        options,
        setup: Setup { encounters, apart: Vec::new() },
        pairs: avoid::pairs(plan),
        interior: InteriorPoint::new(),
        iterations: 0,
        afresh: false,
    };
    rounds.watch_near(&path.nodes);
    let mut objective_guess = None;
    let mut kept: Option<(Point, Before)> = None;
    let mut round = 0;
    loop {
        round += 1;
        let mut program = Transcription::new(plan.clone(), rounds.setup.clone());
        // Variables of one round are the first of the next: only planes are added.
        let start = match &kept {
            Some((point, _)) => {
                let mut point = point.clone();
                program.add_planes(&mut point);
                point
            }
            None => program.candidate(path.nodes.clone(), &path.efforts, &path.scales),
        };
        if objective_guess.is_none() {
            let mut room = vec![0.0; program.layout().constraints.len()];
            objective_guess = Some(program.evaluate(&start, &mut room).unwrap_or(f64::NAN));
        }
        let warm = kept.as_ref().map(|(_, before)| before.continued(&program));
        let settings = percussion_solve::nlp::Options {
            constraint_tolerance: options.tolerance,
            iterations: options.iterations,
            warm,
            ..percussion_solve::nlp::Options::default()
        };
        let solution = rounds
            .interior
            .solve_with_callback(&mut program, &start, &settings, &mut |record| {
                watch(&Progress { start: number, round, record })
            })
            .map_err(|e| PlanError::Solver(e.to_string()))?;
        rounds.iterations += solution.iterations;
        let found = matches!(
            solution.outcome,
            Outcome::Optimal | Outcome::Acceptable { .. } | Outcome::Saddle { .. }
        );
        let guess = objective_guess.unwrap_or(f64::NAN);
        let wrong = found && rounds.examine(&program, &solution)?;
        if !wrong || round == options.rounds {
            let ending = rounds.ending(&program, &solution, wrong);
            return Ok(rounds.manoeuvre(&mut program, &solution, ending, round, guess));
        }
        kept = match std::mem::take(&mut rounds.afresh) {
            true => None,
            false => {
                let before = Before::new(&program, &solution);
                Some((solution.point, before))
            }
        };
    }
}

/// Multipliers of a round, by what their rows say: the next round begins with them where it says the same.
struct Before {
    rows: HashMap<Label, Vec<f64>>,
    warm: WarmStart,
}

impl Before {
    fn new(program: &Transcription, solution: &Solution<Point>) -> Self {
        let mut rows: HashMap<Label, Vec<f64>> = HashMap::new();
        for (row, y) in solution.multipliers.constraints.iter().enumerate() {
            rows.entry(program.label(row).clone()).or_default().push(*y);
        }
        Self { rows, warm: WarmStart { barrier: MENDED, ..WarmStart::after(solution) } }
    }

    /// For the program of the next round.
    fn continued(&self, program: &Transcription) -> WarmStart {
        let layout = program.layout();
        let mut warm = self.warm.clone();
        let mut next: HashMap<&Label, usize> = HashMap::new();
        let mut counts: HashMap<&Label, usize> = HashMap::new();
        (0..layout.constraints.len()).for_each(|row| *counts.entry(program.label(row)).or_default() += 1);
        let multiplier = |row: usize| {
            let label = program.label(row);
            let at = next.entry(label).or_default();
            *at += 1;
            let list = self.rows.get(label).filter(|list| list.len() == counts[label]);
            list.map_or(0.0, |list| list[*at - 1])
        };
        warm.multipliers.lower.resize(layout.variables.len(), 0.0);
        warm.multipliers.upper.resize(layout.variables.len(), 0.0);
        warm.multipliers.constraints = (0..layout.constraints.len()).map(multiplier).collect();
        warm
    }
}

/// Conflicts in words: first what the plan asks for, the strongest before others, then velocities, then equations of motion, which
/// connect them.
fn named(program: &Transcription, conflicts: &[Conflict]) -> Vec<String> {
    let mut list: Vec<(u8, f64, String)> = Vec::new();
    for conflict in conflicts {
        let (rank, name) = match conflict.id {
            ConstraintId::Constraint(row) => program.label(row).party(program.plan()),
            ConstraintId::Variable(variable) => (0, program.bound_of(variable)),
        };
        let strength = conflict.multiplier.abs();
        match list.iter_mut().find(|(_, _, known)| *known == name) {
            Some((_, sum, _)) => *sum += strength,
            None => list.push((rank, strength, name)),
        }
    }
    list.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    list.truncate(NAMED);
    list.into_iter().map(|(_, _, name)| name).collect()
}

impl Rounds<'_> {
    /// Looks for what the program did not know; whether there is anything.
    fn examine(&mut self, program: &Transcription, solution: &Solution<Point>) -> Result<bool, PlanError> {
        let at = &solution.point;
        let features = self.examine_contacts(program, at)?;
        let apart = self.examine_nodes(at);
        // Between nodes only when the nodes are right.
        Ok(features || apart || self.examine_between(at))
    }

    fn examine_contacts(&mut self, program: &Transcription, at: &Point) -> Result<bool, PlanError> {
        let mut changed = false;
        for (m, meeting) in self.plan.meetings.iter().enumerate() {
            let state = &at.nodes[meeting.node];
            let held = &self.setup.encounters[m];
            if held.separation(&self.plan.model, state) < -ROUNDING {
                let found = ResolvedContact {
                    slides: held.slides,
                    ..ResolvedContact::find(&self.plan.model, meeting, state)?
                };
                if found.features != held.features {
                    changed = true;
                    self.setup.encounters[m] = found;
                }
            } else if let Some(contacts) = &self.plan.model.contacts {
                let impulses = normal_impulses(program, at, m);
                let pulls = held.pulls(&impulses);
                let misses = pulls || held.beside(&self.plan.model, state, &impulses).is_some();
                match &held.kept {
                    // In the plane of a face, but not on it: from now on it is kept there.
                    None if misses => {
                        let kept = held.keeps(contacts, state);
                        self.setup.encounters[m].kept = Some(kept);
                        // What is found with faces that pull is far from anything that they can do.
                        self.afresh |= pulls;
                        changed = true;
                    }
                    Some(kept) if misses && held.features.len() > 1 && !kept.firmly => {
                        let kept = Kept { firmly: true, ..kept.clone() };
                        self.setup.encounters[m].kept = Some(kept);
                        changed = true;
                    }
                    _ => {}
                }
            }
            if let Slip::Friction(mu) = meeting.slip
                && meeting.tie.is_none()
                && !self.setup.encounters[m].slides
                && let Some([n, t, s]) = impulses(program, at, m)
                && mu * n <= t.hypot(s) * (1.0 + 1e-6)
            {
                self.setup.encounters[m].slides = true;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// Planned contacts that touch only what their features would be without an end, in words.
    fn misses(&self, program: &Transcription, at: &Point) -> Vec<String> {
        let each = self.plan.meetings.iter().zip(&self.setup.encounters).enumerate();
        let words = each.filter_map(|(m, (meeting, encounter))| {
            let impulses = normal_impulses(program, at, m);
            let by = encounter.beside(&self.plan.model, &at.nodes[meeting.node], &impulses)?;
            Some(format!("{} lies beside what meets there, by {by:.2e} m", meeting.name))
        });
        words.collect()
    }

    fn ending(&self, program: &Transcription, solution: &Solution<Point>, changed: bool) -> Ending {
        match &solution.outcome {
            Outcome::Optimal | Outcome::Acceptable { .. } if changed => Ending::Stalled(format!(
                "features or pairs still change after {} rounds",
                self.options.rounds
            )),
            Outcome::Optimal | Outcome::Acceptable { .. } => {
                let (misses, overlaps) =
                    (self.misses(program, &solution.point), self.overlaps(&solution.point));
                match (misses.is_empty(), overlaps.is_empty()) {
                    (true, true) => Ending::Optimal,
                    (true, false) => Ending::Overlaps(overlaps),
                    (false, _) => Ending::Misses(misses),
                }
            }
            Outcome::Saddle { .. } => Ending::Saddle,
            Outcome::Infeasible { conflicts } => Ending::Infeasible(named(program, conflicts)),
            Outcome::Unbounded => Ending::Stalled("the price falls without end".to_owned()),
            Outcome::Stalled { why } => Ending::Stalled(why.clone()),
            Outcome::IterationLimit => Ending::IterationLimit,
            Outcome::Stopped => Ending::Stopped,
        }
    }
}
