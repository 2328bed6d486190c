//! Candidate pairs of a step: parts whose swept bounds overlap, each with a lower bound of its time of impact.

use super::advancement::{MovingPart, time_of_impact_bound};
use super::ball_impact::ball_time_of_impact;
use super::trajectories::StepTrajectories;
use super::{
    FORCED_ADVANCE, MAX_QUERIES, MAX_STALLED_ADVANCES, NO_ADVANCE, SMALL_ADVANCE, StepContext, failure,
};
use crate::contact::{CandidatePairs, ContactGeometry, PairWarmStart};
use crate::discrete::StepFailure;
use crate::model::State;
use percussion_geometry::Aabb;
use percussion_geometry::Pose;
use percussion_geometry::broad::BroadError;

/// A candidate pair in the present step.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidateState {
    pub pair: (usize, usize),
    /// Lower bound of its time of impact since the beginning of the step, s.
    pub time_of_impact: f64,
    /// Last time at which it was separated on the present trajectories; not a number if it was not.
    separated: f64,
    /// Queries in this step.
    queries: usize,
    /// Consecutive advances in contact that were small.
    stalled_advances: usize,
    /// Whether the present cluster has been checked for it.
    pub collected: bool,
    /// Whether it is in persistent contact: a constraint of a group, which is not advanced.
    pub owned: bool,
    /// Whether its persistent contact may carry a load.
    pub loadable: bool,
    /// Poses of its bodies at the end of the step at which it penetrates farther than its contacts say, and how often it did.
    pub beyond: Option<(Pose, Pose)>,
    pub refinements: usize,
    pub warm_start: PairWarmStart,
}

impl CandidateState {
    fn new(pair: (usize, usize), time_of_impact: f64, warm_start: PairWarmStart) -> Self {
        Self {
            pair,
            time_of_impact,
            separated: f64::NAN,
            queries: 0,
            stalled_advances: 0,
            collected: false,
            owned: false,
            loadable: false,
            beyond: None,
            refinements: 0,
            warm_start,
        }
    }

    /// Whether conservative advancement no longer progresses.
    pub fn is_stalled(&self) -> bool {
        self.stalled_advances > MAX_STALLED_ADVANCES
    }
}

/// Result of an advance of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advance {
    /// The pair is separated until its new lower bound of the time of impact.
    Separated,
    /// The pair is in contact at its lower bound.
    Contact,
}

/// The candidate pairs of a step, in order of discovery.
#[derive(Debug)]
pub(super) struct Candidates {
    broad_phase: CandidatePairs,
    /// Swept bounds, by part.
    swept: Vec<Aabb>,
    pub list: Vec<CandidateState>,
    /// Separation queries in the step.
    pub queries: usize,
}

impl Candidates {
    /// For the parts of a model in a state.
    pub fn new(contacts: &ContactGeometry, state: &State) -> Result<Self, BroadError> {
        let swept: Vec<Aabb> =
            contacts.parts.iter().map(|part| part.bounds(&part.body_pose(state))).collect();
        let broad_phase = CandidatePairs::new(contacts, |part| swept[part])?;
        Ok(Self { broad_phase, swept, list: Vec::new(), queries: 0 })
    }

    /// Finds the pairs whose swept bounds over the step overlap.
    pub fn find_candidate_pairs(
        &mut self,
        step: &StepContext,
        trajectories: &StepTrajectories,
    ) -> Result<(), StepFailure> {
        self.queries = 0;
        let gravity = step.model.gravity.norm();
        for (part, swept) in step.contacts.parts.iter().zip(&mut self.swept) {
            if part.slot.is_some() {
                *swept = trajectories.swept_bounds(part, gravity, step.h);
            }
        }
        let swept = &self.swept;
        self.broad_phase
            .update(step.contacts, |part| swept[part])
            .map_err(|error| failure(step.model, step.start, 0, error.into()))?;
        self.list.clear();
        for k in 0..self.broad_phase.pairs().len() {
            let (pair, warm_start) = (self.broad_phase.pairs()[k].pair, *self.broad_phase.warm_start(k));
            self.list.push(CandidateState::new(pair, 0.0, warm_start));
        }
        Ok(())
    }

    /// The pair with the least lower bound of its time of impact before the end of the step.
    pub fn earliest(&self, h: f64) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (k, candidate) in self.list.iter().enumerate() {
            let time = candidate.time_of_impact;
            if time < h && !candidate.owned && best.is_none_or(|b| time < self.list[b].time_of_impact) {
                best = Some(k);
            }
        }
        best
    }

    /// Advances the earliest pair until it is in contact or another pair is earlier.
    pub fn advance(
        &mut self,
        step: &StepContext,
        trajectories: &mut StepTrajectories,
        k: usize,
    ) -> Result<Advance, StepFailure> {
        while self.advance_once(step, trajectories, k)? == Advance::Separated {
            if self.earliest(step.h) != Some(k) {
                return Ok(Advance::Separated);
            }
        }
        Ok(Advance::Contact)
    }

    /// One step of conservative advancement: a separation query at the lower bound of the time of impact, and a new lower bound.
    pub fn advance_once(
        &mut self,
        step: &StepContext,
        trajectories: &mut StepTrajectories,
        k: usize,
    ) -> Result<Advance, StepFailure> {
        let CandidateState { pair, time_of_impact: t, queries, mut warm_start, .. } = self.list[k];
        let h = step.h;
        trajectories.evaluate_pair(step, pair, t)?;
        let a = MovingPart::new(step, trajectories, pair.0, t);
        let b = MovingPart::new(step, trajectories, pair.1, t);
        let poses = (&a.pose, &b.pose);
        let contact = step
            .contacts
            .separation(pair, poses, f64::INFINITY, &mut warm_start)
            .map_err(|error| failure(step.model, &trajectories.node, a.part.body, error.into()))?;
        let bound = match ball_time_of_impact(step, trajectories, pair, &contact) {
            Some(time) => time.min(h - t),
            None => {
                let plane = step.contacts.plane_attachment(pair, poses, &warm_start);
                time_of_impact_bound(&a, &b, &contact, &plane, h - t)
            }
        };
        let gap = contact.gap();
        let candidate = &mut self.list[k];
        candidate.warm_start = warm_start;
        candidate.queries = queries + 1;
        self.queries += 1;
        if gap > step.contact_gap {
            candidate.separated = t;
        } else if gap < -step.contact_gap && t > candidate.separated {
            return self.return_to_contact(step, trajectories, k);
        }
        let forced = queries > MAX_QUERIES && gap > step.contact_gap;
        let bound = if forced { bound.max(FORCED_ADVANCE * h) } else { bound };
        if bound >= h - t {
            candidate.time_of_impact = h;
            return Ok(Advance::Separated);
        }
        let stalled = gap <= step.contact_gap && bound < SMALL_ADVANCE * h;
        candidate.stalled_advances = if stalled { candidate.stalled_advances + 1 } else { 0 };
        if bound <= NO_ADVANCE * h || candidate.is_stalled() {
            return Ok(Advance::Contact);
        }
        candidate.time_of_impact = t + bound;
        Ok(Advance::Separated)
    }

    /// Goes back to the contact of a pair that penetrates, by bisection from when it was separated: motion bounds of bodies in persistent
    /// contact are estimates, and may be exceeded where contacts open or close in the interval.
    fn return_to_contact(
        &mut self,
        step: &StepContext,
        trajectories: &mut StepTrajectories,
        k: usize,
    ) -> Result<Advance, StepFailure> {
        let CandidateState { pair, time_of_impact, separated, mut warm_start, .. } = self.list[k];
        let (mut low, mut high) = (separated, time_of_impact);
        while high - low > NO_ADVANCE * step.h {
            let middle = 0.5 * (low + high);
            trajectories.evaluate_pair(step, pair, middle)?;
            let parts = [pair.0, pair.1].map(|part| &step.contacts.parts[part]);
            let [a, b] = parts.map(|part| part.body_pose(&trajectories.sample));
            let contact = step.contacts.separation(pair, (&a, &b), f64::INFINITY, &mut warm_start);
            let body = parts[0].body;
            let gap =
                contact.map_err(|error| failure(step.model, &trajectories.node, body, error.into()))?.gap();
            self.queries += 1;
            if gap > step.contact_gap {
                low = middle;
            } else {
                high = middle;
                if gap >= 0.0 {
                    break;
                }
            }
        }
        self.list[k].time_of_impact = high;
        Ok(Advance::Contact)
    }

    /// Advances a stalled pair that separates by a fixed fraction of the step.
    pub fn force_advance(&mut self, k: usize, h: f64) {
        self.list[k].time_of_impact = (self.list[k].time_of_impact + FORCED_ADVANCE * h).min(h);
    }

    /// Resets the pairs of some islands that have new trajectories from `t` on.
    pub fn reset(&mut self, step: &StepContext, islands: &[usize], excluded: &[bool], t: f64) {
        for candidate in &mut self.list {
            let own = step.islands(candidate.pair);
            if own.iter().flatten().any(|island| islands.contains(island))
                && !own.iter().flatten().any(|&island| excluded[island])
            {
                (candidate.time_of_impact, candidate.stalled_advances, candidate.owned) = (t, 0, false);
                candidate.separated = f64::NAN;
            }
        }
    }

    /// Adds pairs of some islands whose new trajectories from `t` on leave their swept bounds.
    pub fn add_candidate_pairs(
        &mut self,
        step: &StepContext,
        trajectories: &StepTrajectories,
        (islands, excluded): (&[usize], &[bool]),
        t: f64,
    ) {
        let gravity = step.model.gravity.norm();
        for part in 0..step.contacts.parts.len() {
            let Some(index) = step.island(part) else { continue };
            if !islands.contains(&index) || excluded[index] {
                continue;
            }
            let swept = trajectories.swept_bounds(&step.contacts.parts[part], gravity, step.h - t);
            if self.swept[part].contains(&swept) {
                continue;
            }
            self.swept[part] = self.swept[part].merged(&swept);
            for other in 0..step.contacts.parts.len() {
                if !self.swept[part].overlaps(&self.swept[other]) || !step.contacts.may_collide(part, other) {
                    continue;
                }
                let pair = step.contacts.ordered(part, other);
                let excluded = step.island(other).is_some_and(|island| excluded[island]);
                if !excluded && !self.list.iter().any(|candidate| candidate.pair == pair) {
                    self.list.push(CandidateState::new(pair, t, PairWarmStart::default()));
                }
            }
        }
    }

    /// Removes the pairs of excluded islands.
    pub fn remove(&mut self, step: &StepContext, excluded: &[bool]) {
        self.list
            .retain(|candidate| !step.islands(candidate.pair).into_iter().flatten().any(|i| excluded[i]));
    }
}
