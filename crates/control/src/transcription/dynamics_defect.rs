//! The dynamics of an island over an interval: its momenta at both ends, which the nodes' equations balance.
//!
//! First derivatives are those of the discrete Euler-Lagrange equations (`Differentiator`). Momenta and derivatives of a free
//! body under uniform gravity and efforts in the world's axes are closed, and so are second derivatives of trees under the same
//! (`tree.rs`). For everything else second derivatives are central differences of the first ones: exact to about nine digits, and
//! momenta are linear in efforts. With `φ = w·p`, `B = R1 E R0ᵀ`, and
//! `a` the weights of the angular momenta:
//!
//! ```text
//! a·l = tr(Â e^θ0 Bᵀ e^-θ1)/h       ∂²/∂θ1² = sym(M) - tr M, M = Â Bᵀ    ∂²/∂θ0² the same with Bᵀ Â
//! ```

use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use percussion_mechanics::body::BodyKind;
use percussion_mechanics::discrete::{Control, IntervalInputs as Interval};
use percussion_mechanics::force::Axes;
use percussion_mechanics::rotation::{Mat3, hat};
use percussion_solve::nlp::Undefined;

/// Step of differences, rad, m and of time scales.
const EPSILON: f64 = 1e-5;

/// An island over an interval.
pub struct DynamicsDefect {
    interval: usize,
    island: usize,
    /// Of the island.
    dofs: usize,
    components: usize,
    controls: Vec<Control>,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
    /// The body's mass and moments `E` if it is a free one.
    simple: Option<(f64, Vec3)>,
    /// Whether second derivatives of a tree are closed.
    tree: bool,
}

impl DynamicsDefect {
    /// Momenta go to rows `before` (of the first node, with a factor of -1) and `after` (of the second).
    pub fn new(context: &Context, interval: usize, island: usize, before: usize, after: usize) -> Self {
        let (plan, numbering) = (&context.plan, &context.numbering);
        let dofs = plan.model.islands[island].dofs.len();
        let actuators = plan.actuators_of(island);
        let controls: Vec<Control> = plan.actuators[actuators.clone()].iter().map(|a| a.control).collect();
        let components = controls.iter().map(Control::components).sum();
        let mut variables = Vec::new();
        for node in [interval, interval + 1] {
            let first = numbering.places[node][island];
            variables.extend((0..dofs).map(|i| if first == NONE { NONE } else { first + i }));
        }
        let efforts = numbering.efforts[interval] + plan.first_component(actuators.start);
        variables.extend(efforts..efforts + components);
        let scale = numbering.scales;
        variables.push(if scale == NONE { NONE } else { scale + plan.segment(interval) });
        let row = |first: usize, i: usize| if first == NONE { NONE } else { first + i };
        let rows = (0..dofs).map(|i| (row(before, i), -1.0));
        let rows = rows.chain((0..dofs).map(|i| (row(after, i), 1.0))).collect();
        let simple = simple(context, island, &controls);
        let tree = super::tree::is_closed(context, island, &controls);
        Self { interval, island, dofs, components, controls, variables, rows, simple, tree }
    }

    fn efforts<'a>(&self, at: &'a Point) -> &'a [f64] {
        let first = self.variables[2 * self.dofs..].first().copied().unwrap_or(0);
        if self.components == 0 { &[] } else { &at.numbers[first..first + self.components] }
    }

    fn time(&self, context: &Context, at: &Point, h: f64) -> f64 {
        at.nodes[self.interval].time.max(context.plan.start.state.time) + 0.5 * h
    }

    /// Differentiates between two states; the answer is in the context.
    fn differentiate(
        &self,
        context: &mut Context,
        (start, end): (&State, &State),
        (t, h): (f64, f64),
        efforts: &[f64],
    ) -> Result<(), Undefined> {
        let Context { plan, tool, derivatives, .. } = context;
        let model = &*plan.model;
        let island = &model.islands[self.island];
        let interval = Interval { model, island, start, end, t, h, controls: &self.controls, efforts };
        tool.differentiate(&interval, derivatives).map_err(|e| Undefined(e.to_string()))
    }

    /// The gradient of the weighted sum from the derivatives last taken; by the time scale too.
    fn gradient(&self, context: &Context, weights: &[f64], out: &mut [f64]) {
        let (n, m) = (self.dofs, self.components);
        let d = &context.derivatives;
        out.fill(0.0);
        for (w, momentum) in weights.chunks_exact(n).zip([&d.before, &d.after]) {
            let sum = |column: &[f64]| -> f64 { column.iter().zip(w).map(|(a, b)| a * b).sum() };
            for j in 0..n {
                out[j] += sum(&momentum.by_start[j * n..(j + 1) * n]);
                out[n + j] += sum(&momentum.by_end[j * n..(j + 1) * n]);
            }
            for j in 0..m {
                out[2 * n + j] += sum(&momentum.by_input[j * n..(j + 1) * n]);
            }
            out[2 * n + m] += context.plan.step * sum(&momentum.by_length);
        }
    }

    fn by_differences(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let (n, m) = (self.dofs, self.components);
        let all = 2 * n + m + 1;
        let h = context.numbering.length(&context.plan, at, self.interval);
        let t = self.time(context, at, h);
        let (start, end) = (&at.nodes[self.interval], &at.nodes[self.interval + 1]);
        let efforts = self.efforts(at);
        let (mut d, mut sides) = (vec![0.0; n], [vec![0.0; all], vec![0.0; all]]);
        for j in (0..2 * n).chain([all - 1]).filter(|&j| self.variables[j] != NONE) {
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                if j < 2 * n {
                    d[j % n] = sign * EPSILON;
                    let shifted = context.displaced(if j < n { start } else { end }, self.island, &d);
                    d[j % n] = 0.0;
                    let ends = if j < n { (&shifted, end) } else { (start, &shifted) };
                    self.differentiate(context, ends, (t, h), efforts)?;
                    context.give_back(shifted);
                } else {
                    let h = h + sign * EPSILON * context.plan.step;
                    self.differentiate(context, (start, end), (t, h), efforts)?;
                }
                self.gradient(context, weights, side);
            }
            for i in 0..all {
                let slope = (sides[0][i] - sides[1][i]) / (2.0 * EPSILON);
                // Efforts are not displaced themselves: their rows are the mirror of their columns.
                let mirrored = (2 * n..2 * n + m).contains(&i);
                out[j * all + i] += slope;
                if mirrored {
                    out[i * all + j] += slope;
                }
            }
        }
        self.straighten(context, at, weights, out)
    }

    /// Adds what differences lack where directions of degrees of freedom turn.
    fn straighten(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let nodes = [self.interval, self.interval + 1];
        let model = context.plan.model.clone();
        for node in nodes {
            context.gallery.look(&model, &at.nodes, (node, self.island));
        }
        if context.gallery.of(&model, (nodes[0], self.island)).is_straight() {
            return Ok(());
        }
        let h = context.numbering.length(&context.plan, at, self.interval);
        let ends = (&at.nodes[nodes[0]], &at.nodes[nodes[1]]);
        self.differentiate(context, ends, (self.time(context, at, h), h), self.efforts(at))?;
        let (n, all) = (self.dofs, self.variables.len());
        let mut slopes = vec![0.0; all];
        self.gradient(context, weights, &mut slopes);
        for (node, first) in nodes.into_iter().zip([0, n]) {
            let columns = context.gallery.of(&model, (node, self.island));
            columns.straighten(&slopes[first..first + n], |i, j, value| {
                out[(first + i) * all + first + j] += value;
            });
        }
        Ok(())
    }

    fn closed(
        &self,
        context: &Context,
        at: &Point,
        weights: &[f64],
        (mass, e): (f64, Vec3),
        out: &mut [f64],
    ) {
        let (n, m) = (6, self.components);
        let all = 2 * n + m + 1;
        let last = all - 1;
        let slot = context.plan.model.islands[self.island].bodies.start;
        let (start, end) = (&at.nodes[self.interval], &at.nodes[self.interval + 1]);
        let sigma = context.numbering.scale(&context.plan, at, self.interval);
        let h = sigma * context.plan.step;
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
        let b = r1 * Mat3::from_diagonal(&e) * r0.transpose();
        let (by_turns, [h00, h11], h01) = spins(&b, &a, h);
        let [g0, g1] = by_turns.map(|by| by.tr_mul(&a));
        for i in 0..3 {
            for j in 0..3 {
                if j <= i {
                    put(3 + i, 3 + j, h00[(i, j)]);
                    put(9 + i, 9 + j, h11[(i, j)]);
                }
                put(3 + i, 9 + j, h01[(i, j)]);
            }
            let slope = sum_linear[i] * mass / (h * sigma);
            put(i, last, slope);
            put(6 + i, last, -slope);
            put(3 + i, last, -g0[i] / sigma);
            put(9 + i, last, -g1[i] / sigma);
        }
        let l = moment(&b) / h;
        put(last, last, 2.0 * (sum_linear.dot(&shift) * mass / h + a.dot(&l)) / (sigma * sigma));
        let share = 0.5 * context.plan.step;
        let mut next = 2 * n;
        for control in &self.controls {
            let offset = if matches!(control, Control::Torque(_)) { 3 } else { 0 };
            let difference = vector(6 + offset) - vector(offset);
            for i in 0..3 {
                put(next + i, last, share * difference[i]);
            }
            next += 3;
        }
    }
}

/// A free body over an interval: momenta without forces, what acts on it, and `B`.
struct Carried {
    linear: Vec3,
    angular: Vec3,
    force: Vec3,
    torque: Vec3,
    b: Mat3,
    h: f64,
}

impl DynamicsDefect {
    fn carried(&self, context: &Context, at: &Point, (mass, e): (f64, Vec3)) -> Carried {
        let slot = context.plan.model.islands[self.island].bodies.start;
        let (start, end) = (&at.nodes[self.interval], &at.nodes[self.interval + 1]);
        let h = context.numbering.length(&context.plan, at, self.interval);
        let b = end.rotations[slot] * Mat3::from_diagonal(&e) * start.rotations[slot].transpose();
        let (mut force, mut torque) = (context.plan.model.gravity * mass, Vec3::zeros());
        for (control, effort) in self.controls.iter().zip(self.efforts(at).chunks_exact(3)) {
            let effort = Vec3::new(effort[0], effort[1], effort[2]);
            *(if matches!(control, Control::Torque(_)) { &mut torque } else { &mut force }) += effort;
        }
        let linear = (end.positions[slot] - start.positions[slot]) * (mass / h);
        Carried { linear, angular: moment(&b) / h, force, torque, b, h }
    }

    /// First derivatives of a free body's momenta, column by column.
    fn closed_slopes(&self, context: &Context, at: &Point, body: (f64, Vec3), out: &mut [f64]) {
        let Carried { linear, angular, force, torque, b, h } = self.carried(context, at, body);
        let [by_start, by_end] = by_turns(&b, h);
        let last = 12 + self.components;
        for (first, sign) in [(0, -0.5), (6, 0.5)] {
            let mut put = |row: usize, column: usize, value: f64| out[column * 12 + first + row] = value;
            for i in 0..3 {
                put(i, i, -body.0 / h);
                put(i, 6 + i, body.0 / h);
                for j in 0..3 {
                    put(3 + i, 3 + j, by_start[(i, j)]);
                    put(3 + i, 9 + j, by_end[(i, j)]);
                }
                for (k, control) in self.controls.iter().enumerate() {
                    let offset = if matches!(control, Control::Torque(_)) { 3 } else { 0 };
                    put(offset + i, 12 + 3 * k + i, sign * h);
                }
                put(i, last, context.plan.step * (sign * force[i] - linear[i] / h));
                put(3 + i, last, context.plan.step * (sign * torque[i] - angular[i] / h));
            }
        }
    }
}

/// Derivatives of `l` by turns of the start and of the end.
fn by_turns(b: &Mat3, h: f64) -> [Mat3; 2] {
    let spread = Mat3::identity() * b.trace();
    [(b.transpose() - spread) / h, (spread - b) / h]
}

/// Derivatives of `l` by turns of start and end; second derivatives of `a·l` by both of the start, both of the end, and by one of
/// each.
pub(super) fn spins(b: &Mat3, a: &Vec3, h: f64) -> ([Mat3; 2], [Mat3; 2], Mat3) {
    let (hat_a, bt) = (hat(a), b.transpose());
    let own = |m: Mat3| ((m + m.transpose()) * 0.5 - Mat3::identity() * m.trace()) / h;
    let mixed = (moment(b) * a.transpose() - hat(&(bt * a))) / h;
    (by_turns(b, h), [own(bt * hat_a), own(hat_a * bt)], mixed)
}

/// `Σ E d0 × d1` from `B = Σ E d1 d0ᵀ`.
pub(super) fn moment(b: &Mat3) -> Vec3 {
    // (x × y)_i = ε_ijk x_j y_k with x y the columns of Bᵀ.
    Vec3::new(b[(2, 1)] - b[(1, 2)], b[(0, 2)] - b[(2, 0)], b[(1, 0)] - b[(0, 1)])
}

/// Mass and director moments if the island is a free body whose second derivatives are closed.
fn simple(context: &Context, island: usize, controls: &[Control]) -> Option<(f64, Vec3)> {
    let model = &context.plan.model;
    let it = &model.islands[island];
    let link = &model.links[it.bodies.start];
    let body = &model.bodies[link.body];
    let plain =
        it.simple && body.kind != BodyKind::Particle && link.joint.parent_frame.axes == Mat3::identity();
    let world = controls.iter().all(|control| match control {
        Control::Dof(_) => false,
        Control::Force(grip) => grip.axes == Axes::World && grip.arm == Vec3::zeros(),
        Control::Torque(grip) => grip.axes == Axes::World,
    });
    (plain && world).then(|| (link.mass, body.director_moments()))
}

impl Piece for DynamicsDefect {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        if let Some(body) = self.simple {
            let Carried { linear, angular, force, torque, h, .. } = self.carried(context, at, body);
            for (half, sign) in out.chunks_exact_mut(6).zip([-0.5, 0.5]) {
                half[..3].copy_from_slice((linear + force * (sign * h)).as_slice());
                half[3..].copy_from_slice((angular + torque * (sign * h)).as_slice());
            }
            return Ok(());
        }
        let h = context.numbering.length(&context.plan, at, self.interval);
        let t = self.time(context, at, h);
        let Context { plan, tool, .. } = context;
        let model = &*plan.model;
        let interval = Interval {
            model,
            island: &model.islands[self.island],
            start: &at.nodes[self.interval],
            end: &at.nodes[self.interval + 1],
            t,
            h,
            controls: &self.controls,
            efforts: self.efforts(at),
        };
        let (before, after) = out.split_at_mut(self.dofs);
        tool.momenta(&interval, before, after).map_err(|e| Undefined(e.to_string()))
    }

    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        if let Some(body) = self.simple {
            self.closed_slopes(context, at, body, out);
            return Ok(());
        }
        let h = context.numbering.length(&context.plan, at, self.interval);
        let t = self.time(context, at, h);
        let ends = (&at.nodes[self.interval], &at.nodes[self.interval + 1]);
        self.differentiate(context, ends, (t, h), self.efforts(at))?;
        let (n, m, step) = (self.dofs, self.components, context.plan.step);
        for (half, momentum) in [&context.derivatives.before, &context.derivatives.after].iter().enumerate() {
            let lists =
                [(0, &momentum.by_start, n), (n, &momentum.by_end, n), (2 * n, &momentum.by_input, m)];
            for (first, list, count) in lists {
                for (j, column) in list.chunks_exact(n).enumerate().take(count) {
                    let place = (first + j) * 2 * n + half * n;
                    out[place..place + n].copy_from_slice(column);
                }
            }
            let place = (2 * n + m) * 2 * n + half * n;
            out[place..place + n].iter_mut().zip(&momentum.by_length).for_each(|(o, v)| *o = v * step);
        }
        Ok(())
    }

    fn hessian(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        match self.simple {
            Some(body) => {
                self.closed(context, at, weights, body, out);
                Ok(())
            }
            None if self.tree => {
                let place = (self.interval, self.island);
                super::tree::curve(context, at, place, (&self.controls, self.efforts(at)), weights, out);
                Ok(())
            }
            None => self.by_differences(context, at, weights, out),
        }
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        // A free body: forces shift it and torques turn it, axis by axis.
        let Some(kind) = self.kind(variable) else { return true };
        let (row, turning) = (row % 6, row % 6 >= 3);
        match kind {
            (true, _) => turning,
            (false, axis) => row == axis,
        }
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let (scale, effort) = (2 * self.dofs + self.components, 2 * self.dofs);
        let is_effort = |v: usize| v >= effort && v < scale;
        if self.simple.is_none() {
            return !(is_effort(one) && is_effort(other));
        }
        if one == scale || other == scale {
            return true;
        }
        let turns = |v: usize| v < effort && v % 6 >= 3;
        turns(one) && turns(other)
    }
}

impl DynamicsDefect {
    /// Of a free body's variable: whether it turns, and along which axis; `None` for time scales and other islands.
    fn kind(&self, variable: usize) -> Option<(bool, usize)> {
        self.simple?;
        if variable < 12 {
            return Some((variable % 6 >= 3, variable % 3));
        }
        let at = variable - 12;
        let control = self.controls.get(at / 3)?;
        Some((matches!(control, Control::Torque(_)), at % 3))
    }
}
