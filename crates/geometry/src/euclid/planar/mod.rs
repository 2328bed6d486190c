//! The planar twin: distance and depth of polygons, circles, ellipses and half-planes.

mod edges;
pub(super) mod expansion;
mod nearest;
mod pair;

use super::{PlanarEuclidean, gap};
use crate::separation::QueryError;
use crate::shapes::PlanarShape;
use crate::{PlanarPose, Vec2};
use nearest::nearest;
use pair::{Core, Pair};

type Corner = gap::Corner<2>;
type Gap = gap::Gap<2>;
type Nearest = gap::Nearest<2>;

/// Distance (positive) or penetration depth (negative) of two convex planar bodies, with normal, witness
/// points and bounds.
pub fn planar_euclidean(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
) -> Result<PlanarEuclidean, QueryError> {
    QueryError::unless_finite(pose_a, pose_b)?;
    match (a, b) {
        (PlanarShape::HalfPlane(_), PlanarShape::HalfPlane(_)) => Err(QueryError::BothUnbounded),
        (_, PlanarShape::HalfPlane(h)) => {
            Ok(PlanarEuclidean::above(a, pose_a, (h.normal(), h.offset()), pose_b))
        }
        (PlanarShape::HalfPlane(h), _) => {
            Ok(PlanarEuclidean::above(b, pose_b, (h.normal(), h.offset()), pose_a).swapped())
        }
        _ => match (Core::of(a), Core::of(b)) {
            (Some(core_a), Some(core_b)) => {
                let pair = Pair::new(core_a, pose_a, core_b, pose_b);
                Ok(solve(&pair).grown(pair.radius).placed(pose_a, &a.reference()))
            }
            // Only half-planes have no core, and they have been dealt with.
            _ => Err(QueryError::BothUnbounded),
        },
    }
}

/// Bounds of (2.28) for two bounded cores.
fn solve(pair: &Pair) -> Gap {
    let (gap, met) = match nearest(pair) {
        Nearest::Apart(gap) => (gap, false),
        Nearest::Touching(gap) => (Gap { upper: gap.upper, ..gap }, true),
        Nearest::Overlapping(gap) => (Gap { upper: 0.0, ..gap }, true),
    };
    if !met && gap.upper - gap.lower <= pair.doubtful() {
        return gap;
    }
    match depth(pair) {
        Some(edge) => {
            let evaluations = gap.evaluations + edge.evaluations;
            // Rounding left the bounds open: an edge may close them, or show that the bodies overlap.
            let overlap = met || (edge.lower < 0.0 && edge.upper < gap.upper);
            if !overlap {
                let better = edge.lower > gap.lower;
                let normal = if better { edge.normal } else { gap.normal };
                return Gap { lower: gap.lower.max(edge.lower), normal, evaluations, ..gap };
            }
            let better = gap.lower > edge.lower;
            let normal = if better { gap.normal } else { edge.normal };
            let lower = gap.lower.max(edge.lower);
            Gap { lower, upper: gap.upper.min(edge.upper).max(lower), normal, evaluations, ..edge }
        }
        // Two coincident points: every normal is right.
        None => gap,
    }
}

/// Bounds of the depth; `None` when `K1 - K2` has no area.
fn depth(pair: &Pair) -> Option<Gap> {
    if pair.is_polygonal() {
        return edges::depth(pair);
    }
    let found = expansion::expand(
        |normal| {
            let corner = pair.support(normal);
            (corner.w, corner)
        },
        pair.goal(),
    )?;
    let mean = |pick: fn(&Corner) -> Vec2| {
        found.weights[0] * pick(&found.corners[0]) + found.weights[1] * pick(&found.corners[1])
    };
    Some(Gap {
        lower: found.lower,
        upper: found.upper,
        normal: found.normal,
        x: mean(|c| c.x),
        z: mean(|c| c.z),
        evaluations: found.evaluations,
    })
}
