//! Impulses of contacts: changes of the momenta of islands by closing contacts. Used by all schemes with impacts.
//!
//! Input: momenta at one configuration, and contact points there. Time does not occur.
//!
//! ```text
//! MassMetric           mass-weighted momenta u = L⁻¹ p; inner product of Mred⁻¹         mass_metric.rs
//! ContactConstraint    contact points with their Jacobian rows                         constraint.rs
//! ImpactSolver         impact laws: summed gradient, Moreau, plastic                   impact_law.rs
//! ImpactSequence       impacts of pairs of bodies, one after the other                 sequential.rs
//! ContactImpulses      their problems, solved by `percussion_solve::contact`           contact_impulses.rs
//! ratio_friction       friction by a ratio of momenta, as printed                      ratio_friction.rs
//! ```

mod constraint;
mod contact_impulses;
mod impact_law;
mod mass_metric;
mod ratio_friction;
mod sequential;

pub(crate) use crate::tolerances::impulse::{CLOSING_SPEED_ROUNDING, IMMOVABLE_ROW};
use crate::tolerances::impulse::{
    ENERGY_GAIN_ROUNDING, INERT_TANGENT, PARALLEL_NORMALS, SAME_SPEED, SEQUENCE_END, SINGULAR_DELASSUS,
};
pub(crate) use constraint::{ConstraintContext, ContactConstraint, ContactConstraints};
pub(crate) use contact_impulses::{ContactImpulses, MANY_CONTACTS};
pub(crate) use impact_law::{ImpactSolver, energy};
pub(crate) use mass_metric::{JacobianRows, MassMetric};

/// Impacts of the sequential law per pair of bodies, after which Moreau's law is applied to all contacts.
const MAX_SEQUENTIAL_IMPACTS: usize = 50;
