//! What is wrong with a scene, said with the place and the remedy.

use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file as it was named, or the override.
    pub file: String,
    /// Line and column, from one; none if it is about the file as a whole or about an override.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
    /// What to do.
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

/// Everything that is wrong with a scene, in the order of its files and lines. Never empty.
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
