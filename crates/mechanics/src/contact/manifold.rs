//! All contact events of a pair: a box on a floor touches at four corners, each with its own separation and normal.

use super::contacts::Contacts;
use super::part::PartShape;
use super::touch::{Memory, Touch};
use percussion_geometry::Pose;
use percussion_geometry::events::{EventOptions, Events, PlanarEvents};
use percussion_geometry::separation::{Options, PlanarOptions, QueryError, planar_separation, separation};

/// Memory for finding events.
#[derive(Clone, Debug, Default)]
pub struct Manifold {
    space: Events,
    plane: PlanarEvents,
}

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
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let (at_a, at_b) = (pose_a.then(&p.offset), pose_b.then(&q.offset));
        let reference = (pose_a.point(&p.reference), pose_b.point(&q.reference));
        let mut options = EventOptions::active(p.radius, q.radius);
        options.eps_0 = options.eps_0.max(window);
        options.eps_x = options.eps_x.max(window);
        match (&p.shape, &q.shape) {
            (PartShape::Solid(x), PartShape::Solid(y)) => {
                let answer = separation(x, &at_a, y, &at_b, &Options::default(), &mut memory.space)?;
                let whole = Touch::in_space(&answer, reference, q.shape.is_unbounded());
                let events = room.space.manifold(x, &at_a, y, &at_b, &answer, &options);
                list.extend(events.iter().map(|event| Touch {
                    separation: event.separation,
                    alpha: event.alpha,
                    point_a: event.point_a,
                    point_b: event.point_b,
                    ..whole
                }));
            }
            (PartShape::Planar(x), PartShape::Planar(y)) => {
                let (at_a, at_b) = (self.plane.lowered(&at_a), self.plane.lowered(&at_b));
                let answer =
                    planar_separation(x, &at_a, y, &at_b, &PlanarOptions::default(), &mut memory.plane)?;
                let whole = self.in_plane(&answer, reference, q.shape.is_unbounded());
                let events = room.plane.manifold(x, &at_a, y, &at_b, &answer, &options);
                list.extend(events.iter().map(|event| Touch {
                    separation: event.separation,
                    alpha: self.plane.direction(&event.alpha),
                    point_a: self.plane.raised(&event.point_a),
                    point_b: self.plane.raised(&event.point_b),
                    ..whole
                }));
            }
            // Never asked: `may_meet` keeps the plane and space apart.
            _ => {}
        }
        Ok(())
    }
}
