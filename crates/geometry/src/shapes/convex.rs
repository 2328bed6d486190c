//! What convex bodies of the plane and of space have in common, for what is written once for both.

use super::Feature;
use super::{PlanarShape, Polygon, Polytope, Solid};
use crate::{Vec2, Vec3};
use nalgebra::SVector;

/// A convex body in `D` dimensions.
pub(crate) trait Convex<const D: usize> {
    /// The point furthest along `direction` (body frame); `None` for a half-space.
    fn support(&self, direction: &SVector<f64, D>) -> Option<SVector<f64, D>>;
    /// The reference point, body frame.
    fn reference(&self) -> SVector<f64, D>;
    /// Radius of a ball about the reference point that holds the body (infinite for a half-space).
    fn outer_radius(&self) -> f64;
    /// Outward unit normal and offset of a body that is everything on one side of a plane.
    fn half_space(&self) -> Option<(SVector<f64, D>, f64)>;
    /// The vertices of a body that is made of them.
    fn vertices(&self) -> Option<&[SVector<f64, D>]>;
    /// The feature that holds all the given vertices, if there is one.
    fn feature_of(&self, vertices: &[u32]) -> Option<Feature>;

    /// The point furthest along `direction` and the vertex it is, `u32::MAX` on a body that has none.
    fn furthest(&self, direction: &SVector<f64, D>) -> Option<(SVector<f64, D>, u32)> {
        match self.vertices() {
            Some(vertices) => {
                let index = furthest_of(vertices, direction);
                Some((vertices[index], index as u32))
            }
            None => Some((self.support(direction)?, u32::MAX)),
        }
    }
}

/// The first of the points furthest along `direction`.
pub(crate) fn furthest_of<const D: usize>(points: &[SVector<f64, D>], direction: &SVector<f64, D>) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, point) in points.iter().enumerate() {
        let height = direction.dot(point);
        if height > best.0 {
            best = (height, index);
        }
    }
    best.1
}

impl Convex<3> for Solid {
    fn support(&self, direction: &Vec3) -> Option<Vec3> {
        self.support(direction)
    }

    fn reference(&self) -> Vec3 {
        self.reference()
    }

    fn outer_radius(&self) -> f64 {
        self.outer_radius()
    }

    fn half_space(&self) -> Option<(Vec3, f64)> {
        if let Solid::HalfSpace(h) = self { Some((h.normal(), h.offset())) } else { None }
    }

    fn vertices(&self) -> Option<&[Vec3]> {
        self.polytope().map(Polytope::vertices)
    }

    fn feature_of(&self, vertices: &[u32]) -> Option<Feature> {
        self.polytope()?.feature(vertices)
    }
}

impl Convex<2> for PlanarShape {
    fn support(&self, direction: &Vec2) -> Option<Vec2> {
        self.support(direction)
    }

    fn reference(&self) -> Vec2 {
        self.reference()
    }

    fn outer_radius(&self) -> f64 {
        self.outer_radius()
    }

    fn half_space(&self) -> Option<(Vec2, f64)> {
        if let PlanarShape::HalfPlane(h) = self { Some((h.normal(), h.offset())) } else { None }
    }

    fn vertices(&self) -> Option<&[Vec2]> {
        self.polygon().map(Polygon::vertices)
    }

    fn feature_of(&self, vertices: &[u32]) -> Option<Feature> {
        self.polygon()?.feature(vertices)
    }
}
