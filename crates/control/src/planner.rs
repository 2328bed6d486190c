//! From a plan and a guess to a manoeuvre.
//!
//! ```text
//! guess -> features of planned contacts, pairs that are near
//! repeat   solve the program with these held
//!          features no longer the nearest?  pairs too near that were not watched?  overlap between nodes?
//!          take them in (between nodes: one plane for both ends)
//! until    nothing changes
//! ```

use crate::clearance::{gap, least_between};
use crate::guess::{Guess, Path, between};
use crate::manoeuvre::{Ending, Manoeuvre};
use crate::outcome::{impulses, prices};
use crate::plan::{Plan, Slip};
use crate::transcription::{Apart, Encounter, EncounterError, Frozen, Label, Point, Setup, Transcription};
use percussion_mechanics::State;
use percussion_mechanics::contact::Memory;
use percussion_mechanics::discrete::displace;
use percussion_solve::nlp::{Interior, Outcome, Program, Record, Solution, Warm, Watch};
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
    /// A contact cannot be planned.
    #[error(transparent)]
    Encounter(#[from] EncounterError),
    /// The guess cannot be worked out.
    #[error("the guess: {0}")]
    Guess(String),
    /// The solver was misused.
    #[error("the solver: {0}")]
    Solver(String),
}

/// Overlap that counts as rounding, m.
const ROUNDING: f64 = 1e-9;
/// Part of the radii within which a pair is watched from the beginning.
const NEAR: f64 = 0.25;
/// Overlap between nodes that is let pass, as part of the smaller radius.
const GRAZE: f64 = 1e-4;
/// A price that is one, relative to the greatest.
const HELD: f64 = 1e-6;
/// Room that is worth another round, m per second of an interval.
const ROOM: f64 = 1e-6;
/// Part of the price that a round of other planes must gain.
const GAIN: f64 = 1e-6;
/// By how much more than what was missing separations are raised.
const RAISE: f64 = 1.5;

/// The barrier parameter that a round begins with if the one before violated something.
const MENDED: f64 = 1e-2;
/// The same if it did not.
const WARM: f64 = 1e-4;

/// Finds a manoeuvre; the watcher is told every iteration and may end the search.
pub fn plan(
    plan: &Plan,
    guess: &Guess,
    options: &Options,
    watch: &mut dyn FnMut(&Record) -> Watch,
) -> Result<Manoeuvre, PlanError> {
    let path = guess.work_out(plan).map_err(PlanError::Guess)?;
    let mut best = search(plan, path.clone(), options, watch)?;
    for start in 0..options.starts {
        if best.ending == Ending::Stopped {
            break;
        }
        let disturbed = disturbed(plan, &path, options, start);
        let other = search(plan, disturbed, options, watch)?;
        let stopped = other.ending == Ending::Stopped;
        if other.is_better(&best) {
            best = other;
        }
        if stopped {
            // Asked to stop on the way: the best so far, and not said to be more.
            best.ending = Ending::Stopped;
        }
    }
    Ok(best)
}

impl Manoeuvre {
    fn is_better(&self, other: &Self) -> bool {
        let rank = |m: &Self| match m.ending {
            Ending::Optimal => 0,
            Ending::Saddle => 1,
            Ending::Overlaps(_) => 2,
            _ => 3,
        };
        let price = self.objective < other.objective;
        rank(self) < rank(other) || rank(self) == rank(other) && price
    }
}

/// A path bent at random, smoothly, between its ends.
fn disturbed(plan: &Plan, path: &Path, options: &Options, start: usize) -> Path {
    let mut seed = options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(start as u64 + 1);
    let mut number = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let mut out = path.clone();
    for island in &plan.model.islands {
        let bend: Vec<f64> = island.freedoms.clone().map(|_| options.disturbance * number()).collect();
        for (k, node) in out.nodes.iter_mut().enumerate() {
            let by = (std::f64::consts::PI * k as f64 / plan.intervals as f64).sin();
            let d: Vec<f64> = bend.iter().map(|b| b * by).collect();
            displace(&plan.model, island, &path.nodes[k], &d, node);
        }
    }
    out
}

/// What a search carries from round to round.
pub(crate) struct Rounds<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a Options,
    pub(crate) setup: Setup,
    /// Pairs that keep apart, with the distance to keep.
    pub(crate) pairs: Vec<((usize, usize), f64)>,
    pub(crate) interior: Interior,
    pub(crate) iterations: usize,
    /// The price when planes were last turned.
    pub(crate) turned_at: f64,
}

fn search(
    plan: &Plan,
    path: Path,
    options: &Options,
    watch: &mut dyn FnMut(&Record) -> Watch,
) -> Result<Manoeuvre, PlanError> {
    let encounters = plan
        .meetings
        .iter()
        .map(|meeting| Encounter::find(&plan.model, meeting, &path.nodes[meeting.node]))
        .collect::<Result<Vec<_>, _>>()?;
    let mut rounds = Rounds {
        plan,
        options,
        setup: Setup { encounters, apart: Vec::new() },
        pairs: pairs(plan),
        interior: Interior::new(),
        iterations: 0,
        turned_at: f64::INFINITY,
    };
    rounds.watch_near(&path.nodes);
    let mut objective_guess = None;
    let mut kept: Option<(Point, Before)> = None;
    let mut best: Option<Manoeuvre> = None;
    let mut round = 0;
    loop {
        round += 1;
        let mut program = Transcription::new(plan.clone(), rounds.setup.clone());
        // Features and pairs change rows, never variables: a point of one round is one of the next.
        let start = match &kept {
            Some((point, _)) => point.clone(),
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
            .solve_watched(&mut program, &start, &settings, watch)
            .map_err(|e| PlanError::Solver(e.to_string()))?;
        rounds.iterations += solution.iterations;
        let found = matches!(
            solution.outcome,
            Outcome::Optimal | Outcome::Acceptable { .. } | Outcome::Saddle { .. }
        );
        let guess = objective_guess.unwrap_or(f64::NAN);
        let wrong = found && rounds.examine(&program, &solution)?;
        if found && !wrong {
            // Nothing is wrong with it: what follows only looks for a cheaper one.
            let ending = rounds.ending(&solution, false);
            let one = rounds.manoeuvre(&mut program, &solution, ending, round, guess);
            if best.as_ref().is_none_or(|best| one.is_better(best)) {
                best = Some(one);
            }
        }
        let turned = found && rounds.turn_planes(&program, &solution);
        if !(wrong || turned) || round == options.rounds {
            let last = || rounds.ending(&solution, wrong);
            return Ok(match best {
                Some(mut best) => {
                    (best.iterations, best.rounds) = (rounds.iterations, round);
                    if solution.outcome == Outcome::Stopped {
                        best.ending = Ending::Stopped;
                    }
                    best
                }
                None => rounds.manoeuvre(&mut program, &solution, last(), round, guess),
            });
        }
        let barrier = if wrong { MENDED } else { WARM };
        let before = Before::new(&program, &solution, barrier);
        kept = Some((solution.point, before));
    }
}

/// Multipliers of a round, by what their rows say: the next round begins with them where it says the same.
struct Before {
    rows: HashMap<Label, Vec<f64>>,
    warm: Warm,
}

impl Before {
    fn new(program: &Transcription, solution: &Solution<Point>, barrier: f64) -> Self {
        let mut rows: HashMap<Label, Vec<f64>> = HashMap::new();
        for (row, y) in solution.multipliers.constraints.iter().enumerate() {
            rows.entry(program.label(row).clone()).or_default().push(*y);
        }
        Self { rows, warm: Warm { barrier, ..Warm::after(solution) } }
    }

    /// For the program of the next round.
    fn continued(&self, program: &Transcription) -> Warm {
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
        warm.multipliers.constraints = (0..layout.constraints.len()).map(multiplier).collect();
        warm
    }
}

impl Apart {
    /// Whether its plane is chosen anew between rounds.
    fn turns(&self) -> bool {
        !self.sides.is_empty() && self.over.is_none()
    }
}

/// All pairs of parts that a plan keeps apart, each with its distance.
fn pairs(plan: &Plan) -> Vec<((usize, usize), f64)> {
    let (Some(avoidance), Some(contacts)) = (&plan.avoidance, &plan.model.contacts) else {
        return Vec::new();
    };
    let list = avoidance.pairs.clone().unwrap_or_else(|| contacts.all_pairs());
    let meets = |pair: (usize, usize)| {
        let bodies = (contacts.parts[pair.0].body, contacts.parts[pair.1].body);
        plan.meetings.iter().any(|m| m.bodies == bodies || m.bodies == (bodies.1, bodies.0))
    };
    list.into_iter()
        .map(|(a, b)| contacts.ordered(a, b))
        .map(|pair| (pair, if meets(pair) { 0.0 } else { avoidance.margin }))
        .collect()
}

impl Rounds<'_> {
    /// Whether a pair is none of the avoidance's business at a node: it meets there on purpose, or a joint holds it.
    fn meets(&self, pair: (usize, usize), node: usize) -> bool {
        self.plan.meetings.iter().zip(&self.setup.encounters).any(|(meeting, encounter)| {
            let last = match meeting.tie {
                Some(_) => meeting.released.unwrap_or(self.plan.intervals),
                None => meeting.node,
            };
            encounter.pair == pair && (meeting.node..=last).contains(&node)
        })
    }

    /// Watches pairs that are near in a path.
    fn watch_near(&mut self, nodes: &[State]) {
        let Some(contacts) = &self.plan.model.contacts else { return };
        for (node, state) in nodes.iter().enumerate() {
            for &(pair, margin) in &self.pairs {
                if self.meets(pair, node) {
                    continue;
                }
                let (p, q) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
                // Bodies that meet on purpose are near each other without harm: they are watched where they overlap.
                let meant = self.setup.encounters.iter().any(|encounter| encounter.pair == pair);
                let near = if meant { -ROUNDING } else { NEAR * p.radius.min(q.radius) };
                if gap(&self.plan.model, pair, state, &mut Memory::default()) < near + margin {
                    let sides = sides(self.plan, pair, state);
                    self.setup.apart.push(Apart { node, pair, least: margin, sides, over: None });
                }
            }
        }
    }

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
            if self.setup.encounters[m].separation(&self.plan.model, state) < -ROUNDING {
                let slides = self.setup.encounters[m].slides;
                let found = Encounter { slides, ..Encounter::find(&self.plan.model, meeting, state)? };
                changed |= found.features != self.setup.encounters[m].features;
                self.setup.encounters[m] = found;
            }
            if let Slip::Friction(mu) = meeting.slip
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

    /// Takes the best planes at a solution; whether one that held it back leaves more room now.
    fn turn_planes(&mut self, program: &Transcription, solution: &Solution<Point>) -> bool {
        let at = &solution.point;
        let prices = prices(program, &solution.multipliers.constraints);
        let most = solution.multipliers.constraints.iter().fold(0.0_f64, |a, y| a.max(y.abs()));
        let mut changed = false;
        let mut turned = Vec::new();
        for apart in self.setup.apart.iter().filter(|apart| apart.turns()) {
            let state = &at.nodes[apart.node];
            let best = sides(self.plan, apart.pair, state);
            let room = gap(&self.plan.model, apart.pair, state, &mut Memory::default());
            let held = prices.get(&(apart.pair, apart.node)).is_some_and(|price| *price > HELD * most);
            let same = best.first().zip(apart.sides.first()).is_some_and(|(a, b)| a.same_plane(b));
            // What is kept now has some slack in another plane: there is something to gain.
            changed |= held && !same && room > apart.least + ROOM * program.plan().step;
            turned.push(best);
        }
        // Another round is worth it while turning gains something.
        changed &= solution.objective < self.turned_at * (1.0 - GAIN);
        if changed {
            self.turned_at = solution.objective;
            let with_planes = self.setup.apart.iter_mut().filter(|apart| apart.turns());
            with_planes.zip(turned).for_each(|(apart, best)| apart.sides = best);
        }
        changed
    }

    /// Raises what a pair must keep at a node.
    fn raise(&mut self, pair: (usize, usize), node: usize, least: f64, state: &State) -> bool {
        let free = |state: &[bool]| state.iter().any(|fixed| !fixed);
        let terminal = match node {
            0 => free(&self.plan.start.fixed),
            k if k == self.plan.intervals => free(&self.plan.end.fixed),
            _ => true,
        };
        if !terminal || self.meets(pair, node) {
            return false;
        }
        match self.setup.apart.iter_mut().find(|a| a.pair == pair && a.node == node && a.over.is_none()) {
            Some(apart) if apart.least < least => apart.least = least,
            // Some other vertex came too near: the list of sides is made anew.
            Some(apart) => {
                let new = sides(self.plan, pair, state);
                let changed = new != apart.sides;
                apart.sides = new;
                return changed;
            }
            None => {
                let sides = sides(self.plan, pair, state);
                self.setup.apart.push(Apart { node, pair, least, sides, over: None });
            }
        }
        true
    }

    fn examine_nodes(&mut self, at: &Point) -> bool {
        let mut changed = false;
        for (node, state) in at.nodes.iter().enumerate() {
            for (pair, margin) in self.pairs.clone() {
                let g = gap(&self.plan.model, pair, state, &mut Memory::default());
                if g < margin - ROUNDING {
                    changed |= self.raise(pair, node, margin, state);
                }
            }
        }
        changed
    }

    /// How deep a pair may dip between nodes.
    fn graze(&self, pair: (usize, usize)) -> f64 {
        let Some(contacts) = &self.plan.model.contacts else { return 0.0 };
        GRAZE * contacts.parts[pair.0].radius.min(contacts.parts[pair.1].radius)
    }

    fn examine_between(&mut self, at: &Point) -> bool {
        let mut changed = false;
        for node in 0..self.plan.intervals {
            for (pair, _) in self.pairs.clone() {
                let ends = (&at.nodes[node], &at.nodes[node + 1]);
                let least = least_between(&self.plan.model, pair, ends, 0.0);
                if least < -self.graze(pair) {
                    changed |= self.share(pair, node, ends, least);
                }
            }
        }
        changed
    }

    /// Makes both nodes of an interval keep clear of one plane, and more so if they did already.
    fn share(&mut self, pair: (usize, usize), interval: usize, ends: (&State, &State), least: f64) -> bool {
        let mut raised = false;
        for apart in self.setup.apart.iter_mut().filter(|a| a.pair == pair && a.over == Some(interval)) {
            apart.least -= RAISE * least;
            raised = true;
        }
        if raised {
            return true;
        }
        let Some(contacts) = &self.plan.model.contacts else { return false };
        let middle = between(&self.plan.model, ends.0, ends.1, 0.5);
        let poses = |state: &State| {
            (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state))
        };
        let lowest = |sides: &[Frozen], state: &State| {
            let at = poses(state);
            sides.iter().map(|side| side.read((&at.0, &at.1)).gap).fold(f64::INFINITY, f64::min)
        };
        let mut best: Option<(f64, [Vec<Frozen>; 2])> = None;
        for state in [ends.0, ends.1, &middle] {
            let Some(plane) = sides(self.plan, pair, state).first().copied() else { return false };
            let lists = [ends.0, ends.1].map(|end| {
                let at = poses(end);
                plane.vertices(contacts, pair, (&at.0, &at.1)).unwrap_or_default()
            });
            let room = lowest(&lists[0], ends.0).min(lowest(&lists[1], ends.1));
            if best.as_ref().is_none_or(|(most, _)| room > *most) {
                best = Some((room, lists));
            }
        }
        let Some((_, lists)) = best else { return false };
        let margin = self.pairs.iter().find(|(p, _)| *p == pair).map_or(0.0, |(_, margin)| *margin);
        for (node, sides) in [interval, interval + 1].into_iter().zip(lists) {
            if !self.meets(pair, node) {
                self.setup.apart.push(Apart { node, pair, least: margin, sides, over: Some(interval) });
            }
        }
        true
    }

    fn ending(&self, solution: &Solution<Point>, changed: bool) -> Ending {
        match &solution.outcome {
            Outcome::Optimal | Outcome::Acceptable { .. } if changed => Ending::Stalled(format!(
                "features or pairs still change after {} rounds",
                self.options.rounds
            )),
            Outcome::Optimal | Outcome::Acceptable { .. } => {
                let overlaps = self.overlaps(&solution.point);
                if overlaps.is_empty() { Ending::Optimal } else { Ending::Overlaps(overlaps) }
            }
            Outcome::Saddle { .. } => Ending::Saddle,
            Outcome::Infeasible { conflicts } => {
                let mut names: Vec<String> = Vec::new();
                for conflict in conflicts {
                    if !names.contains(&conflict.name) {
                        names.push(conflict.name.clone());
                    }
                }
                Ending::Infeasible(names)
            }
            Outcome::Unbounded => Ending::Stalled("the price falls without end".to_owned()),
            Outcome::Stalled { why } => Ending::Stalled(why.clone()),
            Outcome::IterationLimit => Ending::IterationLimit,
            Outcome::Stopped => Ending::Stopped,
        }
    }

    /// Pairs that overlap between nodes by more than a graze.
    fn overlaps(&self, at: &Point) -> Vec<String> {
        let mut list = Vec::new();
        for node in 0..self.plan.intervals {
            for &(pair, _) in &self.pairs {
                let ends = (&at.nodes[node], &at.nodes[node + 1]);
                let least = least_between(&self.plan.model, pair, ends, 0.0);
                if least < -self.graze(pair) {
                    let label = Label::Apart { pair, node };
                    list.push(format!("{} (after it, by {:.2e} m)", label.words(self.plan), -least));
                }
            }
        }
        list
    }
}

/// The best plane between two parts in a state, with its vertices; none for curved ones.
fn sides(plan: &Plan, pair: (usize, usize), state: &State) -> Vec<Frozen> {
    let Some(contacts) = &plan.model.contacts else { return Vec::new() };
    let poses = (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state));
    let found = Frozen::sides(contacts, pair, (&poses.0, &poses.1), &mut Memory::default());
    found.ok().flatten().unwrap_or_default()
}
