//! The record of a step: momentum jumps for the ledger, impacts, solver statistics and constraint violation.

use super::StepInput;
use super::apply_impacts::{ImpactImpulse, ImpactPhase, flight_offset};
use super::contact_constraint::ContactConstraint;
use super::energy::kinetic_energy;
use super::free_velocities::FreeVelocities;
use super::restitution::rebound_threshold;
use super::solve_impulses::StepSolution;
use super::update_configuration::place_body;
use crate::contact::ContactGeometry;
use crate::discrete::potential;
use crate::force::{BodyKinematics, ForceError};
use crate::model::State;
use crate::spatial::{Vec6, angular, linear, twist};
use crate::step_record::{Impact, ImpactKind, JumpSource, MomentumJump, StepRecord};
use percussion_geometry::Vec3;
use std::ops::Range;

/// Results of a step.
pub(super) struct StepOutput<'a> {
    pub velocities: &'a FreeVelocities,
    pub contacts: &'a [ContactConstraint],
    pub impacts: &'a ImpactPhase,
    pub solution: &'a StepSolution,
    pub next: &'a State,
    /// Largest violation of a constraint at the beginning of the step.
    pub infeasibility: f64,
}

/// The record, with workspace.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// The record of the last step.
    pub step: StepRecord,
    /// Wrenches of normal impulses and of friction, by slot.
    wrenches: Vec<[Vec6; 2]>,
    placements: Vec<BodyKinematics>,
}

impl Recorder {
    /// Records a step.
    pub fn record(&mut self, step: &StepInput, output: &StepOutput) {
        self.step.solve = Some(output.solution.stats);
        self.step.infeasibility = Some(output.infeasibility);
        let Some(geometry) = step.geometry else { return };
        self.record_impacts(step, geometry, output);
        self.record_jumps(step, geometry, output);
        let mut from = 0;
        while from < output.contacts.len() {
            let pair = output.contacts[from].pair;
            let count = output.contacts[from..].iter().take_while(|contact| contact.pair == pair).count();
            self.step.impacts.extend(impact(step, geometry, output, from..from + count));
            from += count;
        }
    }

    /// Records the impacts before the velocity problem.
    fn record_impacts(&mut self, step: &StepInput, geometry: &ContactGeometry, output: &StepOutput) {
        let impacts = output.impacts;
        for ImpactImpulse { contact, normal, friction, .. } in &impacts.impulses {
            for (side, slot) in contact.slots(geometry).into_iter().enumerate() {
                let Some(slot) = slot else { continue };
                let along = if side == 0 { *friction } else { -friction };
                let tangential = twist(&along, &contact.arms[side].cross(&along));
                let center = &step.state.positions[slot];
                let normal = contact.gradient[side] * *normal;
                self.step.jumps.push(jump(JumpSource::Contact, slot, center, &normal));
                self.step.jumps.push(jump(JumpSource::Friction, slot, center, &tangential));
            }
        }
        if !impacts.impulses.is_empty() {
            let [normal, friction] = impacts.energy;
            self.step.energy(JumpSource::Contact, 0, normal);
            self.step.energy(JumpSource::Friction, 0, friction);
        }
        let mut list: Vec<&ImpactImpulse> = impacts.impulses.iter().collect();
        list.sort_by_key(|impact| impact.contact.pair);
        for pair in list.chunk_by(|a, b| a.contact.pair == b.contact.pair) {
            self.step.impacts.extend(applied_impact(step, geometry, output, pair));
        }
    }

    /// Records the angular momentum about the origin that impacts within the step have because of where they take place: with
    /// the displacement `d` of the step, `d × (m v - h F/2)` beyond that of forces in the middle of the path.
    pub fn record_offsets(
        &mut self,
        step: &StepInput,
        (velocities, solution): (&FreeVelocities, &StepSolution),
        (offsets, without): (&[Vec6], &mut State),
        next: &State,
    ) {
        let flight = flight_offset(step);
        let by_impacts = |offset: &Vec6| *offset != Vec6::zeros() && *offset != flight;
        for (slot, _) in offsets.iter().enumerate().filter(|(_, offset)| by_impacts(offset)) {
            let (link, twist) = (&step.model.links[slot], &solution.twists[slot]);
            place_body(step, slot, &solution.path_twists()[slot], step.h, without);
            let displacement = next.positions[slot] - step.state.positions[slot];
            let own = link.inertia.component_mul(&step.state.rotations[slot].tr_mul(&angular(twist)));
            let turned = (next.rotations[slot] - without.rotations[slot]) * own;
            let momentum = linear(twist) * link.mass - linear(&velocities.wrenches[slot]) * (0.5 * step.h);
            let angular = displacement.cross(&momentum) + turned;
            let (source, linear) = (JumpSource::Contact, Vec3::zeros());
            self.step.jumps.push(MomentumJump { source, slot, linear, angular, energy: 0.0 });
        }
    }

    /// Records what a projection from a trial configuration changed: angular momentum about the origin and potential energy, which is
    /// returned.
    pub fn record_projection(
        &mut self,
        step: &StepInput,
        solution: &StepSolution,
        moved: &[bool],
        (trial, next): (&State, &State),
    ) -> Result<f64, ForceError> {
        let StepInput { model, state, .. } = *step;
        for (slot, link) in model.links.iter().enumerate().filter(|(slot, _)| moved[*slot]) {
            let twist = &solution.twists[slot];
            let shift = next.positions[slot] - trial.positions[slot];
            let own = state.rotations[slot].tr_mul(&angular(twist));
            let turned = (next.rotations[slot] - trial.rotations[slot]) * link.inertia.component_mul(&own);
            self.step.jumps.push(MomentumJump {
                source: JumpSource::Projection,
                slot,
                linear: Vec3::zeros(),
                angular: shift.cross(&(linear(twist) * link.mass)) + turned,
                energy: 0.0,
            });
        }
        let before = potential(model, trial, &mut self.placements)?;
        let energy = potential(model, next, &mut self.placements)? - before;
        self.step.energy(JumpSource::Projection, 0, energy);
        Ok(energy)
    }

    /// Impulses, and the energy that they brought: `K(v) - K(v₀) = (h F + J)·(v + v₀)/2`.
    fn record_jumps(&mut self, step: &StepInput, geometry: &ContactGeometry, output: &StepOutput) {
        let StepInput { model, state, .. } = *step;
        let StepOutput { velocities, contacts, solution, next, .. } = *output;
        self.wrenches.clear();
        self.wrenches.resize(model.moving(), [Vec6::zeros(); 2]);
        for (k, contact) in contacts.iter().enumerate() {
            let (c, friction) = (solution.normal[k], &solution.friction[k]);
            if c == 0.0 && *friction == Vec3::zeros() {
                continue;
            }
            for (side, slot) in contact.slots(geometry).into_iter().enumerate() {
                let Some(slot) = slot else { continue };
                let along = if side == 0 { *friction } else { -friction };
                let moment = contact.arms[side].cross(&along);
                let [normal, tangential] = &mut self.wrenches[slot];
                *normal += contact.gradient[side] * c;
                *tangential += twist(&along, &moment);
            }
        }
        let (mut normal, mut friction) = (0.0, 0.0);
        for (slot, [n, t]) in self.wrenches.iter().enumerate() {
            if *n == Vec6::zeros() && *t == Vec6::zeros() {
                continue;
            }
            // Velocities of the end in the axes of the beginning, in which impulses act.
            let end = &solution.twists[slot];
            let turned = state.rotations[slot] * next.rotations[slot].tr_mul(&angular(end));
            let end = twist(&linear(end), &turned);
            let mean = (velocities.initial[slot] + end) * 0.5;
            normal += n.dot(&mean);
            friction += t.dot(&mean);
            for (source, wrench) in [(JumpSource::Contact, n), (JumpSource::Friction, t)] {
                self.step.jumps.push(jump(source, slot, &state.positions[slot], wrench));
            }
        }
        if model.moving() > 0 {
            self.step.energy(JumpSource::Contact, 0, normal);
            self.step.energy(JumpSource::Friction, 0, friction);
        }
    }
}

/// The contacts of a pair as one impact, if one of them closed faster than contacts at rest do.
fn impact(
    step: &StepInput,
    geometry: &ContactGeometry,
    output: &StepOutput,
    range: Range<usize>,
) -> Option<Impact> {
    let StepOutput { velocities, contacts, solution, .. } = *output;
    let mut fastest: Option<(f64, usize)> = None;
    for k in range.clone().filter(|k| solution.normal[*k] != 0.0) {
        let speed = contacts[k].distance_rate(geometry, &velocities.initial) * contacts[k].unit;
        if fastest.is_none_or(|(least, _)| speed < least) {
            fastest = Some((speed, k));
        }
    }
    let (speed, fastest) = fastest.filter(|(speed, _)| -speed > rebound_threshold(step))?;
    let impulses = range.map(|k| (&contacts[k], solution.normal[k], solution.friction[k]));
    let twists = (&velocities.initial[..], &solution.twists[..]);
    Some(pair_impact(step, geometry, impulses, (&contacts[fastest], speed), twists))
}

/// The impulses of a pair before the velocity problem as one impact.
fn applied_impact(
    step: &StepInput,
    geometry: &ContactGeometry,
    output: &StepOutput,
    pair: &[&ImpactImpulse],
) -> Option<Impact> {
    let fastest = pair.iter().min_by(|a, b| a.speed.total_cmp(&b.speed))?;
    let impulses = pair.iter().map(|impact| (&impact.contact, impact.normal, impact.friction));
    let twists = (&output.impacts.start[..], &output.velocities.initial[..]);
    Some(pair_impact(step, geometry, impulses, (&fastest.contact, fastest.speed), twists))
}

/// Impulses of contacts of a pair as one impact, with the fastest contact and its normal velocity before; twists before and after.
fn pair_impact<'a>(
    step: &StepInput,
    geometry: &ContactGeometry,
    impulses: impl Iterator<Item = (&'a ContactConstraint, f64, Vec3)>,
    (fastest, speed): (&ContactConstraint, f64),
    (before, after): (&[Vec6], &[Vec6]),
) -> Impact {
    let (mut impulse, mut weight, mut point) = (Vec3::zeros(), 0.0, Vec3::zeros());
    for (contact, normal, friction) in impulses {
        let normal = contact.normal_impulse(geometry, normal);
        impulse += normal + friction;
        let size = normal.norm();
        weight += size;
        point += contact.point * size;
    }
    let energy = |twists: &[Vec6]| -> f64 {
        let kinetic =
            |slot: usize| kinetic_energy(&step.model.links[slot], &step.state.rotations[slot], &twists[slot]);
        fastest.slots(geometry).into_iter().flatten().map(kinetic).sum()
    };
    Impact {
        time: step.state.time + step.h,
        bodies: (geometry.parts[fastest.pair.0].body, geometry.parts[fastest.pair.1].body),
        point: if weight > 0.0 { point / weight } else { fastest.point },
        normal: fastest.normal,
        impulse,
        energy: (energy(before), energy(after)),
        speed: (speed, fastest.distance_rate(geometry, after) * fastest.unit),
        kind: ImpactKind::Stepped,
    }
}

/// An impulse on a body as a jump of its momenta about the origin.
fn jump(source: JumpSource, slot: usize, center: &Vec3, wrench: &Vec6) -> MomentumJump {
    let force = linear(wrench);
    MomentumJump { source, slot, linear: force, angular: center.cross(&force) + angular(wrench), energy: 0.0 }
}
