//! Bodies as the analysis of a contact needs them, in the plane and in space.

use super::candidates::Features;
use super::classify::SupportClass;
use crate::separation::answer::SeparationIn;
use crate::shapes::{Convex, PlanarShape, Polytope, Solid};
use crate::{PlanarPose, Pose, PoseIn};

/// A convex body in `D` dimensions at a contact.
pub(in crate::separation) trait Body<const D: usize>: Convex<D> {
    /// Faces and edges through the contact point that `weighted` make; none of a body without vertices.
    fn features(&self, pose: &PoseIn<D>, weighted: &[(u32, f64)], tolerance: f64) -> Features;

    /// The class of the surface of a body without vertices.
    fn surface(&self) -> SupportClass;

    /// The polytope, whose faces may have more corners than a simplex.
    fn polytope(&self) -> Option<&Polytope>;
}

/// Two placed bodies and the answer of their query.
pub(in crate::separation) struct Answered<'a, const D: usize, S> {
    pub a: &'a S,
    pub pose_a: &'a PoseIn<D>,
    pub b: &'a S,
    pub pose_b: &'a PoseIn<D>,
    pub answer: &'a SeparationIn<D>,
}

impl Body<3> for Solid {
    fn features(&self, pose: &Pose, weighted: &[(u32, f64)], tolerance: f64) -> Features {
        self.polytope()
            .map_or_else(Features::default, |p| Features::of_polytope(p, pose, weighted, tolerance))
    }

    fn surface(&self) -> SupportClass {
        match self {
            Solid::Cylinder(_) | Solid::Cone(_) | Solid::Polytope(_) => SupportClass::Curved,
            Solid::Sphere(_) | Solid::Capsule(_) | Solid::Ellipsoid(_) => SupportClass::Smooth,
            Solid::HalfSpace(_) => SupportClass::Plane,
        }
    }

    fn polytope(&self) -> Option<&Polytope> {
        self.polytope()
    }
}

impl Body<2> for PlanarShape {
    fn features(&self, pose: &PlanarPose, weighted: &[(u32, f64)], tolerance: f64) -> Features {
        self.polygon().map_or_else(Features::default, |p| Features::of_polygon(p, pose, weighted, tolerance))
    }

    fn surface(&self) -> SupportClass {
        match self {
            PlanarShape::Polygon(_) => SupportClass::Curved,
            PlanarShape::Circle(_) | PlanarShape::Ellipse(_) => SupportClass::Smooth,
            PlanarShape::HalfPlane(_) => SupportClass::Plane,
        }
    }

    fn polytope(&self) -> Option<&Polytope> {
        None
    }
}
