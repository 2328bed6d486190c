//! The points of a hull before it is built: are they a body, how large and how thick, which are one?

use super::super::check_finite;
use super::distinct::distinct;
use crate::tolerances::shapes::FLUSH;
use crate::tolerances::{DEGENERATE, DETAIL, FLATNESS, ROUNDING};
use crate::{ShapeError, Vec3};

/// A direction in which the rows of lattices do not line up.
const SKEW: Vec3 = Vec3::new(0.5417, 0.3313, 0.7725);

/// How flat a body may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::shapes) enum Strictness {
    /// A body as a user gives it.
    Body,
    /// The polar dual of a body: as stretched as the body is thin, so that only rounding makes it flat.
    Dual {
        /// How far rounding of the body's planes moves the points.
        noise: f64,
    },
}

impl Strictness {
    /// Least thickness as a multiple of size; finest detail as multiples of size and of thickness, and as
    /// a length.
    fn limits(self) -> (f64, f64, f64, f64) {
        match self {
            Strictness::Body => (DEGENERATE, FLATNESS, DETAIL, 0.0),
            Strictness::Dual { noise } => (0.0, 1e-12, 1e-9, noise),
        }
    }
}

/// Distinct points, scaled by a power of two (exactly) to coordinates of about one.
pub(super) struct Cloud {
    /// Input index of each point, ascending.
    pub kept: Vec<u32>,
    /// Scaled coordinates.
    pub points: Vec<Vec3>,
    /// Four points that are far from being coplanar.
    pub simplex: [usize; 4],
    /// Distance, in scaled units, below which this body has no detail.
    pub tolerance: f64,
    /// Distance, in scaled units, by which the planes of faces may be off anywhere on the body.
    pub slack: f64,
    extent: Extent,
    scale: f64,
    count: usize,
}

impl Cloud {
    pub fn new(input: &[Vec3], strictness: Strictness) -> Result<Self, ShapeError> {
        check_finite("vertex", input)?;
        let count = input.len();
        let largest = input.iter().map(|v| v.amax()).fold(0.0, f64::max);
        let scale = power_of_two_near_inverse(largest);
        let points: Vec<Vec3> = input
            .iter()
            .map(|v| v.map(|c| c * scale).map(|c| if c.abs() < FLUSH { 0.0 } else { c }))
            .collect();
        let (degenerate, flatness, detail, noise) = strictness.limits();
        // Scaled coordinates lie in [-2, 2].
        let rounding = ROUNDING * f64::EPSILON * (largest * scale);
        let extent = Extent::new(&points);
        let flat_limit = (degenerate * extent.size).max(4.0 * rounding);
        let tolerance =
            (flatness * extent.size).min(detail * extent.thickness).max(rounding).max(noise * scale);

        let kept = if count < 4 || extent.size <= 4.0 * rounding {
            distinct(&points, &SKEW, rounding)
        } else {
            distinct(&points, &SKEW, tolerance)
        };
        if count < 4 || (kept.len() < 4 && kept.len() > 1) {
            return Err(ShapeError::TooFewPoints { given: kept.len(), needed: 4 });
        }
        let points: Vec<Vec3> = kept.iter().map(|&k| points[k as usize]).collect();
        // Again, because the four extreme points have to be among those kept.
        let extent = Extent::new(&points);
        let slack = (0.25 * flatness * extent.size).max(tolerance).max(rounding);
        let cloud = Self { kept, simplex: extent.simplex, points, tolerance, slack, extent, scale, count };
        if extent.thickness <= flat_limit { Err(cloud.flat()) } else { Ok(cloud) }
    }

    /// The complaint that this body has no volume, with the reason.
    pub fn flat(&self) -> ShapeError {
        let rounding =
            4.0 * ROUNDING * f64::EPSILON * self.points.iter().map(|v| v.amax()).fold(0.0, f64::max);
        let limit = (DEGENERATE * self.extent.size).max(rounding);
        let (lie, thickness) = if self.extent.size <= rounding {
            ("coincide", self.extent.size)
        } else if self.extent.breadth <= limit {
            ("lie on a line", self.extent.breadth)
        } else {
            ("lie in a plane", self.extent.thickness)
        };
        let (thickness, size) = (thickness / self.scale, self.extent.size / self.scale);
        ShapeError::Flat { count: self.count, lie, measure: "volume", thickness, size }
    }
}

/// The power of two that brings `largest` to `[1, 2)`; one where there is none.
pub(super) fn power_of_two_near_inverse(largest: f64) -> f64 {
    if largest == 0.0 {
        return 1.0;
    }
    // Two halves, because 2^1074 alone overflows.
    let exponent = -(largest.log2().floor() as i32);
    2f64.powi(exponent.clamp(-1000, 1000))
}

/// Extents in three directions, each measured across the ones before.
#[derive(Clone, Copy)]
struct Extent {
    /// Length: about the diameter.
    size: f64,
    /// Greatest distance from the line along the length.
    breadth: f64,
    /// Extent across the plane of length and breadth.
    thickness: f64,
    /// Points in which these are attained.
    simplex: [usize; 4],
}

impl Extent {
    fn new(points: &[Vec3]) -> Self {
        let furthest = |measure: &dyn Fn(&Vec3) -> f64| {
            let mut best = (-1.0, 0);
            for (k, p) in points.iter().enumerate() {
                let value = measure(p);
                if value > best.0 {
                    best = (value, k);
                }
            }
            best
        };
        let mut extent = Self { size: 0.0, breadth: 0.0, thickness: 0.0, simplex: [0; 4] };
        let Some(&first) = points.first() else { return extent };
        let a = furthest(&|p| (p - first).norm_squared()).1;
        let origin = points[a];
        let (size, b) = furthest(&|p| (p - origin).norm());
        extent.size = size;
        let Some(along) = (points[b] - origin).try_normalize(0.0) else { return extent };
        // Projecting step by step keeps the error at the rounding of `size`, however thin the body.
        let across = |p: &Vec3| {
            let q = p - origin;
            q - along * along.dot(&q)
        };
        let (breadth, c) = furthest(&|p| across(p).norm());
        extent.breadth = breadth;
        let Some(sideways) = across(&points[c]).try_normalize(0.0) else { return extent };
        let normal = along.cross(&sideways).normalize();
        let heights = points.iter().map(|p| normal.dot(&across(p)));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        extent.thickness = high - low;
        let d = furthest(&|p| normal.dot(&across(p)).abs()).1;
        extent.simplex = [a, b, c, d];
        extent
    }
}
