//! What the analysis asks of a body, in the plane and in space.

use super::candidates::Features;
use super::regular::Share;
use crate::shapes::{Convex, PlanarShape, Polytope, Solid};
use crate::{PlanarPose, Pose, PoseIn};

/// A convex body in `D` dimensions at a contact.
pub(in crate::separation) trait Body<const D: usize>: Convex<D> {
    /// Faces and edges through the contact point that `carriers` make; none of a body without vertices.
    fn features(&self, pose: &PoseIn<D>, carriers: &[(u32, f64)], tolerance: f64) -> Features;

    /// What a body contributes that has no vertices to tell.
    fn surface(&self) -> Share;

    /// The polytope, whose faces may have more corners than a simplex.
    fn polytope(&self) -> Option<&Polytope>;
}

impl Body<3> for Solid {
    fn features(&self, pose: &Pose, carriers: &[(u32, f64)], tolerance: f64) -> Features {
        self.polytope()
            .map_or_else(Features::default, |p| Features::of_polytope(p, pose, carriers, tolerance))
    }

    fn surface(&self) -> Share {
        match self {
            Solid::Cylinder(_) | Solid::Cone(_) | Solid::Polytope(_) => Share::Curved,
            Solid::Sphere(_) | Solid::Capsule(_) | Solid::Ellipsoid(_) => Share::Smooth,
            Solid::HalfSpace(_) => Share::Plane,
        }
    }

    fn polytope(&self) -> Option<&Polytope> {
        self.polytope()
    }
}

impl Body<2> for PlanarShape {
    fn features(&self, pose: &PlanarPose, carriers: &[(u32, f64)], tolerance: f64) -> Features {
        self.polygon().map_or_else(Features::default, |p| Features::of_polygon(p, pose, carriers, tolerance))
    }

    fn surface(&self) -> Share {
        match self {
            PlanarShape::Polygon(_) => Share::Curved,
            PlanarShape::Circle(_) | PlanarShape::Ellipse(_) => Share::Smooth,
            PlanarShape::HalfPlane(_) => Share::Plane,
        }
    }

    fn polytope(&self) -> Option<&Polytope> {
        None
    }
}
