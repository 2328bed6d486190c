//! Joints as constraints: `g = 0` on the placements of both bodies, and its Jacobian.
//!
//! Every row is a product of two vectors that depend linearly on the placements (position and directors), so it
//! means something for averaged directors too and its derivative is exact [Johnson 3.21, 3.25, 3.29]. With `Δ` from
//! the parent-side to the child-side point, `w_k` and `c_l` the axes on parent and child:
//!
//! ```text
//! point      e_k·Δ = 0           slide    w_k·Δ = 0
//! direction  w_k·c_l = 0         rod      (Δ·Δ - L²)/(2L) = 0
//! ```

use super::{Frame, Joint, JointKind};
use crate::rotation::{Mat3, moment_of};
use percussion_geometry::Vec3;

/// A scalar equation between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row {
    /// Component `k` (world) of `Δ`.
    Point(usize),
    /// Component of `Δ` along the parent's axis `k`.
    Slide(usize),
    /// The parent's axis `k` and the child's axis `l` are perpendicular.
    Direction(usize, usize),
    /// `Δ` keeps its length.
    Length,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let axis = |k: &usize| ["x", "y", "z"][*k];
        match self {
            Self::Point(k) => write!(f, "the {} distance of its points", axis(k)),
            Self::Slide(k) => write!(f, "the distance along the parent-side {}", axis(k)),
            Self::Direction(k, l) => {
                let (k, l) = (axis(k), axis(l));
                write!(f, "the right angle between the parent-side {k} and the child-side {l}")
            }
            Self::Length => write!(f, "its length"),
        }
    }
}

/// A linear form on the displacement of one body's position and directors: `force·δφ + moment : δR`.
#[derive(Clone, Copy, Debug)]
pub struct LinearForm {
    /// Coefficient of the position.
    pub force: Vec3,
    /// Coefficients of the directors, as columns.
    pub moment: Mat3,
}

impl LinearForm {
    /// Nothing.
    pub fn zero() -> Self {
        Self { force: Vec3::zeros(), moment: Mat3::zeros() }
    }

    /// The same form on twists of a body with orientation `r`: `(force, torque)`.
    pub fn on_twists(&self, r: &Mat3) -> crate::spatial::Vec6 {
        crate::spatial::twist(&self.force, &moment_of(r, &self.moment))
    }
}

/// Value and derivative of one row.
#[derive(Clone, Copy, Debug)]
pub struct RowValue {
    /// `g`.
    pub value: f64,
    /// Derivative with respect to the parent.
    pub parent: LinearForm,
    /// Derivative with respect to the child.
    pub child: LinearForm,
}

impl Joint {
    /// The rows of the joint between rigid bodies (or a particle child).
    pub fn rows(&self) -> &'static [Row] {
        use Row::{Direction as D, Length as L, Point as P, Slide as S};
        match (self.kind, self.particle) {
            (JointKind::Fixed, false) => &[P(0), P(1), P(2), D(0, 1), D(1, 2), D(2, 0)],
            (JointKind::Revolute, false) => &[P(0), P(1), P(2), D(2, 0), D(2, 1)],
            (JointKind::Prismatic, false) => &[S(0), S(1), D(0, 1), D(1, 2), D(2, 0)],
            (JointKind::Cylindrical, false) => &[S(0), S(1), D(2, 0), D(2, 1)],
            (JointKind::Universal, false) => &[P(0), P(1), P(2), D(0, 1)],
            (JointKind::Planar, false) => &[S(2), D(2, 0), D(2, 1)],
            (JointKind::Prismatic | JointKind::Cylindrical, true) => &[S(0), S(1)],
            (JointKind::Planar, true) => &[S(2)],
            (JointKind::Fixed | JointKind::Revolute | JointKind::Universal, true)
            | (JointKind::Spherical, _) => &[P(0), P(1), P(2)],
            (JointKind::Free, _) => &[],
            (JointKind::Rod, _) => &[L],
        }
    }

    /// One row at given placements of parent (None: the world) and child: positions and directors, not necessarily
    /// orthonormal.
    pub fn row(&self, row: Row, parent: Option<(&Vec3, &Mat3)>, child: (&Vec3, &Mat3)) -> RowValue {
        let (here, parent_frame) = match parent {
            Some((position, rotation)) => (self.parent_frame.on(position, rotation), self.parent_frame),
            // The world has no placement to vary: its form is computed and ignored.
            None => (self.parent_frame, Frame { point: Vec3::zeros(), axes: self.parent_frame.axes }),
        };
        let there = self.child_frame.on(child.0, child.1);
        let gap = there.point - here.point;
        // The form of `y·Δ` for constant y.
        let along = |y: &Vec3| {
            (
                LinearForm { force: -y, moment: -y * parent_frame.point.transpose() },
                LinearForm { force: *y, moment: y * self.child_frame.point.transpose() },
            )
        };
        match row {
            Row::Point(k) => {
                let (parent, child) = along(&Vec3::ith(k, 1.0));
                RowValue { value: gap[k], parent, child }
            }
            Row::Slide(k) => {
                let axis = here.axes.column(k).into_owned();
                let (mut parent, child) = along(&axis);
                parent.moment += gap * parent_frame.axes.column(k).transpose();
                RowValue { value: axis.dot(&gap), parent, child }
            }
            Row::Direction(k, l) => {
                let (w, c) = (here.axes.column(k).into_owned(), there.axes.column(l).into_owned());
                let turning = |moment| LinearForm { force: Vec3::zeros(), moment };
                RowValue {
                    value: w.dot(&c),
                    parent: turning(c * parent_frame.axes.column(k).transpose()),
                    child: turning(w * self.child_frame.axes.column(l).transpose()),
                }
            }
            Row::Length => {
                let (parent, child) = along(&(gap / self.length));
                let value = (gap.norm_squared() - self.length * self.length) / (2.0 * self.length);
                RowValue { value, parent, child }
            }
        }
    }
}
