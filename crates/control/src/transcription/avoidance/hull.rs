//! Convex parts as hulls of vertices with a radius.

use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{Part, PartShape};

/// A convex part as the vertices of its core, in the body's principal frame, and a radius.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    pub(super) vertices: Vec<Vec3>,
    pub(super) radius: f64,
}

impl Hull {
    /// Of a part; `None` if it has no such core.
    pub fn of(part: &Part) -> Option<Self> {
        let (own, radius) = match &part.shape {
            PartShape::Planar(planar) => {
                (planar.polygon()?.vertices().iter().map(|v| Vec3::new(v.x, v.y, 0.0)).collect(), 0.0)
            }
            PartShape::Solid(Solid::Polytope(polytope)) => (polytope.vertices().to_vec(), 0.0),
            PartShape::Solid(Solid::Sphere(sphere)) => (vec![Vec3::zeros()], sphere.radius()),
            PartShape::Solid(Solid::Capsule(capsule)) => {
                let end = Vec3::new(0.0, 0.0, capsule.half_length());
                (vec![end, -end], capsule.radius())
            }
            PartShape::Solid(_) => return None,
        };
        Some(Self { vertices: own.iter().map(|v| part.offset.point(v)).collect(), radius })
    }

    /// Vertices of the core, in the body's principal frame.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Radius about the core, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The least height of the part along `n`, from `o`.
    pub(super) fn min_height(&self, pose: &Pose, n: &Vec3, o: &Vec3) -> f64 {
        let height = |v: &Vec3| n.dot(&(pose.point(v) - o));
        self.vertices.iter().map(height).fold(f64::INFINITY, f64::min) - self.radius
    }
}
