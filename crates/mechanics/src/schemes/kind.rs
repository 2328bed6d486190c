//! The schemes as an enum: their names, and a scheme of each kind with its options.

use super::crossings::WithCrossings;
use super::{
    Capabilities, Decomposition, Exact, Lcp, LcpOptions, Multipliers, Newmark, Projected, Scheme, Variational,
};
use crate::discrete::{SolverStats, StepFailure};
use crate::model::Model;
use crate::model::State;
use crate::response::{ContactOptions, ContactResponse};
use crate::step_record::StepRecord;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// A scheme by name. Its capabilities are in [`SchemeKind::capabilities`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SchemeKind {
    /// Variational midpoint scheme in reduced coordinates.
    #[default]
    Variational,
    /// The same with null-space matrix and constraints.
    VariationalProjected,
    /// The same with Lagrange multipliers.
    VariationalMultipliers,
    /// Newmark's method with `β = 0`.
    NewmarkExplicit,
    /// Newmark's method with `β > 0`.
    NewmarkImplicit,
    /// Variational midpoint scheme with the contact potential.
    Potential,
    /// Exact collisions, with restitution and friction of the surfaces.
    Exact,
    /// The same with an explicit collision model.
    Dissipative,
    /// Decomposition contact response.
    Decomposition,
    /// LCP time stepping.
    Lcp,
}

impl SchemeKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Variational,
        Self::VariationalProjected,
        Self::VariationalMultipliers,
        Self::NewmarkExplicit,
        Self::NewmarkImplicit,
        Self::Potential,
        Self::Exact,
        Self::Dissipative,
        Self::Decomposition,
        Self::Lcp,
    ];

    /// Names of [`SchemeKind::ALL`] in scene files.
    pub const NAMES: [&'static str; 10] = {
        let mut names = [""; 10];
        let mut k = 0;
        while k < names.len() {
            names[k] = Self::ALL[k].name();
            k += 1;
        }
        names
    };

    /// Its name in scene files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Variational => "variational",
            Self::VariationalProjected => "variational-projected",
            Self::VariationalMultipliers => "variational-multipliers",
            Self::NewmarkExplicit => "newmark-explicit",
            Self::NewmarkImplicit => "newmark-implicit",
            Self::Potential => "potential",
            Self::Exact => "exact",
            Self::Dissipative => "dissipative",
            Self::Decomposition => "decomposition",
            Self::Lcp => "lcp",
        }
    }

    /// The kinds with a capability.
    pub fn with(capable: impl Fn(&Capabilities) -> bool) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |kind| capable(&kind.capabilities()))
    }

    /// A scheme of this kind, with workspace, for a model and a state of it.
    pub fn build(
        self,
        model: &Model,
        state: &State,
        options: &SchemeOptions,
    ) -> Result<Box<dyn Scheme + Send>, SchemeError> {
        // Stops of joints have impacts too.
        let joints = model.has_joint_rows().then(Arc::default);
        let contacts = || {
            let geometry = model.contacts.clone().or(joints.clone());
            geometry.ok_or(SchemeError::NoContact { scheme: self })
        };
        Ok(match self {
            Self::Variational => Box::new(Variational::new(model, state)),
            Self::VariationalProjected => Box::new(Projected::new(model, state)),
            Self::VariationalMultipliers => Box::new(Multipliers::new(model, state)),
            Self::NewmarkExplicit => {
                let beta = options.beta.unwrap_or(0.0);
                if beta != 0.0 {
                    return Err(SchemeError::Weight { symbol: "beta", value: beta, least: 0.0, most: 0.0 });
                }
                let newmark = Newmark::new(beta, options.gamma.unwrap_or(0.5), model, state)?;
                with_crossings(model, state, newmark)
            }
            Self::NewmarkImplicit => {
                let (beta, gamma) = (options.beta.unwrap_or(0.25), options.gamma.unwrap_or(0.5));
                with_crossings(model, state, Newmark::new(beta, gamma, model, state)?)
            }
            Self::Potential => with_crossings(model, state, WithPotential(Variational::new(model, state))),
            Self::Exact | Self::Dissipative => {
                let collisions = (self == Self::Dissipative).then_some(options.contact.loss);
                let exact = Exact::new(model, contacts()?, state, &options.contact, collisions);
                Box::new(exact.map_err(|_| SchemeError::NotFinite)?)
            }
            Self::Decomposition => match options.contact.response {
                ContactResponse::Persistent => {
                    let scheme = Exact::with_impacts_at_end(model, contacts()?, state, &options.contact);
                    Box::new(scheme.map_err(|_| SchemeError::NotFinite)?)
                }
                ContactResponse::Published => {
                    contacts()?;
                    with_crossings(model, state, Decomposition::new(model, state, &options.contact))
                }
            },
            Self::Lcp => Box::new(Lcp::new(model, state, &options.lcp)?.with_impact_law(options.contact.law)),
        })
    }
}

/// A scheme that looks at contact at the ends of steps, with a search for crossings if bodies collide.
fn with_crossings<S: Scheme + Send + 'static>(
    model: &Model,
    state: &State,
    scheme: S,
) -> Box<dyn Scheme + Send> {
    match model.contacts {
        Some(_) => Box::new(WithCrossings::new(model, state, scheme)),
        None => Box::new(scheme),
    }
}

impl fmt::Display for SchemeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SchemeKind {
    type Err = UnknownScheme;

    fn from_str(name: &str) -> Result<Self, UnknownScheme> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownScheme { name: name.to_owned() })
    }
}

/// A name that no scheme has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no scheme `{name}`; the schemes are {}", SchemeKind::NAMES.join(", "))]
pub struct UnknownScheme {
    /// The name.
    pub name: String,
}

/// Options of all schemes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SchemeOptions {
    /// Newmark's `β`; `None` is the default of the kind.
    pub beta: Option<f64>,
    /// Newmark's `γ`; `None` is the default of the kind.
    pub gamma: Option<f64>,
    /// Options of contact.
    pub contact: ContactOptions,
    /// Options of LCP time stepping.
    pub lcp: LcpOptions,
}

/// Error of a scheme that cannot be built for a model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SchemeError {
    /// A scheme for collisions, and a model without contact.
    #[error(
        "scheme `{scheme}` is for bodies that collide, but the scene has no contact; add a table [contact]"
    )]
    NoContact {
        /// The scheme.
        scheme: SchemeKind,
    },
    /// A model with a tree, and a scheme in maximal coordinates.
    #[error(
        "scheme `lcp` holds joints as constraints, but `{joint}` is a joint of a tree; build the model with `build_open`"
    )]
    Tree {
        /// The joint.
        joint: String,
    },
    /// Substeps, and an option or a model that they do not take.
    #[error("substeps do not take {what}; choose stabilisation = \"projection\"")]
    Substeps {
        /// What is not taken.
        what: &'static str,
    },
    /// The round friction cone, and a solver for pyramids only.
    #[error(
        "the solver `{solver}` is for friction pyramids only; choose cone = \"pyramid\", or another solver"
    )]
    RoundCone {
        /// The solver.
        solver: &'static str,
    },
    /// An option out of range.
    #[error("{what} is {value}; give a number {range}")]
    Number {
        /// Which option.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The valid range.
        range: &'static str,
    },
    /// A body whose pose is not finite.
    #[error("the pose of a body is not finite; check positions and rotations")]
    NotFinite,
    /// One of Newmark's parameters out of range.
    #[error("Newmark's {symbol} is {value}; give a number from {least} to {most}")]
    Weight {
        /// `beta` or `gamma`.
        symbol: &'static str,
        /// Its value.
        value: f64,
        /// The least valid value.
        least: f64,
        /// The greatest valid value.
        most: f64,
    },
}

/// The variational scheme under the name that it has when contact is one of its potentials.
struct WithPotential(Variational);

impl Scheme for WithPotential {
    fn kind(&self) -> SchemeKind {
        SchemeKind::Potential
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        self.0.tolerances()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.0.step(model, state, h)
    }

    fn step_record(&self) -> Option<&StepRecord> {
        self.0.step_record()
    }
}
