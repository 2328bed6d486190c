//! Where body b is, seen from body a.

use super::small::{M, V, dot};
use crate::Pose;
use nalgebra::Rotation3;

/// Placement of b's reference point and axes in a's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativePose {
    /// `R_a^T R_b`.
    pub r: M,
    /// From b's reference point to a's, in a's frame: `t = D β`.
    pub t: V,
}

/// Columns of a rotation: the body axes in world components.
#[inline(always)]
pub(crate) fn columns(rotation: &Rotation3<f64>) -> [V; 3] {
    let s = rotation.matrix().as_slice();
    [[s[0], s[1], s[2]], [s[3], s[4], s[5]], [s[6], s[7], s[8]]]
}

/// World components of a body vector.
#[inline(always)]
pub(crate) fn rotated(columns: &[V; 3], v: &V) -> V {
    let [a, b, c] = columns;
    [
        a[0] * v[0] + b[0] * v[1] + c[0] * v[2],
        a[1] * v[0] + b[1] * v[1] + c[1] * v[2],
        a[2] * v[0] + b[2] * v[1] + c[2] * v[2],
    ]
}

/// Body components of a world vector.
#[inline(always)]
pub(crate) fn inverse_rotated(columns: &[V; 3], v: &V) -> V {
    [dot(&columns[0], v), dot(&columns[1], v), dot(&columns[2], v)]
}

impl RelativePose {
    #[inline(always)]
    pub(crate) fn new(pose_a: &Pose, reference_a: &V, pose_b: &Pose, reference_b: &V) -> Self {
        let mut relative = Self::of_origins(pose_a, pose_b);
        relative.move_to_references(reference_a, reference_b);
        relative
    }

    /// For bodies whose reference points are the origins of their frames.
    #[inline(always)]
    pub(crate) fn of_origins(pose_a: &Pose, pose_b: &Pose) -> Self {
        let (a, b) = (columns(&pose_a.rotation), columns(&pose_b.rotation));
        let p = [
            pose_a.position[0] - pose_b.position[0],
            pose_a.position[1] - pose_b.position[1],
            pose_a.position[2] - pose_b.position[2],
        ];
        Self { r: M(a.map(|row| b.map(|col| dot(&row, &col)))), t: a.map(|row| dot(&row, &p)) }
    }

    /// Moves from the frames' origins to the reference points.
    #[inline]
    pub(crate) fn move_to_references(&mut self, reference_a: &V, reference_b: &V) {
        let c = self.r.times(reference_b);
        self.t = [0, 1, 2].map(|k| self.t[k] + reference_a[k] - c[k]);
    }

    /// Whether every number is finite: one sum, since NaN and infinities stick.
    #[inline(always)]
    pub(crate) fn is_finite(&self) -> bool {
        let M([a, b, c]) = &self.r;
        let sum = |v: &V| v[0] + v[1] + v[2];
        ((sum(a) + sum(b)) + (sum(c) + sum(&self.t))).is_finite()
    }
}
