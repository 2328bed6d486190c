//! A run: from a scene to its run folder.
//!
//! ```text
//! begin or resume the folder
//! until the end, a failure or an interruption     step; record contacts; measure penetration; add every n-th state to the
//!                                                 trajectory; flush; write a checkpoint every few seconds
//! assemble the trajectory; write the last checkpoint and the summary
//! ```
//!
//! A checkpoint is written after the rows that it counts are on the disk, so that the folder can be resumed at any moment, also after
//! the process was killed.

use super::checkpoint::{Checkpoint, ContactFigures, saved_ledger};
use super::complementarity::ComplementarityStats;
use super::error::RunError;
use super::events::EventWriter;
use super::extremes::{RowExtremes, SubstepTracker};
use super::folder::{self, Folder};
use super::follower::PlanFollower;
use super::replace::replace;
use super::row::{RowBuilder, StepFigures, constant_arrays, growing_arrays};
use super::shooting_figures::ShootFigures;
use super::summary::{Failure, RunResult, RunStats, SceneInfo, Status, Summary};
use super::writer::TrajectoryWriter;
use crate::Scene;
use crate::penetration::PenetrationMonitor;
use percussion_mechanics::ledger::LedgerEntry;
use percussion_mechanics::{Scheme, Simulation, State};
use std::mem;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between checkpoints: the computing time that is lost when the process is killed.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(4);

/// Time between flushes of events and rows, which make them visible to other processes.
const BETWEEN_FLUSHES: Duration = Duration::from_millis(500);

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps since the start of the scene.
    pub steps: u64,
    /// Steps of the whole run.
    pub total: u64,
    /// Steps that had been taken when this part of the run began.
    pub from: u64,
    /// Time of the scene, s.
    pub time: f64,
}

/// Runs a scene into a folder. `observe` is called after every step and decides whether to continue.
pub fn run(
    scene: Scene,
    path: &Path,
    resume: bool,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Summary, RunError> {
    let session = if resume { Session::resume(scene, path) } else { Session::begin(scene, path, None) };
    let mut session = session?;
    let (status, failure) = session.advance(observe)?;
    session.close(status, failure)
}

/// Runs a scene from the initial conditions of a shooting problem, whose outcome decides about the status of the run.
pub(super) fn run_shooting(
    scene: Scene,
    path: &Path,
    figures: ShootFigures,
    outcome: Status,
) -> Result<Summary, RunError> {
    let mut session = Session::begin(scene, path, None)?;
    session.shoot = Some(figures);
    let (status, failure) = session.advance(&mut |_| ControlFlow::Continue(()))?;
    session.close(if status == Status::Finished { outcome } else { status }, failure)
}

/// A scene with its scheme, ready for the first step. All errors that can be found before a run are found here.
pub fn prepare(scene: Scene) -> Result<Simulation, RunError> {
    let scheme = scheme(&scene, &scene.state)?;
    Ok(Simulation::new(scene.model, scene.state, scheme, scene.run.step)?)
}

/// The scheme of a scene, at a state.
fn scheme(scene: &Scene, state: &State) -> Result<Box<dyn Scheme + Send>, RunError> {
    Ok(scene.run.scheme.build(&scene.model, state, &scene.run.options)?)
}

pub(super) struct Session {
    folder: Folder,
    scene: SceneInfo,
    simulation: Simulation,
    trajectory: TrajectoryWriter,
    row: RowBuilder,
    events: EventWriter,
    penetration: Option<PenetrationMonitor>,
    contact: ContactFigures,
    substeps: SubstepTracker,
    extremes: RowExtremes,
    complementarity: ComplementarityStats,
    /// Figures of the last step; at the start, the energy there.
    figures: StepFigures,
    /// Steps from a row to the next.
    every: u64,
    total: u64,
    iterations: u64,
    warnings: Vec<String>,
    /// Computing time of earlier parts of the run, s.
    earlier_wall_time: f64,
    clock: Instant,
    /// The plan that the run follows, if any.
    follower: Option<PlanFollower>,
    /// The shooting problem that gave the initial conditions, if any.
    shoot: Option<ShootFigures>,
}

impl Session {
    pub(super) fn begin(
        mut scene: Scene,
        path: &Path,
        follower: Option<PlanFollower>,
    ) -> Result<Self, RunError> {
        let clock = Instant::now();
        let (info, every) = (SceneInfo::from(&scene), scene.run.every as u64);
        let total = follower.as_ref().map_or_else(|| scene.run.steps(), |f| f.intervals() as u64);
        let (warnings, resolved) = (mem::take(&mut scene.warnings), mem::take(&mut scene.resolved));
        // Before the folder is touched: an old run is not removed for a scene that cannot run.
        let simulation = prepare(scene)?;
        let folder = Folder::begin(path, &resolved)?;
        let place = folder.file(folder::PARTS);
        let arrays =
            growing_arrays(simulation.model(), simulation.scheme().capabilities().uses_complementarity());
        let row = RowBuilder::new(simulation.model(), &arrays);
        let trajectory = TrajectoryWriter::create(&place, arrays).map_err(RunError::at(&place))?;
        let events = folder.events(0)?;
        let energy = simulation.ledger().initial().energy();
        let mut session = Self {
            folder,
            scene: info,
            trajectory,
            row,
            events,
            penetration: PenetrationMonitor::new(simulation.model(), simulation.state()),
            complementarity: ComplementarityStats::default(),
            contact: ContactFigures::default(),
            substeps: SubstepTracker::new(simulation.model().islands.len()),
            extremes: RowExtremes::new(simulation.step_size()),
            figures: StepFigures { discrete_energy: energy, hamiltonian: energy, hidden_violation: 0.0 },
            simulation,
            every,
            total,
            iterations: 0,
            warnings,
            earlier_wall_time: 0.0,
            clock,
            follower,
            shoot: None,
        };
        session.measure_penetration();
        session.push_regular_row()?;
        session.trajectory.flush().map_err(RunError::at(&place))?;
        session.write_checkpoint(1)?;
        Ok(session)
    }

    fn resume(scene: Scene, path: &Path) -> Result<Self, RunError> {
        let clock = Instant::now();
        let (info, every, total) = (SceneInfo::from(&scene), scene.run.every as u64, scene.run.steps());
        let (folder, checkpoint) = Folder::resume(path, &scene.resolved)?;
        let Checkpoint { version, state, .. } = checkpoint;
        if state.steps > total {
            return Err(RunError::Beyond { done: state.steps, wanted: total });
        }
        if !is_of_same_model(&state, &scene.state) {
            return Err(RunError::CheckpointMismatch("it has other bodies".into()));
        }
        let scheme = scheme(&scene, &state)?;
        let mut warnings = scene.warnings;
        let here = env!("CARGO_PKG_VERSION");
        if version != here {
            warnings.push(format!(
                "started by version {version} and resumed by {here}: the result may not be bitwise identical to that of an uninterrupted run"
            ));
        }
        let mut simulation = Simulation::new(scene.model, state, scheme, scene.run.step)?;
        simulation.restore_ledger(&checkpoint.ledger)?;
        if !simulation.restore_warm_start(&checkpoint.scheme) {
            return Err(RunError::CheckpointMismatch("it has the warm start of another scheme".into()));
        }
        let (place, archive) = (folder.file(folder::PARTS), folder.file(folder::TRAJECTORY));
        let arrays =
            growing_arrays(simulation.model(), simulation.scheme().capabilities().uses_complementarity());
        let row = RowBuilder::new(simulation.model(), &arrays);
        // A run that was killed has its growing files; one that ended has the assembled archive.
        let trajectory = TrajectoryWriter::open(&place, arrays.clone(), checkpoint.rows)
            .or_else(|_| TrajectoryWriter::unpack(&archive, &place, arrays, checkpoint.rows))
            .map_err(RunError::at(&archive))?;
        let events = folder.events(checkpoint.event_bytes)?;
        Ok(Self {
            folder,
            scene: info,
            trajectory,
            row,
            events,
            penetration: PenetrationMonitor::new(simulation.model(), simulation.state()),
            complementarity: checkpoint.complementarity,
            contact: checkpoint.contact,
            substeps: SubstepTracker::new(simulation.model().islands.len()),
            extremes: checkpoint.extremes,
            simulation,
            figures: checkpoint.figures,
            every,
            total,
            iterations: checkpoint.iterations,
            warnings,
            earlier_wall_time: checkpoint.wall_time,
            clock,
            follower: None,
            shoot: None,
        })
    }

    /// Steps until the end, a failure or an interruption.
    pub(super) fn advance(
        &mut self,
        observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(Status, Option<Failure>), RunError> {
        let from = self.simulation.state().steps;
        let (mut saved, mut flushed) = (Instant::now(), Instant::now());
        if from == 0 {
            self.start_interval()?;
        }
        while self.simulation.state().steps < self.total {
            match self.simulation.step() {
                Err(failure) => return Ok((Status::Failed, Some(Failure::from(&failure)))),
                Ok(entry) => {
                    let LedgerEntry { discrete_energy, hamiltonian, hidden, .. } = entry;
                    self.figures = StepFigures { discrete_energy, hamiltonian, hidden_violation: hidden };
                }
            }
            self.iterations = self.iterations.max(self.simulation.solver_stats().iterations as u64);
            self.record_contacts()?;
            self.measure_penetration();
            if let Some(follower) = &mut self.follower {
                follower.compare(&self.simulation);
            }
            self.start_interval()?;
            let state = self.simulation.state();
            let progress = Progress { steps: state.steps, total: self.total, from, time: state.time };
            if state.steps.is_multiple_of(self.every) {
                self.push_regular_row()?;
            }
            let now = Instant::now();
            if now - saved > BETWEEN_CHECKPOINTS {
                let place = self.folder.file(folder::PARTS);
                self.trajectory.sync().map_err(RunError::at(&place))?;
                self.write_checkpoint(self.trajectory.rows())?;
                (saved, flushed) = (Instant::now(), Instant::now());
            } else if now - flushed > BETWEEN_FLUSHES {
                self.flush()?;
                flushed = now;
            }
            if observe(&progress).is_break() && progress.steps < self.total {
                return Ok((Status::Interrupted, None));
            }
        }
        Ok((Status::Finished, None))
    }

    /// Prepares the next interval of a plan that the run follows, and records the joints that contacts make at its beginning.
    fn start_interval(&mut self) -> Result<(), RunError> {
        let Some(follower) = self.follower.as_mut().filter(|_| self.simulation.state().steps < self.total)
        else {
            return Ok(());
        };
        let added = follower.start_interval(&mut self.simulation)?;
        let (model, time) = (self.simulation.model(), self.simulation.state().time);
        for event in follower.joint_events(added, model, time) {
            self.events.write(&event).map_err(RunError::at(&self.folder.file(folder::EVENTS)))?;
            self.contact.collisions += 1;
        }
        Ok(())
    }

    /// Records the contacts of the last step.
    fn record_contacts(&mut self) -> Result<(), RunError> {
        let Some(record) = self.simulation.step_record() else { return Ok(()) };
        self.contact.fallbacks += record.fallbacks;
        self.contact.unsolved += u64::from(record.unsolved > 0);
        self.contact.unfinished += record.unfinished_sequences;
        self.contact.residual = self.contact.residual.max(record.contact_residual);
        self.complementarity.add(record);
        self.extremes.complementarity.add(record);
        let substep = self.substeps.smallest(record, self.simulation.step_size());
        self.extremes.substep_min = self.extremes.substep_min.min(substep);
        for impact in &record.impacts {
            let written = self.events.push(impact, self.simulation.model());
            let place = || self.folder.file(folder::EVENTS);
            self.contact.collisions += u64::from(written.map_err(|error| RunError::at(&place())(error))?);
        }
        Ok(())
    }

    fn measure_penetration(&mut self) {
        if let Some(monitor) = &mut self.penetration {
            let (depth, _) = monitor.deepest(self.simulation.state()).unwrap_or_default();
            self.contact.penetration = self.contact.penetration.max(depth);
            self.extremes.penetration = self.extremes.penetration.max(depth);
        }
    }

    /// Adds the present state, the n-th since the previous row, to the trajectory and resets the extremes.
    fn push_regular_row(&mut self) -> Result<(), RunError> {
        self.push_row()?;
        self.extremes = RowExtremes::new(self.simulation.step_size());
        Ok(())
    }

    /// Adds the present state to the trajectory.
    fn push_row(&mut self) -> Result<(), RunError> {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let row = self.row.build(model, state, self.simulation.ledger(), &self.figures, &self.extremes);
        self.trajectory.push(row).map_err(|error| RunError::at(&self.folder.file(folder::PARTS))(error))
    }

    /// Passes buffered data to the operating system, events before the states that they led to.
    fn flush(&mut self) -> Result<(), RunError> {
        let folder = &self.folder;
        let at = |name: &'static str| move |error| RunError::at(&folder.file(name))(error);
        self.events.flush().map_err(at(folder::EVENTS))?;
        self.trajectory.flush().map_err(at(folder::PARTS))
    }

    /// Writes a checkpoint that counts `rows` of the trajectory and all events so far.
    fn write_checkpoint(&mut self, rows: u64) -> Result<(), RunError> {
        self.events.sync().map_err(RunError::at(&self.folder.file(folder::EVENTS)))?;
        let place = self.folder.file(folder::CHECKPOINT);
        let checkpoint = Checkpoint {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            state: self.simulation.state().clone(),
            ledger: saved_ledger(self.simulation.ledger()),
            scheme: self.simulation.save_warm_start(),
            rows,
            iterations: self.iterations,
            wall_time: self.wall_time(),
            figures: self.figures,
            event_bytes: self.events.bytes(),
            contact: self.contact,
            extremes: self.extremes,
            complementarity: self.complementarity,
        };
        checkpoint.write(&place).map_err(RunError::at(&place))
    }

    fn wall_time(&self) -> f64 {
        self.earlier_wall_time + self.clock.elapsed().as_secs_f64()
    }

    /// Completes the folder.
    pub(super) fn close(mut self, status: Status, failure: Option<Failure>) -> Result<Summary, RunError> {
        let rows = self.trajectory.rows();
        // The last state is always a row of the archive. The checkpoint counts it only if it is an n-th state: a run that is
        // resumed then has the same rows as an uninterrupted one.
        if !self.simulation.state().steps.is_multiple_of(self.every) {
            self.push_row()?;
        }
        let archive = self.folder.file(folder::TRAJECTORY);
        let arrays = constant_arrays(self.simulation.model());
        replace(&archive, |path| self.trajectory.assemble(path, &arrays)).map_err(RunError::at(&archive))?;
        self.write_checkpoint(rows)?;
        let stats = RunStats {
            status,
            failure,
            wall_time: self.wall_time(),
            warnings: self.warnings,
            rows: self.trajectory.rows(),
            iterations: self.iterations,
            contact: self.contact,
            complementarity: self.complementarity,
        };
        let replay = self.follower.as_ref().map(|follower| follower.figures(self.simulation.model()));
        let (shoot, result) = (self.shoot.take(), RunResult::from(&self.simulation));
        let summary = Summary { replay, shoot, ..Summary::new(&self.scene, &result, stats) };
        summary.write(&self.folder)?;
        let place = self.folder.file(folder::PARTS);
        self.trajectory.remove().map_err(RunError::at(&place))?;
        Ok(summary)
    }
}

/// Whether two states have the same numbers of bodies, coordinates and momenta.
fn is_of_same_model(a: &State, b: &State) -> bool {
    a.positions.len() == b.positions.len()
        && a.rotations.len() == b.rotations.len()
        && a.coordinates.len() == b.coordinates.len()
        && a.momenta.len() == b.momenta.len()
}
