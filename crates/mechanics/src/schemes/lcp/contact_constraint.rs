//! One contact of a step: its distance [Hart 2.12, 4.17], the derivative of the distance, and the point of impulses.
//!
//! | metric | distance | gradient |
//! |---|---|---|
//! | gap | `s/|α|`, m | unit force along the normal |
//! | ratio | `ρ = s/D`, without unit | `(∇s - ρ ∇D)/D` |

use super::options::DistanceMetric;
use crate::contact::{ContactGeometry, ContactPoint, Part, Surface};
use crate::model::State;
use crate::spatial::{Vec6, angular, linear, twist};
use crate::tolerances::lcp::contact_constraint::MIN_REFERENCE;
use percussion_geometry::Vec3;

/// A contact as a unilateral constraint on velocities.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactConstraint {
    /// The parts.
    pub pair: (usize, usize),
    /// Unit normal from the second body to the first.
    pub normal: Vec3,
    /// Application point of the impulses on both bodies.
    pub point: Vec3,
    /// The point in the frame of the second body, or of the first if the second is fixed: identifies it in the next step.
    pub local_point: Vec3,
    /// Arms of the point from the centres of mass of moving bodies.
    pub arms: [Vec3; 2],
    /// Distance, in units of the metric.
    pub distance: f64,
    /// Metres along the normal per unit of the metric.
    pub unit: f64,
    /// Derivative of the distance with respect to the twists of both bodies.
    pub gradient: [Vec6; 2],
    /// Material of the pair.
    pub surface: Surface,
    /// Rate of the distance because of driven bodies, in units of the metric per second.
    pub driven_rate: f64,
    /// Relative velocity of the point on the first body because of driven bodies, m/s.
    pub driven_velocity: Vec3,
}

impl ContactConstraint {
    /// The constraint of a contact point.
    pub fn new(pair: &ContactPair, contact: &ContactPoint) -> Self {
        let sides = &pair.sides;
        let point = application_point(contact, sides);
        let (distance, length) = pair.distance(contact);
        let (gradient, unit) = match pair.metric {
            // Along the unit normal: what the rotation of the normal and of β adds is proportional to the gap, which is of
            // the order of a step.
            DistanceMetric::Gap => (force_wrenches(&point, &contact.normal(), sides), 1.0),
            DistanceMetric::Ratio => {
                let away = if pair.ratio_gradient { distance } else { 0.0 };
                (ratio_gradient(contact, away, length, sides), length / contact.alpha.norm())
            }
        };
        let mut driven_rate = 0.0;
        for (wrench, side) in gradient.iter().zip(sides) {
            driven_rate += side.driven.map_or(0.0, |driven| wrench.dot(&driven));
        }
        Self {
            pair: pair.parts,
            normal: contact.normal(),
            point,
            arms: [sides[0].arm(&point), sides[1].arm(&point)],
            local_point: pair.frame.map_or(point, |(center, axes)| axes.tr_mul(&(point - center))),
            distance,
            unit,
            gradient,
            surface: pair.surface,
            driven_rate,
            driven_velocity: sides[0].velocity(&point) - sides[1].velocity(&point),
        }
    }

    /// Slots of the two bodies.
    #[inline]
    pub fn slots(&self, geometry: &ContactGeometry) -> [Option<usize>; 2] {
        [geometry.parts[self.pair.0].slot, geometry.parts[self.pair.1].slot]
    }

    /// The normal impulse on the first body of a multiplier, N s.
    pub fn normal_impulse(&self, geometry: &ContactGeometry, multiplier: f64) -> Vec3 {
        let impulse = linear(&self.gradient[0]) * multiplier - linear(&self.gradient[1]) * multiplier;
        match self.slots(geometry) {
            [Some(_), Some(_)] => impulse * 0.5,
            _ => impulse,
        }
    }

    /// Rate of the distance at given twists, in units of the metric per second; negative: approaching.
    pub fn distance_rate(&self, geometry: &ContactGeometry, twists: &[Vec6]) -> f64 {
        let of = |part: usize, w: &Vec6| geometry.parts[part].slot.map_or(0.0, |slot| w.dot(&twists[slot]));
        of(self.pair.0, &self.gradient[0]) + of(self.pair.1, &self.gradient[1]) + self.driven_rate
    }
}

/// Common data of the contacts of a pair of parts.
pub(super) struct ContactPair<'a> {
    /// The parts.
    pub parts: (usize, usize),
    /// Their bodies.
    pub sides: [PairSide; 2],
    /// Centre of mass and axes in which contact points are identified between steps.
    pub frame: Option<(&'a Vec3, &'a crate::rotation::Mat3)>,
    /// Material of the pair.
    pub surface: Surface,
    /// Unit of distances.
    pub metric: DistanceMetric,
    /// Whether the gradient of the ratio metric has its term `ρ ∇D`. To first order in the gap it vanishes; for wide gaps its
    /// linearisation lets fast bodies pass each other.
    pub ratio_gradient: bool,
    /// Radius of the smaller part, m.
    pub radius: f64,
}

impl ContactPair<'_> {
    /// The distance of a contact point in the metric, and the length by which separations are divided, m.
    pub fn distance(&self, contact: &ContactPoint) -> (f64, f64) {
        if self.metric == DistanceMetric::Gap {
            return (contact.gap(), 1.0);
        }
        let d = match contact.reference_distance {
            d if d > 0.0 => d,
            _ => contact.beta.dot(&(contact.reference_a - contact.point_b)),
        };
        // Deep in penetration the reference points coincide: a part of the bodies' size replaces their distance.
        let d = d.max(MIN_REFERENCE * self.radius);
        (contact.separation / d, d)
    }
}

/// A body of a pair: centre of its twists, prescribed twist if it is driven, whether the part is round.
pub(super) struct PairSide {
    center: Option<Vec3>,
    driven: Option<Vec6>,
    round: bool,
}

impl PairSide {
    /// Of a part over a step `h` that began `since` before the configuration of a state.
    pub fn new(part: &Part, state: &State, h: f64, since: f64) -> Self {
        let (center, driven) = match (part.slot, &part.motion) {
            (Some(slot), _) => (Some(state.positions[slot]), None),
            (None, Some(motion)) => {
                let t = motion.step(state.time - since, h);
                (Some(t.point + t.linear * since), Some(twist(&t.linear, &t.angular)))
            }
            (None, None) => (None, None),
        };
        Self { center, driven, round: part.shape.is_round() }
    }

    /// Arm of a point from the centre of mass of a moving body.
    fn arm(&self, point: &Vec3) -> Vec3 {
        self.center.filter(|_| self.driven.is_none()).map_or_else(Vec3::zeros, |center| point - center)
    }

    /// Velocity of a point because of the prescribed motion.
    fn velocity(&self, point: &Vec3) -> Vec3 {
        match (&self.center, &self.driven) {
            (Some(center), Some(t)) => linear(t) + angular(t).cross(&(point - center)),
            _ => Vec3::zeros(),
        }
    }
}

/// Application point of impulses: on the surface of a round part, which a force at another point across the gap would set
/// spinning; otherwise the middle of the two contact points.
fn application_point(contact: &ContactPoint, sides: &[PairSide; 2]) -> Vec3 {
    match [sides[0].round, sides[1].round] {
        [true, false] => contact.point_a,
        [false, true] => contact.point_b,
        _ => contact.point(),
    }
}

/// A force along a direction at a point on the first body, and its opposite on the second, as wrenches.
fn force_wrenches(point: &Vec3, direction: &Vec3, sides: &[PairSide; 2]) -> [Vec6; 2] {
    let on = |center: &Option<Vec3>| {
        center.map_or_else(Vec6::zeros, |c| twist(direction, &(point - c).cross(direction)))
    };
    [on(&sides[0].center), -on(&sides[1].center)]
}

/// `∇ρ = (∇s - ρ ∇D)/D`, with D along β between the reference points.
fn ratio_gradient(contact: &ContactPoint, ratio: f64, length: f64, sides: &[PairSide; 2]) -> [Vec6; 2] {
    let on = |side: &PairSide, s: fn(&ContactPoint, &Vec3) -> Vec6, reference: &Vec3, sign: f64| {
        side.center.as_ref().map_or_else(Vec6::zeros, |c| {
            let away = twist(&contact.beta, &(reference - c).cross(&contact.beta)) * sign;
            (s(contact, c) - away * ratio) / length
        })
    };
    [
        on(&sides[0], ContactPoint::wrench_a, &contact.reference_a, 1.0),
        on(&sides[1], ContactPoint::wrench_b, &contact.reference_b, -1.0),
    ]
}
