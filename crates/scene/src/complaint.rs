//! Complaints: errors of a scene with place and remedy.

use std::fmt;

/// An error of a scene or study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file as given, or the override.
    pub file: String,
    /// Line and column, from one; none for a whole file or an override.
    pub place: Option<(usize, usize)>,
    /// The error.
    pub message: String,
    /// The remedy.
    pub remedy: String,
}

impl Complaint {
    /// The line, from one.
    pub fn line(&self) -> Option<usize> {
        self.place.map(|(line, _)| line)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

/// All complaints about a scene, in the order of files and lines. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The complaints.
    pub complaints: Vec<Complaint>,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, complaint) in self.complaints.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{complaint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}
