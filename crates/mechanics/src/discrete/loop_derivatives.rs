//! Loops in boundary value problems: `p⁺ - p⁻ = Bᵀ λ` and `g = 0` at a node, and the derivative of `Bᵀ λ`.
//!
//! Rows of loops are products of vectors that depend linearly on positions and directors, so their gradients are linear in
//! them and half the difference of two gradients, one displacement forward and one back, is the derivative *exactly*.

use super::End;
use super::derivatives::{Derivatives, IntervalInputs};
use super::differentiator::Differentiator;
use super::loops::put_row;
use crate::joint::LinearForm;
use crate::rotation::{hat, moment_of};
use crate::spatial::{Vec6, angular, linear, twist};
use crate::tree::Closure;

/// Indices of the loops' wrenches among the subtrees.
const LOOPS: usize = 2;

impl Differentiator {
    /// `g(q1)`, `B0` and `B1`.
    pub(super) fn read_loops(&mut self, inputs: &IntervalInputs, out: &mut Derivatives) {
        let IntervalInputs { model, island, .. } = *inputs;
        self.loops.begin(model, island);
        let it = &mut self.interval;
        let (x, r) = (&self.positions0, &it.rotations0);
        self.loops.evaluate(End::Before, model, island, &it.system, (x, r), &mut it.wrenches);
        let (x, r) = (&it.positions, &it.rotations);
        self.loops.evaluate(End::After, model, island, &it.system, (x, r), &mut it.wrenches);
        out.gaps.clone_from(&self.loops.values);
        out.rows_before.clone_from(&self.loops.before);
        out.rows_after.clone_from(&self.loops.after);
    }

    /// `∂(Bᵀ λ)/∂q` at one end of the interval last differentiated, column by column, for given multipliers.
    pub fn differentiate_loop_forces(
        &mut self,
        inputs: &IntervalInputs,
        end: End,
        multipliers: &[f64],
        out: &mut [f64],
    ) {
        let IntervalInputs { model, island, .. } = *inputs;
        let (n, b0) = (island.dofs.len(), island.bodies.start);
        let closures = &model.closures[island.closures.clone()];
        self.sum_rows(closures, b0, end, multipliers, &mut out[..n]);
        for body in 0..island.bodies.len() {
            let node = &self.interval.system.nodes[body];
            let (first, count) = (node.first, node.dofs);
            for k in 0..count {
                self.displace(end, body, k);
                self.interval.wrenches.fill(Vec6::zeros());
                let mut next = 0;
                for closure in closures {
                    let rows = closure.joint.rows().len();
                    self.differentiate_rows(closure, b0, end, &multipliers[next..next + rows]);
                    next += rows;
                }
                let column = &mut out[(first + k) * n..(first + k + 1) * n];
                self.reduce_derivative(inputs, (end, LOOPS), (body, k), column);
            }
        }
    }

    /// The wrenches `Gᵀ λ` of all loops, summed over subtrees; `reduced` becomes `Bᵀ λ`.
    fn sum_rows(
        &mut self,
        closures: &[Closure],
        b0: usize,
        end: End,
        multipliers: &[f64],
        reduced: &mut [f64],
    ) {
        let it = &mut self.interval;
        let positions = if end == End::Before { &self.positions0 } else { &it.positions };
        let directors = if end == End::Before { &it.rotations0 } else { &it.rotations };
        let total = &mut self.subtrees[LOOPS];
        total.clear();
        total.resize(positions.len(), Vec6::zeros());
        let rows = closures.iter().flat_map(|c| c.joint.rows().iter().map(move |&row| (c, row)));
        for ((closure, row), factor) in rows.zip(multipliers) {
            it.wrenches.fill(Vec6::zeros());
            put_row(closure, row, b0, positions, directors, &mut it.wrenches);
            total.iter_mut().zip(&it.wrenches).for_each(|(sum, wrench)| *sum += wrench * *factor);
        }
        // The sweep up leaves the sums over subtrees behind.
        match end {
            End::Before => it.system.reduce(total, reduced),
            End::After => it.system.reduce_at_end(total, reduced),
        }
    }

    /// Adds `(Gᵀ λ)'` of one loop along the present twists to the interval's wrenches.
    fn differentiate_rows(&mut self, closure: &Closure, b0: usize, end: End, multipliers: &[f64]) {
        let it = &mut self.interval;
        let positions = if end == End::Before { &self.positions0 } else { &it.positions };
        let directors = if end == End::Before { &it.rotations0 } else { &it.rotations };
        let child = closure.child - b0;
        let parent = closure.parent.map(|p| p - b0);
        let turned = |i: usize| hat(&angular(&it.twists[i])) * directors[i];
        let shifted =
            |i: usize, by: f64| (positions[i] + linear(&it.twists[i]) * by, directors[i] + turned(i) * by);
        // Change of a form's torque: the directors it acts on turn, and it changes itself.
        let wrench = |i: usize, here: &LinearForm, forward: &LinearForm, back: &LinearForm| {
            let force = (forward.force - back.force) * 0.5;
            let moment = (forward.moment - back.moment) * 0.5;
            let torque = moment_of(&turned(i), &here.moment) + moment_of(&directors[i], &moment);
            twist(&force, &torque)
        };
        for (&row, factor) in closure.joint.rows().iter().zip(multipliers) {
            let at = |by: f64| {
                let (above, below) = (parent.map(|p| shifted(p, by)), shifted(child, by));
                let above = above.as_ref().map(|(x, r)| (x, r));
                closure.joint.row(row, above, (&below.0, &below.1))
            };
            let (here, forward, back) = (at(0.0), at(1.0), at(-1.0));
            let below = wrench(child, &here.child, &forward.child, &back.child) * *factor;
            let above = parent.map(|p| (p, wrench(p, &here.parent, &forward.parent, &back.parent) * *factor));
            it.wrenches[child] += below;
            if let Some((p, change)) = above {
                it.wrenches[p] += change;
            }
        }
    }
}
