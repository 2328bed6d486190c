//! What is simulated: convex polyhedra that fall into a box without a lid, which may be shaken.

use nalgebra::Rotation3;
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::prescribed_motion::{Motion, Wave, Window};
use percussion_testing::Random;
use std::f64::consts::{FRAC_PI_2, TAU};

pub const H: f64 = 0.01;
pub const GRAVITY: f64 = 9.81;
pub const FRICTION: f64 = 0.5;
pub const DENSITY: f64 = 1000.0;

/// Bodies and the box; nobody bounces.
pub struct Scene {
    pub bodies: Vec<(Polytope, Pose)>,
    /// The floor first; placed as they are before anything is shaken.
    pub walls: Vec<(Solid, Pose)>,
    pub motion: Option<Motion>,
}

fn direction(random: &mut Random) -> Vec3 {
    let (z, angle) = (2.0 * random.unit() - 1.0, TAU * random.unit());
    let r = (1.0 - z * z).sqrt();
    Vec3::new(r * angle.cos(), r * angle.sin(), z)
}

fn turn(random: &mut Random) -> Rotation3<f64> {
    Rotation3::from_scaled_axis(direction(random) * (3.0 * random.unit()))
}

/// Boxes of 0.2 m, turned anyhow, in a cubic lattice so loose that none touch, above a box as wide as the lattice.
pub fn pile(count: usize) -> Scene {
    let mut random = Random::new(1);
    let bodies = (0..count).map(|_| (Polytope::cube(0.2).unwrap(), turn(&mut random))).collect();
    fill(bodies, 0.36, 0.1, None)
}

/// Polyhedra of eight to fourteen corners on a sphere of radius 0.1 m, in a box that is shaken upwards, with one and a half times
/// gravity, from a second on.
pub fn shaker(count: usize) -> Scene {
    let mut random = Random::new(2);
    let mut bodies = Vec::new();
    while bodies.len() < count {
        let corners = 8 + (random.unit() * 7.0) as usize;
        let points: Vec<Vec3> = (0..corners).map(|_| direction(&mut random) * 0.1).collect();
        // Slivers are no pebbles.
        if let Ok(polytope) = Polytope::from_vertices(&points)
            && polytope.inner_radius() > 0.045
        {
            bodies.push((polytope, turn(&mut random)));
        }
    }
    let pace: f64 = TAU * 3.0;
    let amplitude = Vec3::new(0.0, 0.0, 1.5 * GRAVITY / (pace * pace));
    let window = Window { start: 1.0, ..Window::default() };
    let motion = Motion::shake(amplitude, Wave { frequency: 3.0, phase: -FRAC_PI_2 }, window).unwrap();
    fill(bodies, 0.2, 0.1, Some(motion))
}

fn fill(bodies: Vec<(Polytope, Rotation3<f64>)>, spacing: f64, height: f64, motion: Option<Motion>) -> Scene {
    let side = (bodies.len() as f64).cbrt().ceil() as usize;
    let width = side as f64 * spacing;
    let place = |k: usize| {
        let at = |k: usize| (k as f64 + 0.5) * spacing;
        Vec3::new(at(k % side) - 0.5 * width, at(k / side % side) - 0.5 * width, at(k / side / side) + height)
    };
    let bodies =
        bodies.into_iter().enumerate().map(|(k, (p, turn))| (p, Pose::new(turn, place(k)))).collect();
    let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
    let mut walls = vec![(floor, Pose::identity())];
    // Thick walls, each as long as the box and its corners.
    let (thick, tall) = (1.0, 2.0 * width);
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let long = |across: f64| if across == 0.0 { width + 2.0 * thick } else { thick };
        let wall = Polytope::cuboid(long(x), long(y), tall).unwrap();
        let out = 0.5 * (width + thick);
        walls.push((Solid::Polytope(wall), Pose::at(Vec3::new(x * out, y * out, 0.5 * tall))));
    }
    Scene { bodies, walls, motion }
}
