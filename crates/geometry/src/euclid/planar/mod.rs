//! The planar version: distance and depth of polygons, circles, ellipses and half-planes.

mod edges;
pub(super) mod expansion;
mod nearest;
mod pair;

use super::{PlanarEuclidean, bounds, dispatch};
use crate::separation::QueryError;
use crate::shapes::PlanarShape;
use crate::{PlanarPose, Vec2};
use nearest::nearest;
use pair::{Core, Pair};

type SupportPoint = bounds::SupportPoint<2>;
type DistanceBounds = bounds::DistanceBounds<2>;
type Nearest = bounds::Nearest<2>;

/// Distance (positive) or penetration depth (negative) of two convex planar bodies, with normal, witness
/// points and bounds.
pub fn planar_euclidean(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
) -> Result<PlanarEuclidean, QueryError> {
    dispatch(a, pose_a, b, pose_b, || {
        let pair = Pair::new(Core::of(a)?, pose_a, Core::of(b)?, pose_b);
        Some(solve(&pair).grown(pair.radius).placed(pose_a, &a.reference()))
    })
}

/// Bounds of (2.28) for two bounded cores.
fn solve(pair: &Pair) -> DistanceBounds {
    let (bounds, met) = match nearest(pair) {
        Nearest::Apart(bounds) => (bounds, false),
        Nearest::Touching(bounds) => (DistanceBounds { upper: bounds.upper, ..bounds }, true),
        Nearest::Overlapping(bounds) => (DistanceBounds { upper: 0.0, ..bounds }, true),
    };
    if !met && bounds.upper - bounds.lower <= pair.retry_width() {
        return bounds;
    }
    match depth(pair) {
        Some(edge) => {
            let evaluations = bounds.evaluations + edge.evaluations;
            // Rounding left the bounds open: an edge may close them, or show that the bodies overlap.
            let overlap = met || (edge.lower < 0.0 && edge.upper < bounds.upper);
            if !overlap {
                let better = edge.lower > bounds.lower;
                let normal = if better { edge.normal } else { bounds.normal };
                return DistanceBounds { lower: bounds.lower.max(edge.lower), normal, evaluations, ..bounds };
            }
            let better = bounds.lower > edge.lower;
            let normal = if better { bounds.normal } else { edge.normal };
            let lower = bounds.lower.max(edge.lower);
            DistanceBounds {
                lower,
                upper: bounds.upper.min(edge.upper).max(lower),
                normal,
                evaluations,
                ..edge
            }
        }
        // Two coincident points: every normal is right.
        None => bounds,
    }
}

/// Bounds of the depth; `None` when `K1 - K2` has no area.
fn depth(pair: &Pair) -> Option<DistanceBounds> {
    if pair.is_polytopal() {
        return edges::depth(pair);
    }
    let found = expansion::expand(
        |normal| {
            let corner = pair.support(normal);
            (corner.w, corner)
        },
        pair.goal(),
    )?;
    let mean = |pick: fn(&SupportPoint) -> Vec2| {
        found.weights[0] * pick(&found.corners[0]) + found.weights[1] * pick(&found.corners[1])
    };
    Some(DistanceBounds {
        lower: found.lower,
        upper: found.upper,
        normal: found.normal,
        x: mean(|c| c.x),
        z: mean(|c| c.z),
        evaluations: found.evaluations,
    })
}
