//! Witness points of an overlap: one point of each body's touching feature, `x - z = h n`.
//!
//! At the optimum the features on the two supporting planes, seen along the normal, overlap. Two edges
//! cross in one point; a face and a vertex, edge or face share a region, found by clipping, of which the
//! middle is taken: it is the choice that respects the symmetry of a box resting on a box. Where rounding
//! makes the features miss each other (several facets equally near), the bodies are moved apart along the
//! normal until they just touch, and their nearest points are the witnesses.

use super::bounds::{DistanceBounds, Nearest};
use super::facets::{Candidate, Facet};
use super::nearest::nearest;
use super::pair::{Core, Pair};
use super::simplex::across;
use crate::shapes::Polytope;
use crate::tolerances::euclid::{FEATURE, TOUCHING};
use crate::{Vec2, Vec3};

/// Points of the two features that span the facet, where the features overlap.
pub(super) fn features(pair: &Pair, candidate: &Candidate) -> Option<(Vec3, Vec3)> {
    match &candidate.facet {
        Facet::Edges(i, j) => {
            let place = |y: Vec3| pair.rotation * y + pair.offset;
            let (a, b) = (pair.a.edge(*i)?, pair.b.edge(*j)?);
            Some(crossing([a.from, a.to], [place(b.from), place(b.to)]))
        }
        facet => shared(pair, &candidate.normal, facet),
    }
}

/// How far two points are from having the right difference.
pub(super) fn miss(candidate: &Candidate, (x, z): &(Vec3, Vec3)) -> f64 {
    (x - z - candidate.height * candidate.normal).norm()
}

/// Nearest points of the bodies after b has been moved along the normal until they touch.
pub(super) fn witnesses_at_touch(pair: &Pair, candidate: &Candidate) -> (Vec3, Vec3) {
    // A hair short of touching, so that rounding does not make them overlap again.
    let shift = (candidate.height - 0.5 * TOUCHING * pair.scale) * candidate.normal;
    let moved = Pair { offset: pair.offset + shift, ..*pair };
    let (Nearest::Apart(bounds) | Nearest::Touching(bounds) | Nearest::Overlapping(bounds)) = nearest(&moved);
    (bounds.x, bounds.z - shift)
}

/// The middle of the overlap of a face and whatever of the other body touches it.
fn shared(pair: &Pair, normal: &Vec3, facet: &Facet) -> Option<(Vec3, Vec3)> {
    let corner = pair.support(normal);
    let slack = FEATURE * pair.scale;
    let (u, v) = frame(normal);
    let flatten = |p: Vec3| Vec2::new(u.dot(&p), v.dot(&p));
    let (face_a, face_b) = match facet {
        Facet::FaceA(f) => (Some(*f), None),
        Facet::FaceB(f) => (None, Some(*f)),
        _ => (None, None),
    };
    let place = |y: Vec3| pair.rotation * y + pair.offset;
    let mut touching_a = feature(&pair.a, &-normal, corner.index[0], face_a, slack);
    let mut touching_b = feature(&pair.b, &pair.rotation.tr_mul(normal), corner.index[1], face_b, slack);
    touching_b.iter_mut().for_each(|y| *y = place(*y));
    if let ([p, q], [r, s]) = (&touching_a[..], &touching_b[..]) {
        return Some(crossing([*p, *q], [*r, *s]));
    }
    // Loops are counter-clockwise seen from outside: b's along n, a's against it.
    touching_a.reverse();
    let region_a: Vec<Vec2> = touching_a.into_iter().map(flatten).collect();
    let region_b: Vec<Vec2> = touching_b.into_iter().map(flatten).collect();
    let overlap =
        if region_a.len() > region_b.len() { clip(region_b, &region_a) } else { clip(region_a, &region_b) };
    let centre = middle(&overlap)?;
    let lift = |height: f64| centre.x * u + centre.y * v + height * normal;
    Some((lift(normal.dot(&corner.x)), lift(normal.dot(&corner.z))))
}

/// The same bounds with witness points in the middle of the features that touch, if they meet there.
pub(super) fn centred(pair: &Pair, bounds: DistanceBounds) -> DistanceBounds {
    let candidate = Candidate { normal: bounds.normal, facet: Facet::Unknown, height: bounds.lower };
    match features(pair, &candidate) {
        Some((x, z)) if miss(&candidate, &(x, z)) <= FEATURE * pair.scale => {
            DistanceBounds { x, z, ..bounds }
        }
        _ => bounds,
    }
}

/// Two unit vectors that make a right-handed frame with `normal`.
pub(super) fn frame(normal: &Vec3) -> (Vec3, Vec3) {
    let axis = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let u = normal.cross(&axis).normalize();
    (u, normal.cross(&u))
}

/// Corners of the feature furthest along `direction` (body axes): the known face, else a face, edge or vertex
/// at the support vertex within `slack` of its height.
fn feature(core: &Core, direction: &Vec3, vertex: u32, known: Option<usize>, slack: f64) -> Vec<Vec3> {
    let polytope = match core {
        Core::Polytope(p) => *p,
        Core::Segment(half) => {
            let ends = [Vec3::new(0.0, 0.0, -half), Vec3::new(0.0, 0.0, *half)];
            if (2.0 * half * direction.z).abs() <= slack {
                return ends.to_vec();
            }
            return vec![if direction.z < 0.0 { ends[0] } else { ends[1] }];
        }
        _ => return vec![Vec3::zeros()],
    };
    let at = |index: u32| Vec3::from(polytope.lanes().get(index as usize));
    let height = direction.dot(&at(vertex));
    let level = |index: u32| height - direction.dot(&at(index)) <= slack;
    let whole = |face: &u32| {
        let face = &polytope.faces()[*face as usize];
        polytope.face_loop(face).iter().all(|&index| level(index))
    };
    let face = known
        .map(|f| f as u32)
        .or_else(|| polytope.vertex_faces(vertex as usize).iter().copied().find(whole));
    if let Some(face) = face {
        return loop_of(polytope, face).map(at).collect();
    }
    match polytope.neighbours(vertex as usize).iter().find(|&&other| level(other)) {
        Some(&other) => vec![at(vertex), at(other)],
        None => vec![at(vertex)],
    }
}

fn loop_of(polytope: &Polytope, face: u32) -> impl Iterator<Item = u32> {
    polytope.face_loop(&polytope.faces()[face as usize]).iter().copied()
}

/// The part of a point, segment or polygon inside a counter-clockwise convex polygon.
fn clip(mut subject: Vec<Vec2>, window: &[Vec2]) -> Vec<Vec2> {
    for (k, from) in window.iter().enumerate() {
        let side = window[(k + 1) % window.len()] - from;
        let depth = |p: &Vec2| side.perp(&(p - from));
        let count = subject.len();
        let mut kept = Vec::with_capacity(count + 1);
        for (i, p) in subject.iter().enumerate() {
            let q = &subject[(i + 1) % count];
            let (d, e) = (depth(p), depth(q));
            if d >= 0.0 {
                kept.push(*p);
            }
            // A segment is walked there and back; a point meets only itself.
            if (d > 0.0 && e < 0.0) || (d < 0.0 && e > 0.0) {
                kept.push(p + (q - p) * (d / (d - e)));
            }
        }
        subject = kept;
    }
    subject
}

/// The centroid of a polygon, or the middle of one that has no area; `None` of nothing.
fn middle(polygon: &[Vec2]) -> Option<Vec2> {
    let origin = *polygon.first()?;
    let (mut area, mut moment, mut sum) = (0.0, Vec2::zeros(), Vec2::zeros());
    let (mut low, mut high) = (origin, origin);
    for pair in polygon.windows(2) {
        let (p, q) = (pair[0] - origin, pair[1] - origin);
        area += p.perp(&q);
        moment += p.perp(&q) * (p + q) / 3.0;
    }
    for p in polygon {
        sum += p - origin;
        let order = |a: &Vec2, b: &Vec2| a.x < b.x || (a.x == b.x && a.y < b.y);
        low = if order(p, &low) { *p } else { low };
        high = if order(&high, p) { *p } else { high };
    }
    let spread = (high - low).norm_squared();
    // Thinner than a billionth of its length: a segment.
    Some(if area.abs() > 1e-9 * spread { origin + moment / area } else { 0.5 * (low + high) })
}

/// Nearest points of two segments that cross when seen along their common normal.
fn crossing(a: [Vec3; 2], b: [Vec3; 2]) -> (Vec3, Vec3) {
    let (d, e, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    // Orthogonalised like a triangle: nearly parallel edges keep a small residual.
    let q = across(&d, &e);
    let t = if q.norm_squared() > 0.0 { (-r.dot(&q) / q.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
    let z = b[0] + t * e;
    let s = ((z - a[0]).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
    let x = a[0] + s * d;
    let t = ((x - b[0]).dot(&e) / e.norm_squared()).clamp(0.0, 1.0);
    (x, b[0] + t * e)
}
