//! Why a run cannot begin or cannot be written. That a step fails is no error here but an ending.

use percussion_control::PlanError;
use percussion_control::replay::ReplayError;
use percussion_control::shooting::ShootingError;
use percussion_mechanics::force::ForceError;
use percussion_mechanics::ledger::LedgerMismatch;
use percussion_mechanics::schemes::UnknownScheme;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run cannot begin or cannot be written.
#[derive(Debug, Error)]
pub enum RunError {
    /// The folder holds something else.
    #[error("{} is not empty and holds no run; choose another folder with --out", folder.display())]
    NotARun {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no run.
    #[error("{} holds no run to resume; run without --resume to start one", folder.display())]
    NothingToResume {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no trajectory.
    #[error("{} holds no run to flush; make one with: percussion run SCENE --out {}", folder.display(), folder.display())]
    NothingToShow {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process writes into the folder.
    #[error("another process is running in {}; wait for it, or choose another folder with --out", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The run in the folder is one of another scene.
    #[error(
        "the run in {} is one of another scene: it says `{before}`, now it is `{now}`; run without --resume to start anew, or choose another folder with --out",
        folder.display()
    )]
    OtherScene {
        /// The folder.
        folder: PathBuf,
        /// A line of the scene that was run.
        before: String,
        /// The line in its place.
        now: String,
    },
    /// The run has gone further already.
    #[error("the run is at step {done} already and would end at step {wanted}; give a later --until")]
    Beyond {
        /// Steps it has taken.
        done: u64,
        /// Steps it is to take.
        wanted: u64,
    },
    /// The checkpoint does not fit the scene.
    #[error("the checkpoint does not fit the scene ({0}); run without --resume to start anew")]
    UnsupportedScene(String),
    /// There is no such scheme, or it cannot run this scene.
    #[error(transparent)]
    Scheme(#[from] UnknownScheme),
    /// Forces have no value at the start.
    #[error("the scene cannot start: {0}")]
    Start(#[from] ForceError),
    /// Figures that were written by something else, or by another version of the program.
    #[error("{} holds no figures of a run as this version writes them: {source}; run the scene again", path.display())]
    Summary {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The scene says nothing scene_info a manoeuvre.
    #[error(
        "the scene has no table [plan] nor [shoot]: there is no manoeuvre to look for; add one, or simulate the scene with: percussion run"
    )]
    NoPlan,
    /// The plan cannot be begun.
    #[error("the plan cannot be begun")]
    Plan(#[from] PlanError),
    /// The search for a shooting cannot be begun.
    #[error("the shooting cannot be looked for")]
    Shot(#[from] ShootingError),
    /// A manoeuvre cannot be simulated.
    #[error("the manoeuvre cannot be replayed")]
    Replay(#[from] ReplayError),
    /// A folder without the manoeuvre that is asked for.
    #[error("{} holds no manoeuvre of this plan ({why}); make one with: percussion plan SCENE --out {}", folder.display(), folder.display())]
    NoManoeuvre {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl From<LedgerMismatch> for RunError {
    fn from(error: LedgerMismatch) -> Self {
        Self::UnsupportedScene(error.to_string())
    }
}

impl RunError {
    /// Names the file an error of the system is scene_info.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source }
    }
}
