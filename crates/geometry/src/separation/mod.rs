//! The separation kernel: SSH LP, ratio metric, duals, certificates.

mod answer;
mod polytope;
mod portal;
mod relative;
mod small;
mod support;

pub use answer::{Feature, Options, Outcome, QueryError, Separation, Warm, kind};

use crate::Pose;
use crate::shapes::Solid;

/// Separation of two convex bodies.
pub fn separation(
    a: &Solid,
    pose_a: &Pose,
    b: &Solid,
    pose_b: &Pose,
    options: &Options,
    warm: &mut Warm,
) -> Result<Separation, QueryError> {
    match (a, b) {
        (Solid::Polytope(p), Solid::Polytope(q)) => {
            Ok(polytope::separation_of_polytopes(p, pose_a, q, pose_b, options, warm))
        }
        _ => Err(QueryError::BothUnbounded),
    }
}
