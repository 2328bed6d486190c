//! Derivatives of the null-space columns along displacements of parent and child.
//!
//! The axes `a` of a joint are carried by the parent; the arm from the child-side origin to the child's centre of mass is
//! carried by the child, and with it the slides of the joint itself. For a displacement that turns the parent by `ω_p`
//! and the child by `ω_c`
//!
//! ```text
//! slide  (a, 0)          (a', 0)                        a' = ω_p × a   plus the terms of the joint's own degrees of freedom:
//! turn   (a × arm, a)    (a' × arm + a × arm', a')      the universal joint's second axis turns with its first angle,
//!                                                       the tangents of a rod follow its direction
//! arm' = ω_c × arm
//! ```

use super::{Joint, JointFrame, JointKind};
use crate::rotation::{tangents, tangents_derivative};
use crate::spatial::{Mat6, Vec6, twist};
use percussion_geometry::Vec3;

impl Joint {
    /// Derivatives of the columns of [`Joint::motion`] along a displacement that turns parent and child by `turning` (world
    /// axes) and moves the joint by `own` in its degrees of freedom.
    pub fn motion_derivative(
        &self,
        frame: &JointFrame,
        centre: &Vec3,
        turning: (&Vec3, &Vec3),
        own: &Vec6,
    ) -> Mat6 {
        let w = &frame.parent.axes;
        let arm = centre - frame.parent.point - w * frame.shift;
        let arm_change = turning.1.cross(&arm);
        let mut s = Mat6::zeros();
        let mut next = 0;
        let mut push = |column: Vec6| {
            s.set_column(next, &column);
            next += 1;
        };
        let slide = |change: Vec3| twist(&change, &Vec3::zeros());
        let turn = |axis: Vec3, change: Vec3| twist(&(change.cross(&arm) + axis.cross(&arm_change)), &change);
        // The parent-side axes and their change.
        let axis = |k: usize| w.column(k).into_owned();
        let carried = |k: usize| turning.0.cross(&axis(k));
        let turn_about = |k: usize| turn(axis(k), carried(k));
        match self.kind {
            JointKind::Fixed => {}
            JointKind::Revolute => push(turn_about(2)),
            JointKind::Prismatic => push(slide(carried(2))),
            JointKind::Cylindrical => {
                push(turn_about(2));
                push(slide(carried(2)));
            }
            JointKind::Universal => {
                let (sin, cos) = frame.first.sin_cos();
                let second = axis(1) * cos + axis(2) * sin;
                let across = axis(2) * cos - axis(1) * sin;
                push(turn_about(0));
                push(turn(second, turning.0.cross(&second) + across * own[0]));
            }
            JointKind::Spherical => (0..3).for_each(|k| push(turn_about(k))),
            JointKind::Planar => {
                push(slide(carried(0)));
                push(slide(carried(1)));
                if !self.particle {
                    push(turn_about(2));
                }
            }
            JointKind::Free => {
                (0..3).for_each(|k| push(slide(carried(k))));
                if !self.particle {
                    (0..3).for_each(|k| push(turn_about(k)));
                }
            }
            JointKind::Rod => {
                let length = frame.shift.norm();
                let direction = frame.shift / length;
                let (e1, e2) = tangents(&direction);
                let swing = (e1 * own[0] + e2 * own[1]).cross(&direction);
                let (d1, d2) = tangents_derivative(&direction, &swing);
                for (e, d) in [(e1, d1), (e2, d2)] {
                    let change = (d.cross(&direction) + e.cross(&swing)) * length;
                    push(slide(turning.0.cross(&(w * e.cross(&frame.shift))) + w * change));
                }
                if !self.particle {
                    (0..3).for_each(|k| push(turn_about(k)));
                }
            }
        }
        s
    }
}
