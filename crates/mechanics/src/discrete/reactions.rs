//! Lagrange multipliers of the reduced scheme, recovered after the fact [Johnson 3.18], and the reactions they represent.
//!
//! `h Gᵀ λ_k = D2 L_d(q_{k-1}, q_k) + D1 L_d(q_k, q_{k+1})` has one solution as long as constraints are independent, so the
//! dense least squares of (3.18) is not needed. On a tree it falls apart into small systems, leaves first:
//!
//! ```text
//! loops      B λ = reduced imbalance                                one dense system, as large as the loops
//! joint      Σ λ_r (force, torque of row r on the child) = imbalance of the child       at most six unknowns
//!            the parent gets the wrench of the rows on it
//! directors  Λ = Rᵀ (imbalance of the directors) / h                symmetric: its entries are the multipliers
//! ```
//!
//! The constraint force is `-Gᵀ λ`, in newtons: the force of a joint on its child. Where loops are redundant their
//! reactions are not determined by mechanics; rows that add nothing get zero.

use super::directors::{INTERNAL, Line, for_each_row};
use super::independent_rows::Independent;
use super::instant::Instant;
use super::loops::{End, Loops};
use crate::force::ForceError;
use crate::joint::{Joint, LinearForm};
use crate::model::{Island, Model, State};
use crate::spatial::{Vec6, angular, linear, twist};
use percussion_geometry::Vec3;
use percussion_solve::Lu;

/// Reaction of a joint or loop on its child; that on the parent is opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// The child-side origin of the joint, m.
    pub point: Vec3,
    /// Force on the child, N.
    pub force: Vec3,
    /// Torque on the child about the point, N m.
    pub torque: Vec3,
}

/// Multipliers and reactions at an instant; reused workspace.
#[derive(Clone, Debug, Default)]
pub struct Reactions {
    instant: Instant,
    loops: Loops,
    independent: Independent,
    lu: Lu,
    lines: Vec<Line>,
    reduced: Vec<f64>,
    rhs: Vec<f64>,
    /// Remainder of `h Gᵀ λ`, by slot.
    rest: Vec<LinearForm>,
    multipliers: Vec<f64>,
    /// First multiplier of each body.
    starts: Vec<usize>,
    joints: Vec<Reaction>,
    closures: Vec<Reaction>,
}

impl Reactions {
    /// Recovers everything at `now` from it and the states a step `h` before and after it.
    pub fn read(
        &mut self,
        model: &Model,
        before: &State,
        now: &State,
        after: &State,
        h: f64,
    ) -> Result<(), ForceError> {
        self.instant.read(model, before, now, after, h)?;
        self.rest.clear();
        let both = self.instant.arriving.iter().zip(&self.instant.leaving);
        self.rest.extend(both.map(|(arriving, leaving)| {
            let mut form = *arriving;
            form.add(leaving, -1.0);
            form
        }));
        let nothing = Reaction { point: Vec3::zeros(), force: Vec3::zeros(), torque: Vec3::zeros() };
        self.multipliers.clear();
        self.starts.clear();
        self.closures.clear();
        self.joints.clear();
        self.joints.resize(model.moving(), nothing);
        for island in &model.islands {
            let range = island.bodies.clone();
            let lines = &mut self.lines;
            lines.clear();
            let placed = (&now.positions[range.clone()], &now.rotations[range]);
            for_each_row(model, island, placed.0, placed.1, |_, line| lines.push(*line));
            self.read_island(model, island, now, h);
        }
        Ok(())
    }

    fn read_island(&mut self, model: &Model, island: &Island, now: &State, h: f64) {
        let (b0, start) = (island.bodies.start, self.multipliers.len());
        self.multipliers.resize(start + self.lines.len(), 0.0);
        self.loops.begin(model, island);
        let fixed = self.lines.len() - self.loops.rows;
        if self.loops.rows > 0 {
            self.solve_loops(model, island, now, start + fixed, h);
        }
        let mut row = start;
        for link in &model.links[island.bodies.clone()] {
            self.starts.push(row);
            row += link.joint.rows().len() + if link.joint.particle { 0 } else { INTERNAL.len() };
        }
        for slot in island.bodies.clone().rev() {
            self.solve_body(model, island, now, slot, start, h);
        }
        for closure in &model.closures[island.closures.clone()] {
            let rows = closure.joint.rows().len();
            let lines = &self.lines[row - start..row - start + rows];
            let wrench = wrench_of(lines, &self.multipliers[row..row + rows], now, b0 + lines[0].child);
            self.closures.push(reaction(&closure.joint, now, closure.child, &wrench));
            row += rows;
        }
    }

    /// Multipliers of the loops, from the imbalance along the degrees of freedom of the tree.
    fn solve_loops(&mut self, model: &Model, island: &Island, now: &State, at: usize, h: f64) {
        let (n, b0) = (island.dofs.len(), island.bodies.start);
        let it = &mut self.instant.interval;
        it.begin(model, island, now);
        let range = island.bodies.clone();
        let (x, r) = (&now.positions[range.clone()], &now.rotations[range.clone()]);
        self.loops.evaluate(End::Before, model, island, &it.system, (x, r), &mut it.wrenches);
        for (i, slot) in range.enumerate() {
            it.wrenches[i] = self.rest[slot].on_twists(&now.rotations[slot]);
        }
        self.reduced.resize(n, 0.0);
        it.system.reduce(&mut it.wrenches, &mut self.reduced);
        self.independent.choose(&self.loops.before, n);
        let chosen = &self.independent.chosen;
        let rows = |k: usize| &self.loops.before[k * n..(k + 1) * n];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let m = chosen.len();
        let matrix = self.lu.reset(m);
        for (entry, (c, r)) in
            matrix.iter_mut().zip((0..m).flat_map(|c| (0..m).map(move |r| (chosen[c], chosen[r]))))
        {
            *entry = dot(rows(r), rows(c));
        }
        self.rhs.clear();
        self.rhs.extend(chosen.iter().map(|&k| dot(rows(k), &self.reduced) / h));
        // The chosen rows are independent, so their products with each other are regular.
        if self.lu.factor().is_err() {
            return;
        }
        self.lu.solve(&mut self.rhs);
        let fixed = self.lines.len() - self.loops.rows;
        for (&k, value) in chosen.iter().zip(&self.rhs) {
            self.multipliers[at + k] = *value;
            subtract(&mut self.rest, b0, &self.lines[fixed + k], value * h);
        }
    }

    /// Multipliers of a body's joint and directors, once those of its descendants are done.
    fn solve_body(&mut self, model: &Model, island: &Island, now: &State, slot: usize, start: usize, h: f64) {
        let b0 = island.bodies.start;
        let (link, rotation) = (&model.links[slot], &now.rotations[slot]);
        let own = self.starts[slot];
        let first = own + if link.joint.particle { 0 } else { INTERNAL.len() };
        let count = link.joint.rows().len();
        let lines = &self.lines[first - start..first - start + count];
        // A particle's axes are another body's: only the forces are its own.
        let seen = |form: &LinearForm| match link.joint.particle {
            true => twist(&form.force, &Vec3::zeros()),
            false => form.on_twists(rotation),
        };
        let mut columns = [Vec6::zeros(); 6];
        for (column, line) in columns.iter_mut().zip(lines) {
            *column = seen(&line.child_form);
        }
        let found = fit(&mut columns[..count], seen(&self.rest[slot]) / h);
        for (k, line) in lines.iter().enumerate() {
            self.multipliers[first + k] = found[k];
            subtract(&mut self.rest, b0, line, found[k] * h);
        }
        let wrench = wrench_of(lines, &found[..count], now, slot);
        self.joints[slot] = reaction(&link.joint, now, slot, &wrench);
        let moment = self.rest[slot].moment;
        if link.joint.particle {
            if let Some(p) = link.parent {
                self.rest[p].moment += moment * now.rotations[p].tr_mul(rotation).transpose();
            }
            return;
        }
        let symmetric = rotation.tr_mul(&moment) / h;
        for (k, (a, b)) in INTERNAL.into_iter().enumerate() {
            self.multipliers[own + k] = 0.5 * (symmetric[(a, b)] + symmetric[(b, a)]);
        }
    }

    /// All multipliers, island by island: for each body the six of its directors (none for a particle) and those of its
    /// joint's rows; the loops' last.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Reaction of its joint on the body in a slot.
    pub fn joint(&self, slot: usize) -> &Reaction {
        &self.joints[slot]
    }

    /// Reaction of a loop on its child, by its index in the model's list.
    pub fn closure(&self, index: usize) -> &Reaction {
        &self.closures[index]
    }

    /// The instant it was read from: hidden constraints and energies.
    pub fn instant(&self) -> &Instant {
        &self.instant
    }
}

fn subtract(rest: &mut [LinearForm], b0: usize, line: &Line, factor: f64) {
    rest[b0 + line.child].add(&line.child_form, -factor);
    if let Some(p) = line.parent {
        rest[b0 + p].add(&line.parent_form, -factor);
    }
}

/// `-Σ λ_r row_r` as force and torque on the child, about its centre of mass.
fn wrench_of(lines: &[Line], multipliers: &[f64], now: &State, child: usize) -> Vec6 {
    let on = |(line, factor): (&Line, &f64)| line.child_form.on_twists(&now.rotations[child]) * -*factor;
    lines.iter().zip(multipliers).map(on).sum()
}

fn reaction(joint: &Joint, now: &State, child: usize, wrench: &Vec6) -> Reaction {
    let centre = &now.positions[child];
    let point = joint.child_frame.on(centre, &now.rotations[child]).point;
    let force = linear(wrench);
    Reaction { point, force, torque: angular(wrench) - (point - centre).cross(&force) }
}

/// Least squares for a handful of independent columns, by Gram-Schmidt with the right-hand side as the last column.
fn fit(columns: &mut [Vec6], mut b: Vec6) -> [f64; 6] {
    let n = columns.len();
    let mut r = [[0.0; 6]; 6];
    let mut x = [0.0; 6];
    for k in 0..n {
        let length = columns[k].norm();
        r[k][k] = length;
        columns[k] /= length;
        let q = columns[k];
        for j in k + 1..n {
            r[k][j] = q.dot(&columns[j]);
            columns[j] -= q * r[k][j];
        }
        x[k] = q.dot(&b);
        b -= q * x[k];
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| r[k][j] * x[j]).sum();
        x[k] = (x[k] - known) / r[k][k];
    }
    x
}
