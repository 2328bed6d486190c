//! A contact constraint at a node: the directions of its impulses, and the laws that determine them.

use super::feature::SeparatingFeature;
use percussion_geometry::Vec3;

/// Directions of the impulses between two bodies.
#[derive(Clone, Debug)]
pub enum ImpulseDirections {
    /// The normal of features in contact, at their points.
    Normal(SeparatingFeature),
    /// The normal and two tangents.
    Contact(SeparatingFeature),
    /// The normal and two tangents of a foothold, which are axes of the world where the normal is one.
    Foothold(SeparatingFeature),
    /// A torque about the normal.
    Torsion(SeparatingFeature),
    /// Three axes of the world at two points of the bodies, in their principal frames.
    Point(Vec3, Vec3),
    /// The same, and three axes of torques.
    Rigid(Vec3, Vec3),
}

impl ImpulseDirections {
    /// Their number.
    pub fn count(&self) -> usize {
        match self {
            Self::Normal(_) | Self::Torsion(_) => 1,
            Self::Contact(_) | Self::Foothold(_) | Self::Point(..) => 3,
            Self::Rigid(..) => 6,
        }
    }

    /// Whether the first one is a normal.
    pub fn has_normal(&self) -> bool {
        matches!(self, Self::Normal(_) | Self::Contact(_) | Self::Foothold(_))
    }
}

/// The law that determines impulses along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImpulseLaw {
    /// None: constraints on configurations determine them.
    None,
    /// Newton's restitution with a coefficient.
    Restitution(f64),
    /// The velocity after the impulse is zero.
    Stop,
    /// The two tangential directions slide against Coulomb's friction; the first impulse of the constraint is the normal one.
    Slide(f64),
    /// The two tangential directions stick within the friction cone: one more row, `μ² Λn² - Λt² ≥ 0`.
    Stick(f64),
}

impl ImpulseLaw {
    /// Whether it is nonlinear in velocities or impulses.
    pub fn is_cone(&self) -> bool {
        matches!(self, Self::Slide(_) | Self::Stick(_))
    }
}

/// A contact constraint between two parts at a node.
#[derive(Clone, Debug)]
pub struct ContactConstraint {
    /// The parts.
    pub(crate) pair: (usize, usize),
    /// Directions of the impulses.
    pub(crate) directions: ImpulseDirections,
    /// Law along the first direction (of a joint: along all).
    pub(crate) normal: ImpulseLaw,
    /// Law along the tangents.
    pub(crate) tangential: ImpulseLaw,
}

impl ContactConstraint {
    /// Number of rows of its laws.
    pub fn law_rows(&self) -> usize {
        let first = match (self.normal, &self.directions) {
            (ImpulseLaw::None, _) => 0,
            (_, directions) if directions.has_normal() => 1,
            (_, joint) => joint.count(),
        };
        let tangential = match self.tangential {
            ImpulseLaw::Stop | ImpulseLaw::Slide(_) => 2,
            ImpulseLaw::Stick(_) => 3,
            _ => 0,
        };
        first + tangential
    }
}

/// Two tangents of a normal, the first in the plane of the normal and an axis of the world: in a mechanism that moves in such a plane the
/// other one has no effect, and the friction pyramid is exact.
pub(crate) fn world_aligned_tangents(normal: &Vec3) -> (Vec3, Vec3) {
    // Of three axes one at least is further from any direction than this.
    let axis = if normal.x.abs() < 0.8 { Vec3::x() } else { Vec3::y() };
    let first = (axis - normal * normal.dot(&axis)).normalize();
    (first, normal.cross(&first))
}

/// The derivative of [`world_aligned_tangents`] by the normal, along `d`.
pub(crate) fn world_aligned_tangents_derivative(normal: &Vec3, d: &Vec3) -> (Vec3, Vec3) {
    let axis = if normal.x.abs() < 0.8 { Vec3::x() } else { Vec3::y() };
    let across = axis - normal * normal.dot(&axis);
    let (length, first) = (across.norm(), across.normalize());
    let derivative = -(d * normal.dot(&axis) + normal * d.dot(&axis));
    let change = (derivative - first * first.dot(&derivative)) / length;
    (change, d.cross(&first) + normal.cross(&change))
}
