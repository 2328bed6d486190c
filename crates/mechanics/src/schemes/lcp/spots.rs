//! Where parts touch or are about to: the active set of a step [Hart 4.8-4.11].
//!
//! ```text
//! window of a pair   what its parts can travel towards each other in a step, unless the scene says otherwise: as they do, or
//!                    one of them while impulses stop the other
//! pairs              those whose boxes, grown by what each can travel, touch
//! events             nearly active ones of each pair, every one with its own distance [Hart 4.17]
//! ```
//!
//! What a pair is like depends on the configuration alone, not on what was asked before: queries begin without memory,
//! so that a run that was interrupted goes on to the same bits.

use super::options::{DistanceMetric, LcpOptions};
use crate::contact::{
    ActivityTolerances, CandidatePairs, ContactGeometry, ContactPoint, ManifoldQuery, PairWarmStart, Part,
    PartPose, Surface,
};
use crate::discrete::StepError;
use crate::model::State;
use crate::prescribed_motion::Twist;
use crate::spatial::{Vec6, angular, linear, twist};
use percussion_geometry::Vec3;

/// How far the point of an event may lie outside its features at least, relative to the smaller part: faces that lie on each
/// other keep all their corners.
const REACH: f64 = 1e-3;
/// Sine of the angle between faces that still lie on each other, at least and at most; between them what a step can turn.
const TILT: (f64, f64) = (0.1, 0.9);
/// Least distance of reference points in the ratio metric, relative to the radius of the smaller part.
const LEAST: f64 = 0.1;
/// How much more than it can travel in a step a pair is watched for: impulses speed bodies up.
const MARGIN: f64 = 1.25;

/// A place where two parts touch or are about to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The parts.
    pub pair: (usize, usize),
    /// Unit normal from the second body to the first.
    pub normal: Vec3,
    /// Where impulses act, on both bodies.
    pub point: Vec3,
    /// The same in the frame of its second body, or of its first if that never moves.
    pub local: Vec3,
    /// Its distance, in units of the metric.
    pub distance: f64,
    /// The distance of an overlap is measured along the normal by this factor: m per unit of the metric.
    pub metres: f64,
    /// Derivative of the distance with respect to twists of both bodies.
    pub wrenches: [Vec6; 2],
    /// What the surfaces do.
    pub surface: Surface,
    /// How fast the distance changes because a body is driven, in units of the metric per second.
    pub carried: f64,
    /// Velocity of the first body's point against the second's because they are driven, m/s.
    pub wall: Vec3,
}

/// A push along a direction at a point on the first body, and its opposite on the second, as wrenches.
fn push(point: &Vec3, direction: &Vec3, centres: [Option<&Vec3>; 2]) -> [Vec6; 2] {
    let on = |centre: Option<&Vec3>| {
        centre.map_or_else(Vec6::zeros, |c| twist(direction, &(point - c).cross(direction)))
    };
    [on(centres[0]), -on(centres[1])]
}

/// The active set; its memory serves again.
#[derive(Debug, Default)]
pub(super) struct Spots {
    watch: Option<CandidatePairs>,
    room: ManifoldQuery,
    touches: Vec<ContactPoint>,
    /// By part: where it is, and how it moves.
    stands: Vec<PartPose>,
    paces: Vec<Pace>,
    /// Places where parts touch, by pair.
    pub list: Vec<Spot>,
    /// Deepest overlap of two parts, m, and in units of the metric.
    pub deepest: (f64, f64),
}

impl Spots {
    /// Finds the active set at a state whose bodies, with points at most `reaches` from their centres, are about to move with
    /// the given twists for a step.
    #[allow(clippy::too_many_arguments)]
    pub fn find(
        &mut self,
        contacts: &ContactGeometry,
        state: &State,
        twists: &[Vec6],
        reaches: &[f64],
        h: f64,
        options: &LcpOptions,
    ) -> Result<(), StepError> {
        self.list.clear();
        self.deepest = (0.0, 0.0);
        let (t, step, h) = (state.time, h, h.abs());
        self.stands.clear();
        self.paces.clear();
        for part in &contacts.parts {
            self.stands.push(part.stand(&part.body_pose(state)));
            self.paces.push(match (part.slot, &part.motion) {
                (Some(slot), _) => Pace::of(&twists[slot], reaches[slot]),
                (None, Some(motion)) => Pace::driven(&motion.step(t, step), part),
                (None, None) => Pace::default(),
            });
        }
        let (stands, paces) = (&self.stands, &self.paces);
        let travel = |part: usize| MARGIN * h * paces[part].fastest;
        // Lengths in the ratio metric are relative to a distance between parts: boxes must allow for it.
        let asked = |part: usize| match (options.eps_t, options.metric) {
            (None, _) => travel(part),
            (Some(eps), DistanceMetric::Gap) => 0.5 * eps,
            (Some(eps), DistanceMetric::Ratio) => {
                let radius = contacts.parts[part].radius;
                if radius.is_finite() { eps * radius } else { 0.0 }
            }
        };
        let boxed = |part: usize| contacts.parts[part].bounds_at(&stands[part]).grown(asked(part));
        match &mut self.watch {
            Some(watch) => watch.look(contacts, boxed)?,
            None => self.watch = Some(CandidatePairs::new(contacts, boxed)?),
        }
        let near = self.watch.as_ref().map_or(&[][..], |watch| watch.near());
        for near in near {
            let (a, b) = near.pair;
            let (p, q) = (&contacts.parts[a], &contacts.parts[b]);
            let smaller = p.radius.min(q.radius);
            let together = MARGIN * h * paces[a].towards(&paces[b]);
            let within = if options.eps_t.is_some() { asked(a) + asked(b) } else { together };
            let reach = p.radius + q.radius + within;
            if (stands[a].reference - stands[b].reference).norm_squared() > reach * reach {
                continue;
            }
            let window = ActivityTolerances {
                within,
                eps_x: options.eps_x.unwrap_or(together.max(REACH * smaller)),
                eps_t: within.max(REACH * smaller),
                eps_0: options.eps_0.unwrap_or(0.0),
                tilt: (MARGIN * h * (paces[a].turning + paces[b].turning)).clamp(TILT.0, TILT.1),
            };
            self.touches.clear();
            let memory = &mut PairWarmStart::default();
            let room = &mut self.room;
            let at = (&stands[a], &stands[b]);
            let whole = contacts.active_events((a, b), at, &window, memory, room, &mut self.touches)?;
            let Some(whole) = whole else { continue };
            let surface = contacts.surface(a, b);
            let sides = [p, q].map(|part| Side::of(part, state, step));
            let overlap = distance(&whole, options.metric, smaller).0;
            self.deepest.0 = self.deepest.0.max(-whole.gap());
            self.deepest.1 = self.deepest.1.max(-overlap);
            if options.eps_t.is_some_and(|eps| overlap > eps) {
                continue;
            }
            let frame = q.slot.or(p.slot).map(|slot| (&state.positions[slot], &state.rotations[slot]));
            self.list.extend(self.touches.iter().map(|touch| {
                let spot = spot((a, b), touch, surface, options.metric, smaller, &sides);
                let local = frame.map_or(spot.point, |(centre, turn)| turn.tr_mul(&(spot.point - centre)));
                Spot { local, ..spot }
            }));
        }
        Ok(())
    }
}

/// A body of a pair: where its twists are about, with which one it is driven, whether it is round.
struct Side {
    centre: Option<Vec3>,
    driven: Option<Vec6>,
    round: bool,
}

impl Side {
    fn of(part: &Part, state: &State, h: f64) -> Self {
        let (centre, driven) = match (part.slot, &part.motion) {
            (Some(slot), _) => (Some(state.positions[slot]), None),
            (None, Some(motion)) => {
                let t = motion.step(state.time, h);
                (Some(t.point), Some(twist(&t.linear, &t.angular)))
            }
            (None, None) => (None, None),
        };
        Self { centre, driven, round: part.shape.is_round() }
    }

    /// Velocity of a point because of being driven.
    fn velocity(&self, point: &Vec3) -> Vec3 {
        match (&self.centre, &self.driven) {
            (Some(centre), Some(t)) => linear(t) + angular(t).cross(&(point - centre)),
            _ => Vec3::zeros(),
        }
    }
}

/// How fast a part moves.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    /// Velocity of its body's centre, m/s.
    velocity: Vec3,
    /// What turning adds to the velocity of its farthest point, m/s.
    swing: f64,
    /// Fastest point, m/s.
    fastest: f64,
    /// How fast it turns by forces, 1/s.
    turning: f64,
}

impl Pace {
    /// Of a body whose points are at most `reach` from its centre.
    fn of(t: &Vec6, reach: f64) -> Self {
        let turning = angular(t).norm();
        let (velocity, swing) = (linear(t), turning * reach);
        Self { velocity, swing, fastest: velocity.norm() + swing, turning }
    }

    /// Of a driven part; of one without end, the points near its axis.
    fn driven(t: &Twist, part: &Part) -> Self {
        let reach = if part.reach.is_finite() { part.reach + t.point.norm() } else { 0.0 };
        let swing = t.angular.norm() * reach;
        Self { velocity: t.linear, swing, fastest: t.linear.norm() + swing, turning: 0.0 }
    }

    /// How fast two parts may come closer, m/s: as they move, or one of them alone.
    fn towards(&self, other: &Self) -> f64 {
        let both = (self.velocity - other.velocity).norm() + self.swing + other.swing;
        both.max(self.fastest).max(other.fastest)
    }
}

/// Where the impulses of an event act: on the surface of a round body, which a push at another point across the gap would set
/// spinning; between others in the middle.
fn place(touch: &ContactPoint, sides: &[Side; 2]) -> Vec3 {
    match [sides[0].round, sides[1].round] {
        [true, false] => touch.point_a,
        [false, true] => touch.point_b,
        _ => touch.point(),
    }
}

/// An event as a constraint: its distance and the derivative of it.
fn spot(
    pair: (usize, usize),
    touch: &ContactPoint,
    surface: Surface,
    metric: DistanceMetric,
    smaller: f64,
    sides: &[Side; 2],
) -> Spot {
    let point = place(touch, sides);
    let centres = [0, 1].map(|k| sides[k].centre.as_ref());
    let mut spot = constraint(pair, touch, point, surface, metric, smaller, centres);
    for (wrench, side) in spot.wrenches.iter().zip(sides) {
        spot.carried += side.driven.map_or(0.0, |driven| wrench.dot(&driven));
    }
    spot.wall = sides[0].velocity(&point) - sides[1].velocity(&point);
    spot
}

/// The distance of an event in a metric, and the length that it is measured by.
fn distance(touch: &ContactPoint, metric: DistanceMetric, smaller: f64) -> (f64, f64) {
    if metric == DistanceMetric::Gap {
        return (touch.gap(), 1.0);
    }
    let d = match touch.reference_distance {
        d if d > 0.0 => d,
        _ => touch.beta.dot(&(touch.reference_a - touch.point_b)),
    };
    // Deep inside each other bodies have no distance to measure by: a part of their size serves.
    let d = d.max(LEAST * smaller);
    (touch.separation / d, d)
}

fn constraint(
    pair: (usize, usize),
    touch: &ContactPoint,
    point: Vec3,
    surface: Surface,
    metric: DistanceMetric,
    smaller: f64,
    centres: [Option<&Vec3>; 2],
) -> Spot {
    let (carried, wall, local) = (0.0, Vec3::zeros(), point);
    let normal = touch.normal();
    let (distance, d) = distance(touch, metric, smaller);
    match metric {
        // Along the unit normal: what the turning of the normal and of β adds is proportional to the gap, which is of the
        // order of a step.
        DistanceMetric::Gap => Spot {
            pair,
            normal,
            point,
            local,
            distance,
            metres: 1.0,
            wrenches: push(&point, &normal, centres),
            surface,
            carried,
            wall,
        },
        // ρ = s/D: ∇ρ = (∇s - ρ ∇D)/D, with D along β between the reference points, or above a floor.
        DistanceMetric::Ratio => {
            let on =
                |centre: Option<&Vec3>, s: fn(&ContactPoint, &Vec3) -> Vec6, reference: &Vec3, sign: f64| {
                    centre.map_or_else(Vec6::zeros, |c| {
                        let away = twist(&touch.beta, &(reference - c).cross(&touch.beta)) * sign;
                        (s(touch, c) - away * distance) / d
                    })
                };
            Spot {
                pair,
                normal,
                point,
                local,
                distance,
                metres: d / touch.alpha.norm(),
                wrenches: [
                    on(centres[0], ContactPoint::wrench_a, &touch.reference_a, 1.0),
                    on(centres[1], ContactPoint::wrench_b, &touch.reference_b, -1.0),
                ],
                surface,
                carried,
                wall,
            }
        }
    }
}
