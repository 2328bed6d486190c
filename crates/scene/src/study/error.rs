//! Errors of studies: they cannot start, or their files cannot be written. A failed run of a point is not an error but an outcome.

use crate::complaint::SceneError;
use crate::run::RunError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a study cannot start or cannot be written.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The scene of a point cannot run, or a figure is not in the summary.
    #[error(transparent)]
    Refused(#[from] SceneError),
    /// The folder holds other files.
    #[error("{} is not empty and is not the folder of a study; choose another folder with --out", folder.display())]
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
