//! Area, centroid and polar inertia of planar bodies of density one per area.

use crate::{PlanarPose, Vec2};

/// Area, centroid and polar inertia of a planar body of density one per area (so that area is mass).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarMassProperties {
    /// Area, m².
    pub area: f64,
    /// Centroid, body frame, m.
    pub centroid: Vec2,
    /// Moment of inertia about the axis through the centroid across the plane, for density one, m⁴.
    pub inertia: f64,
}

impl PlanarMassProperties {
    /// Nothing: the neutral element of the sum.
    pub fn zero() -> Self {
        Self { area: 0.0, centroid: Vec2::zeros(), inertia: 0.0 }
    }

    /// Mass for a density in kg/m².
    pub fn mass(&self, density: f64) -> f64 {
        density * self.area
    }

    /// Moment of inertia about the centroid for a density in kg/m².
    pub fn inertia_of_density(&self, density: f64) -> f64 {
        density * self.inertia
    }

    /// Moment of inertia (density one) about another point.
    pub fn inertia_about(&self, point: &Vec2) -> f64 {
        self.inertia + self.area * (point - self.centroid).norm_squared()
    }

    /// The same body placed in another frame.
    pub fn placed(&self, pose: &PlanarPose) -> Self {
        Self { centroid: pose.point(&self.centroid), ..*self }
    }
}

/// Two bodies in the same frame that do not overlap, taken as one.
impl std::ops::Add for PlanarMassProperties {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let area = self.area + other.area;
        if area == 0.0 {
            return Self::zero();
        }
        let between = other.centroid - self.centroid;
        let reduced = self.area * other.area / area;
        Self {
            area,
            centroid: self.centroid + between * (other.area / area),
            inertia: self.inertia + other.inertia + reduced * between.norm_squared(),
        }
    }
}

impl std::iter::Sum for PlanarMassProperties {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::zero(), |total, part| total + part)
    }
}
