//! A manoeuvre from its scene to its folder, which is that of a run: nodes in place of steps, planned contacts in place of
//! collisions.
//!
//! ```text
//! guess -> search, which others watch -> manoeuvre
//! efforts as forces, momenta before and after contacts -> the ledger recorder interval after interval -> rows
//! events, trajectory, a checkpoint that marks the folder, figures
//! ```
//!
//! The recorder are kept by those of the simulator, which know nothing of the program that was solved: energy or momentum that
//! the controls did not bring shows up there.

use super::checkpoint::{Checkpoint, ContactFigures, replace};
use super::complementarity::ComplementarityStats;
use super::error::RunError;
use super::events::EventRecord;
use super::extremes::RowExtremes;
use super::folder::{self, Folder};
use super::planned_arrays::{self, SearchLog};
use super::planned_figures::PlanFigures;
use super::planned_trajectory::PlannedTrajectory;
use super::row::{StepFigures, TrajectoryRow, columns, fixed};
use super::summary::{RunResult, RunStats, SceneInfo, Status, Summary};
use super::writer::{Column, TrajectoryWriter};
use crate::penetration::PenetrationMonitor;
use crate::{PlanGuess, PlanSettings, Scene};
use percussion_control::manoeuvre::{Contact, Ending};
use percussion_control::plan::Plan;
use percussion_control::replay::{loaded, momenta_at_end};
use percussion_control::{PlanSolution, Progress, find};
use percussion_geometry::Vec3;
use percussion_mechanics::contact::{JumpSource, MomentumJump, StepRecord};
use percussion_mechanics::discrete::Differentiator;
use percussion_mechanics::force::ForceError;
use percussion_mechanics::joint::motion::{Vec6, angular, linear};
use percussion_mechanics::{Ledger, Model, State};
use percussion_solve::nlp::Watch;
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

/// The arrays of a trajectory that only plans have; the last two only those that keep bodies apart.
pub const PLANNED: [&str; 5] =
    ["controls", "momentum_consistency", "reduced_momentum", "clearance", "clearance_between"];
/// The array of runs that plans have not: their intervals are not divided.
const UNDIVIDED: &str = "step_piece";
/// What takes the place of a scheme.
const SCHEME: &str = "plan";
/// Order of the discrete equations in time.
const ORDER: u32 = 2;

/// Looks for the manoeuvre that a scene asks for and writes it into a folder. `watch` is reported every iteration.
pub fn plan(
    mut scene: Scene,
    path: &Path,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Summary, RunError> {
    let clock = Instant::now();
    let PlanSettings { plan, guess, options } = scene.plan.take().ok_or(RunError::NoPlan)?;
    Folder::check(path)?;
    // Before the folder is touched: it may be the one that the guess is in.
    let guess = match guess {
        PlanGuess::Computed(guess) => guess,
        PlanGuess::Run(folder) => PlannedTrajectory::guess(Path::new(&folder), &plan)?,
    };
    let mut search = SearchLog::default();
    let mut found = find(&plan, &guess, &options, &mut |progress| {
        search.note(progress.record);
        watch(progress)
    })?;
    for (k, node) in found.nodes.iter_mut().enumerate() {
        node.steps = k as u64;
    }
    let seconds = clock.elapsed().as_secs_f64();
    let folder = Folder::begin(path, &scene.resolved)?;
    let mut recorder = PlanRecorder::open(&plan, &found, &folder)?;
    recorder.write(&search)?;
    let PlanRecorder { model, ledger, parts, warnings, overlap, figures, bytes, .. } = recorder;
    let state = &found.nodes[plan.intervals];
    let contact = ContactFigures { collisions: found.contacts.len() as u64, fallbacks: 0, overlap };
    let place = folder.file(folder::CHECKPOINT);
    let checkpoint = Checkpoint {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state: state.clone(),
        ledger: ledger.figures(),
        rows: parts.rows(),
        iterations: 0,
        wall_time: clock.elapsed().as_secs_f64(),
        figures,
        event_bytes: bytes,
        contact,
        since: RowExtremes::none(plan.step),
        memory: Vec::new(),
        stepping: ComplementarityStats::default(),
    };
    checkpoint.write(&place).map_err(RunError::at(&place))?;
    let course = RunStats {
        status: status(&found.ending),
        failure: None,
        warnings: scene.warnings.iter().cloned().chain(warnings).collect(),
        wall_time: clock.elapsed().as_secs_f64(),
        rows: parts.rows(),
        iterations: 0,
        contact,
        stepping: ComplementarityStats::default(),
    };
    let made = RunResult {
        model: &model,
        state,
        ledger: &ledger,
        scheme: SCHEME,
        order: ORDER,
        tolerances: vec![("constraints", options.tolerance)],
        h: plan.step,
    };
    let summary = Summary::new(&SceneInfo::from(&scene), &made, course);
    let summary = Summary { every: 1, plan: Some(PlanFigures::of(&plan, &found, seconds)), ..summary };
    // A summary holds numbers, words and lists of them: nothing that JSON cannot say.
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n";
    folder.write(folder::SUMMARY, &text)?;
    let place = folder.file(folder::PARTS);
    parts.remove().map_err(RunError::at(&place))?;
    Ok(summary)
}

fn status(ending: &Ending) -> Status {
    match ending {
        Ending::Optimal => Status::Finished,
        Ending::Stopped => Status::Interrupted,
        _ => Status::Failed,
    }
}

/// What is kept of a manoeuvre, row by row.
struct PlanRecorder<'a> {
    plan: &'a Plan,
    found: &'a PlanSolution,
    folder: &'a Folder,
    /// With the efforts as forces.
    model: Model,
    ledger: Ledger,
    parts: TrajectoryWriter,
    row: TrajectoryRow,
    /// Which columns of a run's row are kept.
    kept: Vec<bool>,
    figures: StepFigures,
    warnings: Vec<String>,
    overlap: f64,
    /// Bytes of events.
    bytes: u64,
}

impl<'a> PlanRecorder<'a> {
    fn open(plan: &'a Plan, found: &'a PlanSolution, folder: &'a Folder) -> Result<Self, RunError> {
        let times: Vec<f64> = found.nodes.iter().map(|node| node.time).collect();
        let mut warnings = Vec::new();
        let model = loaded(plan, &times, &found.efforts).unwrap_or_else(|error| {
            warnings.push(format!("energy errors contain the work of controls: {error}"));
            Model::clone(&plan.model)
        });
        let ledger = Ledger::new(&model, &found.nodes[0])?;
        let energy = ledger.initial().energy();
        let mut arrays = columns(&model, false);
        let kept: Vec<bool> = arrays.iter().map(|column| column.name != UNDIVIDED).collect();
        arrays.retain(|column| column.name != UNDIVIDED);
        let apart = found.clearances.len();
        let shapes = [plan.components(), 6, model.dofs, apart, apart];
        let own = PLANNED.iter().zip(shapes).take(if apart > 0 { PLANNED.len() } else { 3 });
        arrays.extend(own.map(|(name, n)| Column { name, shape: vec![n] }));
        let place = folder.file(folder::PARTS);
        let parts = TrajectoryWriter::create(&place, arrays).map_err(RunError::at(&place))?;
        let row = TrajectoryRow::new(&model, false);
        let figures = StepFigures { discrete_energy: energy, hamiltonian: energy, hidden: 0.0 };
        Ok(Self {
            plan,
            found,
            folder,
            model,
            ledger,
            parts,
            row,
            kept,
            figures,
            warnings,
            overlap: 0.0,
            bytes: 0,
        })
    }

    /// EventWriter and trajectory, with the course of the search.
    fn write(&mut self, search: &SearchLog) -> Result<(), RunError> {
        let (plan, found) = (self.plan, self.found);
        let m = plan.components();
        let mut events = self.folder.events(0)?;
        let place = self.folder.file(folder::EVENTS);
        let events_at = RunError::at(&place);
        let mut penetration_monitor = PenetrationMonitor::of(&self.model, &found.nodes[0]);
        let mut tool = Differentiator::default();
        self.keep(0, &mut penetration_monitor)?;
        for (k, ends) in found.nodes.windows(2).enumerate() {
            let (before, after) = (&ends[0], &ends[1]);
            let efforts = &found.efforts[k * m..(k + 1) * m];
            let mut arrived = after.clone();
            arrived.momenta = momenta_at_end(plan, (before, after), efforts, &mut tool)?;
            let h = after.time - before.time;
            let inside = self.jumps(k + 1, &arrived, after, h)?;
            let entry = self.ledger.record(&self.model, before, after, h, inside.as_ref())?;
            self.figures = StepFigures {
                discrete_energy: entry.discrete_energy,
                hamiltonian: entry.hamiltonian,
                hidden: entry.hidden,
            };
            self.keep(k + 1, &mut penetration_monitor)?;
            for contact in found.contacts.iter().filter(|contact| contact.node == k + 1) {
                events.write(&event(&self.model, contact, &arrived, after)).map_err(&events_at)?;
            }
        }
        events.sync().map_err(&events_at)?;
        self.bytes = events.bytes();
        let archive = self.folder.file(folder::TRAJECTORY);
        let mut arrays = fixed(&self.model);
        arrays.extend(planned_arrays::fixed(plan, found));
        arrays.extend(search.arrays());
        replace(&archive, |path| self.parts.assemble(path, &arrays)).map_err(RunError::at(&archive))
    }

    /// What planned contacts did at a node; nothing where there is none.
    fn jumps(
        &self,
        node: usize,
        arrived: &State,
        after: &State,
        since: f64,
    ) -> Result<Option<StepRecord>, ForceError> {
        let mut inside = StepRecord::default();
        let (slow, fast) = (self.model.twists(arrived), self.model.twists(after));
        for (i, island) in self.model.islands.iter().enumerate() {
            let touched = self.plan.meetings.iter().any(|meeting| {
                // A joint that a contact made acts at every node until it leaves.
                let last =
                    meeting.tie.map_or(meeting.node, |_| meeting.released.unwrap_or(self.plan.intervals));
                let own = [meeting.bodies.0, meeting.bodies.1].map(|body| self.model.slots[body]);
                (meeting.node..=last).contains(&node)
                    && own.iter().flatten().any(|slot| island.bodies.contains(slot))
            });
            if !touched {
                continue;
            }
            inside.node(i, island, after, since);
            for slot in island.bodies.clone() {
                let link = &self.model.links[slot];
                let r = &after.rotations[slot];
                let change = fast[slot] - slow[slot];
                let gained = linear(&change) * link.mass;
                let spin = r * link.inertia.component_mul(&r.tr_mul(&angular(&change)));
                inside.jumps.push(MomentumJump {
                    cause: JumpSource::Contact,
                    slot,
                    linear: gained,
                    angular: after.positions[slot].cross(&gained) + spin,
                    energy: kinetic(&self.model, after, slot, &fast[slot])
                        - kinetic(&self.model, after, slot, &slow[slot]),
                });
            }
        }
        Ok((!inside.nodes.is_empty()).then_some(inside))
    }

    /// Adds a node to the trajectory.
    fn keep(
        &mut self,
        node: usize,
        penetration_monitor: &mut Option<PenetrationMonitor>,
    ) -> Result<(), RunError> {
        let (found, m) = (self.found, self.plan.components());
        let state = &found.nodes[node];
        let deepest =
            penetration_monitor.as_mut().and_then(|o| o.deepest(state)).map_or(0.0, |(overlap, _)| overlap);
        self.overlap = self.overlap.max(deepest);
        let since = RowExtremes { overlap: deepest, ..RowExtremes::none(self.plan.step) };
        self.row.fill(&self.model, state, &self.ledger, &self.figures, &since);
        // Efforts hold from a node to the next; after the last nothing is planned.
        let k = node.min(self.plan.intervals - 1);
        let consistency = if node == 0 { &[0.0; 6] } else { &found.consistency[node - 1] };
        let at: Vec<f64> = found.clearances.iter().map(|c| c.at[node]).collect();
        let between: Vec<f64> = found.clearances.iter().map(|c| c.between[k]).collect();
        let own: [&[f64]; 5] =
            [&found.efforts[k * m..(k + 1) * m], consistency, &state.momenta, &at, &between];
        let own = own.into_iter().take(if at.is_empty() { 3 } else { PLANNED.len() });
        let run = self.row.slices().zip(&self.kept).filter(|(_, kept)| **kept).map(|(slice, _)| slice);
        let pushed = self.parts.push(run.chain(own));
        pushed.map_err(RunError::at(&self.folder.file(folder::PARTS)))
    }
}

/// Kinetic energy of a body with a twist, J.
fn kinetic(model: &Model, state: &State, slot: usize, twist: &Vec6) -> f64 {
    let link = &model.links[slot];
    let turning = state.rotations[slot].tr_mul(&angular(twist));
    0.5 * (link.mass * linear(twist).norm_squared() + turning.dot(&link.inertia.component_mul(&turning)))
}

/// A planned contact as a line of the events, with the states before and after it.
fn event<'a>(model: &'a Model, contact: &Contact, before: &State, after: &State) -> EventRecord<'a> {
    let name = |body: usize| Cow::Borrowed(model.bodies[body].name.as_str());
    let met = [contact.bodies.0, contact.bodies.1];
    let speed = |state: &State| {
        let twists = model.twists(state);
        let velocity = |body: usize| match model.slots[body] {
            Some(slot) => {
                let arm = contact.point - state.positions[slot];
                linear(&twists[slot]) + angular(&twists[slot]).cross(&arm)
            }
            None => model
                .driven(body)
                .map_or_else(Vec3::zeros, |motion| motion.twist(state.time).velocity(&contact.point)),
        };
        contact.normal.dot(&(velocity(met[0]) - velocity(met[1])))
    };
    let energy = |state: &State| {
        let twists = model.twists(state);
        let slots = met.map(|body| model.slots[body]);
        let islands = model.islands.iter();
        let own = islands.filter(|island| slots.iter().flatten().any(|slot| island.bodies.contains(slot)));
        own.flat_map(|island| island.bodies.clone())
            .map(|slot| kinetic(model, state, slot, &twists[slot]))
            .sum::<f64>()
    };
    EventRecord {
        time: contact.time,
        bodies: [name(met[0]), name(met[1])],
        point: contact.point.into(),
        normal: contact.normal.into(),
        impulse: contact.impulse.into(),
        kind: Cow::Borrowed("planned"),
        energy_before: energy(before),
        energy_after: energy(after),
        normal_velocity_before: speed(before),
        normal_velocity_after: speed(after),
    }
}
