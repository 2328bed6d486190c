//! Bodies, joints, forces, and integrators that keep the structure of mechanics.
//!
//! **Knows** bodies with mass, how they hang on each other, what pulls them, and how they get from one instant to
//! the next. **Opens no file** and prints nothing.
//!
//! A [`ModelBuilder`] turns bodies, joints and forces into a read-only [`Model`] and a first
//! [`State`].

pub mod body;
pub mod builder;
pub mod contact;
pub mod discrete;
pub mod force;
pub mod joint;
pub mod ledger;
pub mod model;
pub mod motion;
pub mod named_arrays;
pub mod rotation;
pub mod schemes;
pub mod simulation;
pub mod state;
pub mod tree;
pub mod views;

pub use body::Body;
pub use builder::{SceneBuilder, SceneBuilderError};
pub use joint::JointKind;
pub use ledger::Ledger;
pub use model::{BodyId, JointId, JointSpec, Model, ModelBuilder, ModelError};
pub use motion::Motion;
pub use named_arrays::NamedArrays;
pub use schemes::Scheme;
pub use simulation::Simulation;
pub use state::State;
