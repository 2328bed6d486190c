//! What a Euclidean query answers.

use crate::{Vec2, Vec3};

/// The answer for one pair of convex bodies in space; all vectors in the world frame.
///
/// For polytopes, balls, capsules and half-spaces the value is exact to rounding (about 1e-14 of the pair's
/// size). For other curved bodies the bounds say what was reached, usually 1e-13; a point on a curved surface
/// is known sideways only to about the square root of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Euclidean {
    /// The value of (2.28), metres: the distance when apart, minus the penetration depth when overlapping.
    pub distance: f64,
    /// Unit normal from body b to body a. When the bodies overlap, moving a by `-distance * normal` just
    /// separates them, and no shorter move does.
    pub normal: Vec3,
    /// Witness point on body a; `point_a - point_b = distance * normal`.
    pub point_a: Vec3,
    /// Witness point on body b.
    pub point_b: Vec3,
    /// Lower bound of the value, from the supporting planes along `normal`.
    pub lower: f64,
    /// Upper bound of the value. Apart: the length of the difference of two points. Overlapping: the nearest
    /// facet of a polytope inside the Minkowski difference, or, when all facets of that difference have
    /// been listed, the best of them and the rounding of a support height.
    pub upper: f64,
    /// Support evaluations used (each of both bodies).
    pub iterations: u32,
}

/// The answer for one pair of convex bodies in the plane; all vectors in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarEuclidean {
    /// The value of (2.28), metres: the distance when apart, minus the penetration depth when overlapping.
    pub distance: f64,
    /// Unit normal from body b to body a. When the bodies overlap, moving a by `-distance * normal` just
    /// separates them, and no shorter move does.
    pub normal: Vec2,
    /// Witness point on body a; `point_a - point_b = distance * normal`.
    pub point_a: Vec2,
    /// Witness point on body b.
    pub point_b: Vec2,
    /// Lower bound of the value, from the supporting lines along `normal`.
    pub lower: f64,
    /// Upper bound of the value: from a pair of points when apart, from edges that enclose the overlap
    /// when overlapping.
    pub upper: f64,
    /// Support evaluations used (each of both bodies).
    pub iterations: u32,
}

impl Euclidean {
    /// The width of the certificate, `upper - lower`.
    pub fn certificate_gap(&self) -> f64 {
        self.upper - self.lower
    }
}

impl PlanarEuclidean {
    /// The width of the certificate, `upper - lower`.
    pub fn certificate_gap(&self) -> f64 {
        self.upper - self.lower
    }
}
