//! Schemes by name, as scene files and the command line ask for them.

use super::{Decomposition, Multipliers, Newmark, Projected, Scheme, Variational};
use crate::contact::ContactOptions;
use crate::model::Model;
use crate::state::State;
use thiserror::Error;

/// Names that [`by_name`] knows.
pub const NAMES: [&str; 6] = [
    "variational",
    "variational-projected",
    "variational-multipliers",
    "newmark-explicit",
    "newmark-implicit",
    "decomposition",
];

/// What a scene may say about a scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Newmark's `β`; `None` takes the scheme's own.
    pub beta: Option<f64>,
    /// Newmark's `γ`; `None` takes the scheme's own.
    pub gamma: Option<f64>,
    /// What is chosen about contact.
    pub contact: ContactOptions,
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
    /// One of Newmark's numbers outside of its range.
    #[error("Newmark's {symbol} is {value}; give a number from {least} to {most}")]
    Weight {
        /// `beta` or `gamma`.
        symbol: &'static str,
        /// What was given.
        value: f64,
        /// The least that makes sense.
        least: f64,
        /// The most that makes sense.
        most: f64,
    },
}

/// The scheme of a name, with its memory, for a model and a state of it.
pub fn by_name(
    name: &str,
    model: &Model,
    state: &State,
    options: &Options,
) -> Result<Box<dyn Scheme + Send>, UnknownScheme> {
    match name {
        "variational" => Ok(Box::new(Variational::new(model, state))),
        "variational-projected" => Ok(Box::new(Projected::new(model, state))),
        "variational-multipliers" => Ok(Box::new(Multipliers::new(model, state))),
        "newmark-explicit" => {
            let beta = options.beta.unwrap_or(0.0);
            if beta != 0.0 {
                // An explicit scheme has no other.
                return Err(UnknownScheme::Weight { symbol: "beta", value: beta, least: 0.0, most: 0.0 });
            }
            Ok(Box::new(Newmark::new(beta, options.gamma.unwrap_or(0.5), model, state)?))
        }
        "newmark-implicit" => {
            let (beta, gamma) = (options.beta.unwrap_or(0.25), options.gamma.unwrap_or(0.5));
            Ok(Box::new(Newmark::new(beta, gamma, model, state)?))
        }
        "decomposition" => Ok(Box::new(Decomposition::new(model, state, &options.contact))),
        _ => Err(UnknownScheme::Name { name: name.to_owned() }),
    }
}
