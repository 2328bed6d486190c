//! Energy gained by a step, and the fraction of a correction that removes it.

use super::StepInput;
use super::contact_constraint::ContactConstraint;
use super::free_velocities::FreeVelocities;
use super::solve_impulses::StepSolution;
use crate::rotation::Mat3;
use crate::spatial::{Vec6, angular, linear};
pub(super) use crate::tolerances::lcp::energy::NEGLIGIBLE_GAIN;
use crate::tree::Link;

/// Kinetic energy of a body, J.
pub(super) fn kinetic_energy(link: &Link, rotation: &Mat3, twist: &Vec6) -> f64 {
    let w = rotation.tr_mul(&angular(twist));
    0.5 * (link.mass * linear(twist).norm_squared() + w.dot(&link.inertia.component_mul(&w)))
}

/// Energy that the step brings to the bodies in the problem beyond the work of forces, driven bodies and rounding, J; `driven` is what drives
/// of joints take.
pub(super) fn energy_gain(
    step: &StepInput,
    velocities: &FreeVelocities,
    members: &[(usize, usize)],
    contacts: &[ContactConstraint],
    solution: &StepSolution,
    driven: f64,
) -> f64 {
    let (mut gain, mut size) = (0.0, 0.0);
    for &(slot, _) in members {
        let kinetic =
            |twist: &Vec6| kinetic_energy(&step.model.links[slot], &step.state.rotations[slot], twist);
        let (k0, k1) = (kinetic(&velocities.initial[slot]), kinetic(&solution.twists[slot]));
        let wrench = &velocities.wrenches[slot];
        let work = step.h * wrench.dot(&solution.twists[slot]);
        gain += k1 - k0 - work;
        // A body at rest is measured by the energy of falling by its own size.
        size += k0 + k1 + work.abs() + linear(wrench).norm() * velocities.extents[slot];
    }
    // Impulses do work on driven bodies.
    for ((contact, c), friction) in contacts.iter().zip(&solution.normal).zip(&solution.friction) {
        gain += c * contact.driven_rate + friction.dot(&contact.driven_velocity);
    }
    gain + driven - NEGLIGIBLE_GAIN * size
}

/// The largest `s` in [0, 1] with `a s² + b s <= c`; where there is none, the `s` with the least left-hand side.
pub(super) fn largest_fraction(a: f64, b: f64, c: f64) -> f64 {
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
