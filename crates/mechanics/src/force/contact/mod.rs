//! Contact as a potential [Johnson 3.38]: parts may overlap, and are pushed apart the harder the more they do.
//!
//! For every pair of convex parts that overlap, with the separation `s < 0` of the kernel along the line β of the reference
//! points, its direction α, and the contact points `p`:
//!
//! ```text
//! V = C/2 s²        f = -C s - d        d = drag s' within ±C|s|
//! on a   f α at p_a  and  f b at c_a        on b   the opposite at p_b and c_b        b = -(s/D)(1 - ββᵀ)α
//! ```
//!
//! `∇s` is complete: the β part [Johnson 3.49] acts at the reference points `c`, `D` apart. With `p_a - p_b = s β` and
//! `c_a - c_b = D β` the torques of the two parts cancel, so bodies exchange momentum and make none. Against a half-space β
//! is its normal and there is no β part. Degenerate contacts are resolved: face on face gives symmetric forces.
//!
//! Ours: the middle of a step sees each body at the rotation nearest to its averaged directors (`seen.rs`), so that `V` is a
//! function of rigid placements and the scheme stays variational; and the drag is never stronger than the spring. A drag
//! that begins at once at the first touch would leave the equations of some steps without a solution, and would hold bodies
//! back that part; within `±C|s|` the force stays continuous and never pulls.
//!
//! The derivatives listed for Newton's method are `-C ∇s ∇sᵀ` and the steep change of the force while corners share it
//! (`soft.rs`); the gentle curvature of `s` elsewhere is left out, so Newton's method converges linearly, with a rate of
//! `C h²/m` times overlap over size. Where it finds no solution the step is taken in halves.

mod seen;
mod soft;
mod suggestion;

pub use suggestion::{Suggestion, suggested_stiffness};

use super::parameter::{not_negative, positive};
use super::{Bodies, ForceError, Form, ParameterError, Pull, Stiffness};
use crate::contact::{Contacts, Memory, Part, Potential};
use crate::joint::motion::twist;
use percussion_geometry::separation::QueryError;
use percussion_geometry::{Pose, Vec3};
use seen::Seen;
use soft::Softened;
use std::sync::Arc;

/// The contact potential of all parts of a model.
#[derive(Clone, Debug)]
pub struct ContactPotential {
    contacts: Arc<Contacts>,
    /// `C`, N/m.
    pub stiffness: f64,
    /// Drag on the rate of `s`, N s/m.
    pub drag: f64,
    /// The pairs that may meet.
    pairs: Vec<(usize, usize)>,
    /// Slots of the bodies of these pairs.
    slots: Vec<usize>,
}

/// Two parts that overlap.
struct Meeting {
    softened: Softened,
    bodies: [Seen; 2],
    /// `∇s`.
    gradient: [Form; 2],
    /// `s'`.
    rate: f64,
}

impl Meeting {
    fn new(softened: Softened, [a, b]: [Seen; 2], bodies: &Bodies) -> Self {
        let touch = &softened.touch;
        let gradient = [a.form(&touch.wrench_a(&a.pose.position)), b.form(&touch.wrench_b(&b.pose.position))];
        let rate = gradient.iter().map(|form| form.rate(bodies)).sum();
        Self { softened, bodies: [a, b], gradient, rate }
    }

    /// Relative tilt: how heights over the contact change in a direction across α.
    fn tilt(&self, direction: &Vec3) -> [Form; 2] {
        let turn = direction.cross(&self.softened.touch.alpha);
        let [a, b] = &self.bodies;
        [a.form(&twist(&Vec3::zeros(), &turn)), b.form(&twist(&Vec3::zeros(), &-turn))]
    }
}

impl ContactPotential {
    /// Of everything that may meet; `None` if nothing may.
    pub fn new(contacts: Arc<Contacts>, potential: Potential) -> Option<Self> {
        let pairs = contacts.all_pairs();
        let both = pairs.iter().flat_map(|&(a, b)| [a, b]);
        let mut slots: Vec<usize> = both.filter_map(|part| contacts.parts[part].slot).collect();
        slots.sort_unstable();
        slots.dedup();
        let Potential { stiffness, drag } = potential;
        (!pairs.is_empty()).then_some(Self { contacts, stiffness, drag, pairs, slots })
    }

    /// What may meet.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    pub(super) fn slots(&self) -> &[usize] {
        &self.slots
    }

    pub(super) fn count(&self) -> usize {
        // A contact, and for each direction of tilt its own resistance and its share in the drag.
        5 * self.pairs.len()
    }

    /// Visits the pairs that overlap.
    fn each(&self, name: &str, bodies: &Bodies, mut visit: impl FnMut(&Meeting)) -> Result<(), ForceError> {
        let contacts = &self.contacts;
        for &pair in &self.pairs {
            if !self.reach(pair, bodies) {
                continue;
            }
            let slots = (contacts.parts[pair.0].slot, contacts.parts[pair.1].slot);
            let (a, b) = (Seen::new(slots.0, bodies), Seen::new(slots.1, bodies));
            let overlapping = self
                .softened(pair, (&a.pose, &b.pose))
                .map_err(|error| ForceError::Separation { force: name.to_owned(), error })?;
            if let Some(softened) = overlapping {
                visit(&Meeting::new(softened, [a, b], bodies));
            }
        }
        Ok(())
    }

    /// The separation of two parts, if they overlap.
    fn softened(&self, pair: (usize, usize), poses: (&Pose, &Pose)) -> Result<Option<Softened>, QueryError> {
        let contacts = &self.contacts;
        if !contacts.balls_meet(pair, poses) {
            return Ok(None);
        }
        let early = Softened::reach(contacts, pair);
        let mut memory = Memory::default();
        let touch = contacts.touch(pair, poses, early.unwrap_or(0.0), &mut memory)?;
        if !touch.solved || touch.separation >= early.unwrap_or(0.0) {
            return Ok(None);
        }
        let softened = match early {
            Some(_) => Softened::new(contacts, pair, poses, &touch),
            None => Softened::exact(contacts.resolved(pair, poses, &mut memory)?),
        };
        Ok((softened.value < 0.0).then_some(softened))
    }

    /// Whether two parts reach each other however their bodies are turned.
    fn reach(&self, (a, b): (usize, usize), bodies: &Bodies) -> bool {
        let (p, q) = (&self.contacts.parts[a], &self.contacts.parts[b]);
        let ball = |part: &Part| match part.slot {
            Some(slot) => (bodies.placements[slot - bodies.first].position, part.reach),
            None => (part.reference, part.radius),
        };
        let (centre, radius) = ball(p);
        if q.slot.is_none()
            && let Some(height) = q.height(&Pose::identity(), &centre)
        {
            return height <= radius;
        }
        let (other, reach) = ball(q);
        // Also where nothing is a number: the kernel says so.
        !((centre - other).norm() > radius + reach)
    }

    /// The drag of a meeting, and whether it is as strong as the spring lets it be.
    fn drag(&self, meeting: &Meeting) -> (f64, bool) {
        let most = self.stiffness * meeting.softened.value.abs();
        let drag = self.drag * meeting.rate;
        (drag.clamp(-most, most), drag.abs() > most)
    }

    /// `f`, N.
    fn force(&self, meeting: &Meeting) -> f64 {
        -self.stiffness * meeting.softened.value - self.drag(meeting).0
    }

    pub(super) fn pull(&self, name: &str, bodies: &Bodies, pulls: &mut [Pull]) -> Result<(), ForceError> {
        self.each(name, bodies, |meeting| {
            let force = self.force(meeting);
            meeting.gradient.iter().for_each(|form| form.push(force, bodies, pulls));
        })
    }

    pub(super) fn stiffness(
        &self,
        name: &str,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        self.each(name, bodies, |meeting| {
            let (by_position, by_velocity) = match self.drag(meeting) {
                (_, false) => (-self.stiffness, -self.drag),
                // As strong as the spring: it doubles the spring while parts close, and undoes it while they part.
                (drag, true) if drag < 0.0 => (-2.0 * self.stiffness, 0.0),
                (_, true) => (0.0, 0.0),
            };
            let push = meeting.gradient;
            list.push(Stiffness::Outer { push, along: push, by_position, by_velocity });
            for (direction, moment) in meeting.softened.ramp.iter().filter(|(_, moment)| *moment > 0.0) {
                let tilt = meeting.tilt(direction);
                let by_position = -self.force(meeting) * moment;
                list.push(Stiffness::Outer { push: tilt, along: tilt, by_position, by_velocity: 0.0 });
                // While bodies tilt, `s'` changes with the weights of the corners.
                let rate: f64 = tilt.iter().map(|form| form.rate(bodies)).sum();
                let by_position = -by_velocity * moment * rate;
                if by_position != 0.0 {
                    list.push(Stiffness::Outer { push, along: tilt, by_position, by_velocity: 0.0 });
                }
            }
        })
    }

    pub(super) fn potential(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        let mut sum = 0.0;
        self.each(name, bodies, |meeting| sum += 0.5 * self.stiffness * meeting.softened.value.powi(2))?;
        Ok(sum)
    }

    /// Power of the drag, W.
    pub(super) fn power(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        let mut sum = 0.0;
        if self.drag > 0.0 {
            self.each(name, bodies, |meeting| sum -= self.drag(meeting).0 * meeting.rate)?;
        }
        Ok(sum)
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        positive("the stiffness C", self.stiffness)?;
        not_negative("the drag", self.drag)
    }
}
