//! Directions between two bodies as covectors of the degrees of freedom: those of impulses, and of velocities that are asked for.
//!
//! ```text
//! D_r ν = a_r·(V_a - V_b)      V = v + ω × (x - c), of either body at one point x        or a_r·(ω_a - ω_b)
//! ```
//!
//! Both bodies are looked at where they meet, so that impulses keep the angular momentum: at the corner that slides over a face,
//! where an edge crosses the other, at the point that a tie holds. The gradient of `Σ c_r D_r ν` for held `c` and `ν` follows from
//! how the bodies' motions change (`tree.rs`), how the point goes with the bodies, and how axes follow the normal of features.
//!
//! ```text
//! g = ±(Σ c a) × ω, G = g_a + g_b      G·dx - g_a·dc_a - g_b·dc_b
//! edges: x = a + t e1, t = (b - a)×e2·c/|c|², c = e1 × e2
//! ```

use super::frozen::{Frozen, Side};
use super::local::{Directions, Event, level, level_change};
use super::posture::{Posture, motion};
use super::tree::Ray;
use crate::plan::Measure;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::rotation::tangents_derivative;
use percussion_mechanics::{Model, State};

/// What the two axes across a normal follow.
#[derive(Clone, Copy, Debug)]
enum Across {
    /// The tangents of the normal.
    Tangents,
    /// A direction that stands firm, across which planar parts move.
    Plane(Vec3),
    /// Axes of the world.
    Level,
}

/// Two bodies where they hold each other.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    slots: [Option<usize>; 2],
    /// Where it is, seen from the centres of mass.
    arms: [Vec3; 2],
    /// What carries that place.
    place: Place,
    axes: [Vec3; 3],
    /// How many rows are velocities, and how many are turns.
    counts: [usize; 2],
    /// The features whose normal the first axis is; otherwise axes are those of the world.
    normal: Option<(Frozen, [Pose; 2], Across)>,
}

/// What the place of a hold goes with.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// One of the two bodies.
    Of(usize),
    /// Both: a point and the direction of an edge of each.
    Edges([Vec3; 2], [Vec3; 2]),
}

impl Place {
    /// Where edges cross.
    fn crossing(points: &[Vec3; 2], edges: &[Vec3; 2]) -> Vec3 {
        let c = edges[0].cross(&edges[1]);
        let t = (points[1] - points[0]).cross(&edges[1]).dot(&c) / c.norm_squared();
        points[0] + edges[0] * t
    }
}

const SIGNS: [f64; 2] = [1.0, -1.0];

impl Hold {
    /// Of an event; `None` in a model without contacts.
    pub fn of_event(model: &Model, state: &State, event: &Event) -> Option<Self> {
        let contacts = model.contacts.as_ref()?;
        let parts = [event.pair.0, event.pair.1].map(|part| &contacts.parts[part]);
        let poses = parts.map(|part| part.body_pose(state));
        let slots = parts.map(|part| part.slot);
        let world = [Vec3::x(), Vec3::y(), Vec3::z()];
        // What a tie holds is the point of the body that moves, wherever on the other one it was made.
        let mover = usize::from(slots[0].is_none());
        let held = |points: [&Vec3; 2]| (poses[mover].point(points[mover]), Place::Of(mover));
        let ((point, place), axes, normal) = match &event.directions {
            Directions::Point(a, b) | Directions::Rigid(a, b) => (held([a, b]), world, None),
            Directions::Normal(frozen)
            | Directions::Contact(frozen)
            | Directions::Foothold(frozen)
            | Directions::Spin(frozen) => {
                let n = frozen.read((&poses[0], &poses[1])).normal;
                let (across, (t, s)) = match &event.directions {
                    Directions::Foothold(_) => (Across::Level, level(&n)),
                    _ => {
                        let axes = contacts.tangents(event.pair, &n);
                        let planar = parts[0].shape.is_planar();
                        (if planar { Across::Plane(axes.1) } else { Across::Tangents }, axes)
                    }
                };
                let where_met = match (&event.directions, &frozen.carrier) {
                    (Directions::Foothold(_), _) => held([&frozen.point_a, &frozen.point_b]),
                    (_, Side::A(_)) => (poses[1].point(&frozen.point_b), Place::Of(1)),
                    (_, Side::B(_)) => (poses[0].point(&frozen.point_a), Place::Of(0)),
                    (_, Side::Edges(e1, e2)) => {
                        let points = [poses[0].point(&frozen.point_a), poses[1].point(&frozen.point_b)];
                        let edges = [poses[0].direction(e1), poses[1].direction(e2)];
                        (Place::crossing(&points, &edges), Place::Edges(points, edges))
                    }
                };
                (where_met, [n, t, s], Some((*frozen, poses, across)))
            }
        };
        let count = event.directions.count();
        let linear = if matches!(event.directions, Directions::Spin(_)) { 0 } else { count.min(3) };
        let arms = slots.map(|slot| point - centre(state, slot));
        Some(Self { slots, arms, place, axes, counts: [linear, count - linear], normal })
    }

    /// Of velocities that are measured; `None` for other measures.
    pub fn of_measure(model: &Model, state: &State, measure: &Measure) -> Option<Self> {
        let slots = measure.bodies().map(|body| body.and_then(|body| model.slots[body]));
        let (point, counts) = match measure {
            Measure::Velocity { of, .. } => {
                let pose = of.body.map_or_else(Pose::identity, |body| model.pose(state, body));
                (pose.point(&of.components), [3, 0])
            }
            Measure::AngularVelocity { .. } => (Vec3::zeros(), [0, 3]),
            _ => return None,
        };
        let arms = slots.map(|slot| point - centre(state, slot));
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        Some(Self { slots, arms, place: Place::Of(0), axes, counts, normal: None })
    }

    /// How many rows it has.
    pub fn count(&self) -> usize {
        self.counts[0] + self.counts[1]
    }

    /// Writes its rows, one after the other.
    pub fn rows(&self, posture: &Posture, n: usize, out: &mut [f64]) {
        out.fill(0.0);
        for ((slot, arm), sign) in self.slots.iter().zip(&self.arms).zip(SIGNS) {
            let Some((way, own)) = slot.and_then(|slot| posture.way(slot)) else { continue };
            for column in way.columns {
                let place = own.start + column.dof;
                let velocity = column.velocity + column.turn.cross(arm);
                for (r, axis) in self.axes.iter().enumerate().take(self.counts[0]) {
                    out[r * n + place] += sign * axis.dot(&velocity);
                }
                for (r, axis) in self.axes.iter().enumerate().take(self.counts[1]) {
                    out[(self.counts[0] + r) * n + place] += sign * axis.dot(&column.turn);
                }
            }
        }
    }

    /// Adds to `out` the gradient of `Σ c D ν` along the degrees of freedom, with coefficients and rates held.
    pub fn add_slopes(
        &self,
        posture: &Posture,
        coefficients: &[f64],
        rates: &[f64],
        rays: &mut [Vec<Ray>; 2],
        out: &mut [f64],
    ) {
        if coefficients.iter().all(|c| *c == 0.0) {
            return;
        }
        let (linear, angular) = coefficients.split_at(self.counts[0]);
        let sum = |list: &[f64]| -> Vec3 { self.axes.iter().zip(list).map(|(axis, c)| axis * *c).sum() };
        let (push, torque) = (sum(linear), sum(angular));
        let moves = [0, 1].map(|side| motion(posture, self.slots[side], rates, &mut rays[side]));
        let velocity = |side: usize| moves[side].0 + moves[side].1.cross(&self.arms[side]);
        let mut turned = [Vec3::zeros(); 2];
        if let Some((frozen, poses, across)) = &self.normal {
            let n = self.axes[0];
            let weights = match (linear, angular) {
                ([], [spin, ..]) => (moves[0].1 - moves[1].1) * *spin,
                _ => self.of_normal(across, linear, &(velocity(0) - velocity(1))),
            };
            let torques = frozen.normal_torques((&poses[0], &poses[1]), &n, &weights);
            turned = [torques.0, torques.1];
        }
        let pulls = [0, 1].map(|side| push.cross(&moves[side].1) * SIGNS[side]);
        let carried = self.carried(&(pulls[0] + pulls[1]));
        for side in 0..2 {
            let Some((_, own)) = self.slots[side].and_then(|slot| posture.way(slot)) else { continue };
            let (sign, arm) = (SIGNS[side], &self.arms[side]);
            let of_y = push * sign;
            let of_z = (arm.cross(&push) + torque) * sign;
            let of_v = carried[side].0 - pulls[side];
            let of_turn = turned[side] + carried[side].1;
            for ray in &rays[side] {
                out[own.start + ray.column.dof] += ray.by.0.dot(&of_y)
                    + ray.by.1.dot(&of_z)
                    + ray.column.velocity.dot(&of_v)
                    + ray.column.turn.dot(&of_turn);
            }
        }
    }

    /// The gradient of `G·x` along shifts and turns of the bodies, for a vector `G` that is held.
    fn carried(&self, pull: &Vec3) -> [(Vec3, Vec3); 2] {
        let nothing = (Vec3::zeros(), Vec3::zeros());
        let (points, [e1, e2]) = match &self.place {
            Place::Of(0) => return [(*pull, self.arms[0].cross(pull)), nothing],
            Place::Of(_) => return [nothing, (*pull, self.arms[1].cross(pull))],
            Place::Edges(points, edges) => (points, edges),
        };
        let (c, apart) = (e1.cross(e2), points[1] - points[0]);
        let square = c.norm_squared();
        let across = apart.cross(e2);
        let t = across.dot(&c) / square;
        let along = pull.dot(e1) / square;
        // What points, directions and c are multiplied with.
        let of_second = e2.cross(&c) * along;
        let of_first = pull - of_second;
        let of_c = (across - c * (2.0 * t)) * along;
        let of_e1 = pull * t + e2.cross(&of_c);
        let of_e2 = c.cross(&apart) * along + of_c.cross(e1);
        // Points seen from the centres of mass: the crossing's arms lead to them.
        let crossing = points[0] + e1 * t;
        let arms = [0, 1].map(|side| self.arms[side] + points[side] - crossing);
        [
            (of_first, arms[0].cross(&of_first) + e1.cross(&of_e1)),
            (of_second, arms[1].cross(&of_second) + e2.cross(&of_e2)),
        ]
    }

    /// The gradient of `Σ c a·w` by the normal, for a vector `w` that is held.
    fn of_normal(&self, across: &Across, coefficients: &[f64], w: &Vec3) -> Vec3 {
        let mut sum = w * coefficients[0];
        if let [_, t, s] = *coefficients {
            let n = &self.axes[0];
            sum += Vec3::from_fn(|k, _| {
                let d = Vec3::ith(k, 1.0);
                let (dt, ds) = match across {
                    Across::Tangents => tangents_derivative(n, &d),
                    Across::Plane(out) => (out.cross(&d), Vec3::zeros()),
                    Across::Level => level_change(n, &d),
                };
                (dt * t + ds * s).dot(w)
            });
        }
        sum
    }
}

fn centre(state: &State, slot: Option<usize>) -> Vec3 {
    slot.map_or_else(Vec3::zeros, |slot| state.positions[slot])
}
