//! An orthographic view of a pair in space.

use percussion_geometry::Vec3;

use super::canvas::Point;

/// Height of the viewer's eye above the horizon, radians.
const ELEVATION: f64 = 0.34;

/// The azimuth that is taken when all are equally good: x towards the viewer's left, y to the right.
const PREFERRED_AZIMUTH: f64 = -1.1;

/// Directions of the paper and of the eye, a right-handed orthonormal frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// To the right on the paper.
    pub right: Vec3,
    /// Upwards on the paper.
    pub up: Vec3,
    /// From the paper to the eye.
    pub toward: Vec3,
}

impl Camera {
    /// A view from the given azimuth, z upwards.
    fn from_azimuth(azimuth: f64) -> Self {
        let (sin, cos) = azimuth.sin_cos();
        let toward = Vec3::new(ELEVATION.cos() * cos, ELEVATION.cos() * sin, ELEVATION.sin());
        let right = Vec3::new(-sin, cos, 0.0);
        Self { right, up: toward.cross(&right), toward }
    }

    /// The view that shows the contact normal least foreshortened, so that a gap is seen as a gap.
    pub fn across(normal: &Vec3) -> Self {
        let score = |camera: &Camera, azimuth: f64| {
            (1.0 - normal.dot(&camera.toward).powi(2)).max(0.0).sqrt()
                + 0.12 * (azimuth - PREFERRED_AZIMUTH).cos()
        };
        let mut best = Camera::from_azimuth(PREFERRED_AZIMUTH);
        let mut most = score(&best, PREFERRED_AZIMUTH);
        for k in 1..24 {
            let azimuth = PREFERRED_AZIMUTH + std::f64::consts::TAU * f64::from(k) / 24.0;
            let camera = Camera::from_azimuth(azimuth);
            if score(&camera, azimuth) > most {
                most = score(&camera, azimuth);
                best = camera;
            }
        }
        best
    }

    /// Where a world point falls on the paper.
    pub fn project(&self, point: &Vec3) -> Point {
        [self.right.dot(point), self.up.dot(point)]
    }

    /// How brightly a surface with this outward normal is lit, 0 to 1: light over the viewer's left shoulder.
    pub fn light(&self, normal: &Vec3) -> f64 {
        let lamp = (self.toward + 0.9 * self.up - 0.6 * self.right).normalize();
        0.5 + 0.5 * normal.dot(&lamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_of_the_view_is_right_handed_and_orthonormal() {
        for normal in [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(0.3, -0.8, 0.2).normalize()] {
            let c = Camera::across(&normal);
            assert!((c.right.cross(&c.up) - c.toward).norm() < 1e-15);
            assert!(normal.dot(&c.toward).abs() < 0.8, "the normal must not point at the eye");
        }
    }
}
