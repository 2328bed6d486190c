//! All contact events of a pair: a box on a floor touches at four corners, each with its own separation and normal.

use super::contacts::Contacts;
use super::part::PartShape;
use super::touch::{Memory, Touch};
use percussion_geometry::Pose;
use percussion_geometry::events::{EventOptions, Events, PlanarEvents, resolution};
use percussion_geometry::separation::{Options, PlanarOptions, QueryError, planar_separation, separation};

/// Memory for finding events.
#[derive(Clone, Debug, Default)]
pub struct Manifold {
    space: Events,
    plane: PlanarEvents,
}

/// How far an event's point may lie outside of its features, relative to the smaller part: faces that lie on each other
/// up to a tilt of as much keep all their corners.
const REACH: f64 = 1e-3;
/// Sine of the greatest angle between faces that still lie on each other.
const TILT: f64 = 0.1;

impl Contacts {
    /// Adds the events of a pair whose separation exceeds the pair's by at most `window` (m) to the list.
    pub fn events(
        &self,
        (a, b): (usize, usize),
        (pose_a, pose_b): (&Pose, &Pose),
        window: f64,
        memory: &mut Memory,
        room: &mut Manifold,
        list: &mut Vec<Touch>,
    ) -> Result<(), QueryError> {
        let mut options = EventOptions::active(self.parts[a].radius, self.parts[b].radius);
        options.eps_0 = options.eps_0.max(window);
        options.eps_x = options.eps_x.max(window);
        self.list_events((a, b), (pose_a, pose_b), |_| options, memory, room, list).map(|_| ())
    }

    /// Adds the events of a pair that touch, overlap or nearly do: faces may be tilted a little against each other, and
    /// events may be farther apart than the pair by `window`, m. Returns how far the pair is apart.
    pub fn near_events(
        &self,
        (a, b): (usize, usize),
        poses: (&Pose, &Pose),
        window: f64,
        memory: &mut Memory,
        room: &mut Manifold,
        list: &mut Vec<Touch>,
    ) -> Result<Touch, QueryError> {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let smaller = p.radius.min(q.radius);
        let options = |scale: f64| EventOptions {
            eps_x: REACH * smaller,
            eps_t: window / scale,
            eps_0: resolution(p.radius, q.radius),
            tilt: TILT,
        };
        self.list_events((a, b), poses, options, memory, room, list)
    }

    /// `options` is handed the length that `eps_t` is relative to.
    fn list_events(
        &self,
        (a, b): (usize, usize),
        (pose_a, pose_b): (&Pose, &Pose),
        options: impl Fn(f64) -> EventOptions,
        memory: &mut Memory,
        room: &mut Manifold,
        list: &mut Vec<Touch>,
    ) -> Result<Touch, QueryError> {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let (at_a, at_b) = (pose_a.then(&p.offset), pose_b.then(&q.offset));
        let reference = (pose_a.point(&p.reference), pose_b.point(&q.reference));
        let before = list.len();
        let finite = |radius: f64| if radius.is_finite() { radius } else { 0.0 };
        let whole = match (&p.shape, &q.shape) {
            (PartShape::Solid(x), PartShape::Solid(y)) => {
                let answer = separation(x, &at_a, y, &at_b, &Options::default(), &mut memory.space)?;
                let whole = Touch::in_space(&answer, reference, q.shape.is_unbounded());
                let inner = finite(x.inner_radius()) + finite(y.inner_radius());
                let options = options(answer.reference_distance.max(inner));
                let events = room.space.manifold(x, &at_a, y, &at_b, &answer, &options);
                list.extend(events.iter().map(|event| Touch {
                    separation: event.separation,
                    alpha: event.alpha,
                    point_a: event.point_a,
                    point_b: event.point_b,
                    ..whole
                }));
                whole
            }
            (PartShape::Planar(x), PartShape::Planar(y)) => {
                let (at_a, at_b) = (self.plane.lowered(&at_a), self.plane.lowered(&at_b));
                let answer =
                    planar_separation(x, &at_a, y, &at_b, &PlanarOptions::default(), &mut memory.plane)?;
                let whole = self.in_plane(&answer, reference, q.shape.is_unbounded());
                let inner = finite(x.inner_radius()) + finite(y.inner_radius());
                let options = options(answer.reference_distance.max(inner));
                let events = room.plane.manifold(x, &at_a, y, &at_b, &answer, &options);
                list.extend(events.iter().map(|event| Touch {
                    separation: event.separation,
                    alpha: self.plane.direction(&event.alpha),
                    point_a: self.plane.raised(&event.point_a),
                    point_b: self.plane.raised(&event.point_b),
                    ..whole
                }));
                whole
            }
            // Never asked: `may_meet` keeps the plane and space apart.
            _ => return Err(QueryError::BothUnbounded),
        };
        // Where no pair of features reproduces the separation it is an event of its own.
        let slack = 2.0 * resolution(p.radius, q.radius) * whole.alpha.norm();
        if !list[before..].iter().any(|event| event.separation <= whole.separation + slack) {
            list.push(whole);
        }
        Ok(whole)
    }
}
