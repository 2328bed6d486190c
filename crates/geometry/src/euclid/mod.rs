//! Euclidean distance and penetration depth: the exact quadratic problem [Johnson 2.28].
//!
//! ```text
//! h(K1, K2) = max over unit normals n of ( min over x in K1 of <n, x>  -  max over y in K2 of <n, y> )
//! ```
//!
//! Apart, `h` is the Euclidean distance; overlapping, it is minus the depth: the length of the shortest
//! translation that separates the bodies. Time stepping uses the separation kernel, which measures along one fixed line; this
//! module solves the nonlinear problem for comparison and for users who need it.
//!
//! Both are about the origin and `K1 - K2`: outside, the nearest point (`nearest`); inside, the nearest
//! facet (`facets` for polytopes, exactly; `expansion` for curved bodies; `meridian` for round bodies with
//! parallel axes, whose nearest points would otherwise fill a circle). Balls and capsules are a point and a
//! segment with a radius, and a half-space needs one support: both are exact.

mod answer;
mod bounds;
mod expansion;
mod facets;
mod meridian;
mod nearest;
mod pair;
mod planar;
mod simplex;
mod witness;

pub use answer::{Euclidean, EuclideanIn, PlanarEuclidean};
pub use planar::planar_euclidean;

use crate::separation::QueryError;
use crate::shapes::{Convex, Polytope, Solid};
use crate::tolerances::euclid::{MANY_EDGE_PAIRS, PLANAR};
use crate::{Pose, PoseIn, Vec3};
use bounds::{DistanceBounds, Nearest};
use nearest::nearest;
use pair::{Core, Pair};

/// Distance (positive) or penetration depth (negative) of two convex bodies, with normal, witness points and
/// bounds.
///
/// ```
/// use percussion_geometry::{Pose, Vec3, euclid::euclidean, shapes::{Solid, Sphere}};
/// let ball = Solid::Sphere(Sphere::new(1.0)?);
/// let answer = euclidean(&ball, &Pose::at(Vec3::new(3.0, 0.0, 0.0)), &ball, &Pose::identity())?;
/// assert_eq!(answer.distance, 1.0);
/// assert_eq!(answer.normal, Vec3::x());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn euclidean(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose) -> Result<Euclidean, QueryError> {
    dispatch(a, pose_a, b, pose_b, || {
        let pair = Pair::new(Core::of(a)?, pose_a, Core::of(b)?, pose_b);
        Some(solve(&pair).grown(pair.radius).placed(pose_a, &a.reference()))
    })
}

/// A half-space needs one support; `bounded` answers for two bounded bodies.
fn dispatch<const D: usize, S: Convex<D>>(
    a: &S,
    pose_a: &PoseIn<D>,
    b: &S,
    pose_b: &PoseIn<D>,
    bounded: impl FnOnce() -> Option<EuclideanIn<D>>,
) -> Result<EuclideanIn<D>, QueryError> {
    QueryError::unless_finite(pose_a, pose_b)?;
    match (a.half_space(), b.half_space()) {
        (None, Some(plane)) => Ok(EuclideanIn::above(a, pose_a, plane, pose_b)),
        (Some(plane), None) => Ok(EuclideanIn::above(b, pose_b, plane, pose_a).swapped()),
        // Only half-spaces have no core.
        _ => bounded().ok_or(QueryError::BothUnbounded),
    }
}

/// Bounds of (2.28) for two bounded cores.
fn solve(pair: &Pair) -> DistanceBounds {
    match nearest(pair) {
        Nearest::Apart(bounds) if bounds.upper - bounds.lower <= pair.retry_width() => bounds,
        // Rounding has left the bounds open: a facet may close them, or show that the bodies overlap.
        Nearest::Apart(bounds) => match depth(pair, bounds.upper) {
            Some(facet) => {
                let evaluations = bounds.evaluations + facet.evaluations;
                if facet.lower < 0.0 && facet.upper < bounds.upper {
                    return DistanceBounds { evaluations, ..facet };
                }
                let normal = if facet.lower > bounds.lower { facet.normal } else { bounds.normal };
                let lower = bounds.lower.max(facet.lower);
                shortened(pair, DistanceBounds { lower, normal, evaluations, ..bounds }, (facet.x, facet.z))
            }
            None => bounds,
        },
        // On the boundary, or inside with a simplex that happens to pass through the origin: the shortest
        // difference found bounds from above, the best facet from below.
        Nearest::Touching(bounds) => match depth(pair, bounds.upper) {
            Some(facet) => {
                let lower = facet.lower.max(bounds.lower);
                let upper = bounds.upper.min(facet.upper).max(lower);
                let normal = if bounds.lower > facet.lower { bounds.normal } else { facet.normal };
                let evaluations = bounds.evaluations + facet.evaluations;
                // On the boundary a flat facet gives the middle of the contact, a curved one only its
                // neighbourhood: the points whose difference vanishes are better.
                let boundary = lower > -8.0 * crate::tolerances::euclid::TOUCHING * pair.scale;
                let (x, z) =
                    if boundary && !pair.is_polytopal() { (bounds.x, bounds.z) } else { (facet.x, facet.z) };
                DistanceBounds { lower, upper, normal, x, z, evaluations }
            }
            None => degenerate_bounds(pair, bounds),
        },
        Nearest::Overlapping(bounds) => match depth(pair, f64::INFINITY) {
            Some(facet) => {
                let upper = facet.upper.min(0.0).max(facet.lower);
                DistanceBounds { upper, evaluations: bounds.evaluations + facet.evaluations, ..facet }
            }
            None => degenerate_bounds(pair, bounds),
        },
    }
}

/// A shorter difference than the search found: the witnesses of the best facet, or the nearest points of the
/// bodies drawn apart along the normal by more and more, where directions are better known. Needles almost
/// in touch need it.
fn shortened(pair: &Pair, mut bounds: DistanceBounds, facet: (Vec3, Vec3)) -> DistanceBounds {
    let mut consider = |(x, z): (Vec3, Vec3), evaluations: u32| {
        bounds.evaluations += evaluations;
        let length = (x - z).norm();
        if length < bounds.upper {
            (bounds.upper, bounds.x, bounds.z) = (length, x, z);
        }
        bounds.upper - bounds.lower <= pair.retry_width()
    };
    if consider(facet, 0) {
        return bounds;
    }
    let normal = bounds.normal;
    for apart in [1e-8, 1e-6, 1e-4, 1e-2] {
        let shift = -apart * pair.scale * normal;
        let moved = Pair { offset: pair.offset + shift, ..*pair };
        let (Nearest::Apart(found) | Nearest::Touching(found) | Nearest::Overlapping(found)) =
            nearest(&moved);
        if consider((found.x, found.z - shift), found.evaluations) {
            break;
        }
    }
    bounds
}

/// Bounds of the depth by the method that suits the pair; `None` when `K1 - K2` has no volume. `ceiling` is
/// an upper bound known before.
fn depth(pair: &Pair, ceiling: f64) -> Option<DistanceBounds> {
    if !pair.is_polytopal() {
        return meridian::depth(pair).or_else(|| expansion::depth(pair, ceiling));
    }
    // Facets can be listed exactly; where there are many and the bodies are not just touching, or faces are not
    // flat, the expansion, which examines few facets and uses vertices only, goes first and usually closes
    // its bounds.
    let uneven = |core: &Core| matches!(core, Core::Polytope(p) if unevenness(p) > PLANAR * pair.scale);
    let many = ceiling == f64::INFINITY && pair.a.edge_count() * pair.b.edge_count() > MANY_EDGE_PAIRS;
    if !(many || uneven(&pair.a) || uneven(&pair.b)) {
        return facets::depth(pair);
    }
    let hull = expansion::depth(pair, f64::INFINITY).map(|bounds| witness::centred(pair, bounds));
    match hull {
        Some(hull) if hull.upper - hull.lower <= 2.0 * pair.goal() => Some(hull),
        Some(hull) => {
            let exact = facets::depth(pair)?;
            let better = if hull.lower > exact.lower { hull } else { exact };
            let evaluations = exact.evaluations + hull.evaluations;
            Some(DistanceBounds { upper: hull.upper.max(better.lower), evaluations, ..better })
        }
        None => facets::depth(pair),
    }
}

/// How far vertices leave the planes of their faces.
fn unevenness(polytope: &Polytope) -> f64 {
    let mut widest = 0.0_f64;
    for face in polytope.faces() {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &v in polytope.face_loop(face) {
            let height = face.normal.dot(&Vec3::from(polytope.lanes().get(v as usize)));
            (low, high) = (low.min(height), high.max(height));
        }
        widest = widest.max(high - low);
    }
    widest
}

/// Two points or segments that meet: their difference has no volume, so any normal of it will do. Its own
/// normal where it has one, else one across the segment.
fn degenerate_bounds(pair: &Pair, bounds: DistanceBounds) -> DistanceBounds {
    let axis = |core: &Core, along: Vec3| matches!(core, Core::Segment(_)).then_some(along);
    let d = axis(&pair.a, Vec3::z());
    let e = axis(&pair.b, pair.rotation.column(2).into_owned());
    let across = match (d, e) {
        (Some(d), Some(e)) => simplex::unit(&simplex::across(&d, &e))
            .filter(|_| simplex::across(&d, &e).norm() > crate::tolerances::euclid::ARC)
            .map_or_else(|| witness::frame(&d).0, |l| d.cross(&l)),
        (Some(d), None) | (None, Some(d)) => witness::frame(&d).0,
        (None, None) => Vec3::z(),
    };
    let (normal, lower) = [across, -across]
        .map(|n| (n, n.dot(&pair.support(&n).w)))
        .into_iter()
        .fold((bounds.normal, bounds.lower), |best, next| if next.1 > best.1 { next } else { best });
    DistanceBounds {
        normal,
        lower,
        upper: bounds.upper.max(lower),
        evaluations: bounds.evaluations + 2,
        ..bounds
    }
}
