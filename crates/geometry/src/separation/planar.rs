//! Separation of two convex bodies in the plane: as in space, with bases of two vertex pairs.

use super::answer::{Outcome, PlanarOptions, PlanarSeparation, PlanarWarmStart, QueryError};
use super::general::unit_direction;
use super::half_space::separation_from_half_space;
use super::planar_curved::cast_curved;
use super::planar_pair::{PlanarPair, PlanarPoint};
use super::planar_portal::{
    P, PlanarCastOutcome, PlanarPortalSolution, PlanarRayCast, cast_polygons, cross, dot, interior, norm,
    scale,
};
use super::polytope::check_scale;
use crate::shapes::PlanarShape;
use crate::{PlanarPose, Vec2, tolerances};

/// Separation of two convex bodies in the plane; see [`separation`](super::separation()).
pub fn planar_separation(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    options: &PlanarOptions,
    warm: &mut PlanarWarmStart,
) -> Result<PlanarSeparation, QueryError> {
    separation_from_half_space(a, pose_a, b, pose_b, options, warm)
        .unwrap_or_else(|| bounded(a, pose_a, b, pose_b, options, warm))
}

fn bounded(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    options: &PlanarOptions,
    warm: &mut PlanarWarmStart,
) -> Result<PlanarSeparation, QueryError> {
    QueryError::unless_finite(pose_a, pose_b)?;
    let size = a.outer_radius() + b.outer_radius();
    let rotation = pose_a.rotation.inverse() * pose_b.rotation;
    let m = rotation.matrix();
    let r = [[m[(0, 0)], m[(0, 1)]], [m[(1, 0)], m[(1, 1)]]];
    let t = pose_a.inverse_direction(&(pose_a.position - pose_b.position)) + a.reference()
        - rotation * b.reference();
    let reach = t.norm();
    check_scale(size, reach)?;
    let (distance, beta) = match options.beta {
        Some(beta) => {
            let beta = pose_a.inverse_direction(&unit_direction(&beta)?);
            (t.dot(&beta), beta)
        }
        None if reach > tolerances::COINCIDENT * size => (reach, t / reach),
        None => {
            let last = pose_a.inverse_direction(&warm.beta).try_normalize(1e-3);
            (reach, last.unwrap_or_else(|| pose_a.inverse_direction(&Vec2::y())))
        }
    };
    let offset = if options.beta.is_some() { beta * distance - t } else { Vec2::zeros() };
    let line = PlanarRayCast {
        d: [-beta.x, -beta.y],
        distance,
        size,
        prediction: tolerances::border(options.prediction, size),
    };
    let frame = PlanarQuery { a, pose_a, line, prescribed: options.beta.is_some() };
    if reach - size > line.prediction {
        return Ok(frame.unsolved(Outcome::Beyond, distance - size, 0, warm));
    }
    let pair = PlanarPair { a, b, r, offset: offset.into() };
    Ok(frame.solve(&pair, a.inner_radius() + b.inner_radius(), warm))
}

/// A planar query and the ray to cast.
struct PlanarQuery<'a> {
    a: &'a PlanarShape,
    pose_a: &'a PlanarPose,
    line: PlanarRayCast,
    prescribed: bool,
}

impl PlanarQuery<'_> {
    fn solve(&self, pair: &PlanarPair, rho: f64, warm: &mut PlanarWarmStart) -> PlanarSeparation {
        let mut iterations = 0;
        let start = match self.warm_portal(pair, warm) {
            Some(start) => start,
            None if norm(&pair.offset) < 0.5 * rho => interior(&self.line.d, rho, &pair.offset),
            None => match self.discover_portal(pair, &mut iterations) {
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
            PlanarCastOutcome::Beyond(lower) => self.unsolved(Outcome::Beyond, lower, iterations, warm),
            PlanarCastOutcome::Solved(proof) => self.solved(&proof, iterations, warm),
        }
    }

    /// The last portal, if the line still passes between its points.
    fn warm_portal(&self, pair: &PlanarPair, warm: &PlanarWarmStart) -> Option<[PlanarPoint; 2]> {
        let (right, left) = (pair.vertices(warm.basis[0])?, pair.vertices(warm.basis[1])?);
        let (c0, c1) = (cross(&self.line.d, &right.w), cross(&self.line.d, &left.w));
        (c0 <= 0.0 && c1 >= 0.0 && c1 > c0).then_some([right, left])
    }

    /// The outermost points on both sides of a line far from the origin, or the side on which nothing lies.
    fn discover_portal(&self, pair: &PlanarPair, iterations: &mut u32) -> Result<[PlanarPoint; 2], (P, f64)> {
        let d = &self.line.d;
        let mut flank = |side: P| {
            *iterations += 1;
            let p = pair.support(&side);
            let height = dot(&side, &p.w);
            if height > 1e-15 * self.line.size { Ok(p) } else { Err((side, -height)) }
        };
        Ok([flank([d[1], -d[0]])?, flank([-d[1], d[0]])?])
    }

    fn solved(
        &self,
        proof: &PlanarPortalSolution,
        iterations: u32,
        warm: &mut PlanarWarmStart,
    ) -> PlanarSeparation {
        let beta = self.beta();
        *warm = PlanarWarmStart { basis: proof.id, beta };
        let line = (beta, self.line.distance);
        let answer = PlanarSeparation::solved(proof, self.pose_a, &self.a.reference(), line, iterations);
        PlanarSeparation { prescribed: self.prescribed, ..answer }
    }

    fn unsolved(
        &self,
        outcome: Outcome,
        lower: f64,
        iterations: u32,
        warm: &mut PlanarWarmStart,
    ) -> PlanarSeparation {
        warm.beta = self.beta();
        let answer = PlanarSeparation::unsolved(outcome, lower, (warm.beta, self.line.distance), iterations);
        PlanarSeparation { prescribed: self.prescribed, ..answer }
    }

    /// Unit direction from b to a, world axes.
    fn beta(&self) -> Vec2 {
        self.pose_a.direction(&Vec2::from(scale(&self.line.d, -1.0)))
    }
}
