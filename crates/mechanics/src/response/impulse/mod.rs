//! Impulses of contacts: changes of the momenta of islands by closing contacts. Used by all schemes with impacts.
//!
//! Input: momenta at one configuration, and contact points there. Time does not occur.
//!
//! ```text
//! MassMetric           mass-weighted momenta u = L⁻¹ p; inner product of Mred⁻¹         mass_metric.rs
//! ContactConstraint    contact points with their Jacobian rows                         constraint.rs
//! ImpactSolver         impact laws: summed gradient, Moreau, plastic                   impact_law.rs
//! ImpactSequence       impacts of pairs of bodies, one after the other                 sequential.rs
//! SparseImpulses       impulses of many contacts                                       sparse_impulses.rs
//! FrictionSolver       Coulomb friction by block Gauss-Seidel                          coulomb.rs
//! FrictionNewton       its refinement by a nonsmooth Newton method                     cone_newton.rs
//! ```

mod cone_newton;
mod constraint;
mod coulomb;
mod impact_law;
mod mass_metric;
mod sequential;
mod sparse_impulses;

pub(crate) use crate::tolerances::impulse::{CLOSING_SPEED_ROUNDING, IMMOVABLE_ROW};
use crate::tolerances::impulse::{
    ENERGY_GAIN_ROUNDING, INERT_TANGENT, MIN_STEP_FRACTION, NEWTON_ACCEPTED, NEWTON_REGULARISATION,
    PARALLEL_NORMALS, SAME_SPEED, SEQUENCE_END, SINGULAR_DELASSUS, SWEEP_TOLERANCE,
};
pub(crate) use constraint::{ConstraintContext, ContactConstraint, ContactConstraints};
pub(crate) use impact_law::{ImpactSolver, energy};
pub(crate) use mass_metric::{JacobianRows, MassMetric};
pub(crate) use sparse_impulses::{MANY_CONTACTS, SparseImpulses};

/// Impacts of the sequential law per pair of bodies, after which Moreau's law is applied to all contacts.
const MAX_SEQUENTIAL_IMPACTS: usize = 50;
/// Sweeps before the first Newton refinement; the number doubles after each.
const SWEEPS_BEFORE_NEWTON: usize = 16;
/// Sweeps of an impact with restitution, after which it has no solution: jammed bodies cannot separate at any impulse.
const MAX_SWEEPS_RESTITUTION: usize = 64;
/// Sweeps after which the impulses are accepted with their residual.
const MAX_SWEEPS: usize = 512;
/// Newton steps of a refinement; convergence from a good start takes fewer.
const MAX_NEWTON_STEPS: usize = 12;
