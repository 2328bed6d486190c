//! The point of a small simplex nearest to the origin.
//!
//! At most three corners are kept; a fourth is reduced at once. After a new corner has come in, the nearest
//! point lies on a face of the simplex that contains it, so the seven such faces are solved one by one and
//! the nearest of those whose weights are positive is kept. This is slower than walking Voronoi regions and
//! is robust: every candidate is a convex combination, and rounding at a region's border only
//! swaps equally near candidates.
//!
//! Triangles are solved by orthogonalising their edges (longest first) and refining once, so that slivers,
//! which needles and flakes produce, keep residuals of a few units in the last place.

use nalgebra::SVector;

use super::bounds::SupportPoint;
use super::nearest::SimplexIn;
use crate::Vec3;
use crate::tolerances::euclid::ENTERING;
use robust::{Coord3D, orient3d};

/// Up to three corners with non-negative weights that sum to one; `point` is their mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    corners: [SupportPoint; 3],
    weights: [f64; 3],
    count: usize,
    pub(super) point: Vec3,
}

/// What a new corner did.
pub(super) enum Advance {
    /// The nearest point moved strictly towards the origin.
    Closer(Simplex),
    /// The corner joined the simplex, but the nearest point stayed where it was to rounding.
    Pivoted(Simplex),
    /// The corners enclose the origin.
    Inside,
    /// Nothing nearer was found: rounding has been reached.
    Stalled,
}

impl SimplexIn<3> for Simplex {
    fn new(corner: SupportPoint) -> Self {
        Self { corners: [corner; 3], weights: [1.0, 0.0, 0.0], count: 1, point: corner.w }
    }

    fn point(&self) -> Vec3 {
        self.point
    }

    fn witnesses(&self) -> (Vec3, Vec3) {
        let mut points = (Vec3::zeros(), Vec3::zeros());
        for (corner, &weight) in self.corners().iter().zip(&self.weights) {
            points.0 += weight * corner.x;
            points.1 += weight * corner.z;
        }
        points
    }
}

impl Simplex {
    pub(super) fn corners(&self) -> &[SupportPoint] {
        &self.corners[..self.count]
    }

    /// Whether this vertex pair is a corner already.
    pub(super) fn contains(&self, corner: &SupportPoint) -> bool {
        self.corners().iter().any(|c| c.same(corner))
    }

    /// Unit vector towards `point`, taken from the edges of the simplex where it has some: their heights
    /// along it then agree to rounding even when the difference of two nearly equal points does not.
    pub(super) fn normal(&self) -> Option<Vec3> {
        let w = |k: usize| self.corners[k].w;
        match self.count {
            1 => unit(&self.point),
            2 => across_edge(&w(0), &w(1), &self.point),
            _ => across_triangle(&w(0), &w(1), &w(2)).map(|n| if n.dot(&self.point) < 0.0 { -n } else { n }),
        }
    }

    /// The simplex of the nearest point after `corner` came in. `slack` is the rounding of a length here.
    ///
    /// On nearly parallel features the corner that leads on may win no length at all at first: it is kept,
    /// with a weight of zero if rounding gives less, as a degenerate pivot.
    pub(super) fn advance(&self, corner: SupportPoint, slack: f64) -> Advance {
        if self.count == 3 && encloses(&self.corners, &corner) {
            return Advance::Inside;
        }
        let old_length = self.point.norm();
        let mut best: Option<Simplex> = None;
        let mut nearest = old_length + slack;
        let mut consider = |corners: &[SupportPoint], weights: &[f64]| {
            let mut candidate = Simplex::new(corner);
            candidate.count = corners.len();
            candidate.corners[..corners.len()].copy_from_slice(corners);
            candidate.weights[..corners.len()].copy_from_slice(weights);
            candidate.point = corners.iter().zip(weights).map(|(c, &weight)| weight * c.w).sum();
            let length = candidate.point.norm();
            // Candidates come with few corners first; of equally near ones, the one with more corners is kept.
            if length <= nearest + slack {
                nearest = length.min(nearest);
                best = Some(candidate);
            }
        };
        consider(&[corner], &[1.0]);
        let old = self.corners();
        for other in old {
            if let Some(weights) = on_segment(&corner.w, &other.w) {
                consider(&[corner, *other], &weights);
            }
        }
        for (k, other) in old.iter().enumerate() {
            for third in &old[..k] {
                if let Some(weights) = on_triangle(&corner.w, &other.w, &third.w) {
                    consider(&[corner, *other, *third], &weights);
                }
            }
        }
        match best {
            Some(next) if next.point.norm() < old_length => Advance::Closer(next),
            Some(next) => Advance::Pivoted(next),
            None => Advance::Stalled,
        }
    }
}

/// Unit vector along `v`, `None` where it vanishes.
pub(super) fn unit<const D: usize>(v: &SVector<f64, D>) -> Option<SVector<f64, D>> {
    // Scaled first: the square of a tiny vector would underflow.
    let largest = v.amax();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    Some((v / largest).normalize())
}

/// The part of `v` across `direction`, clean to rounding: the second pass removes what cancellation left.
pub(super) fn across(direction: &Vec3, v: &Vec3) -> Vec3 {
    let square = direction.norm_squared();
    let once = v - direction * (v.dot(direction) / square);
    once - direction * (once.dot(direction) / square)
}

/// Unit vector across the edge, in its plane with `towards`.
pub(super) fn across_edge(a: &Vec3, b: &Vec3, towards: &Vec3) -> Option<Vec3> {
    let edge = unit(&(b - a))?;
    let first = unit(&across(&edge, towards))?;
    unit(&across(&edge, &first))
}

/// Unit normal of a triangle, either sense. The edges are orthogonalised, longest first: a plain cross
/// product of a sliver's edges tilts along its length.
pub(super) fn across_triangle(a: &Vec3, b: &Vec3, c: &Vec3) -> Option<Vec3> {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let [l_ab, l_bc, l_ca] = [ab, bc, ca].map(|e| e.norm_squared());
    let (long, other) = if l_ab >= l_bc && l_ab >= l_ca {
        (ab, if l_bc < l_ca { bc } else { ca })
    } else if l_bc >= l_ca {
        (bc, if l_ab < l_ca { ab } else { ca })
    } else {
        (ca, if l_ab < l_bc { ab } else { bc })
    };
    let long = unit(&long)?;
    let short = unit(&across(&long, &other))?;
    unit(&long.cross(&short))
}

/// Weights of the point nearest to the origin on the line through `a` and `b`, if between them.
pub(super) fn on_segment(a: &Vec3, b: &Vec3) -> Option<[f64; 2]> {
    let edge = b - a;
    let square = edge.norm_squared();
    let mut t = -a.dot(&edge) / square;
    t -= (a + t * edge).dot(&edge) / square;
    // The first corner is the one that came in.
    (t > 0.0 && t < 1.0 + ENTERING).then_some([(1.0 - t).max(0.0), t.min(1.0)])
}

/// Weights of the point nearest to the origin in the plane of the triangle, if inside it.
pub(super) fn on_triangle(a: &Vec3, b: &Vec3, c: &Vec3) -> Option<[f64; 3]> {
    let (e1, e2) = (b - a, c - a);
    let (l1, l2) = (e1.norm_squared(), e2.norm_squared());
    let swap = l2 > l1;
    let (e1, e2, l1) = if swap { (e2, e1, l2) } else { (e1, e2, l1) };
    if l1 == 0.0 {
        return None;
    }
    let shear = e1.dot(&e2) / l1;
    let q = across(&e1, &e2);
    let height = q.norm_squared();
    if height == 0.0 {
        return None;
    }
    // r is the origin seen from the current point: from a first, then once more from the solution, where
    // what is left of it inside the plane is rounding only.
    let (mut t1, mut t2) = (0.0, 0.0);
    let mut r = -a;
    for _ in 0..2 {
        let d2 = r.dot(&q) / height;
        t1 += r.dot(&e1) / l1 - d2 * shear;
        t2 += d2;
        r = -(a + t1 * e1 + t2 * e2);
    }
    let t0 = 1.0 - t1 - t2;
    // The first corner is the one that came in.
    if !(t0 > -ENTERING && t1 > 0.0 && t2 > 0.0) {
        return None;
    }
    let total = t0.max(0.0) + t1 + t2;
    let (t0, t1, t2) = (t0.max(0.0) / total, t1 / total, t2 / total);
    Some(if swap { [t0, t2, t1] } else { [t0, t1, t2] })
}

/// Side of `d` with respect to the plane of `a`, `b`, `c`: positive when that triangle is seen
/// counter-clockwise from the other side. Exact for the coordinates as given.
pub(super) fn side(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    let coord = |v: &Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Whether the tetrahedron of the four corners holds the origin strictly inside; exact.
fn encloses(base: &[SupportPoint; 3], apex: &SupportPoint) -> bool {
    let [a, b, c] = base.map(|corner| corner.w);
    let (d, o) = (apex.w, Vec3::zeros());
    let whole = side(&a, &b, &c, &d);
    whole != 0.0
        && side(&a, &b, &c, &o) * whole.signum() > 0.0
        && side(&a, &b, &o, &d) * whole.signum() > 0.0
        && side(&a, &o, &c, &d) * whole.signum() > 0.0
        && side(&o, &b, &c, &d) * whole.signum() > 0.0
}
