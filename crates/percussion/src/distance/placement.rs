//! The placement of a shape as written, checked and converted to a pose.

use nalgebra::{Rotation2, Rotation3};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};
use percussion_scene::orthonormal;

use super::line_error::LineError;
use super::vector::Coordinates;

/// The placement keys of a shape. At most one of the three rotations is given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placement {
    /// Position of the body frame's origin, metres.
    pub position: Option<Coordinates>,
    /// Rotation matrix by rows, body frame to world frame.
    pub rotation: Option<[[f64; 3]; 3]>,
    /// Rotation axis times angle in radians.
    pub rotation_vector: Option<[f64; 3]>,
    /// Angle in the plane, radians, counter-clockwise.
    pub angle: Option<f64>,
}

impl Placement {
    /// Whether no key is given: the shape is used in its own frame.
    pub fn is_absent(&self) -> bool {
        *self == Self::default()
    }

    /// The pose in space.
    pub fn space(&self) -> Result<Pose, LineError> {
        if self.angle.is_some() {
            return Err(LineError::Placement(
                "`angle` turns planar shapes; in space give `rotation_vector` (axis times angle)".into(),
            ));
        }
        let position = match &self.position {
            None => Vec3::zeros(),
            Some(given) => given.space().ok_or_else(|| {
                LineError::Placement(
                    "`position` has two entries but the shape is one of space; give three".into(),
                )
            })?,
        };
        let rotation = match (&self.rotation, &self.rotation_vector) {
            (None, None) => Rotation3::identity(),
            (None, Some(vector)) => Rotation3::new(Vec3::from(*vector)),
            (Some(rows), None) => orthonormal(rows).map_err(LineError::Placement)?,
            (Some(_), Some(_)) => {
                return Err(LineError::Placement(
                    "both `rotation` and `rotation_vector` given; keep one".into(),
                ));
            }
        };
        Ok(Pose::new(rotation, position))
    }

    /// The pose in the plane.
    pub fn plane(&self) -> Result<PlanarPose, LineError> {
        if self.rotation.is_some() || self.rotation_vector.is_some() {
            return Err(LineError::Placement("planar shapes are turned by `angle` (radians)".into()));
        }
        let position = match &self.position {
            None => Vec2::zeros(),
            Some(given) => given.plane().ok_or_else(|| {
                LineError::Placement("`position` has three entries but the shape is planar; give two".into())
            })?,
        };
        Ok(PlanarPose { rotation: self.angle.map_or_else(Rotation2::identity, Rotation2::new), position })
    }
}
