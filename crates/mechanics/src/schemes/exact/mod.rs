//! The exact variational collision integrator [Johnson 3.4, 3.75-3.76; Leyendecker 3; Pekarek].
//!
//! Contact times and configurations are unknowns of the step: momenta jump at the time of each impact, and the step continues from
//! there to its end.
//!
//! ```text
//! predict                       trial step of all islands, motion bounds               trajectories.rs, motion_bound.rs
//! find_candidate_pairs          pairs whose swept bounds overlap                       candidates.rs
//! resume_groups                 groups at rest over the last step stay as they are             kept_groups.rs
//! begin_resting_groups          islands at rest on one another: persistent contact           resting_groups.rs
//! begin_joint_groups            islands with stops and drives of joints                      stops.rs
//! while the earliest lower bound of a time of impact, or of a stop, is within the step
//!     advance                   conservative advancement of that pair                  advancement.rs, ball_impact.rs
//!     is_separating             in contact but stalled and opening: advance it by force
//!     collect_contacts          contacts of all connected islands at this time         cluster.rs
//!     apply_impact_law          momenta jump                                           impact.rs, schemes/impulse/
//!     continue_from_impact      new trajectories of these islands from their nodes     continuation.rs, energy_jump.rs
//!     record                    impulses, energies and impacts                         impact.rs
//!     begin_group               no contact closes: persistent contact to the end of the step, or the next impact
//!                                                                       contact_groups.rs, response/closed_contact/
//!     fall_back                 too many impacts, or no solution: end of step at once  fallback.rs
//! record_groups                 impulses of persistent contact                         contact_groups.rs
//! respond                       decomposition response of islands that fell back       schemes/decomposition/
//! ```
//!
//! Islands that do not collide with each other are independent: there is no common subdivision of the step. No collision is missed
//! because the trial step ends separated: every pair is advanced from the beginning of the step to its end by lower bounds of its
//! time of impact.
//!
//! Energy at an impact: `projected` conserves the Hamiltonian of the reduced momenta [3.74], the reflection in closed form;
//! `discrete` conserves `E_d` of the intervals before and after [3.76b] by scaling the jump, one scalar equation. With
//! restitution both dissipate what the reflection dissipates.

mod advancement;
mod ball_impact;
mod candidates;
mod closings;
mod cluster;
pub(super) mod contact_energy;
mod contact_groups;
mod continuation;
mod energy_jump;
mod fallback;
mod impact;
mod kept_groups;
mod missing_contacts;
mod motion_bound;
mod resting_groups;
mod stops;
mod trajectories;

use super::decomposition::TOLERANCE;
use super::{Scheme, SchemeKind, StepContact};
use crate::contact::ContactGeometry;
use crate::discrete::{SolverStats, StepError, StepFailure, TOLERANCES};
use crate::model::Model;
use crate::model::State;
use crate::named_arrays::NamedArrays;
use crate::response::{CollisionModel, ContactOptions, EnergyJumpCondition};
use crate::step_record::StepRecord;
use crate::tolerances::exact::{
    BOUND_ROUNDING, CENTRED_BALL, CLOSED_PENETRATION, CONTACT_GAP, CROSSING_TRAVEL, ENERGY_ROUNDING,
    EQUAL_MOMENTS, FORCED_ADVANCE, LARGE_ROTATION, MIN_ENERGY_INTERVAL, NEGLIGIBLE_CLOSING,
    NEXT_IMPACT_TOLERANCE, NO_ADVANCE, REST_SPEED, ROOT_TOLERANCE, SAME_TIME, SECANT_TOLERANCE, SHORT_BOUNCE,
    SHORT_BOUNCE_ELASTIC, SHORT_INTERVAL, SMALL_ADVANCE,
};
use candidates::{Advance, Candidates};
use cluster::{ContactCluster, ImpactSeed};
use continuation::Continuation;
use energy_jump::EnergyJump;
use fallback::Fallback;
use impact::{ClusterImpact, ImpactOutcome};
use resting_groups::RestingGroups;
use std::sync::Arc;
use trajectories::StepTrajectories;

/// Queries of a pair in one step after which it is advanced by force: its motion bounds are far too wide, as for a body that spins
/// fast close to another without contact.
const MAX_QUERIES: usize = 1000;
/// Consecutive small advances of a pair in contact after which it is checked for rest. Motion bounds of two parts that move as one
/// are independent and never separate them; an approach converges in three or four advances.
const MAX_STALLED_ADVANCES: usize = 16;
/// Iterations for the first root of the lower bound of a separation, and its relative accuracy: the next advance corrects it.
const MAX_ROOT_ITERATIONS: usize = 12;
/// Rounds between the length of a jump and the time of the next impact, and the change of that time that ends them, in steps.
const MAX_JUMP_ROUNDS: usize = 20;
/// Steps of the secant method for the length of a jump, its relative accuracy, and the relative rounding of the energy.
const MAX_SECANT_STEPS: usize = 40;

/// When impacts are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImpactTiming {
    /// At their times of impact inside the step.
    TimeOfImpact,
    /// At the end of the step, by the decomposition response; only those of pairs that may cross within the step at their times of
    /// impact.
    EndOfStep,
}

/// Constants of a step.
#[derive(Clone, Copy)]
struct StepContext<'a> {
    model: &'a Model,
    contacts: &'a ContactGeometry,
    options: &'a ContactOptions,
    collision_model: CollisionModel,
    timing: ImpactTiming,
    /// Island of each slot.
    island_of: &'a [usize],
    /// Gap at which parts are in contact, m.
    contact_gap: f64,
    /// State at the beginning of the step.
    start: &'a State,
    /// Length of the step, s.
    h: f64,
}

impl StepContext<'_> {
    /// Island of a part; `None` for a fixed or driven body.
    fn island(&self, part: usize) -> Option<usize> {
        self.contacts.parts[part].slot.map(|slot| self.island_of[slot])
    }

    /// Coefficient of friction of a pair of parts, under the collision model.
    fn friction(&self, pair: (usize, usize)) -> f64 {
        match self.collision_model {
            CollisionModel::Elastic | CollisionModel::Frictionless => 0.0,
            CollisionModel::Frictional | CollisionModel::Plastic => {
                self.contacts.surface(pair.0, pair.1).friction
            }
        }
    }

    /// Whether impacts of a pair dissipate no energy, under the decomposition scheme.
    fn is_elastic(&self, pair: (usize, usize)) -> bool {
        let surface = self.contacts.surface(pair.0, pair.1);
        surface.restitution == 1.0 && surface.friction == 0.0
    }

    /// Duration of a bounce, in steps, below which the contacts of a pair are at rest.
    fn short_bounce(&self, pair: (usize, usize)) -> f64 {
        match self.timing {
            ImpactTiming::TimeOfImpact => SHORT_BOUNCE,
            ImpactTiming::EndOfStep if self.is_elastic(pair) => SHORT_BOUNCE_ELASTIC,
            ImpactTiming::EndOfStep => REST_SPEED,
        }
    }

    /// Islands of a pair of parts.
    fn islands(&self, pair: (usize, usize)) -> [Option<usize>; 2] {
        [self.island(pair.0), self.island(pair.1)]
    }
}

/// A failure of a step because of a body.
fn failure(model: &Model, state: &State, body: usize, error: StepError) -> StepFailure {
    let body = model.bodies.get(body).map_or_else(String::new, |body| body.name.clone());
    StepFailure { step: state.steps, time: state.time, body, error, history: Vec::new() }
}

/// The exact scheme, with restitution and friction of the surfaces, and the dissipative scheme with an explicit collision model; the
/// decomposition scheme with impacts at the end of the step.
#[derive(Debug)]
pub struct Exact {
    kind: SchemeKind,
    timing: ImpactTiming,
    options: ContactOptions,
    collision_model: CollisionModel,
    contacts: Arc<ContactGeometry>,
    island_of: Vec<usize>,
    /// Gap at which parts are in contact, m.
    contact_gap: f64,
    stages: Stages,
}

/// The stages of a step.
#[derive(Debug)]
struct Stages {
    trajectories: StepTrajectories,
    candidates: Candidates,
    cluster: ContactCluster,
    impact: ClusterImpact,
    fallback: Fallback,
    resting: RestingGroups,
    record: StepRecord,
}

impl Exact {
    /// For a model with contact and a state of it. Without a collision model it is the exact scheme, in which the surfaces have the
    /// restitution and friction that they are given: the model `frictional`.
    pub fn new(
        model: &Model,
        contacts: Arc<ContactGeometry>,
        state: &State,
        options: &ContactOptions,
        collision_model: Option<CollisionModel>,
    ) -> Result<Self, StepFailure> {
        let kind = if collision_model.is_some() { SchemeKind::Dissipative } else { SchemeKind::Exact };
        let collision_model = collision_model.unwrap_or(CollisionModel::Frictional);
        let mut island_of = vec![0; model.moving()];
        for (index, island) in model.islands.iter().enumerate() {
            island_of[island.bodies.clone()].fill(index);
        }
        let radii = contacts.parts.iter().map(|part| part.radius).filter(|radius| radius.is_finite());
        let smallest = radii.fold(f64::INFINITY, f64::min);
        let contact_gap = CONTACT_GAP * if smallest.is_finite() { smallest } else { 1.0 };
        let stages = Stages {
            trajectories: StepTrajectories::new(model, state, contacts.clone(), contact_gap),
            candidates: Candidates::new(&contacts, state)
                .map_err(|error| failure(model, state, 0, error.into()))?,
            cluster: ContactCluster::default(),
            impact: ClusterImpact::new(),
            fallback: Fallback::new(model, state, options, collision_model),
            resting: RestingGroups::default(),
            record: StepRecord::default(),
        };
        let timing = ImpactTiming::TimeOfImpact;
        Ok(Self {
            kind,
            timing,
            options: *options,
            collision_model,
            contacts,
            island_of,
            contact_gap,
            stages,
        })
    }

    /// The decomposition scheme with persistent contact: impacts are resolved at the end of the step.
    pub(super) fn with_impacts_at_end(
        model: &Model,
        contacts: Arc<ContactGeometry>,
        state: &State,
        options: &ContactOptions,
    ) -> Result<Self, StepFailure> {
        let exact = Self::new(model, contacts, state, options, Some(CollisionModel::Frictional))?;
        Ok(Self { kind: SchemeKind::Decomposition, timing: ImpactTiming::EndOfStep, ..exact })
    }

    /// Separation queries of the search for contact in the last step.
    pub fn queries(&self) -> usize {
        self.stages.candidates.queries
    }
}

impl Scheme for Exact {
    fn kind(&self) -> SchemeKind {
        self.kind
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        // Islands that fall back are resolved by the decomposition response.
        TOLERANCES.into_iter().chain([("contact_gap", self.contact_gap), TOLERANCE]).collect()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        let context = StepContext {
            model,
            contacts: &self.contacts,
            options: &self.options,
            collision_model: self.collision_model,
            timing: self.timing,
            island_of: &self.island_of,
            contact_gap: self.contact_gap,
            start: state,
            h,
        };
        let stats = self.stages.run(&context)?;
        std::mem::swap(state, &mut self.stages.trajectories.end);
        Ok(stats)
    }

    fn step_record(&self) -> Option<&StepRecord> {
        Some(&self.stages.record)
    }

    fn contacts(&self) -> Vec<StepContact> {
        let impacts = self.stages.record.impacts.iter().map(StepContact::of_impact);
        impacts.chain(self.stages.trajectories.groups.contacts.iter().copied()).collect()
    }

    fn save_warm_start(&self, arrays: &mut NamedArrays) {
        self.stages.trajectories.groups.warm_start.save(arrays);
    }

    fn restore_warm_start(&mut self, arrays: &NamedArrays) -> bool {
        self.stages.trajectories.groups.warm_start.restore(arrays)
    }
}

impl Stages {
    /// One step; its result is the end of the trajectories.
    fn run(&mut self, step: &StepContext) -> Result<SolverStats, StepFailure> {
        self.record.clear();
        self.fallback.clear();
        let stats = self.trajectories.predict(step)?;
        self.candidates.find_candidate_pairs(step, &self.trajectories)?;
        self.trajectories.resume_groups(step, &mut self.candidates, &mut self.record)?;
        self.resting.begin_groups(step, &mut self.trajectories, &mut self.candidates, &mut self.record)?;
        let islands = 0..step.model.islands.len();
        self.trajectories.begin_joint_groups(step, &mut self.candidates, islands, 0.0)?;
        while let Err(failure) = self.advance_to_end(step) {
            self.fall_back_failed_group(step, failure)?;
        }
        self.fallback.respond(step, &mut self.trajectories, &mut self.record)?;
        Ok(stats)
    }

    /// Advances all pairs to the end of the step, with the impacts on the way, and records the groups in persistent contact.
    fn advance_to_end(&mut self, step: &StepContext) -> Result<(), StepFailure> {
        loop {
            let stop = self.trajectories.earliest_stop(step.h);
            let horizon = stop.map_or(step.h, |(time, _)| time);
            let Some(k) = self.candidates.earliest(horizon) else {
                let Some((time, island)) = stop else { break };
                self.resolve_impact(step, ImpactSeed::Stop { island, time })?;
                continue;
            };
            let candidate = &mut self.candidates.list[k];
            if self.trajectories.is_left_to_end(step, candidate.pair, candidate.time_of_impact) {
                candidate.time_of_impact = step.h;
                continue;
            }
            if self.candidates.advance(step, &mut self.trajectories, k)? == Advance::Separated {
                continue;
            }
            let candidate = &self.candidates.list[k];
            if candidate.is_stalled() && self.cluster.is_separating(step, &self.trajectories, candidate)? {
                self.candidates.force_advance(k, step.h);
            } else if candidate.time_of_impact < horizon || stop.is_none() {
                self.resolve_impact(step, ImpactSeed::Pair(k))?;
            }
        }
        self.trajectories.record_groups(step, &mut self.record)
    }

    /// Lets a group whose equations were not solved complete the step without contact; passes other failures on.
    fn fall_back_failed_group(
        &mut self,
        step: &StepContext,
        failure: StepFailure,
    ) -> Result<(), StepFailure> {
        let Self { trajectories, candidates, cluster, fallback, record, .. } = self;
        if !failure.error.is_unsolved() {
            return Err(failure);
        }
        trajectories.dissolve_failed_group(step.model, &mut cluster.islands);
        if cluster.islands.is_empty() {
            return Err(failure);
        }
        record.fallbacks += 1;
        fallback.fall_back(step, (trajectories, candidates), &cluster.islands, (0.0, true), record)
    }

    /// Impact of the cluster of a pair that is in contact, or of a stop that is closed.
    fn resolve_impact(&mut self, step: &StepContext, seed: ImpactSeed) -> Result<(), StepFailure> {
        let Self { trajectories, candidates, cluster, impact, fallback, record, .. } = self;
        let StepContext { model, options, .. } = *step;
        let t = seed.time(candidates);
        cluster.collect_contacts(step, trajectories, candidates, &fallback.islands, seed)?;
        trajectories.end_groups(step, &cluster.islands, t, record)?;
        let energy_before = match options.energy {
            EnergyJumpCondition::Discrete => trajectories.discrete_energy(model, &cluster.islands, t)?,
            EnergyJumpCondition::Projected => None,
        };
        for &index in &cluster.islands {
            trajectories.evaluate(model, index, t)?;
            trajectories.set_node(model, index, t);
            if t > 0.0 {
                record.node(index, &model.islands[index], &trajectories.node, t);
            }
        }
        let limit = options.max_impacts;
        let to_rest = fallback.count_impact(&cluster.islands, limit);
        let time = step.start.time + t;
        let outcome = impact
            .apply_impact_law(step, trajectories, cluster, to_rest)
            .map_err(|error| failure(model, step.start, cluster.first_body(step), error))?;
        let at_rest = outcome != ImpactOutcome::Applied;
        // Many impacts that dissipate energy converge to rest: they go on without restitution.
        let limit = if impact.is_dissipative(step) { 2 * limit } else { limit };
        let exceeded = fallback.has_exceeded(&cluster.islands, limit);
        if at_rest {
            if outcome == ImpactOutcome::BroughtToRest {
                impact.set_momenta(step, trajectories);
                impact.record(step, trajectories, cluster, (time, false), 1.0, record);
            }
            let islands = (&cluster.islands[..], &fallback.islands[..]);
            if !exceeded && trajectories.begin_group(step, candidates, islands, t)? {
                record.rests += 1;
                return Ok(());
            }
        }
        if at_rest || exceeded {
            let resting = at_rest || impact.is_dissipative(step);
            fallback.fall_back(step, (trajectories, candidates), &cluster.islands, (t, resting), record)?;
            match at_rest {
                true => record.rests += 1,
                false => impact.record_fallback(step, cluster, time, record),
            }
            return Ok(());
        }
        let (islands, excluded) = (&cluster.islands[..], &fallback.islands[..]);
        let mut continuation = Continuation { step, trajectories, candidates, islands, excluded, t };
        let scale = match energy_before {
            Some(before) => EnergyJump::new(impact, cluster, &continuation, before)
                .continue_from_impact(&mut continuation)?,
            None => {
                impact.set_momenta(step, continuation.trajectories);
                continuation.continue_from_impact()?;
                1.0
            }
        };
        impact.record(step, trajectories, cluster, (time, true), scale, record);
        Ok(())
    }
}
