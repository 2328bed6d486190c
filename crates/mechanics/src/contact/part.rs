//! Convex parts of bodies.

use crate::prescribed_motion::Motion;
use crate::rotation::Mat3;
use nalgebra::{Rotation2, Rotation3};
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_geometry::{Aabb, PlanarPose, Pose, Vec3};
use std::sync::Arc;

/// The shape of a part: in space, or in the plane of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum PartShape {
    /// A solid.
    Solid(Solid),
    /// A shape in the xy-plane of its own frame.
    Planar(PlanarShape),
}

impl PartShape {
    /// Whether it fills a half-space or half-plane.
    pub fn is_unbounded(&self) -> bool {
        matches!(self, Self::Solid(Solid::HalfSpace(_)) | Self::Planar(PlanarShape::HalfPlane(_)))
    }

    /// Whether its surface is curved somewhere.
    pub fn is_round(&self) -> bool {
        let flat = match self {
            Self::Solid(solid) => solid.polytope().is_some(),
            Self::Planar(shape) => shape.polygon().is_some(),
        };
        !flat && !self.is_unbounded()
    }

    /// Radius of a ball or disc inside of it; infinite for a half-space.
    pub fn inner_radius(&self) -> f64 {
        match self {
            Self::Solid(solid) => solid.inner_radius(),
            Self::Planar(planar) => planar.inner_radius(),
        }
    }

    /// Whether it lies in the plane.
    pub fn is_planar(&self) -> bool {
        matches!(self, Self::Planar(_))
    }
}

/// A convex part of a body.
#[derive(Clone, Debug)]
pub struct Part {
    /// Place of its body in the list of all bodies.
    pub body: usize,
    /// Slot of its body, if forces move it.
    pub slot: Option<usize>,
    /// Prescribed motion of its body, if any.
    pub motion: Option<Arc<Motion>>,
    /// Its place among the parts of the body.
    pub index: usize,
    /// Its shape.
    pub shape: PartShape,
    /// Its frame in the body's principal frame, or in the world if the body is fixed (as placed by its author, if it is driven).
    pub offset: Pose,
    /// Its reference point in the same frame.
    pub reference: Vec3,
    /// Radius of a ball about the reference point that holds it (infinite for a half-space).
    pub radius: f64,
    /// Distance of its farthest point from the centre of mass, m; no point of it moves faster than `|v| + |ω| reach`.
    pub reach: f64,
}

/// Pose of a part in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartPose {
    /// Its own frame.
    pub frame: Pose,
    /// Its reference point.
    pub reference: Vec3,
}

impl Part {
    /// A part of a body; `offset` as in [`Part::offset`].
    pub fn new(body: usize, slot: Option<usize>, index: usize, shape: PartShape, offset: Pose) -> Self {
        let (reference, radius) = match &shape {
            PartShape::Solid(solid) => (solid.reference(), solid.outer_radius()),
            PartShape::Planar(planar) => {
                let r = planar.reference();
                (Vec3::new(r.x, r.y, 0.0), planar.outer_radius())
            }
        };
        let reference = offset.point(&reference);
        let reach = farthest(&shape, &offset).unwrap_or(reference.norm() + radius);
        Self { body, slot, motion: None, index, shape, offset, reference, radius, reach }
    }

    /// Whether it moves.
    pub fn moves(&self) -> bool {
        self.slot.is_some() || self.motion.is_some()
    }

    /// Its pose when its body's principal frame is at `pose`.
    pub fn part_pose(&self, pose: &Pose) -> PartPose {
        PartPose { frame: pose.then(&self.offset), reference: pose.point(&self.reference) }
    }

    /// Box around it when its body's principal frame is at `pose`. Parts in the plane reach a radius across it.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        self.bounds_at(&self.part_pose(pose))
    }

    /// Bounding box in the world.
    pub fn bounds_at(&self, pose: &PartPose) -> Aabb {
        match &self.shape {
            PartShape::Solid(solid) => solid.bounds(&pose.frame),
            PartShape::Planar(_) if self.radius.is_finite() => {
                Aabb::new(pose.reference, pose.reference).grown(self.radius)
            }
            PartShape::Planar(_) => Aabb::everything(),
        }
    }

    /// The point farthest along a world direction, when the body's principal frame is at `pose`; `None` for a
    /// half-space. Parts in the plane take the direction's component in it.
    pub fn support(&self, pose: &Pose, direction: &Vec3) -> Option<Vec3> {
        let at = pose.then(&self.offset);
        let own = at.inverse_direction(direction);
        let point = match &self.shape {
            PartShape::Solid(solid) => solid.support(&own)?,
            PartShape::Planar(planar) => {
                let point = planar.support(&own.xy())?;
                Vec3::new(point.x, point.y, 0.0)
            }
        };
        Some(at.point(&point))
    }

    /// Height of a point over the plane of a half-space whose body is at `pose`; `None` for bounded parts.
    pub fn height(&self, pose: &Pose, point: &Vec3) -> Option<f64> {
        let (normal, offset) = match &self.shape {
            PartShape::Solid(Solid::HalfSpace(half)) => (half.normal(), half.offset()),
            PartShape::Planar(PlanarShape::HalfPlane(half)) => {
                let normal = half.normal();
                (Vec3::new(normal.x, normal.y, 0.0), half.offset())
            }
            _ => return None,
        };
        let own = self.offset.inverse_point(&pose.inverse_point(point));
        Some(normal.dot(&own) - offset)
    }
}

/// Distance of the farthest vertex from the origin of the body frame, for shapes that have vertices.
fn farthest(shape: &PartShape, offset: &Pose) -> Option<f64> {
    let longest =
        |points: &mut dyn Iterator<Item = Vec3>| points.map(|p| offset.point(&p).norm()).fold(0.0, f64::max);
    match shape {
        PartShape::Solid(solid) => solid.polytope().map(|p| longest(&mut p.vertices().iter().copied())),
        PartShape::Planar(planar) => {
            planar.polygon().map(|p| longest(&mut p.vertices().iter().map(|v| Vec3::new(v.x, v.y, 0.0))))
        }
    }
}

/// The plane of planar parts: a frame whose x and y axes span it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
    pub point: Vec3,
    pub axes: Mat3,
}

impl Default for Plane {
    fn default() -> Self {
        Self { point: Vec3::zeros(), axes: Mat3::identity() }
    }
}

impl Plane {
    /// A placement in space as one in the plane.
    pub fn lowered(&self, pose: &Pose) -> PlanarPose {
        let at = self.axes.tr_mul(&(pose.position - self.point));
        let turned = self.axes.tr_mul(pose.rotation.matrix());
        let angle = (turned[(1, 0)] - turned[(0, 1)]).atan2(turned[(0, 0)] + turned[(1, 1)]);
        PlanarPose { rotation: Rotation2::new(angle), position: at.xy() }
    }

    /// A direction of the plane in space.
    pub fn direction(&self, v: &percussion_geometry::Vec2) -> Vec3 {
        self.axes * Vec3::new(v.x, v.y, 0.0)
    }

    /// A point of the plane in space.
    pub fn raised(&self, v: &percussion_geometry::Vec2) -> Vec3 {
        self.point + self.direction(v)
    }
}

/// A planar placement as one in space, in the plane's own axes.
pub(super) fn lifted(pose: &PlanarPose) -> Pose {
    let (sin, cos) = (pose.rotation.matrix()[(1, 0)], pose.rotation.matrix()[(0, 0)]);
    let turn = Mat3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
    Pose::new(Rotation3::from_matrix_unchecked(turn), Vec3::new(pose.position.x, pose.position.y, 0.0))
}
