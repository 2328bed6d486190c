//! Surfaces prepared for drawing: which triangles share an edge, so that the outline of a body is found from
//! anywhere, and the corners that bound it.
//!
//! An edge belongs to the outline when one of its triangles faces the viewer and the other does not, or when it has
//! only one.

use crate::mesh::Mesh;
use percussion_geometry::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

/// Directions in which extreme corners are determined.
const DIRECTIONS: usize = 96;
/// Corners nearer to each other than this, relative to the size, are merged.
const SAME: f64 = 1e-7;
/// Cosine of the angle between neighbouring triangles of a smooth surface.
const SMOOTH: f64 = 0.9;

/// An edge between two triangles, or at the rim of one.
#[derive(Clone, Debug)]
pub struct Edge {
    pub ends: [Vec3; 2],
    /// Normals of the triangles that meet there.
    pub normals: [Vec3; 2],
    /// Whether there is one triangle only.
    pub rim: bool,
}

/// A surface prepared for drawing, in the body frame.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub mesh: Mesh,
    /// Unit normals of the triangles.
    pub faces: Vec<Vec3>,
    /// Edges that may belong to the outline.
    pub edges: Vec<Edge>,
    /// Its lines, and whether they are sharp edges and not marks on a smooth surface.
    pub lines: Vec<([Vec3; 2], bool)>,
    /// Whether it has no rim.
    pub closed: bool,
    /// Extreme corners.
    pub reach: Vec<Vec3>,
    /// Greatest distance from the origin, m.
    pub radius: f64,
}

impl Shape {
    pub fn of(mesh: &Mesh) -> Self {
        let corner = |i: u32| mesh.corners[i as usize];
        let faces: Vec<Vec3> = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(corner);
                (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
            })
            .collect();
        let radius = mesh.radius();
        let names = Names { step: SAME * radius.max(f64::MIN_POSITIVE) };
        let edges = edges(mesh, &faces, &names);
        let sharp: BTreeSet<_> = edges
            .iter()
            .filter(|edge| edge.rim || edge.normals[0].dot(&edge.normals[1]) < SMOOTH)
            .map(|edge| names.pair(&edge.ends))
            .collect();
        let lines = mesh.lines.iter().map(|ends| (*ends, sharp.contains(&names.pair(ends)))).collect();
        let closed = edges.iter().all(|edge| !edge.rim);
        Self { lines, closed, edges, reach: reach(mesh), radius, faces, mesh: mesh.clone() }
    }
}

/// Indices of points: nearly equal points have the same index.
struct Names {
    step: f64,
}

impl Names {
    fn of(&self, p: &Vec3) -> [i64; 3] {
        [p.x, p.y, p.z].map(|v| (v / self.step).round() as i64)
    }

    fn pair(&self, ends: &[Vec3; 2]) -> [[i64; 3]; 2] {
        let [a, b] = ends.each_ref().map(|p| self.of(p));
        [a.min(b), a.max(b)]
    }
}

fn edges(mesh: &Mesh, faces: &[Vec3], names: &Names) -> Vec<Edge> {
    let mut found = BTreeMap::new();
    for (triangle, normal) in mesh.triangles.iter().zip(faces) {
        for k in 0..3 {
            let [i, j] = [triangle[k], triangle[(k + 1) % 3]].map(|i| i as usize);
            let ends = [mesh.corners[i], mesh.corners[j]];
            let pair = names.pair(&ends);
            if pair[0] == pair[1] {
                continue;
            }
            found
                .entry(pair)
                .and_modify(|edge: &mut Edge| {
                    edge.normals[1] = *normal;
                    edge.rim = false;
                })
                .or_insert(Edge { ends, normals: [*normal; 2], rim: true });
        }
    }
    // Edges between coplanar triangles are never part of the outline.
    found
        .into_values()
        .filter(|edge| edge.rim || edge.normals[0].dot(&edge.normals[1]) < 1.0 - 1e-12)
        .collect()
}

/// The corners farthest in many directions, each once.
fn reach(mesh: &Mesh) -> Vec<Vec3> {
    let golden = PI * (3.0 - 5f64.sqrt());
    let mut chosen: Vec<usize> = (0..DIRECTIONS)
        .filter_map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / DIRECTIONS as f64;
            let (sin, cos) = (golden * k as f64).sin_cos();
            let flat = (1.0 - z * z).sqrt();
            let direction = Vec3::new(flat * cos, flat * sin, z);
            let height = |i: &usize| mesh.corners[*i].dot(&direction);
            (0..mesh.corners.len()).max_by(|i, j| height(i).total_cmp(&height(j)))
        })
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|i| mesh.corners[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_geometry::shapes::{Polytope, Solid, Sphere};

    #[test]
    fn a_cube_has_twelve_edges_and_eight_corners_that_reach() {
        let shape = Shape::of(&Mesh::of(&Solid::Polytope(Polytope::cuboid(1.0, 2.0, 3.0).unwrap())));
        assert_eq!(shape.edges.len(), 12);
        assert!(
            shape.edges.iter().all(|edge| !edge.rim && edge.normals[0].dot(&edge.normals[1]).abs() < 1e-14)
        );
        let mut corners: Vec<_> =
            shape.reach.iter().map(|p| [p.x, p.y, p.z].map(|v| (4.0 * v) as i64)).collect();
        corners.sort_unstable();
        corners.dedup();
        assert_eq!(corners.len(), 8);
    }

    /// Poles and the seam are closed, and flat quadrangles have no diagonals: Euler's formula holds for 24 belts of 48
    /// pieces.
    #[test]
    fn a_ball_has_no_rim() {
        let mesh = Mesh::of(&Solid::Sphere(Sphere::new(0.3).unwrap()));
        let shape = Shape::of(&mesh);
        assert!(shape.edges.iter().all(|edge| !edge.rim));
        let (corners, faces) = (23 * 48 + 2, 24 * 48);
        assert_eq!(shape.edges.len(), corners + faces - 2);
    }
}
