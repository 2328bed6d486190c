//! Draws a pair of planar bodies.

use percussion_geometry::shapes::PlanarShape;
use percussion_geometry::{PlanarPose, Vec2};

use super::canvas::{Canvas, Point, Side};
use crate::distance::{Answer, Part, Weights};

/// Directions in which the outline of a curved body is sampled.
const OUTLINE: usize = 96;

/// Length of an arrow of weight one, as a fraction of the size of the pair.
const ARROW: f64 = 0.45;

/// Length of the normal, likewise.
const NORMAL: f64 = 0.75;

/// A body of the pair: its parts, its placement, the part that answered and its weights.
pub struct Placed<'p> {
    /// Its letter and colour.
    pub side: Side,
    /// Convex parts.
    pub parts: &'p [Part<PlanarShape, PlanarPose>],
    /// Placement of the whole.
    pub pose: PlanarPose,
    /// The part that answered.
    pub part: usize,
    /// Its active vertices.
    pub weights: &'p Weights,
}

impl Placed<'_> {
    fn extent(&self) -> Option<(Vec2, f64)> {
        let part = &self.parts[self.part];
        let radius = part.shape.outer_radius();
        radius.is_finite().then(|| (part.placed(&self.pose).point(&part.shape.reference()), radius))
    }
}

fn paper(point: &Vec2) -> Point {
    [point.x, point.y]
}

/// The drawing of a pair and its answer.
pub fn draw(a: &Placed, b: &Placed, answer: &Answer) -> Canvas {
    let mut canvas = Canvas::default();
    let size = [a, b].iter().filter_map(|body| body.extent()).map(|(_, r)| r).fold(0.0, f64::max).max(1e-300);
    for (body, other) in [(b, a), (a, b)] {
        let near = contact_point(answer, body.side).or(other.extent().map(|(centre, _)| centre));
        paint(&mut canvas, body, near.unwrap_or_else(Vec2::zeros), size);
    }
    annotate(&mut canvas, a, b, answer, size);
    // Last: the line of centres, and with it the arrow of the normal, often crosses the letters.
    for body in [a, b] {
        if let Some((centre, _)) = body.extent() {
            canvas.label(paper(&centre), body.side.letter(), "body-name");
        }
    }
    canvas.axes(vec![("x", [1.0, 0.0]), ("y", [0.0, 1.0])]);
    canvas
}

fn contact_point(answer: &Answer, side: Side) -> Option<Vec2> {
    match side {
        Side::A => answer.point_a?.plane(),
        Side::B => answer.point_b?.plane(),
    }
}

fn paint(canvas: &mut Canvas, body: &Placed, near: Vec2, size: f64) {
    for part in body.parts {
        let pose = part.placed(&body.pose);
        let outline = outline(&part.shape, &pose, near, size).iter().map(paper).collect();
        canvas.area(outline, &body.side.shade(0.7), 0.8, body.side.ink());
    }
}

/// The outline of a placed shape; of a half-plane the part near a point, as wide as something of that size needs.
pub fn outline(shape: &PlanarShape, pose: &PlanarPose, near: Vec2, size: f64) -> Vec<Vec2> {
    match shape {
        PlanarShape::Polygon(polygon) => polygon.vertices().iter().map(|v| pose.point(v)).collect(),
        PlanarShape::HalfPlane(half) => {
            let normal = pose.direction(&half.normal());
            let offset = half.offset() + normal.dot(&pose.position);
            let foot = near - (normal.dot(&near) - offset) * normal;
            let along = Vec2::new(-normal.y, normal.x) * 1.8 * size;
            let deep = -0.3 * size * normal;
            vec![foot - along, foot + along, foot + along + deep, foot - along + deep]
        }
        curved => (0..OUTLINE)
            .filter_map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / OUTLINE as f64).sin_cos();
                let point = curved.support(&pose.inverse_direction(&Vec2::new(cos, sin)))?;
                Some(pose.point(&point))
            })
            .collect(),
    }
}

fn annotate(canvas: &mut Canvas, a: &Placed, b: &Placed, answer: &Answer, size: f64) {
    let (Some(point_a), Some(point_b)) = (contact_point(answer, Side::A), contact_point(answer, Side::B))
    else {
        return;
    };
    // Longer than any derivative and below them: at a single corner they lie on each other.
    let normal = answer.normal.plane().unwrap_or_else(Vec2::y);
    let middle = 0.5 * (point_a + point_b);
    canvas.arrow(paper(&middle), paper(&(middle + NORMAL * size * normal)), "normal", "#c41c55");
    let alpha = answer.alpha.plane().unwrap_or_else(Vec2::y);
    for (body, sign) in [(a, 1.0), (b, -1.0)] {
        let part = &body.parts[body.part];
        let PlanarShape::Polygon(polygon) = &part.shape else { continue };
        let pose = part.placed(&body.pose);
        for (source, weight) in &body.weights.0 {
            let Some(index) = polygon.sources().iter().position(|s| s == source) else { continue };
            let vertex = pose.point(&polygon.vertices()[index]);
            let tip = vertex + sign * ARROW * size * *weight * alpha;
            canvas.arrow(paper(&vertex), paper(&tip), "pull", body.side.ink());
            canvas.dot(paper(&vertex), 3.4, body.side.ink(), "#fff");
        }
    }
    for event in answer.events.iter().flatten() {
        if let (Some(p), Some(q)) = (event.point_a.plane(), event.point_b.plane()) {
            canvas.dot(paper(&(0.5 * (p + q))), 2.6, "#c41c55", "#fff");
        }
    }
    canvas.line(vec![paper(&point_b), paper(&point_a)], "#c41c55", 1.6, false);
    canvas.dot(paper(&point_b), 3.0, "#fff", Side::B.ink());
    canvas.dot(paper(&point_a), 3.0, "#fff", Side::A.ink());
}
