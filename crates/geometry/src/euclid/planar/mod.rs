//! The planar twin: distance and depth of polygons, circles, ellipses and half-planes.

mod edges;
pub(super) mod expansion;
mod nearest;
mod pair;

use super::{PlanarEuclidean, gap};
use crate::separation::QueryError;
use crate::shapes::{HalfPlane, PlanarShape};
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
    for (pose, body) in [(pose_a, 'a'), (pose_b, 'b')] {
        if !pose.is_finite() {
            return Err(QueryError::NotFinite { body });
        }
    }
    match (a, b) {
        (PlanarShape::HalfPlane(_), PlanarShape::HalfPlane(_)) => Err(QueryError::BothUnbounded),
        (_, PlanarShape::HalfPlane(floor)) => Ok(above(a, pose_a, floor, pose_b)),
        (PlanarShape::HalfPlane(floor), _) => Ok(above(b, pose_b, floor, pose_a).swapped()),
        _ => match (Core::of(a), Core::of(b)) {
            (Some(core_a), Some(core_b)) => {
                let pair = Pair::new(core_a, pose_a, core_b, pose_b);
                Ok(placed(&pair, &solve(&pair), a, pose_a))
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

/// Adds the radii and goes to the world frame.
fn placed(pair: &Pair, gap: &Gap, a: &PlanarShape, pose_a: &PlanarPose) -> PlanarEuclidean {
    let local = gap.grown(pair.radius);
    let origin = a.reference();
    PlanarEuclidean {
        normal: pose_a.direction(&local.normal),
        point_a: pose_a.point(&(origin + local.point_a)),
        point_b: pose_a.point(&(origin + local.point_b)),
        ..local
    }
}

/// A bounded body and a half-plane b: one support, no search.
fn above(a: &PlanarShape, pose_a: &PlanarPose, floor: &HalfPlane, pose_b: &PlanarPose) -> PlanarEuclidean {
    let normal = pose_b.direction(&floor.normal());
    let down = pose_a.inverse_direction(&-normal);
    // Only half-planes lack a support, and a is not one.
    let foot = pose_a.direction(&a.support(&down).unwrap_or_else(Vec2::zeros));
    let height = normal.dot(&(pose_a.position - pose_b.position)) + normal.dot(&foot) - floor.offset();
    PlanarEuclidean::above(normal, pose_a.position + foot, height)
}
