//! A suggested stiffness: hard enough for the allowed penetration, soft enough for the step.
//!
//! Two parts with the reduced mass `m` that collide at the speed `v` under the load `w` (the weight of what rests on something
//! fixed) reach the overlap `δ` and stay in contact for half an oscillation:
//!
//! ```text
//! C δ²/2 = m v²/2 + w δ        C >= m (v/δ)² + 2 w/δ                  hard enough for the overlap δ
//! π √(m/C) >= 20 h             C <= m (π/20h)²                        soft enough: a contact lasts twenty steps or more
//! ```
//!
//! The speed is an upper bound of what is possible at the start: `|v_a - v_b|` with the speed at which either part can turn;
//! against a half-space the normal component of it, with what a fall from the present height adds; against a bounded body
//! that is fixed, with what a fall down to its reference point adds. Joints, other forces and later collisions are not
//! taken into account: it is a first guess, and [`ContactGeometry::deepest`](crate::contact::ContactGeometry::deepest) gives the penetration reached.

use crate::contact::{ContactGeometry, PairWarmStart, Part};
use crate::model::{Model, State};
use crate::spatial::{Vec6, angular, linear};
use crate::tolerances::STEPS_PER_CONTACT;
use percussion_geometry::Vec3;
use std::f64::consts::PI;

/// A stiffness with the penetration to expect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suggestion {
    /// `C`, N/m.
    pub stiffness: f64,
    /// Maximum penetration to expect first, m.
    pub predicted_overlap: f64,
    /// The step with which the allowed penetration would be kept, s; `None` if the present one does.
    pub step_needed: Option<f64>,
}

/// Bounds on the first collision of two parts.
#[derive(Clone, Copy)]
struct Penetration {
    /// Reduced mass, kg.
    mass: f64,
    /// Closing speed, m/s.
    speed: f64,
    /// Weight on what is fixed, N.
    load: f64,
}

impl Penetration {
    /// The stiffness that stops it within an overlap.
    fn needed(&self, overlap: f64) -> f64 {
        (self.mass * self.speed * self.speed + 2.0 * self.load * overlap) / (overlap * overlap)
    }

    /// The overlap at which a stiffness stops it.
    fn overlap(&self, stiffness: f64) -> f64 {
        let Self { mass, speed, load } = *self;
        (load + (load * load + stiffness * mass * speed * speed).sqrt()) / stiffness
    }
}

/// The stiffness of the contact potential for steps `h` and an allowed penetration, both above zero, from positions and
/// velocities; `None` if no pair may collide. Without motion and weight, the stiffest that the step resolves.
pub fn suggested_stiffness(model: &Model, state: &State, h: f64, overlap: f64) -> Option<Suggestion> {
    let contacts = model.contacts.as_ref()?;
    let twists = model.twists(state);
    let penetrations: Vec<Penetration> = contacts
        .all_pairs()
        .into_iter()
        .map(|pair| penetration(model, contacts, state, &twists, pair))
        .collect();
    let lightest = penetrations.iter().map(|m| m.mass).reduce(f64::min)?;
    let needed = penetrations.iter().map(|m| m.needed(overlap)).fold(0.0, f64::max);
    let most = lightest * (PI / (STEPS_PER_CONTACT * h)).powi(2);
    let stiffness = if needed > 0.0 { needed.min(most) } else { most };
    Some(Suggestion {
        stiffness,
        predicted_overlap: penetrations.iter().map(|m| m.overlap(stiffness)).fold(0.0, f64::max),
        step_needed: (needed > most).then(|| PI / STEPS_PER_CONTACT * (lightest / needed).sqrt()),
    })
}

fn penetration(
    model: &Model,
    contacts: &ContactGeometry,
    state: &State,
    twists: &[Vec6],
    pair: (usize, usize),
) -> Penetration {
    let (p, q) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
    let mobility = |part: &Part| part.slot.map_or(0.0, |slot| 1.0 / model.links[slot].mass);
    let velocity = |part: &Part| part.slot.map_or_else(Vec3::zeros, |slot| linear(&twists[slot]));
    // Parts of unbounded reach turn their plane; what that adds is not bounded, and not counted.
    let turning = |part: &Part| match part.slot {
        Some(slot) if part.reach.is_finite() => angular(&twists[slot]).norm() * part.reach,
        _ => 0.0,
    };
    // One of the two moves: the sum is not zero.
    let mass = 1.0 / (mobility(p) + mobility(q));
    let relative = velocity(p) - velocity(q);
    let spin = turning(p) + turning(q);
    if p.slot.is_some() && q.slot.is_some() {
        return Penetration { mass, speed: relative.norm() + spin, load: 0.0 };
    }
    let poses = (p.body_pose(state), q.body_pose(state));
    let falls =
        match contacts.separation(pair, (&poses.0, &poses.1), f64::INFINITY, &mut PairWarmStart::default()) {
            // The normal points from what is fixed to what falls.
            Ok(point) if q.shape.is_unbounded() => {
                let down = (-model.gravity.dot(&point.normal())).max(0.0);
                let speed = relative.dot(&point.normal()).abs() + spin;
                (speed, down, point.gap().max(0.0))
            }
            _ => {
                let (falling, fixed) = if p.slot.is_some() { (p, q) } else { (q, p) };
                let below = fixed.reference - falling.body_pose(state).point(&falling.reference);
                let g = model.gravity.norm();
                let height = if g > 0.0 { (below.dot(&model.gravity) / g).max(0.0) } else { 0.0 };
                (relative.norm() + spin, if height > 0.0 { g } else { 0.0 }, height)
            }
        };
    let (speed, gravity, height) = falls;
    Penetration { mass, speed: (speed * speed + 2.0 * gravity * height).sqrt(), load: mass * gravity }
}
