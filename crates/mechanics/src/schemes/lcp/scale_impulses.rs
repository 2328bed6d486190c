//! Energy that an unsolved step would bring, taken from its impulses.
//!
//! Impulses of a solver that stopped early may act where bodies separate. Where that brings energy, the bodies that contacts and
//! joints connect get a fraction of their impulses: the largest with which they gain none.
//!
//! ```text
//! v ← v* + t (v - v*)        gain(t) = gain(0) + B t + A t² = 0,   t in [0, 1]
//! A = ½ |v - v*|²_M          B = gain(1) - gain(0) - A             gain(0) = -½ |v* - v₀|²_M - (loss of the gyroscopic term)
//! ```
//!
//! Friction stays within its cones; the missing impulse causes penetration, which later steps stabilise.

use super::StepInput;
use super::contact_constraint::ContactConstraint;
use super::energy::{NEGLIGIBLE_GAIN, kinetic_energy, largest_fraction};
use super::free_velocities::FreeVelocities;
use super::solve_impulses::StepSolution;
use crate::model::Groups;
use crate::spatial::{Vec6, linear};

/// Gain of energy of a group of connected bodies.
#[derive(Clone, Copy, Debug, Default)]
struct GroupGain {
    /// `gain(0)`, `gain(1)`, A, and the energy to which rounding is relative.
    without: f64,
    with: f64,
    square: f64,
    size: f64,
    /// t.
    scale: f64,
}

/// Groups of bodies that contacts and joints connect (disjoint sets), by slot.
#[derive(Debug, Default)]
pub(super) struct ImpulseScaling {
    groups: Groups,
    gains: Vec<GroupGain>,
}

impl ImpulseScaling {
    /// Scales the impulses of groups that would gain energy; returns the least factor.
    pub fn scale_impulses(
        &mut self,
        step: &StepInput,
        velocities: &FreeVelocities,
        members: &[(usize, usize)],
        contacts: &[ContactConstraint],
        solution: &mut StepSolution,
    ) -> f64 {
        self.connect(step, contacts);
        self.gains.clear();
        self.gains.resize(step.model.moving(), GroupGain::default());
        for &(slot, _) in members {
            let root = self.groups.find(slot);
            self.gains[root].add_body(step, velocities, slot, &solution.twists[slot]);
        }
        // Impulses do work on driven bodies.
        for (k, contact) in contacts.iter().enumerate() {
            if let Some(root) = self.root_of(step, contact) {
                let (c, friction) = (solution.normal[k], &solution.friction[k]);
                self.gains[root].with += c * contact.driven_rate + friction.dot(&contact.driven_velocity);
            }
        }
        let mut least = 1.0_f64;
        for gain in &mut self.gains {
            let negligible = NEGLIGIBLE_GAIN * gain.size;
            gain.scale = if gain.with > negligible {
                let straight = gain.with - gain.without - gain.square;
                largest_fraction(gain.square, straight, negligible - gain.without)
            } else {
                1.0
            };
            least = least.min(gain.scale);
        }
        if least < 1.0 {
            for &(slot, _) in members {
                let root = self.groups.find(slot);
                let free = velocities.free[slot];
                solution.twists[slot] = free + (solution.twists[slot] - free) * self.gains[root].scale;
            }
            for (k, contact) in contacts.iter().enumerate() {
                if let Some(root) = self.root_of(step, contact) {
                    solution.normal[k] *= self.gains[root].scale;
                    solution.friction[k] *= self.gains[root].scale;
                }
            }
        }
        least
    }

    /// Groups the bodies that contacts and joints connect.
    fn connect(&mut self, step: &StepInput, contacts: &[ContactConstraint]) {
        self.groups.reset(step.model.moving());
        let mut join = |pair: [Option<usize>; 2]| {
            if let [Some(a), Some(b)] = pair {
                self.groups.join(a, b);
            }
        };
        if let Some(geometry) = step.geometry {
            contacts.iter().for_each(|contact| join(contact.slots(geometry)));
        }
        step.model.closures.iter().for_each(|closure| join([closure.parent, Some(closure.child)]));
    }

    /// The group of a contact.
    fn root_of(&mut self, step: &StepInput, contact: &ContactConstraint) -> Option<usize> {
        let [a, b] = contact.slots(step.geometry?);
        a.or(b).map(|slot| self.groups.find(slot))
    }
}

impl GroupGain {
    fn add_body(&mut self, step: &StepInput, velocities: &FreeVelocities, slot: usize, end: &Vec6) {
        let kinetic =
            |twist: &Vec6| kinetic_energy(&step.model.links[slot], &step.state.rotations[slot], twist);
        let (free, wrench) = (&velocities.free[slot], &velocities.wrenches[slot]);
        let impulse = wrench * step.h;
        let (k0, k1) = (kinetic(&velocities.initial[slot]), kinetic(end));
        self.without += kinetic(free) - k0 - impulse.dot(free);
        self.with += k1 - k0 - impulse.dot(end);
        self.square += kinetic(&(end - free));
        self.size += k0 + k1 + impulse.dot(end).abs();
        self.size += linear(wrench).norm() * velocities.extents[slot];
    }
}
