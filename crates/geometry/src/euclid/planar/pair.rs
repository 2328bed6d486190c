//! Two convex planar bodies in the frame of the first, each as a core grown by a radius. See the spatial
//! `pair`: same coordinates, same symbols.

use nalgebra::Matrix2;

use super::SupportPoint;
use crate::euclid::bounds::CURVED;
use crate::tolerances::euclid::RETRY;

use crate::shapes::{Ellipse, PlanarShape, Polygon};
use crate::{PlanarPose, Vec2, tolerances};

/// What is left of a body after its radius is taken off.
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

    fn outer_radius(&self) -> f64 {
        match self {
            Core::Polygon(p) => p.outer_radius(),
            Core::Point => 0.0,
            Core::Ellipse(s) => s.semi_axes().max(),
        }
    }
}

/// Two bounded bodies, placed relative to each other.
pub(super) struct Pair<'a> {
    pub(super) a: Core<'a>,
    pub(super) b: Core<'a>,
    pub(super) radius: [f64; 2],
    /// From b's axes to a's.
    pub(super) rotation: Matrix2<f64>,
    /// b's reference point in a's coordinates.
    pub(super) offset: Vec2,
    pub(super) scale: f64,
}

impl<'a> Pair<'a> {
    pub(super) fn new(
        a: (Core<'a>, f64),
        pose_a: &PlanarPose,
        b: (Core<'a>, f64),
        pose_b: &PlanarPose,
    ) -> Self {
        let reference = |core: &Core| match core {
            Core::Polygon(p) => p.reference(),
            _ => Vec2::zeros(),
        };
        let lever = pose_b.direction(&reference(&b.0)) - pose_a.direction(&reference(&a.0));
        let offset = pose_a.inverse_direction(&((pose_b.position - pose_a.position) + lever));
        let rotation = pose_a.rotation.matrix().transpose() * pose_b.rotation.matrix();
        let size = a.0.outer_radius() + b.0.outer_radius();
        Self { a: a.0, b: b.0, radius: [a.1, b.1], rotation, offset, scale: size.max(offset.norm()) }
    }

    /// The point of `K1 - K2` lowest along the unit vector `normal`.
    pub(super) fn support(&self, normal: &Vec2) -> SupportPoint {
        let (x, i) = self.a.support(&-normal);
        let (y, j) = self.b.support(&self.rotation.tr_mul(normal));
        let z = self.rotation * y + self.offset;
        SupportPoint { w: x - z, x, z, index: [i, j] }
    }

    pub(super) fn is_polygonal(&self) -> bool {
        !matches!(self.a, Core::Ellipse(_)) && !matches!(self.b, Core::Ellipse(_))
    }

    /// Width of the certificate at which a search ends.
    pub(super) fn goal(&self) -> f64 {
        let relative = if self.is_polygonal() { tolerances::PORTAL } else { tolerances::CURVED };
        relative * self.scale
    }

    /// Width of the bounds above which a result is computed again by the depth search.
    pub(super) fn retry_width(&self) -> f64 {
        RETRY * self.scale
    }
}
