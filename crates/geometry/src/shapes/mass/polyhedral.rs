//! Polytopes and closed triangle meshes as sums of signed tetrahedra.
//!
//! For the tetrahedron `(o, o + a, o + b, o + c)` of volume `V = det(a, b, c)/6`:
//! `∫ x dV = V/4 (a + b + c)` and `∫ x x^T dV = V/20 (a a^T + b b^T + c c^T + s s^T)`, `s = a + b + c`,
//! about `o`. The first pass finds the centroid, the second integrates about it, so that no shift of a large
//! tensor is subtracted and a body far from the origin loses no digits.

use crate::Vec3;
use crate::mass::MassProperties;
use crate::shapes::{Polytope, area_vector};
use nalgebra::Matrix3;

/// Volume, centroid and inertia of what the triangles enclose (counter-clockwise seen from outside).
/// `origin` is any point near the body. A vanishing volume leaves the centroid at the origin.
pub(in crate::shapes) fn signed_tetrahedra(
    triangles: impl Iterator<Item = [Vec3; 3]> + Clone,
    origin: Vec3,
) -> MassProperties {
    let (mut six_volumes, mut moment) = (0.0, Vec3::zeros());
    for [a, b, c] in triangles.clone().map(|t| t.map(|v| v - origin)) {
        let six = six_volume(&a, &b, &c);
        six_volumes += six;
        moment += six * (a + b + c);
    }
    let volume = six_volumes / 6.0;
    let shift = if six_volumes == 0.0 { Vec3::zeros() } else { moment / (4.0 * six_volumes) };
    let centroid = origin + shift;
    let mut s = Matrix3::zeros();
    for [a, b, c] in triangles.map(|t| t.map(|v| (v - origin) - shift)) {
        let sum = a + b + c;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        s += six_volume(&a, &b, &c) / 120.0 * squares;
    }
    MassProperties::from_second_moment(volume, centroid, &s)
}

/// `det(a, b, c)`, as height times area.
fn six_volume(a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    a.dot(&area_vector(a, b, c))
}

impl Polytope {
    /// Volume, centroid and inertia, by signed tetrahedra about the mean of the vertices.
    pub fn mass_properties(&self) -> MassProperties {
        let vertices = self.vertices();
        let first = vertices[0];
        let mean = vertices.iter().map(|v| v - first).sum::<Vec3>() / vertices.len() as f64;
        let corner = move |v: u32| vertices[v as usize];
        let triangles = self.faces().iter().flat_map(move |face| {
            let corners = self.face_loop(face);
            corners[1..].windows(2).map(move |pair| [corner(corners[0]), corner(pair[0]), corner(pair[1])])
        });
        signed_tetrahedra(triangles, first + mean)
    }

    /// Its volume.
    pub fn volume(&self) -> f64 {
        self.mass_properties().volume
    }

    /// The area of its surface.
    pub fn surface_area(&self) -> f64 {
        (0..self.faces().len()).map(|face| self.face_area(face)).sum()
    }

    /// The area of face `face`.
    pub fn face_area(&self, face: usize) -> f64 {
        let corners = self.face_loop(&self.faces()[face]);
        let at = |v: u32| self.vertices()[v as usize];
        let twice: Vec3 = corners[1..]
            .windows(2)
            .map(|pair| area_vector(&at(corners[0]), &at(pair[0]), &at(pair[1])))
            .sum();
        twice.norm() / 2.0
    }
}
