//! Why a study cannot begin or cannot be written. That a point fails is no error here but an ending.

use crate::complaint::SceneError;
use crate::run::RunError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a study cannot begin or cannot be written.
#[derive(Debug, Error)]
pub enum StudyError {
    /// Some point of the grid is no scene that can run, or some figure is none of a run.
    #[error(transparent)]
    Refused(#[from] SceneError),
    /// The folder holds something else.
    #[error("{} is not empty and holds no study; choose another folder with --out", folder.display())]
    NotAStudy {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no study.
    #[error("{} holds no study to resume; run without --resume to start one", folder.display())]
    NothingToResume {
        /// The folder.
        folder: PathBuf,
    },
    /// A point cannot be run, or a file cannot be written.
    #[error(transparent)]
    Run(#[from] RunError),
}
