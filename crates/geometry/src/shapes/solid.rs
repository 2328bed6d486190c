//! The closed family of convex bodies.

use super::{
    Capsule, Circle, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, Polygon, Polytope, Sphere,
};
use crate::{Vec2, Vec3};

/// A convex body in space. All are centred as documented for each shape and turned by their pose.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// Vertices, edges and planar faces.
    Polytope(Polytope),
    /// A ball about the origin.
    Sphere(Sphere),
    /// A cylinder with half-balls on its ends, along z.
    Capsule(Capsule),
    /// A circular cylinder along z.
    Cylinder(Cylinder),
    /// A circular cone along z, centroid at the origin.
    Cone(Cone),
    /// An ellipsoid along the axes.
    Ellipsoid(Ellipsoid),
    /// Everything on one side of a plane: a floor or wall.
    HalfSpace(HalfSpace),
}

impl Solid {
    /// The polytope, if the body is one.
    pub fn polytope(&self) -> Option<&Polytope> {
        if let Solid::Polytope(p) = self { Some(p) } else { None }
    }

    /// The point furthest along `direction` (body frame); `None` for a half-space, which has none.
    pub fn support(&self, direction: &Vec3) -> Option<Vec3> {
        Some(match self {
            Solid::Polytope(p) => p.vertices()[p.support_index(direction)],
            Solid::Sphere(s) => s.support(direction),
            Solid::Capsule(s) => s.support(direction),
            Solid::Cylinder(s) => s.support(direction),
            Solid::Cone(s) => s.support(direction),
            Solid::Ellipsoid(s) => s.support(direction),
            Solid::HalfSpace(_) => return None,
        })
    }

    /// The reference point, body frame.
    pub fn reference(&self) -> Vec3 {
        match self {
            Solid::Polytope(p) => p.reference(),
            _ => Vec3::zeros(),
        }
    }

    /// Radius of a ball about the reference point inside the body (infinite for a half-space).
    pub fn inner_radius(&self) -> f64 {
        match self {
            Solid::Polytope(p) => p.inner_radius(),
            Solid::Sphere(s) => s.radius(),
            Solid::Capsule(s) => s.radius(),
            Solid::Cylinder(s) => s.radius().min(s.half_height()),
            Solid::Cone(s) => s.inner_radius(),
            Solid::Ellipsoid(s) => s.semi_axes().min(),
            Solid::HalfSpace(_) => f64::INFINITY,
        }
    }

    /// Radius of a ball about the reference point that holds the body (infinite for a half-space).
    pub fn outer_radius(&self) -> f64 {
        match self {
            Solid::Polytope(p) => p.outer_radius(),
            Solid::Sphere(s) => s.radius(),
            Solid::Capsule(s) => s.radius() + s.half_length(),
            Solid::Cylinder(s) => s.radius().hypot(s.half_height()),
            Solid::Cone(s) => s.outer_radius(),
            Solid::Ellipsoid(s) => s.semi_axes().max(),
            Solid::HalfSpace(_) => f64::INFINITY,
        }
    }
}

/// A convex body in the plane.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanarShape {
    /// A convex polygon.
    Polygon(Polygon),
    /// A disc about the origin.
    Circle(Circle),
    /// An ellipse along the axes.
    Ellipse(Ellipse),
    /// Everything on one side of a line.
    HalfPlane(HalfPlane),
}

impl PlanarShape {
    /// The polygon, if the body is one.
    pub fn polygon(&self) -> Option<&Polygon> {
        if let PlanarShape::Polygon(p) = self { Some(p) } else { None }
    }

    /// The point furthest along `direction` (body frame); `None` for a half-plane.
    pub fn support(&self, direction: &Vec2) -> Option<Vec2> {
        Some(match self {
            PlanarShape::Polygon(p) => p.vertices()[p.support_index(direction)],
            PlanarShape::Circle(s) => s.support(direction),
            PlanarShape::Ellipse(s) => s.support(direction),
            PlanarShape::HalfPlane(_) => return None,
        })
    }

    /// The reference point, body frame.
    pub fn reference(&self) -> Vec2 {
        match self {
            PlanarShape::Polygon(p) => p.reference(),
            _ => Vec2::zeros(),
        }
    }

    /// Radius of a disc about the reference point inside the body (infinite for a half-plane).
    pub fn inner_radius(&self) -> f64 {
        match self {
            PlanarShape::Polygon(p) => p.inner_radius(),
            PlanarShape::Circle(s) => s.radius(),
            PlanarShape::Ellipse(s) => s.semi_axes().min(),
            PlanarShape::HalfPlane(_) => f64::INFINITY,
        }
    }

    /// Radius of a disc about the reference point that holds the body (infinite for a half-plane).
    pub fn outer_radius(&self) -> f64 {
        match self {
            PlanarShape::Polygon(p) => p.outer_radius(),
            PlanarShape::Circle(s) => s.radius(),
            PlanarShape::Ellipse(s) => s.semi_axes().max(),
            PlanarShape::HalfPlane(_) => f64::INFINITY,
        }
    }
}
