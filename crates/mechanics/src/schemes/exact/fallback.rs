//! Fallback: islands with too many impacts in a step, or whose equations of contact have no solution, complete the step without contact, and
//! the decomposition response resolves their contacts at its end.

use super::candidates::Candidates;
use super::trajectories::StepTrajectories;
use super::{CLOSED_PENETRATION, ImpactTiming, REST_SPEED, SHORT_BOUNCE_ELASTIC, StepContext};
use crate::discrete::StepFailure;
use crate::model::Model;
use crate::model::State;
use crate::response::{CollisionModel, ContactOptions};
use crate::schemes::decomposition::DecompositionResponse;
use crate::step_record::StepRecord;

/// Islands that have fallen back in a step.
#[derive(Debug)]
pub(super) struct Fallback {
    /// Impacts of each island in the step.
    impacts: Vec<usize>,
    /// Islands that have fallen back.
    pub islands: Vec<bool>,
    /// Those of them whose contacts are at rest, or come to rest in ever lower bounces.
    at_rest: Vec<bool>,
    response: DecompositionResponse,
}

impl Fallback {
    /// For a model and a state of it, with the coefficients of a collision model.
    pub fn new(
        model: &Model,
        state: &State,
        options: &ContactOptions,
        collision_model: CollisionModel,
    ) -> Self {
        let response = DecompositionResponse::new(model, state, options);
        let response = match collision_model {
            CollisionModel::Frictional => response,
            CollisionModel::Plastic => response.with_restitution(0.0),
            CollisionModel::Elastic => response.with_restitution(1.0).without_friction(),
            CollisionModel::Frictionless => response.without_friction(),
        };
        let count = model.islands.len();
        Self { impacts: vec![0; count], islands: vec![false; count], at_rest: vec![false; count], response }
    }

    /// Begins a step, in which no island has fallen back.
    pub fn clear(&mut self) {
        self.impacts.fill(0);
        self.islands.fill(false);
        self.at_rest.fill(false);
    }

    /// Counts an impact of some islands. Whether one of them has had too many.
    pub fn count_impact(&mut self, islands: &[usize], limit: usize) -> bool {
        islands.iter().for_each(|&index| self.impacts[index] += 1);
        self.has_exceeded(islands, limit)
    }

    /// Whether one of some islands has had more impacts than a limit.
    pub fn has_exceeded(&self, islands: &[usize], limit: usize) -> bool {
        islands.iter().any(|&index| self.impacts[index] > limit)
    }

    /// Lets islands complete the step without contact, from `t` on. Parts of them that may pass through each other are recorded.
    pub fn fall_back(
        &mut self,
        step: &StepContext,
        (trajectories, candidates): (&mut StepTrajectories, &mut Candidates),
        islands: &[usize],
        (t, at_rest): (f64, bool),
        record: &mut StepRecord,
    ) -> Result<(), StepFailure> {
        trajectories.clear_stops(step.model, islands);
        for &index in islands {
            self.islands[index] = true;
            self.at_rest[index] = at_rest;
            trajectories.invalidate(index);
            trajectories.update_end(step.model, index, step.h)?;
        }
        let own = |pair| step.islands(pair).iter().flatten().any(|island| islands.contains(island));
        let pairs = candidates.list.iter().map(|candidate| candidate.pair).filter(|pair| own(*pair));
        for crossing in pairs.filter_map(|pair| trajectories.crossing(step, pair, t)) {
            record.add_crossing(crossing);
        }
        candidates.remove(step, &self.islands);
        Ok(())
    }

    /// Decomposition response of the islands at the end of the step.
    pub fn respond(
        &mut self,
        step: &StepContext,
        trajectories: &mut StepTrajectories,
        record: &mut StepRecord,
    ) -> Result<(), StepFailure> {
        let StepContext { model, h, .. } = *step;
        if step.timing == ImpactTiming::EndOfStep {
            let slots = 0..model.moving();
            let rest_speeds =
                slots.map(|slot| REST_SPEED * h * trajectories.max_acceleration(slot..slot + 1));
            self.response.set_rest_speeds(rest_speeds, SHORT_BOUNCE_ELASTIC / REST_SPEED);
            let penetration = CLOSED_PENETRATION * step.contact_gap;
            self.response.set_closed_pairs(trajectories.groups.closed_pairs(), penetration);
            return self.response.respond(model, &mut trajectories.end, h, h, None, record);
        }
        if !self.islands.iter().any(|&fallen_back| fallen_back) {
            return Ok(());
        }
        if self.at_rest.iter().any(|&at_rest| at_rest) {
            let islands = model.islands.iter().zip(&self.at_rest).filter(|(_, at_rest)| **at_rest);
            let bodies = islands.flat_map(|(island, _)| island.bodies.clone());
            let acceleration = trajectories.max_acceleration(bodies);
            let rest_speed = REST_SPEED * acceleration * h;
            self.response.set_rest_speeds(std::iter::repeat_n(rest_speed, model.moving()), 1.0);
            let only = Some(&self.at_rest[..]);
            let result = self.response.respond(model, &mut trajectories.end, h, h, only, record);
            self.response.set_rest_speeds(std::iter::empty(), 1.0);
            result?;
        }
        self.response.respond(model, &mut trajectories.end, h, h, Some(&self.islands), record)
    }
}
