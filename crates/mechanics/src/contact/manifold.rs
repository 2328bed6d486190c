//! All contact events of a pair (contact manifold): a box on a floor has four contact points, each with its own separation and normal.

use super::contact_function::{ContactFrame, ContactFunction};
use super::contact_geometry::ContactGeometry;
use super::contact_point::{ContactPoint, PairWarmStart};
use super::part::{PartPose, PartShape};
use crate::tolerances::contact::manifold::SAME_CONTACT;
use crate::tolerances::{FACE_TILT, FEATURE_MARGIN};
use percussion_geometry::Pose;
use percussion_geometry::events::{
    EventKind, EventOptions, EventWorkspace, PlanarEventWorkspace, resolution,
};
use percussion_geometry::separation::{Options, PlanarOptions, QueryError, planar_separation, separation};
use percussion_geometry::shapes::Feature;

/// Workspace for finding events.
#[derive(Clone, Debug, Default)]
pub struct ManifoldQuery {
    space: EventWorkspace,
    plane: PlanarEventWorkspace,
    /// Kinds of the events added last, in their order.
    pub(super) kinds: Vec<EventKind>,
    pub(super) events: Vec<ContactPoint>,
}

/// Tolerances of the parts and events that are active in a time step [Hart 4.8-4.10], lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActivityTolerances {
    /// Gap beyond which a pair is left alone.
    pub within: f64,
    /// Distance by which the point of an event may lie outside its features.
    pub eps_x: f64,
    /// Separation of an event beyond that of its pair.
    pub eps_t: f64,
    /// Rounding allowed in comparing events; at least the resolution of the kernel is.
    pub eps_0: f64,
    /// Sine of the greatest angle by which an event's normal may leave those that its features admit.
    pub tilt: f64,
}

impl ContactGeometry {
    /// Adds the active and nearly active events of a pair, at given part poses, to the list [Hart Algorithms 3.14, 3.15]; nothing if the pair is
    /// farther apart than the window. Returns its separation, if it is near.
    pub fn active_events(
        &self,
        (a, b): (usize, usize),
        poses: (&PartPose, &PartPose),
        window: &ActivityTolerances,
        warm_start: &mut PairWarmStart,
        workspace: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<Option<ContactPoint>, QueryError> {
        let eps_0 = window.eps_0.max(resolution(self.parts[a].radius, self.parts[b].radius));
        let options = |scale: f64| EventOptions {
            eps_x: window.eps_x,
            eps_t: window.eps_t / scale,
            eps_0,
            tilt: window.tilt,
        };
        let whole = self.list_events((a, b), poses, (window.within, options), warm_start, workspace, list)?;
        Ok((whole.solved && whole.gap() <= window.within).then_some(whole))
    }

    /// Adds the events of a pair whose separation exceeds the pair's by at most `window` (m) to the list.
    pub fn events(
        &self,
        (a, b): (usize, usize),
        (pose_a, pose_b): (&Pose, &Pose),
        window: f64,
        warm_start: &mut PairWarmStart,
        workspace: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<(), QueryError> {
        let mut options = EventOptions::active(self.parts[a].radius, self.parts[b].radius);
        options.eps_0 = options.eps_0.max(window);
        options.eps_x = options.eps_x.max(window);
        let poses = (&self.parts[a].part_pose(pose_a), &self.parts[b].part_pose(pose_b));
        self.list_events((a, b), poses, (f64::INFINITY, |_| options), warm_start, workspace, list).map(|_| ())
    }

    /// Adds the events of a pair in contact or close to it: faces may be tilted a little against each other, and
    /// events may be farther apart than the pair by `window`, m. Returns the separation of the pair.
    pub fn near_events(
        &self,
        pair: (usize, usize),
        poses: (&Pose, &Pose),
        window: f64,
        warm_start: &mut PairWarmStart,
        workspace: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<ContactPoint, QueryError> {
        self.tilted_events(pair, poses, (window, FACE_TILT), warm_start, workspace, list)
    }

    /// The same with faces tilted against each other by an angle of sine `tilt` at most.
    fn tilted_events(
        &self,
        (a, b): (usize, usize),
        poses: (&Pose, &Pose),
        (window, tilt): (f64, f64),
        warm_start: &mut PairWarmStart,
        workspace: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<ContactPoint, QueryError> {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let smaller = p.radius.min(q.radius);
        let options = |scale: f64| EventOptions {
            eps_x: FEATURE_MARGIN * smaller,
            eps_t: window / scale,
            eps_0: resolution(p.radius, q.radius),
            tilt,
        };
        let poses = (&p.part_pose(poses.0), &q.part_pose(poses.1));
        self.list_events((a, b), poses, (f64::INFINITY, options), warm_start, workspace, list)
    }

    /// Functions of the events of a pair at poses of its bodies whose separation exceeds the pair's by at most `window` (m), each with
    /// the contact there; faces may be tilted against each other by
    /// an angle of sine `tilt`. Returns the separation of the pair.
    pub fn contact_functions(
        &self,
        pair: (usize, usize),
        poses: (&Pose, &Pose),
        (window, tilt): (f64, f64),
        warm_start: &mut PairWarmStart,
        workspace: &mut ManifoldQuery,
        list: &mut Vec<(ContactFunction, ContactFrame)>,
    ) -> Result<ContactPoint, QueryError> {
        let mut events = std::mem::take(&mut workspace.events);
        events.clear();
        let whole = self.tilted_events(pair, poses, (window, tilt), warm_start, workspace, &mut events);
        if whole.is_ok() {
            let first = workspace.kinds.first().copied().zip(events.first().copied());
            let line = first
                .and_then(|(kind, event)| ContactFunction::side_by_side(self, pair, (kind, &event), poses));
            if let Some(functions) = line {
                workspace.events = events;
                for mut function in functions {
                    let frame = function.evaluate(self, poses, workspace)?;
                    list.push((function, frame));
                }
                return whole;
            }
            list.extend(events.iter().zip(&workspace.kinds).map(|(event, kind)| {
                let frame = ContactFrame { gap: event.gap(), normal: event.normal(), point: event.point() };
                (ContactFunction::new(self, pair, *kind, event, poses, *warm_start), frame)
            }));
        }
        workspace.events = events;
        whole
    }

    /// Adds to the contact functions at the start those of events at the end of a trajectory that are not among them, each with the contact at
    /// the start: rims that tilt, edges that slide off.
    pub fn further_contact_functions(
        &self,
        pair: (usize, usize),
        (start, end): ((&Pose, &Pose), (&Pose, &Pose)),
        (window, tilt): (f64, f64),
        warm_start: &mut PairWarmStart,
        workspace: &mut ManifoldQuery,
        list: &mut Vec<(ContactFunction, ContactFrame)>,
    ) -> Result<(), QueryError> {
        let known = list.len();
        self.contact_functions(pair, end, (window, tilt), warm_start, workspace, list)?;
        let same = SAME_CONTACT * self.parts[pair.0].radius.min(self.parts[pair.1].radius);
        let mut kept = known;
        for k in known..list.len() {
            let at_end = list[k].1;
            let mut is_new = list[k].0.is_followed();
            for (function, _) in &mut list[..known] {
                let frame = function.evaluate(self, end, workspace)?;
                is_new &= (frame.point - at_end.point).norm() > same;
            }
            if is_new {
                list[k].1 = list[k].0.evaluate(self, start, workspace)?;
                list.swap(kept, k);
                kept += 1;
            }
        }
        list.truncate(kept);
        Ok(())
    }

    /// `options` takes the length that `eps_t` is relative to. A pair whose gap exceeds `within` has no events.
    fn list_events(
        &self,
        (a, b): (usize, usize),
        (pose_a, pose_b): (&PartPose, &PartPose),
        (within, options): (f64, impl Fn(f64) -> EventOptions),
        warm_start: &mut PairWarmStart,
        workspace: &mut ManifoldQuery,
        list: &mut Vec<ContactPoint>,
    ) -> Result<ContactPoint, QueryError> {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let (at_a, at_b) = (&pose_a.frame, &pose_b.frame);
        let reference = (pose_a.reference, pose_b.reference);
        let before = list.len();
        workspace.kinds.clear();
        let finite = |radius: f64| if radius.is_finite() { radius } else { 0.0 };
        let whole = match (&p.shape, &q.shape) {
            (PartShape::Solid(x), PartShape::Solid(y)) => {
                let near = Options { prediction: within, beta: None };
                let answer = separation(x, at_a, y, at_b, &near, &mut warm_start.space)?;
                let whole = ContactPoint::in_space(&answer, reference, q.shape.is_unbounded());
                if !(whole.solved && whole.gap() <= within) {
                    return Ok(whole);
                }
                let inner = finite(x.inner_radius()) + finite(y.inner_radius());
                let options = options(answer.reference_distance.max(inner));
                let events = workspace.space.manifold(x, at_a, y, at_b, &answer, &options);
                workspace.kinds.extend(events.iter().map(|event| event.kind));
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
                let answer = planar_separation(x, &at_a, y, &at_b, &near, &mut warm_start.plane)?;
                let whole = self.in_plane(&answer, reference, q.shape.is_unbounded());
                if !(whole.solved && whole.gap() <= within) {
                    return Ok(whole);
                }
                let inner = finite(x.inner_radius()) + finite(y.inner_radius());
                let options = options(answer.reference_distance.max(inner));
                let events = workspace.plane.manifold(x, &at_a, y, &at_b, &answer, &options);
                let kind = |[a, b]: [Feature; 2]| EventKind::Smooth { a, b };
                workspace.kinds.extend(events.iter().map(|event| kind(event.features)));
                list.extend(events.iter().map(|event| ContactPoint {
                    separation: event.separation,
                    alpha: self.plane.direction(&event.alpha),
                    point_a: self.plane.raised(&event.point_a),
                    point_b: self.plane.raised(&event.point_b),
                    ..whole
                }));
                whole
            }
            // Excluded: `may_collide` keeps the plane and space apart.
            _ => return Err(QueryError::BothUnbounded),
        };
        // Where no pair of features reproduces the separation it is an event of its own.
        let slack = 2.0 * resolution(p.radius, q.radius) * whole.alpha.norm();
        if !list[before..].iter().any(|event| event.separation <= whole.separation + slack) {
            list.push(whole);
            workspace.kinds.push(EventKind::Smooth { a: Feature::Curved, b: Feature::Curved });
        }
        Ok(whole)
    }
}
