//! Avoidance: pairs of parts that are kept apart.
//!
//! ```text
//! plane        a separating plane over an interval, which is an unknown       parts with a core of vertices
//! half-space   gaps of vertices over its surface, at nodes                    parts over a half-space
//! separation   s(q) itself, at nodes                                          curved parts, of which it is smooth
//! rotations    small in intervals over which parts are kept apart
//! ```

mod hull;
mod plane;
mod plane_block;
mod rotation_limit;
mod separation;

pub use hull::Hull;
pub use plane::SeparatingPlane;
pub(super) use rotation_limit::add_rotation_limits;
pub(super) use separation::add_separations;
pub use separation::{SeparationConstraint, SeparationKind, separation};

use super::{Assembly, Label};
use percussion_mechanics::contact::PairWarmStart;
use percussion_solve::nlp::Bound;
use plane_block::PlaneBlock;

/// Scratch memory of separations.
#[derive(Default)]
pub(super) struct AvoidanceWorkspace {
    /// One for each separation constraint.
    pub warm_starts: Vec<PairWarmStart>,
}

/// Adds the rows of all separating planes.
pub(super) fn add_planes(assembly: &mut Assembly) {
    let planes = assembly.set.separations.iter().filter_map(|separation| match &separation.kind {
        SeparationKind::Plane(plane) => Some((separation, plane)),
        _ => None,
    });
    for (index, (separation, plane)) in planes.enumerate() {
        for &(node, least) in &separation.nodes {
            let label = Label::Separation { pair: separation.pair, node };
            let bound = Bound::at_least(0.5 * least);
            let rows = (0..plane.rows()).map(|_| (assembly.row(bound, label.clone()), 1.0)).collect();
            assembly.block(PlaneBlock::new(assembly.problem, (plane, index), node, separation.pair, rows));
        }
    }
}
