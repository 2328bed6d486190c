//! Kinematics of a model at a state: poses, Jacobian columns of points of bodies with their first and second derivatives, reduced
//! mass matrices.
//!
//! ```text
//! configuration        poses, twists, generalised forces and rates at one state
//! jacobian_columns     null-space columns along the ancestor chain of each body; second derivatives of points
//! column_derivatives   derivatives of the columns under a virtual motion
//! second_derivatives   second derivatives of projected points and of angles between axes
//! reduced_inertia      reduced mass matrices with Cholesky factors, and the gradient of `μᵀ M ν`
//! cache                columns at several configurations, computed on demand
//! ```

mod cache;
mod column_derivatives;
mod configuration;
mod jacobian_columns;
mod reduced_inertia;
mod second_derivatives;

pub use cache::KinematicsCache;
pub use column_derivatives::{ColumnDerivative, set_column_derivatives};
pub use configuration::ConfigurationKinematics;
pub use jacobian_columns::{AncestorChain, JacobianColumns, JointColumn};
pub use reduced_inertia::{ReducedInertia, virtual_motion};
pub use second_derivatives::SecondDerivatives;
