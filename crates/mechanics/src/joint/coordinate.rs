//! Coordinates of a joint between two placed bodies, and their rates as linear forms on the twists of both: the wrenches of a unit force
//! or torque along a coordinate.
//!
//! ```text
//! angle    about the joint's axis a:   rate = a·(ω_c - ω_p)              wrench on the child (0, a), on the parent its opposite
//! travel   w·Δ along a parent-side w:  the constraint row `slide`
//! ```
//!
//! A force along a coordinate is equal and opposite on both bodies. Angles are the nearest ones to those before: they count turns.

use super::{Frame, Joint, JointFrame, JointKind, Row};
use crate::rotation::Mat3;
use crate::spatial::{Vec6, twist};
use percussion_geometry::Vec3;
use std::f64::consts::TAU;

/// The largest number of coordinates of a joint.
pub const MAX_COORDINATES: usize = 3;

/// Rate of a coordinate as a linear form on the twists of both bodies.
#[derive(Clone, Copy, Debug)]
pub struct CoordinateRow {
    /// On the twist of the child.
    pub child: Vec6,
    /// On the twist of the parent; meaningless for the world.
    pub parent: Vec6,
}

impl Joint {
    /// The coordinates at the frame of the joint; angles within half a turn.
    pub fn read_coordinates(&self, frame: &JointFrame) -> ([f64; MAX_COORDINATES], usize) {
        let (r, shift) = (&frame.rotation, &frame.shift);
        let about_z = || r[(1, 0)].atan2(r[(0, 0)]);
        let found = match self.kind {
            JointKind::Revolute => [about_z(), 0.0, 0.0],
            JointKind::Prismatic => [shift.z, 0.0, 0.0],
            JointKind::Cylindrical => [about_z(), shift.z, 0.0],
            // R_J = R_x(a) R_y(b): its second column is (0, cos a, sin a), its first row (cos b, 0, sin b).
            JointKind::Universal => [r[(2, 1)].atan2(r[(1, 1)]), r[(0, 2)].atan2(r[(0, 0)]), 0.0],
            JointKind::Planar if self.particle => [shift.x, shift.y, 0.0],
            JointKind::Planar => [shift.x, shift.y, about_z()],
            JointKind::Fixed | JointKind::Spherical | JointKind::Free | JointKind::Rod => [0.0; 3],
        };
        (found, self.coordinates())
    }

    /// Updates coordinates from the placements of both bodies: of each angle, the value nearest to the one before.
    pub fn follow_coordinates(&self, parent: Option<(&Vec3, &Mat3)>, child: (&Vec3, &Mat3), own: &mut [f64]) {
        let (found, count) = self.read_coordinates(&self.frame(parent, child, &[]));
        for (i, (own, value)) in own.iter_mut().zip(found).take(count).enumerate() {
            let turns = if self.kind.is_angle(i) { ((*own - value) / TAU).round() } else { 0.0 };
            *own = value + turns * TAU;
        }
    }

    /// The rate of the `i`-th coordinate.
    pub fn coordinate_row(
        &self,
        i: usize,
        parent: Option<(&Vec3, &Mat3)>,
        child: (&Vec3, &Mat3),
    ) -> CoordinateRow {
        let slide = |axis: usize| {
            let row = self.row(Row::Slide(axis), parent, child);
            CoordinateRow {
                child: row.child.on_twists(child.1),
                parent: parent.map_or_else(Vec6::zeros, |(_, r)| row.parent.on_twists(r)),
            }
        };
        let turn = |axis: Vec3| CoordinateRow {
            child: twist(&Vec3::zeros(), &axis),
            parent: twist(&Vec3::zeros(), &-axis),
        };
        let above: Frame = self.parent_frame_on(parent);
        let parent_axis = |k: usize| above.axes.column(k).into_owned();
        match (self.kind, i) {
            (JointKind::Prismatic, _) | (JointKind::Cylindrical, 1) => slide(2),
            (JointKind::Planar, 0 | 1) => slide(i),
            (JointKind::Universal, 0) => turn(parent_axis(0)),
            (JointKind::Universal, _) => turn(child.1 * self.child_frame.axes.column(1)),
            _ => turn(parent_axis(2)),
        }
    }
}
