//! Planning: solves the optimal control problem of a scene with `[plan]` and writes the result into a run folder, with nodes in place
//! of steps and planned contacts in place of collisions.
//!
//! ```text
//! initial guess -> optimiser -> solution
//! control inputs as forces, momenta before and after contacts -> the ledger records interval after interval -> rows
//! events, trajectory, a checkpoint that marks the folder, summary
//! ```
//!
//! The ledger is that of the simulator and independent of the nonlinear program: energy or momentum that does not come from the controls
//! is unaccounted there.

use super::checkpoint::{Checkpoint, ContactFigures, saved_ledger};
use super::complementarity::ComplementarityStats;
use super::error::RunError;
use super::events::EventRecord;
use super::extremes::RowExtremes;
use super::folder::{self, Folder};
use super::planned_arrays::{self, GUARDED, PLANNED, SearchLog};
use super::planned_figures::PlanFigures;
use super::planned_trajectory::PlannedTrajectory;
use super::replace::replace;
use super::row::{RowBuilder, StepFigures, constant_arrays, growing_arrays};
use super::summary::{RunResult, RunStats, SceneInfo, Status, Summary};
use super::writer::{GrowingArray, TrajectoryWriter};
use crate::penetration::PenetrationMonitor;
use crate::{PlanGuess, PlanSettings, Scene};
use percussion_control::plan::Plan;
use percussion_control::replay::{model_with_controls, momenta_at_end};
use percussion_control::solution::{ContactSolution, Outcome};
use percussion_control::{PlanSolution, Progress, solve};
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::Differentiator;
use percussion_mechanics::force::ForceError;
use percussion_mechanics::spatial::{Vec6, angular, linear};
use percussion_mechanics::step_record::{JumpSource, MomentumJump, StepRecord};
use percussion_mechanics::{Ledger, Model, NamedArrays, State};
use percussion_solve::nlp::CallbackAction;
use std::path::Path;
use std::time::Instant;

/// The array of runs that plans do not have: their intervals are not divided.
const UNDIVIDED: &str = "substep_min";
/// The entry `scheme` of the summary.
const SCHEME: &str = "plan";
/// Order of the discrete equations in time.
const ORDER: u32 = 2;

/// Solves the optimal control problem of a scene and writes the solution into a folder. `observe` is called at every iteration.
pub fn plan(
    mut scene: Scene,
    path: &Path,
    observe: &mut dyn FnMut(&Progress) -> CallbackAction,
) -> Result<Summary, RunError> {
    let clock = Instant::now();
    let PlanSettings { plan, guess, options } = scene.plan.take().ok_or(RunError::NoPlan)?;
    Folder::check(path)?;
    // Before the folder is touched: it may be the one of the guess.
    let guess = match guess {
        PlanGuess::Computed(guess) => guess,
        PlanGuess::Run(folder) => PlannedTrajectory::guess(Path::new(&folder), &plan)?,
    };
    let mut search = SearchLog::default();
    let mut found = solve(&plan, &guess, &options, &mut |progress| {
        search.push(progress.record);
        observe(progress)
    })?;
    for (k, node) in found.nodes.iter_mut().enumerate() {
        node.steps = k as u64;
    }
    let seconds = clock.elapsed().as_secs_f64();
    let folder = Folder::begin(path, &scene.resolved)?;
    let mut recorder = PlanRecorder::new(&plan, &found, &folder)?;
    recorder.write(&search)?;
    let PlanRecorder { model, ledger, trajectory, warnings, penetration, figures, event_bytes, .. } =
        recorder;
    let state = &found.nodes[plan.intervals];
    let contact =
        ContactFigures { collisions: found.contacts.len() as u64, penetration, ..ContactFigures::default() };
    let place = folder.file(folder::CHECKPOINT);
    let checkpoint = Checkpoint {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state: state.clone(),
        ledger: saved_ledger(&ledger),
        scheme: NamedArrays::default(),
        rows: trajectory.rows(),
        iterations: 0,
        wall_time: clock.elapsed().as_secs_f64(),
        figures,
        event_bytes,
        contact,
        extremes: RowExtremes::new(plan.step),
        complementarity: ComplementarityStats::default(),
    };
    checkpoint.write(&place).map_err(RunError::at(&place))?;
    let stats = RunStats {
        status: status(&found.outcome),
        failure: None,
        warnings: scene.warnings.iter().cloned().chain(warnings).collect(),
        wall_time: clock.elapsed().as_secs_f64(),
        rows: trajectory.rows(),
        iterations: 0,
        contact,
        complementarity: ComplementarityStats::default(),
    };
    let result = RunResult {
        model: &model,
        state,
        ledger: &ledger,
        scheme: SCHEME,
        order: ORDER,
        tolerances: vec![("constraints", options.tolerance)],
        h: plan.step,
    };
    let summary = Summary::new(&SceneInfo::from(&scene), &result, stats);
    let summary = Summary { every: 1, plan: Some(PlanFigures::new(&plan, &found, seconds)), ..summary };
    summary.write(&folder)?;
    let place = folder.file(folder::PARTS);
    trajectory.remove().map_err(RunError::at(&place))?;
    Ok(summary)
}

fn status(ending: &Outcome) -> Status {
    match ending {
        Outcome::Optimal => Status::Finished,
        Outcome::Interrupted => Status::Interrupted,
        _ => Status::Failed,
    }
}

/// Writes events and rows of a solution.
struct PlanRecorder<'a> {
    plan: &'a Plan,
    found: &'a PlanSolution,
    folder: &'a Folder,
    /// With the control inputs as forces.
    model: Model,
    ledger: Ledger,
    trajectory: TrajectoryWriter,
    row: RowBuilder,
    figures: StepFigures,
    warnings: Vec<String>,
    /// Largest penetration at nodes, m.
    penetration: f64,
    event_bytes: u64,
}

impl<'a> PlanRecorder<'a> {
    fn new(plan: &'a Plan, found: &'a PlanSolution, folder: &'a Folder) -> Result<Self, RunError> {
        let times: Vec<f64> = found.nodes.iter().map(|node| node.time).collect();
        let mut warnings = Vec::new();
        let model = model_with_controls(plan, &times, &found.inputs).unwrap_or_else(|error| {
            warnings.push(format!("energy errors contain the work of the controls: {error}"));
            Model::clone(&plan.model)
        });
        let ledger = Ledger::new(&model, &found.nodes[0])?;
        let energy = ledger.initial().energy();
        let mut arrays = growing_arrays(&model, false);
        arrays.retain(|array| array.name != UNDIVIDED);
        let array = |(name, width): (&'static str, usize)| GrowingArray { name, shape: vec![width] };
        arrays.extend(PLANNED.into_iter().zip([plan.components(), 6, model.dofs]).map(array));
        let pairs = found.clearances.len();
        if pairs > 0 {
            arrays.extend(GUARDED.map(|name| array((name, pairs))));
        }
        let row = RowBuilder::new(&model, &arrays);
        let place = folder.file(folder::PARTS);
        let trajectory = TrajectoryWriter::create(&place, arrays).map_err(RunError::at(&place))?;
        let figures = StepFigures { discrete_energy: energy, hamiltonian: energy, hidden_violation: 0.0 };
        Ok(Self {
            plan,
            found,
            folder,
            model,
            ledger,
            trajectory,
            row,
            figures,
            warnings,
            penetration: 0.0,
            event_bytes: 0,
        })
    }

    /// EventWriter and trajectory, with the course of the search.
    fn write(&mut self, search: &SearchLog) -> Result<(), RunError> {
        let (plan, found) = (self.plan, self.found);
        let m = plan.components();
        let mut events = self.folder.events(0)?;
        let place = self.folder.file(folder::EVENTS);
        let events_at = RunError::at(&place);
        let mut monitor = PenetrationMonitor::new(&self.model, &found.nodes[0]);
        let mut tool = Differentiator::default();
        self.push_row(0, &mut monitor)?;
        for (k, ends) in found.nodes.windows(2).enumerate() {
            let (before, after) = (&ends[0], &ends[1]);
            let inputs = &found.inputs[k * m..(k + 1) * m];
            let mut arrived = after.clone();
            arrived.momenta = momenta_at_end(plan, (before, after), inputs, &mut tool)?;
            let h = after.time - before.time;
            let record = self.contact_jumps(k + 1, &arrived, after, h)?;
            let entry = self.ledger.record(&self.model, before, after, h, record.as_ref())?;
            self.figures = StepFigures {
                discrete_energy: entry.discrete_energy,
                hamiltonian: entry.hamiltonian,
                hidden_violation: entry.hidden,
            };
            self.push_row(k + 1, &mut monitor)?;
            for contact in found.contacts.iter().filter(|contact| contact.node == k + 1) {
                events.write(&event(&self.model, contact, &arrived, after)).map_err(&events_at)?;
            }
        }
        events.sync().map_err(&events_at)?;
        self.event_bytes = events.bytes();
        let archive = self.folder.file(folder::TRAJECTORY);
        let mut arrays = constant_arrays(&self.model);
        arrays.extend(planned_arrays::constant_arrays(plan, found));
        arrays.extend(search.arrays());
        replace(&archive, |path| self.trajectory.assemble(path, &arrays)).map_err(RunError::at(&archive))
    }

    /// The momentum jumps of planned contacts at a node; none where there is none.
    fn contact_jumps(
        &self,
        node: usize,
        arrived: &State,
        after: &State,
        since: f64,
    ) -> Result<Option<StepRecord>, ForceError> {
        let mut record = StepRecord::default();
        let (before, after_twists) = (self.model.twists(arrived), self.model.twists(after));
        for (i, island) in self.model.islands.iter().enumerate() {
            let in_contact = self.plan.contacts.iter().any(|meeting| {
                // A joint made by a contact acts at every node until it is released.
                let last = meeting
                    .joint
                    .map_or(meeting.node, |_| meeting.release_node.unwrap_or(self.plan.intervals));
                let own = [meeting.bodies.0, meeting.bodies.1].map(|body| self.model.slots[body]);
                (meeting.node..=last).contains(&node)
                    && own.iter().flatten().any(|slot| island.bodies.contains(slot))
            });
            if !in_contact {
                continue;
            }
            record.node(i, island, after, since);
            for slot in island.bodies.clone() {
                let link = &self.model.links[slot];
                let r = &after.rotations[slot];
                let change = after_twists[slot] - before[slot];
                let gained = linear(&change) * link.mass;
                let spin = r * link.inertia.component_mul(&r.tr_mul(&angular(&change)));
                record.jumps.push(MomentumJump {
                    source: JumpSource::Contact,
                    slot,
                    linear: gained,
                    angular: after.positions[slot].cross(&gained) + spin,
                    energy: kinetic(&self.model, after, slot, &after_twists[slot])
                        - kinetic(&self.model, after, slot, &before[slot]),
                });
            }
        }
        Ok((!record.nodes.is_empty()).then_some(record))
    }

    /// Adds a node to the trajectory.
    fn push_row(&mut self, node: usize, monitor: &mut Option<PenetrationMonitor>) -> Result<(), RunError> {
        let (found, m) = (self.found, self.plan.components());
        let state = &found.nodes[node];
        let deepest = monitor.as_mut().and_then(|monitor| monitor.deepest(state));
        let penetration = deepest.map_or(0.0, |(depth, _)| depth);
        self.penetration = self.penetration.max(penetration);
        let extremes = RowExtremes { penetration, ..RowExtremes::new(self.plan.step) };
        let row = self.row.build(&self.model, state, &self.ledger, &self.figures, &extremes);
        // Control inputs hold from a node to the next; the last row repeats those of the last interval.
        let k = node.min(self.plan.intervals - 1);
        let consistency = if node == 0 { [0.0; 6] } else { found.consistency[node - 1] };
        row.set("controls", found.inputs[k * m..(k + 1) * m].iter().copied());
        row.set("momentum_consistency", consistency);
        row.set("reduced_momentum", state.momenta.iter().copied());
        row.set("clearance", found.clearances.iter().map(|c| c.at[node]));
        row.set("clearance_between", found.clearances.iter().map(|c| c.between[k]));
        self.trajectory.push(row).map_err(RunError::at(&self.folder.file(folder::PARTS)))
    }
}

/// Kinetic energy of a body with a twist, J.
fn kinetic(model: &Model, state: &State, slot: usize, twist: &Vec6) -> f64 {
    let link = &model.links[slot];
    let turning = state.rotations[slot].tr_mul(&angular(twist));
    0.5 * (link.mass * linear(twist).norm_squared() + turning.dot(&link.inertia.component_mul(&turning)))
}

/// The event of a planned contact, with the states before and after it.
fn event<'a>(model: &'a Model, contact: &ContactSolution, before: &State, after: &State) -> EventRecord<'a> {
    let pair = [contact.bodies.0, contact.bodies.1];
    let speed = |state: &State| {
        let twists = model.twists(state);
        let velocity = |body: usize| match model.slots[body] {
            Some(slot) => {
                let arm = contact.point - state.positions[slot];
                linear(&twists[slot]) + angular(&twists[slot]).cross(&arm)
            }
            None => model
                .prescribed_motion(body)
                .map_or_else(Vec3::zeros, |motion| motion.twist(state.time).velocity(&contact.point)),
        };
        contact.normal.dot(&(velocity(pair[0]) - velocity(pair[1])))
    };
    let energy = |state: &State| {
        let twists = model.twists(state);
        let slots = pair.map(|body| model.slots[body]);
        let islands = model.islands.iter();
        let own = islands.filter(|island| slots.iter().flatten().any(|slot| island.bodies.contains(slot)));
        own.flat_map(|island| island.bodies.clone())
            .map(|slot| kinetic(model, state, slot, &twists[slot]))
            .sum::<f64>()
    };
    let vectors = [contact.point, contact.normal, contact.impulse];
    let (energy, speed) = ((energy(before), energy(after)), (speed(before), speed(after)));
    EventRecord::of(model, "planned", contact.time, contact.bodies, vectors, energy, speed)
}
