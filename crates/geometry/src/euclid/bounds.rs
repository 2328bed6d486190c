//! Bounds, normal and witness points as the searches pass them on, in the frame of body a, in the plane and in space.

use nalgebra::SVector;

use super::EuclideanIn;

/// Index of a support point on a curved surface, which has no number.
pub(super) const CURVED: u32 = u32::MAX;

/// A point of `K1 - K2` and the two points it is the difference of.
#[derive(Clone, Copy, Debug)]
pub(super) struct SupportPoint<const D: usize = 3> {
    pub(super) w: SVector<f64, D>,
    pub(super) x: SVector<f64, D>,
    pub(super) z: SVector<f64, D>,
    pub(super) index: [u32; 2],
}

impl<const D: usize> SupportPoint<D> {
    /// Whether both are the same pair of numbered vertices.
    pub(super) fn same(&self, other: &Self) -> bool {
        if self.index[0] == CURVED || self.index[1] == CURVED {
            return self.w == other.w;
        }
        self.index == other.index
    }
}

/// Bounds of (2.28) for the cores, the normal that gives the lower one, and witness points.
#[derive(Clone, Copy, Debug)]
pub(super) struct DistanceBounds<const D: usize = 3> {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Unit normal from b to a, body a's axes.
    pub(super) normal: SVector<f64, D>,
    pub(super) x: SVector<f64, D>,
    pub(super) z: SVector<f64, D>,
    pub(super) evaluations: u32,
}

impl<const D: usize> DistanceBounds<D> {
    /// Adds the radii. The answer is still in the frame of body a.
    pub(super) fn grown(&self, [r_a, r_b]: [f64; 2]) -> EuclideanIn<D> {
        // Apart, the pair of points is the answer; overlapping, the plane is.
        let core = if self.lower >= 0.0 { self.upper } else { self.lower };
        let error = (self.normal * core - (self.x - self.z)) * 0.5;
        EuclideanIn {
            distance: core - r_a - r_b,
            normal: self.normal,
            point_a: self.x + error - self.normal * r_a,
            point_b: self.z - error + self.normal * r_b,
            // Rounding may have let the bounds pass each other by a few units in the last place.
            lower: self.lower.min(core) - r_a - r_b,
            upper: self.upper.max(core) - r_a - r_b,
            iterations: self.evaluations,
        }
    }
}

/// Where the origin lies with respect to `K1 - K2`.
pub(super) enum Nearest<const D: usize = 3> {
    /// Outside: the bounds of the distance.
    Apart(DistanceBounds<D>),
    /// On the boundary to rounding. `upper` is the length of the shortest difference found.
    Touching(DistanceBounds<D>),
    /// Strictly inside.
    Overlapping(DistanceBounds<D>),
}
