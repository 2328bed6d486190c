//! Bodies on a lattice, exact in floating point: faces, edges and corners meet in every combination.

use super::{Random, cuboid, octahedron, tetrahedron};
use nalgebra::{Matrix3, Rotation3, SVector};
use percussion_geometry::shapes::Polytope;
use percussion_geometry::{Pose, Vec3};

/// Two placed bodies: a, then b.
pub type Placed = (Polytope, Pose, Polytope, Pose);

/// A point whose coordinates are up to `reach` quarters of a metre.
pub fn point<const D: usize>(random: &mut Random, reach: usize) -> SVector<f64, D> {
    SVector::from_fn(|_, _| 0.25 * (random.below(2 * reach + 1) as f64 - reach as f64))
}

/// A rotation of the cube's symmetry group.
pub fn quarter_turns(random: &mut Random) -> Rotation3<f64> {
    let mut m = Matrix3::identity();
    for _ in 0..3 {
        let axis = random.below(3);
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut turn = Matrix3::zeros();
        turn[(axis, axis)] = 1.0;
        turn[(i, j)] = -1.0;
        turn[(j, i)] = 1.0;
        m = turn * m;
    }
    Rotation3::from_matrix_unchecked(m)
}

/// Half the sides of a box whose corners stay on the lattice.
pub fn half(random: &mut Random) -> Vec3 {
    Vec3::new(0.25, 0.5, 1.0) * (1 + random.below(3)) as f64
}

/// Boxes along the axes; their centres may coincide.
pub fn boxes(random: &mut Random) -> Placed {
    let (a, b) = (cuboid(half(random)), cuboid(half(random)));
    let (pa, pb) = (point(random, 8), point(random, 8));
    (a, Pose::new(quarter_turns(random), pa), b, Pose::new(quarter_turns(random), pb))
}

/// Octahedra tip to tip, turned by a symmetry or about their common axis.
pub fn tips(random: &mut Random) -> Placed {
    let axis = [Vec3::x(), Vec3::y(), Vec3::z()][random.below(3)];
    let turn = match random.below(2) {
        0 => quarter_turns(random),
        _ => Rotation3::new(axis * random.uniform()),
    };
    let at = axis * (1.0 + 0.5 * random.below(3) as f64);
    (octahedron(Vec3::repeat(1.0)), Pose::new(turn, at), octahedron(Vec3::repeat(0.5)), Pose::identity())
}

/// Tetrahedra with corners on the lattice; their centres may coincide.
pub fn tetrahedra(random: &mut Random) -> Placed {
    loop {
        let corner = |r: &mut Random| Vec3::from_fn(|_, _| r.below(4) as f64);
        let (p, q) = ([0; 4].map(|_| corner(random)), [0; 4].map(|_| corner(random)));
        let at = Vec3::from_fn(|_, _| 0.5 * random.below(6) as f64);
        let volume = |p: &[Vec3; 4]| (p[1] - p[0]).cross(&(p[2] - p[0])).dot(&(p[3] - p[0])).abs();
        if volume(&p) > 0.5 && volume(&q) > 0.5 {
            return (tetrahedron(p), Pose::at(at), tetrahedron(q), Pose::identity());
        }
    }
}
