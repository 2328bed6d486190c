//! Starts that several tests share.

use nalgebra::Rotation3;

use super::{Flight, Motion, Solid, Vec3};

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 270.0;

fn start(sides: Vec3, height: f64, tilt: Vec3, spin: Vec3) -> (Flight, Motion) {
    let solid = Solid::brick(sides, DENSITY);
    let rotation = Rotation3::from_scaled_axis(tilt).into_inner();
    let motion = solid.moving(Vec3::new(0.0, 0.0, height), rotation, Vec3::zeros(), spin);
    (Flight::new(solid, GRAVITY, 1.0), motion)
}

/// An elastic cube of 0.2 m, tilted, let go with its centre at 0.8 m: impacts at 0.3590, 0.7741, 1.2753, 1.5588, 2.2311 s.
///
/// Impacts multiply errors, by up to thirty each. A nudge of this start or of [`tilted_brick`] moves the first five times
/// by at most 20 s per radian; for half of all tilts of the cube it is more than 170.
pub fn tilted_cube() -> (Flight, Motion) {
    start(Vec3::repeat(0.2), 0.8, Vec3::new(0.7, -0.4, 0.0), Vec3::zeros())
}

/// An elastic brick of 0.2 x 0.3 x 0.1 m, tilted and turning a little, let go with its centre at 0.8 m: impacts at
/// 0.3559, 0.6454, 1.1374, 1.4175 and 2.0494 s.
pub fn tilted_brick() -> (Flight, Motion) {
    start(Vec3::new(0.2, 0.3, 0.1), 0.8, Vec3::new(0.9, 0.5, 0.0), Vec3::new(0.3, -0.2, 0.5))
}

/// An elastic brick whose second and third impacts, 0.39062 s and 0.39297 s, fall into one step of 0.01 s and even of
/// 0.005 s; the first is at 0.36574 s, the fourth at 1.09408 s.
pub fn quick_pair() -> (Flight, Motion) {
    start(Vec3::new(0.2, 0.3, 0.1), 0.8, Vec3::new(0.5, -0.1, 0.2), Vec3::new(0.3, -0.2, 0.5))
}
