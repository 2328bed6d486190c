//! Quaternions of rotations over time. `q` and `-q` are the same rotation: the one nearer to the
//! previous quaternion is taken, so that interpolation follows the shorter rotation.

use nalgebra::UnitQuaternion;
use percussion_geometry::Pose;

/// The latest quaternion of each body.
#[derive(Debug)]
pub struct ContinuousQuaternions(Vec<UnitQuaternion<f64>>);

impl ContinuousQuaternions {
    /// For some bodies; the first quaternion of each has a real part of zero or more.
    pub fn new(bodies: usize) -> Self {
        Self(vec![UnitQuaternion::identity(); bodies])
    }

    /// The next quaternion of a body.
    pub fn next(&mut self, body: usize, pose: &Pose) -> UnitQuaternion<f64> {
        let mut q = UnitQuaternion::from_rotation_matrix(&pose.rotation);
        if q.coords.dot(&self.0[body].coords) < 0.0 {
            q = UnitQuaternion::new_unchecked(-q.into_inner());
        }
        self.0[body] = q;
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;
    use percussion_geometry::Vec3;

    #[test]
    fn quaternions_of_a_rotating_body_are_continuous() {
        let axis = nalgebra::Unit::new_normalize(Vec3::new(1.0, -2.0, 0.5));
        let mut quaternions = ContinuousQuaternions::new(1);
        for k in 0..1000 {
            let angle = 0.02 * f64::from(k);
            let pose = Pose::new(Rotation3::from_axis_angle(&axis, angle), Vec3::zeros());
            let q = quaternions.next(0, &pose);
            let (sin, cos) = (0.5 * angle).sin_cos();
            assert!((q.w - cos).abs() < 1e-12 && (q.imag() - axis.into_inner() * sin).norm() < 1e-12, "{k}");
        }
    }
}
