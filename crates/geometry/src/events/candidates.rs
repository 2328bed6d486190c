//! Corner-on-face and edge-on-edge events of two bands [Hart Algorithms 3.14, 3.15].

use super::band::{Band, BandEdge, BandFace, BandVertex, Placed};
use super::event::{ContactEvent, EventKind, SeparationLine, Side};
use super::options::EventOptions;
use crate::Vec3;
use crate::shapes::Polytope;
use crate::tolerances::events::{GRAZING, PARALLEL};

/// An event together with how far its points lie outside their features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub event: ContactEvent,
    pub excess: f64,
}

/// The test whether an event is active or nearly active.
#[derive(Clone, Copy)]
pub(crate) struct ActivityTest<'a> {
    pub options: &'a EventOptions,
    pub line: SeparationLine,
    /// The pair's separation.
    pub separation: f64,
    /// `eps_t D`.
    pub activity_width: f64,
    /// Rounding of the lengths by which events that are far off are rejected early, with `eps_0`; infinite where they are
    /// not.
    pub rounding: f64,
}

impl ActivityTest<'_> {
    /// Whether an event with this value is active or nearly so.
    pub(crate) fn accepts(&self, separation: f64, alpha_norm: f64) -> bool {
        let slack = self.options.eps_0 * alpha_norm;
        separation >= self.separation - slack && separation <= self.separation + self.activity_width + slack
    }

    /// `alpha = nu/<nu, β>`, unless `nu` is across β.
    pub(crate) fn alpha(&self, nu: &Vec3) -> Option<Vec3> {
        let along = nu.dot(&self.line.beta);
        (along.abs() > GRAZING * nu.norm()).then(|| nu / along)
    }

    /// Whether an event certainly has a value too far off. `height` is its value times `along`, `<nu, β>` for the normal
    /// `nu` that it was taken along, and `uncertain` the length of `nu` times what rounding may have done to lengths.
    #[inline(always)]
    fn far(&self, height: f64, along: f64, uncertain: f64) -> bool {
        // Without a branch: which of the two holds is not predictable.
        (height < self.separation * along - uncertain)
            | (height > (self.separation + self.activity_width) * along + uncertain)
    }

    /// A corner of `corner_of` on a face of the other body. `None` when it is no event.
    #[inline(always)]
    fn corner_on_face(
        &self,
        corner_of: Side,
        (body, corner): (&Placed, &BandVertex),
        (other, band_face): (&Placed, &BandFace),
    ) -> Option<Candidate> {
        let beta = self.line.beta;
        // The face's normal must point towards the corner's body.
        let towards = if corner_of == Side::A { 1.0 } else { -1.0 };
        let along = band_face.along * towards;
        if along <= 0.0 {
            return None;
        }
        // Most are far off, which the rotated normal shows at less cost.
        if self.far(band_face.normal.dot(&corner.point) - band_face.level, along, self.rounding) {
            return None;
        }
        let face = &other.polytope.faces()[band_face.face as usize];
        let alpha = self.alpha(&band_face.normal)?;
        let alpha_norm = alpha.norm();
        let height = face.normal.dot(&other.to_body(&corner.point)) - face.offset;
        let separation = height * alpha_norm;
        if !self.accepts(separation, alpha_norm) {
            return None;
        }
        if !corner_admits(body, corner.vertex, &band_face.normal, self.options.tilt) {
            return None;
        }
        let projected = corner.point - beta * (towards * separation);
        let excess = outside_face(other.polytope, band_face.face, &other.to_body(&projected));
        if excess > self.options.eps_x {
            return None;
        }
        let (point_a, point_b) =
            if corner_of == Side::A { (corner.point, projected) } else { (projected, corner.point) };
        let kind = EventKind::CornerOnFace { corner_of, vertex: corner.vertex, face: band_face.face };
        Some(Candidate {
            event: ContactEvent { kind, separation, alpha, point_a, point_b, line: self.line },
            excess,
        })
    }

    /// Whether two edges, seen along β, lie beside each other.
    #[inline(always)]
    fn beside(&self, band_edge_a: &BandEdge, band_edge_b: &BandEdge) -> bool {
        let reach = 2.0 * self.options.eps_x;
        (band_edge_a.low.x > band_edge_b.high.x + reach)
            | (band_edge_b.low.x > band_edge_a.high.x + reach)
            | (band_edge_a.low.y > band_edge_b.high.y + reach)
            | (band_edge_b.low.y > band_edge_a.high.y + reach)
    }

    /// An edge of a across an edge of b. `None` when it is no event.
    #[inline(always)]
    pub(crate) fn edge_on_edge(
        &self,
        a: &Placed,
        band_edge_a: &BandEdge,
        b: &Placed,
        band_edge_b: &BandEdge,
    ) -> Option<Candidate> {
        if self.beside(band_edge_a, band_edge_b) {
            return None;
        }
        let (e, f) = (band_edge_a.along, band_edge_b.along);
        let nu = e.cross(&f);
        // Most are far off, which any two points of the edges show.
        let (between, along) = (band_edge_a.from - band_edge_b.from, nu.dot(&self.line.beta));
        let uncertain = self.rounding * (nu.x.abs() + nu.y.abs() + nu.z.abs());
        if self.far(nu.dot(&between) * along.signum(), along.abs(), uncertain) {
            return None;
        }
        if nu.norm_squared() <= PARALLEL * PARALLEL * e.norm_squared() * f.norm_squared() {
            return None;
        }
        let alpha = self.alpha(&nu)?;
        let alpha_norm = alpha.norm();
        let (event, excess) = self.cross_edges(band_edge_a, band_edge_b, &nu, alpha);
        if excess > self.options.eps_x || !self.accepts(event.separation, alpha_norm) {
            return None;
        }
        // Into body a the height along alpha must rise, into body b it must fall.
        let tilt = self.options.tilt * alpha_norm;
        if !edge_admits(a, band_edge_a, &alpha, tilt) || !edge_admits(b, band_edge_b, &-alpha, tilt) {
            return None;
        }
        Some(Candidate { event, excess })
    }

    /// Solves `x + u e - y - v f = s β` and returns how far the points lie beyond the edges' ends.
    pub(crate) fn cross_edges(
        &self,
        band_edge_a: &BandEdge,
        band_edge_b: &BandEdge,
        nu: &Vec3,
        alpha: Vec3,
    ) -> (ContactEvent, f64) {
        let beta = self.line.beta;
        let (e, f) = (band_edge_a.along, band_edge_b.along);
        let (d, c) = (band_edge_a.from - band_edge_b.from, nu.dot(&beta));
        let u = -d.dot(&f.cross(&beta)) / c;
        let v = -d.dot(&e.cross(&beta)) / c;
        let (point_a, meets) = (band_edge_a.from + e * u, band_edge_b.from + f * v);
        // Errors of u and v do not enter: alpha is across both edges.
        let separation = alpha.dot(&(point_a - meets));
        let beyond = |t: f64, length: f64| (-t).max(t - 1.0) * length;
        let excess = beyond(u, e.norm()).max(beyond(v, f.norm()));
        let kind = EventKind::EdgeOnEdge { edge_a: band_edge_a.edge, edge_b: band_edge_b.edge };
        let point_b = point_a - beta * separation;
        (ContactEvent { kind, separation, alpha, point_a, point_b, line: self.line }, excess)
    }

    /// Corners of one band on faces of the other; `clipped` the face of this body first.
    fn corners(
        &self,
        corner_of: Side,
        (body, band): (&Placed, &Band),
        (other, faces): (&Placed, &Band),
        clipped: Option<[u32; 2]>,
        found: &mut Vec<Candidate>,
    ) {
        let on_face = |v: u32, face: u32| body.polytope.vertex_faces(v as usize).contains(&face);
        for corner in &band.corners {
            let on_clipped = clipped.is_some_and(|[face, _]| on_face(corner.vertex, face));
            for band_face in &faces.faces {
                if !(on_clipped && clipped.is_some_and(|[_, face]| face == band_face.face)) {
                    found.extend(self.corner_on_face(corner_of, (body, corner), (other, band_face)));
                }
            }
        }
    }

    /// Every event of the two bands except those between the two given faces' own corners and sides (which
    /// the clipped overlap of these faces has delivered already); `depth` is that of the bands.
    pub(crate) fn all(
        &self,
        (a, band_a): (&Placed, &Band),
        (b, band_b): (&Placed, &Band),
        clipped: Option<[u32; 2]>,
        depth: f64,
        found: &mut Vec<Candidate>,
    ) {
        self.corners(Side::A, (a, band_a), (b, band_b), clipped, found);
        self.corners(Side::B, (b, band_b), (a, band_a), clipped.map(|[face, other]| [other, face]), found);
        let bounds = |p: &Polytope, edge: u32, face: u32| p.edges()[edge as usize].faces.contains(&face);
        // The box around all edges of b's band, as if it were one.
        let Some(all_b) = BandEdge::around(&band_b.edges) else { return };
        for band_edge_a in &band_a.edges {
            if self.beside(band_edge_a, &all_b) {
                continue;
            }
            let on_clipped = clipped.is_some_and(|[face, _]| bounds(a.polytope, band_edge_a.edge, face));
            for band_edge_b in &band_b.edges {
                // The heights of an event's points add up to what it is farther apart than the bodies.
                if (band_edge_a.height + band_edge_b.height > depth) | self.beside(band_edge_a, band_edge_b) {
                    continue;
                }
                if !(on_clipped
                    && clipped.is_some_and(|[_, face]| bounds(b.polytope, band_edge_b.edge, face)))
                {
                    found.extend(self.edge_on_edge(a, band_edge_a, b, band_edge_b));
                }
            }
        }
    }
}

/// Whether no edge falls from the corner against `rising` more steeply than `tilt` (a sine).
pub(crate) fn corner_admits(body: &Placed, vertex: u32, rising: &Vec3, tilt: f64) -> bool {
    let vertices = body.polytope.vertices();
    let rising = body.direction_to_body(rising);
    body.polytope.neighbours(vertex as usize).iter().all(|&neighbour| {
        let edge = vertices[neighbour as usize] - vertices[vertex as usize];
        let rise = rising.dot(&edge);
        rise >= 0.0 || rise >= -tilt * edge.norm()
    })
}

/// Whether neither face of the edge falls against `rising` more steeply than `tilt` allows.
pub(crate) fn edge_admits(body: &Placed, band_edge: &BandEdge, rising: &Vec3, tilt: f64) -> bool {
    let edge = &body.polytope.edges()[band_edge.edge as usize];
    let [n, m] = edge.faces.map(|f| body.direction(&body.polytope.faces()[f as usize].normal));
    // Across the edge into its faces; both have the edge's length.
    let (into_first, into_second) = (n.cross(&band_edge.along), band_edge.along.cross(&m));
    let least = -tilt * band_edge.along.norm();
    rising.dot(&into_first) >= least && rising.dot(&into_second) >= least
}

/// How far a point of a face's plane lies outside the face: the largest excess over its sides, metres;
/// negative inside. Body frame.
pub(crate) fn outside_face(polytope: &Polytope, face: u32, point: &Vec3) -> f64 {
    let face = &polytope.faces()[face as usize];
    let (vertices, corners) = (polytope.vertices(), polytope.face_loop(face));
    let mut worst = f64::NEG_INFINITY;
    for (&v, outward) in corners.iter().zip(polytope.face_outward(face)) {
        worst = worst.max(outward.dot(&(point - vertices[v as usize])));
    }
    worst
}
