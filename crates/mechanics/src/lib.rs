//! Multibody dynamics with contact: bodies, joints, forces, and structure-preserving integrators. Opens no file and prints
//! nothing.
//!
//! A [`ModelBuilder`] turns bodies, joints and forces into a read-only [`Model`] and a first [`State`]; a [`Scheme`] advances the
//! state.
//!
//! A module depends only on modules above it in this list:
//!
//! ```text
//! named_arrays       arrays by name, for checkpoints
//! tolerances         every tolerance with its unit and reason
//! rotation           SO(3)
//! spatial            twists, wrenches, spatial inertia
//! table              piecewise linear and piecewise constant functions of time
//! prescribed_motion  rigid displacements as functions of time
//! body               mass, principal axes, shapes
//! joint              joint kinematics: motion subspaces, increments, constraints
//! tree               sweeps over the kinematic tree
//! contact            contact detection: parts, candidate pairs, separations, manifolds
//! force              forces on material points, the contact potential
//! model              what time does not change (Model) and what it does (State)
//! kinematics         Jacobian columns of points and their derivatives, reduced mass matrices
//! discrete           discrete Euler-Lagrange equations of an interval and their derivatives
//! step_record        what happened inside a step
//! response           contact response: collision groups, impact laws, friction
//! schemes            integrators
//! ledger             balance of energy and momentum by source
//! simulation         model, state, scheme and ledger together
//! views              bodies, joints and contacts of a simulation by name
//! builder            scenes in code
//! ```

pub mod body;
pub mod builder;
pub mod contact;
pub mod discrete;
pub mod force;
pub mod joint;
pub mod kinematics;
pub mod ledger;
pub mod model;
pub mod named_arrays;
pub mod prescribed_motion;
pub mod response;
pub mod rotation;
pub mod schemes;
pub mod simulation;
pub mod spatial;
pub mod step_record;
pub mod table;
pub mod tolerances;
pub mod tree;
pub mod views;

pub use body::{Body, BodyId};
pub use builder::{SceneBuilder, SceneBuilderError};
pub use joint::JointKind;
pub use ledger::Ledger;
pub use model::{JointId, JointSpec, Model, ModelBuilder, ModelError, State};
pub use named_arrays::NamedArrays;
pub use prescribed_motion::Motion;
pub use schemes::Scheme;
pub use simulation::Simulation;
