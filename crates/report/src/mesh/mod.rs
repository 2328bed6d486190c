//! Surfaces of shapes as triangles, with the lines that are drawn on them.
//!
//! Corners of polytopes are kept once per face, each with the normal of its face: flat faces are shaded flat. Curved surfaces
//! share corners and have smooth normals. Lines are the edges of polytopes, the rims of curved bodies and,
//! where a surface has no rim, circles that show its orientation.

mod flat;
mod round;

use nalgebra::Rotation3;
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

pub use flat::{outline, strip};

/// Triangles with normals, and lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners.
    pub corners: Vec<Vec3>,
    /// Outward unit normal at each corner.
    pub normals: Vec<Vec3>,
    /// Corners of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of the lines.
    pub lines: Vec<[Vec3; 2]>,
}

impl Mesh {
    /// The surface of a bounded solid; nothing for a half-space, which has a [`patch`] where it is needed.
    pub fn of(solid: &Solid) -> Self {
        match solid {
            Solid::Polytope(polytope) => faces(polytope),
            Solid::Sphere(sphere) => round::ellipsoid(&Vec3::repeat(sphere.radius())),
            Solid::Ellipsoid(ellipsoid) => round::ellipsoid(&ellipsoid.semi_axes()),
            Solid::Capsule(capsule) => round::capsule(capsule.half_length(), capsule.radius()),
            Solid::Cylinder(cylinder) => round::cylinder(cylinder.half_height(), cylinder.radius()),
            Solid::Cone(cone) => round::cone(cone.height(), cone.radius()),
            Solid::HalfSpace(_) => Self::default(),
        }
    }

    /// An ellipsoid about the origin.
    pub fn ellipsoid(semi_axes: &Vec3) -> Self {
        round::ellipsoid(semi_axes)
    }

    /// Adds another one, placed.
    pub fn add(&mut self, other: &Mesh, pose: &Pose) {
        let first = self.corners.len() as u32;
        self.corners.extend(other.corners.iter().map(|p| pose.point(p)));
        self.normals.extend(other.normals.iter().map(|n| pose.direction(n)));
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|corner| corner + first)));
        self.lines.extend(other.lines.iter().map(|line| line.map(|p| pose.point(&p))));
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.lines.is_empty()
    }

    /// The greatest distance of a corner from the origin, m.
    pub fn radius(&self) -> f64 {
        self.corners.iter().map(|p| p.norm()).fold(0.0, f64::max)
    }

    /// The volume its triangles enclose, m³: by the divergence theorem.
    pub fn volume(&self) -> f64 {
        let six: f64 = self
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| self.corners[i as usize]);
                a.dot(&b.cross(&c))
            })
            .sum();
        six / 6.0
    }

    fn polygon(&mut self, points: impl Iterator<Item = Vec3>, normal: Vec3) {
        let first = self.corners.len() as u32;
        self.corners.extend(points);
        let end = self.corners.len() as u32;
        self.normals.resize(end as usize, normal);
        self.triangles.extend((first + 1..end.saturating_sub(1)).map(|k| [first, k, k + 1]));
    }
}

fn faces(polytope: &Polytope) -> Mesh {
    let mut mesh = Mesh::default();
    let vertices = polytope.vertices();
    for face in polytope.faces() {
        mesh.polygon(polytope.face_loop(face).iter().map(|&v| vertices[v as usize]), face.normal);
    }
    mesh.lines = polytope.edges().iter().map(|edge| edge.vertices.map(|v| vertices[v as usize])).collect();
    mesh
}

/// A square piece of a plane through `centre`, from `-half` to `half` along its two sides.
pub fn patch(centre: &Vec3, normal: &Vec3, half: f64) -> Mesh {
    let turn = Rotation3::rotation_between(&Vec3::z(), normal)
        .unwrap_or_else(|| Rotation3::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
    let corner = |x: f64, y: f64| centre + turn * Vec3::new(half * x, half * y, 0.0);
    let mut mesh = Mesh::default();
    let around = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    mesh.polygon(around.into_iter(), *normal);
    mesh.lines = (0..4).map(|k| [around[k], around[(k + 1) % 4]]).collect();
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_geometry::shapes::{Capsule, Cone, Cylinder, Ellipsoid, Sphere};
    use std::f64::consts::PI;

    /// Volumes of the surfaces against closed forms: triangles stand inside a curved body by a known share at most.
    #[test]
    #[allow(clippy::unwrap_used)]
    fn surfaces_enclose_the_volumes_of_their_shapes() {
        let exact = |solid: Solid, volume: f64, share: f64| {
            let mesh = Mesh::of(&solid);
            let off = (mesh.volume() - volume) / volume;
            assert!(off.abs() <= share, "{solid:?}: {off:e}");
            for (p, n) in mesh.corners.iter().zip(&mesh.normals) {
                assert!((n.norm() - 1.0).abs() < 1e-12);
                // The normal at a corner is the direction in which the corner is the support point.
                let highest = solid.support(n).unwrap();
                assert!((highest - p).dot(n).abs() < 1e-9, "{solid:?} {p:?} {n:?}");
            }
        };
        exact(Solid::Polytope(Polytope::cuboid(1.0, 2.0, 3.0).unwrap()), 6.0, 1e-14);
        exact(Solid::Polytope(Polytope::prism(6, 1.0, 2.0).unwrap()), 3.0 * 3f64.sqrt(), 1e-14);
        exact(Solid::Sphere(Sphere::new(1.5).unwrap()), 4.0 / 3.0 * PI * 1.5f64.powi(3), 0.01);
        exact(Solid::Ellipsoid(Ellipsoid::new(Vec3::new(1.0, 2.0, 0.5)).unwrap()), 4.0 / 3.0 * PI, 0.01);
        exact(Solid::Cylinder(Cylinder::new(1.0, 0.5).unwrap()), 0.5 * PI, 0.01);
        exact(Solid::Cone(Cone::new(2.0, 0.5).unwrap()), PI * 0.25 * 2.0 / 3.0, 0.01);
        exact(Solid::Capsule(Capsule::new(1.0, 0.5).unwrap()), PI * (0.5 + 4.0 / 3.0 * 0.125), 0.01);
    }

    #[test]
    fn a_patch_lies_in_its_plane_and_faces_its_normal() {
        for normal in [Vec3::z(), -Vec3::z(), Vec3::new(1.0, 2.0, -2.0) / 3.0] {
            let centre = Vec3::new(0.5, -1.0, 2.0);
            let mesh = patch(&centre, &normal, 3.0);
            assert!(mesh.corners.iter().all(|p| (p - centre).dot(&normal).abs() < 1e-14));
            let [a, b, c] = mesh.triangles[0].map(|i| mesh.corners[i as usize]);
            assert!((b - a).cross(&(c - a)).normalize().dot(&normal) > 1.0 - 1e-14);
        }
    }
}
