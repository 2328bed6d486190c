//! Placements of bodies: a rotation and a position.

use nalgebra::{Rotation, Rotation2, Rotation3, SVector, Vector2, Vector3};

/// A vector or point in space.
pub type Vec3 = Vector3<f64>;
/// A vector or point in the plane.
pub type Vec2 = Vector2<f64>;

/// Placement of a body in `D` dimensions: `x_world = rotation x_body + position`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseIn<const D: usize> {
    /// Body frame to world frame.
    pub rotation: Rotation<f64, D>,
    /// World position of the body frame's origin.
    pub position: SVector<f64, D>,
}

/// Placement of a body in space.
pub type Pose = PoseIn<3>;
/// Placement of a body in the plane.
pub type PlanarPose = PoseIn<2>;

impl Pose {
    /// A placement from its rotation and position.
    pub fn new(rotation: Rotation3<f64>, position: Vec3) -> Self {
        Self { rotation, position }
    }
}

impl PlanarPose {
    /// A placement from an angle in radians and a position.
    pub fn new(angle: f64, position: Vec2) -> Self {
        Self { rotation: Rotation2::new(angle), position }
    }
}

impl<const D: usize> PoseIn<D> {
    /// Body frame and world frame agree.
    pub fn identity() -> Self {
        Self::at(SVector::zeros())
    }

    /// A shifted, unturned body.
    pub fn at(position: SVector<f64, D>) -> Self {
        Self { rotation: Rotation::identity(), position }
    }

    /// World coordinates of a body point.
    pub fn point(&self, point_body: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation * point_body + self.position
    }

    /// World components of a body direction.
    pub fn direction(&self, direction_body: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation * direction_body
    }

    /// Body coordinates of a world point.
    pub fn inverse_point(&self, point_world: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation.inverse_transform_vector(&(point_world - self.position))
    }

    /// Body components of a world direction.
    pub fn inverse_direction(&self, direction_world: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation.inverse_transform_vector(direction_world)
    }

    /// The placement of a part that is placed at `part` in this body's frame.
    pub fn then(&self, part: &Self) -> Self {
        Self { rotation: self.rotation * part.rotation, position: self.point(&part.position) }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.rotation.matrix().iter()).all(|v| v.is_finite())
    }
}
