//! What can be wrong with one line of the stream.

use percussion_geometry::ShapeError;
use percussion_geometry::separation::{QueryError, ResolveError};
use percussion_scene::nearest;

use super::keys::explain;

/// Why a line has no answer. Every message names the place within the line and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// Not JSON, or not the JSON of a query or definition.
    #[error("{0}")]
    Text(String),
    /// A line that is neither a query nor a definition, or both.
    #[error("{0}")]
    Line(&'static str),
    /// A shape that cannot be built.
    #[error("{0}")]
    Shape(#[from] ShapeError),
    /// Measures of a shape that contradict each other.
    #[error("{0}")]
    Measures(String),
    /// A name that has not been defined above this line.
    #[error("no shape named `{name}` is defined above this line; {remedy}")]
    UnknownName {
        /// The name given.
        name: String,
        /// What to do.
        remedy: String,
    },
    /// A placement that does not suit the shape.
    #[error("{0}")]
    Placement(String),
    /// A planar body paired with one of space.
    #[error("{0}")]
    Dimension(String),
    /// The kernel refused the query.
    #[error("{0}")]
    Query(#[from] QueryError),
    /// The answer cannot be made unique.
    #[error("{0}")]
    Resolve(#[from] ResolveError),
    /// The numbers leave the range of floating-point arithmetic on the way.
    #[error(
        "the answer is not a finite number: squares of these lengths overflow; use units in which they lie \
         between about 1e-100 and 1e100"
    )]
    OutOfRange,
    /// A complaint about one part of the line.
    #[error("{place}: {wrong}")]
    Within {
        /// `a`, `b`, `parts[2]`, ...
        place: String,
        /// The complaint.
        wrong: Box<Wrong>,
    },
}

impl Wrong {
    /// The same complaint, with the place it is about.
    pub fn within(self, place: impl Into<String>) -> Self {
        Wrong::Within { place: place.into(), wrong: Box::new(self) }
    }

    /// A name that is not among the known ones.
    pub fn unknown_name<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let remedy = match nearest(name, known) {
            Some(word) => format!("did you mean `{word}`?"),
            None => {
                format!("define it with {{\"define\": \"{name}\", \"shape\": {{...}}}} or in --shapes FILE")
            }
        };
        Wrong::UnknownName { name: name.to_owned(), remedy }
    }
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        Wrong::Text(explain(&error))
    }
}
