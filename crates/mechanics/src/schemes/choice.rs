//! Schemes by name, as scene files and the command line ask for them.

use super::{Multipliers, Projected, Scheme, Variational};
use crate::model::Model;
use crate::state::State;
use thiserror::Error;

/// Names that [`by_name`] knows.
pub const NAMES: [&str; 3] = ["variational", "variational-projected", "variational-multipliers"];

/// What a scene may say about a scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Newmark's `β`; `None` takes the scheme's own.
    pub beta: Option<f64>,
    /// Newmark's `γ`; `None` takes the scheme's own.
    pub gamma: Option<f64>,
}

/// Why there is no such scheme.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum UnknownScheme {
    /// A name that is not in [`NAMES`].
    #[error("there is no scheme `{name}`; the schemes are {}", NAMES.join(", "))]
    Name {
        /// What was asked for.
        name: String,
    },
}

/// The scheme of a name, with its memory, for a model and a state of it.
pub fn by_name(
    name: &str,
    model: &Model,
    state: &State,
    _options: &Options,
) -> Result<Box<dyn Scheme + Send>, UnknownScheme> {
    match name {
        "variational" => Ok(Box::new(Variational::new(model, state))),
        "variational-projected" => Ok(Box::new(Projected::new(model, state))),
        "variational-multipliers" => Ok(Box::new(Multipliers::new(model, state))),
        _ => Err(UnknownScheme::Name { name: name.to_owned() }),
    }
}
