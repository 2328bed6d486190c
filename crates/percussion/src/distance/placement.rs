//! Where a shape stands, as written, and checked into a pose.

use nalgebra::{Matrix3, Rotation2, Rotation3};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};

use super::vector::Coordinates;
use super::wrong::Wrong;

/// How far the rows of a `rotation` matrix may be from orthonormal: six printed digits. What is within is made
/// orthonormal to rounding; what is not was meant to be something else.
const ORTHONORMAL: f64 = 1e-6;

/// The placing keys of a shape. At most one of the three rotations is given.
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
    /// Whether nothing was said, so that the shape stands where it was defined.
    pub fn is_absent(&self) -> bool {
        self.position.is_none()
            && self.rotation.is_none()
            && self.rotation_vector.is_none()
            && self.angle.is_none()
    }

    /// The pose in space.
    pub fn space(&self) -> Result<Pose, Wrong> {
        if self.angle.is_some() {
            return Err(Wrong::Placement(
                "`angle` turns planar shapes; in space give `rotation_vector` (axis times angle)".into(),
            ));
        }
        let position = match &self.position {
            None => Vec3::zeros(),
            Some(given) => given.space().ok_or_else(|| {
                Wrong::Placement(
                    "`position` has two entries but the shape is one of space; give three".into(),
                )
            })?,
        };
        let rotation = match (&self.rotation, &self.rotation_vector) {
            (None, None) => Rotation3::identity(),
            (None, Some(vector)) => Rotation3::new(Vec3::from(*vector)),
            (Some(rows), None) => orthonormal(rows)?,
            (Some(_), Some(_)) => {
                return Err(Wrong::Placement("both `rotation` and `rotation_vector` given; keep one".into()));
            }
        };
        Ok(Pose::new(rotation, position))
    }

    /// The pose in the plane.
    pub fn plane(&self) -> Result<PlanarPose, Wrong> {
        if self.rotation.is_some() || self.rotation_vector.is_some() {
            return Err(Wrong::Placement("planar shapes are turned by `angle` (radians)".into()));
        }
        let position = match &self.position {
            None => Vec2::zeros(),
            Some(given) => given.plane().ok_or_else(|| {
                Wrong::Placement("`position` has three entries but the shape is planar; give two".into())
            })?,
        };
        Ok(PlanarPose { rotation: self.angle.map_or_else(Rotation2::identity, Rotation2::new), position })
    }
}

/// The rotation nearest to a matrix that is one up to printed digits. Newton's iteration for the polar
/// factor, `R <- R (3 - R^T R)/2`, squares the defect, so that two steps take 1e-6 below rounding.
fn orthonormal(rows: &[[f64; 3]; 3]) -> Result<Rotation3<f64>, Wrong> {
    let mut matrix = Matrix3::from_fn(|i, j| rows[i][j]);
    let defect = (matrix.transpose() * matrix - Matrix3::identity()).amax();
    if !(defect <= ORTHONORMAL) {
        return Err(Wrong::Placement(format!(
            "`rotation` is not a rotation: its rows are orthonormal only to {defect:.1e}, {ORTHONORMAL:e} is \
             allowed; write more digits, or give `rotation_vector`"
        )));
    }
    if matrix.determinant() < 0.0 {
        return Err(Wrong::Placement(
            "`rotation` is a reflection (determinant -1); swap two rows or change the sign of one".into(),
        ));
    }
    for _ in 0..2 {
        matrix = matrix * (Matrix3::from_diagonal_element(3.0) - matrix.transpose() * matrix) * 0.5;
    }
    Ok(Rotation3::from_matrix_unchecked(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_of_seven_digits_is_made_orthonormal_to_rounding() {
        let exact = Rotation3::new(Vec3::new(0.3, -0.7, 1.1));
        let rows = [0, 1, 2].map(|i| [0, 1, 2].map(|j| (exact[(i, j)] * 1e7).round() / 1e7));
        let mended = orthonormal(&rows).unwrap();
        assert!((mended.matrix().transpose() * mended.matrix() - Matrix3::identity()).amax() < 1e-15);
        assert!((mended.matrix() - exact.matrix()).amax() < 2e-7);
    }

    #[test]
    fn a_shear_and_a_mirror_are_refused() {
        let shear = [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mirror = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
        assert!(orthonormal(&shear).unwrap_err().to_string().contains("not a rotation"));
        assert!(orthonormal(&mirror).unwrap_err().to_string().contains("reflection"));
    }
}
