//! Parametrised polytopes. Every one has its centroid at the origin of its frame and, where it has an axis,
//! the axis along z. Lengths are full lengths in metres.

use std::f64::consts::{PI, TAU};

use super::{Polytope, all_positive, at_least, positive};
use crate::{ShapeError, Vec3};

impl Polytope {
    /// A box with side lengths `a`, `b`, `c` along x, y, z. Vertex `k` lies on the positive side of x, y, z
    /// where bits 0, 1, 2 of `k` are set.
    pub fn cuboid(a: f64, b: f64, c: f64) -> Result<Self, ShapeError> {
        all_positive(&[("box side a", a), ("box side b", b), ("box side c", c)])?;
        let pick = |set: usize, side: f64| if set == 1 { side / 2.0 } else { -side / 2.0 };
        let vertices =
            (0..8).map(|k| Vec3::new(pick(k & 1, a), pick(k >> 1 & 1, b), pick(k >> 2, c))).collect();
        let loops = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
            .map(Vec::from);
        Self::from_faces(vertices, &loops)
    }

    /// A cube with the given edge length.
    pub fn cube(edge: f64) -> Result<Self, ShapeError> {
        positive("cube edge", edge)?;
        Self::cuboid(edge, edge, edge)
    }

    /// A prism over a regular polygon with its corners at distance `circumradius` from the axis; the first
    /// corner lies in the direction of x. Bottom corners first, then top corners.
    pub fn prism(sides: usize, circumradius: f64, height: f64) -> Result<Self, ShapeError> {
        at_least("number of prism sides", sides, 3, "at least 3")?;
        all_positive(&[("prism circumradius", circumradius), ("prism height", height)])?;
        prismatoid(
            ring(sides, circumradius, -height / 2.0, 0.0),
            ring(sides, circumradius, height / 2.0, 0.0),
        )
    }

    /// A prism over a regular polygon with sides of length `side`.
    pub fn prism_of_side(sides: usize, side: f64, height: f64) -> Result<Self, ShapeError> {
        at_least("number of prism sides", sides, 3, "at least 3")?;
        positive("prism side", side)?;
        Self::prism(sides, side / (2.0 * (PI / sides as f64).sin()), height)
    }

    /// Two regular polygons, turned against each other by half a side and joined by triangles.
    pub fn antiprism(sides: usize, circumradius: f64, height: f64) -> Result<Self, ShapeError> {
        at_least("number of antiprism sides", sides, 3, "at least 3")?;
        all_positive(&[("antiprism circumradius", circumradius), ("antiprism height", height)])?;
        let mut vertices = ring(sides, circumradius, -height / 2.0, 0.0);
        vertices.extend(ring(sides, circumradius, height / 2.0, 0.5));
        let n = sides as u32;
        let mut loops = vec![(0..n).rev().collect(), (n..2 * n).collect::<Vec<u32>>()];
        for k in 0..n {
            let next = (k + 1) % n;
            loops.push(vec![k, next, n + k]);
            loops.push(vec![next, n + next, n + k]);
        }
        Self::from_faces(vertices, &loops)
    }

    /// A pyramid over a rectangle with sides `base_x` and `base_y`; the apex is the last vertex.
    pub fn pyramid(base_x: f64, base_y: f64, height: f64) -> Result<Self, ShapeError> {
        all_positive(&[("pyramid base x", base_x), ("pyramid base y", base_y), ("pyramid height", height)])?;
        let (x, y, floor) = (base_x / 2.0, base_y / 2.0, -height / 4.0);
        let corner = |sx: f64, sy: f64| Vec3::new(sx * x, sy * y, floor);
        pyramid_over(
            vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
            0.75 * height,
        )
    }

    /// A pyramid over a regular polygon.
    pub fn regular_pyramid(sides: usize, circumradius: f64, height: f64) -> Result<Self, ShapeError> {
        at_least("number of pyramid sides", sides, 3, "at least 3")?;
        all_positive(&[("pyramid circumradius", circumradius), ("pyramid height", height)])?;
        pyramid_over(ring(sides, circumradius, -height / 4.0, 0.0), 0.75 * height)
    }

    /// A pyramid over a regular polygon with its top cut off; circumradii of bottom and top.
    pub fn frustum(sides: usize, bottom: f64, top: f64, height: f64) -> Result<Self, ShapeError> {
        at_least("number of frustum sides", sides, 3, "at least 3")?;
        all_positive(&[
            ("frustum bottom circumradius", bottom),
            ("frustum top circumradius", top),
            ("frustum height", height),
        ])?;
        // Height of the centroid above the bottom.
        let centre = height * (bottom * bottom + 2.0 * bottom * top + 3.0 * top * top)
            / (4.0 * (bottom * bottom + bottom * top + top * top));
        prismatoid(ring(sides, bottom, -centre, 0.0), ring(sides, top, height - centre, 0.0))
    }

    /// A ramp: a right-angled triangle in the xz plane, `length` along x and `height` along z with the right
    /// angle at the lower end of x, pulled along y over `width`.
    pub fn wedge(length: f64, width: f64, height: f64) -> Result<Self, ShapeError> {
        all_positive(&[("wedge length", length), ("wedge width", width), ("wedge height", height)])?;
        let corners = [[0.0, 0.0], [length, 0.0], [0.0, height]];
        let at = |y: f64| corners.map(|[x, z]| Vec3::new(x - length / 3.0, y, z - height / 3.0));
        let vertices = [at(-width / 2.0), at(width / 2.0)].concat();
        let loops = [vec![0, 1, 2], vec![3, 5, 4], vec![0, 3, 4, 1], vec![1, 4, 5, 2], vec![0, 2, 5, 3]];
        Self::from_faces(vertices, &loops)
    }

    /// A regular tetrahedron.
    pub fn tetrahedron(edge: f64) -> Result<Self, ShapeError> {
        let h = positive("tetrahedron edge", edge)? / 8f64.sqrt();
        let vertices =
            vec![Vec3::new(h, h, h), Vec3::new(-h, -h, h), Vec3::new(-h, h, -h), Vec3::new(h, -h, -h)];
        Self::from_faces(vertices, &[vec![0, 2, 1], vec![0, 1, 3], vec![0, 3, 2], vec![1, 2, 3]])
    }

    /// A regular octahedron, corners on the axes: `+x, -x, +y, -y, +z, -z`.
    pub fn octahedron(edge: f64) -> Result<Self, ShapeError> {
        let r = positive("octahedron edge", edge)? / 2f64.sqrt();
        Self::from_vertices(
            &[Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()].map(|v| v * r),
        )
    }

    /// A regular icosahedron.
    pub fn icosahedron(edge: f64) -> Result<Self, ShapeError> {
        let short = positive("icosahedron edge", edge)? / 2.0;
        let long = short * golden_ratio();
        Self::from_vertices(&cyclic(&[(short, long)]))
    }

    /// A regular dodecahedron.
    pub fn dodecahedron(edge: f64) -> Result<Self, ShapeError> {
        let golden = golden_ratio();
        let unit = positive("dodecahedron edge", edge)? * golden / 2.0;
        let mut vertices = Self::cube(2.0 * unit)?.vertices().to_vec();
        vertices.extend(cyclic(&[(unit / golden, unit * golden)]));
        Self::from_vertices(&vertices)
    }

    /// A round polytope: `count` points spread evenly (a golden-angle spiral) over a sphere, and shifted so
    /// that the centroid of their hull is the origin.
    pub fn rounded(count: usize, radius: f64) -> Result<Self, ShapeError> {
        at_least("number of vertices of a rounded body", count, 4, "at least 4")?;
        positive("radius of a rounded body", radius)?;
        let turn = TAU * (1.0 - 1.0 / golden_ratio());
        let spiral: Vec<Vec3> = (0..count)
            .map(|k| {
                let z = 1.0 - (2 * k + 1) as f64 / count as f64;
                let (sin, cos) = (turn * k as f64).sin_cos();
                let ring = (1.0 - z * z).sqrt();
                Vec3::new(ring * cos, ring * sin, z) * radius
            })
            .collect();
        let centroid = Self::from_vertices(&spiral)?.reference();
        Self::from_vertices(&spiral.iter().map(|v| v - centroid).collect::<Vec<_>>())
    }
}

fn golden_ratio() -> f64 {
    (1.0 + 5f64.sqrt()) / 2.0
}

/// Corners of a regular polygon at height `z`, counter-clockwise seen from above, turned by a fraction of a side.
fn ring(sides: usize, radius: f64, z: f64, fraction: f64) -> Vec<Vec3> {
    (0..sides)
        .map(|k| {
            let (sin, cos) = (TAU * (k as f64 + fraction) / sides as f64).sin_cos();
            Vec3::new(radius * cos, radius * sin, z)
        })
        .collect()
}

/// A lower and an upper ring of equally many corners, joined by quadrilaterals.
fn prismatoid(mut lower: Vec<Vec3>, upper: Vec<Vec3>) -> Result<Polytope, ShapeError> {
    let n = lower.len() as u32;
    lower.extend(upper);
    let mut loops = vec![(0..n).rev().collect(), (n..2 * n).collect::<Vec<u32>>()];
    loops.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
    Polytope::from_faces(lower, &loops)
}

/// A base ring and an apex on the z axis.
fn pyramid_over(mut base: Vec<Vec3>, apex: f64) -> Result<Polytope, ShapeError> {
    let n = base.len() as u32;
    base.push(Vec3::new(0.0, 0.0, apex));
    let mut loops = vec![(0..n).rev().collect::<Vec<u32>>()];
    loops.extend((0..n).map(|k| vec![k, (k + 1) % n, n]));
    Polytope::from_faces(base, &loops)
}

/// Points `(0, ±a, ±b)` with the coordinates in all cyclic orders.
fn cyclic(pairs: &[(f64, f64)]) -> Vec<Vec3> {
    let mut points = Vec::new();
    for &(a, b) in pairs {
        for (a, b) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
            points.extend([Vec3::new(0.0, a, b), Vec3::new(b, 0.0, a), Vec3::new(a, b, 0.0)]);
        }
    }
    points
}
