//! `percussion distance`: the separation kernel as a filter on lines of JSON.
//!
//! ```text
//! line  --query-->   what it says  --shape, placement-->  --body, names-->  two bodies with their poses
//!       --solve-->   the kernel's answer  --answer-->  a line of JSON       --stream-->  in order, in parallel
//! ```
//!
//! Opens no file and prints nothing: it reads from and writes to what it is given.

mod answer;
mod body;
mod contact;
mod kernel;
mod keys;
mod names;
mod placement;
mod plane;
mod query;
pub mod report;
mod shape;
mod shelf;
mod solve;
mod space;
mod stream;
mod vector;
mod wrong;

pub use answer::{Answer, Certificate, Complaint, Euclid, Gradient, Ranges, Sparse, Touch, Turn, Weights};
pub use body::{Body, Part};
pub use names::Names;
pub use placement::Placement;
pub use query::{EventTolerances, EventsWanted, Line, Query, Wants};
pub use shape::{Kind, ShapeText};
pub use shelf::Shelf;
pub use solve::{Defaults, Held, Pair, solve};
pub use stream::{Observer, Tally, run};
pub use vector::Coordinates;
pub use wrong::Wrong;
