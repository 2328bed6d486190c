//! The portal method in the plane where at least one body is curved.
//!
//! The boundary of the Minkowski difference of a curved body and a polygon consists of arcs, on each of which one
//! vertex meets the curve, and of sides, along which one edge slides over one point of it; two curved bodies make a
//! single arc. Directions are `n = d + θ t` with `t` to the left of `d`: along the boundary from right to left both
//! `θ` and the sideways coordinate `c(θ) = d x w` grow, and the wanted `θ` is where `c` passes zero.
//!
//! ```text
//! corners at two vertices:  θ across the line between them. Support elsewhere: a new corner between them. Else it is
//!                           a side: the line pierces it (solved exactly), or leaves it on one of its two arcs.
//! corners on one arc:       Newton's method, c' = Σ (det A)²/h³; the chord's normal, which halves the arc, where
//!                           Newton leaves the bracket or does not come closer.
//! ```
//!
//! The search ends with a point on the line up to rounding, or two around it as near as rounding lets them come. Value,
//! direction, points and weights are read off there, where each is as exact as the others: the value alone is
//! good much earlier, being stationary.

use super::planar_pair::{PlanarPair, PlanarPoint};
use super::planar_portal::{
    P, PlanarCastOutcome, PlanarPortalSolution, PlanarRayCast, add_scaled, cross, dot, norm, read_solution,
    sub,
};
use crate::tolerances::kernel::{ON_LINE, SAME_HEIGHT};
use crate::tolerances::separation::planar_curved::PROGRESS;

/// Most support queries: bisection alone reaches rounding in about a hundred.
const LIMIT: u32 = 400;

/// Two points around the line, the right one first, as far sideways as `c`, found along the directions `slope`
/// (infinite where unknown).
struct Bracket {
    corner: [PlanarPoint; 2],
    c: P,
    slope: P,
}

impl Bracket {
    fn replace(&mut self, side: usize, corner: PlanarPoint, c: f64, slope: f64) {
        self.corner[side] = corner;
        self.c[side] = c;
        self.slope[side] = slope;
    }

    /// The corner nearest to the line among those that were found, and how near it is.
    fn nearest(&self) -> (usize, f64) {
        let [right, left] =
            [0, 1].map(|k| if self.slope[k].is_finite() { self.c[k].abs() } else { f64::INFINITY });
        if right < left { (0, right) } else { (1, left) }
    }

    /// The next direction on an arc: Newton's from the nearest corner if it stays between the two, or the chord's.
    fn on_arc(&self, pair: &PlanarPair, d: &P, newton: bool) -> f64 {
        let (k, near) = self.nearest();
        if newton && near.is_finite() && self.corner[0].id == self.corner[1].id {
            let t = [-d[1], d[0]];
            let slope = self.slope[k] - self.c[k] / pair.curvature(&add_scaled(d, &t, self.slope[k]));
            if self.slope[0] < slope && slope < self.slope[1] {
                return slope;
            }
        }
        across(d, &sub(&self.corner[1].w, &self.corner[0].w))
    }
}

/// The direction orthogonal to `e`.
fn across(d: &P, e: &P) -> f64 {
    -dot(d, e) / cross(d, e)
}

/// Casts the line from two points with the line between them (the right one first).
pub(crate) fn cast_curved(
    pair: &PlanarPair,
    start: [PlanarPoint; 2],
    cast: &PlanarRayCast,
    count: &mut u32,
) -> PlanarCastOutcome {
    let d = &cast.d;
    let t = [-d[1], d[0]];
    let c = start.map(|p| cross(d, &p.w));
    let mut bracket = Bracket { corner: start, c, slope: [f64::NEG_INFINITY, f64::INFINITY] };
    // The lowest supporting line seen: τ <= height.
    let mut lowest = (f64::INFINITY, *d);
    let mut newton = true;
    for _ in 0..LIMIT {
        let ids = bracket.corner.map(|p| p.id);
        // A corner may have been found along the very normal of the side: rounding must not put it out of bounds.
        let side =
            pair.side(ids[0], ids[1]).map(|e| across(d, &e).max(bracket.slope[0]).min(bracket.slope[1]));
        let slope = side.unwrap_or_else(|| bracket.on_arc(pair, d, newton));
        // Also where it is not a number: the corners are one.
        if !(bracket.slope[0] <= slope && slope <= bracket.slope[1] && slope.is_finite()) {
            break;
        }
        let n = add_scaled(d, &t, slope);
        let p = pair.support(&n);
        *count += 1;
        let height = dot(&n, &p.w);
        if height < lowest.0 {
            lowest = (height, n);
        }
        let apart = cast.distance - height;
        if apart > cast.prediction * norm(&n) {
            return PlanarCastOutcome::Beyond(apart);
        }
        let c = cross(d, &p.w);
        let left = usize::from(c > 0.0);
        // Between two directions lie points between theirs: where they do not, what is left is rounding.
        let between = !bracket.slope[left].is_finite() || c.abs() < bracket.c[left].abs();
        if side.is_some() && (ids.contains(&p.id) || !between) {
            let ends = ids.map(|id| pair.at(id, &n));
            let c = ends.map(|p| cross(d, &p.w));
            if c[0] <= 0.0 && c[1] >= 0.0 {
                return PlanarCastOutcome::Solved(read_solution(&ends, &c, cast, height, &n));
            }
            // The whole side lies to the left (right) of the line: on with the arc of its right (left) end.
            let left = usize::from(c[0] > 0.0);
            bracket.replace(left, ends[1 - left], c[1 - left], slope);
            continue;
        }
        if !between {
            break;
        }
        let before = bracket.nearest().1;
        bracket.replace(left, p, c, slope);
        let after = bracket.nearest().1;
        newton = !newton || PROGRESS * after <= before;
        if after <= ON_LINE * cast.size {
            break;
        }
    }
    PlanarCastOutcome::Solved(read_bracket(&bracket, cast, lowest))
}

/// Everything at the corner nearest to the line, or between the two.
fn read_bracket(bracket: &Bracket, cast: &PlanarRayCast, lowest: (f64, P)) -> PlanarPortalSolution {
    let d = &cast.d;
    let (k, near) = bracket.nearest();
    let (corner, c) = match near <= ON_LINE * cast.size {
        true => ([bracket.corner[k]; 2], [0.0; 2]),
        false => (bracket.corner, bracket.c),
    };
    let n = add_scaled(d, &[-d[1], d[0]], bracket.slope[k]);
    let height = dot(&n, &bracket.corner[k].w);
    let lower = lowest.0 + SAME_HEIGHT * cast.size * norm(&n) < height;
    let (height, n) = if lower || !near.is_finite() { lowest } else { (height, n) };
    read_solution(&corner, &c, cast, height, &n)
}
