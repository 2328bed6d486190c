//! Two curves that cross: edges of polytopes, rims of discs, axes of rods.
//!
//! ```text
//! d = a(s) - b(t),  t_a·d = 0,  t_b·d = 0        the points where they are nearest, or deepest: Newton's method
//! g = n·d - r                                    n along t_a × t_b, r the radii about axes
//! ```

use crate::tolerances::contact::curve_crossing::{LAST_CORRECTION, PARALLEL, ROUNDING};
use percussion_geometry::{Pose, Vec3};

/// Iterations for the nearest points; lines need one.
const MAX_ITERATIONS: usize = 10;
/// A curve of a body, in its frame or in the world. The parameter is the length along it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Curve {
    /// A line with a unit direction.
    Line { point: Vec3, along: Vec3 },
    /// A circle with unit vectors of its plane.
    Rim { centre: Vec3, axes: [Vec3; 2], radius: f64 },
}

impl Curve {
    /// The curve in the world.
    pub fn placed(&self, pose: &Pose) -> Self {
        match *self {
            Self::Line { point, along } => {
                Self::Line { point: pose.point(&point), along: pose.direction(&along) }
            }
            Self::Rim { centre, axes, radius } => Self::Rim {
                centre: pose.point(&centre),
                axes: axes.map(|axis| pose.direction(&axis)),
                radius,
            },
        }
    }

    /// Point, unit tangent and curvature vector at a parameter.
    pub fn at(&self, s: f64) -> (Vec3, Vec3, Vec3) {
        match *self {
            Self::Line { point, along } => (point + along * s, along, Vec3::zeros()),
            Self::Rim { centre, axes: [e, f], radius } => {
                let (sin, cos) = (s / radius).sin_cos();
                let out = e * cos + f * sin;
                (centre + out * radius, f * cos - e * sin, -out / radius)
            }
        }
    }

    /// Parameter of the point nearest to a given one.
    pub fn nearest(&self, x: &Vec3) -> f64 {
        match *self {
            Self::Line { point, along } => along.dot(&(x - point)),
            Self::Rim { centre, axes: [e, f], radius } => {
                let arm = x - centre;
                f.dot(&arm).atan2(e.dot(&arm)) * radius
            }
        }
    }
}

/// Where two curves are nearest: their points and the unit vector across both; `None` where they are parallel, or the iteration leaves them.
pub(super) fn crossing(a: &Curve, b: &Curve, [mut s, mut t]: [f64; 2]) -> Option<([Vec3; 2], Vec3)> {
    let mut scale = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let ((p, u, k), (q, w, l)) = (a.at(s), b.at(t));
        let d = p - q;
        scale = f64::max(scale, d.norm());
        let (f, g) = (u.dot(&d), -w.dot(&d));
        let (x, y, z) = (1.0 + d.dot(&k), -u.dot(&w), 1.0 - d.dot(&l));
        let determinant = x * z - y * y;
        let (ds, dt) = ((f * z - g * y) / determinant, (g * x - f * y) / determinant);
        if !(ds.is_finite() && dt.is_finite()) {
            return None;
        }
        (s, t) = (s - ds, t - dt);
        if ds.abs().max(dt.abs()) <= ROUNDING.max(LAST_CORRECTION * scale) {
            break;
        }
    }
    let ((p, u, _), (q, w, _)) = (a.at(s), b.at(t));
    Some(([p, q], u.cross(&w).try_normalize(PARALLEL)?))
}
