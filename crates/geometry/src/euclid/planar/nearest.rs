//! The point of `K1 - K2` nearest to the origin in the plane: see the spatial `nearest`.

use super::expansion::{left, side};
use super::pair::{Corner, Gap, Pair};
use crate::Vec2;
use crate::euclid::limits::{NEAREST_STEPS, TOUCHING};

/// Where the origin lies with respect to `K1 - K2`.
pub(super) enum Nearest {
    /// Outside: the bounds of the distance.
    Apart(Gap),
    /// On the boundary to rounding.
    Touching(Gap),
    /// Strictly inside.
    Overlapping(Gap),
}

/// One corner or an edge, and its point nearest to the origin.
#[derive(Clone, Copy)]
struct Simplex {
    corners: [Corner; 2],
    /// Weight of the second corner; zero when there is only one.
    t: f64,
    point: Vec2,
}

impl Simplex {
    fn new(corner: Corner) -> Self {
        Self { corners: [corner; 2], t: 0.0, point: corner.w }
    }

    fn contains(&self, corner: &Corner) -> bool {
        self.corners.iter().any(|c| c.same(corner))
    }

    /// The edge between two corners, if its nearest point lies between them.
    fn edge(a: &Corner, b: &Corner) -> Option<Self> {
        let edge = b.w - a.w;
        let square = edge.norm_squared();
        let mut t = -a.w.dot(&edge) / square;
        t -= (a.w + t * edge).dot(&edge) / square;
        (t > 0.0 && t < 1.0).then(|| Self { corners: [*a, *b], t, point: (1.0 - t) * a.w + t * b.w })
    }

    /// Unit vector towards `point`: across the edge where there is one.
    fn normal(&self) -> Option<Vec2> {
        if self.t == 0.0 {
            return unit(&self.point);
        }
        across(&self.corners[0].w, &self.corners[1].w, &self.point)
    }
}

pub(super) fn unit(v: &Vec2) -> Option<Vec2> {
    let largest = v.amax();
    (largest > 0.0 && largest.is_finite()).then(|| (v / largest).normalize())
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

/// Bounds of the distance of the two cores, or the news that they meet.
pub(super) fn nearest(pair: &Pair) -> Nearest {
    let start = unit(&-pair.offset).unwrap_or_else(Vec2::x);
    let first = pair.support(&start);
    let mut simplex = Simplex::new(first);
    let mut search = Search { pair, lower: start.dot(&first.w), normal: start, evaluations: 1 };
    loop {
        let upper = simplex.point.norm();
        if upper <= TOUCHING * pair.scale {
            return Nearest::Touching(search.gap(&simplex));
        }
        let Some(normal) = simplex.normal() else { return Nearest::Apart(search.gap(&simplex)) };
        let corner = search.price(&normal);
        let done = upper - search.lower <= pair.goal() || search.evaluations > NEAREST_STEPS;
        if done || simplex.contains(&corner) {
            return Nearest::Apart(search.gap(&simplex));
        }
        let [a, b] = simplex.corners;
        if simplex.t > 0.0 && encloses(&a.w, &b.w, &corner.w) {
            return Nearest::Overlapping(search.gap(&simplex));
        }
        let candidates = [Some(Simplex::new(corner)), Simplex::edge(&corner, &a), Simplex::edge(&corner, &b)];
        let closer = candidates
            .into_iter()
            .flatten()
            .filter(|s| s.point.norm_squared() < simplex.point.norm_squared())
            .min_by(|s, t| s.point.norm_squared().total_cmp(&t.point.norm_squared()));
        if let Some(next) = closer {
            simplex = next;
            continue;
        }
        // Rounding has been reached: one of the edges to the last corner has the right normal.
        for end in [a, b] {
            if let Some(normal) = across(&corner.w, &end.w, &simplex.point) {
                search.price(&normal);
            }
        }
        return Nearest::Apart(search.gap(&simplex));
    }
}

struct Search<'a> {
    pair: &'a Pair<'a>,
    /// Largest support gap so far, and its normal.
    lower: f64,
    normal: Vec2,
    evaluations: u32,
}

impl Search<'_> {
    /// The corner lowest along `normal`; its height is a lower bound.
    fn price(&mut self, normal: &Vec2) -> Corner {
        let corner = self.pair.support(normal);
        self.evaluations += 1;
        let height = normal.dot(&corner.w);
        if height > self.lower {
            self.lower = height;
            self.normal = *normal;
        }
        corner
    }

    fn gap(&self, simplex: &Simplex) -> Gap {
        let ([a, b], t) = (simplex.corners, simplex.t);
        Gap {
            lower: self.lower,
            upper: simplex.point.norm(),
            normal: self.normal,
            x: (1.0 - t) * a.x + t * b.x,
            z: (1.0 - t) * a.z + t * b.z,
            evaluations: self.evaluations,
        }
    }
}
