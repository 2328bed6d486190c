//! Rigid motions between two placements: one point of the body goes straight, the body turns about it at a
//! constant rate about a constant axis.

use nalgebra::{Matrix3, Rotation, Rotation2, Rotation3, SVector, UnitQuaternion};

use crate::{PlanarPose, Pose, PoseIn, Vec3};

/// The motion of a body from one placement to another.
///
/// The *pivot*, a point of the body, goes from its first to its last place on a straight line, and the
/// rotation goes the shorter way about a fixed axis, both at constant rates. A body that may turn further
/// than that, or otherwise, says how far at most ([`turning`](Self::turning)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepIn<const D: usize> {
    pub(super) start: PoseIn<D>,
    pub(super) end: PoseIn<D>,
    /// Body frame.
    pub(super) pivot: SVector<f64, D>,
    /// World frame, a unit vector; anything if the angle is zero.
    pub(super) axis: Vec3,
    /// From 0 to π; in the plane from -π to π.
    pub(super) angle: f64,
    pub(super) turning: Option<f64>,
}

/// The motion of a body in space.
pub type Sweep = SweepIn<3>;
/// The motion of a body in the plane.
pub type PlanarSweep = SweepIn<2>;

impl Sweep {
    /// The motion from `start` to `end` about the body frame's origin.
    pub fn new(start: &Pose, end: &Pose) -> Self {
        // By way of a quaternion: the off-diagonal entries alone do not give the axis of a half turn.
        let turn = UnitQuaternion::from_rotation_matrix(&(end.rotation * start.rotation.inverse()));
        let (axis, angle) = turn.axis_angle().map_or((Vec3::z(), 0.0), |(a, angle)| (a.into_inner(), angle));
        Self { start: *start, end: *end, pivot: Vec3::zeros(), axis, angle, turning: None }
    }
}

impl PlanarSweep {
    /// The motion from `start` to `end` about the body frame's origin.
    pub fn new(start: &PlanarPose, end: &PlanarPose) -> Self {
        let angle = (end.rotation * start.rotation.inverse()).angle();
        Self { start: *start, end: *end, pivot: SVector::zeros(), axis: Vec3::z(), angle, turning: None }
    }
}

impl<const D: usize> SweepIn<D> {
    /// The same with another point of the body (body frame) on the straight line: its centre of mass, mostly.
    pub fn about(self, pivot: SVector<f64, D>) -> Self {
        Self { pivot, ..self }
    }

    /// Only known: the pivot is somewhere on its line, and the body turns through no more than `bound` radians
    /// in all on its way from the first orientation to the last, about whatever axes, at whatever rates. For
    /// bodies that spin by more than half a turn, or tumble. A bound that is not a number bounds nothing.
    pub fn turning(self, bound: f64) -> Self {
        Self { turning: Some(if bound.is_nan() { f64::INFINITY } else { bound }), ..self }
    }

    /// The angle between the orientations, from 0 to π; in the plane from -π to π.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// The placement at a fraction of the way, from 0 to 1.
    pub fn at(&self, fraction: f64) -> PoseIn<D> {
        self.turned(fraction, fraction * self.angle)
    }

    /// At a fraction of the way, turned by an angle.
    pub(super) fn turned(&self, fraction: f64, angle: f64) -> PoseIn<D> {
        if fraction <= 0.0 {
            return self.start;
        }
        if fraction >= 1.0 {
            return self.end;
        }
        let turn: Matrix3<f64> = match D {
            2 => Rotation2::new(angle).to_homogeneous(),
            _ => Rotation3::new(self.axis * angle).into_inner(),
        };
        let turn = Rotation::from_matrix_unchecked(turn.fixed_view::<D, D>(0, 0).into_owned());
        let rotation = turn * self.start.rotation;
        let [from, to] = self.line();
        PoseIn { rotation, position: from.lerp(&to, fraction) - rotation * self.pivot }
    }

    /// Whether every number is finite.
    pub(super) fn is_finite(&self) -> bool {
        self.start.is_finite() && self.end.is_finite() && self.pivot.iter().all(|c| c.is_finite())
    }

    /// First and last place of the pivot.
    pub(super) fn line(&self) -> [SVector<f64, D>; 2] {
        [self.start.point(&self.pivot), self.end.point(&self.pivot)]
    }

    /// The motion of a part placed at `place` in the body.
    pub(super) fn of_part(&self, place: &PoseIn<D>) -> Self {
        Self {
            start: self.start.then(place),
            end: self.end.then(place),
            pivot: place.inverse_point(&self.pivot),
            ..*self
        }
    }
}
