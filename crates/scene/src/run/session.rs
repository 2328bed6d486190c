//! A run from its scene to its folder: the step loop, what is kept, and when.
//!
//! ```text
//! begin or resume the folder
//! until the end, a failure or a stop     advance; keep every n-th state; let others see it; a checkpoint every few seconds
//! assemble the trajectory, the summary, the last checkpoint
//! ```
//!
//! A checkpoint is written after the rows it counts are on the disk, so the folder can be resumed at any moment, also after
//! the process was killed.

use super::checkpoint::{Checkpoint, ContactFigures, replace};
use super::complementarity::ComplementarityStats;
use super::error::RunError;
use super::events::EventWriter;
use super::extremes::{RowExtremes, SubstepTracker};
use super::folder::{self, Folder};
use super::replay::PlanFollower;
use super::row::{StepFigures, TrajectoryRow, columns, fixed};
use super::shooting::ShootFigures;
use super::summary::{Failure, RunResult, RunStats, SceneInfo, Status, Summary};
use super::writer::TrajectoryWriter;
use crate::Scene;
use crate::penetration::PenetrationMonitor;
use percussion_mechanics::ledger::LedgerEntry;
use percussion_mechanics::schemes;
use percussion_mechanics::{Scheme, Simulation, State};
use std::mem;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between checkpoints: what is lost when the process is killed.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(4);

/// Time after which whoever follows the run sees what has happened.
const BETWEEN_FLUSHES: Duration = Duration::from_millis(500);

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken since the start of the scene.
    pub steps: u64,
    /// Steps to take.
    pub total: u64,
    /// Steps that were there when this part of the run began.
    pub from: u64,
    /// Time of the scene, s.
    pub time: f64,
}

/// Runs a scene into a folder. `watch` is asked after every step whether to go on.
pub fn run(
    scene: Scene,
    path: &Path,
    resume: bool,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Summary, RunError> {
    let mut session = Session::open(scene, path, resume)?;
    let (status, failure) = session.advance(watch)?;
    session.close(status, failure)
}

/// Runs a scene from initial conditions that were looked for; how that search ended is how the run is said to have ended.
pub(super) fn run_shooting(
    scene: Scene,
    path: &Path,
    figures: ShootFigures,
    ended: Status,
) -> Result<Summary, RunError> {
    let mut session = Session::begun(scene, path, None)?;
    session.shooting = Some(figures);
    let (status, failure) = session.advance(&mut |_| ControlFlow::Continue(()))?;
    session.close(if status == Status::Finished { ended } else { status }, failure)
}

/// A scene with its scheme, ready for its first step: everything that can be wrong before it is found here.
pub fn prepare(scene: Scene) -> Result<Simulation, RunError> {
    let scheme = scheme(&scene, &scene.state)?;
    Ok(Simulation::new(scene.model, scene.state, scheme, scene.run.step)?)
}

/// The scheme a scene asks for, at a state of it.
fn scheme(scene: &Scene, state: &State) -> Result<Box<dyn Scheme + Send>, RunError> {
    Ok(schemes::by_name(&scene.run.scheme, &scene.model, state, &scene.run.options)?)
}

pub(super) struct Session {
    folder: Folder,
    scene_info: SceneInfo,
    simulation: Simulation,
    parts: TrajectoryWriter,
    row: TrajectoryRow,
    events: EventWriter,
    penetration_monitor: Option<PenetrationMonitor>,
    contact: ContactFigures,
    pieces: SubstepTracker,
    since: RowExtremes,
    stepping: ComplementarityStats,
    /// `E_d` of the last step, J; at the start, the energy there.
    figures: StepFigures,
    every: u64,
    total: u64,
    iterations: u64,
    warnings: Vec<String>,
    /// Time spent in earlier parts of the run, s.
    spent: f64,
    clock: Instant,
    /// What it is to follow, if it is a manoeuvre.
    follower: Option<PlanFollower>,
    /// How its initial conditions were found, if they were looked for.
    shooting: Option<ShootFigures>,
}

impl Session {
    fn open(scene: Scene, path: &Path, resume: bool) -> Result<Self, RunError> {
        if resume { Self::resumed(scene, path) } else { Self::begun(scene, path, None) }
    }

    pub(super) fn begun(
        mut scene: Scene,
        path: &Path,
        follower: Option<PlanFollower>,
    ) -> Result<Self, RunError> {
        let clock = Instant::now();
        let (scene_info, every) = (SceneInfo::from(&scene), scene.run.every as u64);
        let total = follower.as_ref().map_or_else(|| scene.run.steps(), |s| s.intervals() as u64);
        let (warnings, resolved) = (mem::take(&mut scene.warnings), mem::take(&mut scene.resolved));
        // Before the folder is touched: an old run is not cleared away for a scene that cannot run.
        let simulation = prepare(scene)?;
        let folder = Folder::begin(path, &resolved)?;
        let place = folder.file(folder::PARTS);
        let stepping = simulation.steps_by_complementarity();
        let arrays = columns(simulation.model(), stepping);
        let parts = TrajectoryWriter::create(&place, arrays).map_err(RunError::at(&place))?;
        let events = folder.events(0)?;
        let mut session = Self {
            folder,
            scene_info,
            parts,
            row: TrajectoryRow::new(simulation.model(), stepping),
            events,
            penetration_monitor: PenetrationMonitor::of(simulation.model(), simulation.state()),
            stepping: ComplementarityStats::default(),
            contact: ContactFigures::default(),
            pieces: SubstepTracker::new(simulation.model().islands.len()),
            since: RowExtremes::none(simulation.step_size()),
            figures: StepFigures {
                discrete_energy: simulation.ledger().initial().energy(),
                hamiltonian: simulation.ledger().initial().energy(),
                hidden: 0.0,
            },
            simulation,
            every,
            total,
            iterations: 0,
            warnings,
            spent: 0.0,
            clock,
            follower,
            shooting: None,
        };
        session.measure_penetration();
        session.push_regular_row()?;
        session.parts.flush().map_err(RunError::at(&place))?;
        session.checkpoint(1)?;
        Ok(session)
    }

    fn resumed(scene: Scene, path: &Path) -> Result<Self, RunError> {
        let clock = Instant::now();
        let (scene_info, every, total) = (SceneInfo::from(&scene), scene.run.every as u64, scene.run.steps());
        let (folder, checkpoint) = Folder::resume(path, &scene.resolved)?;
        let Checkpoint { version, state, .. } = checkpoint;
        if state.steps > total {
            return Err(RunError::Beyond { done: state.steps, wanted: total });
        }
        if !fits(&state, &scene.state) {
            return Err(RunError::UnsupportedScene("it has other bodies".into()));
        }
        let scheme = scheme(&scene, &state)?;
        let mut warnings = scene.warnings;
        let here = env!("CARGO_PKG_VERSION");
        if version != here {
            warnings.push(format!(
                "begun by version {version} and resumed by {here}: the bits may not be those of a run in one piece"
            ));
        }
        let mut simulation = Simulation::new(scene.model, state, scheme, scene.run.step)?;
        simulation.restore_ledger(&checkpoint.ledger)?;
        if !simulation.recall(&checkpoint.memory) {
            return Err(RunError::UnsupportedScene("its scheme remembers something else".into()));
        }
        let stepping = simulation.steps_by_complementarity();
        let (place, archive) = (folder.file(folder::PARTS), folder.file(folder::TRAJECTORY));
        let arrays = columns(simulation.model(), stepping);
        // A run that was killed still has its parts; one that ended has been assembled.
        let parts = TrajectoryWriter::open(&place, arrays.clone(), checkpoint.rows)
            .or_else(|_| TrajectoryWriter::unpack(&archive, &place, arrays, checkpoint.rows))
            .map_err(RunError::at(&archive))?;
        let events = folder.events(checkpoint.event_bytes)?;
        Ok(Self {
            folder,
            scene_info,
            parts,
            row: TrajectoryRow::new(simulation.model(), stepping),
            events,
            penetration_monitor: PenetrationMonitor::of(simulation.model(), simulation.state()),
            stepping: checkpoint.stepping,
            contact: checkpoint.contact,
            pieces: SubstepTracker::new(simulation.model().islands.len()),
            since: checkpoint.since,
            simulation,
            figures: checkpoint.figures,
            every,
            total,
            iterations: checkpoint.iterations,
            warnings,
            spent: checkpoint.wall_time,
            clock,
            follower: None,
            shooting: None,
        })
    }

    /// Steps until the end, a failure or a stop.
    pub(super) fn advance(
        &mut self,
        watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(Status, Option<Failure>), RunError> {
        let from = self.simulation.state().steps;
        // One look at the clock for both.
        let (mut saved, mut shown) = (Instant::now(), Instant::now());
        if from == 0 {
            self.start_interval()?;
        }
        while self.simulation.state().steps < self.total {
            match self.simulation.advance() {
                Err(failure) => return Ok((Status::Failed, Some(Failure::from(&failure)))),
                Ok(entry) => {
                    let LedgerEntry { discrete_energy, hamiltonian, hidden, .. } = entry;
                    self.figures = StepFigures { discrete_energy, hamiltonian, hidden };
                }
            }
            self.iterations = self.iterations.max(self.simulation.effort().iterations as u64);
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
                self.parts.sync().map_err(RunError::at(&place))?;
                self.checkpoint(self.parts.rows())?;
                (saved, shown) = (Instant::now(), Instant::now());
            } else if now - shown > BETWEEN_FLUSHES {
                self.flush()?;
                shown = now;
            }
            if watch(&progress).is_break() && progress.steps < self.total {
                return Ok((Status::Interrupted, None));
            }
        }
        Ok((Status::Finished, None))
    }

    /// Makes ready for the next interval of a manoeuvre, and writes down which joints entered.
    fn start_interval(&mut self) -> Result<(), RunError> {
        let Some(follower) = self.follower.as_mut().filter(|_| self.simulation.state().steps < self.total)
        else {
            return Ok(());
        };
        let entered = follower.enter(&mut self.simulation)?;
        let (model, time) = (self.simulation.model(), self.simulation.state().time);
        for event in follower.entered(entered, model, time) {
            self.events.write(&event).map_err(RunError::at(&self.folder.file(folder::EVENTS)))?;
            self.contact.collisions += 1;
        }
        Ok(())
    }

    /// Writes down what met in the last step.
    fn record_contacts(&mut self) -> Result<(), RunError> {
        let Some(inside) = self.simulation.transcript() else { return Ok(()) };
        self.contact.fallbacks += inside.fallbacks;
        self.stepping.watch(inside);
        self.since.steps.watch(inside);
        let piece = self.pieces.shortest(inside, self.simulation.step_size());
        self.since.piece = self.since.piece.min(piece);
        for impact in &inside.impacts {
            let written = self.events.push(impact, self.simulation.model());
            let place = || self.folder.file(folder::EVENTS);
            self.contact.collisions += u64::from(written.map_err(|error| RunError::at(&place())(error))?);
        }
        Ok(())
    }

    fn measure_penetration(&mut self) {
        if let Some(penetration_monitor) = &mut self.penetration_monitor {
            let (overlap, _) = penetration_monitor.deepest(self.simulation.state()).unwrap_or_default();
            self.contact.overlap = self.contact.overlap.max(overlap);
            self.since.overlap = self.since.overlap.max(overlap);
        }
    }

    /// Adds the present state to the trajectory because its turn has come: what is watched is watched anew.
    fn push_regular_row(&mut self) -> Result<(), RunError> {
        self.keep()?;
        self.since = RowExtremes::none(self.simulation.step_size());
        Ok(())
    }

    /// Adds the present state to the trajectory.
    fn keep(&mut self) -> Result<(), RunError> {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        self.row.fill(model, state, self.simulation.ledger(), &self.figures, &self.since);
        let kept = self.parts.push(self.row.slices());
        kept.map_err(|error| RunError::at(&self.folder.file(folder::PARTS))(error))
    }

    /// Hands everything so far to the system, events before the states that they led to.
    fn flush(&mut self) -> Result<(), RunError> {
        let folder = &self.folder;
        let at = |name: &'static str| move |error| RunError::at(&folder.file(name))(error);
        self.events.flush().map_err(at(folder::EVENTS))?;
        self.parts.flush().map_err(at(folder::PARTS))
    }

    /// Writes a checkpoint that counts `rows` of the trajectory and all events so far.
    fn checkpoint(&mut self, rows: u64) -> Result<(), RunError> {
        self.events.sync().map_err(RunError::at(&self.folder.file(folder::EVENTS)))?;
        let place = self.folder.file(folder::CHECKPOINT);
        let checkpoint = Checkpoint {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            state: self.simulation.state().clone(),
            ledger: self.simulation.ledger().figures(),
            rows,
            iterations: self.iterations,
            wall_time: self.wall_time(),
            figures: self.figures,
            event_bytes: self.events.bytes(),
            contact: self.contact,
            since: self.since,
            memory: self.simulation.memory(),
            stepping: self.stepping,
        };
        checkpoint.write(&place).map_err(RunError::at(&place))
    }

    fn wall_time(&self) -> f64 {
        self.spent + self.clock.elapsed().as_secs_f64()
    }

    /// Leaves a folder that is complete.
    pub(super) fn close(mut self, status: Status, failure: Option<Failure>) -> Result<Summary, RunError> {
        let rows = self.parts.rows();
        // The last state is always shown. It is not counted in the checkpoint unless its turn has come: a run that goes
        // on keeps the same states as one in one piece.
        if !self.simulation.state().steps.is_multiple_of(self.every) {
            self.keep()?;
        }
        let archive = self.folder.file(folder::TRAJECTORY);
        let arrays = fixed(self.simulation.model());
        replace(&archive, |path| self.parts.assemble(path, &arrays)).map_err(RunError::at(&archive))?;
        self.checkpoint(rows)?;
        let course = RunStats {
            status,
            failure,
            wall_time: self.wall_time(),
            warnings: self.warnings,
            rows: self.parts.rows(),
            iterations: self.iterations,
            contact: self.contact,
            stepping: self.stepping,
        };
        let replay = self.follower.as_ref().map(|follower| follower.figures(self.simulation.model()));
        let (shoot, scene_info) = (self.shooting.take(), &self.scene_info);
        let summary =
            Summary { replay, shoot, ..Summary::new(scene_info, &RunResult::from(&self.simulation), course) };
        // A summary holds numbers, words and lists of them: nothing that JSON cannot say.
        let text = serde_json::to_string_pretty(&summary).unwrap_or_default() + "\n";
        self.folder.write(folder::SUMMARY, &text)?;
        let place = self.folder.file(folder::PARTS);
        self.parts.remove().map_err(RunError::at(&place))?;
        Ok(summary)
    }
}

/// Whether two states are of the same model.
fn fits(a: &State, b: &State) -> bool {
    a.positions.len() == b.positions.len()
        && a.rotations.len() == b.rotations.len()
        && a.coordinates.len() == b.coordinates.len()
        && a.momenta.len() == b.momenta.len()
}
