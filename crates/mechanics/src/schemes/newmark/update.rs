//! Newmark's update of one joint: its increment, its rates, and the spin of a body that hangs on nothing.

use crate::joint::{Joint, JointFrame, JointKind, Step};
use crate::model::Model;
use crate::rotation::tangents;
use percussion_geometry::Vec3;

/// Newmark's two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Family {
    pub beta: f64,
    pub gamma: f64,
}

/// A free body's angular momentum at the start and the torques on it, in the axes of its joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    pub momentum: Vec3,
    pub torque0: Vec3,
    pub torque1: Vec3,
}

impl Default for Spin {
    fn default() -> Self {
        Self { momentum: Vec3::zeros(), torque0: Vec3::zeros(), torque1: Vec3::zeros() }
    }
}

/// Most degrees of freedom of a joint.
const MOST: usize = 6;

impl Family {
    /// The increment of a joint, [Johnson 3.3a]: `h ν0 + h²/2 [(1-2β) a0 + 2β a1]`.
    pub fn step(
        &self,
        joint: &Joint,
        (from, to): (&JointFrame, &JointFrame),
        rates: &[f64],
        (a0, a1): (&[f64], &[f64]),
        h: f64,
    ) -> Step {
        let n = rates.len();
        let (mut d, mut last) = ([0.0; MOST], [0.0; MOST]);
        last[..n].copy_from_slice(a1);
        carry_rod(joint, to, from, &mut last);
        for k in 0..n {
            let bracket = (1.0 - 2.0 * self.beta) * a0[k] + 2.0 * self.beta * last[k];
            d[k] = h * rates[k] + 0.5 * h * h * bracket;
        }
        joint.corrected(from, &Step::none(), &d[..n])
    }

    /// The rates of a joint, [Johnson 3.3b]: `ν0 + h [(1-γ) a0 + γ a1]`, in the columns of the end.
    pub fn rates(
        &self,
        joint: &Joint,
        from: &JointFrame,
        to: &JointFrame,
        (rates, a0, a1): (&[f64], &[f64], &[f64]),
        h: f64,
        out: &mut [f64],
    ) {
        for (k, out) in out.iter_mut().enumerate() {
            *out = rates[k] + h * (1.0 - self.gamma) * a0[k];
        }
        carry_rod(joint, from, to, out);
        for (out, a) in out.iter_mut().zip(a1) {
            *out += h * self.gamma * a;
        }
    }

    /// The angular momentum at the end.
    pub fn momentum(&self, spin: &Spin, h: f64) -> Vec3 {
        spin.momentum + (spin.torque0 * (1.0 - self.gamma) + spin.torque1 * self.gamma) * h
    }
}

/// The first two components of a rod are those of a vector across it, in directions that follow the rod: takes them from
/// the directions of one stand to those of another. Other joints keep theirs.
pub(super) fn carry_rod(joint: &Joint, from: &JointFrame, to: &JointFrame, components: &mut [f64]) {
    if joint.kind == JointKind::Rod {
        let (e1, e2) = tangents(&from.shift.normalize());
        let (f1, f2) = tangents(&to.shift.normalize());
        let vector = e1 * components[0] + e2 * components[1];
        components[0] = vector.dot(&f1);
        components[1] = vector.dot(&f2);
    }
}

/// Which bodies are rigid, hang on nothing and carry nothing, by slot: their angular momentum is about a point of their
/// own, the centre of mass, and nothing but torques changes it.
pub(super) fn lonely(model: &Model) -> Vec<bool> {
    let mut lonely: Vec<bool> = model
        .links
        .iter()
        .map(|link| {
            let joint = &link.joint;
            let free = joint.kind == JointKind::Free && !joint.particle && link.parent.is_none();
            free && joint.on_child.point == Vec3::zeros()
        })
        .collect();
    let parents = model.links.iter().filter_map(|link| link.parent);
    let closed = model.closures.iter().flat_map(|closure| closure.parent.into_iter().chain([closure.child]));
    for slot in parents.chain(closed) {
        lonely[slot] = false;
    }
    lonely
}
