//! The bodies of a drawn pair, and what is marked on them in the plane and in space alike.

use nalgebra::SVector;
use percussion_geometry::PoseIn;

use super::canvas::{Canvas, Point, Side};
use crate::distance::kernel::Kernel;
use crate::distance::{Answer, Coordinates, Part, Weights};

/// Length of an arrow of weight one, as a fraction of the size of the pair.
const ARROW: f64 = 0.45;

/// Length of the normal, likewise.
const NORMAL: f64 = 0.75;

/// Colour of the normal, the events and the line of the contact points.
const MARK: &str = "#c41c55";

/// A body of the pair: its parts, its placement, the part that answered and its weights.
pub struct Placed<'p, S, const D: usize> {
    /// Its letter and colour.
    pub side: Side,
    /// Convex parts.
    pub parts: &'p [Part<S, PoseIn<D>>],
    /// Placement of the whole.
    pub pose: PoseIn<D>,
    /// The part that answered.
    pub part: usize,
    /// Its active vertices.
    pub weights: &'p Weights,
}

impl<S: Kernel<D>, const D: usize> Placed<'_, S, D> {
    /// Centre and radius of what can be drawn of it.
    pub fn extent(&self) -> Option<(SVector<f64, D>, f64)> {
        let part = &self.parts[self.part];
        let radius = part.shape.outer_radius();
        radius.is_finite().then(|| (part.placed(&self.pose).point(&part.shape.reference()), radius))
    }

    /// The point near which it is drawn where it is endless: its contact point, or the centre of the other body.
    pub fn near(&self, other: &Self, answer: &Answer) -> SVector<f64, D> {
        contact_point(answer, self.side)
            .or(other.extent().map(|(centre, _)| centre))
            .unwrap_or_else(SVector::zeros)
    }
}

/// Radius of the larger one of the bodies that end.
pub fn size<S: Kernel<D>, const D: usize>(bodies: [&Placed<S, D>; 2]) -> f64 {
    bodies.iter().filter_map(|body| body.extent()).map(|(_, r)| r).fold(0.0, f64::max).max(1e-300)
}

/// A vector of an answer; where it is of another dimension, the last axis.
pub fn vector<const D: usize>(given: &Coordinates) -> SVector<f64, D> {
    given.vector().unwrap_or_else(|| SVector::from_fn(|k, _| if k == D - 1 { 1.0 } else { 0.0 }))
}

fn contact_point<const D: usize>(answer: &Answer, side: Side) -> Option<SVector<f64, D>> {
    match side {
        Side::A => answer.point_a?.vector(),
        Side::B => answer.point_b?.vector(),
    }
}

/// Letters, contact points, the normal, and at every active vertex the derivative of the separation with respect to
/// it, `weight * alpha` [Johnson 2.67].
pub fn annotate<S: Kernel<D>, const D: usize>(
    canvas: &mut Canvas,
    bodies: [&Placed<S, D>; 2],
    answer: &Answer,
    project: &dyn Fn(&SVector<f64, D>) -> Point,
) {
    if let (Some(point_a), Some(point_b)) = (contact_point(answer, Side::A), contact_point(answer, Side::B)) {
        let size = size(bodies);
        // Longer than any derivative and below them: at a single corner they lie on each other.
        let middle = 0.5 * (point_a + point_b);
        let tip = middle + NORMAL * size * vector::<D>(&answer.normal);
        canvas.arrow(project(&middle), project(&tip), "normal", MARK);
        let alpha = vector::<D>(&answer.alpha);
        for (body, sign) in bodies.into_iter().zip([1.0, -1.0]) {
            let part = &body.parts[body.part];
            let pose = part.placed(&body.pose);
            for (source, weight) in &body.weights.0 {
                let Some(index) = part.shape.sources().iter().position(|s| s == source) else { continue };
                let vertex = pose.point(&part.shape.vertices()[index]);
                let tip = vertex + sign * ARROW * size * *weight * alpha;
                canvas.arrow(project(&vertex), project(&tip), "pull", body.side.ink());
                canvas.dot(project(&vertex), 3.4, body.side.ink(), "#fff");
            }
        }
        for event in answer.events.iter().flatten() {
            if let (Some(p), Some(q)) = (event.point_a.vector::<D>(), event.point_b.vector()) {
                canvas.dot(project(&(0.5 * (p + q))), 2.6, MARK, "#fff");
            }
        }
        let (p, q) = (project(&point_a), project(&point_b));
        canvas.line(vec![q, p], MARK, 1.6, false);
        canvas.dot(q, 3.0, "#fff", Side::B.ink());
        canvas.dot(p, 3.0, "#fff", Side::A.ink());
    }
    // Last: the line of centres, and with it the arrow of the normal, often crosses the letters.
    for body in bodies {
        if let Some((centre, _)) = body.extent() {
            canvas.label(project(&centre), body.side.letter(), "body-name");
        }
    }
}
