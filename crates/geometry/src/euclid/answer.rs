//! What a Euclidean query answers.

use crate::PoseIn;
use crate::shapes::Convex;
use nalgebra::SVector;

/// The answer for one pair of convex bodies in `D` dimensions; all vectors in the world frame.
///
/// For polytopes, balls, capsules and half-spaces the value is exact to rounding (about 1e-14 of the pair's
/// size). For other curved bodies the bounds say what was reached, usually 1e-13; a point on a curved surface
/// is known sideways only to about the square root of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EuclideanIn<const D: usize> {
    /// The value of (2.28), metres: the distance when apart, minus the penetration depth when overlapping.
    pub distance: f64,
    /// Unit normal from body b to body a. When the bodies overlap, moving a by `-distance * normal` just
    /// separates them, and no shorter move does.
    pub normal: SVector<f64, D>,
    /// Witness point on body a; `point_a - point_b = distance * normal`.
    pub point_a: SVector<f64, D>,
    /// Witness point on body b.
    pub point_b: SVector<f64, D>,
    /// Lower bound of the value, from the supporting planes (lines, in the plane) along `normal`.
    pub lower: f64,
    /// Upper bound of the value. Apart: the length of the difference of two points. Overlapping: the nearest
    /// facet of a polytope inside the Minkowski difference, or, when all facets of that difference have
    /// been listed, the best of them and the rounding of a support height.
    pub upper: f64,
    /// Support evaluations used (each of both bodies).
    pub iterations: u32,
}

/// The answer for one pair of convex bodies in space.
pub type Euclidean = EuclideanIn<3>;
/// The answer for one pair of convex bodies in the plane.
pub type PlanarEuclidean = EuclideanIn<2>;

impl<const D: usize> EuclideanIn<D> {
    /// The width of the certificate, `upper - lower`.
    pub fn certificate_gap(&self) -> f64 {
        self.upper - self.lower
    }

    /// A bounded body over the half-space `<normal, x> <= offset` (its frame): one support, no search, exact.
    pub(super) fn above(
        body: &impl Convex<D>,
        pose: &PoseIn<D>,
        (normal, offset): (SVector<f64, D>, f64),
        pose_half: &PoseIn<D>,
    ) -> Self {
        let normal = pose_half.direction(&normal);
        let down = pose.inverse_direction(&-normal);
        // Only half-spaces lack a support, and the body is not one.
        let foot = pose.direction(&body.support(&down).unwrap_or_else(SVector::zeros));
        let height = normal.dot(&(pose.position - pose_half.position)) + normal.dot(&foot) - offset;
        let point_a = pose.position + foot;
        Self {
            distance: height,
            normal,
            point_a,
            point_b: point_a - normal * height,
            lower: height,
            upper: height,
            iterations: 1,
        }
    }

    /// From body a's frame, with the origin at its reference point, to the world.
    pub(super) fn placed(self, pose_a: &PoseIn<D>, reference: &SVector<f64, D>) -> Self {
        Self {
            normal: pose_a.direction(&self.normal),
            point_a: pose_a.point(&(reference + self.point_a)),
            point_b: pose_a.point(&(reference + self.point_b)),
            ..self
        }
    }

    /// The same answer with the bodies' names exchanged.
    pub(super) fn swapped(self) -> Self {
        Self { normal: -self.normal, point_a: self.point_b, point_b: self.point_a, ..self }
    }
}
