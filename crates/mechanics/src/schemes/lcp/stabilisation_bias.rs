//! Right-hand sides of the contact constraints: `γ Φ_m/h` [Hart 4.17], less for penetrations that would bring energy, and the
//! rebound velocity of Newton's restitution.

use super::StepInput;
use super::apply_impacts::ImpactPhase;
use super::contact_constraint::ContactConstraint;
use super::free_velocities::FreeVelocities;
use super::options::{GapRule, LcpOptions, RestitutionLaw, Stabilisation};
use crate::tolerances::lcp::stabilisation_bias::SUBSTEP_PENETRATION;
use percussion_solve::lcp::friction::SubstepContact;

/// The bias of every contact, in units of the metric per second: the constraint is `bias + nᵀ v >= 0`.
#[derive(Debug, Default)]
pub(super) struct StabilisationBias {
    /// By contact.
    pub values: Vec<f64>,
    /// What substeps need of each contact.
    pub substeps: Vec<SubstepContact>,
}

impl StabilisationBias {
    /// Computes the bias of all contacts; penetrations are stabilised by `factor` times γ.
    pub fn stabilisation_bias(
        &mut self,
        step: &StepInput,
        velocities: &FreeVelocities,
        impacts: &ImpactPhase,
        contacts: &[ContactConstraint],
        rebounds: &[bool],
        factor: f64,
    ) {
        let LcpOptions { gamma, restitution, gaps, keep_energy, stabilisation, .. } = *step.options;
        let gravity = step.model.gravity.norm();
        self.values.clear();
        self.substeps.clear();
        if step.options.in_substeps() {
            return self.substep_bias(step, velocities, impacts, (contacts, rebounds));
        }
        for (k, contact) in contacts.iter().enumerate() {
            let gain = match (contact.distance < 0.0, gaps) {
                // Its position is projected after the step.
                (true, _) if stabilisation == Stabilisation::Projection => 0.0,
                (true, _) => factor * gamma,
                (false, GapRule::Full) => 1.0,
                (false, GapRule::Gamma) => gamma,
            };
            let mut bias = gain * open_distance(step, impacts, contact) / step.h;
            // Without the energy limit stabilisation is bounded by a velocity.
            if !keep_energy && bias < 0.0 {
                bias = bias.max(-rise_speed(gravity, -contact.distance * contact.unit) / contact.unit);
            }
            // Contacts rebound where they are: the remaining gap must not reduce the rebound.
            if rebounds[k] {
                let bound = match restitution {
                    RestitutionLaw::Newton => {
                        // Approach speed before the step, from the row of the constraint itself.
                        let initial = step
                            .geometry
                            .map_or(0.0, |geometry| contact.distance_rate(geometry, &velocities.initial));
                        contact.surface.restitution * initial
                    }
                    RestitutionLaw::Poisson => 0.0,
                };
                bias = bias.min(bound);
            }
            // The unknowns are velocities of bodies moved by forces.
            self.values.push(bias + contact.driven_rate);
        }
    }

    /// The whole gaps; a penetration opens no faster than a body rises by its depth against gravity.
    fn substep_bias(
        &mut self,
        step: &StepInput,
        velocities: &FreeVelocities,
        impacts: &ImpactPhase,
        (contacts, rebounds): (&[ContactConstraint], &[bool]),
    ) {
        let gravity = step.model.gravity.norm();
        let Some(geometry) = step.geometry else { return };
        let radius = |contact: &ContactConstraint| {
            let (a, b) = contact.pair;
            geometry.parts[a].radius.min(geometry.parts[b].radius)
        };
        for (contact, rebounds) in contacts.iter().zip(rebounds) {
            self.values.push(open_distance(step, impacts, contact) / step.h + contact.driven_rate);
            let approach = match rebounds {
                true => -contact.distance_rate(geometry, &velocities.initial),
                false => 0.0,
            };
            self.substeps.push(SubstepContact {
                driven_rate: contact.driven_rate,
                max_push: rise_speed(gravity, (-contact.distance * contact.unit).max(0.0)) / contact.unit,
                allowed: SUBSTEP_PENETRATION * radius(contact) / (contact.unit * step.h),
                rebound: contact.surface.restitution * approach,
            });
        }
    }
}

/// Distance of a contact for the velocities at the end of the step; impacts within the step do not make an open gap a penetration.
fn open_distance(step: &StepInput, impacts: &ImpactPhase, contact: &ContactConstraint) -> f64 {
    let shifted =
        step.geometry.map_or(contact.distance, |geometry| impacts.shifted_distance(geometry, contact));
    shifted.max(contact.distance.min(0.0))
}

/// Speed with which a body rises by a height against gravity, `√(2 g d)`, m/s; unbounded without gravity.
fn rise_speed(gravity: f64, height: f64) -> f64 {
    if gravity > 0.0 { (2.0 * gravity * height).sqrt() } else { f64::INFINITY }
}
