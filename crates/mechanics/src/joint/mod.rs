//! Joints: the motion that a child body has relative to its parent, or to the world.
//!
//! A joint has a frame on the parent and a frame on the child; its kind defines the motion of the child's frame in
//! the parent's: turned by `R_J` and shifted by `t_J`, both in the parent's axes.
//!
//! | kind | `R_J` | `t_J` | degrees of freedom | coordinates kept |
//! |---|---|---|---|---|
//! | fixed | 1 | 0 | 0 | |
//! | revolute | about z | 0 | 1 | angle |
//! | prismatic | 1 | along z | 1 | travel |
//! | cylindrical | about z | along z | 2 | angle, travel |
//! | universal | about x, then y | 0 | 2 | two angles |
//! | spherical | any | 0 | 3 | |
//! | planar | about z | in x, y | 3 | x, y, angle |
//! | free | any | any | 6 | |
//! | rod | any | of fixed length | 5 | |
//!
//! Angles and travels are kept as numbers, so a wheel may turn many times and an axis never wears out by
//! rounding; the others are read off the bodies. A particle has no orientation of its own: free leaves it 3 degrees of freedom, rod
//! and planar 2, prismatic 1. Its axes, which weigh nothing, follow its parent, so that its children is
//! carried as twists are carried.
//!
//! [`motion_subspace`] gives the null-space columns `P`, [`increment`] the reparametrisation `F_d`, [`constraint`] the
//! constraints `g` with their Jacobian `G`, [`coordinate`] coordinates read off the bodies; they are written apart and tested against each other. Rates are relative:
//! `ω_child = ω_parent + ...`. [Johnson 3.25-3.33] with the slips of the absolute rates removed.

pub mod constraint;
pub mod coordinate;
pub mod increment;
pub mod motion_subspace;
pub mod motion_subspace_derivative;

pub use constraint::{LinearForm, Row, RowValue};
pub use coordinate::CoordinateRow;
pub use increment::{Displacement, JointIncrement};

use crate::rotation::Mat3;
use percussion_geometry::{Pose, Vec3};

/// Kind of a joint: the motion of the child that it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// Turn about z.
    Revolute,
    /// Slide along z.
    Prismatic,
    /// Turn about z and slide along it.
    Cylindrical,
    /// Turn about the parent's x and the child's y.
    Universal,
    /// Turn about a point.
    Spherical,
    /// Slide in x and y, turn about z.
    Planar,
    /// Anything.
    Free,
    /// Anything that keeps the distance of two points.
    Rod,
}

/// All kinds, in the order of the table.
pub const ALL_KINDS: [JointKind; 9] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Universal,
    JointKind::Spherical,
    JointKind::Planar,
    JointKind::Free,
    JointKind::Rod,
];

impl JointKind {
    /// The word for it in scene files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Spherical => "spherical",
            Self::Planar => "planar",
            Self::Free => "free",
            Self::Rod => "rod",
        }
    }

    /// Degrees of freedom it leaves to a rigid child, or to a particle.
    pub fn dofs(self, particle: bool) -> usize {
        match (self, particle) {
            (Self::Fixed, _) => 0,
            (Self::Revolute | Self::Prismatic, _) => 1,
            (Self::Cylindrical | Self::Universal, _) => 2,
            (Self::Planar, true) | (Self::Rod, true) => 2,
            (Self::Spherical | Self::Planar, _) | (Self::Free, true) => 3,
            (Self::Rod, false) => 5,
            (Self::Free, false) => 6,
        }
    }

    /// Whether a particle can be its child: kinds that constrain the orientation of the child do not apply.
    pub fn suits_particle(self) -> bool {
        matches!(self, Self::Prismatic | Self::Planar | Self::Free | Self::Rod)
    }

    /// Numbers kept as joint coordinates.
    pub fn coordinates(self, particle: bool) -> usize {
        match self {
            Self::Revolute | Self::Prismatic => 1,
            Self::Cylindrical | Self::Universal => 2,
            Self::Planar if particle => 2,
            Self::Planar => 3,
            Self::Fixed | Self::Spherical | Self::Free | Self::Rod => 0,
        }
    }

    /// Whether coordinate `i` is an angle (else a length).
    pub fn is_angle(self, i: usize) -> bool {
        match self {
            Self::Revolute | Self::Universal => true,
            Self::Cylindrical => i == 0,
            Self::Planar => i == 2,
            _ => false,
        }
    }
}

/// A frame on a body: a point and axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Origin.
    pub point: Vec3,
    /// Axes as columns.
    pub axes: Mat3,
}

impl Frame {
    /// A frame from a placement.
    pub fn of(pose: &Pose) -> Self {
        Self { point: pose.position, axes: *pose.rotation.matrix() }
    }

    /// The frame in the world, for a body at `position` with axes `rotation`.
    pub fn on(&self, position: &Vec3, rotation: &Mat3) -> Frame {
        Frame { point: position + rotation * self.point, axes: rotation * self.axes }
    }
}

/// Stops of a joint coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Smallest value, rad or m.
    pub lower: f64,
    /// Largest value, rad or m.
    pub upper: f64,
    /// Coefficient of restitution of the stops, from 0 to 1.
    pub restitution: f64,
}

/// A joint between a parent (or the world) and a child.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name in the scene.
    pub name: String,
    /// Kind: the motion of the child that it allows.
    pub kind: JointKind,
    /// Frame on the parent's principal frame, or in the world.
    pub parent_frame: Frame,
    /// Frame on the child's principal frame.
    pub child_frame: Frame,
    /// Length of a rod, m.
    pub length: f64,
    /// Whether the child is a particle.
    pub particle: bool,
    /// Stops of the coordinates, in their order.
    pub limits: [Option<Limits>; 3],
}

impl Limits {
    /// Stops without restitution.
    pub fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper, restitution: 0.0 }
    }
}

impl Joint {
    /// Degrees of freedom it leaves.
    pub fn dofs(&self) -> usize {
        self.kind.dofs(self.particle)
    }

    /// Numbers kept as joint coordinates.
    pub fn coordinates(&self) -> usize {
        self.kind.coordinates(self.particle)
    }
}

/// A joint at an instant: the parent's frame in the world and the child's shift in its axes.
#[derive(Clone, Copy, Debug)]
pub struct JointFrame {
    /// The parent-side frame in the world.
    pub parent: Frame,
    /// `t_J`: the child-side origin in the parent-side frame.
    pub shift: Vec3,
    /// `R_J`: the child-side axes in the parent-side frame.
    pub rotation: Mat3,
    /// The first joint coordinate (the universal joint's second axis depends on it).
    pub first: f64,
}

impl Joint {
    /// The parent-side frame in the world, for a placement of the parent (`None`: the world).
    pub(crate) fn parent_frame_on(&self, parent: Option<(&Vec3, &Mat3)>) -> Frame {
        parent.map_or(self.parent_frame, |(position, rotation)| self.parent_frame.on(position, rotation))
    }

    /// The frame of the joint, from the poses of parent (`None`: the world) and child.
    pub fn frame(
        &self,
        parent: Option<(&Vec3, &Mat3)>,
        child: (&Vec3, &Mat3),
        coordinates: &[f64],
    ) -> JointFrame {
        let frame = self.parent_frame_on(parent);
        let other = self.child_frame.on(child.0, child.1);
        let down = frame.axes.transpose();
        JointFrame {
            parent: frame,
            shift: down * (other.point - frame.point),
            rotation: down * other.axes,
            first: coordinates.first().copied().unwrap_or(0.0),
        }
    }
}
