//! Closed forms for the curved shapes. All are symmetric about their axes, so that only the diagonal of
//! the second moment `S` about the centroid (here always the frame's origin) is written.

use std::f64::consts::PI;

use crate::Vec3;
use crate::mass::MassProperties;
use crate::shapes::{Capsule, Cone, Cylinder, Ellipsoid, Solid, Sphere};
use nalgebra::Matrix3;

fn diagonal(volume: f64, s: Vec3) -> MassProperties {
    MassProperties::from_second_moment(volume, Vec3::zeros(), &Matrix3::from_diagonal(&s))
}

impl Sphere {
    /// Volume, centroid and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        let r = self.radius();
        let volume = 4.0 / 3.0 * PI * r.powi(3);
        diagonal(volume, Vec3::repeat(volume * r * r / 5.0))
    }
}

impl Ellipsoid {
    /// Volume, centroid and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        let a = self.semi_axes();
        let volume = 4.0 / 3.0 * PI * a.x * a.y * a.z;
        diagonal(volume, a.component_mul(&a) * (volume / 5.0))
    }
}

impl Cylinder {
    /// Volume, centroid and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        let (r, h) = (self.radius(), self.half_height());
        let volume = 2.0 * PI * r * r * h;
        let across = volume * r * r / 4.0;
        diagonal(volume, Vec3::new(across, across, volume * h * h / 3.0))
    }
}

impl Capsule {
    /// Volume, centroid and inertia: a cylinder and two half-balls, whose centroids lie `3 r/8` beyond its
    /// ends.
    pub fn mass_properties(&self) -> MassProperties {
        let (r, h) = (self.radius(), self.half_length());
        let (cylinder, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r.powi(3));
        let across = cylinder * r * r / 4.0 + ball * r * r / 5.0;
        let along = cylinder * h * h / 3.0 + ball * (r * r / 5.0 + h * h + 0.75 * h * r);
        diagonal(cylinder + ball, Vec3::new(across, across, along))
    }
}

impl Cone {
    /// Volume, centroid and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        let (r, h) = (self.radius(), self.height());
        let volume = PI * r * r * h / 3.0;
        let across = volume * 3.0 * r * r / 20.0;
        diagonal(volume, Vec3::new(across, across, volume * 3.0 * h * h / 80.0))
    }
}

impl Solid {
    /// Volume, centroid and inertia; `None` for a half-space, which has no volume.
    pub fn mass_properties(&self) -> Option<MassProperties> {
        Some(match self {
            Solid::Polytope(s) => s.mass_properties(),
            Solid::Sphere(s) => s.mass_properties(),
            Solid::Capsule(s) => s.mass_properties(),
            Solid::Cylinder(s) => s.mass_properties(),
            Solid::Cone(s) => s.mass_properties(),
            Solid::Ellipsoid(s) => s.mass_properties(),
            Solid::HalfSpace(_) => return None,
        })
    }
}
