//! Two convex bodies in the frame of the first, each as a *core* grown by a radius.
//!
//! A ball is a point grown by its radius, a capsule a segment. Growing both bodies by `r1` and `r2` lowers
//! the support gap of *every* unit normal by `r1 + r2`, so (2.28) is solved exactly for the cores and the
//! radii are subtracted, apart or overlapping.
//!
//! Coordinates are those of body a's axes with its reference point as origin: the world positions enter
//! only through the difference of the reference points, so bodies far from the origin lose no accuracy.
//!
//! ```text
//! x ∈ core a,  z = R y + o ∈ core b,  w = x - z ∈ K1 - K2
//! R  rotation from b's axes to a's,   o  b's reference point in a's coordinates
//! ```

use nalgebra::{SMatrix, SVector};

use super::bounds::{CURVED, SupportPoint};
use crate::shapes::{Cone, Cylinder, Ellipsoid, Lanes, Polytope, Solid};
use crate::tolerances::euclid::RETRY;
use crate::{PoseIn, Vec3, tolerances};

/// What is left of a body after its radius is taken off.
#[derive(Clone, Copy)]
pub(super) enum Core<'a> {
    Polytope(&'a Polytope),
    /// The reference point alone.
    Point,
    /// From `-half_length` to `half_length` along z.
    Segment(f64),
    Cylinder(&'a Cylinder),
    Cone(&'a Cone),
    Ellipsoid(&'a Ellipsoid),
}

impl<'a> Core<'a> {
    /// Core and radius; `None` for a half-space.
    pub(super) fn of(solid: &'a Solid) -> Option<(Self, f64)> {
        Some(match solid {
            Solid::Polytope(p) => (Core::Polytope(p), 0.0),
            Solid::Sphere(s) => (Core::Point, s.radius()),
            Solid::Capsule(s) => (Core::Segment(s.half_length()), s.radius()),
            Solid::Cylinder(s) => (Core::Cylinder(s), 0.0),
            Solid::Cone(s) => (Core::Cone(s), 0.0),
            Solid::Ellipsoid(s) if s.semi_axes().max() == s.semi_axes().min() => {
                (Core::Point, s.semi_axes().x)
            }
            Solid::Ellipsoid(s) => (Core::Ellipsoid(s), 0.0),
            Solid::HalfSpace(_) => return None,
        })
    }

    /// Whether the core is invariant under turns about its own z axis.
    pub(super) fn is_round(&self) -> bool {
        match self {
            Core::Polytope(_) => false,
            Core::Point | Core::Segment(_) | Core::Cylinder(_) | Core::Cone(_) => true,
            Core::Ellipsoid(s) => s.semi_axes().x == s.semi_axes().y,
        }
    }
}

/// The core of a body in `D` dimensions.
pub(super) trait CoreIn<const D: usize> {
    /// Furthest point along `direction`, relative to the reference point, and its number.
    fn support(&self, direction: &SVector<f64, D>) -> (SVector<f64, D>, u32);
    /// Whether the core has finitely many corners.
    fn is_polytopal(&self) -> bool;
    /// The reference point, body frame.
    fn reference(&self) -> SVector<f64, D>;
    /// Radius of a ball about the reference point that holds the core.
    fn outer_radius(&self) -> f64;
}

impl CoreIn<3> for Core<'_> {
    #[inline]
    fn support(&self, direction: &Vec3) -> (Vec3, u32) {
        match self {
            Core::Polytope(p) => {
                let index = scan(p.lanes(), direction);
                (Vec3::from(p.lanes().get(index)), index as u32)
            }
            Core::Point => (Vec3::zeros(), 0),
            Core::Segment(half) if direction.z < 0.0 => (Vec3::new(0.0, 0.0, -half), 0),
            Core::Segment(half) => (Vec3::new(0.0, 0.0, *half), 1),
            Core::Cylinder(s) => (s.support(direction), CURVED),
            Core::Cone(s) => (s.support(direction), CURVED),
            Core::Ellipsoid(s) => (s.support(direction), CURVED),
        }
    }

    fn is_polytopal(&self) -> bool {
        matches!(self, Core::Polytope(_) | Core::Point | Core::Segment(_))
    }

    fn reference(&self) -> Vec3 {
        if let Core::Polytope(p) = self { p.reference() } else { Vec3::zeros() }
    }

    fn outer_radius(&self) -> f64 {
        match self {
            Core::Polytope(p) => p.outer_radius(),
            Core::Point => 0.0,
            Core::Segment(half) => *half,
            Core::Cylinder(s) => s.radius().hypot(s.half_height()),
            Core::Cone(s) => s.outer_radius(),
            Core::Ellipsoid(s) => s.semi_axes().max(),
        }
    }
}

/// Index of the vertex furthest along `direction`; of equal ones, one with the smallest block.
#[inline]
fn scan(lanes: &Lanes, direction: &Vec3) -> usize {
    let mut best = [f64::NEG_INFINITY; 4];
    let mut block_of = [0usize; 4];
    for (k, block) in lanes.blocks().iter().enumerate() {
        for lane in 0..4 {
            let height =
                direction.x * block[0][lane] + direction.y * block[1][lane] + direction.z * block[2][lane];
            if height > best[lane] {
                best[lane] = height;
                block_of[lane] = k;
            }
        }
    }
    let mut top = 0;
    for lane in 1..4 {
        if best[lane] > best[top] {
            top = lane;
        }
    }
    let index = 4 * block_of[top] + top;
    // The last block is filled up with copies of vertex 0.
    if index < lanes.count() { index } else { 0 }
}

/// Two bounded bodies in `D` dimensions, placed relative to each other.
#[derive(Clone, Copy)]
pub(super) struct PairIn<const D: usize, C> {
    pub(super) a: C,
    pub(super) b: C,
    pub(super) radius: [f64; 2],
    /// From b's axes to a's.
    pub(super) rotation: SMatrix<f64, D, D>,
    /// b's reference point in a's coordinates.
    pub(super) offset: SVector<f64, D>,
    /// Rounding of lengths.
    pub(super) scale: f64,
}

/// Two bounded bodies in space.
pub(super) type Pair<'a> = PairIn<3, Core<'a>>;

impl<const D: usize, C: CoreIn<D>> PairIn<D, C> {
    /// Places cores with their radii relative to each other.
    pub(super) fn new(a: (C, f64), pose_a: &PoseIn<D>, b: (C, f64), pose_b: &PoseIn<D>) -> Self {
        let lever = pose_b.direction(&b.0.reference()) - pose_a.direction(&a.0.reference());
        let offset = pose_a.inverse_direction(&((pose_b.position - pose_a.position) + lever));
        let rotation = pose_a.rotation.matrix().transpose() * pose_b.rotation.matrix();
        let size = a.0.outer_radius() + b.0.outer_radius();
        let scale = size.max(offset.norm());
        Self { a: a.0, b: b.0, radius: [a.1, b.1], rotation, offset, scale }
    }

    /// The point of `K1 - K2` lowest along the unit vector `normal`: its height there is the support gap.
    #[inline]
    pub(super) fn support(&self, normal: &SVector<f64, D>) -> SupportPoint<D> {
        let (x, i) = self.a.support(&-normal);
        let (y, j) = self.b.support(&self.rotation.tr_mul(normal));
        let z = self.rotation * y + self.offset;
        SupportPoint { w: x - z, x, z, index: [i, j] }
    }

    /// Whether both cores have finitely many corners.
    pub(super) fn is_polytopal(&self) -> bool {
        self.a.is_polytopal() && self.b.is_polytopal()
    }

    /// Width of the certificate at which a search ends.
    pub(super) fn goal(&self) -> f64 {
        let relative = if self.is_polytopal() { tolerances::PORTAL } else { tolerances::CURVED };
        relative * self.scale
    }

    /// Width of the bounds above which a result is computed again by the depth search.
    pub(super) fn retry_width(&self) -> f64 {
        RETRY * self.scale
    }
}
