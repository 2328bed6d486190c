//! Errors of runs: they cannot start, or their files cannot be written. A failed step is not an error but an outcome.

use percussion_control::PlanError;
use percussion_control::replay::ReplayError;
use percussion_control::shooting::ShootingError;
use percussion_mechanics::force::ForceError;
use percussion_mechanics::ledger::LedgerMismatch;
use percussion_mechanics::schemes::SchemeError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run cannot start or cannot be written.
#[derive(Debug, Error)]
pub enum RunError {
    /// The folder holds other files.
    #[error("{} is not empty and is not a run folder; choose another folder with --out", folder.display())]
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
    #[error("{} holds no run to show; make one with: percussion run SCENE --out {}", folder.display(), folder.display())]
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
        "the run in {} belongs to another scene: it has `{before}`, now there is `{now}`; run without --resume to start anew, or choose another folder with --out",
        folder.display()
    )]
    OtherScene {
        /// The folder.
        folder: PathBuf,
        /// A line of the old scene.
        before: String,
        /// The line in its place in the new scene.
        now: String,
    },
    /// The checkpoint is after the end of the run.
    #[error("the run has already taken {done} steps and would end at step {wanted}; give a later --until")]
    Beyond {
        /// Steps taken.
        done: u64,
        /// Steps of the whole run.
        wanted: u64,
    },
    /// The checkpoint does not fit the scene.
    #[error("the checkpoint does not fit the scene ({0}); run without --resume to start anew")]
    CheckpointMismatch(String),
    /// The scheme is unknown or does not support the scene.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// Forces have no value at the start.
    #[error("the scene cannot start: {0}")]
    Start(#[from] ForceError),
    /// A summary of another version of the program, or of another program.
    #[error("{} is not a summary of this version: {source}; run the scene again", path.display())]
    Summary {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The scene has neither `[plan]` nor `[shoot]`.
    #[error(
        "the scene has neither a table [plan] nor a table [shoot]; add one, or simulate the scene with: percussion run"
    )]
    NoPlan,
    /// The plan cannot be started.
    #[error("the plan cannot be started")]
    Plan(#[from] PlanError),
    /// The shooting problem cannot be started.
    #[error("the shooting problem cannot be started")]
    Shooting(#[from] ShootingError),
    /// A plan cannot be simulated.
    #[error("the plan cannot be replayed")]
    Replay(#[from] ReplayError),
    /// The folder holds no trajectory of the plan.
    #[error("{} holds no trajectory of this plan ({why}); make one with: percussion plan SCENE --out {}", folder.display(), folder.display())]
    NoPlanIn {
        /// The folder.
        folder: PathBuf,
        /// The difference.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl From<LedgerMismatch> for RunError {
    fn from(error: LedgerMismatch) -> Self {
        Self::CheckpointMismatch(error.to_string())
    }
}

impl RunError {
    /// Adds the path of the file to an error of the operating system.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source }
    }
}
