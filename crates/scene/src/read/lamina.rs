//! Mass of planar bodies: flat, of uniform density per area.
//!
//! ```text
//! S = ∫ (x - c)(x - c)ᵀ dA        J = tr(S) 1 - S, that is Jx = Syy, Jy = Sxx, Jz = Jx + Jy
//! ```
//!
//! Motion in the plane depends on `Jz` alone; with the other two it is a spatial body with a planar joint.

use nalgebra::{Matrix2, Matrix3};
use percussion_geometry::mass::{MassProperties, PlanarMassProperties};
use percussion_geometry::shapes::{PlanarShape, Polygon};
use percussion_geometry::{PlanarPose, Vec2, Vec3};

/// Area (in place of volume), centroid and inertia of placed parts of density one per area; `None` if a part is unbounded.
pub(super) fn properties(parts: &[(PlanarPose, PlanarShape)]) -> Option<MassProperties> {
    let placed = |(pose, shape): &(PlanarPose, PlanarShape)| {
        let own = shape.mass_properties()?;
        let turn = pose.rotation.matrix();
        Some((own.placed(pose), turn * second_moments(shape, &own.centroid)? * turn.transpose()))
    };
    let all: Vec<(PlanarMassProperties, Matrix2<f64>)> = parts.iter().map(placed).collect::<Option<_>>()?;
    let whole: PlanarMassProperties = all.iter().map(|(part, _)| *part).sum();
    let mut s = Matrix2::zeros();
    for (part, own) in &all {
        let arm = part.centroid - whole.centroid;
        s += own + arm * arm.transpose() * part.area;
    }
    let inertia = Matrix3::new(s.m22, -s.m12, 0.0, -s.m21, s.m11, 0.0, 0.0, 0.0, s.m11 + s.m22);
    let centroid = Vec3::new(whole.centroid.x, whole.centroid.y, 0.0);
    Some(MassProperties { volume: whole.area, centroid, inertia })
}

/// `S` about the centroid in the shape's own axes.
fn second_moments(shape: &PlanarShape, centroid: &Vec2) -> Option<Matrix2<f64>> {
    let quarter = |area: f64, axes: Vec2| Matrix2::from_diagonal(&(axes.component_mul(&axes) * (area / 4.0)));
    let area = shape.mass_properties()?.area;
    Some(match shape {
        PlanarShape::Polygon(polygon) => of_polygon(polygon, centroid),
        PlanarShape::Circle(circle) => quarter(area, Vec2::repeat(circle.radius())),
        PlanarShape::Ellipse(ellipse) => quarter(area, ellipse.semi_axes()),
        PlanarShape::HalfPlane(_) => return None,
    })
}

/// By signed triangles about the centroid.
fn of_polygon(polygon: &Polygon, centroid: &Vec2) -> Matrix2<f64> {
    let vertices = polygon.vertices();
    let mut sum = Matrix2::zeros();
    for (k, v) in vertices.iter().enumerate() {
        let (a, b) = (v - centroid, vertices[(k + 1) % vertices.len()] - centroid);
        let middle = a + b;
        // a x b = a x (b - a): the product of two long sides of a needle would lose its width.
        let twice = a.perp(&(b - a));
        sum += (a * a.transpose() + b * b.transpose() + middle * middle.transpose()) * (twice / 24.0);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_geometry::shapes::{Circle, Ellipse, Polytope};

    #[test]
    fn a_lamina_is_the_limit_of_thin_plates() {
        let outline = [[0.0, 0.0], [3.0, 0.5], [2.5, 2.0], [0.5, 1.5]].map(Vec2::from);
        let pose = PlanarPose::new(0.7, Vec2::new(-1.0, 2.0));
        let polygon = Polygon::from_vertices(&outline).unwrap();
        let found = properties(&[(pose, PlanarShape::Polygon(polygon))]).unwrap();
        // A plate of thickness t has t times the inertia, and about its middle a further A t³/12 across.
        let t = 1e-3;
        let at = |z: f64| {
            outline.map(|v| {
                let p = pose.point(&v);
                Vec3::new(p.x, p.y, z)
            })
        };
        let plate = Polytope::from_vertices(&[at(-t / 2.0), at(t / 2.0)].concat()).unwrap().mass_properties();
        assert!((found.volume - plate.volume / t).abs() < 1e-9);
        assert!((found.centroid - plate.centroid).norm() < 1e-9);
        let thick = Matrix3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0)) * (found.volume * t * t / 12.0);
        assert!((found.inertia + thick - plate.inertia / t).norm() < 1e-9);
    }

    #[test]
    fn the_inertia_across_the_plane_is_the_planar_one_also_of_several_parts() {
        let parts = [
            (PlanarPose::new(0.3, Vec2::new(1.0, 0.0)), PlanarShape::Circle(Circle::new(0.5).unwrap())),
            (
                PlanarPose::new(-1.0, Vec2::new(0.0, 3.0)),
                PlanarShape::Ellipse(Ellipse::new(Vec2::new(1.0, 0.2)).unwrap()),
            ),
            (PlanarPose::identity(), PlanarShape::Polygon(Polygon::rectangle(0.3, 2.0).unwrap())),
        ];
        let planar: PlanarMassProperties =
            parts.iter().map(|(pose, shape)| shape.mass_properties().unwrap().placed(pose)).sum();
        let found = properties(&parts).unwrap();
        assert!((found.inertia[(2, 2)] - planar.inertia).abs() < 1e-14 * planar.inertia.abs() * 8.0);
        assert!((found.inertia[(0, 0)] + found.inertia[(1, 1)] - planar.inertia).abs() < 1e-13);
        let rectangle = properties(&parts[2..]).unwrap();
        // m/12 (2²) and m/12 (0.3²) with m = 0.6.
        assert!((rectangle.inertia[(0, 0)] - 0.2).abs() < 1e-15);
        assert!((rectangle.inertia[(1, 1)] - 0.0045).abs() < 1e-16);
    }
}
