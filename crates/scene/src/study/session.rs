//! The points of a study in threads, what is kept of them, and how a study goes on.
//!
//! ```text
//! read all scenes
//! take a first step: are the figures there?
//! in threads, until none is left     next point -> run folder -> summary -> study.json; the folder goes unless it is kept
//! ```
//!
//! Every point is an ordinary run in a folder of its own, so a study that is interrupted in the middle of a point goes on there. What has
//! been found is looked up by the point and its scene: whatever has changed is run again, and nothing else.

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

/// How a study is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Points at a time; nothing but the time depends on it.
    pub jobs: usize,
    /// Whether run folders are kept.
    pub keep: bool,
    /// Whether to go on with the study in the folder.
    pub resume: bool,
}

/// What there is to tell while a study goes on. It comes from several threads.
#[derive(Clone, Copy, Debug)]
pub enum StudyProgress<'a> {
    /// Something odd but not wrong about a point.
    Warning {
        /// The point in words.
        point: &'a str,
        /// What is odd.
        warning: &'a str,
    },
    /// A step was taken.
    Step {
        /// Steps taken so far, of all points.
        steps: u64,
        /// Steps to take.
        total: u64,
        /// Steps that were there when this part of the study began.
        from: u64,
        /// Points that have ended.
        done: usize,
        /// All points.
        points: usize,
    },
    /// A point has ended.
    Ended {
        /// What came of it.
        outcome: &'a PointOutcome,
        /// Points that have ended.
        done: usize,
        /// All points.
        points: usize,
        /// Its run folder, if that is kept.
        folder: Option<&'a Path>,
    },
}

/// Runs a study into a folder. `watch` is reported what happens and asked whether to go on.
pub fn sweep(
    study: &Study,
    source: &Source<'_>,
    path: &Path,
    options: Options,
    watch: &(dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
) -> Result<StudyRecord, StudyError> {
    // Before the folder is touched: an old study is not cleared away for one that cannot run.
    let points = plan::plan(study, source)?;
    let (folder, old) = Folder::open(path, options.resume)?;
    let record = swept(study, source, &points, old.as_ref(), &folder, options, watch);
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
    watch: &(dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
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
            _ = watch(StudyProgress::Warning { point: &blank.label, warning });
        }
    }
    let session = Session::new(study, source, points, outcomes, folder, options, watch);
    session.save()?;
    session.work()?;
    let record = session.record();
    folder.write(&record)?;
    Ok(record)
}

/// What is known about a point: nothing unless an older study has run the same.
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
    outcome.measure(study);
    outcome
}

/// The summary of a point after its first step.
fn first_step(source: &Source<'_>, point: &Point, folder: &Folder) -> Result<serde_json::Value, StudyError> {
    let place = folder.trial();
    let scene = plan::figures_only(source(&point.overrides)?);
    folder::remove(&place)?;
    let summary = run::run(scene, &place, false, &mut |_| ControlFlow::Break(()))?;
    folder::remove(&place)?;
    // A summary holds numbers, words and lists of them: nothing that JSON cannot say.
    Ok(serde_json::to_value(&summary).unwrap_or_default())
}

struct Session<'a> {
    study: &'a Study,
    source: &'a Source<'a>,
    points: &'a [Point],
    folder: &'a Folder,
    options: Options,
    watch: &'a (dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
    outcomes: Mutex<Vec<PointOutcome>>,
    /// The next point to look at.
    next: AtomicUsize,
    /// Steps taken, and points that have ended.
    steps: AtomicU64,
    done: AtomicUsize,
    total: u64,
    /// Steps that were there when this part of the study began.
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
        watch: &'a (dyn Fn(StudyProgress<'_>) -> ControlFlow<()> + Sync),
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
            watch,
            outcomes: Mutex::new(outcomes),
            next: AtomicUsize::new(0),
            steps: AtomicU64::new(from),
            done: AtomicUsize::new(done),
            total: points.iter().map(|point| point.steps).sum(),
            from: AtomicU64::new(from),
        }
    }

    /// All points that are missing, until none is left or somebody wants to stop.
    fn work(&self) -> Result<(), StudyError> {
        let threads = self.options.jobs.clamp(1, self.points.len().max(1));
        thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.one_after_the_other())).collect();
            let ends = all
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|why| std::panic::resume_unwind(why)));
            // All have ended before the first trouble is reported.
            ends.collect::<Vec<_>>().into_iter().collect()
        })
    }

    fn one_after_the_other(&self) -> Result<(), StudyError> {
        loop {
            let k = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(point) = self.points.get(k) else { return Ok(()) };
            if self.standing(k) != PointStatus::Missing {
                continue;
            }
            let ended = self.run(point).inspect_err(|_| self.stop())?;
            if ended.status == Status::Interrupted {
                self.stop();
                return Ok(());
            }
            self.note(k, point.blank.clone().of(self.study, &ended)).inspect_err(|_| self.stop())?;
        }
    }

    /// Nobody begins another point.
    fn stop(&self) {
        self.next.store(self.points.len(), Ordering::Relaxed);
    }

    /// Runs a point, or goes on with it.
    fn run(&self, point: &Point) -> Result<Summary, StudyError> {
        let keep = self.options.keep;
        let place = self.folder.run(&point.name, keep);
        let scene = || {
            (self.source)(&point.overrides).map(|scene| if keep { scene } else { plan::figures_only(scene) })
        };
        let mut before = 0;
        let mut watch = |progress: &run::Progress| {
            if before == 0 {
                self.from.fetch_add(progress.from, Ordering::Relaxed);
            }
            let taken = progress.steps - before;
            before = progress.steps;
            let steps = self.steps.fetch_add(taken, Ordering::Relaxed) + taken;
            let (done, points) = (self.done.load(Ordering::Relaxed), self.points.len());
            (self.watch)(StudyProgress::Step {
                steps,
                total: self.total,
                from: self.from.load(Ordering::Relaxed),
                done,
                points,
            })
        };
        if self.options.resume && run::folder::is_run(&place) {
            // A run of another scene is no obstacle: it is made anew.
            if let Ok(summary) = run::run(scene()?, &place, true, &mut watch) {
                return Ok(summary);
            }
        }
        // A process that was killed at the very beginning of a point has left something that is no run yet.
        if !keep && place.exists() && !run::folder::is_run(&place) {
            fs::remove_dir_all(&place).map_err(RunError::at(&place))?;
        }
        Ok(run::run(scene()?, &place, false, &mut watch)?)
    }

    /// Writes down what came of a point.
    fn note(&self, k: usize, outcome: PointOutcome) -> Result<(), StudyError> {
        let place = self.folder.run(&self.points[k].name, self.options.keep);
        let kept = self.options.keep.then_some(place.as_path());
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        _ = (self.watch)(StudyProgress::Ended {
            outcome: &outcome,
            done,
            points: self.points.len(),
            folder: kept,
        });
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)[k] = outcome;
        self.save()?;
        if kept.is_none() { folder::remove(&place) } else { Ok(()) }
    }

    fn standing(&self, k: usize) -> PointStatus {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)[k].status
    }

    fn record(&self) -> StudyRecord {
        StudyRecord::new(self.study, self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Writes what is known, one thread at a time.
    fn save(&self) -> Result<(), StudyError> {
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        self.folder.write(&StudyRecord::new(self.study, outcomes.clone()))
    }
}
