//! Integrators: one file each behind one small trait.
//!
//! | scheme | file | order | what it keeps |
//! |---|---|---|---|
//! | variational midpoint, reduced | `variational.rs` | 2 | momenta and the symplectic form exactly; energy without drift |
//! | the same with null-space matrix and constraints | `projected.rs` | 2 | the same |
//! | the same with multipliers | `multipliers.rs` | 2 | the same |
//! | variational midpoint with the contact potential | `choice.rs` | 2 | the same |
//! | exact collisions, elastic and dissipative | `exact/` | 2 | momenta and energy through impacts |
//! | decomposition contact response | `decomposition/` | 1 (2 between collisions) | energy of elastic collisions without potentials; momenta but for the projection |
//! | LCP time stepping | `lcp/` | 1 | energy never grows; constraints up to h² without drift |
//! | Newmark, explicit and implicit | `newmark/` | 2 (1 unless γ = 1/2) | the angular momentum of free bodies |

mod choice;
mod decomposition;
mod exact;
mod fit;
mod impulse;
mod lcp;
mod multipliers;
mod newmark;
mod projected;
mod redundant;
mod variational;

pub use choice::{NAMES, Options, UnknownScheme, by_name};
pub use decomposition::{Decomposition, Response, project_start};
pub use exact::Exact;
pub use fit::{
    UnsupportedScene, WITHOUT_CONTACT, builds_open, fit, knows_contact, needs_contact, uses_potential,
};
pub use lcp::{DistanceMetric, GapRule, Lcp, LcpOptions, LcpSolveStats, RestitutionLaw, StepSolver};
pub use multipliers::Multipliers;
pub use newmark::Newmark;
pub use projected::Projected;
pub use variational::Variational;

use crate::contact::StepRecord;
use crate::discrete::{SolverStats, StepFailure};
use crate::model::Model;
use crate::state::State;

/// A way from one instant to the next.
pub trait Scheme {
    /// Its name in scene files.
    fn name(&self) -> &'static str;

    /// Order of accuracy in time, through the collisions it knows of. Tests hold every scheme to it (`tests/order.rs`,
    /// `exact.rs`, `decomposition_friction.rs`, `newmark.rs`); the guide's page on accuracy prints errors beside steps.
    fn order(&self) -> u32;

    /// Where it stops: names and values of the tolerances that decide when equations count as solved, parts as touching.
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

    /// Advances the state by a step `h`; on failure the state is untouched.
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure>;

    /// What happened inside the last step; `None` of a scheme for which steps have no inside.
    fn transcript(&self) -> Option<&StepRecord> {
        None
    }

    /// Whether its steps are complementarity problems, of which transcripts tell.
    fn steps_by_complementarity(&self) -> bool {
        false
    }

    /// Adds what it carries from step to step besides the state, as numbers: with them a run that was interrupted goes on to
    /// the same bits.
    fn memory(&self, _out: &mut Vec<f64>) {}

    /// Takes over what [`Scheme::memory`] gave; whether it is such.
    fn recall(&mut self, numbers: &[f64]) -> bool {
        numbers.is_empty()
    }
}
