//! All contact events of a pair: a box on a floor touches at four corners, each with its own separation and normal.

use super::contact_geometry::ContactGeometry;
use super::contact_point::{ContactPoint, PairWarmStart};
use super::part::{PartPose, PartShape};
use crate::tolerances::{FACE_TILT, FEATURE_MARGIN};
use percussion_geometry::Pose;
use percussion_geometry::events::{EventOptions, EventWorkspace, PlanarEventWorkspace, resolution};
use percussion_geometry::separation::{Options, PlanarOptions, QueryError, planar_separation, separation};

/// PairWarmStart for finding events.
#[derive(Clone, Debug, Default)]
pub struct ManifoldQuery {
    space: EventWorkspace,
    plane: PlanarEventWorkspace,
}

/// How near parts and events must be to take part in a time step [Hart 4.8-4.10], lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActivityTolerances {
    /// Gap beyond which a pair is left alone.
    pub within: f64,
    /// How far the point of an event may lie outside its features.
    pub eps_x: f64,
    /// How far an event may be farther apart than its pair.
    pub eps_t: f64,
    /// Rounding allowed in comparing events; at least what the kernel resolves is.
    pub eps_0: f64,
    /// Sine of the greatest angle by which an event's normal may leave those that its features admit.
    pub tilt: f64,
}

impl ContactGeometry {
    /// Adds the active and nearly active events of a pair, whose parts are where they are said to be, to the list [Hart Algorithms 3.14, 3.15]; nothing if the pair is
    /// farther apart than the window. Returns how far it is apart, if it is near.
    pub fn active_events(
        &self,
        (a, b): (usize, usize),
        stands: (&PartPose, &PartPose),
        window: &ActivityTolerances,
        memory: &mut PairWarmStart,
        room: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<Option<ContactPoint>, QueryError> {
        let eps_0 = window.eps_0.max(resolution(self.parts[a].radius, self.parts[b].radius));
        let options = |scale: f64| EventOptions {
            eps_x: window.eps_x,
            eps_t: window.eps_t / scale,
            eps_0,
            tilt: window.tilt,
        };
        let whole = self.list_events((a, b), stands, (window.within, options), memory, room, list)?;
        Ok((whole.solved && whole.gap() <= window.within).then_some(whole))
    }

    /// Adds the events of a pair whose separation exceeds the pair's by at most `window` (m) to the list.
    pub fn events(
        &self,
        (a, b): (usize, usize),
        (pose_a, pose_b): (&Pose, &Pose),
        window: f64,
        memory: &mut PairWarmStart,
        room: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<(), QueryError> {
        let mut options = EventOptions::active(self.parts[a].radius, self.parts[b].radius);
        options.eps_0 = options.eps_0.max(window);
        options.eps_x = options.eps_x.max(window);
        let stands = (&self.parts[a].stand(pose_a), &self.parts[b].stand(pose_b));
        self.list_events((a, b), stands, (f64::INFINITY, |_| options), memory, room, list).map(|_| ())
    }

    /// Adds the events of a pair that touch, overlap or nearly do: faces may be tilted a little against each other, and
    /// events may be farther apart than the pair by `window`, m. Returns how far the pair is apart.
    pub fn near_events(
        &self,
        (a, b): (usize, usize),
        poses: (&Pose, &Pose),
        window: f64,
        memory: &mut PairWarmStart,
        room: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<ContactPoint, QueryError> {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let smaller = p.radius.min(q.radius);
        let options = |scale: f64| EventOptions {
            eps_x: FEATURE_MARGIN * smaller,
            eps_t: window / scale,
            eps_0: resolution(p.radius, q.radius),
            tilt: FACE_TILT,
        };
        let stands = (&p.stand(poses.0), &q.stand(poses.1));
        self.list_events((a, b), stands, (f64::INFINITY, options), memory, room, list)
    }

    /// `options` is handed the length that `eps_t` is relative to. A pair whose gap exceeds `within` has no events.
    fn list_events(
        &self,
        (a, b): (usize, usize),
        (stand_a, stand_b): (&PartPose, &PartPose),
        (within, options): (f64, impl Fn(f64) -> EventOptions),
        memory: &mut PairWarmStart,
        room: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<ContactPoint, QueryError> {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let (at_a, at_b) = (&stand_a.frame, &stand_b.frame);
        let reference = (stand_a.reference, stand_b.reference);
        let before = list.len();
        let finite = |radius: f64| if radius.is_finite() { radius } else { 0.0 };
        let whole = match (&p.shape, &q.shape) {
            (PartShape::Solid(x), PartShape::Solid(y)) => {
                let near = Options { prediction: within, beta: None };
                let answer = separation(x, at_a, y, at_b, &near, &mut memory.space)?;
                let whole = ContactPoint::in_space(&answer, reference, q.shape.is_unbounded());
                if !(whole.solved && whole.gap() <= within) {
                    return Ok(whole);
                }
                let inner = finite(x.inner_radius()) + finite(y.inner_radius());
                let options = options(answer.reference_distance.max(inner));
                let events = room.space.manifold(x, at_a, y, at_b, &answer, &options);
                list.extend(events.iter().map(|event| ContactPoint {
                    separation: event.separation,
                    alpha: event.alpha,
                    point_a: event.point_a,
                    point_b: event.point_b,
                    ..whole
                }));
                whole
            }
            (PartShape::Planar(x), PartShape::Planar(y)) => {
                let (at_a, at_b) = (self.plane.lowered(at_a), self.plane.lowered(at_b));
                let near = PlanarOptions { prediction: within, beta: None };
                let answer = planar_separation(x, &at_a, y, &at_b, &near, &mut memory.plane)?;
                let whole = self.in_plane(&answer, reference, q.shape.is_unbounded());
                if !(whole.solved && whole.gap() <= within) {
                    return Ok(whole);
                }
                let inner = finite(x.inner_radius()) + finite(y.inner_radius());
                let options = options(answer.reference_distance.max(inner));
                let events = room.plane.manifold(x, &at_a, y, &at_b, &answer, &options);
                list.extend(events.iter().map(|event| ContactPoint {
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
