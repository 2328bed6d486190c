//! Impulses of contacts: changes of the momenta of islands by closing contacts. Used by all schemes with impacts.
//!
//! Input: momenta at one configuration, and contact points there. Time does not occur.
//!
//! ```text
//! MassMetric           mass-weighted momenta u = L⁻¹ p; inner product of Mred⁻¹         mass_metric.rs
//! ContactConstraint    contact points with their Jacobian rows                         constraint.rs
//! ImpactSolver         impact laws: summed gradient, Moreau, sequential, plastic       impact_law.rs
//! FrictionSolver       Coulomb friction by block Gauss-Seidel                          coulomb.rs
//! FrictionNewton       its refinement by a nonsmooth Newton method                     cone_newton.rs
//! ```

mod cone_newton;
mod constraint;
mod coulomb;
mod impact_law;
mod mass_metric;

pub(crate) use constraint::{ConstraintContext, ContactConstraint, ContactConstraints};
pub(crate) use impact_law::{ImpactSolver, energy};
pub(crate) use mass_metric::{JacobianRows, MassMetric};

// tolerances

/// Closing speed that is rounding, relative to the speeds of the group.
pub(crate) const CLOSING_SPEED_ROUNDING: f64 = 1e-12;
/// Energy gain of an impact that is rounding, relative.
const ENERGY_GAIN_ROUNDING: f64 = 1e-12;
/// Impacts of the sequential law per pair, after which Moreau's law is applied to all contacts.
const MAX_SEQUENTIAL_IMPACTS: usize = 50;
/// Square of a tangential row relative to the normal row, below which the point cannot move along it (planar models).
const INERT_TANGENT: f64 = 1e-12;
/// Square of a row, relative to that of free bodies, below which no impulse can act along it.
pub(crate) const IMMOVABLE_ROW: f64 = 1e-20;
/// Cosine between normals of one face contact: faces in contact are tilted by less than half a degree.
const PARALLEL_NORMALS: f64 = 1.0 - 5e-5;
/// Change of momentum in a sweep that ends Gauss-Seidel, relative to the momentum of the group, per contact plus eight.
const SWEEP_TOLERANCE: f64 = 1e-15;
/// Sweeps before the first Newton refinement; the number doubles after each.
const SWEEPS_BEFORE_NEWTON: usize = 16;
/// Sweeps of an impact with restitution, after which it has no solution: jammed bodies cannot separate at any impulse.
const MAX_SWEEPS_RESTITUTION: usize = 64;
/// Sweeps after which the impulses are accepted with their residual.
const MAX_SWEEPS: usize = 512;
/// Residual of a Newton refinement that one sweep can remove, in multiples of the sweep tolerance.
const NEWTON_ACCEPTED: f64 = 1e3;
/// Singular values of the Delassus block of a contact that are zero, relative to the greatest.
const SINGULAR_DELASSUS: f64 = 1e-12;
/// Newton steps of a refinement; convergence from a good start takes fewer.
const MAX_NEWTON_STEPS: usize = 12;
/// Smallest fraction of a Newton step in the line search.
const MIN_STEP_FRACTION: f64 = 0.1;
/// Regularisation of the normal equations of a Newton step, relative to their mean diagonal: selects the step of least norm.
const NEWTON_REGULARISATION: f64 = 1e-12;
