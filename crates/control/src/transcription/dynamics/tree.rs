//! The Hessian of the momenta of a tree over an interval in closed form: bodies on joints under uniform gravity, control inputs along
//! degrees of freedom and along the axes of the world.
//!
//! The weights of the momenta are rates of a virtual motion at either end, with velocities `v0`, `v1` and angular velocities `ω0`, `ω1` of a
//! body. The weighted sum is one over bodies:
//!
//! ```text
//! φ = Σ m Δx/h·V + l·Ω + (h/2) (F·(v1 - v0) + T·(ω1 - ω0))        V = v0 + v1    Ω = ω0 + ω1    l of `B = R1 E R0ᵀ`
//! ```
//!
//! Derivatives of `v` and `ω` along degrees of freedom are those of [`ColumnDerivative`].

use super::super::{Context, Workspace};
use super::defect::DynamicsDefect;
use super::free_body::{angular_derivatives, is_world_wrench, moment};
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::joint::JointKind;
use percussion_mechanics::kinematics::{ColumnDerivative, set_column_derivatives};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::{Model, State};

/// Whether the Hessian of an island's momenta under controls has a closed form.
pub(super) fn has_closed_hessian(model: &Model, island: usize, controls: &[Control]) -> bool {
    let it = &model.islands[island];
    let joints = model.links[it.bodies.clone()].iter().all(|link| link.joint.kind != JointKind::Rod);
    let constant =
        controls.iter().all(|control| matches!(control, Control::Dof(_)) || is_world_wrench(control));
    it.forces.is_empty() && it.joint_forces.is_empty() && joints && constant
}

/// What multiplies the derivatives of `v` and `ω` of a body at one end of the interval.
struct EndTerms {
    /// -1 at the first node, 1 at the second.
    sign: f64,
    /// Of `v` and of `ω`.
    linear: Vec3,
    angular: Vec3,
    /// `m/h`.
    rate: f64,
    /// `V`.
    virtual_velocity: Vec3,
    /// `∂l/∂θ`, and the first and second derivatives of `Ω·l`.
    by_rotation: Mat3,
    slope: Vec3,
    curve: Mat3,
}

impl EndTerms {
    /// Second derivatives along degrees of freedom of one end.
    fn pairs(&self, derivatives: &[ColumnDerivative], mut with: impl FnMut(usize, usize, f64)) {
        for (k, inner) in derivatives.iter().enumerate() {
            let (v, turn) = (&inner.column.velocity, &inner.column.angular_velocity);
            let (y, z) = &inner.derivative;
            let shift = self.rate * self.sign;
            let of_turn = y.cross(&self.linear)
                + z.cross(&self.angular)
                + v.cross(&self.virtual_velocity) * shift
                + self.curve * turn
                + turn.cross(&self.slope) * 0.5
                + self.by_rotation.tr_mul(z);
            let (of_swirl, of_z) = (v.cross(&self.linear), self.by_rotation * turn);
            let (of_v, of_y) = (y * shift, v * shift);
            let value = |outer: &ColumnDerivative| {
                outer.column.angular_velocity.dot(&of_turn)
                    + outer.axis_rate.dot(&of_swirl)
                    + outer.column.velocity.dot(&of_v)
                    + outer.derivative.0.dot(&of_y)
                    + outer.derivative.1.dot(&of_z)
            };
            // One of a rotation vector comes after others of it too: half of both orders.
            let joint = derivatives[k..]
                .iter()
                .take_while(|derivative| derivative.column.shares_rotation_vector(&inner.column))
                .count()
                .max(1);
            for (l, outer) in derivatives[..k + joint].iter().enumerate() {
                let share =
                    if l != k && outer.column.shares_rotation_vector(&inner.column) { 0.5 } else { 1.0 };
                with(outer.column.dof, inner.column.dof, share * value(outer));
            }
        }
    }
}

/// A body over the interval: its virtual velocity and angular velocity at both ends, force and torque.
struct BodyMotion {
    slot: usize,
    motions: [(Vec3, Vec3); 2],
    loads: (Vec3, Vec3),
}

/// Of the two ends of the interval.
const SIGNS: [f64; 2] = [-1.0, 1.0];

/// Derivatives of the Jacobian columns of a body, at both ends of the interval.
type Derivatives = [Vec<ColumnDerivative>; 2];

/// The Hessian as it is summed up: over degrees of freedom at the two ends, control inputs and the time scale.
struct Hessian<'a> {
    out: &'a mut [f64],
    /// Degrees of freedom of the island, and the number of variables.
    n: usize,
    all: usize,
    step: f64,
    sigma: f64,
}

/// Adds the Hessian of the weighted sum of both momenta.
pub(super) fn add_hessian(defect: &DynamicsDefect, context: &mut Context, weights: &[f64], out: &mut [f64]) {
    let Context { problem, at, .. } = *context;
    let (interval, island) = (defect.interval, defect.island);
    let (plan, controls, inputs) = (&problem.plan, &defect.controls, defect.inputs(at));
    let (model, step) = (&*plan.model, plan.step);
    let sigma = problem.indices.time_scale(plan, at, interval);
    let it = &model.islands[island];
    let n = it.dofs.len();
    let Workspace { kinematics, dynamics, .. } = &mut *context.workspace;
    let derivatives = &mut dynamics.column_derivatives;
    for node in [interval, interval + 1] {
        kinematics.update(model, &at.nodes, (node, island));
    }
    let mut hessian = Hessian { out, n, all: 2 * n + inputs.len() + 1, step, sigma };
    for (i, slot) in it.bodies.clone().enumerate() {
        let chains =
            [interval, interval + 1].map(|node| kinematics.columns(model, (node, island)).ancestors(i));
        let motions = [0, 1]
            .map(|e| set_column_derivatives(chains[e], &weights[e * n..(e + 1) * n], &mut derivatives[e]));
        let loads = loads(controls, inputs, slot, &(model.gravity * model.links[slot].mass));
        let body = BodyMotion { slot, motions, loads };
        hessian.add_body(model, &body, [&at.nodes[interval], &at.nodes[interval + 1]], derivatives);
        hessian.add_applied(&body, derivatives, controls);
    }
    hessian.add_dof_controls(controls, it.dofs.start, weights);
}

impl Hessian<'_> {
    fn add(&mut self, i: usize, j: usize, value: f64) {
        self.out[i * self.all + j] += value;
        if i != j {
            self.out[j * self.all + i] += value;
        }
    }

    /// Adds second derivatives along degrees of freedom and the time scale.
    fn add_body(
        &mut self,
        model: &Model,
        &BodyMotion { slot, motions, loads: (force, torque) }: &BodyMotion,
        [start, end]: [&State; 2],
        derivatives: &Derivatives,
    ) {
        let (n, last, step, sigma) = (self.n, self.all - 1, self.step, self.sigma);
        let (link, h) = (&model.links[slot], sigma * step);
        let (velocity, angular) = (motions[0].0 + motions[1].0, motions[0].1 + motions[1].1);
        let rate = link.mass / h;
        // m Δx/h and l
        let momentum = (end.positions[slot] - start.positions[slot]) * rate;
        let half = 0.5 * link.inertia.sum();
        let moments = Mat3::from_diagonal(&link.inertia.map(|j| half - j));
        let b = end.rotations[slot] * moments * start.rotations[slot].transpose();
        let spin = moment(&b) / h;
        let (by_rotations, curves, mixed) = angular_derivatives(&b, &angular, h);
        for (e, sign) in SIGNS.into_iter().enumerate() {
            let end = EndTerms {
                sign,
                linear: momentum + force * (0.5 * sign * h),
                angular: spin + torque * (0.5 * sign * h),
                rate,
                virtual_velocity: velocity,
                by_rotation: by_rotations[e],
                slope: by_rotations[e].tr_mul(&angular),
                curve: curves[e],
            };
            end.pairs(&derivatives[e], |l, j, value| self.add(e * n + l, e * n + j, value));
            for ColumnDerivative { column, derivative: by, .. } in &derivatives[e] {
                let moving = sign * rate * column.velocity.dot(&velocity)
                    + momentum.dot(&by.0)
                    + end.slope.dot(&column.angular_velocity)
                    + spin.dot(&by.1);
                let applied = 0.5 * sign * (force.dot(&by.0) + torque.dot(&by.1));
                self.add(e * n + column.dof, last, step * applied - moving / sigma);
            }
        }
        for one in &derivatives[0] {
            let of_y = one.column.velocity * -rate;
            let (of_v, of_z) = (one.derivative.0 * rate, by_rotations[0] * one.column.angular_velocity);
            let of_angular =
                mixed.tr_mul(&one.column.angular_velocity) + by_rotations[1].tr_mul(&one.derivative.1);
            for other in &derivatives[1] {
                let value = other.derivative.0.dot(&of_y)
                    + other.column.velocity.dot(&of_v)
                    + other.derivative.1.dot(&of_z)
                    + other.column.angular_velocity.dot(&of_angular);
                self.add(one.column.dof, n + other.column.dof, value);
            }
        }
        self.add(last, last, 2.0 * (momentum.dot(&velocity) + spin.dot(&angular)) / (sigma * sigma));
    }

    /// Adds second derivatives along forces and torques applied to the body.
    fn add_applied(&mut self, body: &BodyMotion, derivatives: &Derivatives, controls: &[Control]) {
        let (n, last, step) = (self.n, self.all - 1, self.step);
        let h = self.sigma * step;
        let mut next = 2 * n;
        for control in controls {
            if let Control::Force(grip) | Control::Torque(grip) = control
                && grip.slot == body.slot
            {
                let is_force = matches!(control, Control::Force(_));
                let part = |both: &(Vec3, Vec3)| if is_force { both.0 } else { both.1 };
                for c in 0..3 {
                    let axis = grip.directions.column(c);
                    let difference = part(&body.motions[1]) - part(&body.motions[0]);
                    self.add(next + c, last, 0.5 * step * axis.dot(&difference));
                    for (e, sign) in SIGNS.into_iter().enumerate() {
                        for derivative in &derivatives[e] {
                            let value = 0.5 * sign * h * axis.dot(&part(&derivative.derivative));
                            self.add(next + c, e * n + derivative.column.dof, value);
                        }
                    }
                }
            }
            next += control.components();
        }
    }

    /// Adds second derivatives along control inputs of degrees of freedom and the time scale.
    fn add_dof_controls(&mut self, controls: &[Control], first: usize, weights: &[f64]) {
        let (n, last, step) = (self.n, self.all - 1, self.step);
        let mut next = 2 * n;
        for control in controls {
            if let Control::Dof(dof) = control {
                let place = dof - first;
                self.add(next, last, 0.5 * step * (weights[n + place] - weights[place]));
            }
            next += control.components();
        }
    }
}

/// Force and torque on a body, gravity included.
fn loads(controls: &[Control], inputs: &[f64], slot: usize, gravity: &Vec3) -> (Vec3, Vec3) {
    let (mut force, mut torque) = (*gravity, Vec3::zeros());
    let mut next = 0;
    for control in controls {
        let (grip, sum) = match control {
            Control::Dof(_) => (None, &mut force),
            Control::Force(grip) => (Some(grip), &mut force),
            Control::Torque(grip) => (Some(grip), &mut torque),
        };
        if let Some(grip) = grip.filter(|grip| grip.slot == slot) {
            *sum += grip.directions * Vec3::new(inputs[next], inputs[next + 1], inputs[next + 2]);
        }
        next += control.components();
    }
    (force, torque)
}
