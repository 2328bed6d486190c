//! Bodies, placements and a residual check shared by the tests.
#![allow(dead_code)]

pub mod lattice;

use nalgebra::Rotation3;
use percussion_geometry::separation::{
    Options, Outcome, PlanarOptions, PlanarSeparation, PlanarWarmStart, Separation, WarmStart,
    planar_separation, separation,
};
use percussion_geometry::shapes::{
    Capsule, Circle, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, PlanarShape, Polytope, Solid,
    Sphere,
};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};

/// A small linear congruential generator: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [-1, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64) / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    /// Uniform in `0 .. n`.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.uniform() + 1.0) / 2.0 * n as f64) as usize).min(n - 1)
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.uniform(), self.uniform(), self.uniform());
            if v.norm() < 1.0 && v.norm() > 0.1 {
                return v.normalize();
            }
        }
    }

    /// A rotation by up to pi about a random axis.
    pub fn rotation(&mut self) -> Rotation3<f64> {
        Rotation3::new(self.direction() * self.uniform() * std::f64::consts::PI)
    }
}

/// An affine image of a regular prism, pyramid-capped or not: faces stay planar.
pub fn prism(sides: usize, half: Vec3) -> Polytope {
    let ring = |z: f64| {
        (0..sides).map(move |k| {
            let angle = (k as f64 + 0.5) / sides as f64 * std::f64::consts::TAU;
            let scale = if sides == 4 { 2f64.sqrt() } else { 1.0 };
            Vec3::new(half.x * scale * angle.cos(), half.y * scale * angle.sin(), half.z * z)
        })
    };
    let points: Vec<Vec3> = ring(-1.0).chain(ring(1.0)).collect();
    let n = sides as u32;
    let mut faces = vec![(0..n).rev().collect::<Vec<_>>(), (n..2 * n).collect()];
    faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
    Polytope::from_faces(points, &faces).unwrap()
}

/// A box with exact coordinates `±half`.
pub fn cuboid(half: Vec3) -> Polytope {
    let points = (0..8)
        .map(|k| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::new(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z)
        })
        .collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Polytope::from_faces(points, &faces.map(|f| f.to_vec())).unwrap()
}

/// A tetrahedron from four points in any order.
pub fn tetrahedron(mut points: [Vec3; 4]) -> Polytope {
    let volume = (points[1] - points[0]).cross(&(points[2] - points[0])).dot(&(points[3] - points[0]));
    if volume < 0.0 {
        points.swap(2, 3);
    }
    let faces = [vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![0, 3, 2]];
    Polytope::from_faces(points.to_vec(), &faces).unwrap()
}

/// An octahedron with the given half-axes.
pub fn octahedron(half: Vec3) -> Polytope {
    let points = vec![
        Vec3::new(half.x, 0.0, 0.0),
        Vec3::new(-half.x, 0.0, 0.0),
        Vec3::new(0.0, half.y, 0.0),
        Vec3::new(0.0, -half.y, 0.0),
        Vec3::new(0.0, 0.0, half.z),
        Vec3::new(0.0, 0.0, -half.z),
    ];
    let mut faces = Vec::new();
    for x in 0..2u32 {
        for y in 2..4u32 {
            for z in 4..6u32 {
                let odd = (x + y + z) % 2 == 1;
                faces.push(if odd { vec![x, z, y] } else { vec![x, y, z] });
            }
        }
    }
    Polytope::from_faces(points, &faces).unwrap()
}

/// The same polytope, scaled about its frame's origin.
pub fn scaled(p: &Polytope, factor: f64) -> Polytope {
    let vertices = p.vertices().iter().map(|v| v * factor).collect();
    let loops: Vec<Vec<u32>> = p.faces().iter().map(|f| p.face_loop(f).to_vec()).collect();
    Polytope::from_faces(vertices, &loops).unwrap()
}

/// A random body of moderate proportions.
pub fn body(random: &mut Random) -> Polytope {
    let mut side = || 0.3 + 0.35 * (random.uniform() + 1.0);
    let half = Vec3::new(side(), side(), side());
    match random.below(4) {
        0 => cuboid(half),
        1 => {
            let sides = 3 + random.below(9);
            prism(sides, half)
        }
        2 => octahedron(half),
        _ => random_tetrahedron(random),
    }
}

/// A tetrahedron with corners on the unit sphere.
pub fn random_tetrahedron(random: &mut Random) -> Polytope {
    loop {
        let points = [0; 4].map(|_| random.direction());
        let volume = (points[1] - points[0]).cross(&(points[2] - points[0])).dot(&(points[3] - points[0]));
        if volume.abs() > 0.2 {
            return tetrahedron(points);
        }
    }
}

pub fn sphere(radius: f64) -> Solid {
    Solid::Sphere(Sphere::new(radius).unwrap())
}

pub fn capsule(half_length: f64, radius: f64) -> Solid {
    Solid::Capsule(Capsule::new(half_length, radius).unwrap())
}

pub fn cylinder(half_height: f64, radius: f64) -> Solid {
    Solid::Cylinder(Cylinder::new(half_height, radius).unwrap())
}

pub fn cone(height: f64, radius: f64) -> Solid {
    Solid::Cone(Cone::new(height, radius).unwrap())
}

pub fn ellipsoid(x: f64, y: f64, z: f64) -> Solid {
    Solid::Ellipsoid(Ellipsoid::new(Vec3::new(x, y, z)).unwrap())
}

pub fn half_space(normal: Vec3, offset: f64) -> Solid {
    Solid::HalfSpace(HalfSpace::new(normal, offset).unwrap())
}

pub fn circle(radius: f64) -> PlanarShape {
    PlanarShape::Circle(Circle::new(radius).unwrap())
}

pub fn ellipse(x: f64, y: f64) -> PlanarShape {
    PlanarShape::Ellipse(Ellipse::new(Vec2::new(x, y)).unwrap())
}

pub fn half_plane(normal: Vec2, offset: f64) -> PlanarShape {
    PlanarShape::HalfPlane(HalfPlane::new(normal, offset).unwrap())
}

/// One bounded curved body of each kind.
pub fn curved_solids() -> Vec<Solid> {
    vec![sphere(0.4), capsule(0.5, 0.2), cylinder(0.4, 0.3), cone(0.8, 0.5), ellipsoid(0.2, 0.4, 0.9)]
}

/// A body of random size: one of the five curved kinds, or a polytope.
pub fn any_solid(random: &mut Random, kind: usize) -> Solid {
    let mut length = || 0.2 + 0.4 * (random.uniform() + 1.0);
    let (p, q, r) = (length(), length(), length());
    match kind {
        0 => sphere(p),
        1 => capsule(p, q),
        2 => cylinder(p, q),
        3 => cone(p, q),
        4 => ellipsoid(p, q, r),
        _ => Solid::Polytope(body(random)),
    }
}

/// The separation from a cold start, along β where one is given.
pub fn ask(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, beta: Option<Vec3>) -> Separation {
    let options = Options { beta, ..Options::default() };
    separation(a, pose_a, b, pose_b, &options, &mut WarmStart::default()).unwrap()
}

/// The separation of two polytopes from a cold start.
pub fn solve(a: &Polytope, pose_a: &Pose, b: &Polytope, pose_b: &Pose) -> Separation {
    ask(&Solid::Polytope(a.clone()), pose_a, &Solid::Polytope(b.clone()), pose_b, None)
}

/// The separation in the plane from a cold start, along β where one is given.
pub fn ask_planar(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    beta: Option<Vec2>,
) -> PlanarSeparation {
    let options = PlanarOptions { beta, ..PlanarOptions::default() };
    planar_separation(a, pose_a, b, pose_b, &options, &mut PlanarWarmStart::default()).unwrap()
}

/// Height of a solid's supporting plane along a world direction, relative to `origin`.
pub fn support_height(solid: &Solid, pose: &Pose, origin: &Vec3, n: &Vec3) -> f64 {
    let local = pose.inverse_direction(n);
    n.dot(&(pose.direction(&solid.support(&local).unwrap()) + (pose.position - origin)))
}

/// The pose moved along column `k` of the motion gradient (0..3 translation, 3..6 rotation about the reference).
pub fn moved(pose: &Pose, reference: &Vec3, k: usize, by: f64) -> Pose {
    let axis = Vec3::ith(k % 3, by);
    if k < 3 {
        return Pose::new(pose.rotation, pose.position + axis);
    }
    let turn = Rotation3::new(axis);
    Pose::new(turn * pose.rotation, reference + turn * (pose.position - reference))
}

/// Evidence about an answer, gathered without the kernel.
pub struct AnswerResiduals {
    /// `<α,β> - 1`.
    pub normalisation: f64,
    /// Support-plane value minus the claimed separation, from all vertices: must be <= 0 up to rounding.
    pub dual_gap: f64,
    /// Length of `p_a - p_b - s β`, with the points made from the weights.
    pub residual: f64,
    /// Smallest weight and how far the weights sum from one.
    pub weight_error: f64,
}

/// Residuals of an answer, from vertices alone, relative to body a's position so that distance from the origin does
/// not blur it.
pub fn answer_residuals(
    a: &Polytope,
    pose_a: &Pose,
    b: &Polytope,
    pose_b: &Pose,
    answer: &Separation,
) -> AnswerResiduals {
    assert_eq!(answer.outcome, Outcome::Solved);
    let shift = pose_b.position - pose_a.position;
    let x: Vec<Vec3> = a.vertices().iter().map(|v| pose_a.rotation * v).collect();
    let y: Vec<Vec3> = b.vertices().iter().map(|v| pose_b.rotation * v + shift).collect();
    let low = x.iter().map(|v| answer.alpha.dot(v)).fold(f64::INFINITY, f64::min);
    let high = y.iter().map(|v| answer.alpha.dot(v)).fold(f64::NEG_INFINITY, f64::max);
    let mix = |weights: Vec<(u32, f64)>, points: &[Vec3]| {
        weights.iter().map(|&(k, w)| points[k as usize] * w).fold(Vec3::zeros(), |s, v| s + v)
    };
    let pa = mix(answer.weights_a().collect(), &x);
    let pb = mix(answer.weights_b().collect(), &y);
    let negative = answer.weights.iter().fold(0.0, |m: f64, &w| m.max(-w));
    let sum: f64 = answer.weights.iter().sum();
    AnswerResiduals {
        normalisation: (answer.alpha.dot(&answer.beta) - 1.0).abs(),
        dual_gap: answer.separation - (low - high),
        residual: (pa - pb - answer.separation * answer.beta).norm(),
        weight_error: negative.max((sum - 1.0).abs()),
    }
}

/// Relative error of a column of a gradient against the central difference of `value` over twice `step`.
pub fn column_error(column: f64, step: f64, value: impl Fn(f64) -> f64) -> f64 {
    let difference = (value(step) - value(-step)) / (2.0 * step);
    (difference - column).abs() / column.abs().max(1.0)
}
