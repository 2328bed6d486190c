//! Bounding volumes of bodies: boxes along the world axes, of bodies at rest and in motion (swept bounds), and balls.
//!
//! Boxes of placed bodies are tight: each of their sides touches the body, because they are read off the
//! support functions along the world axes. Swept bounds contain the body at every instant and
//! exceed it by a few hundredths of its radius at most. Nothing here allocates, except the least ball of points
//! (a setup-time question).

mod axis_aligned;
mod ball;
mod placed;
mod sweep;
mod swept;

pub use axis_aligned::{Aabb, Bounds, PlanarAabb};
pub use ball::Ball;
pub use sweep::{PlanarSweep, Sweep, SweepIn};
