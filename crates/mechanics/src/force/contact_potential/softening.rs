//! The separation of flat bodies, softened by a ten-thousandth of their size.
//!
//! A corner that leaves a face to its neighbour, as a box does that comes down on an edge, takes the whole force with it: `s`
//! has a kink there, both sides of it drive the body back to it, and the equations of a step that ends on it have no solution
//! (the force of the solution lies between those of the two sides). So the supports of bodies with corners are softened:
//!
//! ```text
//! S(h)  = min { Σ π_i h_i - ε/2 (1 - Σ π_i²) : π >= 0, Σ π = 1 }       π_i = (a - h_i)⁺/ε,  a from Σ π = 1
//! s_ε   = max { S(<α, x_i>) + S(-<α, y_j>) : <α, β> = 1 }               s - ε < s_ε <= s
//! ```
//!
//! The weights are those of the shortest dual [Johnson 2.7.5], made continuous: corners within `ε` of the deepest share
//! the contact, a box that stands flat has it in the middle. The depth of a single corner does not change. `s_ε` is differentiated as `s`
//! is, by α at `p_a = Σ π_i x_i` and `p_b = Σ π_j y_j`, whose distance along β takes the place of `s` in the β part. The maximum
//! is found by Newton's method on the two components of α across β, from the α of the kernel.
//!
//! On the ramp between two corners forces change fast. Heights of the corners that carry weight follow a plane through `g`,
//! the relative tilt of the bodies, up to what α follows: `∇²s_ε = -P/ε` in `g`, with the moments `m` of the corners across β and
//!
//! ```text
//! P = m_a - m_a (m_a + m_b)⁻¹ m_a        nothing where a corner meets a face or two edges cross; m_a on a half-space
//! ```

use crate::contact::{ContactGeometry, ContactPoint, PartShape};
use crate::rotation::{Mat3, tangents};
use crate::tolerances::{MOMENTS_SINGULAR, POINTS_AGREE};
use nalgebra::{Matrix2, Matrix3x2, Vector2};
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_geometry::{Pose, Vec2, Vec3};

/// Newton iterations for α: it ends after a few, as soon as the corners that carry weight are found.
const MOST_ITERATIONS: usize = 60;

/// Two parts near each other, softened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softened {
    /// The separation in the potential: `s_ε`, m.
    pub value: f64,
    /// Direction, points and references; its `separation` is the distance of the points along β.
    pub point: ContactPoint,
    /// Directions across α in which tilt is stiff, with `P/ε` along them, m.
    pub ramp: [(Vec3, f64); 2],
    /// Directions across α in which the contact extends, with the square of how far (standard deviations of the weights), m².
    pub extent: [(Vec3, f64); 2],
}

/// No direction.
const NOWHERE: [(Vec3, f64); 2] = [(Vec3::new(0.0, 0.0, 0.0), 0.0); 2];

impl Softened {
    /// The unsoftened separation, for pairs without corners to soften.
    pub fn exact(point: ContactPoint) -> Self {
        Self { value: point.separation, point: balanced(point), ramp: NOWHERE, extent: NOWHERE }
    }

    /// Size of a pair whose corners are softened, m; `None` of the others.
    pub fn size(contacts: &ContactGeometry, (a, b): (usize, usize)) -> Option<f64> {
        let (p, q) = (&contacts.parts[a], &contacts.parts[b]);
        let flat = corners(&p.shape).is_some() && (corners(&q.shape).is_some() || q.shape.is_unbounded());
        let size = p.radius + if q.radius.is_finite() { q.radius } else { 0.0 };
        flat.then_some(size)
    }

    /// Softens the separation of two parts of bodies at given poses, by a multiple of their size.
    pub fn new(
        contacts: &ContactGeometry,
        (a, b): (usize, usize),
        (pose_a, pose_b): (&Pose, &Pose),
        point: &ContactPoint,
        softness: f64,
    ) -> Self {
        let (p, q) = (&contacts.parts[a], &contacts.parts[b]);
        let Some((size, first)) = Self::size(contacts, (a, b)).zip(corners(&p.shape)) else {
            return Self::exact(*point);
        };
        // From a point between the two: short vectors, no digits lost far from the origin.
        let origin = point.point();
        let placed = |pose: &Pose, offset: &Pose| {
            let at = pose.then(offset);
            Pose::new(at.rotation, at.position - origin)
        };
        let (at_a, at_b) = (placed(pose_a, &p.offset), placed(pose_b, &q.offset));
        let one = Side { corners: first, pose: at_a, direction: point.alpha, base: point.point_a - origin };
        let other = corners(&q.shape).map(|corners| Side {
            corners,
            pose: at_b,
            direction: -point.alpha,
            base: point.point_b - origin,
        });
        let across = match p.shape {
            PartShape::Solid(_) => {
                let (t, u) = tangents(&point.beta);
                Matrix3x2::from_columns(&[t, u])
            }
            PartShape::Planar(_) => {
                let normal = at_a.rotation * Vec3::z();
                Matrix3x2::from_columns(&[normal.cross(&point.beta), Vec3::zeros()])
            }
        };
        let pair = Pair { one, other, across, softness: softness * size, size };
        pair.softened(point, &origin)
    }
}

/// Corners of a part, in its own frame.
#[derive(Clone, Copy)]
enum Corners<'a> {
    Space(&'a [Vec3]),
    Plane(&'a [Vec2]),
}

fn corners(shape: &PartShape) -> Option<Corners<'_>> {
    match shape {
        PartShape::Solid(Solid::Polytope(p)) => Some(Corners::Space(p.vertices())),
        PartShape::Planar(PlanarShape::Polygon(p)) => Some(Corners::Plane(p.vertices())),
        _ => None,
    }
}

/// One body of a pair: heights of its corners are taken along `direction` from `base`.
struct Side<'a> {
    corners: Corners<'a>,
    pose: Pose,
    direction: Vec3,
    base: Vec3,
}

/// A softened support.
#[derive(Clone, Copy)]
struct Support {
    /// `S`, from the base.
    value: f64,
    /// `Σ π_i x_i`.
    point: Vec3,
    /// `Σ (x_i - x̄)(x_i - x̄)ᵀ` over the corners that carry weight.
    moments: Mat3,
    /// `Σ π_i (x_i - p)(x_i - p)ᵀ`.
    spread: Mat3,
}

impl Side<'_> {
    /// Visits the corners with their heights along the direction turned by `change`.
    fn each(&self, change: &Vec3, mut visit: impl FnMut(&Vec3, f64)) {
        let mut one = |corner: Vec3| {
            let x = self.pose.point(&corner);
            visit(&x, self.direction.dot(&(x - self.base)) + change.dot(&x));
        };
        match self.corners {
            Corners::Space(list) => list.iter().for_each(|v| one(*v)),
            Corners::Plane(list) => list.iter().for_each(|v| one(Vec3::new(v.x, v.y, 0.0))),
        }
    }

    fn support(&self, change: &Vec3, softness: f64) -> Support {
        let mut lowest = f64::INFINITY;
        self.each(change, |_, h| lowest = lowest.min(h));
        // The level falls as corners above it drop out [Michelot 1986]; once they stay it is the one.
        let (mut level, mut count) = (lowest + softness, usize::MAX);
        loop {
            let (mut sum, mut below) = (0.0, 0);
            self.each(change, |_, h| {
                if h < level {
                    sum += h - lowest;
                    below += 1;
                }
            });
            // Without a corner below it nothing here is a number.
            if below == count || below == 0 {
                break;
            }
            count = below;
            level = lowest + (softness + sum) / below as f64;
        }
        let (mut point, mut mean, mut height, mut square) = (Vec3::zeros(), Vec3::zeros(), 0.0, 0.0);
        self.each(change, |x, h| {
            if h < level {
                let weight = (level - h) / softness;
                point += x * weight;
                mean += x / count as f64;
                height += (h - lowest) * weight;
                square += weight * weight;
            }
        });
        let (mut moments, mut spread) = (Mat3::zeros(), Mat3::zeros());
        self.each(change, |x, h| {
            if h < level {
                moments += (x - mean) * (x - mean).transpose();
                spread += (x - point) * (x - point).transpose() * ((level - h) / softness);
            }
        });
        Support { value: lowest + height - 0.5 * softness * (1.0 - square), point, moments, spread }
    }
}

struct Pair<'a> {
    one: Side<'a>,
    /// `None` for a half-space.
    other: Option<Side<'a>>,
    /// Directions across β in which α may turn.
    across: Matrix3x2<f64>,
    softness: f64,
    size: f64,
}

impl Pair<'_> {
    fn softened(&self, point: &ContactPoint, origin: &Vec3) -> Softened {
        let Some(other) = &self.other else {
            let support = self.one.support(&Vec3::zeros(), self.softness);
            let span = point.separation + point.alpha.dot(&(support.point - self.one.base));
            let value = point.separation + support.value;
            let point_a = support.point + origin;
            let point_b = point_a - point.beta * span;
            let point = ContactPoint { separation: span, point_a, point_b, ..*point };
            let both = [&support.moments, &support.spread].map(|m| self.flattened(m));
            return self.answer(point, value, both);
        };
        let supports = |turn: &Vector2<f64>| {
            let change = self.across * turn;
            (self.one.support(&change, self.softness), other.support(&-change, self.softness))
        };
        let apart = |(a, b): &(Support, Support)| self.across.tr_mul(&(a.point - b.point));
        let mut turn = Vector2::zeros();
        let mut now = supports(&turn);
        let mut gradient = apart(&now);
        // Where no corner carries weight, steps that move corners by a few softnesses find the next ones; they grow if need be.
        let mut longest = 4.0 * self.softness / self.size;
        for _ in 0..MOST_ITERATIONS {
            if !(gradient.norm() > POINTS_AGREE * self.size) {
                break;
            }
            let moments = self.flattened(&(now.0.moments + now.1.moments));
            let matrix =
                (moments + Matrix2::identity() * (MOMENTS_SINGULAR * self.size * self.size)) / self.softness;
            let Some(mut step) = matrix.try_inverse().map(|inverse| inverse * gradient) else { break };
            if step.norm() > longest {
                step *= longest / step.norm();
            }
            longest *= 2.0;
            // The function is concave: it has risen if it still rises, and is past its top where it has not.
            let slope = gradient.dot(&step);
            loop {
                let then = supports(&(turn + step));
                let after = apart(&then);
                let ahead = after.dot(&step);
                let risen = then.0.value + then.1.value > now.0.value + now.1.value;
                if !(ahead < 0.0) || risen || step.norm() * self.size < f64::EPSILON * self.softness {
                    (turn, now, gradient) = (turn + step, then, after);
                    break;
                }
                step *= (slope / (slope - ahead)).clamp(0.1, 0.9);
                longest = step.norm();
            }
        }
        let (a, b) = now;
        // S(<α, x>) + S(-<α, y>), heights taken from the kernel's points: <α, p_a - p_b> = s at first.
        let value = point.separation + a.value + b.value;
        let point = ContactPoint {
            separation: point.beta.dot(&(a.point - b.point)),
            alpha: point.alpha + self.across * turn,
            point_a: a.point + origin,
            point_b: b.point + origin,
            ..*point
        };
        let both = [(&a.moments, &b.moments), (&a.spread, &b.spread)];
        self.answer(point, value, both.map(|(m, n)| self.common(m, n)))
    }

    /// Parallel sum of the moments of two distributions: `m - m (m + n)⁻¹ m = m (m + n)⁻¹ n`, across β.
    fn common(&self, m: &Mat3, n: &Mat3) -> Matrix2<f64> {
        let (m, n) = (self.flattened(m), self.flattened(n));
        let least = Matrix2::identity() * (f64::EPSILON * self.size * self.size);
        let common = (m + n + least).try_inverse().map_or_else(Matrix2::zeros, |inverse| m * inverse * n);
        (common + common.transpose()) * 0.5
    }

    /// Moments across β.
    fn flattened(&self, moments: &Mat3) -> Matrix2<f64> {
        self.across.tr_mul(&(moments * self.across))
    }

    fn answer(&self, point: ContactPoint, value: f64, [moments, spread]: [Matrix2<f64>; 2]) -> Softened {
        let point = balanced(point);
        let along = |matrix: Matrix2<f64>, scale: f64| {
            let axes = matrix.symmetric_eigen();
            [0, 1].map(|k| {
                let along = self.across * axes.eigenvectors.column(k);
                // Across α, and seen along β as `along`: heights over the contact in this direction show the tilt.
                let direction = along - point.beta * point.alpha.dot(&along);
                (direction, axes.eigenvalues[k].max(0.0) * scale)
            })
        };
        Softened { value, ramp: along(moments, 1.0 / self.softness), extent: along(spread, 1.0), point }
    }
}

/// Contact points that differ by `s β` to rounding, whatever the tolerance of a query: then the torques of the two bodies cancel.
fn balanced(mut point: ContactPoint) -> ContactPoint {
    let (middle, half) = (point.point(), point.beta * (0.5 * point.separation));
    (point.point_a, point.point_b) = (middle + half, middle - half);
    point
}
