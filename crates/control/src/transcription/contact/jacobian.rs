//! The Jacobian `D` of a contact constraint: directions between two bodies as covectors of the degrees of freedom. Measured velocities of
//! bodies have the same form.
//!
//! ```text
//! D_r ν = a_r·(V_a - V_b)      V = v + ω × (x - c), of either body at one point x        or a_r·(ω_a - ω_b)
//! ```
//!
//! One point x is used for both bodies, so that impulses conserve angular momentum: the corner that slides over a face, the crossing of two
//! edges, or the point that a joint holds. The gradient of `Σ c_r D_r ν` for constant `c` and `ν` follows from the derivatives of the
//! Jacobian columns, from the motion of x with the bodies, and from the rotation of the axes with the normal of features.
//!
//! ```text
//! g = ±(Σ c a) × ω, G = g_a + g_b      G·dx - g_a·dc_a - g_b·dc_b
//! edges: x = a + t e1, t = (b - a)×e2·c/|c|², c = e1 × e2
//! ```

use super::constraint::{
    ContactConstraint, ImpulseDirections, world_aligned_tangents, world_aligned_tangents_derivative,
};
use super::feature::{NormalAttachment, SeparatingFeature};
use crate::plan::Measure;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::kinematics::{ColumnDerivative, ReducedInertia, virtual_motion};
use percussion_mechanics::rotation::tangents_derivative;
use percussion_mechanics::{Model, State};

/// How the two tangents depend on the normal.
#[derive(Clone, Copy, Debug)]
enum TangentRule {
    /// Functions of the normal alone.
    OfNormal,
    /// One is a fixed direction, across the plane in which planar parts move.
    Planar(Vec3),
    /// The first is in the plane of the normal and an axis of the world.
    WorldAligned,
}

/// The point at which velocities of both bodies are taken.
#[derive(Clone, Copy, Debug)]
enum ContactPlace {
    /// Fixed on one of the two bodies.
    OnBody(usize),
    /// The crossing of two edges: a point and the direction of the edge of each body.
    Edges([Vec3; 2], [Vec3; 2]),
}

/// The features whose normal is the first axis, with the poses of the bodies.
#[derive(Clone, Debug)]
struct NormalAxes {
    feature: SeparatingFeature,
    poses: [Pose; 2],
    tangents: TangentRule,
}

/// Directions between two bodies at one configuration.
#[derive(Clone, Debug)]
pub(super) struct ContactJacobian {
    slots: [Option<usize>; 2],
    /// The point, from the centres of mass of the bodies.
    arms: [Vec3; 2],
    place: ContactPlace,
    axes: [Vec3; 3],
    /// Numbers of rows of velocities and of angular velocities.
    counts: [usize; 2],
    /// `None` if the axes are those of the world.
    normal: Option<NormalAxes>,
}

const SIGNS: [f64; 2] = [1.0, -1.0];

impl ContactJacobian {
    /// Of a contact constraint; `None` in a model without contacts.
    pub fn of_constraint(model: &Model, state: &State, constraint: &ContactConstraint) -> Option<Self> {
        let contacts = model.contacts.as_ref()?;
        let parts = [constraint.pair.0, constraint.pair.1].map(|part| &contacts.parts[part]);
        let poses = parts.map(|part| part.body_pose(state));
        let slots = parts.map(|part| part.slot);
        // A joint holds the point of the body that moves, wherever on the other one it was made.
        let mover = usize::from(slots[0].is_none());
        let held = |points: [&Vec3; 2]| (poses[mover].point(points[mover]), ContactPlace::OnBody(mover));
        let directions = &constraint.directions;
        let ((point, place), axes, normal) = match directions {
            ImpulseDirections::Point(a, b) | ImpulseDirections::Rigid(a, b) => {
                (held([a, b]), world_axes(), None)
            }
            ImpulseDirections::Normal(feature)
            | ImpulseDirections::Contact(feature)
            | ImpulseDirections::Foothold(feature)
            | ImpulseDirections::Torsion(feature) => {
                let n = feature.evaluate(&poses).normal;
                let (tangents, (t, s)) = match directions {
                    ImpulseDirections::Foothold(_) => (TangentRule::WorldAligned, world_aligned_tangents(&n)),
                    _ => {
                        let axes = contacts.tangents(constraint.pair, &n);
                        let planar = parts[0].shape.is_planar();
                        (if planar { TangentRule::Planar(axes.1) } else { TangentRule::OfNormal }, axes)
                    }
                };
                let place = match directions {
                    ImpulseDirections::Foothold(_) => held([&feature.point_a, &feature.point_b]),
                    _ => contact_place(feature, &poses),
                };
                (place, [n, t, s], Some(NormalAxes { feature: *feature, poses, tangents }))
            }
        };
        let count = directions.count();
        let linear = if matches!(directions, ImpulseDirections::Torsion(_)) { 0 } else { count.min(3) };
        let arms = slots.map(|slot| point - center_of_mass(state, slot));
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
        let arms = slots.map(|slot| point - center_of_mass(state, slot));
        Some(Self { slots, arms, place: ContactPlace::OnBody(0), axes: world_axes(), counts, normal: None })
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.counts[0] + self.counts[1]
    }

    /// Writes its rows, one after the other.
    pub fn rows(&self, inertia: &ReducedInertia, n: usize, out: &mut [f64]) {
        out.fill(0.0);
        for ((slot, arm), sign) in self.slots.iter().zip(&self.arms).zip(SIGNS) {
            let Some((chain, own)) = slot.and_then(|slot| inertia.ancestors(slot)) else { continue };
            for column in chain.columns {
                let place = own.start + column.dof;
                let velocity = column.velocity + column.angular_velocity.cross(arm);
                for (r, axis) in self.axes.iter().enumerate().take(self.counts[0]) {
                    out[r * n + place] += sign * axis.dot(&velocity);
                }
                for (r, axis) in self.axes.iter().enumerate().take(self.counts[1]) {
                    out[(self.counts[0] + r) * n + place] += sign * axis.dot(&column.angular_velocity);
                }
            }
        }
    }

    /// Adds to `out` the gradient of `Σ c D ν` along the degrees of freedom, for constant coefficients and rates.
    pub fn add_gradient(
        &self,
        inertia: &ReducedInertia,
        coefficients: &[f64],
        rates: &[f64],
        derivatives: &mut [Vec<ColumnDerivative>; 2],
        out: &mut [f64],
    ) {
        if coefficients.iter().all(|c| *c == 0.0) {
            return;
        }
        let (linear, angular) = coefficients.split_at(self.counts[0]);
        let sum = |list: &[f64]| -> Vec3 { self.axes.iter().zip(list).map(|(axis, c)| axis * *c).sum() };
        let (force, torque) = (sum(linear), sum(angular));
        let motions =
            [0, 1].map(|side| virtual_motion(inertia, self.slots[side], rates, &mut derivatives[side]));
        let velocity = |side: usize| motions[side].0 + motions[side].1.cross(&self.arms[side]);
        let mut normal_torques = [Vec3::zeros(); 2];
        if let Some(NormalAxes { feature, poses, tangents }) = &self.normal {
            let n = self.axes[0];
            let weights = match (linear, angular) {
                ([], [torsion, ..]) => (motions[0].1 - motions[1].1) * *torsion,
                _ => self.gradient_by_normal(tangents, linear, &(velocity(0) - velocity(1))),
            };
            normal_torques = feature.normal_torques(poses, &n, &weights);
        }
        let pulls = [0, 1].map(|side| force.cross(&motions[side].1) * SIGNS[side]);
        let of_place = self.place_gradient(&(pulls[0] + pulls[1]));
        for side in 0..2 {
            let Some((_, own)) = self.slots[side].and_then(|slot| inertia.ancestors(slot)) else { continue };
            let (sign, arm) = (SIGNS[side], &self.arms[side]);
            let of_y = force * sign;
            let of_z = (arm.cross(&force) + torque) * sign;
            let of_v = of_place[side].0 - pulls[side];
            let of_rotation = normal_torques[side] + of_place[side].1;
            for derivative in &derivatives[side] {
                out[own.start + derivative.column.dof] += derivative.derivative.0.dot(&of_y)
                    + derivative.derivative.1.dot(&of_z)
                    + derivative.column.velocity.dot(&of_v)
                    + derivative.column.angular_velocity.dot(&of_rotation);
            }
        }
    }

    /// The gradient of `G·x` along translations and rotations of the bodies, for a constant vector `G`.
    fn place_gradient(&self, g: &Vec3) -> [(Vec3, Vec3); 2] {
        let nothing = (Vec3::zeros(), Vec3::zeros());
        let (points, [e1, e2]) = match &self.place {
            ContactPlace::OnBody(0) => return [(*g, self.arms[0].cross(g)), nothing],
            ContactPlace::OnBody(_) => return [nothing, (*g, self.arms[1].cross(g))],
            ContactPlace::Edges(points, edges) => (points, edges),
        };
        let (c, offset) = (e1.cross(e2), points[1] - points[0]);
        let square = c.norm_squared();
        let across = offset.cross(e2);
        let t = across.dot(&c) / square;
        let along = g.dot(e1) / square;
        // What multiplies points, directions and c.
        let of_second = e2.cross(&c) * along;
        let of_first = g - of_second;
        let of_c = (across - c * (2.0 * t)) * along;
        let of_e1 = g * t + e2.cross(&of_c);
        let of_e2 = c.cross(&offset) * along + of_c.cross(e1);
        // Points from the centres of mass.
        let crossing = points[0] + e1 * t;
        let arms = [0, 1].map(|side| self.arms[side] + points[side] - crossing);
        [
            (of_first, arms[0].cross(&of_first) + e1.cross(&of_e1)),
            (of_second, arms[1].cross(&of_second) + e2.cross(&of_e2)),
        ]
    }

    /// The gradient of `Σ c a·w` by the normal, for a constant vector `w`.
    fn gradient_by_normal(&self, tangents: &TangentRule, coefficients: &[f64], w: &Vec3) -> Vec3 {
        let mut sum = w * coefficients[0];
        if let [_, t, s] = *coefficients {
            let n = &self.axes[0];
            sum += Vec3::from_fn(|k, _| {
                let d = Vec3::ith(k, 1.0);
                let (dt, ds) = match tangents {
                    TangentRule::OfNormal => tangents_derivative(n, &d),
                    TangentRule::Planar(out) => (out.cross(&d), Vec3::zeros()),
                    TangentRule::WorldAligned => world_aligned_tangents_derivative(n, &d),
                };
                (dt * t + ds * s).dot(w)
            });
        }
        sum
    }
}

/// Where features are in contact.
fn contact_place(feature: &SeparatingFeature, poses: &[Pose; 2]) -> (Vec3, ContactPlace) {
    match &feature.attachment {
        NormalAttachment::A(_) => (poses[1].point(&feature.point_b), ContactPlace::OnBody(1)),
        NormalAttachment::B(_) => (poses[0].point(&feature.point_a), ContactPlace::OnBody(0)),
        NormalAttachment::Edges(e1, e2) => {
            let points = [poses[0].point(&feature.point_a), poses[1].point(&feature.point_b)];
            let edges = [poses[0].direction(e1), poses[1].direction(e2)];
            // Where the edges cross.
            let c = edges[0].cross(&edges[1]);
            let t = (points[1] - points[0]).cross(&edges[1]).dot(&c) / c.norm_squared();
            (points[0] + edges[0] * t, ContactPlace::Edges(points, edges))
        }
    }
}

fn world_axes() -> [Vec3; 3] {
    [Vec3::x(), Vec3::y(), Vec3::z()]
}

fn center_of_mass(state: &State, slot: Option<usize>) -> Vec3 {
    slot.map_or_else(Vec3::zeros, |slot| state.positions[slot])
}
