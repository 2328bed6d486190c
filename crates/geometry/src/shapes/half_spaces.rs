//! Polytopes and polygons as intersections of half-spaces.
//!
//! The centre of the largest inscribed ball (a linear program in one variable more than the dimension) tells
//! whether there is an interior. Seen from that centre, the face `<n, x - c> <= d` becomes the point `n/d` of
//! the polar dual; the faces of the hull of these points are the corners of the body, and the half-spaces
//! inside the hull are redundant. Each corner is computed from the best conditioned of the planes that meet
//! in it, in the user's numbers, so that round coordinates come out round.

use super::hull::{Strictness, hull};
use super::program::{maximise, solve};
use super::{HalfSpaceIn, Polygon, Polytope};
use crate::tolerances::ROUNDING;
use crate::tolerances::shapes::RECESSION;
use crate::{ShapeError, Vec2, Vec3};
use nalgebra::SVector;

/// Half-width of the box in which programs start, as a multiple of the largest offset.
const BOX: f64 = 1e6;

impl Polytope {
    /// The body of all `x` with `<n, x> <= d` for every pair `(normal, offset)`, where `n` is the normal made
    /// a unit vector and `d` the offset: the **distance of the plane from the origin** in metres, as in
    /// [`HalfSpace::new`](super::HalfSpace::new). (For rows of `A x <= b` divide `b` by the length of the row.)
    ///
    /// Redundant half-spaces are dropped. No common interior point and an unbounded body are errors.
    pub fn from_half_spaces(half_spaces: &[(Vec3, f64)]) -> Result<Self, ShapeError> {
        let Interior { scale, rows, centre, radius, depths, points } = Interior::new::<4>(half_spaces)?;
        let noise = ROUNDING * f64::EPSILON * (scale + centre.norm()) / radius;
        let dual = hull(&points, Strictness::Dual { noise })?;
        let corners: Vec<Vec3> = dual
            .faces()
            .iter()
            .map(|face| {
                let planes = dual.face_loop(face).iter().map(|&v| dual.sources()[v as usize] as usize);
                corner(planes.map(|k| (rows[k].0, depths[k])), &centre)
            })
            .collect();
        Self::from_vertices(&corners).map(|p| {
            let sources = (0..p.vertices().len() as u32).collect();
            p.with_sources(sources)
        })
    }
}

impl Polygon {
    /// The planar body of all `x` with `<n, x> <= d` for every pair `(normal, offset)`, where `n` is the normal
    /// made a unit vector and `d` the offset: the distance of the line from the origin in metres.
    ///
    /// Redundant half-planes are dropped. No common interior point and an unbounded body are errors.
    pub fn from_half_planes(half_planes: &[(Vec2, f64)]) -> Result<Self, ShapeError> {
        let Interior { rows, centre, depths, points, .. } = Interior::new::<3>(half_planes)?;
        let dual = Polygon::from_vertices(&points)?;
        let corners: Vec<Vec2> = (0..dual.sources().len())
            .map(|k| {
                let pick = |j: usize| dual.sources()[j % dual.sources().len()] as usize;
                let ((n, d), (m, e)) =
                    ((rows[pick(k)].0, depths[pick(k)]), (rows[pick(k + 1)].0, depths[pick(k + 1)]));
                centre + Vec2::new(d * m.y - e * n.y, e * n.x - d * m.x) / n.perp(&m)
            })
            .collect();
        Self::from_vertices(&corners).map(|p| {
            let sources = (0..p.vertices().len() as u32).collect();
            p.with_sources(sources)
        })
    }
}

/// Half-spaces seen from the centre of the largest inscribed ball.
struct Interior<const D: usize> {
    /// The largest offset in size.
    scale: f64,
    /// Unit normals and offsets.
    rows: Vec<(SVector<f64, D>, f64)>,
    centre: SVector<f64, D>,
    radius: f64,
    /// Depths of the centre below the planes.
    depths: Vec<f64>,
    /// The points of the polar dual; in units of the inscribed radius it lies within the unit ball.
    points: Vec<SVector<f64, D>>,
}

impl<const D: usize> Interior<D> {
    /// `N` is `D + 1`, the variables of the program. No interior point and an unbounded body are errors.
    fn new<const N: usize>(half_spaces: &[(SVector<f64, D>, f64)]) -> Result<Self, ShapeError> {
        let count = half_spaces.len();
        let mut rows = Vec::with_capacity(count);
        for (index, (normal, offset)) in half_spaces.iter().enumerate() {
            if !(normal.iter().all(|c| c.is_finite()) && offset.is_finite()) {
                let value = format!("normal {:?}, offset {offset}", normal.as_slice());
                return Err(ShapeError::NotFinite { what: "half-space", index, value });
            }
            rows.push((HalfSpaceIn::new(*normal, *offset)?.normal(), *offset));
        }
        let scale = largest(rows.iter().map(|r| r.1));
        let last = |k: usize| f64::from(k == D);
        let row = |n: &SVector<f64, D>| std::array::from_fn(|k| if k < D { n[k] } else { 1.0 });
        let ball: Vec<([f64; N], f64)> = rows.iter().map(|(n, d)| (row(n), d / scale)).collect();
        let Some(best) = maximise(std::array::from_fn(last), &ball, BOX) else {
            return Err(ShapeError::Empty { count, radius: f64::NEG_INFINITY });
        };
        let (centre, radius) = (SVector::from_fn(|k, _| best.x[k]) * scale, best.x[D] * scale);
        if radius.is_nan() || radius <= 8.0 * f64::EPSILON * scale {
            return Err(ShapeError::Empty { count, radius });
        }
        let cone: Vec<([f64; D], f64)> = rows.iter().map(|(n, _)| ((*n).into(), 0.0)).collect();
        if let Some(direction) = recession_direction(&cone) {
            return Err(ShapeError::Unbounded { count, direction: direction.to_vec() });
        }
        let depths: Vec<f64> = rows.iter().map(|(n, d)| d - n.dot(&centre)).collect();
        let points = rows.iter().zip(&depths).map(|((n, _), depth)| n * (radius / depth)).collect();
        Ok(Self { scale, rows, centre, radius, depths, points })
    }
}

/// The largest offset in size, one where all vanish.
fn largest(offsets: impl Iterator<Item = f64>) -> f64 {
    let largest = offsets.map(f64::abs).fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// A unit direction along which no half-space is ever left.
fn recession_direction<const D: usize>(cone: &[([f64; D], f64)]) -> Option<[f64; D]> {
    for axis in 0..2 * D {
        let mut objective = [0.0; D];
        objective[axis % D] = if axis < D { 1.0 } else { -1.0 };
        if let Some(best) = maximise(objective, cone, 1.0) {
            let length = best.x.iter().map(|c| c * c).sum::<f64>().sqrt();
            if length > RECESSION {
                return Some(best.x.map(|c| c / length));
            }
        }
    }
    None
}

/// The point where planes `<n, x - centre> = d` meet, from three of them that are far from parallel.
fn corner(planes: impl Iterator<Item = (Vec3, f64)> + Clone, centre: &Vec3) -> Vec3 {
    let first = planes.clone().next().unwrap_or((Vec3::zeros(), 0.0));
    let by = |measure: &dyn Fn(&Vec3) -> f64| {
        planes.clone().max_by(|a, b| measure(&a.0).total_cmp(&measure(&b.0))).unwrap_or(first)
    };
    let (n, d) = first;
    let (m, e) = by(&|m| n.cross(m).norm_squared());
    let edge = n.cross(&m);
    let (l, f) = by(&|l| edge.dot(l).abs());
    // Elimination instead of Cramer's rule, whose determinant is all rounding where faces are nearly parallel.
    let rows = [n, m, l].map(|v| [v.x, v.y, v.z]);
    centre + solve(rows, [d, e, f]).map_or(Vec3::zeros(), Vec3::from)
}
