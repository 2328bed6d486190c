//! Runs the points of a study in threads, keeps their summaries, and resumes a study.
//!
//! ```text
//! read all scenes
//! take one step of a scene: check that its summary has the figures
//! in threads, until no point is left     next point -> run folder -> summary -> study.json; the folder is removed unless it is kept
//! ```
//!
//! Every point is an ordinary run in its own folder, so that a study that is interrupted in the middle of a point resumes there. Results
//! of an older study are identified by the point and the checksum of its scene: only what has changed is run again.

use super::error::StudyError;
use super::folder::{self, Folder};
use super::plan::{self, Point};
use super::record::{PointOutcome, PointStatus, StudyRecord};
use super::{Source, Study};
use crate::run::{self, RunError, Status, Summary};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Options of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Points at a time; the result does not depend on it.
    pub jobs: usize,
    /// Whether run folders are kept.
    pub keep: bool,
    /// Whether to resume the study in the folder.
    pub resume: bool,
}

/// Progress of a study. It is reported from several threads.
#[derive(Clone, Copy, Debug)]
pub enum StudyProgress<'a> {
    /// A warning about a point.
    Warning {
        /// Label of the point.
        point: &'a str,
        /// The warning.
        warning: &'a str,
    },
    /// A step was taken.
    Step {
        /// Steps so far, of all points.
        steps: u64,
        /// Steps of the whole study.
        total: u64,
        /// Steps that had been taken when this part of the study began.
        from: u64,
        /// Finished points.
        done: usize,
        /// All points.
        points: usize,
    },
    /// A point is finished.
    Ended {
        /// Its result.
        outcome: &'a PointOutcome,
        /// Finished points.
        done: usize,
        /// All points.
        points: usize,
        /// Its run folder, if it is kept.
        folder: Option<&'a Path>,
    },
}

/// Runs a study into a folder. `observe` is called with its progress and decides whether to continue.
pub fn sweep(
    study: &Study,
    source: &Source<'_>,
    path: &Path,
    options: Options,
    observe: &(dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
) -> Result<StudyRecord, StudyError> {
    // Before the folder is touched: an old study is not removed for one that cannot run.
    let points = plan::plan(study, source)?;
    let (folder, old) = Folder::open(path, options.resume)?;
    let record = swept(study, source, &points, old.as_ref(), &folder, options, observe);
    let finished = record.as_ref().is_ok_and(|record| record.status == Status::Finished);
    folder.close(finished)?;
    record
}

fn swept(
    study: &Study,
    source: &Source<'_>,
    points: &[Point],
    old: Option<&StudyRecord>,
    folder: &Folder,
    options: Options,
    observe: &(dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
) -> Result<StudyRecord, StudyError> {
    let outcomes: Vec<PointOutcome> =
        points.iter().map(|point| known(study, point, old, folder, options.keep)).collect();
    let known = outcomes.iter().find(|outcome| !outcome.summary.is_null());
    match (known, points.first()) {
        (Some(outcome), _) => plan::check_figures(study, &outcome.summary)?,
        (None, Some(point)) => plan::check_figures(study, &first_step(source, point, folder)?)?,
        (None, None) => {}
    }
    for Point { blank, warnings, .. } in points {
        for warning in warnings {
            _ = observe(StudyProgress::Warning { point: &blank.label, warning });
        }
    }
    let session = Session::new(study, source, points, outcomes, folder, options, observe);
    session.save()?;
    session.run_points()?;
    let record = session.record();
    folder.write(&record)?;
    Ok(record)
}

/// The result of a point in an older study, or a blank one.
fn known(
    study: &Study,
    point: &Point,
    old: Option<&StudyRecord>,
    folder: &Folder,
    keep: bool,
) -> PointOutcome {
    let same = |run: &&PointOutcome| {
        run.at == point.blank.at && run.scene == point.blank.scene && run.status != PointStatus::Missing
    };
    let found = old
        .filter(|record| record.version == env!("CARGO_PKG_VERSION"))
        .and_then(|record| record.runs.iter().find(same))
        .filter(|_| !keep || run::folder::is_run(&folder.run(&point.name, true)));
    let Some(found) = found else { return point.blank.clone() };
    let mut outcome = found.clone();
    outcome.label.clone_from(&point.blank.label);
    outcome.extract_figures(study);
    outcome
}

/// The summary of a point after its first step.
fn first_step(source: &Source<'_>, point: &Point, folder: &Folder) -> Result<serde_json::Value, StudyError> {
    let place = folder.trial();
    let scene = plan::figures_only(source(&point.scene, &point.overrides)?);
    folder::remove(&place)?;
    let summary = run::run(scene, &place, false, &mut |_| ControlFlow::Break(()))?;
    folder::remove(&place)?;
    // A summary holds numbers, texts and lists of them, which JSON can express: this does not fail.
    Ok(serde_json::to_value(&summary).unwrap_or_default())
}

struct Session<'a> {
    study: &'a Study,
    source: &'a Source<'a>,
    points: &'a [Point],
    folder: &'a Folder,
    options: Options,
    observe: &'a (dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
    outcomes: Mutex<Vec<PointOutcome>>,
    /// Index of the next point.
    next: AtomicUsize,
    /// Steps taken, and finished points.
    steps: AtomicU64,
    done: AtomicUsize,
    total: u64,
    /// Steps that had been taken when this part of the study began.
    from: AtomicU64,
}

impl<'a> Session<'a> {
    fn new(
        study: &'a Study,
        source: &'a Source<'a>,
        points: &'a [Point],
        outcomes: Vec<PointOutcome>,
        folder: &'a Folder,
        options: Options,
        observe: &'a (dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
    ) -> Self {
        let ended = |k: &usize| outcomes[*k].status != PointStatus::Missing;
        let from = (0..points.len()).filter(ended).map(|k| points[k].steps).sum();
        let done = (0..points.len()).filter(ended).count();
        Self {
            study,
            source,
            points,
            folder,
            options,
            observe,
            outcomes: Mutex::new(outcomes),
            next: AtomicUsize::new(0),
            steps: AtomicU64::new(from),
            done: AtomicUsize::new(done),
            total: points.iter().map(|point| point.steps).sum(),
            from: AtomicU64::new(from),
        }
    }

    /// Runs all missing points, until none is left or the study is interrupted.
    fn run_points(&self) -> Result<(), StudyError> {
        let threads = self.options.jobs.clamp(1, self.points.len().max(1));
        thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.run_next_points())).collect();
            let ends = all
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|why| std::panic::resume_unwind(why)));
            // All threads have ended before the first error is returned.
            ends.collect::<Vec<_>>().into_iter().collect()
        })
    }

    fn run_next_points(&self) -> Result<(), StudyError> {
        loop {
            let k = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(point) = self.points.get(k) else { return Ok(()) };
            if self.status(k) != PointStatus::Missing {
                continue;
            }
            let ended = self.run(point).inspect_err(|_| self.stop())?;
            if ended.status == Status::Interrupted {
                self.stop();
                return Ok(());
            }
            self.record_result(k, point.blank.clone().with_summary(self.study, &ended))
                .inspect_err(|_| self.stop())?;
        }
    }

    /// No thread starts another point.
    fn stop(&self) {
        self.next.store(self.points.len(), Ordering::Relaxed);
    }

    /// Runs a point, or resumes it.
    fn run(&self, point: &Point) -> Result<Summary, StudyError> {
        let keep = self.options.keep;
        let place = self.folder.run(&point.name, keep);
        let scene = || {
            (self.source)(&point.scene, &point.overrides)
                .map(|scene| if keep { scene } else { plan::figures_only(scene) })
        };
        let mut before = 0;
        let mut observe = |progress: &run::Progress| {
            if before == 0 {
                self.from.fetch_add(progress.from, Ordering::Relaxed);
            }
            let taken = progress.steps - before;
            before = progress.steps;
            let steps = self.steps.fetch_add(taken, Ordering::Relaxed) + taken;
            let (done, points) = (self.done.load(Ordering::Relaxed), self.points.len());
            (self.observe)(StudyProgress::Step {
                steps,
                total: self.total,
                from: self.from.load(Ordering::Relaxed),
                done,
                points,
            })
        };
        if self.options.resume && run::folder::is_run(&place) {
            // A run of another scene is replaced below.
            if let Ok(summary) = run::run(scene()?, &place, true, &mut observe) {
                return Ok(summary);
            }
        }
        // A process that was killed at the beginning of a point leaves a folder that is not yet a run folder.
        if !keep && place.exists() && !run::folder::is_run(&place) {
            fs::remove_dir_all(&place).map_err(RunError::at(&place))?;
        }
        Ok(run::run(scene()?, &place, false, &mut observe)?)
    }

    /// Records the result of a point.
    fn record_result(&self, k: usize, outcome: PointOutcome) -> Result<(), StudyError> {
        let place = self.folder.run(&self.points[k].name, self.options.keep);
        let kept = self.options.keep.then_some(place.as_path());
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        _ = (self.observe)(StudyProgress::Ended {
            outcome: &outcome,
            done,
            points: self.points.len(),
            folder: kept,
        });
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)[k] = outcome;
        self.save()?;
        if kept.is_none() { folder::remove(&place) } else { Ok(()) }
    }

    fn status(&self, k: usize) -> PointStatus {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)[k].status
    }

    fn record(&self) -> StudyRecord {
        StudyRecord::new(self.study, self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Writes the results so far, one thread at a time.
    fn save(&self) -> Result<(), StudyError> {
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        self.folder.write(&StudyRecord::new(self.study, outcomes.clone()))
    }
}
