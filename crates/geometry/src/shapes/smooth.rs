//! Curved convex shapes, known by their support functions, and the unbounded half-space.

use super::positive;
use crate::{ShapeError, Vec2, Vec3};
use nalgebra::SVector;

/// Unit vector along `v`; where it vanishes, since every point is then a support point, the z axis, in the plane the x axis.
fn unit<const D: usize>(v: &SVector<f64, D>) -> SVector<f64, D> {
    let axis = if D == 3 { 2 } else { 0 };
    v.try_normalize(0.0).unwrap_or_else(|| SVector::from_fn(|k, _| f64::from(k == axis)))
}

/// The name of a parameter of a body in `D` dimensions, which is another in the plane than in space.
fn name<const D: usize>(plane: &'static str, space: &'static str) -> &'static str {
    if D == 2 { plane } else { space }
}

/// A ball about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereIn<const D: usize> {
    radius: f64,
}

/// A ball in space.
pub type Sphere = SphereIn<3>;
/// A disc in the plane.
pub type Circle = SphereIn<2>;

impl<const D: usize> SphereIn<D> {
    /// A ball of the given radius.
    pub fn new(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive(name::<D>("circle radius", "sphere radius"), radius)? })
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &SVector<f64, D>) -> SVector<f64, D> {
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

/// An ellipsoid with semi-axes along the axes of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidIn<const D: usize> {
    semi_axes: SVector<f64, D>,
}

/// An ellipsoid in space.
pub type Ellipsoid = EllipsoidIn<3>;
/// An ellipse in the plane.
pub type Ellipse = EllipsoidIn<2>;

impl<const D: usize> EllipsoidIn<D> {
    /// An ellipsoid from its semi-axes.
    pub fn new(semi_axes: SVector<f64, D>) -> Result<Self, ShapeError> {
        for &value in semi_axes.iter() {
            positive(name::<D>("ellipse semi-axis", "ellipsoid semi-axis"), value)?;
        }
        Ok(Self { semi_axes })
    }

    /// Its semi-axes.
    pub fn semi_axes(&self) -> SVector<f64, D> {
        self.semi_axes
    }

    /// Furthest point along `direction`.
    pub fn support(&self, direction: &SVector<f64, D>) -> SVector<f64, D> {
        self.semi_axes.component_mul(&unit(&self.semi_axes.component_mul(direction)))
    }
}

/// All points with `<normal, x> <= offset`; the outward normal is a unit vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpaceIn<const D: usize> {
    normal: SVector<f64, D>,
    offset: f64,
}

/// A half-space.
pub type HalfSpace = HalfSpaceIn<3>;
/// A half-plane, the half-space of the plane.
pub type HalfPlane = HalfSpaceIn<2>;

impl<const D: usize> HalfSpaceIn<D> {
    /// The half-space below the plane `<normal, x> = offset |normal|`; the normal points out of it and
    /// need not be a unit vector.
    pub fn new(normal: SVector<f64, D>, offset: f64) -> Result<Self, ShapeError> {
        let what = name::<D>("length of the half-plane normal", "length of the half-space normal");
        let length = positive(what, normal.norm())?;
        if !offset.is_finite() {
            let (what, value) = (name::<D>("half-plane offset", "half-space offset"), offset.to_string());
            return Err(ShapeError::NotFinite { what, index: 0, value });
        }
        Ok(Self { normal: normal / length, offset })
    }

    /// Outward unit normal.
    pub fn normal(&self) -> SVector<f64, D> {
        self.normal
    }

    /// Distance of its plane from the origin along the normal.
    pub fn offset(&self) -> f64 {
        self.offset
    }
}
