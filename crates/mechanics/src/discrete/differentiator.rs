//! From an interval to its derivatives, one column at a time in two sweeps over the tree.
//!
//! With `w∓` the wrenches of the two ends ([`discrete`](super)), `p∓ = P∓ᵀ w∓` is differentiated along twists `τ = P d` of the
//! bodies at either end:
//!
//! ```text
//! ∂p∓ = P∓ᵀ (∂w∓/∂τ) P  +  (∂P∓ᵀ) w∓           the second term where the displaced end is the one the columns belong to
//!
//! ∂l/∂θ1 = (tr B - B)/h    ∂l/∂θ0 = (Bᵀ - tr B)/h    B = R1 E R0ᵀ
//! ∂F     by the forces' stiffness: a start moves the midpoint and its rate by 1/2 and -1/h, an end by 1/2 and 1/h
//! ∂(R v × F) = (Kᵀ - tr K) θ for a held F            K = Σ F (R v)ᵀ
//! ```
//!
//! The sweep up that turns wrenches into momenta is differentiated as it is, with `f` the wrench of a subtree:
//!
//! ```text
//! p' = Sᵀ f' + S'ᵀ f        f'_parent += Xᵀ f' + (0, r' × f_linear)        r' = v_child - v_parent
//! ```
//!
//! A column costs time proportional to the bodies (and to the forces that couple them), a matrix `n` times that.

use super::derivatives::{Derivatives, IntervalInputs};
use super::interval::{Interval, kinetic_block, middle};
use super::loops::{End, Loops};
use crate::force::{Bodies, ForceAccumulator, ForceError, Weights};
use crate::joint::JointFrame;
use crate::rotation::Mat3;
use crate::spatial::{Mat6, Vec6, angular, linear, shift_twist, shift_wrench, twist};
use crate::tree::Node;
use percussion_geometry::Vec3;

/// Workspace for derivatives; reused from interval to interval and from island to island. A warm call allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Differentiator {
    /// The interval last evaluated.
    pub(crate) interval: Interval,
    pub(super) loops: Loops,
    /// Frames of the joints at the end; the interval has those at the start.
    joint_frames: Vec<JointFrame>,
    pub(super) positions0: Vec<Vec3>,
    /// Wrenches of subtrees: of `p⁻`, of `p⁺`, and of the loops.
    pub(super) subtrees: [Vec<Vec6>; 3],
    /// Which bodies the displacement moves.
    moving: Vec<bool>,
    blocks: Vec<Mat6>,
    pub(super) accumulators: Vec<ForceAccumulator>,
}

/// Data of an end of the interval: its index among the subtrees, and the sign of its forces' share.
pub(super) fn side(end: End) -> (usize, f64) {
    match end {
        End::Before => (0, -1.0),
        End::After => (1, 1.0),
    }
}

fn columns(node: &Node, end: End) -> (&Mat6, &Vec3) {
    match end {
        End::Before => (&node.motion0, &node.reach0),
        End::After => (&node.motion1, &node.reach1),
    }
}

/// Derivatives of the arguments of forces at the middle by a displacement.
fn weights(end: End, h: f64) -> Weights {
    match end {
        End::Before => Weights { position: 0.5, velocity: -1.0 / h },
        End::After => middle(h),
    }
}

/// Orientations at an end.
pub(super) fn rotations(interval: &Interval, end: End) -> &[Mat3] {
    match end {
        End::Before => &interval.rotations0,
        End::After => &interval.rotations,
    }
}

impl Differentiator {
    /// `p⁻` and `p⁺` alone.
    pub fn momenta(
        &mut self,
        inputs: &IntervalInputs,
        before: &mut [f64],
        after: &mut [f64],
    ) -> Result<(), ForceError> {
        let IntervalInputs { model, island, start, t, h, .. } = *inputs;
        let it = &mut self.interval;
        it.begin(model, island, start);
        it.set_increments(model, island, start, inputs.end);
        it.evaluate(model, island, start, t, h)?;
        let bodies = Bodies { first: island.bodies.start, kinematics: &it.placements };
        for (first, control) in inputs.placed_controls() {
            control.add_forces(&inputs.control_inputs[first..], &bodies, &mut it.accumulators);
        }
        it.set_end_columns(model, island, start);
        it.momenta_before(model, island, start, t, h, before);
        self.subtrees[0].clone_from(&it.wrenches);
        it.momenta_after(model, island, start, t, h, after);
        self.subtrees[1].clone_from(&it.wrenches);
        for (dof, input) in inputs.inputs_along_dofs() {
            before[dof] -= 0.5 * h * input;
            after[dof] += 0.5 * h * input;
        }
        Ok(())
    }

    /// Momenta with all first derivatives, and the loops.
    pub fn differentiate(
        &mut self,
        inputs: &IntervalInputs,
        out: &mut Derivatives,
    ) -> Result<(), ForceError> {
        out.resize(inputs);
        self.momenta(inputs, &mut out.before.value, &mut out.after.value)?;
        self.interval.complete = true;
        self.interval.linearise(inputs.model, inputs.island, inputs.start, inputs.t, inputs.h)?;
        self.prepare(inputs);
        for (end, momentum) in out.momenta() {
            self.by_displacements(inputs, end, End::Before, &mut momentum.by_start);
            self.by_displacements(inputs, end, End::After, &mut momentum.by_end);
        }
        self.by_length(inputs, out);
        self.by_time(inputs, out);
        self.by_inputs(inputs, out);
        self.read_loops(inputs, out);
        Ok(())
    }

    /// Data of the columns besides the linearised interval.
    fn prepare(&mut self, inputs: &IntervalInputs) {
        let IntervalInputs { model, island, start, .. } = *inputs;
        let it = &mut self.interval;
        for (first, control) in inputs.placed_controls() {
            control.stiffness(&inputs.control_inputs[first..], &mut it.stiffness);
        }
        let n = island.bodies.len();
        self.positions0.clear();
        self.positions0.extend_from_slice(&start.positions[island.bodies.clone()]);
        self.joint_frames.clear();
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            self.joint_frames.push(it.end_joint_frame(link, i, island.bodies.start, start));
        }
        self.moving.resize(n, false);
        self.blocks.resize(n, Mat6::zeros());
        self.accumulators.resize(n, ForceAccumulator::zero());
    }

    /// The derivative of the momentum of `end` with respect to displacements of `moved`, column by column.
    fn by_displacements(&mut self, inputs: &IntervalInputs, end: End, moved: End, out: &mut [f64]) {
        let IntervalInputs { model, island, start, t, h, .. } = *inputs;
        let n = island.dofs.len();
        self.set_blocks(inputs, end, moved);
        let scale = 0.5 * h * side(end).1;
        let weights = weights(moved, h);
        for body in 0..island.bodies.len() {
            let node = &self.interval.system.nodes[body];
            let (first, count) = (node.first, node.dofs);
            for k in 0..count {
                let column = &mut out[(first + k) * n..(first + k + 1) * n];
                self.displace(moved, body, k);
                let it = &mut self.interval;
                for i in 0..island.bodies.len() {
                    it.wrenches[i] = self.blocks[i] * it.twists[i];
                }
                if it.coupled {
                    let (r0, r1) = (&it.rotations0, &it.rotations);
                    let at = |end: End| if end == End::Before { r0.as_slice() } else { r1.as_slice() };
                    let ends = (at(end), at(moved));
                    for element in &it.stiffness {
                        let (twists, wrenches) = (&it.twists, &mut it.wrenches);
                        element.add_coupling(island.bodies.start, ends, &weights, scale, twists, wrenches);
                    }
                }
                if end == moved {
                    self.reduce_derivative(inputs, (end, side(end).0), (body, k), column);
                } else {
                    self.reduce(end, column);
                }
            }
        }
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (dof, applied) = self.interval.joint_force(force, model, island, start, t, h);
            out[dof * (n + 1)] +=
                scale * (weights.position * applied.by_position + weights.velocity * applied.by_velocity);
        }
    }

    /// `∂w/∂τ` of each body on itself.
    fn set_blocks(&mut self, inputs: &IntervalInputs, end: End, moved: End) {
        let IntervalInputs { model, island, h, .. } = *inputs;
        let scale = 0.5 * h * side(end).1;
        let mut blocks = std::mem::take(&mut self.blocks);
        let it = &self.interval;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let by_end = kinetic_block(link.mass, &link.inertia, &it.rotations0[i], &it.rotations[i], h);
            blocks[i] = match moved {
                End::Before => -by_end.transpose(),
                End::After => by_end,
            };
        }
        let ends = (rotations(it, end), rotations(it, moved));
        for element in &it.stiffness {
            element.add_blocks(island.bodies.start, ends, &weights(moved, h), scale, &mut blocks);
        }
        if end == moved {
            for (block, (applied, r)) in blocks.iter_mut().zip(it.accumulators.iter().zip(rotations(it, end)))
            {
                let k = applied.moment * r.transpose();
                let mut lever = block.fixed_view_mut::<3, 3>(3, 3);
                lever += (k.transpose() - Mat3::identity() * k.trace()) * scale;
            }
        }
        self.blocks = blocks;
    }

    /// Twists of all bodies for a unit displacement of degree of freedom `k` of a body's joint at an end.
    pub(super) fn displace(&mut self, moved: End, body: usize, k: usize) {
        let it = &mut self.interval;
        for (i, node) in it.system.nodes.iter().enumerate() {
            let (motion, reach) = columns(node, moved);
            let above = node.parent.filter(|&p| self.moving[p] && i > body);
            self.moving[i] = i == body || above.is_some();
            it.twists[i] = match above {
                Some(p) => shift_twist(&it.twists[p], reach),
                None if i == body => motion.column(k).into_owned(),
                None => Vec6::zeros(),
            };
        }
    }

    /// `Pᵀ` of the interval's wrenches.
    pub(super) fn reduce(&mut self, end: End, out: &mut [f64]) {
        let it = &mut self.interval;
        match end {
            End::Before => it.system.reduce(&mut it.wrenches, out),
            End::After => it.system.reduce_at_end(&mut it.wrenches, out),
        }
    }

    /// `Pᵀ w' + (P')ᵀ w`: the sweep up at an end, differentiated along the displacement of one degree of freedom of a body's joint.
    /// The interval's wrenches are `w'`; `w` is given by its subtrees' wrenches.
    pub(super) fn reduce_derivative(
        &mut self,
        inputs: &IntervalInputs,
        (end, subtrees): (End, usize),
        (body, k): (usize, usize),
        out: &mut [f64],
    ) {
        let it = &mut self.interval;
        let (joint_frames, positions) = match end {
            End::Before => (&it.joint_frames, &self.positions0),
            End::After => (&self.joint_frames, &it.positions),
        };
        let links = &inputs.model.links[inputs.island.bodies.clone()];
        for i in (0..it.system.nodes.len()).rev() {
            let node = &it.system.nodes[i];
            let (motion, reach) = columns(node, end);
            let (change, f) = (it.wrenches[i], self.subtrees[subtrees][i]);
            let above = node.parent.map_or_else(Vec6::zeros, |p| it.twists[p]);
            let bent = match self.moving[i] {
                true => {
                    let own = if i == body { Vec6::ith(k, 1.0) } else { Vec6::zeros() };
                    let turning = (&angular(&above), &angular(&it.twists[i]));
                    links[i].joint.motion_derivative(&joint_frames[i], &positions[i], turning, &own)
                }
                false => Mat6::zeros(),
            };
            for r in 0..node.dofs {
                out[node.first + r] = motion.column(r).dot(&change) + bent.column(r).dot(&f);
            }
            if let Some(p) = node.parent {
                let apart = linear(&it.twists[i]) - linear(&above);
                it.wrenches[p] +=
                    shift_wrench(&change, reach) + twist(&Vec3::zeros(), &apart.cross(&linear(&f)));
            }
        }
    }
}
