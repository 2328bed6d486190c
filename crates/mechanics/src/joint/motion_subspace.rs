//! The null-space columns of a joint: twists of the child that unit rates of its degrees of freedom cause.
//!
//! A twist is `(v, ω)`: the velocity of the centre of mass and the angular velocity, world axes. The child's
//! twist is `X(r) t_parent + S ν` with `r` from the parent's centre of mass to the child's; stacked over the tree this
//! is `P_ext` [Johnson A.8, derived from the tree].

use super::{Joint, JointFrame, JointKind};
use crate::rotation::{Mat3, tangents};
use crate::spatial::{Mat6, Vec6, twist};
use percussion_geometry::Vec3;

impl Joint {
    /// Columns `S`, one for each degree of freedom (the others are zero), at `stand`, for a child whose centre of mass is at
    /// `centre`.
    pub fn motion(&self, stand: &JointFrame, centre: &Vec3) -> Mat6 {
        let w = &stand.frame.axes;
        let mut s = Mat6::zeros();
        let mut next = 0;
        let mut push = |column: Vec6| {
            s.set_column(next, &column);
            next += 1;
        };
        // The child-side origin: a turning child turns about it.
        let hinge = stand.frame.point + w * stand.shift;
        let arm = centre - hinge;
        let slide = |axis: Vec3| twist(&axis, &Vec3::zeros());
        let turn = |axis: Vec3| twist(&axis.cross(&arm), &axis);
        let axis = |w: &Mat3, k: usize| w.column(k).into_owned();
        match self.kind {
            JointKind::Fixed => {}
            JointKind::Revolute => push(turn(axis(w, 2))),
            JointKind::Prismatic => push(slide(axis(w, 2))),
            JointKind::Cylindrical => {
                push(turn(axis(w, 2)));
                push(slide(axis(w, 2)));
            }
            JointKind::Universal => {
                let (sin, cos) = stand.first.sin_cos();
                push(turn(axis(w, 0)));
                push(turn(axis(w, 1) * cos + axis(w, 2) * sin));
            }
            JointKind::Spherical => (0..3).for_each(|k| push(turn(axis(w, k)))),
            JointKind::Planar => {
                push(slide(axis(w, 0)));
                push(slide(axis(w, 1)));
                if !self.particle {
                    push(turn(axis(w, 2)));
                }
            }
            JointKind::Free => {
                (0..3).for_each(|k| push(slide(axis(w, k))));
                if !self.particle {
                    (0..3).for_each(|k| push(turn(axis(w, k))));
                }
            }
            JointKind::Rod => {
                let (e1, e2) = tangents(&stand.shift.normalize());
                for e in [e1, e2] {
                    push(slide(w * e.cross(&stand.shift)));
                }
                if !self.particle {
                    (0..3).for_each(|k| push(turn(axis(w, k))));
                }
            }
        }
        s
    }
}
