//! Schemes by name, as scene files and the command line ask for them.

use super::{Decomposition, Exact, Lcp, LcpOptions, Multipliers, Newmark, Projected, Scheme, Variational};
use crate::discrete::{SolverStats, StepFailure};
use crate::model::Model;
use crate::model::State;
use crate::response::ContactOptions;
use thiserror::Error;

/// Names that [`by_name`] knows.
pub const NAMES: [&str; 10] = [
    "variational",
    "variational-projected",
    "variational-multipliers",
    "newmark-explicit",
    "newmark-implicit",
    "potential",
    "exact",
    "dissipative",
    "decomposition",
    "lcp",
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
    /// What is chosen about time stepping with complementarity.
    pub lcp: LcpOptions,
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
    /// A scheme for collisions in a scene without contact.
    #[error("scheme `{name}` is for bodies that meet, but the scene has no contact; add a table [contact]")]
    NoContact {
        /// The scheme.
        name: String,
    },
    /// A tree under a scheme without one.
    #[error(
        "scheme `lcp` ties bodies by constraints alone, but `{joint}` is a joint of a tree; build the model with `build_open`"
    )]
    Tree {
        /// The joint.
        joint: String,
    },
    /// A number of a scheme outside of its range.
    #[error("{what} is {value}; give a number {range}")]
    Number {
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What makes sense.
        range: &'static str,
    },
    /// Bodies that are nowhere.
    #[error("the place of a body is not finite; check positions and rotations")]
    Nowhere,
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
        "potential" => Ok(Box::new(WithPotential(Variational::new(model, state)))),
        "exact" | "dissipative" => {
            let none = || UnknownScheme::NoContact { name: name.to_owned() };
            let contacts = model.contacts.clone().ok_or_else(none)?;
            let loss = (name == "dissipative").then_some(options.contact.loss);
            let exact = Exact::new(model, contacts, state, &options.contact, loss);
            Ok(Box::new(exact.map_err(|_| UnknownScheme::Nowhere)?))
        }
        "decomposition" if model.contacts.is_none() => {
            Err(UnknownScheme::NoContact { name: name.to_owned() })
        }
        "decomposition" => Ok(Box::new(Decomposition::new(model, state, &options.contact))),
        "lcp" => Ok(Box::new(Lcp::new(model, state, &options.lcp)?)),
        _ => Err(UnknownScheme::Name { name: name.to_owned() }),
    }
}

/// The variational scheme under the name it has when contact is one of its potentials.
struct WithPotential(Variational);

impl Scheme for WithPotential {
    fn name(&self) -> &'static str {
        "potential"
    }

    fn order(&self) -> u32 {
        self.0.order()
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        self.0.tolerances()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.0.step(model, state, h)
    }
}
