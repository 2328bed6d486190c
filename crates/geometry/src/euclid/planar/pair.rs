//! Two convex planar bodies in the frame of the first, each as a core grown by a radius. See the spatial
//! `pair`: same coordinates, same symbols.

use crate::Vec2;
use crate::euclid::bounds::CURVED;
use crate::euclid::pair::{CoreIn, PairIn};
use crate::shapes::{Ellipse, PlanarShape, Polygon};

/// What is left of a body after its radius is taken off.
#[derive(Clone, Copy)]
pub(super) enum Core<'a> {
    Polygon(&'a Polygon),
    /// The reference point alone.
    Point,
    Ellipse(&'a Ellipse),
}

impl<'a> Core<'a> {
    /// Core and radius; `None` for a half-plane.
    pub(super) fn of(shape: &'a PlanarShape) -> Option<(Self, f64)> {
        Some(match shape {
            PlanarShape::Polygon(p) => (Core::Polygon(p), 0.0),
            PlanarShape::Circle(s) => (Core::Point, s.radius()),
            PlanarShape::Ellipse(s) if s.semi_axes().x == s.semi_axes().y => (Core::Point, s.semi_axes().x),
            PlanarShape::Ellipse(s) => (Core::Ellipse(s), 0.0),
            PlanarShape::HalfPlane(_) => return None,
        })
    }
}

impl CoreIn<2> for Core<'_> {
    fn support(&self, direction: &Vec2) -> (Vec2, u32) {
        match self {
            Core::Polygon(p) => {
                let mut best = (f64::NEG_INFINITY, 0);
                for (k, v) in p.relative().iter().enumerate() {
                    let height = direction.x * v[0] + direction.y * v[1];
                    if height > best.0 {
                        best = (height, k);
                    }
                }
                (Vec2::from(p.relative()[best.1]), best.1 as u32)
            }
            Core::Point => (Vec2::zeros(), 0),
            Core::Ellipse(s) => (s.support(direction), CURVED),
        }
    }

    fn is_polytopal(&self) -> bool {
        !matches!(self, Core::Ellipse(_))
    }

    fn reference(&self) -> Vec2 {
        if let Core::Polygon(p) = self { p.reference() } else { Vec2::zeros() }
    }

    fn outer_radius(&self) -> f64 {
        match self {
            Core::Polygon(p) => p.outer_radius(),
            Core::Point => 0.0,
            Core::Ellipse(s) => s.semi_axes().max(),
        }
    }
}

/// Two bounded bodies in the plane.
pub(super) type Pair<'a> = PairIn<2, Core<'a>>;
