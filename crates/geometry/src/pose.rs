//! Placements of bodies: a rotation and a position.

use nalgebra::{Rotation2, Rotation3, Vector2, Vector3};

/// A vector or point in space.
pub type Vec3 = Vector3<f64>;
/// A vector or point in the plane.
pub type Vec2 = Vector2<f64>;

/// Placement of a body in space: `x_world = rotation x_body + position`. Twelve numbers in this order: the
/// columns of the rotation, then the position.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Pose {
    /// Body frame to world frame.
    pub rotation: Rotation3<f64>,
    /// World position of the body frame's origin.
    pub position: Vec3,
}

impl Pose {
    /// A placement from its rotation and position.
    pub fn new(rotation: Rotation3<f64>, position: Vec3) -> Self {
        Self { rotation, position }
    }

    /// Body frame and world frame agree.
    pub fn identity() -> Self {
        Self { rotation: Rotation3::identity(), position: Vec3::zeros() }
    }

    /// A shifted, unturned body.
    pub fn at(position: Vec3) -> Self {
        Self { rotation: Rotation3::identity(), position }
    }

    /// World coordinates of a body point.
    pub fn point(&self, point_body: &Vec3) -> Vec3 {
        self.rotation * point_body + self.position
    }

    /// World components of a body direction.
    pub fn direction(&self, direction_body: &Vec3) -> Vec3 {
        self.rotation * direction_body
    }

    /// Body coordinates of a world point.
    pub fn inverse_point(&self, point_world: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(point_world - self.position))
    }

    /// Body components of a world direction.
    pub fn inverse_direction(&self, direction_world: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(direction_world)
    }

    /// The placement of a part that is placed at `part` in this body's frame.
    pub fn then(&self, part: &Pose) -> Pose {
        Pose { rotation: self.rotation * part.rotation, position: self.point(&part.position) }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.rotation.matrix().iter()).all(|v| v.is_finite())
    }
}

/// Placement of a planar body: `x_world = rotation x_body + position`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarPose {
    /// Body frame to world frame.
    pub rotation: Rotation2<f64>,
    /// World position of the body frame's origin.
    pub position: Vec2,
}

impl PlanarPose {
    /// A placement from an angle in radians and a position.
    pub fn new(angle: f64, position: Vec2) -> Self {
        Self { rotation: Rotation2::new(angle), position }
    }

    /// Body frame and world frame agree.
    pub fn identity() -> Self {
        Self { rotation: Rotation2::identity(), position: Vec2::zeros() }
    }

    /// A shifted, unturned body.
    pub fn at(position: Vec2) -> Self {
        Self { rotation: Rotation2::identity(), position }
    }

    /// World coordinates of a body point.
    pub fn point(&self, point_body: &Vec2) -> Vec2 {
        self.rotation * point_body + self.position
    }

    /// World components of a body direction.
    pub fn direction(&self, direction_body: &Vec2) -> Vec2 {
        self.rotation * direction_body
    }

    /// Body coordinates of a world point.
    pub fn inverse_point(&self, point_world: &Vec2) -> Vec2 {
        self.rotation.inverse_transform_vector(&(point_world - self.position))
    }

    /// Body components of a world direction.
    pub fn inverse_direction(&self, direction_world: &Vec2) -> Vec2 {
        self.rotation.inverse_transform_vector(direction_world)
    }

    /// The placement of a part that is placed at `part` in this body's frame.
    pub fn then(&self, part: &PlanarPose) -> PlanarPose {
        PlanarPose { rotation: self.rotation * part.rotation, position: self.point(&part.position) }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.rotation.matrix().iter()).all(|v| v.is_finite())
    }
}
