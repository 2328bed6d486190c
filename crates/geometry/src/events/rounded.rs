//! Spheres and capsules: bodies within a radius of a point or a segment, against each other and polytopes.
//!
//! With the radii `r = r_a + r_b` moved to one side, two *cores* (a point, a segment, a polytope) approach along β
//! until their distance is `r`. The event of two core features `x`, `y` solves
//!
//! ```text
//! x - y = s β + r n        n the unit normal across both features, <n, β> > 0, s the smaller root
//! p_a = x - r_a n,  p_b = y + r_b n,  alpha = n/<n, β>
//! ```
//!
//! in closed form: linear for corner on face and edge on edge, quadratic for corner on edge (a cylinder about the
//! edge) and corner on corner (a ball). The gradient is that of any event: `s` is stationary in `n`.

use super::band::{Band, BandEdge, BandFace, BandVertex, Placed};
use super::candidates::{ActivityTest, Candidate, corner_admits, edge_admits, outside_face};
use super::event::{ContactEvent, EventKind};
use crate::Vec3;
use crate::shapes::Feature;
use crate::tolerances::events::{EXACT_TILT, GRAZING, PARALLEL};

/// A body of the pair in the working frame.
#[derive(Clone, Copy)]
pub(crate) struct RoundedBody<'a> {
    /// The polytope, unless the core is a point or a segment.
    pub placed: Option<Placed<'a>>,
    pub band: &'a Band,
    pub radius: f64,
}

impl RoundedBody<'_> {
    fn corner_feature(&self, corner: &BandVertex) -> Feature {
        let is_ball = self.placed.is_none() && self.band.corners.len() == 1;
        if is_ball { Feature::Curved } else { Feature::Vertex(corner.vertex) }
    }

    fn admits_corner(&self, corner: &BandVertex, rising: &Vec3, tilt: f64) -> bool {
        match &self.placed {
            Some(placed) => corner_admits(placed, corner.vertex, rising, tilt),
            None => self.band.corners.iter().all(|other| {
                let edge = other.point - corner.point;
                rising.dot(&edge) >= -tilt * edge.norm()
            }),
        }
    }

    fn admits_edge(&self, band_edge: &BandEdge, rising: &Vec3, tilt: f64) -> bool {
        self.placed.is_none_or(|placed| edge_admits(&placed, band_edge, rising, tilt))
    }
}

/// Which of the two bodies owns the first feature of a piece, as the sign that maps its problem onto a's.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    A,
    B,
}

/// Lists the events of all feature pairs.
pub(crate) struct RoundedPair<'a> {
    pub test: ActivityTest<'a>,
    pub a: RoundedBody<'a>,
    pub b: RoundedBody<'a>,
    pub resolution: f64,
}

impl RoundedPair<'_> {
    pub(crate) fn all(&self, found: &mut Vec<Candidate>) {
        for x in &self.a.band.corners {
            found.extend(self.b.band.corners.iter().filter_map(|y| self.corner_on_corner(x, y)));
            found.extend(self.b.band.edges.iter().filter_map(|e| self.corner_on_edge(Owner::A, x, e)));
            found.extend(self.b.band.faces.iter().filter_map(|w| self.corner_on_face(Owner::A, x, w)));
        }
        for y in &self.b.band.corners {
            found.extend(self.a.band.edges.iter().filter_map(|e| self.corner_on_edge(Owner::B, y, e)));
            found.extend(self.a.band.faces.iter().filter_map(|w| self.corner_on_face(Owner::B, y, w)));
        }
        for e in &self.a.band.edges {
            found.extend(self.b.band.edges.iter().filter_map(|f| self.edge_on_edge(e, f)));
        }
    }

    fn radius(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    /// The event with core points `x`, `y = x - s β - r n`.
    fn event(&self, a: Feature, b: Feature, separation: f64, n: Vec3, x: Vec3) -> ContactEvent {
        let line = self.test.line;
        let point_a = x - n * self.a.radius;
        ContactEvent {
            kind: EventKind::Smooth { a, b },
            separation,
            alpha: n / n.dot(&line.beta),
            point_a,
            point_b: point_a - line.beta * separation,
            line,
        }
    }

    fn keep(&self, event: ContactEvent, excess: f64, reach: f64) -> Option<Candidate> {
        let wanted = excess <= reach && self.test.accepts(event.separation, event.alpha.norm());
        wanted.then_some(Candidate { event, excess })
    }

    fn corner_on_corner(&self, x: &BandVertex, y: &BandVertex) -> Option<Candidate> {
        let (beta, r) = (self.test.line.beta, self.radius());
        let d = x.point - y.point;
        let along = d.dot(&beta);
        let inside = r * r - (d - beta * along).norm_squared();
        if inside < 0.0 {
            return None;
        }
        let s = along - inside.sqrt();
        let n = (d - beta * s) / r;
        let admitted = n.dot(&beta) > GRAZING
            && self.a.admits_corner(x, &n, EXACT_TILT)
            && self.b.admits_corner(y, &-n, EXACT_TILT);
        if !admitted {
            return None;
        }
        let (a, b) = (self.a.corner_feature(x), self.b.corner_feature(y));
        self.keep(self.event(a, b, s, n, x.point), 0.0, self.resolution)
    }

    /// A corner of one body and an edge of the other.
    fn corner_on_edge(&self, owner: Owner, corner: &BandVertex, band_edge: &BandEdge) -> Option<Candidate> {
        let r = self.radius();
        // From the edge's body to the corner's.
        let sign = if owner == Owner::A { 1.0 } else { -1.0 };
        let beta = self.test.line.beta * sign;
        let length = band_edge.along.norm();
        let e = band_edge.along / length;
        let across = |v: &Vec3| v - e * e.dot(v);
        let d = corner.point - band_edge.from;
        let (beta_across, d_across) = (across(&beta), across(&d));
        let (p, q) = (beta_across.norm_squared(), beta_across.dot(&d_across));
        let inside = q * q - p * (d_across.norm_squared() - r * r);
        if p <= GRAZING * GRAZING || inside < 0.0 {
            return None;
        }
        let s = (q - inside.sqrt()) / p;
        let n = (d_across - beta_across * s) / r;
        let (own, other) = if owner == Owner::A { (&self.a, &self.b) } else { (&self.b, &self.a) };
        let admitted = n.dot(&beta) > GRAZING
            && own.admits_corner(corner, &n, EXACT_TILT)
            && other.admits_edge(band_edge, &-n, EXACT_TILT);
        if !admitted {
            return None;
        }
        let at = e.dot(&(d - beta * s));
        let excess = (-at).max(at - length);
        let (corner_feature, edge_feature) = (own.corner_feature(corner), Feature::Edge(band_edge.edge));
        let event = match owner {
            Owner::A => self.event(corner_feature, edge_feature, s, n, corner.point),
            Owner::B => self.event(edge_feature, corner_feature, s, -n, band_edge.from + e * at),
        };
        self.keep(event, excess, self.resolution)
    }

    /// A corner of one body over a face of the other.
    fn corner_on_face(&self, owner: Owner, corner: &BandVertex, band_face: &BandFace) -> Option<Candidate> {
        let (own, other) = if owner == Owner::A { (&self.a, &self.b) } else { (&self.b, &self.a) };
        let placed = other.placed?;
        let sign = if owner == Owner::A { 1.0 } else { -1.0 };
        let (n, beta) = (band_face.normal, self.test.line.beta * sign);
        let slope = n.dot(&beta);
        if slope <= GRAZING || !own.admits_corner(corner, &n, self.test.options.tilt) {
            return None;
        }
        let face = &placed.polytope.faces()[band_face.face as usize];
        let height = face.normal.dot(&placed.to_body(&corner.point)) - face.offset;
        let s = (height - self.radius()) / slope;
        let projected = corner.point - beta * s - n * self.radius();
        let excess = outside_face(placed.polytope, band_face.face, &placed.to_body(&projected));
        let (corner_feature, face_feature) = (own.corner_feature(corner), Feature::Face(band_face.face));
        let event = match owner {
            Owner::A => self.event(corner_feature, face_feature, s, n, corner.point),
            Owner::B => self.event(face_feature, corner_feature, s, -n, projected),
        };
        self.keep(event, excess, self.test.options.eps_x)
    }

    fn edge_on_edge(&self, band_edge_a: &BandEdge, band_edge_b: &BandEdge) -> Option<Candidate> {
        let beta = self.test.line.beta;
        let (e, f) = (band_edge_a.along, band_edge_b.along);
        let nu = e.cross(&f);
        if nu.norm_squared() <= PARALLEL * PARALLEL * e.norm_squared() * f.norm_squared() {
            return None;
        }
        let alpha = self.test.alpha(&nu)?;
        let n = alpha.normalize();
        let tilt = self.test.options.tilt;
        if !self.a.admits_edge(band_edge_a, &n, tilt) || !self.b.admits_edge(band_edge_b, &-n, tilt) {
            return None;
        }
        let d = band_edge_a.from - band_edge_b.from - n * self.radius();
        let c = nu.dot(&beta);
        let u = -d.dot(&f.cross(&beta)) / c;
        let v = -d.dot(&e.cross(&beta)) / c;
        let s = alpha.dot(&(d + e * u - f * v));
        let beyond = |t: f64, length: f64| (-t).max(t - 1.0) * length;
        let excess = beyond(u, e.norm()).max(beyond(v, f.norm()));
        let (a, b) = (Feature::Edge(band_edge_a.edge), Feature::Edge(band_edge_b.edge));
        self.keep(self.event(a, b, s, n, band_edge_a.from + e * u), excess, self.test.options.eps_x)
    }
}
