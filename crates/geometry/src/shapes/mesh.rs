//! Closed triangle meshes: the surface of a body that need not be convex.
//!
//! A mesh is accepted when it encloses a volume: every edge belongs to exactly two triangles, which walk it
//! in opposite senses, and the signed volume is positive.

use std::collections::BTreeMap;

use super::mass::signed_tetrahedra;
use super::{Polytope, area_vector, check_finite};
use crate::mass::MassProperties;
use crate::tolerances::FLATNESS;
use crate::{ShapeError, Vec3};

/// A closed, consistently oriented triangle mesh, triangles counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    properties: MassProperties,
}

impl TriangleMesh {
    /// Checks and keeps a mesh.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        check_finite("vertex", &vertices)?;
        if triangles.len() < 4 {
            return Err(ShapeError::TooFewTriangles { given: triangles.len() });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            let [a, b, c] = *corners;
            if let Some(&missing) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
                let why = format!("it refers to vertex {missing}, but there are {}", vertices.len());
                return Err(ShapeError::BadTriangle { triangle, why });
            }
            if a == b || b == c || c == a {
                let why = format!("its corners {a}, {b}, {c} are not three different vertices");
                return Err(ShapeError::BadTriangle { triangle, why });
            }
        }
        check_edges(&triangles)?;
        let properties = properties(&vertices, &triangles);
        if properties.volume.is_nan() || properties.volume <= 0.0 {
            return Err(ShapeError::InsideOut { volume: properties.volume });
        }
        Ok(Self { vertices, triangles, properties })
    }

    /// A mesh from separate triangles (as in an STL file). Corners nearer than the flatness tolerance times
    /// the size become one vertex; triangles that shrink to an edge or a point are dropped.
    pub fn from_soup(soup: &[[Vec3; 3]]) -> Result<Self, ShapeError> {
        let corners: Vec<Vec3> = soup.iter().flatten().copied().collect();
        check_finite("corner", &corners)?;
        let Some(&first) = corners.first() else {
            return Err(ShapeError::TooFewTriangles { given: 0 });
        };
        let (low, high) = corners.iter().fold((first, first), |(l, h), v| (l.inf(v), h.sup(v)));
        let (vertices, index) = weld(&corners, FLATNESS * (high - low).norm());
        let triangles = index
            .chunks_exact(3)
            .map(|t| [t[0], t[1], t[2]])
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        Self::new(vertices, triangles)
    }

    /// The vertices, body frame.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Corners of the triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `triangle`.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// Volume, centroid and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        self.properties
    }

    /// The enclosed volume.
    pub fn volume(&self) -> f64 {
        self.properties.volume
    }

    /// The area of its surface.
    pub fn surface_area(&self) -> f64 {
        (0..self.triangles.len())
            .map(|t| {
                let [a, b, c] = self.corners(t);
                area_vector(&a, &b, &c).norm() / 2.0
            })
            .sum()
    }

    /// How often the surface winds around `point`: one inside, zero outside, by the sum of solid angles.
    pub fn winding_number(&self, point: &Vec3) -> f64 {
        let mut sum = 0.0;
        for t in 0..self.triangles.len() {
            let [a, b, c] = self.corners(t).map(|v| v - point);
            let (x, y, z) = (a.norm(), b.norm(), c.norm());
            let over = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
            sum += a.dot(&b.cross(&c)).atan2(over);
        }
        sum / std::f64::consts::TAU
    }

    /// The same body as a polytope if it is convex (to the flatness tolerance), else `None`.
    ///
    /// The surface lies in its hull and encloses no more than it, so that equal volumes and areas mean that
    /// it is the hull.
    pub fn as_convex(&self) -> Option<Polytope> {
        let hull = Polytope::from_vertices(&self.vertices).ok()?;
        let same = |mine: f64, its: f64| (mine - its).abs() <= FLATNESS * its;
        let volume = hull.volume();
        (same(self.volume(), volume) && same(self.surface_area(), hull.surface_area())).then_some(hull)
    }

    /// Whether the body is convex, to the flatness tolerance.
    pub fn is_convex(&self) -> bool {
        self.as_convex().is_some()
    }
}

/// Every edge in two triangles, in opposite senses.
fn check_edges(triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    // For each edge: how often it is walked from the lesser vertex to the greater, and back.
    let mut walks: BTreeMap<(u32, u32), [usize; 2]> = BTreeMap::new();
    for corners in triangles {
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let sense = usize::from(from > to);
            walks.entry((from.min(to), from.max(to))).or_default()[sense] += 1;
        }
    }
    for (&(from, to), &[forth, back]) in &walks {
        let (from, to) = (from as usize, to as usize);
        if forth + back != 2 {
            return Err(ShapeError::OpenMesh { from, to, faces: forth + back });
        }
        if forth != back {
            return Err(ShapeError::MixedOrientation { from, to });
        }
    }
    Ok(())
}

fn properties(vertices: &[Vec3], triangles: &[[u32; 3]]) -> MassProperties {
    let first = vertices[0];
    let mean = vertices.iter().map(|v| v - first).sum::<Vec3>() / vertices.len() as f64;
    signed_tetrahedra(triangles.iter().map(|t| t.map(|v| vertices[v as usize])), first + mean)
}

/// Distinct points within `tolerance`, and for each input point which of them it is.
fn weld(points: &[Vec3], tolerance: f64) -> (Vec<Vec3>, Vec<u32>) {
    // Cells as wide as the tolerance: equals lie in the same or a neighbouring cell.
    let width = tolerance.max(f64::MIN_POSITIVE);
    let cell = |v: &Vec3| [0, 1, 2].map(|k| (v[k] / width).floor() as i128);
    let mut cells: BTreeMap<[i128; 3], Vec<u32>> = BTreeMap::new();
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut index = Vec::with_capacity(points.len());
    for point in points {
        let home = cell(point);
        let near = (0..27).flat_map(|k: i128| {
            let key = [home[0] + k % 3 - 1, home[1] + k / 3 % 3 - 1, home[2] + k / 9 - 1];
            cells.get(&key).into_iter().flatten().copied()
        });
        let same = near.filter(|&v| (vertices[v as usize] - point).norm() <= tolerance).min();
        index.push(same.unwrap_or_else(|| {
            let new = vertices.len() as u32;
            vertices.push(*point);
            cells.entry(home).or_default().push(new);
            new
        }));
    }
    (vertices, index)
}
