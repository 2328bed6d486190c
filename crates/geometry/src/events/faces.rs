//! Face on face: the incident face (of a) is clipped once against the reference face (of b), and the vertices of the overlap are
//! the events [Hart Theorem 3.4].

use super::band::{Band, BandEdge, BandFace, BandVertex, Placed, View};
use super::candidates::{ActivityTest, Candidate};
use super::clip::{ClipVertexKind, Clipper};
use super::event::{ContactEvent, EventKind, Side};
use crate::Vec2;
use crate::tolerances::events::FACING;

/// Workspace for one pair of faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct FacePair {
    subject: Vec<Vec2>,
    clip_polygon: Vec<Vec2>,
    clipper: Clipper,
}

impl FacePair {
    /// Finds two faces that lie on one another across the pair's separation and delivers the vertices of
    /// their overlap. Answers which faces, or `None` when there are none.
    pub(crate) fn overlap(
        &mut self,
        test: &ActivityTest,
        (a, band_a): (&Placed, &Band),
        (b, band_b): (&Placed, &Band),
        view: &View,
        resolution: f64,
        found: &mut Vec<Candidate>,
    ) -> Option<[u32; 2]> {
        for band_face_b in &band_b.faces {
            let along = band_face_b.along;
            if along <= 0.0 {
                continue;
            }
            for band_face_a in &band_a.faces {
                if (band_face_a.normal + band_face_b.normal).norm_squared() > FACING * FACING {
                    continue;
                }
                let separation = distance_of_planes(a, band_face_a, b, band_face_b) / along;
                let slack = test.options.eps_0 / along;
                if (separation - test.separation).abs() > slack {
                    continue;
                }
                self.clip(a, band_face_a, b, band_face_b, view, resolution);
                if self.clipper.nodes.is_empty() {
                    continue;
                }
                self.push_events(test, (a, band_a, band_face_a), (b, band_b, band_face_b), found);
                return Some([band_face_a.face, band_face_b.face]);
            }
        }
        None
    }

    fn clip(
        &mut self,
        a: &Placed,
        band_face_a: &BandFace,
        b: &Placed,
        band_face_b: &BandFace,
        view: &View,
        resolution: f64,
    ) {
        let seen = |body: &Placed, v: u32| view.see(&body.vertex(v));
        self.subject.clear();
        // Seen along β, from above, a's face turns its back: its loop runs clockwise.
        self.subject.extend(loop_of(a, band_face_a).iter().rev().map(|&v| seen(a, v)));
        self.clip_polygon.clear();
        self.clip_polygon.extend(loop_of(b, band_face_b).iter().map(|&v| seen(b, v)));
        self.clipper.clip(&self.subject, &self.clip_polygon, resolution);
    }

    /// Turns each vertex of the overlap into its event.
    fn push_events(
        &self,
        test: &ActivityTest,
        (a, band_a, band_face_a): (&Placed, &Band, &BandFace),
        (b, band_b, band_face_b): (&Placed, &Band, &BandFace),
        found: &mut Vec<Candidate>,
    ) {
        let (loop_a, loop_b) = (loop_of(a, band_face_a), loop_of(b, band_face_b));
        let beta = test.line.beta;
        let corner_a = |k: usize| loop_a[loop_a.len() - 1 - k % loop_a.len()];
        let corner_b = |j: usize| loop_b[j % loop_b.len()];
        let mean = band_face_b.normal - band_face_a.normal;
        for node in &self.clipper.nodes {
            let event = match node.kind {
                ClipVertexKind::Subject(k) => {
                    let corner = BandVertex { vertex: corner_a(k), point: a.vertex(corner_a(k)) };
                    vertex_face_event(test, Side::A, &corner, b, band_face_b)
                }
                ClipVertexKind::Clip(j) => {
                    let corner = BandVertex { vertex: corner_b(j), point: b.vertex(corner_b(j)) };
                    vertex_face_event(test, Side::B, &corner, a, band_face_a)
                }
                ClipVertexKind::Crossing(k, j) => {
                    let band_edge_a = band_edge(band_a, a, corner_a(k), corner_a(k + 1));
                    let band_edge_b = band_edge(band_b, b, corner_b(j), corner_b(j + 1));
                    let (Some(band_edge_a), Some(band_edge_b)) = (band_edge_a, band_edge_b) else { continue };
                    let nu = band_edge_a.along.cross(&band_edge_b.along);
                    // The normal of the faces is more accurate than that of edges that are nearly parallel.
                    test.cross_edges(band_edge_a, band_edge_b, &nu, mean / mean.dot(&beta)).0
                }
            };
            found.push(Candidate { event, excess: 0.0 });
        }
    }
}

/// The corner-on-face event, whatever its value.
fn vertex_face_event(
    test: &ActivityTest,
    corner_of: Side,
    corner: &BandVertex,
    other: &Placed,
    band_face: &BandFace,
) -> ContactEvent {
    let beta = test.line.beta;
    let alpha = band_face.normal / band_face.normal.dot(&beta);
    let face = &other.polytope.faces()[band_face.face as usize];
    let separation = (face.normal.dot(&other.to_body(&corner.point)) - face.offset) * alpha.norm();
    let kind = EventKind::CornerOnFace { corner_of, vertex: corner.vertex, face: band_face.face };
    let (point_a, point_b) = match corner_of {
        Side::A => (corner.point, corner.point - beta * separation),
        Side::B => (corner.point + beta * separation, corner.point),
    };
    ContactEvent { kind, separation, alpha, point_a, point_b, line: test.line }
}

/// Height of a's face above b's, from a corner of a.
fn distance_of_planes(a: &Placed, band_face_a: &BandFace, b: &Placed, band_face_b: &BandFace) -> f64 {
    let face = &b.polytope.faces()[band_face_b.face as usize];
    face.normal.dot(&b.to_body(&a.vertex(loop_of(a, band_face_a)[0]))) - face.offset
}

fn loop_of<'a>(body: &Placed<'a>, band_face: &BandFace) -> &'a [u32] {
    body.polytope.face_loop(&body.polytope.faces()[band_face.face as usize])
}

/// The band's edge between two vertices.
fn band_edge<'a>(band: &'a Band, body: &Placed, v: u32, w: u32) -> Option<&'a BandEdge> {
    let edge = body.polytope.edge_between(v as usize, w as usize)? as u32;
    band.edges.binary_search_by_key(&edge, |r| r.edge).ok().map(|k| &band.edges[k])
}
