//! Depth of two bodies of revolution with parallel axes, in the plane.
//!
//! Their Minkowski difference is a body of revolution too, about an axis through the difference of the
//! reference points, and the boundary point nearest to an inner point lies in that point's meridian plane. The
//! question is planar there. In space the nearest points of coaxial bodies fill a circle, which no expanding
//! polytope encloses to ten digits.

use super::bounds::{DistanceBounds, SupportPoint};
use super::pair::Pair;
use super::planar::expansion::expand;
use super::simplex::{across, unit};
use super::witness::frame;
use crate::tolerances::euclid::PARALLEL;
use crate::{Vec2, Vec3};

/// Bounds of the depth; `None` when the pair is not of this kind.
pub(super) fn depth(pair: &Pair) -> Option<DistanceBounds> {
    // A ball's core is a point, round about every axis; the other axis is used then.
    let pointlike = |core: &super::Core| matches!(core, super::Core::Point);
    let (axis_a, axis_b) = (Vec3::z(), pair.rotation.column(2).into_owned());
    let axis = if pointlike(&pair.a) { axis_b } else { axis_a };
    let parallel =
        pointlike(&pair.a) || pointlike(&pair.b) || across(&axis_a, &axis_b).norm() <= 4.0 * PARALLEL;
    if !(pair.a.is_round() && pair.b.is_round() && parallel) {
        return None;
    }
    let axis = unit(&axis)?;
    // The meridian plane through the origin: spanned by the axis and the offset across it.
    let sideways = across(&axis, &pair.offset);
    let radial = if sideways.norm() > PARALLEL * pair.scale {
        unit(&across(&axis, &unit(&sideways)?))?
    } else {
        frame(&axis).0
    };
    let lift = |flat: &Vec2| flat.x * radial + flat.y * axis;
    let flatten = |p: &Vec3| Vec2::new(radial.dot(p), axis.dot(p));
    let planar = expand(
        |normal| {
            // A support along the axis may be any point of a rim; its shadow on the plane is one too.
            let SupportPoint { w, x, z, index } = pair.support(&lift(normal));
            let shadow = |p: &Vec3| lift(&flatten(p));
            (flatten(&w), SupportPoint { w: shadow(&w), x: shadow(&x), z: shadow(&z), index })
        },
        pair.goal(),
    )?;
    let mean = |pick: fn(&SupportPoint) -> Vec3| {
        planar.weights[0] * pick(&planar.corners[0]) + planar.weights[1] * pick(&planar.corners[1])
    };
    let normal = lift(&planar.normal);
    Some(DistanceBounds {
        lower: planar.lower,
        upper: planar.upper,
        normal,
        x: mean(|c| c.x),
        z: mean(|c| c.z),
        evaluations: planar.evaluations,
    })
}
