//! Polygons, circles and ellipses.

use std::f64::consts::PI;

use crate::Vec2;
use crate::mass::PlanarMassProperties;
use crate::shapes::{Circle, Ellipse, PlanarShape, Polygon};

impl Polygon {
    /// Area, centroid and polar inertia, by signed triangles about the centroid.
    pub fn mass_properties(&self) -> PlanarMassProperties {
        let (area, centroid) = self.area_and_centroid();
        let vertices = self.vertices();
        let mut inertia = 0.0;
        for (k, v) in vertices.iter().enumerate() {
            let (a, b) = (v - centroid, vertices[(k + 1) % vertices.len()] - centroid);
            // a x b = a x (b - a): the product of two long sides of a needle would lose its width.
            inertia += a.perp(&(b - a)) / 12.0 * (a.dot(&a) + a.dot(&b) + b.dot(&b));
        }
        PlanarMassProperties { area, centroid, inertia }
    }
}

impl Circle {
    /// Area, centroid and polar inertia.
    pub fn mass_properties(&self) -> PlanarMassProperties {
        let area = PI * self.radius().powi(2);
        PlanarMassProperties { area, centroid: Vec2::zeros(), inertia: area * self.radius().powi(2) / 2.0 }
    }
}

impl Ellipse {
    /// Area, centroid and polar inertia.
    pub fn mass_properties(&self) -> PlanarMassProperties {
        let a = self.semi_axes();
        let area = PI * a.x * a.y;
        PlanarMassProperties { area, centroid: Vec2::zeros(), inertia: area * a.norm_squared() / 4.0 }
    }
}

impl PlanarShape {
    /// Area, centroid and polar inertia; `None` for a half-plane, which has no area.
    pub fn mass_properties(&self) -> Option<PlanarMassProperties> {
        Some(match self {
            PlanarShape::Polygon(s) => s.mass_properties(),
            PlanarShape::Circle(s) => s.mass_properties(),
            PlanarShape::Ellipse(s) => s.mass_properties(),
            PlanarShape::HalfPlane(_) => return None,
        })
    }
}
