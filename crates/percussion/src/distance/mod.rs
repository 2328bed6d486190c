//! `percussion distance`: the separation kernel as a filter on lines of JSON.
//!
//! ```text
//! query.rs, shape.rs, placement.rs    parse a line into a `Query`
//! body.rs, names.rs, shape_cache.rs   build the two bodies
//! solve.rs, answer_pair.rs            separation, least-norm solution and requests of all pairs of parts (kernel.rs)
//! answer.rs                           write the answer
//! stream.rs                           all lines, in parallel and in order
//! ```
//!
//! It opens no file: the caller gives the reader and the writer.

mod answer;
mod answer_pair;
mod body;
mod json_error;
mod kernel;
mod line_error;
mod names;
mod placement;
mod plane;
mod query;
pub mod report;
mod shape;
mod shape_cache;
mod solve;
mod space;
mod stream;
mod vector;

pub use answer::{
    Answer, Certificate, ErrorAnswer, EuclideanAnswer, EventAnswer, Gradient, Ranges, RotationGradient,
    Sparse, SubdifferentialAnswer, VertexGradients, Weights,
};
pub use body::{Body, Part};
pub use line_error::LineError;
pub use names::NamedShapes;
pub use placement::Placement;
pub use query::{EventRequest, EventTolerances, Line, Query, Requests};
pub use shape::{ShapeSource, ShapeText};
pub use shape_cache::ShapeCache;
pub use solve::{BodyRef, Defaults, Pair, solve};
pub use stream::{Observer, StreamCounts, run};
pub use vector::Coordinates;
