//! Groups that are in persistent contact at the beginning of a step: nothing of them closes, and no impact law is needed.
//!
//! ```text
//! touching pairs                 separations at the beginning of the step
//! connected islands              united by pairs that touch
//! is_closing                     a contact closes faster than at rest: the group begins with an impact instead
//! begin_group                    persistent contact                                           contact_groups.rs
//! ```

use super::candidates::Candidates;
use super::trajectories::StepTrajectories;
use super::{StepContext, failure};
use crate::discrete::StepFailure;
use crate::step_record::StepRecord;

/// Workspace.
#[derive(Debug, Default)]
pub(super) struct RestingGroups {
    /// An island of the same group, of each island; itself for one of each group.
    leader: Vec<usize>,
    /// Islands of moving bodies that touch something, with their leaders, sorted by leader.
    members: Vec<(usize, usize)>,
    islands: Vec<usize>,
    none_excluded: Vec<bool>,
}

impl RestingGroups {
    /// Begins the groups whose contacts are at rest at the beginning of the step.
    pub fn begin_groups(
        &mut self,
        step: &StepContext,
        trajectories: &mut StepTrajectories,
        candidates: &mut Candidates,
        record: &mut StepRecord,
    ) -> Result<(), StepFailure> {
        self.unite_touching(step, trajectories, candidates)?;
        self.none_excluded.clear();
        self.none_excluded.resize(step.model.islands.len(), false);
        let mut next = 0;
        while let Some(&(leader, _)) = self.members.get(next) {
            let of_leader = self.members[next..].iter().take_while(|(other, _)| *other == leader);
            self.islands.clear();
            self.islands.extend(of_leader.map(|(_, island)| *island));
            next += self.islands.len();
            let (islands, excluded) = (&self.islands[..], &self.none_excluded[..]);
            if trajectories.begin_resting_group(step, candidates, (islands, excluded))? {
                record.rests += 1;
            }
        }
        Ok(())
    }

    /// Unites the islands of pairs that touch at the beginning of the step.
    fn unite_touching(
        &mut self,
        step: &StepContext,
        trajectories: &mut StepTrajectories,
        candidates: &mut Candidates,
    ) -> Result<(), StepFailure> {
        self.leader.clear();
        self.leader.extend(0..step.model.islands.len());
        self.members.clear();
        let mut queries = 0;
        for candidate in &mut candidates.list {
            let resumed = |island: usize| trajectories.groups.of(island).is_some();
            if step.islands(candidate.pair).into_iter().flatten().all(resumed) {
                continue;
            }
            let parts = [candidate.pair.0, candidate.pair.1].map(|part| &step.contacts.parts[part]);
            let [a, b] = parts.map(|part| part.body_pose(&trajectories.node));
            let contact = step
                .contacts
                .separation(candidate.pair, (&a, &b), step.contact_gap, &mut candidate.warm_start)
                .map_err(|error| failure(step.model, &trajectories.node, parts[0].body, error.into()))?;
            queries += 1;
            if contact.gap() > step.contact_gap {
                continue;
            }
            let islands = step.islands(candidate.pair);
            self.members.extend(islands.into_iter().flatten().map(|island| (0, island)));
            if let [Some(a), Some(b)] = islands {
                let (a, b) = (self.leader_of(a), self.leader_of(b));
                self.leader[a.max(b)] = a.min(b);
            }
        }
        candidates.queries += queries;
        for k in 0..self.members.len() {
            self.members[k].0 = self.leader_of(self.members[k].1);
        }
        self.members.sort_unstable();
        self.members.dedup();
        Ok(())
    }

    fn leader_of(&mut self, island: usize) -> usize {
        let mut leader = island;
        while self.leader[leader] != leader {
            // Halves the path.
            self.leader[leader] = self.leader[self.leader[leader]];
            leader = self.leader[leader];
        }
        leader
    }
}
