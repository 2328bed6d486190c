//! The point of `K1 - K2` nearest to the origin in the plane: see the spatial `nearest`.

use super::expansion::{left, side};
use super::pair::{Core, Pair};
use super::{Nearest, SupportPoint};
use crate::Vec2;
use crate::euclid::nearest::{Search, SimplexIn};
use crate::euclid::simplex::unit;
use crate::tolerances::euclid::{ENTERING, NEAREST_STEPS, ROUNDING, STALL_LIMIT, TOUCHING};

/// One corner or an edge, and its point nearest to the origin.
#[derive(Clone, Copy)]
struct Simplex {
    corners: [SupportPoint; 2],
    /// Weight of the second corner; zero when there is only one.
    t: f64,
    point: Vec2,
}

impl SimplexIn<2> for Simplex {
    fn new(corner: SupportPoint) -> Self {
        Self { corners: [corner; 2], t: 0.0, point: corner.w }
    }

    fn point(&self) -> Vec2 {
        self.point
    }

    fn witnesses(&self) -> (Vec2, Vec2) {
        let ([a, b], t) = (self.corners, self.t);
        ((1.0 - t) * a.x + t * b.x, (1.0 - t) * a.z + t * b.z)
    }
}

impl Simplex {
    fn contains(&self, corner: &SupportPoint) -> bool {
        self.corners.iter().any(|c| c.same(corner))
    }

    /// The edge between two corners, if its nearest point lies between them.
    fn edge(a: &SupportPoint, b: &SupportPoint) -> Option<Self> {
        let edge = b.w - a.w;
        let square = edge.norm_squared();
        let mut t = -a.w.dot(&edge) / square;
        t -= (a.w + t * edge).dot(&edge) / square;
        // The first corner is the one that came in: rounding may not deny it its place.
        let weight = t.min(1.0);
        let point = (1.0 - weight) * a.w + weight * b.w;
        (t > 0.0 && t < 1.0 + ENTERING).then_some(Self { corners: [*a, *b], t: weight, point })
    }

    /// Unit vector towards `point`: across the edge where there is one.
    fn normal(&self) -> Option<Vec2> {
        if self.t == 0.0 {
            return unit(&self.point);
        }
        across(&self.corners[0].w, &self.corners[1].w, &self.point)
    }
}

/// Unit normal of an edge on the side of `towards`.
fn across(a: &Vec2, b: &Vec2, towards: &Vec2) -> Option<Vec2> {
    let normal = left(unit(&(b - a))?);
    Some(if normal.dot(towards) < 0.0 { -normal } else { normal })
}

/// Whether the triangle of the corners holds the origin strictly inside; exact.
fn encloses(a: &Vec2, b: &Vec2, c: &Vec2) -> bool {
    let o = Vec2::zeros();
    let turn = side(a, b, c).signum();
    side(a, b, &o) * turn > 0.0 && side(b, c, &o) * turn > 0.0 && side(c, a, &o) * turn > 0.0
}

/// Bounds of the distance of the two cores, or that they touch or overlap.
pub(super) fn nearest(pair: &Pair) -> Nearest {
    let start = unit(&-pair.offset).unwrap_or_else(Vec2::x);
    let mut search: Search<2, Core, Simplex> = Search::new(pair, start);
    let mut simplex = search.nearest;
    let slack = ROUNDING * pair.scale;
    let mut stall_budget = STALL_LIMIT;
    loop {
        let (lower, upper) = (search.lower, search.upper());
        if upper <= TOUCHING * pair.scale {
            return Nearest::Touching(search.bounds());
        }
        let Some(normal) = simplex.normal() else { return Nearest::Apart(search.bounds()) };
        let corner = search.price(&normal);
        let done = upper - search.lower <= pair.goal() || search.evaluations > NEAREST_STEPS;
        if done || stall_budget == 0 || simplex.contains(&corner) {
            return Nearest::Apart(search.bounds());
        }
        let [a, b] = simplex.corners;
        if simplex.t > 0.0 && encloses(&a.w, &b.w, &corner.w) {
            return Nearest::Overlapping(search.bounds());
        }
        // Few corners first: of equally near candidates, an edge is kept.
        let candidates = [Some(Simplex::new(corner)), Simplex::edge(&corner, &a), Simplex::edge(&corner, &b)];
        let mut next: Option<Simplex> = None;
        for candidate in candidates.into_iter().flatten() {
            let limit = next.as_ref().unwrap_or(&simplex).point.norm();
            if candidate.point.norm() <= limit + slack {
                next = Some(candidate);
            }
        }
        let Some(next) = next else {
            // Rounding has been reached: one of the edges to the last corner has the right normal.
            for end in [a, b] {
                if let Some(normal) = across(&corner.w, &end.w, &simplex.point) {
                    search.price(&normal);
                }
            }
            return Nearest::Apart(search.bounds());
        };
        simplex = next;
        if simplex.point.norm() < search.upper() {
            search.nearest = simplex;
        }
        // Pivots that move neither bound could turn in circles.
        let moved = search.lower > lower + slack || search.upper() < upper - slack;
        stall_budget = if moved { STALL_LIMIT } else { stall_budget - 1 };
    }
}
