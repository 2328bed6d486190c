//! Energy that mending joints would bring, taken from the bodies on them.
//!
//! A body on a joint moves along a tangent, and the joint is mended in the next step: to leading order that takes as much energy as it
//! brings, and what is left has either sign. Where a step would gain energy, the bodies of every island with joints
//! are slowed against the motion that they would have as one rigid body (against rest, if they hang on the world):
//!
//! ```text
//! v ← r + s (v - r)          gain(s) = gain(1) - (1 - s²) A - (1 - s) (B - W) = 0,   s in [0, 1]
//! A = ½ |v - r|²_M           B = (v - r)ᵀ M r           W = h F·(v - r)
//! ```
//!
//! Joints do not feel a rigid motion: they are mended by the part `s`, which is `1 - O(h²)`. Momenta of islands are kept.

use super::Lcp;
use crate::model::State;
use crate::model::{Island, Model};
use crate::rotation::Mat3;
use crate::spatial::{Vec6, angular, linear, twist};
use percussion_geometry::Vec3;

impl Lcp {
    /// Slows the bodies on joints until the step gains no energy.
    pub(super) fn brake(&mut self, model: &Model, state: &State, h: f64) {
        let gain = self.gain(model, h);
        if !(gain > 0.0) {
            return;
        }
        let (mut square, mut straight) = (0.0, 0.0);
        for island in model.islands.iter().filter(|island| !island.closures.is_empty()) {
            let shared = self.shared(model, state, island);
            for slot in island.bodies.clone() {
                let dof = &self.dofs[slot];
                let (rest, own) = self.parted(state, slot, &shared);
                let force = dof.row(&self.wrenches[slot]);
                for k in 0..dof.count {
                    square += 0.5 * own[k] * own[k] / dof.inverse[k];
                    straight += own[k] * (rest[k] / dof.inverse[k] - h * force[k]);
                }
            }
        }
        let part = largest(square, straight, square + straight - gain);
        for island in model.islands.iter().filter(|island| !island.closures.is_empty()) {
            let shared = self.shared(model, state, island);
            for slot in island.bodies.clone() {
                let (rest, mut v) = self.parted(state, slot, &shared);
                v.iter_mut().zip(rest).for_each(|(v, r)| *v = r + part * *v);
                self.after[slot] = self.dofs[slot].twist(&v);
            }
        }
    }

    /// The unknowns of a body in the motion that its island shares, and what it does besides.
    fn parted(&self, state: &State, slot: usize, (centre, shared): &(Vec3, Vec6)) -> ([f64; 6], [f64; 6]) {
        let dof = &self.dofs[slot];
        let arm = state.positions[slot] - centre;
        let there = twist(&(linear(shared) + angular(shared).cross(&arm)), &angular(shared));
        let (rest, mut own) = (dof.unknowns(&there), dof.unknowns(&self.after[slot]));
        own.iter_mut().zip(rest).for_each(|(v, r)| *v -= r);
        (rest, own)
    }

    /// The rigid motion about the centre of mass with the momenta of an island; rest, if it hangs on the world.
    fn shared(&self, model: &Model, state: &State, island: &Island) -> (Vec3, Vec6) {
        let tied = model.closures[island.closures.clone()].iter().any(|closure| closure.parent.is_none());
        if tied {
            return (Vec3::zeros(), Vec6::zeros());
        }
        let mass: f64 = island.bodies.clone().map(|slot| model.links[slot].mass).sum();
        let weighed = |slot: usize| state.positions[slot] * model.links[slot].mass;
        let centre = island.bodies.clone().map(weighed).sum::<Vec3>() / mass;
        let (mut push, mut spin, mut inertia) = (Vec3::zeros(), Vec3::zeros(), Mat3::zeros());
        let mut normal = None;
        for slot in island.bodies.clone() {
            let dof = &self.dofs[slot];
            let momentum = dof.momentum(&dof.unknowns(&self.after[slot]));
            let arm = state.positions[slot] - centre;
            push += linear(&momentum);
            spin += arm.cross(&linear(&momentum)) + angular(&momentum);
            let around = Mat3::identity() * arm.norm_squared() - arm * arm.transpose();
            inertia += dof.inertia() + around * model.links[slot].mass;
            normal = normal.or(dof.normal());
        }
        let turn = match normal {
            Some(n) => n * (n.dot(&spin) / n.dot(&(inertia * n))),
            // Points in a line do not turn about it.
            None => inertia.try_inverse().map_or_else(Vec3::zeros, |inverse| inverse * spin),
        };
        (centre, twist(&(push / mass), &turn))
    }
}

/// The largest `s` in [0, 1] with `a s² + b s <= c`; where there is none, the `s` that comes nearest.
pub(super) fn largest(a: f64, b: f64, c: f64) -> f64 {
    let root = b * b + 4.0 * a * c;
    if !(a > 0.0) {
        return 1.0;
    }
    // The greater root, without cancellation for either sign of b.
    let s = match root > 0.0 {
        true if b > 0.0 => 2.0 * c / (b + root.sqrt()),
        true => (root.sqrt() - b) / (2.0 * a),
        false => -b / (2.0 * a),
    };
    s.clamp(0.0, 1.0)
}
