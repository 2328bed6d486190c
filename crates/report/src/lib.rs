//! Presentation of runs: pages, pictures, files for other programs.
//!
//! **Input**: run folders with scene, trajectory, events and figures, which are not changed. **Output**: texts, bytes and
//! files in given folders. No simulation, no printing.
//!
//! A run folder becomes a [`Recording`]: appearances of the bodies, their poses at a number of instants, and the events. Pages,
//! pictures and exports are made from it. The results of a study become charts, a page and a table.
//!
//! A module depends only on modules above it in this list:
//!
//! ```text
//! extent       the box around a scene in motion
//! mesh         surfaces of shapes as triangles
//! connections  joints, springs and charges
//! quaternions  quaternions of rotations over time
//! appearance   surfaces of bodies
//! recording    appearances, poses at a number of instants, and events of a run
//! palette      colors of bodies
//! page         the report page of a run
//! export       files for other programs
//! still        pictures and animations
//! chart        charts of results
//! study        pages of studies
//! ```

pub mod chart;
pub mod export;
pub mod mesh;
pub mod page;
pub mod palette;
pub mod still;
pub mod study;

mod appearance;
mod connections;
mod extent;
mod quaternions;
mod recording;

pub use appearance::{Appearance, Plane};
pub use connections::{BodyPoint, Charge, Connections, JointLine, SpringLine};
pub use extent::Extent;
pub use recording::{Frames, Recording, RecordingError, thinned};
