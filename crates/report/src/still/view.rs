//! Direction of view of a scene.
//!
//! Planar scenes are seen along their normal. Others are seen from the front, a little from the right and from above:
//! of a few such directions the one from which what moves covers most of the picture, with a preference for low and
//! ordinary ones. What moves in one plane is so seen from aside, a flat orbit from above.

use super::camera::{Lens, View};
use crate::Recording;
use nalgebra::Matrix3;
use percussion_geometry::Vec3;

/// Azimuths in degrees, from the first horizontal axis, with their penalties relative to the first.
const AZIMUTHS: [(f64, f64); 4] = [(-62.0, 0.0), (-28.0, 0.05), (62.0, 0.12), (28.0, 0.15)];
/// Elevations in degrees, in the same way.
const ELEVATIONS: [(f64, f64); 3] = [(20.0, 0.0), (38.0, 0.15), (58.0, 0.28)];

/// The upward direction: against gravity, or z.
pub fn up(recording: &Recording) -> Vec3 {
    (-recording.scene.model.gravity).try_normalize(0.0).unwrap_or(Vec3::z())
}

/// From a direction given by angles in degrees: the azimuth is about the upward direction, from x towards y.
pub fn from_angles(up: &Vec3, azimuth: f64, elevation: f64) -> Vec3 {
    let [along, aside] = horizontal(up);
    let (sin, cos) = azimuth.to_radians().sin_cos();
    let (rise, flat) = elevation.to_radians().sin_cos();
    (along * cos + aside * sin) * flat + up * rise
}

/// Two horizontal axes: x and y where z is up.
fn horizontal(up: &Vec3) -> [Vec3; 2] {
    let first = if up.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let along = (first - up * up.dot(&first)).normalize();
    [along, up.cross(&along)]
}

/// The view of a scene whose bodies pass through some points.
pub fn choose(recording: &Recording, points: &[Vec3]) -> View {
    match recording.plane() {
        Some(normal) => planar(recording, normal),
        None => spatial(up(recording), points),
    }
}

fn planar(recording: &Recording, normal: Vec3) -> View {
    let above = normal.z.abs() > 0.9;
    let within = |v: Vec3| (v - normal * normal.dot(&v)).try_normalize(1e-6);
    let up = within(-recording.scene.model.gravity).unwrap_or(if above { Vec3::y() } else { Vec3::z() });
    View { towards: normal, up, lens: Lens::Parallel }
}

fn spatial(up: Vec3, points: &[Vec3]) -> View {
    let spread = covariance(points);
    let size = spread.trace().max(f64::MIN_POSITIVE);
    let covered = |towards: &Vec3| {
        let right = up.cross(towards).normalize();
        let above = towards.cross(&right);
        let part = |a: &Vec3, b: &Vec3| (a.transpose() * spread * b)[0] / size;
        // A row of bodies covers nothing: give it some width.
        let (a, b, c) = (part(&right, &right) + 0.02, part(&above, &above) + 0.02, part(&right, &above));
        (a * b - c * c).max(0.0).sqrt()
    };
    let all: Vec<(Vec3, f64)> = ELEVATIONS
        .iter()
        .flat_map(|e| AZIMUTHS.iter().map(move |a| (from_angles(&up, a.0, e.0), a.1 + e.1)))
        .collect();
    let most = all.iter().map(|(towards, _)| covered(towards)).fold(f64::MIN_POSITIVE, f64::max);
    let worth = |(towards, worse): &(Vec3, f64)| covered(towards) / most - worse;
    let mut best = all[0];
    for other in &all[1..] {
        if worth(other) > worth(&best) + 1e-9 {
            best = *other;
        }
    }
    View { towards: best.0, up, lens: Lens::Perspective }
}

fn covariance(points: &[Vec3]) -> Matrix3<f64> {
    let n = points.len().max(1) as f64;
    let mean = points.iter().sum::<Vec3>() / n;
    points.iter().map(|p| (p - mean) * (p - mean).transpose() / n).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_orbit_is_seen_from_above_and_a_swing_from_aside() {
        let ring = |e1: Vec3, e2: Vec3| -> Vec<Vec3> {
            (0..60).map(|k| (0.1 * f64::from(k)).sin_cos()).map(|(s, c)| e1 * c + e2 * s).collect()
        };
        let seen = |points: &[Vec3]| spatial(Vec3::z(), points).towards;
        assert!(seen(&ring(Vec3::x(), Vec3::y())).z > 0.8);
        assert!(seen(&ring(Vec3::x(), Vec3::z())).y < -0.8);
        assert!(seen(&ring(Vec3::y(), Vec3::z())).x > 0.8);
    }

    #[test]
    fn a_row_is_seen_across() {
        for axis in [Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, -1.0, 0.0)] {
            let row: Vec<Vec3> = (0..9).map(|k| axis.normalize() * f64::from(k)).collect();
            assert!(spatial(Vec3::z(), &row).towards.dot(&axis.normalize()).abs() < 0.6, "{axis:?}");
        }
    }

    #[test]
    fn angles_go_about_what_is_up() {
        let close = |a: Vec3, b: Vec3| assert!((a - b).norm() < 1e-14, "{a:?} {b:?}");
        close(from_angles(&Vec3::z(), 0.0, 0.0), Vec3::x());
        close(from_angles(&Vec3::z(), 90.0, 0.0), Vec3::y());
        close(from_angles(&Vec3::z(), 10.0, 90.0), Vec3::z());
        close(from_angles(&Vec3::y(), -90.0, 0.0), Vec3::z());
    }
}
