//! Restitution [an extension of Hart 4]: which contacts rebound, and the impulses of expansion.
//!
//! Newton: a contact that closes within the step leaves with `e` times its approach speed; this is the bias of its
//! constraint. Poisson: the problem of compression stops the approach, then its normal impulse acts again, `e` times and without friction, and
//! the problem is solved once more from the velocities so obtained.

use super::StepInput;
use super::contact_constraint::ContactConstraint;
use super::free_velocities::FreeVelocities;
use super::solve_impulses::StepSolution;
use crate::tolerances::lcp::restitution::SLOW_STEPS;

/// Approach speed below which a contact does not rebound, m/s.
pub(super) fn rebound_threshold(step: &StepInput) -> f64 {
    SLOW_STEPS * step.h * step.model.gravity.norm()
}

/// Lists whether each contact rebounds: it has restitution, closes within the step, and faster than the threshold.
pub(super) fn rebounding_contacts(
    step: &StepInput,
    velocities: &FreeVelocities,
    contacts: &[ContactConstraint],
    rebounds: &mut Vec<bool>,
) {
    rebounds.clear();
    let Some(geometry) = step.geometry else { return };
    let threshold = rebound_threshold(step);
    rebounds.extend(contacts.iter().map(|contact| {
        let closes = || contact.distance + step.h * contact.distance_rate(geometry, &velocities.free) < 0.0;
        let fast = || -contact.distance_rate(geometry, &velocities.initial) * contact.unit > threshold;
        contact.surface.restitution > 0.0 && closes() && fast()
    }));
}

/// Applies the normal impulses of expansion (Poisson) to the solution of the problem of compression.
pub(super) fn expand_impulses(
    step: &StepInput,
    velocities: &FreeVelocities,
    contacts: &[ContactConstraint],
    rebounds: &[bool],
    solution: &mut StepSolution,
) {
    let Some(geometry) = step.geometry else { return };
    for (k, contact) in contacts.iter().enumerate().filter(|(k, _)| rebounds[*k]) {
        let expansion = contact.surface.restitution * solution.normal[k];
        solution.normal[k] += expansion;
        for (side, slot) in contact.slots(geometry).into_iter().enumerate() {
            let Some(slot) = slot else { continue };
            let dofs = &velocities.dofs[slot];
            let mut v = dofs.unknowns(&solution.twists[slot]);
            let row = dofs.wrench_row(&contact.gradient[side]);
            v.iter_mut().zip(row).zip(dofs.inverse_mass).for_each(|((v, r), w)| *v += expansion * r * w);
            solution.twists[slot] = dofs.twist(&v);
        }
    }
}
