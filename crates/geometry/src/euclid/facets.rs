//! Penetration depth of polytopes: the facet of `K1 - K2` nearest to the origin, exactly.
//!
//! The facets of the Minkowski difference are known: a face of one body with a vertex of the other, or two
//! edges whose arcs cross on the Gauss map. So the support gap (2.28) of overlapping bodies is
//!
//! ```text
//! h = max over n in { -face normals of a } ∪ { face normals of b } ∪ { ± e_a × e_b : arcs cross }
//!     of  h(n) = min <n, K1> - max <n, K2>
//! ```
//!
//! Every candidate is evaluated by `h(n)` itself, from true supports, which never exceeds the answer: a spurious
//! candidate is harmless, so the crossing tests are generous and only a missed one could hurt. Any pair
//! of points bounds a candidate, `h(n) <= <n, x - z>`; most are dismissed by that alone.

use super::bounds::DistanceBounds;
use super::pair::{Core, CoreIn, Pair};
use super::simplex::{across, unit};
use super::witness;
use crate::Vec3;
use crate::shapes::Polytope;
use crate::tolerances::euclid::{ARC, FEATURE, PARALLEL, TIE};

/// The features that span a facet of the Minkowski difference.
#[derive(Clone, Copy, Debug)]
pub(super) enum Facet {
    /// A face of body a and whatever of b touches it.
    FaceA(usize),
    /// A face of body b and whatever of a touches it.
    FaceB(usize),
    /// An edge of each.
    Edges(usize, usize),
    /// Whatever touches along the normal.
    Unknown,
}

/// An edge and its arc of outward normals on the Gauss map, in its body's axes relative to the reference point.
#[derive(Clone, Copy, Debug)]
pub(super) struct GaussArc {
    pub(super) from: Vec3,
    pub(super) to: Vec3,
    /// Unit direction.
    direction: Vec3,
    /// Normals of the two faces; `None` for a lone segment, whose arc is a whole great circle.
    ends: Option<[Vec3; 2]>,
}

impl Core<'_> {
    fn polytope(&self) -> Option<&Polytope> {
        match self {
            Core::Polytope(p) => Some(p),
            _ => None,
        }
    }

    /// Number of edges.
    pub(super) fn edge_count(&self) -> usize {
        match self {
            Core::Polytope(p) => p.edges().len(),
            Core::Segment(_) => 1,
            _ => 0,
        }
    }

    /// Normals of the two faces at edge `k`, body axes.
    #[inline]
    fn edge_ends(&self, k: usize) -> Option<[Vec3; 2]> {
        self.polytope().map(|p| p.edges()[k].faces.map(|f| p.faces()[f as usize].normal))
    }

    /// Edge `k`.
    pub(super) fn edge(&self, k: usize) -> Option<GaussArc> {
        let [from, to] = match self {
            Core::Polytope(p) => p.edges()[k].vertices.map(|v| Vec3::from(p.lanes().get(v as usize))),
            Core::Segment(half) => [Vec3::new(0.0, 0.0, -half), Vec3::new(0.0, 0.0, *half)],
            _ => return None,
        };
        Some(GaussArc { from, to, direction: unit(&(to - from))?, ends: self.edge_ends(k) })
    }
}

/// The largest support gap of two overlapping (or touching) polytopal cores of which at least one has
/// volume; `None` when neither has.
pub(super) fn depth(pair: &Pair) -> Option<DistanceBounds> {
    let mut search = Search { pair, floor: f64::NEG_INFINITY, best: None, ties: false, evaluations: 0 };
    search.faces_of_a();
    search.faces_of_b();
    search.best?;
    search.edge_pairs();
    let mut best = search.best?;
    let mut points = witness::features(pair, &best);
    let good = FEATURE * pair.scale;
    if points.is_none_or(|points| witness::miss(&best, &points) > good) {
        // Facets that are equally near to rounding: the one that holds the origin's foot is the one.
        search.ties = true;
        search.floor = best.height - 2.0 * TIE * pair.scale;
        search.faces_of_a();
        search.faces_of_b();
        search.edge_pairs();
        best = search.best?;
        points = witness::features(pair, &best);
    }
    let (x, z) = points
        .filter(|points| witness::miss(&best, points) <= good)
        .unwrap_or_else(|| witness::witnesses_at_touch(pair, &best));
    Some(DistanceBounds {
        lower: best.height,
        // All facets have been seen: what is left is the rounding of a support height.
        upper: best.height + TIE * pair.scale,
        normal: best.normal,
        x,
        z,
        evaluations: search.evaluations,
    })
}

/// A facet, its normal from b to a, and its support gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) normal: Vec3,
    pub(super) facet: Facet,
    pub(super) height: f64,
}

struct Search<'a> {
    pair: &'a Pair<'a>,
    /// A candidate must lie above this: the best so far, or a little below it among ties.
    floor: f64,
    best: Option<Candidate>,
    /// Whether candidates are compared by how well their features meet instead of by height.
    ties: bool,
    evaluations: u32,
}

impl Search<'_> {
    /// Evaluates a candidate by its supports.
    fn evaluate(&mut self, normal: Vec3, facet: Facet) -> Vec3 {
        let corner = self.pair.support(&normal);
        self.evaluations += 1;
        let candidate = Candidate { normal, facet, height: normal.dot(&corner.w) };
        if candidate.height > self.floor {
            if !self.ties {
                self.floor = candidate.height;
                self.best = Some(candidate);
            } else if self.has_better_witness(&candidate) {
                self.best = Some(candidate);
            }
        }
        corner.w
    }

    fn has_better_witness(&self, candidate: &Candidate) -> bool {
        let miss = |c: &Candidate| {
            witness::features(self.pair, c).map_or(f64::INFINITY, |points| witness::miss(c, &points))
        };
        self.best.is_none_or(|best| miss(candidate) < miss(&best))
    }

    fn faces_of_a(&mut self) {
        let Some(polytope) = self.pair.a.polytope() else { return };
        // The last corner bounds the next candidate.
        let mut corner: Option<Vec3> = None;
        for (k, face) in polytope.faces().iter().enumerate() {
            let normal = -face.normal;
            if corner.is_none_or(|w| normal.dot(&w) > self.floor) {
                corner = Some(self.evaluate(normal, Facet::FaceA(k)));
            }
        }
    }

    fn faces_of_b(&mut self) {
        let Some(polytope) = self.pair.b.polytope() else { return };
        let mut corner: Option<Vec3> = None;
        for (k, face) in polytope.faces().iter().enumerate() {
            let normal = self.pair.rotation * face.normal;
            if corner.is_none_or(|w| normal.dot(&w) > self.floor) {
                corner = Some(self.evaluate(normal, Facet::FaceB(k)));
            }
        }
    }

    fn edge_pairs(&mut self) {
        let (rotation, offset) = (self.pair.rotation, self.pair.offset);
        for i in 0..self.pair.a.edge_count() {
            let Some(edge_a) = self.pair.a.edge(i) else { continue };
            if edge_a.ends.is_some_and(|ends| self.cannot_improve(&edge_a, &ends)) {
                continue;
            }
            // The inner loop runs in b's axes, so that b's edges are used as they are stored.
            let direction = rotation.tr_mul(&edge_a.direction);
            let ends = edge_a.ends.map(|ends| ends.map(|n| rotation.tr_mul(&-n)));
            let from = rotation.tr_mul(&(edge_a.from - offset));
            for j in 0..self.pair.b.edge_count() {
                if !crosses(self.pair.b.edge_ends(j), &direction) {
                    continue;
                }
                let Some(edge_b) = self.pair.b.edge(j) else { continue };
                if !crosses(ends, &edge_b.direction) {
                    continue;
                }
                let lateral = across(&direction, &edge_b.direction);
                if lateral.norm() <= PARALLEL {
                    continue;
                }
                let Some(cross) = unit(&lateral).and_then(|l| unit(&direction.cross(&l))) else { continue };
                let reach = from - edge_b.from;
                for normal in [cross, -cross] {
                    if faces(ends, &normal)
                        && faces(edge_b.ends, &normal)
                        && normal.dot(&reach) > self.floor
                        && !self.repeats(&(rotation * normal))
                    {
                        self.evaluate(rotation * normal, Facet::Edges(i, j));
                    }
                }
            }
        }
    }

    /// Whether the best normal so far is this one to rounding. Edges along the sides of two parallel faces
    /// give the faces' normal again; the face is the better answer.
    fn repeats(&self, normal: &Vec3) -> bool {
        !self.ties && self.best.is_some_and(|best| (best.normal - normal).amax() <= TIE)
    }

    /// Whether no normal on the arc of an edge of a can beat the best: a bound by one pair of points, the
    /// edge's end and the support of b at the middle of the arc.
    fn cannot_improve(&self, edge: &GaussArc, ends: &[Vec3; 2]) -> bool {
        let [p, q] = [-ends[0], -ends[1]];
        let Some(middle) = unit(&(p + q)) else { return false };
        let (y, _) = self.pair.b.support(&self.pair.rotation.tr_mul(&middle));
        let w = edge.from - (self.pair.rotation * y + self.pair.offset);
        // Largest <n, w> over the arc: at an end, or at the projection of w on the arc's plane if the arc
        // holds it.
        let in_plane = across(&edge.direction, &w);
        let half = middle.dot(&p).min(middle.dot(&q)) - ARC;
        let bound = if middle.dot(&in_plane) >= half * in_plane.norm() {
            in_plane.norm()
        } else {
            p.dot(&w).max(q.dot(&w))
        };
        bound < self.floor - ARC * self.pair.scale
    }
}

/// Whether the arc between the two normals meets the great circle orthogonal to `direction`.
#[inline]
fn crosses(ends: Option<[Vec3; 2]>, direction: &Vec3) -> bool {
    ends.is_none_or(|[p, q]| {
        let (s, t) = (p.dot(direction), q.dot(direction));
        s.min(t) <= ARC && s.max(t) >= -ARC
    })
}

/// Whether `normal` lies on the arc's side of the sphere.
#[inline]
fn faces(ends: Option<[Vec3; 2]>, normal: &Vec3) -> bool {
    ends.is_none_or(|[p, q]| (p + q).dot(normal) >= -ARC)
}
