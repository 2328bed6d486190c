//! Presentation of runs: pages, pictures, files for other programs.
//!
//! **Input**: run folders with scene, trajectory, events and figures, which are not changed. **Output**: texts, bytes and
//! files in given folders. No simulation, no printing.
//!
//! A run folder becomes a [`Recording`]: appearances of the bodies, their poses at a number of instants, and the events. Pages,
//! pictures and exports are made from it. The results of a study become charts, a page and a table.

pub mod chart;
pub mod export;
pub mod mesh;
pub mod page;
pub mod palette;
pub mod still;
pub mod study;

mod appearance;
mod connections;
mod quaternions;
mod recording;

pub use appearance::{Appearance, Plane};
pub use connections::{BodyPoint, Charge, Connections, JointLine, SpringLine};
pub use recording::{Extent, Frames, Recording, RecordingError, thinned};
