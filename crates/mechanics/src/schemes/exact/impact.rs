//! Impact of a contact cluster: the jump of the momenta of its islands, and its record.

use super::cluster::{ClusterContact, ContactCluster};
use super::trajectories::StepTrajectories;
use super::{NEGLIGIBLE_CLOSING, SHORT_BOUNCE, SHORT_BOUNCE_ELASTIC, StepContext};
use crate::discrete::StepError;
use crate::model::Model;
use crate::response::closed_contact::stop_impact;
use crate::response::impulse::{
    CLOSING_SPEED_ROUNDING, ConstraintContext, ContactConstraint, ContactConstraints, ImpactSolver,
    MassMetric, energy,
};
use crate::response::{CollisionGroup, CollisionModel, ImpactLaw};
use crate::step_record::{Impact, ImpactKind, JumpSource, StepRecord};
use percussion_geometry::Vec3;

/// Outcome of an impact law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ImpactOutcome {
    /// Momenta have jumped.
    Applied,
    /// No contact closes faster than at rest.
    AtRest,
    /// The same, and slow closing velocities have been removed from the momenta.
    BroughtToRest,
}

/// Impact of one cluster, with its workspace.
#[derive(Debug)]
pub(super) struct ClusterImpact {
    group: CollisionGroup,
    metric: MassMetric,
    constraints: ContactConstraints,
    solver: ImpactSolver,
    /// Momenta after the impact.
    pub momenta: Vec<f64>,
    /// Jump of the momenta.
    pub jump: Vec<f64>,
}

impl ClusterImpact {
    /// An empty workspace.
    pub fn new() -> Self {
        Self {
            group: CollisionGroup::default(),
            metric: MassMetric::default(),
            constraints: ContactConstraints::default(),
            solver: ImpactSolver::new(),
            momenta: Vec::new(),
            jump: Vec::new(),
        }
    }

    /// Momenta after the impact of the cluster at its nodes. With `to_rest` impacts that dissipate energy have no restitution.
    pub fn apply_impact_law(
        &mut self,
        step: &StepContext,
        trajectories: &StepTrajectories,
        cluster: &ContactCluster,
        to_rest: bool,
    ) -> Result<ImpactOutcome, StepError> {
        self.group.begin(step.model, &trajectories.node, &cluster.islands)?;
        self.metric.factor(step.model, &mut self.group)?;
        self.group.momenta(step.model, &trajectories.node, &mut self.momenta);
        self.solver.u.clone_from(&self.momenta);
        self.metric.to_weighted(&mut self.solver.u);
        self.set_constraints(step, trajectories, cluster);
        let rest_speed = self.rest_speed(step, trajectories, cluster);
        let speed = (2.0 * energy(&self.solver.u)).sqrt();
        let (rows, u) = (&self.constraints.rows, &self.solver.u);
        let closes = |row: usize, rest_speed: f64| {
            let rounding = CLOSING_SPEED_ROUNDING * speed * rows.delassus(row, row).sqrt();
            rows.dot(row, u) < -rest_speed.max(rounding)
        };
        let close = |speed: f64| self.constraints.list.iter().any(|contact| closes(contact.rows[0], speed));
        let outcome = match (close(rest_speed), close(NEGLIGIBLE_CLOSING * rest_speed)) {
            (true, _) => ImpactOutcome::Applied,
            (false, true) => ImpactOutcome::BroughtToRest,
            (false, false) => return Ok(ImpactOutcome::AtRest),
        };
        self.solver.restitution = None;
        if outcome == ImpactOutcome::BroughtToRest || to_rest && self.is_dissipative(step) {
            self.solver.restitution = Some(0.0);
        }
        let closes = |row: usize| {
            let (rows, u) = (&self.constraints.rows, &self.solver.u);
            rows.dot(row, u)
                < -rest_speed.max(CLOSING_SPEED_ROUNDING * speed * rows.delassus(row, row).sqrt())
        };
        if outcome == ImpactOutcome::BroughtToRest {
            self.solver.apply(ImpactLaw::Moreau, &mut self.constraints, None)?;
        } else if step.collision_model == CollisionModel::Plastic {
            self.solver.apply_plastic(&mut self.constraints)?;
        } else {
            if step.options.law == ImpactLaw::Sum {
                // Contacts that open are not part of the sum: impulses do not pull.
                self.constraints.list.retain(|contact| closes(contact.rows[0]));
                self.constraints.pairs.clear();
                self.constraints.pairs.extend((0..self.constraints.list.len()).map(|k| k..k + 1));
            }
            self.solver.apply(step.options.law, &mut self.constraints, None)?;
        }
        let ImpactSolver { u, start, .. } = &self.solver;
        self.jump.clear();
        self.jump.extend(u.iter().zip(start).map(|(u, start)| u - start));
        self.metric.to_momenta(&mut self.jump);
        self.momenta.iter_mut().zip(&self.jump).for_each(|(p, change)| *p += change);
        Ok(outcome)
    }

    /// Builds the constraints of the contacts of a cluster, with the coefficients of the collision model.
    fn set_constraints(
        &mut self,
        step: &StepContext,
        trajectories: &StepTrajectories,
        ContactCluster { islands, contacts, .. }: &ContactCluster,
    ) {
        let (at, group, metric) = (&trajectories.node, &mut self.group, &self.metric);
        let mut context = ConstraintContext { model: step.model, contacts: step.contacts, at, group, metric };
        let constraints = &mut self.constraints;
        constraints.clear();
        constraints.add_stops(&mut context, islands, step.contact_gap.max(trajectories.struck_gap));
        for ClusterContact { pair, event, pair_contact } in contacts {
            let first = constraints.list.len();
            constraints.add(&mut context, *pair, event, pair_contact);
            let last = constraints.pairs.last_mut();
            match last.filter(|range| constraints.list[range.start].pair == *pair) {
                Some(range) => range.end = constraints.list.len(),
                None if constraints.list.len() > first => {
                    constraints.pairs.push(first..constraints.list.len());
                }
                None => {}
            }
        }
        for contact in constraints.list.iter_mut().filter(|contact| contact.stop.is_none()) {
            contact.friction = step.friction(contact.pair);
            if step.collision_model == CollisionModel::Elastic {
                contact.restitution = 1.0;
            }
        }
    }

    /// Closing speed below which the contacts of the cluster are at rest, m/s: they would bounce for a small part of the step.
    fn rest_speed(
        &self,
        step: &StepContext,
        trajectories: &StepTrajectories,
        cluster: &ContactCluster,
    ) -> f64 {
        let bodies = cluster.islands.iter().flat_map(|&index| step.model.islands[index].bodies.clone());
        let bounce = if self.is_dissipative(step) { SHORT_BOUNCE } else { SHORT_BOUNCE_ELASTIC };
        trajectories.max_acceleration(bodies) * step.h * bounce
    }

    /// Whether the impact dissipates energy.
    pub fn is_dissipative(&self, step: &StepContext) -> bool {
        let elastic = |contact: &ContactConstraint| contact.restitution == 1.0 && contact.friction == 0.0;
        step.collision_model == CollisionModel::Plastic || !self.constraints.list.iter().all(elastic)
    }

    /// Energy dissipated by the impact law, J.
    pub fn dissipated_energy(&self, step: &StepContext) -> f64 {
        if !self.is_dissipative(step) {
            return 0.0;
        }
        energy(&self.solver.start) - energy(&self.solver.u)
    }

    /// Sets the momenta of the nodes of the islands.
    pub fn set_momenta(&self, step: &StepContext, trajectories: &mut StepTrajectories) {
        self.group.set_momenta(step.model, &self.momenta, &mut trajectories.node);
    }

    /// Records impulses and energies, and, as events, one impact for each pair. Impulses are scaled as the jump was.
    pub fn record(
        &mut self,
        step: &StepContext,
        trajectories: &StepTrajectories,
        cluster: &ContactCluster,
        (time, as_events): (f64, bool),
        scale: f64,
        record: &mut StepRecord,
    ) {
        self.solver.record_outcome(record);
        let ImpactSolver { u, start, friction_energy, .. } = &mut self.solver;
        u.iter_mut().zip(start.iter()).for_each(|(u, start)| *u = start + scale * (*u - start));
        let (before, after, friction) = (energy(start), energy(u), *friction_energy * scale);
        for range in &self.constraints.pairs {
            let mut pair_impact: Option<Impact> = None;
            for contact in &self.constraints.list[range.clone()] {
                if contact.stop.is_some() {
                    continue;
                }
                let normal = contact.normal * (contact.normal_impulse * scale);
                let tangential = contact.friction_impulse * scale;
                let parts = [contact.pair.0, contact.pair.1].map(|part| &step.contacts.parts[part]);
                for (part, sign) in parts.into_iter().zip([1.0, -1.0]) {
                    let Some(slot) = part.slot else { continue };
                    record.impulse(JumpSource::Contact, slot, &contact.point, &(normal * sign));
                    if tangential != Vec3::zeros() {
                        record.impulse(JumpSource::Friction, slot, &contact.point, &(tangential * sign));
                    }
                }
                if contact.normal_impulse == 0.0 && tangential == Vec3::zeros() {
                    continue;
                }
                let velocity_after = self.constraints.rows.dot(contact.rows[0], &self.solver.u);
                let impact = Impact {
                    time,
                    bodies: (parts[0].body, parts[1].body),
                    point: contact.point,
                    normal: contact.normal,
                    impulse: normal + tangential,
                    energy: (before, after),
                    speed: (contact.normal_velocity_before, velocity_after),
                    kind: ImpactKind::Impact,
                };
                match &mut pair_impact {
                    Some(known) => known.join(&impact),
                    None => pair_impact = Some(impact),
                }
            }
            record.impacts.extend(pair_impact.filter(|_| as_events));
        }
        let stops = self.record_stops(step.model, trajectories, (time, as_events), scale, record);
        if let (true, Some(&index)) = (self.is_dissipative(step), cluster.islands.first()) {
            let slot = step.model.islands[index].bodies.start;
            record.energy(JumpSource::Contact, slot, after - before - friction - stops);
            if friction != 0.0 {
                record.energy(JumpSource::Friction, slot, friction);
            }
        }
    }

    /// Records the stops of the cluster: their energies, the sum of which is returned, J, and as events their impacts.
    fn record_stops(
        &self,
        model: &Model,
        trajectories: &StepTrajectories,
        (time, as_events): (f64, bool),
        scale: f64,
        record: &mut StepRecord,
    ) -> f64 {
        let mut sum = 0.0;
        for contact in self.constraints.list.iter().filter(|contact| contact.normal_impulse != 0.0) {
            let Some(stop) = &contact.stop else { continue };
            let impulse = contact.normal_impulse * scale;
            let after = self.constraints.rows.dot(contact.rows[0], &self.solver.u);
            let energy = 0.5 * impulse * (contact.normal_velocity_before + after);
            record.energy(JumpSource::Stop, stop.slot, energy);
            sum += energy;
            if as_events {
                let joint = (model.links[stop.slot].parent, stop.slot, &model.links[stop.slot].joint);
                let length = stop.scale.abs();
                let speed = (contact.normal_velocity_before / length, after / length);
                let at = (time, impulse * stop.scale);
                let impact =
                    stop_impact(model, &trajectories.node, joint, stop.coordinate, at, speed, energy);
                record.impacts.push(impact);
            }
        }
        sum
    }

    /// Records that the number of impacts was exceeded and the decomposition response takes over.
    pub fn record_fallback(
        &self,
        step: &StepContext,
        cluster: &ContactCluster,
        time: f64,
        record: &mut StepRecord,
    ) {
        record.fallbacks += 1;
        let Some(ClusterContact { pair, event, .. }) = cluster.contacts.first() else { return };
        let speed = self.constraints.list.first().map_or(0.0, |contact| contact.normal_velocity_before);
        record.impacts.push(Impact {
            time,
            bodies: (step.contacts.parts[pair.0].body, step.contacts.parts[pair.1].body),
            point: event.point(),
            normal: event.normal(),
            impulse: Vec3::zeros(),
            energy: (0.0, 0.0),
            speed: (speed, speed),
            kind: ImpactKind::Fallback,
        });
    }
}
