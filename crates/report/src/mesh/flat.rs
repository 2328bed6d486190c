//! Planar shapes as flat pieces of the xy-plane, seen from above.

use super::Mesh;
use percussion_geometry::shapes::{HalfPlane, PlanarShape};
use percussion_geometry::{Vec2, Vec3};
use std::f64::consts::TAU;

/// Sides of a circle.
const AROUND: usize = 64;

/// A bounded planar shape; nothing for a half-plane, which has a [`strip`] where it is needed.
pub fn outline(shape: &PlanarShape) -> Mesh {
    let ring = |semi_axes: Vec2| -> Vec<Vec2> {
        (0..AROUND)
            .map(|k| {
                let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
                Vec2::new(semi_axes.x * cos, semi_axes.y * sin)
            })
            .collect()
    };
    match shape {
        PlanarShape::Polygon(polygon) => filled(polygon.vertices()),
        PlanarShape::Circle(circle) => {
            let mut mesh = filled(&ring(Vec2::repeat(circle.radius())));
            // A mark shows the rotation of a disc.
            mesh.lines.push([Vec3::zeros(), Vec3::new(circle.radius(), 0.0, 0.0)]);
            mesh
        }
        PlanarShape::Ellipse(ellipse) => filled(&ring(ellipse.semi_axes())),
        PlanarShape::HalfPlane(_) => Mesh::default(),
    }
}

fn filled(corners: &[Vec2]) -> Mesh {
    let mut mesh = Mesh::default();
    let raised: Vec<Vec3> = corners.iter().map(|p| p.push(0.0)).collect();
    mesh.polygon(raised.iter().copied(), Vec3::z());
    let next = raised.iter().cycle().skip(1);
    mesh.lines = raised.iter().zip(next).map(|(a, b)| [*a, *b]).collect();
    mesh
}

/// The edge of a half-plane, as far as `half` on both sides of the point nearest to `near`, and some of what is behind it.
pub fn strip(plane: &HalfPlane, near: &Vec2, half: f64) -> Mesh {
    let normal = plane.normal();
    let along = Vec2::new(-normal.y, normal.x);
    let foot = near - normal * (normal.dot(near) - plane.offset());
    let depth = 0.06 * half;
    let at = |s: f64, d: f64| foot + along * (s * half) - normal * (d * depth);
    let mut mesh = filled(&[at(-1.0, 1.0), at(-1.0, 0.0), at(1.0, 0.0), at(1.0, 1.0)]);
    mesh.lines = vec![[at(-1.0, 0.0), at(1.0, 0.0)].map(|p| p.push(0.0))];
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn a_strip_lies_behind_its_edge_and_faces_up() {
        let plane = HalfPlane::new(Vec2::new(0.6, 0.8), 0.5).unwrap();
        let mesh = strip(&plane, &Vec2::new(3.0, 1.0), 2.0);
        let height = |p: &Vec3| plane.normal().dot(&p.xy()) - plane.offset();
        assert!(mesh.corners.iter().all(|p| height(p) < 1e-14));
        assert!(mesh.lines.iter().flatten().all(|p| height(p).abs() < 1e-14));
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|i| mesh.corners[i as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
    }
}
