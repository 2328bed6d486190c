//! Contact cluster: all contacts at an instant of the islands that are connected by contacts to a pair.

use super::candidates::{CandidateState, Candidates};
use super::trajectories::StepTrajectories;
use super::{SAME_TIME, SHORT_BOUNCE, StepContext, failure};
use crate::contact::{ContactPoint, ManifoldQuery, Part};
use crate::discrete::StepFailure;
use crate::response::ImpactLaw;
use crate::spatial::{angular, linear};
use percussion_geometry::Vec3;
use percussion_geometry::separation::QueryError;

/// A contact event of a cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterContact {
    pub pair: (usize, usize),
    /// The event.
    pub event: ContactPoint,
    /// The contact point of the pair.
    pub pair_contact: ContactPoint,
}

/// What an impact begins with.
#[derive(Clone, Copy, Debug)]
pub(super) enum ImpactSeed {
    /// A candidate pair in contact.
    Pair(usize),
    /// A stop of a joint of an island.
    Stop { island: usize, time: f64 },
}

impl ImpactSeed {
    /// Its time since the beginning of the step, s.
    pub fn time(&self, candidates: &Candidates) -> f64 {
        match *self {
            Self::Pair(k) => candidates.list[k].time_of_impact,
            Self::Stop { time, .. } => time,
        }
    }
}

/// Islands in contact at an instant, and their contacts.
#[derive(Debug, Default)]
pub(super) struct ContactCluster {
    /// The islands, sorted.
    pub islands: Vec<usize>,
    pub contacts: Vec<ClusterContact>,
    events: Vec<ContactPoint>,
    manifold: ManifoldQuery,
}

impl ContactCluster {
    /// Collects all contacts at the time of an impact: the lower bound of the time of impact of a pair, or that of a stop. Excluded islands take
    /// no part.
    pub fn collect_contacts(
        &mut self,
        step: &StepContext,
        trajectories: &mut StepTrajectories,
        candidates: &mut Candidates,
        excluded: &[bool],
        seed: ImpactSeed,
    ) -> Result<(), StepFailure> {
        self.islands.clear();
        self.contacts.clear();
        let t = seed.time(candidates);
        let first = match seed {
            ImpactSeed::Pair(first) => Some(first),
            ImpactSeed::Stop { .. } => None,
        };
        let [a, b] = match seed {
            ImpactSeed::Pair(first) => step.islands(candidates.list[first].pair),
            ImpactSeed::Stop { island, .. } => [Some(island), None],
        };
        self.islands.extend(a);
        self.islands.extend(b.filter(|island| !self.islands.contains(island)));
        self.add_groups(trajectories);
        candidates.list.iter_mut().for_each(|candidate| candidate.collected = false);
        let mut grown = true;
        while grown {
            grown = false;
            for k in 0..candidates.list.len() {
                let candidate = &mut candidates.list[k];
                let islands = step.islands(candidate.pair);
                if candidate.collected
                    || !islands.iter().flatten().any(|island| self.islands.contains(island))
                    || islands.iter().flatten().any(|&island| excluded[island])
                {
                    continue;
                }
                candidate.collected = true;
                // Separated until well after this instant.
                if first != Some(k) && !candidate.owned && candidate.time_of_impact > t + SAME_TIME * step.h {
                    continue;
                }
                trajectories.evaluate_pair(step, candidate.pair, t)?;
                if self.add_contacts(step, trajectories, candidate)? || first == Some(k) {
                    let new = islands.into_iter().flatten().find(|island| !self.islands.contains(island));
                    self.islands.extend(new);
                    self.add_groups(trajectories);
                    grown |= new.is_some();
                }
            }
        }
        self.islands.sort_unstable();
        Ok(())
    }

    /// Adds the islands that are in persistent contact with those of the cluster.
    fn add_groups(&mut self, trajectories: &StepTrajectories) {
        for k in 0..self.islands.len() {
            let Some(group) = trajectories.groups.of(self.islands[k]) else { continue };
            for island in trajectories.groups.islands(group) {
                if !self.islands.contains(&island) {
                    self.islands.push(island);
                }
            }
        }
    }

    /// Adds the contacts of a pair at the sample of the trajectories. Whether it is in contact.
    fn add_contacts(
        &mut self,
        step: &StepContext,
        trajectories: &StepTrajectories,
        candidate: &CandidateState,
    ) -> Result<bool, StepFailure> {
        let CandidateState { pair, mut warm_start, .. } = *candidate;
        let StepContext { contacts, .. } = *step;
        let (p, q) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
        let poses = (p.body_pose(&trajectories.sample), q.body_pose(&trajectories.sample));
        let poses = (&poses.0, &poses.1);
        let failed = |error: QueryError| failure(step.model, &trajectories.node, p.body, error.into());
        let gap = contacts.separation(pair, poses, f64::INFINITY, &mut warm_start).map_err(failed)?.gap();
        if gap > step.contact_gap {
            return Ok(false);
        }
        let pair_contact = contacts.resolved_separation(pair, poses, &mut warm_start).map_err(failed)?;
        self.events.clear();
        if step.options.law != ImpactLaw::Sum {
            let (manifold, events) = (&mut self.manifold, &mut self.events);
            contacts
                .events(pair, poses, step.contact_gap, &mut warm_start, manifold, events)
                .map_err(failed)?;
        }
        if self.events.is_empty() {
            self.events.push(pair_contact);
        }
        let contact = |event: &ContactPoint| ClusterContact { pair, event: *event, pair_contact };
        self.contacts.extend(self.events.iter().map(contact));
        Ok(true)
    }

    /// Whether a pair at the sample of the trajectories opens at all its contacts, faster than at rest. Replaces the contacts.
    pub fn is_separating(
        &mut self,
        step: &StepContext,
        trajectories: &StepTrajectories,
        candidate: &CandidateState,
    ) -> Result<bool, StepFailure> {
        self.contacts.clear();
        if !self.add_contacts(step, trajectories, candidate)? {
            return Ok(true);
        }
        let parts = [candidate.pair.0, candidate.pair.1].map(|part| &step.contacts.parts[part]);
        let acceleration = trajectories.max_acceleration(parts.iter().filter_map(|part| part.slot));
        let velocity = |part: &Part, point: &Vec3| {
            part.slot.map_or_else(Vec3::zeros, |slot| {
                let twist = &trajectories.twists[slot];
                linear(twist) + angular(twist).cross(&(point - trajectories.sample.positions[slot]))
            })
        };
        Ok(self.contacts.iter().all(|ClusterContact { event, .. }| {
            let point = event.point();
            event.normal().dot(&(velocity(parts[0], &point) - velocity(parts[1], &point)))
                > acceleration * step.h * SHORT_BOUNCE
        }))
    }

    /// A body of the cluster, to be named in a failure.
    pub fn first_body(&self, step: &StepContext) -> usize {
        self.islands.first().map_or(0, |&index| {
            let island = &step.model.islands[index];
            step.model.links[island.bodies.start].body
        })
    }
}
