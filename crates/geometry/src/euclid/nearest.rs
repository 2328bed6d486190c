//! The point of `K1 - K2` nearest to the origin: the distance of two bodies that are apart.
//!
//! The iteration of Gilbert, Johnson and Keerthi (GJK) [Gilbert 1988] with both bounds kept:
//!
//! ```text
//! v  nearest point of the current simplex           |v| >= h           upper bound
//! n  unit normal of the simplex towards v
//! c  corner of K1 - K2 lowest along n               <n, c> <= h        lower bound
//! stop when the bounds meet; otherwise c joins the simplex
//! ```
//!
//! The simplex approaches the origin or, for a few degenerate pivots on nearly parallel features, stays where
//! it is; otherwise the loop ends. Where rounding stops the approach before the bounds have met (a nearest
//! point on the border of two features), the normals of every face of the last simplex are tried: one of
//! them is the normal of the right feature.

use nalgebra::SVector;

use super::bounds::{DistanceBounds, Nearest, SupportPoint};
use super::pair::{Core, CoreIn, Pair, PairIn};
use super::simplex::{Advance, Simplex, across_edge, across_triangle, unit};
use crate::Vec3;
use crate::tolerances::euclid::{NEAREST_STEPS, REFINE_STEPS, ROUNDING, STALL_LIMIT, TOUCHING};

/// Bounds of the distance of the two cores, or that they touch or overlap.
pub(super) fn nearest(pair: &Pair) -> Nearest {
    let start = unit(&-pair.offset).unwrap_or_else(Vec3::z);
    let mut search: Search<3, Core, Simplex> = Search::new(pair, start);
    let mut simplex = search.nearest;
    let slack = ROUNDING * pair.scale;
    let mut stall_budget = STALL_LIMIT;
    loop {
        if search.upper() <= TOUCHING * pair.scale {
            return Nearest::Touching(search.bounds());
        }
        let (lower, upper) = (search.lower, search.upper());
        let normal = simplex.normal().or_else(|| unit(&simplex.point)).unwrap_or(search.normal);
        let corner = search.price(&normal);
        if search.is_done() {
            search.refine_witnesses();
            return Nearest::Apart(search.bounds());
        }
        let mut advance =
            if simplex.contains(&corner) { Advance::Stalled } else { simplex.advance(corner, slack) };
        if matches!(advance, Advance::Stalled) {
            advance = search.try_all_faces(&simplex, &corner, slack);
        }
        match advance {
            Advance::Closer(next) | Advance::Pivoted(next) => simplex = next,
            Advance::Inside => return Nearest::Overlapping(search.bounds()),
            Advance::Stalled => return Nearest::Apart(search.bounds()),
        }
        if simplex.point.norm() < search.upper() {
            search.nearest = simplex;
        }
        // Pivots that move neither bound could turn in circles.
        let moved = search.lower > lower + slack || search.upper() < upper - slack;
        stall_budget = if moved { STALL_LIMIT } else { stall_budget - 1 };
        if stall_budget == 0 {
            return Nearest::Apart(search.bounds());
        }
    }
}

/// What a search keeps in `D` dimensions, with the core `C` and the simplex `S`.
pub(super) struct Search<'a, const D: usize, C, S> {
    pair: &'a PairIn<D, C>,
    /// Largest support gap so far, and its normal.
    pub(super) lower: f64,
    pub(super) normal: SVector<f64, D>,
    /// The simplex with the shortest point so far.
    pub(super) nearest: S,
    pub(super) evaluations: u32,
}

/// A few corners of `K1 - K2` and the point of their hull nearest to the origin.
pub(super) trait SimplexIn<const D: usize>: Copy {
    /// A single corner.
    fn new(corner: SupportPoint<D>) -> Self;
    /// The nearest point.
    fn point(&self) -> SVector<f64, D>;
    /// The two points whose difference it is.
    fn witnesses(&self) -> (SVector<f64, D>, SVector<f64, D>);
}

impl<'a, const D: usize, C: CoreIn<D>, S: SimplexIn<D>> Search<'a, D, C, S> {
    /// Starts with the corner lowest along `normal`.
    pub(super) fn new(pair: &'a PairIn<D, C>, normal: SVector<f64, D>) -> Self {
        let first = pair.support(&normal);
        Self { pair, lower: normal.dot(&first.w), normal, nearest: S::new(first), evaluations: 1 }
    }

    pub(super) fn upper(&self) -> f64 {
        self.nearest.point().norm()
    }

    /// The corner lowest along `normal`; its height is a lower bound.
    pub(super) fn price(&mut self, normal: &SVector<f64, D>) -> SupportPoint<D> {
        let corner = self.pair.support(normal);
        self.evaluations += 1;
        let height = normal.dot(&corner.w);
        if height > self.lower {
            self.lower = height;
            self.normal = *normal;
        }
        corner
    }

    pub(super) fn bounds(&self) -> DistanceBounds<D> {
        let (x, z) = self.nearest.witnesses();
        let (upper, evaluations) = (self.upper(), self.evaluations);
        DistanceBounds { lower: self.lower, upper, normal: self.normal, x, z, evaluations }
    }
}

impl Search<'_, 3, Core<'_>, Simplex> {
    fn is_done(&self) -> bool {
        self.upper() - self.lower <= self.pair.goal() || self.evaluations > NEAREST_STEPS
    }

    /// Tries the normals of all faces of the simplex and `extra`. Returns at the first that makes progress.
    fn try_all_faces(&mut self, simplex: &Simplex, extra: &SupportPoint, slack: f64) -> Advance {
        let v = simplex.point;
        let mut w = [extra.w; 4];
        let old = simplex.corners();
        for (slot, corner) in w.iter_mut().zip(old) {
            *slot = corner.w;
        }
        let count = old.len() + usize::from(!simplex.contains(extra));
        let towards = |n: Vec3| if n.dot(&v) < 0.0 { -n } else { n };
        for i in 0..count {
            for j in i..count {
                for k in j..count {
                    let candidate = match (i == j, j == k) {
                        (true, true) => unit(&w[i]),
                        (true, false) => across_edge(&w[i], &w[k], &v),
                        (false, false) => across_triangle(&w[i], &w[j], &w[k]).map(towards),
                        (false, true) => None,
                    };
                    let Some(normal) = candidate else { continue };
                    let corner = self.price(&normal);
                    if self.is_done() {
                        return Advance::Stalled;
                    }
                    if !simplex.contains(&corner) {
                        match simplex.advance(corner, slack) {
                            Advance::Stalled => {}
                            progress => return progress,
                        }
                    }
                }
            }
        }
        Advance::Stalled
    }

    /// Refines the witness points to the accuracy of the bounds. A point sideways of the nearest one by `t` is longer
    /// by only `t²/2d`, which may be below the bounds; but a corner lies below the plane across it by
    /// `t/d` times the features' extent, and that leads on.
    fn refine_witnesses(&mut self) {
        let slack = ROUNDING * self.pair.scale;
        let mut simplex = self.nearest;
        let mut best = f64::INFINITY;
        for _ in 0..REFINE_STEPS {
            let Some(normal) = unit(&simplex.point) else { return };
            let corner = self.pair.support(&normal);
            self.evaluations += 1;
            let height = normal.dot(&corner.w);
            let short = simplex.point.norm() - height;
            if short < best {
                best = short;
                self.nearest = simplex;
                if short <= self.pair.goal() {
                    (self.lower, self.normal) = (height, normal);
                }
            }
            if short <= slack || simplex.contains(&corner) {
                return;
            }
            match simplex.advance(corner, slack) {
                Advance::Closer(next) | Advance::Pivoted(next) => simplex = next,
                _ => return,
            }
        }
    }
}
