//! Contact as a potential [Johnson 3.38]: penetrating parts are pushed apart by a force that grows with penetration.
//!
//! For every pair of convex parts that overlap, with the separation `s < 0` of the kernel along the line β of the reference
//! points, its direction α, and the contact points `p`:
//!
//! ```text
//! V = C/2 s²        on a   -C s α at p_a  and  -C s b at c_a        on b   the opposite at p_b and c_b        b = -(s/D)(1 - ββᵀ)α
//! drag              -c w' of the motion w of the parts against each other along α, where corners near the deepest share it
//! ```
//!
//! `∇s` is complete: the β part [Johnson 3.49] acts at the reference points `c`, `D` apart. With `p_a - p_b = s β` and
//! `c_a - c_b = D β` the torques of the two parts cancel, so momentum is conserved. Against a half-space β
//! is its normal and there is no β part. Degenerate contacts are resolved: face on face gives symmetric forces.
//!
//! Ours: at the middle of a step each body has the rotation nearest to its averaged directors (`nearest_pose.rs`), so that `V` is a
//! function of rigid poses and the scheme stays variational. The drag resists closing and tilting of the two faces, and is
//! never stronger than the spring: one that began at once at first contact would leave the equations of some steps without a
//! solution, and would resist separation.
//!
//! The derivatives listed for Newton's method are `-C ∇s ∇sᵀ`, those of the drag, and the steep change of the force while
//! corners share it (`softening.rs`); the small curvature of `s` elsewhere is left out, so Newton's method converges linearly, with a
//! rate of `C h²/m` times overlap over size. Where it finds no solution the step is taken in halves. Optimal control needs all
//! derivatives: they are differences of the force (`difference_stiffness.rs`).

mod difference_stiffness;
mod nearest_pose;
mod softening;

use super::parameter::{not_negative, positive};
use super::{Bodies, ForceAccumulator, ForceError, LinearForm, ParameterError, Stiffness};
use crate::contact::{ContactGeometry, ContactPoint, PairWarmStart, Part, Potential};
use crate::rotation::Mat3;
use crate::spatial::twist;
use crate::tolerances::{DAMPING_SOFTNESS, SOFTNESS};
use nearest_pose::NearestPose;
use percussion_geometry::separation::QueryError;
use percussion_geometry::{Pose, Vec3};
use softening::Softened;
use std::sync::Arc;

/// The contact potential of all parts of a model.
#[derive(Clone, Debug)]
pub struct ContactPotential {
    contacts: Arc<ContactGeometry>,
    /// `C`, N/m.
    pub(crate) stiffness: f64,
    /// Drag on the rate of `s`, N s/m.
    pub(crate) drag: f64,
    /// The pairs that may collide.
    pairs: Vec<(usize, usize)>,
    /// Slots of the bodies of these pairs.
    slots: Vec<usize>,
}

/// Two penetrating parts.
struct Penetration {
    softened: Softened,
    bodies: [NearestPose; 2],
    /// `∇s`.
    gradient: [LinearForm; 2],
}

/// Damping of the relative motion of two penetrating parts.
struct Resistance {
    /// Motions with their rates and weights: at the contact, and tilt in two directions.
    motions: [([LinearForm; 2], f64, f64); 3],
    /// `c`, N s/m.
    coefficient: f64,
    /// Where it is as strong as the spring: the unit motion that it resists.
    full: Option<[LinearForm; 2]>,
}

impl Penetration {
    fn new(softened: Softened, [a, b]: [NearestPose; 2]) -> Self {
        let point = &softened.point;
        let gradient = [a.form(&point.wrench_a(&a.pose.position)), b.form(&point.wrench_b(&b.pose.position))];
        Self { softened, bodies: [a, b], gradient }
    }

    /// Relative motion of the bodies along α at a point.
    fn motion_at(&self, point: &Vec3) -> [LinearForm; 2] {
        let alpha = self.softened.point.alpha;
        let on = |seen: &NearestPose, force: Vec3| {
            seen.form(&twist(&force, &(point - seen.pose.position).cross(&force)))
        };
        [on(&self.bodies[0], alpha), on(&self.bodies[1], -alpha)]
    }

    /// Relative tilt of the bodies: how heights over the contact change in a direction across α.
    fn tilt(&self, direction: &Vec3) -> [LinearForm; 2] {
        let turn = direction.cross(&self.softened.point.alpha);
        let on = |seen: &NearestPose, turn: Vec3| seen.form(&twist(&Vec3::zeros(), &turn));
        [on(&self.bodies[0], turn), on(&self.bodies[1], -turn)]
    }
}

impl ContactPotential {
    /// Of all pairs that may collide; `None` without such pairs.
    pub fn new(contacts: Arc<ContactGeometry>, potential: Potential) -> Option<Self> {
        let pairs = contacts.all_pairs();
        let both = pairs.iter().flat_map(|&(a, b)| [a, b]);
        let mut slots: Vec<usize> = both.filter_map(|part| contacts.parts[part].slot).collect();
        slots.sort_unstable();
        slots.dedup();
        let Potential { stiffness, drag } = potential;
        (!pairs.is_empty()).then_some(Self { contacts, stiffness, drag, pairs, slots })
    }

    /// The contact geometry.
    pub fn contacts(&self) -> &ContactGeometry {
        &self.contacts
    }

    pub(super) fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// Visits the pairs that overlap.
    fn each(
        &self,
        name: &str,
        bodies: &Bodies,
        mut visit: impl FnMut(&Penetration, Option<&Resistance>),
    ) -> Result<(), ForceError> {
        for &pair in &self.pairs {
            if let Some((penetration, resistance)) = self.penetration(name, pair, bodies)? {
                visit(&penetration, resistance.as_ref());
            }
        }
        Ok(())
    }

    /// A pair, if it overlaps.
    fn penetration(
        &self,
        name: &str,
        pair: (usize, usize),
        bodies: &Bodies,
    ) -> Result<Option<(Penetration, Option<Resistance>)>, ForceError> {
        if !self.reach(pair, bodies) {
            return Ok(None);
        }
        let both = [pair.0, pair.1].map(|part| NearestPose::new(self.contacts.parts[part].slot, bodies));
        let point = self.point(pair, (&both[0].pose, &both[1].pose));
        let point = point.map_err(|error| ForceError::Separation { force: name.to_owned(), error })?;
        let Some(point) = point else { return Ok(None) };
        let softened = self.softened(pair, &both, &point, SOFTNESS);
        if !(softened.value < 0.0) {
            return Ok(None);
        }
        let penetration = Penetration::new(softened, both);
        let resistance = (self.drag > 0.0).then(|| self.resistance(pair, &penetration, &point, bodies));
        Ok(Some((penetration, resistance)))
    }

    /// Separation of two parts that may overlap once they are softened.
    fn point(&self, pair: (usize, usize), poses: (&Pose, &Pose)) -> Result<Option<ContactPoint>, QueryError> {
        let contacts = &self.contacts;
        if !contacts.bounding_balls_overlap(pair, poses) {
            return Ok(None);
        }
        let soft = Softened::size(contacts, pair);
        let early = soft.map_or(0.0, |size| size * SOFTNESS);
        let mut warm_start = PairWarmStart::default();
        let point = contacts.separation(pair, poses, early, &mut warm_start)?;
        Ok(match soft {
            _ if !(point.solved && point.separation < early) => None,
            Some(_) => Some(point),
            None => Some(contacts.resolved_separation(pair, poses, &mut warm_start)?),
        })
    }

    fn softened(
        &self,
        pair: (usize, usize),
        both: &[NearestPose; 2],
        point: &ContactPoint,
        softness: f64,
    ) -> Softened {
        Softened::new(&self.contacts, pair, (&both[0].pose, &both[1].pose), point, softness)
    }

    fn resistance(
        &self,
        pair: (usize, usize),
        penetration: &Penetration,
        point: &ContactPoint,
        bodies: &Bodies,
    ) -> Resistance {
        let wide = self.softened(pair, &penetration.bodies, point, DAMPING_SOFTNESS);
        let moving = |motion: [LinearForm; 2], weight: f64| {
            let rate: f64 = motion.iter().map(|form| form.rate(bodies)).sum();
            (motion, rate, weight)
        };
        let [first, second] =
            wide.extent.map(|(direction, weight)| moving(penetration.tilt(&direction), weight));
        let motions = [moving(penetration.motion_at(&wide.point.point()), 1.0), first, second];
        let speed = motions.iter().map(|(_, rate, weight)| weight * rate * rate).sum::<f64>().sqrt();
        let spring = self.stiffness * penetration.softened.value.abs();
        if !(self.drag * speed > spring) {
            return Resistance { motions, coefficient: self.drag, full: None };
        }
        let full = [0, 1].map(|side| {
            let mut sum =
                LinearForm { force: Vec3::zeros(), moment: Mat3::zeros(), ..penetration.gradient[side] };
            for (motion, rate, weight) in &motions {
                sum.force += motion[side].force * (weight * rate / speed);
                sum.moment += motion[side].moment * (weight * rate / speed);
            }
            sum
        });
        Resistance { motions, coefficient: spring / speed, full: Some(full) }
    }

    /// Whether two parts reach each other however their bodies are turned.
    fn reach(&self, (a, b): (usize, usize), bodies: &Bodies) -> bool {
        let (p, q) = (&self.contacts.parts[a], &self.contacts.parts[b]);
        let ball = |part: &Part| match part.slot {
            Some(slot) => (bodies.kinematics[slot - bodies.first].position, part.reach),
            None => (part.reference, part.radius),
        };
        let (centre, radius) = ball(p);
        if q.slot.is_none()
            && let Some(height) = q.height(&Pose::identity(), &centre)
        {
            return height <= radius;
        }
        let (other, reach) = ball(q);
        // Also true for NaN: the separation query then fails.
        !((centre - other).norm() > radius + reach)
    }

    pub(super) fn add_forces(
        &self,
        name: &str,
        bodies: &Bodies,
        accumulators: &mut [ForceAccumulator],
    ) -> Result<(), ForceError> {
        self.each(name, bodies, |penetration, resistance| {
            self.pushes(penetration, resistance)
                .for_each(|(form, size)| form.apply(size, bodies, accumulators));
        })
    }

    /// Forces of an overlapping pair on its bodies: given shapes and their sizes.
    fn pushes<'a>(
        &self,
        penetration: &'a Penetration,
        resistance: Option<&'a Resistance>,
    ) -> impl Iterator<Item = (&'a LinearForm, f64)> {
        let force = -self.stiffness * penetration.softened.value;
        let spring = penetration.gradient.iter().map(move |form| (form, force));
        let drag = resistance.into_iter().flat_map(|r| {
            let size = |rate: &f64, weight: &f64| -r.coefficient * rate * weight;
            r.motions.iter().flat_map(move |(motion, rate, weight)| {
                motion.iter().map(move |form| (form, size(rate, weight)))
            })
        });
        spring.chain(drag)
    }

    pub(super) fn stiffness(
        &self,
        name: &str,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        let mut add = |push: [LinearForm; 2], along: [LinearForm; 2], by_position: f64, by_velocity: f64| {
            if by_position != 0.0 || by_velocity != 0.0 {
                list.push(Stiffness::Outer { push, along, by_position, by_velocity });
            }
        };
        self.each(name, bodies, |penetration, resistance| {
            add(penetration.gradient, penetration.gradient, -self.stiffness, 0.0);
            for (direction, moment) in penetration.softened.ramp {
                let tilt = penetration.tilt(&direction);
                add(tilt, tilt, self.stiffness * penetration.softened.value * moment, 0.0);
            }
            let Some(Resistance { motions, coefficient, full }) = resistance else { return };
            motions.iter().for_each(|(motion, _, weight)| add(*motion, *motion, 0.0, -coefficient * weight));
            // As strong as the spring it follows the spring, and speed along the motion does not matter any more.
            if let Some(full) = *full {
                add(full, penetration.gradient, self.stiffness, 0.0);
                add(full, full, 0.0, *coefficient);
            }
        })
    }

    pub(super) fn potential(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        let mut sum = 0.0;
        self.each(name, bodies, |penetration, _| {
            sum += 0.5 * self.stiffness * penetration.softened.value.powi(2)
        })?;
        Ok(sum)
    }

    /// Power of the drag, W.
    pub(super) fn power(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        let mut sum = 0.0;
        self.each(name, bodies, |_, resistance| {
            for (_, rate, weight) in resistance.iter().flat_map(|r| &r.motions) {
                sum -= resistance.map_or(0.0, |r| r.coefficient) * weight * rate * rate;
            }
        })?;
        Ok(sum)
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        positive("the stiffness C", self.stiffness)?;
        not_negative("the drag", self.drag)
    }
}
