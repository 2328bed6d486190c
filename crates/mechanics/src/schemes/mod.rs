//! Integrators: one file or folder each, with the common trait [`Scheme`].
//!
//! | scheme | file | order | structure preserved |
//! |---|---|---|---|
//! | variational midpoint, reduced | `variational.rs` | 2 | momenta and the symplectic form exactly; energy without drift |
//! | the same with null-space matrix and constraints | `projected.rs` | 2 | the same |
//! | the same with multipliers | `multipliers.rs` | 2 | the same |
//! | variational midpoint with the contact potential | `kind.rs` | 2 | the same |
//! | exact collisions, elastic and dissipative | `exact/` | 2 | momenta and energy through impacts |
//! | decomposition contact response | `decomposition/`, `exact/` | 1 (2 between impacts, persistent contact included) | energy but for what restitution and friction dissipate; momenta but for the projection |
//! | LCP time stepping | `lcp/` | 1 | energy never grows but by the projection of positions; no penetration; joints up to h² without drift |
//! | Newmark, explicit and implicit | `newmark/` | 2 (1 unless γ = 1/2) | the angular momentum of free bodies |

mod capabilities;
mod crossings;
mod decomposition;
mod exact;
mod island_worker;
mod kind;
mod lcp;
mod multipliers;
mod newmark;
mod projected;
mod redundant;
mod variational;

pub use capabilities::{
    Capabilities, ContactSupport, Coordinates, RestitutionSupport, UnsupportedScene, capabilities_markdown,
};
pub use decomposition::{Decomposition, DecompositionResponse, project_start};
pub use exact::Exact;
pub use kind::{SchemeError, SchemeKind, SchemeOptions, UnknownScheme};
pub use lcp::{DistanceMetric, FrictionCone, GapRule, Lcp, LcpOptions, RestitutionLaw, Stabilisation};
pub use multipliers::Multipliers;
pub use newmark::Newmark;
pub use projected::Projected;
pub use variational::Variational;

use crate::discrete::{SolverStats, StepFailure};
use crate::model::Model;
use crate::model::State;
use crate::named_arrays::NamedArrays;
use crate::step_record::{Impact, StepRecord};
use percussion_geometry::Vec3;

/// A contact of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepContact {
    /// Bodies `a` and `b`, by index in the list of all bodies.
    pub bodies: (usize, usize),
    /// Its point.
    pub point: Vec3,
    /// Unit normal from `b` to `a`.
    pub normal: Vec3,
    /// Impulse on `a`, friction included, N s.
    pub impulse: Vec3,
}

impl StepContact {
    fn of_impact(impact: &Impact) -> Self {
        let Impact { bodies, point, normal, impulse, .. } = *impact;
        Self { bodies, point, normal, impulse }
    }
}

/// An integrator in time.
pub trait Scheme {
    /// Kind of the scheme.
    fn kind(&self) -> SchemeKind;

    /// Order of accuracy in time, collisions included. Tests measure it (`tests/order.rs`, `exact.rs`,
    /// `decomposition_friction.rs`, `newmark.rs`); the guide's page on accuracy prints errors beside steps.
    fn order(&self) -> u32 {
        self.kind().capabilities().order
    }

    /// Names and values of the tolerances at which iterations end and parts count as in contact.
    ///
    /// | name | |
    /// |---|---|
    /// | `newton_decrement` | Newton's method ends: relative decrement of action (of energy in Newmark's family) |
    /// | `newton_noise` | it ends if it stagnates: the same decrement |
    /// | `loop_closure` | opening of a loop that is rounding, relative to the longest arm |
    /// | `contact_gap` | gap at which parts touch, m |
    /// | `complementarity` | residual at which the complementarity problem of a step counts as solved |
    /// | `penetration_rounding` | overlap that is rounding, relative to the size of the parts |
    fn tolerances(&self) -> Vec<(&'static str, f64)>;

    /// Advances the state by a step `h`; on failure the state is unchanged.
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure>;

    /// The record of the last step; `None` of a scheme without contact.
    fn step_record(&self) -> Option<&StepRecord> {
        None
    }

    /// Contacts of the last step with their impulses; of schemes without impulses, none.
    fn contacts(&self) -> Vec<StepContact> {
        let impacts = self.step_record().into_iter().flat_map(|record| &record.impacts);
        impacts.map(StepContact::of_impact).collect()
    }

    /// Adds the warm start of the scheme (its data beyond the state): a run that continues from it is bitwise identical.
    fn save_warm_start(&self, _arrays: &mut NamedArrays) {}

    /// Restores the arrays of [`Scheme::save_warm_start`]; returns whether they fit the scheme.
    fn restore_warm_start(&mut self, arrays: &NamedArrays) -> bool {
        arrays.iter().next().is_none()
    }
}
