//! Face on face: the overlap is clipped once, and its vertices are the events [Hart Theorem 3.4].

use super::band::{Band, Corner, Placed, Rim, View, Wall};
use super::candidates::{Candidate, Judge};
use super::clip::{Clipper, Mark};
use super::event::{ContactEvent, EventKind, Side};
use crate::Vec2;

/// Faces whose outward normals add up to less than this lie on one another: ten thousand times the rounding of
/// a turned normal.
const FACING: f64 = 1e-11;

/// Scratch memory for one pair of faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct FacePair {
    subject: Vec<Vec2>,
    window: Vec<Vec2>,
    clipper: Clipper,
}

impl FacePair {
    /// Finds two faces that lie on one another across the pair's separation and delivers the vertices of
    /// their overlap. Answers which faces, or `None` when there are none.
    pub(crate) fn overlap(
        &mut self,
        judge: &Judge,
        (a, band_a): (&Placed, &Band),
        (b, band_b): (&Placed, &Band),
        view: &View,
        resolution: f64,
        found: &mut Vec<Candidate>,
    ) -> Option<[u32; 2]> {
        for wall_b in &band_b.walls {
            let along = wall_b.along;
            if along <= 0.0 {
                continue;
            }
            for wall_a in &band_a.walls {
                if (wall_a.normal + wall_b.normal).norm_squared() > FACING * FACING {
                    continue;
                }
                let separation = distance_of_planes(a, wall_a, b, wall_b) / along;
                let slack = judge.options.eps_0 / along;
                if (separation - judge.separation).abs() > slack {
                    continue;
                }
                self.clip(a, wall_a, b, wall_b, view, resolution);
                if self.clipper.nodes.is_empty() {
                    continue;
                }
                self.deliver(judge, (a, band_a, wall_a), (b, band_b, wall_b), found);
                return Some([wall_a.face, wall_b.face]);
            }
        }
        None
    }

    fn clip(&mut self, a: &Placed, wall_a: &Wall, b: &Placed, wall_b: &Wall, view: &View, resolution: f64) {
        let seen = |body: &Placed, v: u32| view.see(&body.vertex(v));
        self.subject.clear();
        // Seen along β, from above, a's face turns its back: its loop runs clockwise.
        self.subject.extend(loop_of(a, wall_a).iter().rev().map(|&v| seen(a, v)));
        self.window.clear();
        self.window.extend(loop_of(b, wall_b).iter().map(|&v| seen(b, v)));
        self.clipper.clip(&self.subject, &self.window, resolution);
    }

    /// Turns each vertex of the overlap into its event.
    fn deliver(
        &self,
        judge: &Judge,
        (a, band_a, wall_a): (&Placed, &Band, &Wall),
        (b, band_b, wall_b): (&Placed, &Band, &Wall),
        found: &mut Vec<Candidate>,
    ) {
        let (loop_a, loop_b) = (loop_of(a, wall_a), loop_of(b, wall_b));
        let beta = judge.line.beta;
        let corner_a = |k: usize| loop_a[loop_a.len() - 1 - k % loop_a.len()];
        let corner_b = |j: usize| loop_b[j % loop_b.len()];
        let mean = wall_b.normal - wall_a.normal;
        for node in &self.clipper.nodes {
            let event = match node.mark {
                Mark::Subject(k) => {
                    let corner = Corner { vertex: corner_a(k), point: a.vertex(corner_a(k)) };
                    landing(judge, Side::A, &corner, b, wall_b)
                }
                Mark::Window(j) => {
                    let corner = Corner { vertex: corner_b(j), point: b.vertex(corner_b(j)) };
                    landing(judge, Side::B, &corner, a, wall_a)
                }
                Mark::Crossing(k, j) => {
                    let rim_a = rim(band_a, a, corner_a(k), corner_a(k + 1));
                    let rim_b = rim(band_b, b, corner_b(j), corner_b(j + 1));
                    let (Some(rim_a), Some(rim_b)) = (rim_a, rim_b) else { continue };
                    let nu = rim_a.along.cross(&rim_b.along);
                    // The faces know the normal better than edges that are nearly parallel.
                    judge.cross_edges(rim_a, rim_b, &nu, mean / mean.dot(&beta)).0
                }
            };
            found.push(Candidate { event, excess: 0.0 });
        }
    }
}

/// The corner-on-face event, whatever its value.
fn landing(judge: &Judge, corner_of: Side, corner: &Corner, other: &Placed, wall: &Wall) -> ContactEvent {
    let beta = judge.line.beta;
    let alpha = wall.normal / wall.normal.dot(&beta);
    let face = &other.polytope.faces()[wall.face as usize];
    let separation = (face.normal.dot(&other.to_body(&corner.point)) - face.offset) * alpha.norm();
    let kind = EventKind::CornerOnFace { corner_of, vertex: corner.vertex, face: wall.face };
    let (point_a, point_b) = match corner_of {
        Side::A => (corner.point, corner.point - beta * separation),
        Side::B => (corner.point + beta * separation, corner.point),
    };
    ContactEvent { kind, separation, alpha, point_a, point_b, line: judge.line }
}

/// Height of a's face above b's, from a corner of a.
fn distance_of_planes(a: &Placed, wall_a: &Wall, b: &Placed, wall_b: &Wall) -> f64 {
    let face = &b.polytope.faces()[wall_b.face as usize];
    face.normal.dot(&b.to_body(&a.vertex(loop_of(a, wall_a)[0]))) - face.offset
}

fn loop_of<'a>(body: &Placed<'a>, wall: &Wall) -> &'a [u32] {
    body.polytope.face_loop(&body.polytope.faces()[wall.face as usize])
}

/// The band's edge between two vertices.
fn rim<'a>(band: &'a Band, body: &Placed, v: u32, w: u32) -> Option<&'a Rim> {
    let edge = body.polytope.edge_between(v as usize, w as usize)? as u32;
    band.rims.binary_search_by_key(&edge, |r| r.edge).ok().map(|k| &band.rims[k])
}
