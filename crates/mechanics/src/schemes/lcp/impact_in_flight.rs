//! Impacts of one free body on fixed ones, at the instants within the step at which its contacts close.
//!
//! ```text
//! repeat, as long as a contact closes within the step:
//!   t    the first instant of that, along the path of the velocities without impulses
//!   Δ    the impact law for the contacts that are closed, from the velocities v₀ + a t at this instant
//!   v₀, v* changed by Δ; displacement of the step changed by -t Δ
//! ```
//!
//! The energy at the end of the step changes by `Δ·M (v₀ + a t + Δ/2)`, which is that of the impact law: it is no gain. Bodies under gravity alone
//! fly with the mean of the velocities at both ends of the step (`flight_offset`), on parabolas: their bounces are those of the closed form.
//!
//! Where a contact closes slowly, or the body would fly for less than the rest of the step, it is no impact in flight.

use super::StepInput;
use super::apply_impacts::{ImpactPhase, flight_offset, touching};
use super::contact_constraint::ContactConstraint;
use super::free_velocities::FreeVelocities;
use super::restitution::rebound_threshold;
use crate::discrete::StepError;
use crate::response::ImpactLaw;
use crate::spatial::Vec6;
use crate::tolerances::lcp::apply_impacts::{FLIGHT_STEPS, SAME_TIME};

/// Impacts of a body in a step; beyond, they are one impact at its beginning.
const MAX_IMPACTS: usize = 8;

/// What the impacts of the body changed so far.
struct Flight {
    /// Time since the beginning of the step, s.
    time: f64,
    /// Change of the velocities.
    change: Vec6,
    /// Displacement from the beginning of the step.
    moved: Vec6,
    /// Displacement of the step beyond that of the velocities at its end.
    offset: Vec6,
    /// Change of energy by normal impulses and by friction, J.
    energy: [f64; 2],
}

impl ImpactPhase {
    /// The impacts of a body in flight. Whether there were any.
    pub(super) fn impact_in_flight(
        &mut self,
        step: &StepInput,
        velocities: &mut FreeVelocities,
        contacts: &[ContactConstraint],
        slot: usize,
    ) -> Result<bool, StepError> {
        let Some(geometry) = step.geometry else { return Ok(false) };
        let (selected, impulses) = (self.selected.clone(), self.impulses.len());
        let zero = Vec6::zeros;
        let mut flight =
            Flight { time: 0.0, change: zero(), moved: zero(), offset: zero(), energy: [0.0; 2] };
        // One flight of a body in a step.
        if self.flew[slot] {
            return Ok(false);
        }
        let parabola =
            self.flies[slot] || step.options.in_substeps() && self.is_ballistic(step, velocities, slot);
        let falls = if parabola { flight_offset(step) } else { zero() };
        let own: Vec<(usize, Vec6)> = contacts
            .iter()
            .enumerate()
            .filter_map(|(k, contact)| match contact.slots(geometry) {
                [Some(a), None] if a == slot => Some((k, contact.gradient[0])),
                [None, Some(b)] if b == slot => Some((k, contact.gradient[1])),
                _ => None,
            })
            .collect();
        let mut ends = false;
        for _ in 0..=MAX_IMPACTS {
            let path = velocities.free[slot] + flight.change + falls / step.h;
            let gap =
                |moved: &Vec6, (k, gradient): &(usize, Vec6)| contacts[*k].distance + gradient.dot(moved);
            let closing = |contact: &(usize, Vec6)| {
                let rate = contact.1.dot(&path);
                (rate < 0.0).then(|| gap(&flight.moved, contact).max(0.0) / -rate)
            };
            let next = own.iter().filter_map(closing).fold(f64::INFINITY, f64::min);
            if !(flight.time + next < step.h) {
                ends = true;
                break;
            }
            flight.moved += path * next;
            flight.time += next;
            self.selected.clear();
            for contact in &own {
                let (k, gradient) = contact;
                let rounding = SAME_TIME * step.h * gradient.dot(&path).abs();
                if gap(&flight.moved, contact)
                    <= touching(geometry, &contacts[*k]) / contacts[*k].unit + rounding
                {
                    self.selected.push(*k);
                }
            }
            if !self.apply_law_at(step, velocities, contacts, slot, &mut flight)? {
                break;
            }
        }
        self.selected = selected;
        if !ends || self.impulses.len() == impulses {
            self.impulses.truncate(impulses);
            return Ok(false);
        }
        velocities.initial[slot] += flight.change;
        velocities.free_velocity(step, slot)?;
        self.offsets[slot] += flight.offset;
        self.flew[slot] = true;
        (0..2).for_each(|k| self.energy[k] += flight.energy[k]);
        Ok(true)
    }

    /// The impact law for the selected contacts at an instant of a flight. Whether there was an impact.
    fn apply_law_at(
        &mut self,
        step: &StepInput,
        velocities: &FreeVelocities,
        contacts: &[ContactConstraint],
        slot: usize,
        flight: &mut Flight,
    ) -> Result<bool, StepError> {
        let Some(geometry) = step.geometry else { return Ok(false) };
        let dofs = &velocities.dofs;
        let initial = &velocities.initial[slot];
        let acceleration = (velocities.free[slot] - initial) / step.h;
        let now = initial + flight.change + acceleration * flight.time;
        self.rows.assemble(geometry, dofs, contacts, &self.selected);
        let mut u = std::mem::take(&mut self.solver.u);
        self.rows.weigh(dofs, |_| now, &mut u);
        let constraints = &mut self.rows.constraints;
        let closing = constraints.list.iter().map(|contact| -constraints.rows.dot(contact.rows[0], &u));
        let closing = closing.fold(0.0, f64::max);
        self.solver.u = u;
        if !(closing > FLIGHT_STEPS * rebound_threshold(step)) {
            return Ok(false);
        }
        self.solver.rest_speed = 0.0;
        // Contacts of one body with fixed ones are one impact under each law.
        let law = if self.law == ImpactLaw::Sum { ImpactLaw::Moreau } else { self.law };
        self.solver.apply(law, constraints, None)?;
        flight.energy[0] += self.solver.restitution_energy;
        flight.energy[1] += self.solver.friction_energy;
        let change: Vec<f64> = self.solver.u.iter().zip(&self.solver.start).map(|(u, s)| u - s).collect();
        let change = self.rows.twist(dofs, 0, &change);
        flight.change += change;
        flight.offset -= change * flight.time;
        Ok(self.store_impulses(contacts))
    }
}
