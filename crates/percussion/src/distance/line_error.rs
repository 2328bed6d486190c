//! Errors of one line of the stream.

use percussion_geometry::ShapeError;
use percussion_geometry::separation::{QueryError, ResolveError};
use percussion_scene::nearest;

use super::json_error::json_error_message;

/// Why a line has no answer. Every message names the place within the line and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// Not JSON, or not the JSON of a query or definition.
    #[error("{0}")]
    Text(String),
    /// A line that is neither a query nor a definition, or both.
    #[error("{0}")]
    Line(&'static str),
    /// A shape that cannot be built.
    #[error("{0}")]
    Shape(#[from] ShapeError),
    /// A name that has not been defined above this line.
    #[error("no shape named `{name}` is defined above this line; {remedy}")]
    UnknownName {
        /// The name given.
        name: String,
        /// The remedy.
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
    /// No unique answer was found.
    #[error("{0}")]
    Resolve(#[from] ResolveError),
    /// The numbers leave the range of floating-point arithmetic on the way.
    #[error(
        "the answer is not a finite number: squares of these lengths overflow; use units in which they lie \
         between about 1e-100 and 1e100"
    )]
    OutOfRange,
    /// An error in one part of the line.
    #[error("{place}: {error}")]
    Within {
        /// `a`, `b`, `parts[2]`, ...
        place: String,
        /// The error.
        error: Box<LineError>,
    },
}

impl LineError {
    /// The same error with its place.
    pub fn within(self, place: impl Into<String>) -> Self {
        LineError::Within { place: place.into(), error: Box::new(self) }
    }

    /// A name that is not among the known ones.
    pub fn unknown_name<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let remedy = match nearest(name, known) {
            Some(word) => format!("did you mean `{word}`?"),
            None => {
                format!("define it with {{\"define\": \"{name}\", \"shape\": {{...}}}} or in --shapes FILE")
            }
        };
        LineError::UnknownName { name: name.to_owned(), remedy }
    }
}

impl From<serde_json::Error> for LineError {
    fn from(error: serde_json::Error) -> Self {
        LineError::Text(json_error_message(&error))
    }
}
