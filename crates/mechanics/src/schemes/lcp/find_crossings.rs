//! Parts that pass through each other within a step, though they are apart at its end.
//!
//! ```text
//! t = 0
//! repeat   plane      that separates the parts at t, carried on by either of them
//!          holds      over the longest of (h - t)/2ⁿ for which supports at both ends, less the bulge of arcs, stay on their sides
//!          where none holds but the travel is a small part of the thickness, the end of that interval is looked at: deep overlap is
//!          a crossing, since the last instant at which the parts were apart
//! ```
//!
//! No crossing is missed: between instants either a plane separates the parts, or they travel less than a part of their thickness.

use super::StepInput;
use super::contact_constraint::ContactConstraint;
use super::pair_events::{Instant, PairEvents};
use super::swept_pairs::{PENETRATION_ROUNDING, SweptPair};
use super::update_configuration::place_body;
use crate::contact::{ActivityTolerances, ContactGeometry, ContactPoint, PairWarmStart, Part};
use crate::discrete::StepError;
use crate::model::State;
use crate::spatial::{Vec6, angular, linear};
use crate::step_record::Crossing;
use crate::tolerances::lcp::find_crossings::{CROSSING_DEPTH, SHORT_TRAVEL, TILT};
use percussion_geometry::{Pose, Vec3};

/// Instants at which a pair is looked at, at most.
const MAX_INSTANTS: usize = 2000;

/// Finds crossings, with workspace.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    moment: Option<State>,
    later: Option<State>,
    events: PairEvents,
}

/// A pair in motion over the step.
struct MovingPair<'a> {
    step: &'a StepInput<'a>,
    geometry: &'a ContactGeometry,
    twists: &'a [Vec6],
    swept: SweptPair,
}

impl Crossings {
    /// The crossing of the fastest pair of a list, if there is one; the contacts of all that cross are added to another list.
    pub fn find_crossings(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        twists: &[Vec6],
        pairs: &[SweptPair],
        list: &mut Vec<ContactConstraint>,
    ) -> Result<Option<Crossing>, StepError> {
        let mut fastest: Option<Crossing> = None;
        for &swept in pairs.iter().filter(|swept| swept.may_cross) {
            let moving = MovingPair { step, geometry, twists, swept };
            let Some(since) = self.crossing(&moving)? else { continue };
            let speed = swept.travel / step.h.abs();
            if fastest.is_none_or(|other| other.speed < speed) {
                let body = |part: usize| geometry.parts[part].body;
                fastest = Some(Crossing { bodies: (body(swept.pair.0), body(swept.pair.1)), speed });
            }
            self.add_contacts(&moving, since, list)?;
        }
        Ok(fastest)
    }

    /// The last instant before the parts of a pair cross.
    fn crossing(&mut self, moving: &MovingPair) -> Result<Option<f64>, StepError> {
        let &MovingPair { step, geometry, swept, .. } = moving;
        let h = step.h;
        let radii = [swept.pair.0, swept.pair.1].map(|part| geometry.parts[part].shape.inner_radius());
        let short = SHORT_TRAVEL * (radii[0] + radii[1]) / swept.travel;
        let deep = CROSSING_DEPTH * radii[0].min(radii[1]);
        let (mut t, mut clear) = (0.0, 0.0);
        let warm = &mut PairWarmStart::default();
        let mut contact = moving.separation(&mut self.moment, t, warm)?;
        for _ in 0..MAX_INSTANTS {
            let mut fraction = 1.0 - t / h;
            while !moving.holds(&contact, (t, t + fraction * h), (&self.moment, &mut self.later)) {
                if fraction <= short {
                    break;
                }
                fraction *= 0.5;
            }
            t += fraction * h;
            if (t / h) > 1.0 - 0.5 * short.min(1e-3) {
                t = h;
            }
            contact = moving.separation(&mut self.moment, t, warm)?;
            if contact.solved && -contact.gap() > deep {
                return Ok(Some(clear));
            }
            if !contact.solved || contact.gap() > -PENETRATION_ROUNDING * swept.radius {
                clear = t;
            }
            if t == h {
                return Ok(None);
            }
        }
        Ok(Some(clear))
    }

    /// Adds the contacts of a pair at an instant, with distances extrapolated back to the beginning of the step.
    fn add_contacts(
        &mut self,
        moving: &MovingPair,
        since: f64,
        list: &mut Vec<ContactConstraint>,
    ) -> Result<(), StepError> {
        let &MovingPair { step, geometry, twists, swept } = moving;
        let state = moving.place(&mut self.moment, since);
        let at = Instant { state, since };
        let poses = at.poses(geometry, swept.pair);
        let warm = &mut PairWarmStart::default();
        let bodies = [swept.pair.0, swept.pair.1].map(|part| geometry.parts[part].body_pose(state));
        let gap =
            geometry.separation(swept.pair, (&bodies[0], &bodies[1]), f64::INFINITY, warm)?.gap().max(0.0);
        let parts = [swept.pair.0, swept.pair.1].map(|part| geometry.parts[part].shape.inner_radius());
        let within = gap + SHORT_TRAVEL * (parts[0] + parts[1]);
        let tolerances = ActivityTolerances { within, eps_x: within, eps_t: within, eps_0: 0.0, tilt: TILT };
        let before = list.len();
        self.events.add_contacts(
            (step, geometry),
            swept.pair,
            (&poses.0, &poses.1),
            &at,
            (&tolerances, None),
            list,
        )?;
        for contact in &mut list[before..] {
            contact.distance -= since * contact.distance_rate(geometry, twists);
        }
        Ok(())
    }
}

impl MovingPair<'_> {
    /// The two bodies after a time of the step.
    fn place<'s>(&self, at: &'s mut Option<State>, t: f64) -> &'s State {
        let at = at.get_or_insert_with(|| self.step.state.clone());
        at.time = self.step.state.time + t;
        for part in [self.swept.pair.0, self.swept.pair.1] {
            if let Some(slot) = self.geometry.parts[part].slot {
                place_body(self.step, slot, &self.twists[slot], t, at);
            }
        }
        at
    }

    /// Parts with the poses of their bodies.
    fn posed(&self, state: &State) -> [(&Part, Pose); 2] {
        [self.swept.pair.0, self.swept.pair.1].map(|part| {
            let part = &self.geometry.parts[part];
            (part, part.body_pose(state))
        })
    }

    /// The separation at a time.
    fn separation(
        &self,
        at: &mut Option<State>,
        t: f64,
        warm: &mut PairWarmStart,
    ) -> Result<ContactPoint, StepError> {
        let [(_, a), (_, b)] = self.posed(self.place(at, t));
        Ok(self.geometry.separation(self.swept.pair, (&a, &b), f64::INFINITY, warm)?)
    }

    /// Whether the plane of a contact, carried on by one of the bodies, separates the parts over an interval.
    fn holds(
        &self,
        contact: &ContactPoint,
        (from, to): (f64, f64),
        (moment, later): (&Option<State>, &mut Option<State>),
    ) -> bool {
        let Some(now) = moment else { return false };
        let rounding = PENETRATION_ROUNDING * self.swept.radius;
        if !(contact.gap() > -rounding) {
            return false;
        }
        let (now, then) = (self.posed(now), self.posed(self.place(later, to)));
        let (n, p) = (contact.normal(), contact.point_b);
        let time = to - from;
        // Velocity of the point p on each part, and its angular velocity.
        let motion = |side: usize| {
            let part = now[side].0;
            match (part.slot, &part.motion) {
                (Some(slot), _) => {
                    let (v, w) = (linear(&self.twists[slot]), angular(&self.twists[slot]));
                    (v + w.cross(&(p - now[side].1.position)), w)
                }
                (None, Some(motion)) => {
                    let twist = motion.step(self.step.state.time, self.step.h);
                    (twist.velocity(&p), twist.angular)
                }
                (None, None) => (Vec3::zeros(), Vec3::zeros()),
            }
        };
        let [(va, wa), (vb, wb)] = [motion(0), motion(1)];
        let (spin, drift) = (wa.norm() + wb.norm(), (va - vb).norm());
        let far = |side: usize| (now[side].1.position - p).norm() + now[side].0.reach;
        let bends = spin * spin * (far(0) + far(1)) + 2.0 * spin * drift;
        let bulge = 0.125 * time * time * bends;
        // The plane goes with one side; heights of the other one above it.
        (0..2).any(|carrier| {
            let other = 1 - carrier;
            let sign = if carrier == 1 { 1.0 } else { -1.0 };
            let own = [now[carrier].1.inverse_direction(&n), now[carrier].1.inverse_point(&p)];
            let height = |places: &[(&Part, Pose); 2]| {
                let n: Vec3 = places[carrier].1.direction(&own[0]) * sign;
                let p = places[carrier].1.point(&own[1]);
                let (part, pose) = &places[other];
                part.support(pose, &-n).map_or(f64::NEG_INFINITY, |x| n.dot(&(x - p)))
            };
            // The plane touches the second part; the first is above it by the gap.
            let room = if carrier == 1 { 0.0 } else { contact.gap().max(0.0) };
            let lowest = if carrier == 1 {
                height(&now).min(height(&then))
            } else {
                (height(&now) + room).min(height(&then) + room)
            };
            lowest - bulge > -rounding
        })
    }
}
