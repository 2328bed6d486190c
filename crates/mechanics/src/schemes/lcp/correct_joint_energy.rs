//! Energy that stabilising joints would bring, taken from the bodies on them.
//!
//! A body on a joint moves along a tangent, and the position error of the joint is stabilised in the next step: to leading order
//! that takes as much energy as it brings, and the remainder has either sign. Where a step would gain energy, the bodies of every
//! island with joints are slowed relative to the motion of the island as one rigid body (relative to rest, if a joint ties it
//! to the world):
//!
//! ```text
//! v ← r + s (v - r)          gain(s) = gain(1) - (1 - s²) A - (1 - s) (B - W) = 0,   s in [0, 1]
//! A = ½ |v - r|²_M           B = (v - r)ᵀ M r           W = h F·(v - r)
//! ```
//!
//! Joints are invariant under a rigid motion: they are stabilised by the part `s`, which is `1 - O(h²)`. Momenta of islands
//! are kept.

use super::StepInput;
use super::energy::largest_fraction;
use super::free_velocities::FreeVelocities;
use crate::model::Island;
use crate::rotation::Mat3;
use crate::spatial::{Vec6, angular, linear, twist};
use percussion_geometry::Vec3;

/// Slows the bodies on joints until the step gains no energy; `gain` is the positive gain before.
pub(super) fn correct_joint_energy(
    step: &StepInput,
    velocities: &FreeVelocities,
    gain: f64,
    twists: &mut [Vec6],
) {
    let with_joints = || step.model.islands.iter().filter(|island| !island.closures.is_empty());
    let (mut square, mut straight) = (0.0, 0.0);
    for island in with_joints() {
        let rigid = RigidMotion::of(step, velocities, island, twists);
        for slot in island.bodies.clone() {
            let dofs = &velocities.dofs[slot];
            let (rest, own) = rigid.split(step, velocities, slot, twists);
            let force = dofs.wrench_row(&velocities.wrenches[slot]);
            for k in 0..dofs.count {
                square += 0.5 * own[k] * own[k] / dofs.inverse_mass[k];
                straight += own[k] * (rest[k] / dofs.inverse_mass[k] - step.h * force[k]);
            }
        }
    }
    let fraction = largest_fraction(square, straight, square + straight - gain);
    for island in with_joints() {
        let rigid = RigidMotion::of(step, velocities, island, twists);
        for slot in island.bodies.clone() {
            let (rest, mut v) = rigid.split(step, velocities, slot, twists);
            v.iter_mut().zip(rest).for_each(|(v, r)| *v = r + fraction * *v);
            twists[slot] = velocities.dofs[slot].twist(&v);
        }
    }
}

/// The rigid motion of an island about its centre of mass.
struct RigidMotion {
    center: Vec3,
    twist: Vec6,
}

impl RigidMotion {
    /// The motion with the momenta of an island; rest, if a joint ties it to the world.
    fn of(step: &StepInput, velocities: &FreeVelocities, island: &Island, twists: &[Vec6]) -> Self {
        let StepInput { model, state, .. } = *step;
        let tied = model.closures[island.closures.clone()].iter().any(|closure| closure.parent.is_none());
        if tied {
            return Self { center: Vec3::zeros(), twist: Vec6::zeros() };
        }
        let mass: f64 = island.bodies.clone().map(|slot| model.links[slot].mass).sum();
        let weighted = |slot: usize| state.positions[slot] * model.links[slot].mass;
        let center = island.bodies.clone().map(weighted).sum::<Vec3>() / mass;
        let (mut linear_momentum, mut angular_momentum) = (Vec3::zeros(), Vec3::zeros());
        let (mut inertia, mut normal) = (Mat3::zeros(), None);
        for slot in island.bodies.clone() {
            let dofs = &velocities.dofs[slot];
            let momentum = dofs.momentum(&dofs.unknowns(&twists[slot]));
            let arm = state.positions[slot] - center;
            linear_momentum += linear(&momentum);
            angular_momentum += arm.cross(&linear(&momentum)) + angular(&momentum);
            let around = Mat3::identity() * arm.norm_squared() - arm * arm.transpose();
            inertia += dofs.inertia() + around * model.links[slot].mass;
            normal = normal.or(dofs.normal());
        }
        let angular_velocity = match normal {
            Some(n) => n * (n.dot(&angular_momentum) / n.dot(&(inertia * n))),
            // Particles on a line have no angular velocity about it.
            None => inertia.try_inverse().map_or_else(Vec3::zeros, |inverse| inverse * angular_momentum),
        };
        Self { center, twist: twist(&(linear_momentum / mass), &angular_velocity) }
    }

    /// The unknowns of a body in the rigid motion, and its velocity relative to it.
    fn split(
        &self,
        step: &StepInput,
        velocities: &FreeVelocities,
        slot: usize,
        twists: &[Vec6],
    ) -> ([f64; 6], [f64; 6]) {
        let dofs = &velocities.dofs[slot];
        let arm = step.state.positions[slot] - self.center;
        let there = twist(&(linear(&self.twist) + angular(&self.twist).cross(&arm)), &angular(&self.twist));
        let (rest, mut own) = (dofs.unknowns(&there), dofs.unknowns(&twists[slot]));
        own.iter_mut().zip(rest).for_each(|(v, r)| *v -= r);
        (rest, own)
    }
}
