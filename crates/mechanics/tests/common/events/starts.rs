//! Starts that several tests share.

use nalgebra::Rotation3;

use super::{Flight, Motion, Pair, Solid, Vec3};
use percussion_testing::Random;

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

/// Bricks and tetrahedra thrown at bricks, spinning.
pub fn thrown(seed: u64, count: usize, restitution: f64) -> Vec<(Pair, [Motion; 2])> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|i| {
            let brick = Solid::brick(Vec3::new(0.2, 0.3, 0.1), DENSITY);
            let first = if i % 2 == 0 { brick } else { Solid::tetrahedron(0.1, 637.5) };
            let pair = Pair::new(first, Solid::brick(Vec3::new(0.25, 0.15, 0.35), 400.0), restitution);
            let mut place = |solid: &Solid, x: f64| {
                let position = Vec3::x() * x + random.vector() * 0.1;
                let velocity = Vec3::x() * -x + random.vector() * 0.1;
                solid.moving(position, random.rotation().into_inner(), velocity, random.vector() * 6.0)
            };
            let motions = [place(&pair.solids[0], -0.5), place(&pair.solids[1], 0.5)];
            (pair, motions)
        })
        .collect()
}
