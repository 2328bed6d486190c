//! The separation kernel: Minkowski Portal Refinement [Snethen 2008] as a ray cast on the Minkowski difference, which solves the SSH LP
//! [Johnson 2.29] with ratio metric, dual weights, primal-dual bounds and derivatives.
//!
//! | file | contents |
//! |---|---|
//! | `portal.rs`, `solution.rs` | portals, their refinement, and the solution with its bounds at a portal |
//! | `warm.rs`, `polytope.rs` | two polytopes: confirmation of the last portal and steps to its neighbours; solution from scratch |
//! | `general.rs`, `curved.rs`, `pieces.rs` | any bounded bodies, prescribed directions, Newton's method on smooth pieces |
//! | `half_space.rs` | half-spaces, in closed form |
//! | `planar*.rs` | the plane |
//! | `gradient.rs`, `subdifferential/`, `resolve/` | derivatives, generalized gradients, degenerate contacts |
//!
//! Beyond Minkowski Portal Refinement: the exact optimal basis of the LP, primal and dual bounds of every answer (the certificate),
//! warm starts, and the least-norm choice and ranges of degenerate optima.

mod answer;
mod curved;
mod general;
mod gradient;
mod half_space;
mod pieces;
mod planar;
mod planar_curved;
mod planar_pair;
mod planar_portal;
mod polytope;
mod portal;
mod relative;
mod resolve;
mod small;
mod solution;
mod subdifferential;
mod support;
mod warm;

pub use answer::{
    Options, OptionsIn, Outcome, PlanarOptions, PlanarSeparation, PlanarWarmStart, QueryError, Separation,
    SeparationIn, WarmStart, WarmStartIn,
};
pub use gradient::{BetaTerm, CrossProduct, MotionGradient, MotionGradientOf, PlanarMotionGradient};
pub use planar::planar_separation;
pub use resolve::{
    PlanarRanges, PlanarResolved, Ranges, RangesIn, ResolveError, Resolved, ResolvedIn, planar_ranges,
    ranges, resolve, resolve_planar,
};
pub use subdifferential::{
    GradientSet, PlanarSubdifferential, Subdifferential, SubdifferentialIn, VertexGradient,
    VertexSubdifferential, planar_subdifferential, subdifferential,
};

pub(crate) use gradient::SeparationDifferential;

use crate::Pose;
use crate::shapes::Solid;
use warm::Bodies;

/// Separation of two convex bodies along the line of their reference points, or along `options.beta`.
///
/// `warm` carries the last basis of this pair from query to query: with it, a query whose features have not
/// changed costs one support evaluation. [`WarmStart::default`] is a cold start.
///
/// ```
/// use percussion_geometry::separation::{Options, WarmStart, separation};
/// use percussion_geometry::shapes::{Solid, Sphere};
/// use percussion_geometry::{Pose, Vec3};
///
/// let ball = Solid::Sphere(Sphere::new(0.5)?);
/// let (left, right) = (Pose::identity(), Pose::at(Vec3::new(3.0, 0.0, 0.0)));
/// let answer = separation(&ball, &right, &ball, &left, &Options::default(), &mut WarmStart::default())?;
/// assert_eq!(answer.separation, 2.0);
/// assert_eq!(answer.normal(), Vec3::x());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn separation(
    a: &Solid,
    pose_a: &Pose,
    b: &Solid,
    pose_b: &Pose,
    options: &Options,
    warm: &mut WarmStart,
) -> Result<Separation, QueryError> {
    if let (Solid::Polytope(p), Solid::Polytope(q), None) = (a, b, options.beta) {
        return warm::separation_of_polytopes(&Bodies { a: p, b: q, pose_a, pose_b }, options, warm);
    }
    half_space::separation_from_half_space(a, pose_a, b, pose_b, options, warm)
        .unwrap_or_else(|| general::separation_of_solids(a, pose_a, b, pose_b, options, warm))
}
