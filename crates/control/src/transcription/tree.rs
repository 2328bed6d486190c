//! Second derivatives of the momenta of a tree over an interval, closed: bodies on joints under uniform gravity, efforts along
//! degrees of freedom and in the world's axes.
//!
//! The weights of the momenta are rates of a virtual motion at either end, with velocities `v0`, `v1` and turns `ω0`, `ω1` of a
//! body. Their weighted sum is one over bodies:
//!
//! ```text
//! φ = Σ m Δx/h·V + l·Ω + (h/2) (F·(v1 - v0) + T·(ω1 - ω0))        V = v0 + v1    Ω = ω0 + ω1    l of `B = R1 E R0ᵀ`
//! ```
//!
//! Degree of freedom `j` gives the body `(v_j, ω_j)`. It carries what is inner, `(v>, ω>)`, and is moved by what is outer or its own,
//! which turns by `A_j`:
//!
//! ```text
//! y_j = ∂v/∂j = A_j × v_j + ω_j × v>        ∂²v/∂i∂j = ω_i × y_j + (A_i × ω_i) × v_j        i outer, j inner or the same
//! z_j = ∂ω/∂j = ω_j × ω>                    ∂²ω/∂i∂j = ω_i × z_j
//! ```
//!
//! The turns of a free or spherical joint are one rotation vector: there both orders count half.

use super::columns::{Column, Way};
use super::dynamics_defect::{moment, spins};
use super::piece::Context;
use super::point::Point;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::force::Axes;
use percussion_mechanics::joint::JointKind;
use percussion_mechanics::rotation::Mat3;

/// Whether second derivatives of an island's momenta under controls are closed.
pub(super) fn is_closed(context: &Context, island: usize, controls: &[Control]) -> bool {
    let model = &context.plan.model;
    let it = &model.islands[island];
    let joints = model.links[it.bodies.clone()].iter().all(|link| link.joint.kind != JointKind::Rod);
    let still = controls.iter().all(|control| match control {
        Control::Dof(_) => true,
        Control::Force(grip) => grip.axes == Axes::World && grip.arm == Vec3::zeros(),
        Control::Torque(grip) => grip.axes == Axes::World,
    });
    it.forces.is_empty() && it.joint_forces.is_empty() && joints && still
}

/// A degree of freedom on the way to a body, and what it does to the virtual motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub column: Column,
    /// `y` and `z`.
    pub by: (Vec3, Vec3),
    /// `A × ω`.
    swirl: Vec3,
}

/// Sets the rays of a body under virtual rates of the island's degrees of freedom; returns its virtual velocity and turn.
pub(super) fn set_rays(way: Way, rates: &[f64], rays: &mut Vec<Ray>) -> (Vec3, Vec3) {
    let list = way.columns;
    let motion = |columns: &[Column]| {
        let sum = (Vec3::zeros(), Vec3::zeros());
        columns.iter().fold(sum, |sum, column| {
            let rate = rates[column.dof];
            (sum.0 + column.velocity * rate, sum.1 + column.turn * rate)
        })
    };
    let whole = motion(list);
    let mut outer = (Vec3::zeros(), Vec3::zeros());
    rays.clear();
    let mut next = 0;
    while next < list.len() {
        let count = list[next..].iter().take_while(|column| column.joins(&list[next])).count().max(1);
        let own = motion(&list[next..next + count]);
        outer = (outer.0 + own.0, outer.1 + own.1);
        let inner = (whole.0 - outer.0, whole.1 - outer.1);
        for column in &list[next..next + count] {
            let (v, turn) = (&column.velocity, &column.turn);
            let mut by = (outer.1.cross(v) + turn.cross(&inner.0), turn.cross(&inner.1));
            if let Some(rod) = column.rod {
                by.0 += way.rods[rod].change(rates, column.dof);
            }
            rays.push(Ray { column: *column, by, swirl: outer.1.cross(turn) });
        }
        next += count;
    }
    whole
}

/// What an end of the interval weighs of a body: `p` and `λ`, the sign `s` of shifts, and the derivatives of its spin.
struct Side {
    sign: f64,
    linear: Vec3,
    angular: Vec3,
    /// `m/h`.
    rate: f64,
    /// `V`.
    virtual_velocity: Vec3,
    /// `∂l/∂θ`, and the first and second derivatives of `Ω·l`.
    by_turn: Mat3,
    slope: Vec3,
    curve: Mat3,
}

impl Side {
    /// Second derivatives along degrees of freedom of one end.
    fn pairs(&self, rays: &[Ray], mut with: impl FnMut(usize, usize, f64)) {
        for (k, inner) in rays.iter().enumerate() {
            let (v, turn) = (&inner.column.velocity, &inner.column.turn);
            let (y, z) = &inner.by;
            let shift = self.rate * self.sign;
            let of_turn = y.cross(&self.linear)
                + z.cross(&self.angular)
                + v.cross(&self.virtual_velocity) * shift
                + self.curve * turn
                + turn.cross(&self.slope) * 0.5
                + self.by_turn.tr_mul(z);
            let (of_swirl, of_z) = (v.cross(&self.linear), self.by_turn * turn);
            let (of_v, of_y) = (y * shift, v * shift);
            let value = |outer: &Ray| {
                outer.column.turn.dot(&of_turn)
                    + outer.swirl.dot(&of_swirl)
                    + outer.column.velocity.dot(&of_v)
                    + outer.by.0.dot(&of_y)
                    + outer.by.1.dot(&of_z)
            };
            // One of a rotation vector comes after others of it too: half of both orders.
            let joint = rays[k..].iter().take_while(|ray| ray.column.joins(&inner.column)).count().max(1);
            for (l, outer) in rays[..k + joint].iter().enumerate() {
                let share = if l != k && outer.column.joins(&inner.column) { 0.5 } else { 1.0 };
                with(outer.column.dof, inner.column.dof, share * value(outer));
            }
        }
    }
}

/// The Hessian of the weighted sum of both momenta of an island, over its degrees of freedom at the two ends, efforts and the time scale.
pub(super) fn curve(
    context: &mut Context,
    at: &Point,
    (interval, island): (usize, usize),
    (controls, efforts): (&[Control], &[f64]),
    weights: &[f64],
    out: &mut [f64],
) {
    let sigma = context.numbering.scale(&context.plan, at, interval);
    let Context { plan, gallery, rays, .. } = context;
    let (model, step) = (&*plan.model, plan.step);
    let h = sigma * step;
    let it = &model.islands[island];
    let n = it.dofs.len();
    let all = 2 * n + efforts.len() + 1;
    let last = all - 1;
    let (start, end) = (&at.nodes[interval], &at.nodes[interval + 1]);
    for node in [interval, interval + 1] {
        gallery.look(model, &at.nodes, (node, island));
    }
    let mut add = |i: usize, j: usize, value: f64| {
        out[i * all + j] += value;
        if i != j {
            out[j * all + i] += value;
        }
    };
    for (i, slot) in it.bodies.clone().enumerate() {
        let link = &model.links[slot];
        let ends = [interval, interval + 1].map(|node| gallery.of(model, (node, island)).way(i));
        let moves = [0, 1].map(|e| set_rays(ends[e], &weights[e * n..(e + 1) * n], &mut rays[e]));
        let (force, torque) = pulls(controls, efforts, slot, &(model.gravity * link.mass));
        let (velocity, turn) = (moves[0].0 + moves[1].0, moves[0].1 + moves[1].1);
        let rate = link.mass / h;
        let momentum = (end.positions[slot] - start.positions[slot]) * rate;
        let half = 0.5 * link.inertia.sum();
        let moments = Mat3::from_diagonal(&link.inertia.map(|j| half - j));
        let b = end.rotations[slot] * moments * start.rotations[slot].transpose();
        let spin = moment(&b) / h;
        let (by_turns, curves, mixed) = spins(&b, &turn, h);
        let sides = [0, 1].map(|e| {
            let sign = [-1.0, 1.0][e];
            Side {
                sign,
                linear: momentum + force * (0.5 * sign * h),
                angular: spin + torque * (0.5 * sign * h),
                rate,
                virtual_velocity: velocity,
                by_turn: by_turns[e],
                slope: by_turns[e].tr_mul(&turn),
                curve: curves[e],
            }
        });
        for (e, side) in sides.iter().enumerate() {
            side.pairs(&rays[e], |l, j, value| add(e * n + l, e * n + j, value));
            for Ray { column, by, .. } in &rays[e] {
                let moving = side.sign * rate * column.velocity.dot(&velocity)
                    + momentum.dot(&by.0)
                    + side.slope.dot(&column.turn)
                    + spin.dot(&by.1);
                let pulled = 0.5 * side.sign * (force.dot(&by.0) + torque.dot(&by.1));
                add(e * n + column.dof, last, step * pulled - moving / sigma);
            }
        }
        for ray in &rays[0] {
            let of_y = ray.column.velocity * -rate;
            let (of_v, of_z) = (ray.by.0 * rate, by_turns[0] * ray.column.turn);
            let of_turn = mixed.tr_mul(&ray.column.turn) + by_turns[1].tr_mul(&ray.by.1);
            for other in &rays[1] {
                let value = other.by.0.dot(&of_y)
                    + other.column.velocity.dot(&of_v)
                    + other.by.1.dot(&of_z)
                    + other.column.turn.dot(&of_turn);
                add(ray.column.dof, n + other.column.dof, value);
            }
        }
        add(last, last, 2.0 * (momentum.dot(&velocity) + spin.dot(&turn)) / (sigma * sigma));
        let mut next = 2 * n;
        for control in controls {
            if let Control::Force(grip) | Control::Torque(grip) = control
                && grip.slot == slot
            {
                let pushes = matches!(control, Control::Force(_));
                let seen = |both: &(Vec3, Vec3)| if pushes { both.0 } else { both.1 };
                for c in 0..3 {
                    let axis = grip.directions.column(c);
                    let between = seen(&moves[1]) - seen(&moves[0]);
                    add(next + c, last, 0.5 * step * axis.dot(&between));
                    for (e, side) in sides.iter().enumerate() {
                        for ray in &rays[e] {
                            let value = 0.5 * side.sign * h * axis.dot(&seen(&ray.by));
                            add(next + c, e * n + ray.column.dof, value);
                        }
                    }
                }
            }
            next += control.components();
        }
    }
    let mut next = 2 * n;
    for control in controls {
        if let Control::Dof(dof) = control {
            let place = dof - it.dofs.start;
            add(next, last, 0.5 * step * (weights[n + place] - weights[place]));
        }
        next += control.components();
    }
}

/// Force and torque on a body, gravity included.
fn pulls(controls: &[Control], efforts: &[f64], slot: usize, gravity: &Vec3) -> (Vec3, Vec3) {
    let (mut force, mut torque) = (*gravity, Vec3::zeros());
    let mut next = 0;
    for control in controls {
        let (grip, sum) = match control {
            Control::Dof(_) => (None, &mut force),
            Control::Force(grip) => (Some(grip), &mut force),
            Control::Torque(grip) => (Some(grip), &mut torque),
        };
        if let Some(grip) = grip.filter(|grip| grip.slot == slot) {
            *sum += grip.directions * Vec3::new(efforts[next], efforts[next + 1], efforts[next + 2]);
        }
        next += control.components();
    }
    (force, torque)
}
