//! Response to penetration: a configuration without penetration, and the momenta there.
//!
//! ```text
//! CollisionGroups::find    islands that penetrate, with a buffer                                      collision_groups.rs
//! project_groups           q  ← nearest configuration to q̃ without penetration, group by group;      projection.rs
//!                          repeated with pairs that this made penetrate
//! update_momenta           p  ← momenta lifted from q̃ to q                                            lift.rs
//!                          p  ← p + Σ λ_i ∇s_i + friction            active_contacts.rs, schemes/impulse/
//! balance_potential_energy impulses of the approach at the place of contact, if energy is kept
//! record_impulses          impulses and impacts
//! ```
//!
//! The step record receives the trial configuration `q̃` of every island of a group as a node, jumps of momentum and energy by the
//! projection, impulses with their points, energies of restitution and friction, and one impact per pair.
//!
//! Energy: the approach pays for the potential energy `V(q) - V(q̃)` of the projection, as it would have been slower by that at the
//! instant of contact; energy after the response is that of `q̃` less what restitution and friction dissipate. If the approach has not
//! enough energy, it is stopped, and the remainder is recorded as the projection's. The published response leaves all of it there.

use super::MAX_PROJECTION_ROUNDS;
use super::active_contacts::{ActiveSetContext, EventQuery};
use super::collision_groups::{CollisionGroups, NearPair};
use super::lift::MomentumLift;
use super::potential::PotentialEnergy;
use super::projection::{ClosestPointProjection, ProjectionProblem};
use crate::contact::ContactGeometry;
use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::model::Model;
use crate::model::State;
use crate::response::impulse::{
    ConstraintContext, ContactConstraint, ContactConstraints, ImpactSolver, MassMetric, energy,
};
use crate::response::{CollisionGroup, ContactOptions, FrictionLaw, ImpactLaw};
use crate::step_record::{Impact, ImpactKind, JumpSource, StepRecord};
use percussion_geometry::Vec3;

/// Decomposition response to penetrations of a trial configuration, with its workspace.
#[derive(Debug)]
pub struct DecompositionResponse {
    options: ContactOptions,
    groups: CollisionGroups,
    /// The projected configuration.
    at: State,
    projection: ClosestPointProjection,
    potential: PotentialEnergy,
    lift: MomentumLift,
    impact: ImpactSolver,
    group: CollisionGroup,
    metric: MassMetric,
    query: EventQuery,
    constraints: ContactConstraints,
    /// One constraint per pair, for the friction ratio.
    ratio_constraints: ContactConstraints,
    /// Islands and pairs of the selected group.
    islands: Vec<usize>,
    pairs: Vec<NearPair>,
    /// Groups to respond to, by lowest island.
    roots: Vec<usize>,
    /// Whether a group has to be projected (again), by lowest island.
    outdated: Vec<bool>,
    momenta: Vec<f64>,
    /// Closing speeds at rest, by slot, m/s; empty if there is no rest.
    rest_speeds: Vec<f64>,
    stats: SolverStats,
}

/// Input of a response.
struct ResponseContext<'a> {
    model: &'a Model,
    contacts: &'a ContactGeometry,
    /// State with penetration.
    trial: &'a State,
    /// Length of the step, s.
    h: f64,
    /// Time of the response since the beginning of the step, s.
    since: f64,
}

impl DecompositionResponse {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State, options: &ContactOptions) -> Self {
        Self {
            options: *options,
            groups: CollisionGroups::new(model),
            at: state.clone(),
            projection: ClosestPointProjection::default(),
            potential: PotentialEnergy::default(),
            lift: MomentumLift::default(),
            impact: ImpactSolver::new(),
            group: CollisionGroup::default(),
            metric: MassMetric::default(),
            query: EventQuery::default(),
            constraints: ContactConstraints::default(),
            ratio_constraints: ContactConstraints::default(),
            islands: Vec::new(),
            pairs: Vec::new(),
            roots: Vec::new(),
            outdated: vec![false; model.islands.len()],
            momenta: Vec::new(),
            rest_speeds: Vec::new(),
            stats: SolverStats::default(),
        }
    }

    /// Statistics of the last response: most iterations of a projection, and the greatest relative residual of friction impulses.
    pub fn stats(&self) -> SolverStats {
        self.stats
    }

    /// Contacts that close more slowly than the largest of these speeds (by slot, m/s) of their group are at rest: restitution does not
    /// act, and no impact is recorded. For elastic contacts it is this part of that speed.
    pub fn set_rest_speeds(&mut self, speeds: impl Iterator<Item = f64>, elastic: f64) {
        self.rest_speeds.clear();
        self.rest_speeds.extend(speeds);
        self.impact.elastic_rest = elastic;
    }

    /// Pairs in persistent contact: penetrations up to `gap` are left to them, m.
    pub fn set_closed_pairs(&mut self, pairs: impl Iterator<Item = (usize, usize)>, gap: f64) {
        self.groups.closed.set(pairs, gap);
    }

    /// Uses one coefficient of restitution instead of those of the surfaces.
    pub fn with_restitution(mut self, restitution: f64) -> Self {
        self.impact.restitution = Some(restitution);
        self
    }

    /// Ignores the friction of the surfaces.
    pub fn without_friction(mut self) -> Self {
        self.impact.max_friction = 0.0;
        self
    }

    /// Responds to penetrations of the trial configuration at the end of a step `h`; `trial` becomes the result. Nodes are recorded
    /// at the time `since` the beginning of the step. Only groups with an island marked in `only` are treated. On failure
    /// `trial` is unchanged.
    pub fn respond(
        &mut self,
        model: &Model,
        trial: &mut State,
        h: f64,
        since: f64,
        only: Option<&[bool]>,
        record: &mut StepRecord,
    ) -> Result<(), StepFailure> {
        self.stats = SolverStats::default();
        let Some(contacts) = model.contacts.as_deref() else { return Ok(()) };
        let (step, time) = (trial.steps.saturating_sub(1), trial.time - h);
        match self.groups.find(model, contacts, trial) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(error) => {
                let body = model.bodies[0].name.clone();
                return Err(StepFailure { step, time, body, error, history: Vec::new() });
            }
        }
        self.at.clone_from(trial);
        let response = ResponseContext { model, contacts, trial, h, since };
        self.project_groups(&response, only)
            .and_then(|()| self.update_momenta(&response, record))
            .map_err(|error| self.failure(model, contacts, (step, time), error))?;
        record.overlap = record.overlap.max(self.groups.remaining);
        std::mem::swap(trial, &mut self.at);
        Ok(())
    }

    /// Projects a state to the nearest configuration without penetration and lifts its momenta; no impulses. Returns the largest
    /// displacement of a centre of mass, m. On failure `state` is unchanged.
    pub fn remove_penetration(&mut self, model: &Model, state: &mut State) -> Result<f64, StepFailure> {
        let Some(contacts) = model.contacts.as_deref() else { return Ok(0.0) };
        let result = match self.groups.find(model, contacts, state) {
            Ok(false) => return Ok(0.0),
            Ok(true) => {
                self.at.clone_from(state);
                let response = ResponseContext { model, contacts, trial: state, h: 0.0, since: 0.0 };
                self.project_groups(&response, None).and_then(|()| self.lift_momenta(model, state))
            }
            Err(error) => Err(error),
        };
        result.map_err(|error| self.failure(model, contacts, (state.steps, state.time), error))?;
        let displacements =
            state.positions.iter().zip(&self.at.positions).map(|(from, to)| (to - from).norm());
        let largest = displacements.fold(0.0, f64::max);
        std::mem::swap(state, &mut self.at);
        Ok(largest)
    }

    /// The failure of a step of the selected group.
    fn failure(
        &self,
        model: &Model,
        contacts: &ContactGeometry,
        (step, time): (u64, f64),
        error: StepError,
    ) -> StepFailure {
        let body = self.pairs.first().map_or(0, |near| contacts.parts[near.pair.0].body);
        let body = model.bodies[body].name.clone();
        StepFailure { step, time, body, error, history: self.projection.history.clone() }
    }

    /// Lifts the momenta of all groups that were projected.
    fn lift_momenta(&mut self, model: &Model, trial: &State) -> Result<(), StepError> {
        let mut discarded = StepRecord::default();
        for k in 0..self.roots.len() {
            self.select_group(model, self.roots[k]);
            self.group.begin(model, &self.at, &self.islands)?;
            let (states, momenta) = ((trial, &self.at), &mut self.momenta);
            self.lift.lift(model, &self.islands, states, &mut self.group, momenta, &mut discarded)?;
            self.group.set_momenta(model, &self.momenta, &mut self.at);
        }
        Ok(())
    }

    /// Projects all groups, repeatedly while that makes other pairs penetrate.
    fn project_groups(&mut self, response: &ResponseContext, only: Option<&[bool]>) -> Result<(), StepError> {
        let ResponseContext { model, contacts, trial, h, .. } = *response;
        self.outdated.fill(true);
        for _ in 0..MAX_PROJECTION_ROUNDS {
            self.list_groups(model, only);
            for k in 0..self.roots.len() {
                let root = self.roots[k];
                if !std::mem::replace(&mut self.outdated[root], false) {
                    continue;
                }
                self.select_group(model, root);
                self.islands.iter().for_each(|&i| self.at.copy_configuration(trial, &model.islands[i]));
                let problem = ProjectionProblem {
                    model,
                    contacts,
                    islands: &self.islands,
                    trial,
                    depth: self.groups.depth(root),
                    weight: self.options.potential_in_projection.then_some(h * h),
                };
                self.projection.project(&problem, &mut self.pairs, &mut self.at)?;
                self.stats.iterations = self.stats.iterations.max(self.projection.history.len());
            }
            let states = (trial, &self.at);
            if !self.groups.add_new_penetrations(contacts, states, &self.roots, &mut self.outdated)? {
                return Ok(());
            }
        }
        self.list_groups(model, only);
        Ok(())
    }

    /// Lists the groups with a marked island.
    fn list_groups(&mut self, model: &Model, only: Option<&[bool]>) {
        let marked = |island: &usize| only.is_none_or(|only| only[*island]);
        self.roots.clear();
        for island in (0..model.islands.len()).filter(marked) {
            self.roots.extend(self.groups.group_of(island));
        }
        self.roots.sort_unstable();
        self.roots.dedup();
    }

    /// Lists the islands and pairs of a group.
    fn select_group(&mut self, model: &Model, root: usize) {
        let groups = &self.groups;
        self.islands.clear();
        self.islands.extend((0..model.islands.len()).filter(|&i| groups.group_of(i) == Some(root)));
        self.pairs.clear();
        let own = |near: &&NearPair| groups.is_in_group(near) && groups.group_of(near.island()) == Some(root);
        self.pairs.extend(groups.pairs.iter().filter(own));
    }

    /// Lifts and updates the momenta of all groups that were projected.
    fn update_momenta(
        &mut self,
        response: &ResponseContext,
        record: &mut StepRecord,
    ) -> Result<(), StepError> {
        let ResponseContext { model, contacts, trial, h, since } = *response;
        for k in 0..self.roots.len() {
            self.select_group(model, self.roots[k]);
            for &index in &self.islands {
                record.node(index, &model.islands[index], trial, since);
            }
            let slot = model.islands[self.islands[0]].bodies.start;
            self.group.begin(model, &self.at, &self.islands)?;
            self.metric.factor(model, &mut self.group)?;
            let (states, momenta) = ((trial, &self.at), &mut self.momenta);
            let kinetic = self.lift.lift(model, &self.islands, states, &mut self.group, momenta, record)?;
            let rise = self.potential.energy(model, &self.islands, &self.at)?
                - self.potential.energy(model, &self.islands, trial)?;
            let slots = self.islands.iter().flat_map(|&index| model.islands[index].bodies.clone());
            let rest_speeds = slots.filter_map(|slot| self.rest_speeds.get(slot));
            self.impact.rest_speed = rest_speeds.copied().fold(0.0, f64::max);
            self.apply_impact_law(response, self.groups.depth(self.roots[k]))?;
            self.impact.record_outcome(record);
            let lifted = energy(&self.impact.start) - kinetic;
            let mut projected = rise + lifted;
            if self.options.is_energy_consistent() {
                projected += self.balance_potential_energy(rise);
            }
            record.energy(JumpSource::Projection, slot, projected);
            record.energy(JumpSource::Contact, slot, self.impact.restitution_energy);
            record.energy(JumpSource::Friction, slot, self.impact.friction_energy);
            self.record_impulses(contacts, trial.time - h + since, record);
            // p + L (u - u₀): momenta of bodies without impulse stay bitwise identical.
            let ImpactSolver { u, start, .. } = &mut self.impact;
            u.iter_mut().zip(start.iter()).for_each(|(u, start)| *u -= start);
            self.metric.to_momenta(u);
            self.momenta.iter_mut().zip(u.iter()).for_each(|(p, change)| *p += change);
            self.group.set_momenta(model, &self.momenta, &mut self.at);
        }
        Ok(())
    }

    /// Collects the active contacts of the selected group and applies the impact law to its lifted momenta.
    fn apply_impact_law(&mut self, response: &ResponseContext, depth: f64) -> Result<(), StepError> {
        let ResponseContext { model, contacts, trial, .. } = *response;
        self.impact.u.clone_from(&self.momenta);
        self.metric.to_weighted(&mut self.impact.u);
        let constraints =
            ConstraintContext { model, contacts, at: &self.at, group: &mut self.group, metric: &self.metric };
        let mut context = ActiveSetContext { constraints, trial, depth };
        match self.options.law {
            ImpactLaw::Sum => self.constraints.set_active_pairs(&mut context, &mut self.pairs)?,
            _ => self.constraints.set_active_events(&mut context, &mut self.pairs, &mut self.query)?,
        }
        self.ratio_constraints.clear();
        let mut ratio = None;
        if self.options.friction == FrictionLaw::Ratio {
            self.ratio_constraints.set_active_pairs(&mut context, &mut self.pairs)?;
            ratio = Some(&mut self.ratio_constraints);
        }
        self.impact.apply(self.options.law, &mut self.constraints, ratio)
    }

    /// Lets the approach do the work of the projection: the momenta before the impact are moved along the impulses until kinetic energy
    /// has changed by as much as the potential energy rises, or the approach is stopped. The impact is that of this slower approach.
    /// Returns the change of energy, J.
    fn balance_potential_energy(&mut self, rise: f64) -> f64 {
        let ImpactSolver { u, start, restitution_energy, friction_energy, .. } = &mut self.impact;
        let (mut square, mut along) = (0.0, 0.0);
        for (u, start) in u.iter().zip(start.iter()) {
            square += (u - start) * (u - start);
            along += start * (u - start);
        }
        if !(square > 0.0 && along < 0.0) {
            return 0.0;
        }
        // K(σ) = K + σ along + σ²/2 square = K - rise. The impact of a body at the place of contact would have the impulses
        // 1 - σ(1+e) of these, with 1 + e = -square/along.
        let inside = along * along - 2.0 * square * rise;
        let slowed = (-along - inside.max(0.0).sqrt()) / square;
        let change = slowed * (along + 0.5 * slowed * square);
        let factor = 1.0 - slowed * (-square / along - 1.0);
        let before = energy(u);
        u.iter_mut().zip(start.iter()).for_each(|(u, start)| *u = start + factor * (*u - start));
        for contact in self.constraints.list.iter_mut().chain(&mut self.ratio_constraints.list) {
            contact.normal_impulse *= factor;
            contact.friction_impulse *= factor;
        }
        // What the impact dissipates, in the proportion of restitution and friction.
        let dissipated = energy(u) - energy(start) - change;
        let unscaled = before - energy(start);
        let by_friction =
            if *friction_energy < 0.0 { dissipated * (*friction_energy / unscaled).min(1.0) } else { 0.0 };
        (*restitution_energy, *friction_energy) = (dissipated - by_friction, by_friction);
        change
    }

    /// Records the impulses, and one impact for each pair that is not at rest.
    fn record_impulses(&self, contacts: &ContactGeometry, time: f64, record: &mut StepRecord) {
        let energies = (energy(&self.impact.start), energy(&self.impact.u));
        for range in &self.constraints.pairs {
            let list = &self.constraints.list[range.clone()];
            let (mut impulse, mut weight, mut point) = (Vec3::zeros(), 0.0, Vec3::zeros());
            let mut strongest = &list[0];
            for contact in list {
                let normal = contact.normal * contact.normal_impulse;
                record_impulse(contacts, contact, JumpSource::Contact, &normal, record);
                record_impulse(contacts, contact, JumpSource::Friction, &contact.friction_impulse, record);
                impulse += normal + contact.friction_impulse;
                weight += contact.normal_impulse;
                point += contact.point * contact.normal_impulse;
                if contact.normal_impulse > strongest.normal_impulse {
                    strongest = contact;
                }
            }
            for contact in self.ratio_constraints.list.iter().filter(|contact| contact.pair == strongest.pair)
            {
                record_impulse(contacts, contact, JumpSource::Friction, &contact.friction_impulse, record);
                impulse += contact.friction_impulse;
            }
            let closing = list.iter().map(|contact| -contact.normal_velocity_before);
            let fastest = closing.fold(f64::NEG_INFINITY, f64::max);
            if weight > 0.0 && (self.impact.rest_speed == 0.0 || fastest >= self.impact.rest_speed) {
                let (a, b) = strongest.pair;
                let after = self.constraints.rows.dot(strongest.rows[0], &self.impact.u);
                record.impacts.push(Impact {
                    time,
                    bodies: (contacts.parts[a].body, contacts.parts[b].body),
                    point: point / weight,
                    normal: strongest.normal,
                    impulse,
                    energy: energies,
                    speed: (strongest.normal_velocity_before, after),
                    kind: ImpactKind::Response,
                });
            }
        }
    }
}

/// Records an impulse at a contact point on both bodies.
fn record_impulse(
    contacts: &ContactGeometry,
    contact: &ContactConstraint,
    source: JumpSource,
    impulse: &Vec3,
    record: &mut StepRecord,
) {
    if *impulse == Vec3::zeros() {
        return;
    }
    for (part, sign) in [(contact.pair.0, 1.0), (contact.pair.1, -1.0)] {
        if let Some(slot) = contacts.parts[part].slot {
            record.impulse(source, slot, &contact.point, &(impulse * sign));
        }
    }
}
