//! Appearance of a body: the surface of its shapes in the body frame, or a substitute where it has none.
//!
//! A rigid body without a shape is drawn as the ellipsoid of uniform density that has its mass and inertia; a particle as
//! a small ball. Half-spaces and half-planes are unbounded: of them a piece is drawn that is large enough for the
//! motion in front of it.

use crate::extent::Extent;
use crate::mesh::{self, Mesh};
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_geometry::{Pose, Vec2, Vec3};
use percussion_mechanics::Body;
use percussion_mechanics::body::{AttachedOutline, BodyKind};

/// Radius of the ball of a particle, relative to the radius of the scene.
const PARTICLE: f64 = 0.015;
/// Half the side of a piece of a half-space, relative to the radius of the scene.
const FLOOR: f64 = 1.5;

/// The plane of a half-space, in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Its point nearest to the center of the scene.
    pub point: Vec3,
    /// Outward unit normal.
    pub normal: Vec3,
}

/// The appearance of a body.
#[derive(Clone, Debug)]
pub struct Appearance {
    /// Its name in the scene.
    pub name: String,
    /// Whether it moves under forces.
    pub moves: bool,
    /// Whether its motion is prescribed.
    pub driven: bool,
    /// Its bounded shapes, in the body frame.
    pub mesh: Mesh,
    /// Pieces of its half-spaces and half-planes.
    pub ground: Mesh,
    /// Planes of its half-spaces.
    pub planes: Vec<Plane>,
    /// Whether the mesh is a substitute for a missing shape.
    pub substitute: bool,
    /// Whether all of its shapes are planar; the normal of the plane is the z axis of the body frame.
    pub planar: bool,
    /// Center of mass, in the body frame.
    pub centre: Vec3,
    /// Mass, kg; zero for a fixed body.
    pub mass: f64,
    /// Color given by the scene (sRGB).
    pub colour: Option<[u8; 3]>,
}

impl Appearance {
    /// The bounded shapes of a body.
    pub fn of(body: &Body) -> Self {
        let mut surface = Mesh::default();
        for part in &body.shapes {
            surface.add(&Mesh::of(&part.solid), &part.offset);
        }
        for part in &body.outlines {
            surface.add(&mesh::outline(&part.shape), &raised(part));
        }
        let substitute = surface.is_empty() && body.kind == BodyKind::Rigid;
        if substitute {
            surface.add(&Mesh::ellipsoid(&semi_axes(body)), &body.principal);
        }
        Self {
            name: body.name.clone(),
            moves: body.moves(),
            driven: body.motion.is_some(),
            mesh: surface,
            ground: Mesh::default(),
            planes: Vec::new(),
            substitute: substitute || body.kind == BodyKind::Particle && body.shapes.is_empty(),
            planar: body.shapes.is_empty() && !body.outlines.is_empty(),
            centre: body.principal.position,
            mass: body.mass,
            colour: None,
        }
    }

    /// Whether its pose changes.
    pub fn travels(&self) -> bool {
        self.moves || self.driven
    }

    /// Adds what depends on the size of the scene: pieces of unbounded shapes, balls of particles. `travel` is the largest distance of the
    /// body from its initial `pose`, by which its pieces are enlarged.
    pub(crate) fn fit(&mut self, body: &Body, pose: &Pose, travel: f64, extent: &Extent) {
        if self.substitute && self.mesh.is_empty() {
            self.mesh = Mesh::ellipsoid(&Vec3::repeat(PARTICLE * extent.radius()));
        }
        let half = FLOOR * extent.radius() + travel;
        let middle = pose.inverse_point(&extent.center());
        for part in &body.shapes {
            let Solid::HalfSpace(space) = &part.solid else { continue };
            let (normal, near) = (space.normal(), part.offset.inverse_point(&middle));
            let foot = near - normal * (normal.dot(&near) - space.offset());
            self.ground.add(&mesh::patch(&foot, &normal, half), &part.offset);
            let plane = Plane { point: part.offset.point(&foot), normal: part.offset.direction(&normal) };
            self.planes.push(plane);
        }
        for part in &body.outlines {
            let PlanarShape::HalfPlane(plane) = &part.shape else { continue };
            let near: Vec2 = part.offset.inverse_point(&middle.xy());
            self.ground.add(&mesh::strip(plane, &near, half), &raised(part));
        }
    }
}

/// The pose of a planar part in space.
fn raised(part: &AttachedOutline) -> Pose {
    let turn = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), part.offset.rotation.angle());
    Pose::new(turn, part.offset.position.push(0.0))
}

/// Semi-axes `a` of the ellipsoid with `∫ x_I² dm = m a_I² / 5`; a direction without extent gets a small one, to be visible.
fn semi_axes(body: &Body) -> Vec3 {
    let axes = body.director_moments().map(|moment| (5.0 * moment / body.mass).sqrt());
    axes.map(|a| a.max(0.02 * axes.max()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn a_body_without_a_shape_is_drawn_as_the_ellipsoid_of_its_inertia() {
        let axes = Vec3::new(0.1, 0.2, 0.3);
        let mass = 2.0;
        let moment = |a: f64, b: f64| mass / 5.0 * (a * a + b * b);
        let inertia = Vec3::new(moment(axes.y, axes.z), moment(axes.z, axes.x), moment(axes.x, axes.y));
        let centre = Vec3::new(1.0, 0.0, 0.0);
        let body = Body::rigid("b", mass, centre, &Matrix3::from_diagonal(&inertia)).unwrap();
        let appearance = Appearance::of(&body);
        assert!(appearance.substitute);
        for (k, axis) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().enumerate() {
            let reach = appearance.mesh.corners.iter().map(|p| (p - centre).dot(axis)).fold(0.0, f64::max);
            assert!((reach - axes[k]).abs() < 1e-12, "{reach} {}", axes[k]);
        }
    }
}
