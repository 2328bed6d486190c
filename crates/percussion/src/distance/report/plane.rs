//! Draws a pair of planar bodies.

use percussion_geometry::shapes::PlanarShape;
use percussion_geometry::{PlanarPose, Vec2};

use super::canvas::{Canvas, Point};
use super::placed::{self, annotate};
use crate::distance::Answer;

/// Directions in which the outline of a curved body is sampled.
const OUTLINE: usize = 96;

type Placed<'p> = placed::Placed<'p, PlanarShape, 2>;

fn paper(point: &Vec2) -> Point {
    [point.x, point.y]
}

/// The drawing of a pair and its answer.
pub fn draw([a, b]: [&Placed; 2], answer: &Answer) -> Canvas {
    let mut canvas = Canvas::default();
    for (body, other) in [(b, a), (a, b)] {
        paint(&mut canvas, body, body.near(other, answer), placed::size([a, b]));
    }
    annotate(&mut canvas, [a, b], answer, &paper);
    canvas.axes(vec![("x", [1.0, 0.0]), ("y", [0.0, 1.0])]);
    canvas
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
