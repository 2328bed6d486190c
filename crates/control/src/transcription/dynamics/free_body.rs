//! A free body under uniform gravity, with control inputs along the axes of the world: momenta and all derivatives in closed form.
//!
//! With `B = R1 E R0ᵀ`, `l` the angular momentum without torques and `a` the weights of the angular momenta:
//!
//! ```text
//! linear    m (x1 - x0)/h ± h f/2            angular   l ± h τ/2,   l = Σ E d0 × d1 / h
//! a·l = tr(Â e^θ0 Bᵀ e^-θ1)/h               ∂²/∂θ1² = sym(M) - tr M, M = Â Bᵀ    ∂²/∂θ0² the same with Bᵀ Â
//! ```

use super::super::{Iterate, Problem};
use percussion_geometry::Vec3;
use percussion_mechanics::body::BodyKind;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::force::Axes;
use percussion_mechanics::rotation::{Mat3, hat};

/// A free body over an interval.
pub(super) struct FreeBody {
    interval: usize,
    slot: usize,
    mass: f64,
    /// Director moments `E`.
    moments: Vec3,
    /// Whether each control is a torque; others are forces.
    torques: Vec<bool>,
}

/// Momenta without forces, force and torque, `B`, and the length of the interval.
struct Momenta {
    linear: Vec3,
    angular: Vec3,
    force: Vec3,
    torque: Vec3,
    b: Mat3,
    h: f64,
}

impl FreeBody {
    /// `None` if the island is something else, or its second derivatives have no closed form.
    pub fn of(problem: &Problem, interval: usize, island: usize, controls: &[Control]) -> Option<Self> {
        let model = &problem.plan.model;
        let it = &model.islands[island];
        let link = &model.links[it.bodies.start];
        let body = &model.bodies[link.body];
        let plain =
            it.simple && body.kind != BodyKind::Particle && link.joint.parent_frame.axes == Mat3::identity();
        let torques = controls.iter().map(|control| matches!(control, Control::Torque(_))).collect();
        (plain && controls.iter().all(is_world_wrench)).then(|| Self {
            interval,
            slot: it.bodies.start,
            mass: link.mass,
            moments: body.director_moments(),
            torques,
        })
    }

    fn momenta(&self, problem: &Problem, at: &Iterate, inputs: &[f64]) -> Momenta {
        let slot = self.slot;
        let (start, end) = (&at.nodes[self.interval], &at.nodes[self.interval + 1]);
        let h = problem.indices.length(&problem.plan, at, self.interval);
        let b = end.rotations[slot] * Mat3::from_diagonal(&self.moments) * start.rotations[slot].transpose();
        let (mut force, mut torque) = (problem.plan.model.gravity * self.mass, Vec3::zeros());
        for (is_torque, input) in self.torques.iter().zip(inputs.chunks_exact(3)) {
            let input = Vec3::new(input[0], input[1], input[2]);
            *(if *is_torque { &mut torque } else { &mut force }) += input;
        }
        let linear = (end.positions[slot] - start.positions[slot]) * (self.mass / h);
        Momenta { linear, angular: moment(&b) / h, force, torque, b, h }
    }

    /// Momenta at both ends.
    pub fn value(&self, problem: &Problem, at: &Iterate, inputs: &[f64], out: &mut [f64]) {
        let Momenta { linear, angular, force, torque, h, .. } = self.momenta(problem, at, inputs);
        for (half, sign) in out.chunks_exact_mut(6).zip([-0.5, 0.5]) {
            half[..3].copy_from_slice((linear + force * (sign * h)).as_slice());
            half[3..].copy_from_slice((angular + torque * (sign * h)).as_slice());
        }
    }

    /// First derivatives of the momenta, column by column.
    pub fn jacobian(&self, problem: &Problem, at: &Iterate, inputs: &[f64], out: &mut [f64]) {
        let Momenta { linear, angular, force, torque, b, h } = self.momenta(problem, at, inputs);
        let [by_start, by_end] = by_rotations(&b, h);
        let (step, last) = (problem.plan.step, 12 + 3 * self.torques.len());
        for (first, sign) in [(0, -0.5), (6, 0.5)] {
            let mut put = |row: usize, column: usize, value: f64| out[column * 12 + first + row] = value;
            for i in 0..3 {
                put(i, i, -self.mass / h);
                put(i, 6 + i, self.mass / h);
                for j in 0..3 {
                    put(3 + i, 3 + j, by_start[(i, j)]);
                    put(3 + i, 9 + j, by_end[(i, j)]);
                }
                for (k, is_torque) in self.torques.iter().enumerate() {
                    let offset = if *is_torque { 3 } else { 0 };
                    put(offset + i, 12 + 3 * k + i, sign * h);
                }
                put(i, last, step * (sign * force[i] - linear[i] / h));
                put(3 + i, last, step * (sign * torque[i] - angular[i] / h));
            }
        }
    }

    /// The Hessian of the weighted sum of the momenta.
    pub fn hessian(&self, problem: &Problem, at: &Iterate, weights: &[f64], out: &mut [f64]) {
        let slot = self.slot;
        let all = 13 + 3 * self.torques.len();
        let last = all - 1;
        let (start, end) = (&at.nodes[self.interval], &at.nodes[self.interval + 1]);
        let sigma = problem.indices.time_scale(&problem.plan, at, self.interval);
        let h = sigma * problem.plan.step;
        let vector = |i: usize| Vec3::new(weights[i], weights[i + 1], weights[i + 2]);
        let (sum_linear, a) = (vector(0) + vector(6), vector(3) + vector(9));
        let mut put = |i: usize, j: usize, value: f64| {
            out[i * all + j] += value;
            if i != j {
                out[j * all + i] += value;
            }
        };
        let shift = end.positions[slot] - start.positions[slot];
        let (r0, r1) = (&start.rotations[slot], &end.rotations[slot]);
        let b = r1 * Mat3::from_diagonal(&self.moments) * r0.transpose();
        let (by_rotations, [h00, h11], h01) = angular_derivatives(&b, &a, h);
        let [g0, g1] = by_rotations.map(|by| by.tr_mul(&a));
        for i in 0..3 {
            for j in 0..3 {
                if j <= i {
                    put(3 + i, 3 + j, h00[(i, j)]);
                    put(9 + i, 9 + j, h11[(i, j)]);
                }
                put(3 + i, 9 + j, h01[(i, j)]);
            }
            let slope = sum_linear[i] * self.mass / (h * sigma);
            put(i, last, slope);
            put(6 + i, last, -slope);
            put(3 + i, last, -g0[i] / sigma);
            put(9 + i, last, -g1[i] / sigma);
        }
        let l = moment(&b) / h;
        put(last, last, 2.0 * (sum_linear.dot(&shift) * self.mass / h + a.dot(&l)) / (sigma * sigma));
        let share = 0.5 * problem.plan.step;
        for (k, is_torque) in self.torques.iter().enumerate() {
            let offset = if *is_torque { 3 } else { 0 };
            let difference = vector(6 + offset) - vector(offset);
            for i in 0..3 {
                put(12 + 3 * k + i, last, share * difference[i]);
            }
        }
    }

    /// Whether a momentum depends on a variable: forces displace the body and torques rotate it, axis by axis.
    pub fn depends(&self, row: usize, variable: usize) -> bool {
        let (row, rotating) = (row % 6, row % 6 >= 3);
        let (is_rotation, axis) = match variable.checked_sub(12) {
            None => (variable % 6 >= 3, variable % 3),
            Some(at) => match self.torques.get(at / 3) {
                Some(is_torque) => (*is_torque, at % 3),
                None => return true,
            },
        };
        if is_rotation { rotating } else { row == axis }
    }

    /// Whether a second derivative can differ from zero.
    pub fn curves(&self, one: usize, other: usize) -> bool {
        let last = 12 + 3 * self.torques.len();
        let rotates = |v: usize| v < 12 && v % 6 >= 3;
        one == last || other == last || rotates(one) && rotates(other)
    }
}

/// Whether a control is a force at the centre of mass or a torque along axes of the world.
pub(super) fn is_world_wrench(control: &Control) -> bool {
    match control {
        Control::Dof(_) => false,
        Control::Force(grip) => grip.axes == Axes::World && grip.arm == Vec3::zeros(),
        Control::Torque(grip) => grip.axes == Axes::World,
    }
}

/// Derivatives of `l` by rotations of the start and of the end.
fn by_rotations(b: &Mat3, h: f64) -> [Mat3; 2] {
    let spread = Mat3::identity() * b.trace();
    [(b.transpose() - spread) / h, (spread - b) / h]
}

/// Derivatives of `l` by rotations of start and end; second derivatives of `a·l` by both of the start, both of the end, and by one of
/// each.
pub(super) fn angular_derivatives(b: &Mat3, a: &Vec3, h: f64) -> ([Mat3; 2], [Mat3; 2], Mat3) {
    let (hat_a, bt) = (hat(a), b.transpose());
    let own = |m: Mat3| ((m + m.transpose()) * 0.5 - Mat3::identity() * m.trace()) / h;
    let mixed = (moment(b) * a.transpose() - hat(&(bt * a))) / h;
    (by_rotations(b, h), [own(bt * hat_a), own(hat_a * bt)], mixed)
}

/// `Σ E d0 × d1` from `B = Σ E d1 d0ᵀ`.
pub(super) fn moment(b: &Mat3) -> Vec3 {
    // (x × y)_i = ε_ijk x_j y_k with x y the columns of Bᵀ.
    Vec3::new(b[(2, 1)] - b[(1, 2)], b[(0, 2)] - b[(2, 0)], b[(1, 0)] - b[(0, 1)])
}
