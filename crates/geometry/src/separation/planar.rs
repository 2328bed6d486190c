//! Separation of two convex bodies in the plane: the same nouns as in space, with two-vertex bases.

use super::answer::{Outcome, QueryError, merged};
use super::planar_curved::cast_curved;
use super::planar_pair::{PlanarPair, PlanarPoint, support_of};
use super::planar_portal::{
    P, PlanarCast, PlanarEnd, PlanarProof, cast_polygons, cross, dot, norm, scale, stand_in,
};
use super::polytope::in_scale;
use crate::shapes::{HalfPlane, PlanarShape};
use crate::{PlanarPose, Vec2, tolerance};

/// How a planar query is to be answered; see [`Options`](super::Options).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarOptions {
    /// Bodies provably further apart than this (metres) are answered [`Outcome::Beyond`].
    pub prediction: f64,
    /// Direction along which separation is measured, from b to a; `None`: along the line of references.
    pub beta: Option<Vec2>,
}

impl Default for PlanarOptions {
    fn default() -> Self {
        Self { prediction: f64::INFINITY, beta: None }
    }
}

/// What is remembered between queries of one planar pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarWarm {
    /// Vertex pairs of the last optimal portal, the one right of the ray first; `u32::MAX` where unknown.
    pub basis: [[u32; 2]; 2],
    /// The last β; zero when unknown.
    pub beta: Vec2,
}

impl Default for PlanarWarm {
    fn default() -> Self {
        Self { basis: [[u32::MAX; 2]; 2], beta: Vec2::zeros() }
    }
}

/// The answer for one pair in the plane, world frame; fields as in [`Separation`](super::Separation).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarSeparation {
    /// How the query ended.
    pub outcome: Outcome,
    /// The LP value `s`, metres along β.
    pub separation: f64,
    /// Distance `D` of the reference points along β.
    pub reference_distance: f64,
    /// Unit direction from b to a.
    pub beta: Vec2,
    /// Whether β was prescribed.
    pub prescribed: bool,
    /// Optimal primal direction, `<alpha, beta> = 1`.
    pub alpha: Vec2,
    /// Contact point on body a; `point_a - point_b = separation beta`.
    pub point_a: Vec2,
    /// Contact point on body b.
    pub point_b: Vec2,
    /// Dual weights of the basis pairs.
    pub weights: [f64; 2],
    /// Basis vertex pairs; `u32::MAX` for curved or unbounded bodies.
    pub basis: [[u32; 2]; 2],
    /// Proven lower bound of `separation`.
    pub lower: f64,
    /// Proven upper bound of `separation`.
    pub upper: f64,
    /// Support evaluations used.
    pub iterations: u32,
}

impl PlanarSeparation {
    /// Unit normal from body b to body a.
    pub fn normal(&self) -> Vec2 {
        self.alpha / self.alpha.norm()
    }

    /// Distance between the two supporting lines.
    pub fn gap(&self) -> f64 {
        match self.outcome {
            Outcome::Missed => self.lower,
            _ => self.separation / self.alpha.norm(),
        }
    }

    /// Hart's ratio metric `r = D/(D - s)`.
    pub fn ratio(&self) -> f64 {
        self.reference_distance / (self.reference_distance - self.separation)
    }

    /// The width of the certificate.
    pub fn certificate_gap(&self) -> f64 {
        self.upper - self.lower
    }

    /// Active vertices of body a with their weights, at most two.
    pub fn weights_a(&self) -> impl Iterator<Item = (u32, f64)> {
        merged(self.basis.map(|pair| pair[0]), self.weights)
    }

    /// Active vertices of body b with their weights, at most two.
    pub fn weights_b(&self) -> impl Iterator<Item = (u32, f64)> {
        merged(self.basis.map(|pair| pair[1]), self.weights)
    }
}

/// Separation of two convex bodies in the plane; see [`separation`](super::separation()).
pub fn planar_separation(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    options: &PlanarOptions,
    warm: &mut PlanarWarm,
) -> Result<PlanarSeparation, QueryError> {
    for (pose, body) in [(pose_a, 'a'), (pose_b, 'b')] {
        if !pose.is_finite() {
            return Err(QueryError::NotFinite { body });
        }
    }
    match (a, b) {
        (PlanarShape::HalfPlane(_), PlanarShape::HalfPlane(_)) => Err(QueryError::BothUnbounded),
        (_, PlanarShape::HalfPlane(h)) => from_half_plane(a, pose_a, h, pose_b, false, options, warm),
        (PlanarShape::HalfPlane(h), _) => from_half_plane(b, pose_b, h, pose_a, true, options, warm),
        _ => bounded(a, pose_a, b, pose_b, options, warm),
    }
}

fn bounded(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    options: &PlanarOptions,
    warm: &mut PlanarWarm,
) -> Result<PlanarSeparation, QueryError> {
    let size = a.outer_radius() + b.outer_radius();
    let rotation = pose_a.rotation.inverse() * pose_b.rotation;
    let m = rotation.matrix();
    let r = [[m[(0, 0)], m[(0, 1)]], [m[(1, 0)], m[(1, 1)]]];
    let t = pose_a.inverse_direction(&(pose_a.position - pose_b.position)) + a.reference()
        - rotation * b.reference();
    let reach = t.norm();
    in_scale(size, reach)?;
    let (distance, beta) = match options.beta {
        Some(beta) => {
            let beta = pose_a.inverse_direction(&unit_direction(&beta)?);
            (t.dot(&beta), beta)
        }
        None if reach > tolerance::COINCIDENT * size => (reach, t / reach),
        None => {
            let last = pose_a.inverse_direction(&warm.beta).try_normalize(1e-3);
            (reach, last.unwrap_or_else(|| pose_a.inverse_direction(&Vec2::y())))
        }
    };
    let offset = if options.beta.is_some() { beta * distance - t } else { Vec2::zeros() };
    let line = PlanarCast {
        d: [-beta.x, -beta.y],
        distance,
        size,
        prediction: tolerance::border(options.prediction, size),
    };
    let frame = Frame { a, pose_a, line, prescribed: options.beta.is_some() };
    if reach - size > line.prediction {
        return Ok(frame.unsolved(Outcome::Beyond, distance - size, 0, warm));
    }
    let pair = PlanarPair { a, b, r, offset: offset.into() };
    Ok(frame.solve(&pair, a.inner_radius() + b.inner_radius(), warm))
}

/// Unit vector along a prescribed direction.
fn unit_direction(beta: &Vec2) -> Result<Vec2, QueryError> {
    let largest = beta.amax();
    if !(largest > 0.0 && largest.is_finite() && beta.iter().all(|c| c.is_finite())) {
        return Err(QueryError::BadDirection);
    }
    Ok((beta / largest).normalize())
}

/// What a planar query knows before it starts casting.
struct Frame<'a> {
    a: &'a PlanarShape,
    pose_a: &'a PlanarPose,
    line: PlanarCast,
    prescribed: bool,
}

impl Frame<'_> {
    fn solve(&self, pair: &PlanarPair, rho: f64, warm: &mut PlanarWarm) -> PlanarSeparation {
        let mut iterations = 0;
        let start = match self.remembered(pair, warm) {
            Some(start) => start,
            None if norm(&pair.offset) < 0.5 * rho => stand_in(&self.line.d, rho, &pair.offset),
            None => match self.flanks(pair, &mut iterations) {
                Ok(start) => start,
                Err((side, gap)) => {
                    let mut answer = self.unsolved(Outcome::Missed, f64::INFINITY, iterations, warm);
                    answer.alpha = -self.pose_a.direction(&Vec2::from(side));
                    answer.lower = gap;
                    return answer;
                }
            },
        };
        let cast = match (pair.a, pair.b) {
            (PlanarShape::Polygon(_), PlanarShape::Polygon(_)) => cast_polygons,
            _ => cast_curved,
        };
        match cast(pair, start, &self.line, &mut iterations) {
            PlanarEnd::Beyond(lower) => self.unsolved(Outcome::Beyond, lower, iterations, warm),
            PlanarEnd::Solved(proof) => self.solved(&proof, iterations, warm),
        }
    }

    /// The remembered portal, if the line still passes between its points.
    fn remembered(&self, pair: &PlanarPair, warm: &PlanarWarm) -> Option<[PlanarPoint; 2]> {
        let (right, left) = (pair.vertices(warm.basis[0])?, pair.vertices(warm.basis[1])?);
        let (c0, c1) = (cross(&self.line.d, &right.w), cross(&self.line.d, &left.w));
        (c0 <= 0.0 && c1 >= 0.0 && c1 > c0).then_some([right, left])
    }

    /// The outermost points on both sides of a line far from the origin, or the side on which nothing lies.
    fn flanks(&self, pair: &PlanarPair, iterations: &mut u32) -> Result<[PlanarPoint; 2], (P, f64)> {
        let d = &self.line.d;
        let mut flank = |side: P| {
            *iterations += 1;
            let p = pair.support(&side);
            let height = dot(&side, &p.w);
            if height > 1e-15 * self.line.size { Ok(p) } else { Err((side, -height)) }
        };
        Ok([flank([d[1], -d[0]])?, flank([-d[1], d[0]])?])
    }

    fn solved(&self, proof: &PlanarProof, iterations: u32, warm: &mut PlanarWarm) -> PlanarSeparation {
        let beta = self.pose_a.direction(&Vec2::from(scale(&self.line.d, -1.0)));
        let point_a = self.pose_a.point(&(Vec2::from(proof.x) + self.a.reference()));
        let separation = self.line.distance - proof.depth;
        *warm = PlanarWarm { basis: proof.id, beta };
        PlanarSeparation {
            outcome: Outcome::Solved,
            separation,
            reference_distance: self.line.distance,
            beta,
            prescribed: self.prescribed,
            alpha: self.pose_a.direction(&Vec2::from(proof.alpha)),
            point_a,
            point_b: point_a - separation * beta,
            weights: proof.weights,
            basis: proof.id,
            lower: proof.lower,
            upper: proof.upper,
            iterations,
        }
    }

    fn unsolved(
        &self,
        outcome: Outcome,
        lower: f64,
        iterations: u32,
        warm: &mut PlanarWarm,
    ) -> PlanarSeparation {
        let beta = self.pose_a.direction(&Vec2::from(scale(&self.line.d, -1.0)));
        warm.beta = beta;
        PlanarSeparation {
            outcome,
            separation: lower,
            reference_distance: self.line.distance,
            beta,
            prescribed: self.prescribed,
            alpha: beta,
            point_a: Vec2::repeat(f64::NAN),
            point_b: Vec2::repeat(f64::NAN),
            weights: [0.0; 2],
            basis: [[u32::MAX; 2]; 2],
            lower,
            upper: f64::INFINITY,
            iterations,
        }
    }
}

/// Closed form against a half-plane, as in `half_space.rs`.
fn from_half_plane(
    shape: &PlanarShape,
    pose_shape: &PlanarPose,
    half_plane: &HalfPlane,
    pose_half: &PlanarPose,
    swapped: bool,
    options: &PlanarOptions,
    warm: &mut PlanarWarm,
) -> Result<PlanarSeparation, QueryError> {
    let n = pose_half.direction(&half_plane.normal());
    let sign = if swapped { -1.0 } else { 1.0 };
    let beta = match options.beta {
        None => n,
        Some(beta) => unit_direction(&beta)? * sign,
    };
    let slope = n.dot(&beta);
    if !(slope > f64::EPSILON) {
        return Err(QueryError::IntoHalfSpace);
    }
    let down: P = pose_shape.inverse_direction(&-n).into();
    let (low, index) = support_of(shape, &down);
    let low = Vec2::from(low) + shape.reference();
    let shift = pose_shape.position - pose_half.position;
    let height = |point: &Vec2| n.dot(&(pose_shape.direction(point) + shift)) - half_plane.offset();
    let separation = height(&low) / slope;
    let (point, other) = (pose_shape.point(&low), pose_shape.point(&low) - separation * beta);
    let (point_a, point_b) = if swapped { (other, point) } else { (point, other) };
    warm.beta = beta * sign;
    Ok(PlanarSeparation {
        outcome: if separation * slope > options.prediction { Outcome::Beyond } else { Outcome::Solved },
        separation,
        reference_distance: height(&shape.reference()) / slope,
        beta: beta * sign,
        prescribed: true,
        alpha: n / slope * sign,
        point_a,
        point_b,
        weights: [1.0, 0.0],
        basis: [if swapped { [u32::MAX, index] } else { [index, u32::MAX] }; 2],
        lower: separation,
        upper: separation,
        iterations: 1,
    })
}
