//! Curved convex shapes, known by their support functions, and the unbounded half-space.

use super::positive;
use crate::{ShapeError, Vec2, Vec3};

/// Unit vector along `v`; the z axis where `v` vanishes, since every point is then a support point.
fn unit(v: &Vec3) -> Vec3 {
    v.try_normalize(0.0).unwrap_or_else(Vec3::z)
}

/// A ball about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// A ball of the given radius.
    pub fn new(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive("sphere radius", radius)? })
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        self.radius * unit(direction)
    }
}

/// All points within `radius` of the segment from `(0,0,-half_length)` to `(0,0,half_length)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    half_length: f64,
    radius: f64,
}

impl Capsule {
    /// A capsule about a segment of length `2 half_length` along z.
    pub fn new(half_length: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_length = positive("capsule half-length", half_length)?;
        Ok(Self { half_length, radius: positive("capsule radius", radius)? })
    }

    /// Half the length of its core segment.
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        Vec3::new(0.0, 0.0, self.half_length.copysign(direction.z)) + self.radius * unit(direction)
    }
}

/// A circular cylinder about z, from `-half_height` to `half_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_height: f64,
    radius: f64,
}

impl Cylinder {
    /// A cylinder of height `2 half_height` along z.
    pub fn new(half_height: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_height = positive("cylinder half-height", half_height)?;
        Ok(Self { half_height, radius: positive("cylinder radius", radius)? })
    }

    /// Half its height.
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        let rim =
            Vec2::new(direction.x, direction.y).try_normalize(0.0).unwrap_or_else(Vec2::x) * self.radius;
        Vec3::new(rim.x, rim.y, self.half_height.copysign(direction.z))
    }
}

/// A circular cone along z: base disc at `z = -height/4`, apex at `z = 3 height/4`, so that its centroid
/// is the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    height: f64,
    radius: f64,
}

impl Cone {
    /// A cone of the given height and base radius.
    pub fn new(height: f64, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { height: positive("cone height", height)?, radius: positive("cone radius", radius)? })
    }

    /// Its height.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Radius of its base.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Distance from the centroid to the nearest surface point.
    pub fn inner_radius(&self) -> f64 {
        (0.25 * self.height).min(0.75 * self.height * self.radius / self.radius.hypot(self.height))
    }

    /// Distance from the centroid to the furthest surface point.
    pub fn outer_radius(&self) -> f64 {
        (0.75 * self.height).max(self.radius.hypot(0.25 * self.height))
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        let across = Vec2::new(direction.x, direction.y);
        if direction.z * self.height > across.norm() * self.radius {
            return Vec3::new(0.0, 0.0, 0.75 * self.height);
        }
        let rim = across.try_normalize(0.0).unwrap_or_else(Vec2::x) * self.radius;
        Vec3::new(rim.x, rim.y, -0.25 * self.height)
    }
}

/// An ellipsoid with semi-axes along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    semi_axes: Vec3,
}

impl Ellipsoid {
    /// An ellipsoid from its three semi-axes.
    pub fn new(semi_axes: Vec3) -> Result<Self, ShapeError> {
        for &value in semi_axes.iter() {
            positive("ellipsoid semi-axis", value)?;
        }
        Ok(Self { semi_axes })
    }

    /// Its semi-axes.
    pub fn semi_axes(&self) -> Vec3 {
        self.semi_axes
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &Vec3) -> Vec3 {
        self.semi_axes.component_mul(&unit(&self.semi_axes.component_mul(direction)))
    }
}

/// All points with `<normal, x> <= offset`; the outward normal is a unit vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    normal: Vec3,
    offset: f64,
}

impl HalfSpace {
    /// The half-space below the plane `<normal, x> = offset |normal|`; the normal points out of it and
    /// need not be a unit vector.
    pub fn new(normal: Vec3, offset: f64) -> Result<Self, ShapeError> {
        let length = positive("length of the half-space normal", normal.norm())?;
        if !offset.is_finite() {
            let value = offset.to_string();
            return Err(ShapeError::NotFinite { what: "half-space offset", index: 0, value });
        }
        Ok(Self { normal: normal / length, offset })
    }

    /// Outward unit normal.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Distance of its plane from the origin along the normal.
    pub fn offset(&self) -> f64 {
        self.offset
    }
}

/// A disc about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    radius: f64,
}

impl Circle {
    /// A disc of the given radius.
    pub fn new(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive("circle radius", radius)? })
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &Vec2) -> Vec2 {
        self.radius * direction.try_normalize(0.0).unwrap_or_else(Vec2::x)
    }
}

/// An ellipse with semi-axes along x and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    semi_axes: Vec2,
}

impl Ellipse {
    /// An ellipse from its semi-axes.
    pub fn new(semi_axes: Vec2) -> Result<Self, ShapeError> {
        for &value in semi_axes.iter() {
            positive("ellipse semi-axis", value)?;
        }
        Ok(Self { semi_axes })
    }

    /// Its semi-axes.
    pub fn semi_axes(&self) -> Vec2 {
        self.semi_axes
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &Vec2) -> Vec2 {
        let stretched = self.semi_axes.component_mul(direction);
        self.semi_axes.component_mul(&stretched.try_normalize(0.0).unwrap_or_else(Vec2::x))
    }
}

/// All points with `<normal, x> <= offset` in the plane; the outward normal is a unit vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfPlane {
    normal: Vec2,
    offset: f64,
}

impl HalfPlane {
    /// The half-plane below the line `<normal, x> = offset |normal|`.
    pub fn new(normal: Vec2, offset: f64) -> Result<Self, ShapeError> {
        let length = positive("length of the half-plane normal", normal.norm())?;
        if !offset.is_finite() {
            let value = offset.to_string();
            return Err(ShapeError::NotFinite { what: "half-plane offset", index: 0, value });
        }
        Ok(Self { normal: normal / length, offset })
    }

    /// Outward unit normal.
    pub fn normal(&self) -> Vec2 {
        self.normal
    }

    /// Distance of its line from the origin along the normal.
    pub fn offset(&self) -> f64 {
        self.offset
    }
}
