//! Groups that were at rest over the whole of the last step, and begin this one as they ended it: their contacts and impulses are known,
//! and no pair of them is queried.
//!
//! ```text
//! keep_group         at the end of a step: configuration and pairs in contact of a group at rest
//! resume_groups      at the beginning of the next: groups with the same configuration that no other body touches
//! ```
//!
//! A group is resumed with the result that its equations would have: it stays where it is. Runs that continue from a checkpoint, where
//! no groups are known, are bitwise the same.

use super::candidates::Candidates;
use super::motion_bound::MotionBound;
use super::trajectories::StepTrajectories;
use super::{StepContext, failure};
use crate::discrete::StepFailure;
use crate::rotation::Mat3;
use crate::spatial::Vec6;
use crate::step_record::StepRecord;
use percussion_geometry::Vec3;

/// A group at rest at the end of the last step.
#[derive(Debug, Default)]
pub(super) struct KeptGroup {
    /// Whether it was at rest over the whole step.
    pub lasted: bool,
    /// Positions and orientations of its bodies.
    configuration: Vec<(Vec3, Mat3)>,
    /// Its pairs in contact, sorted.
    owned: Vec<(usize, usize)>,
}

impl StepTrajectories {
    /// Stores the configuration of a group at rest at the end of the step.
    pub(super) fn keep_group(&mut self, step: &StepContext, group: usize) {
        let group = &mut self.groups.groups[group];
        group.kept.lasted = true;
        group.kept.configuration.clear();
        for island in group.interval.islands() {
            let bodies = step.model.islands[island].bodies.clone();
            let poses = bodies.map(|slot| (self.end.positions[slot], self.end.rotations[slot]));
            group.kept.configuration.extend(poses);
        }
    }

    /// Stores the pairs of a group that are in contact.
    pub(super) fn list_owned_pairs(&mut self, step: &StepContext, candidates: &Candidates, group: usize) {
        let mut pairs = std::mem::take(&mut self.groups.groups[group].kept.owned);
        let groups = &self.groups;
        let in_group = |pair: (usize, usize)| {
            step.islands(pair).into_iter().flatten().any(|island| groups.of(island) == Some(group))
        };
        let owned = candidates.list.iter().filter(|candidate| candidate.owned && in_group(candidate.pair));
        pairs.clear();
        pairs.extend(owned.map(|candidate| candidate.pair));
        pairs.sort_unstable();
        self.groups.groups[group].kept.owned = pairs;
    }

    /// Resumes the groups that were at rest over the last step.
    pub fn resume_groups(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        record: &mut StepRecord,
    ) -> Result<(), StepFailure> {
        let kept = self.groups.kept;
        if kept == 0 {
            return Ok(());
        }
        for group in 0..kept {
            if self.is_unchanged(step, group) {
                self.groups.set_group(group, Some(group));
            }
        }
        self.wake_touched_groups(step, candidates)?;
        for group in 0..kept {
            let Some(first) = self.groups.island(group, 0) else { continue };
            if self.groups.of(first) != Some(group) {
                continue;
            }
            self.groups.resume(group, step.h);
            record.rests += 1;
            for island in self.groups.groups[group].interval.islands() {
                let island = &step.model.islands[island];
                self.end.copy_configuration(&self.node, island);
                self.end.momenta[island.dofs.clone()].fill(0.0);
                self.bounds[island.bodies.clone()].fill(MotionBound::default());
                self.twists[island.bodies.clone()].fill(Vec6::zeros());
            }
        }
        for candidate in &mut candidates.list {
            let mut groups = step.islands(candidate.pair).into_iter().flatten().map(|i| self.groups.of(i));
            if let Some(Some(group)) = groups.next()
                && groups.all(|other| other.is_some())
            {
                candidate.time_of_impact = step.h;
                let owned = &self.groups.groups[group].kept.owned;
                candidate.owned = owned.binary_search(&candidate.pair).is_ok();
            }
        }
        Ok(())
    }

    /// Whether the bodies of a group are where they were, at rest.
    fn is_unchanged(&self, step: &StepContext, group: usize) -> bool {
        let group = &self.groups.groups[group];
        let mut known = group.kept.configuration.iter();
        group.interval.islands().all(|island| {
            let island = &step.model.islands[island];
            let same =
                |slot: usize| known.next() == Some(&(step.start.positions[slot], step.start.rotations[slot]));
            island.bodies.clone().all(same)
                && step.start.momenta[island.dofs.clone()].iter().all(|p| *p == 0.0)
        })
    }

    /// Takes the islands of groups that another body touches out of them.
    fn wake_touched_groups(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
    ) -> Result<(), StepFailure> {
        for candidate in &mut candidates.list {
            let parts = [candidate.pair.0, candidate.pair.1].map(|part| &step.contacts.parts[part]);
            let groups = step.islands(candidate.pair).map(|island| island.and_then(|i| self.groups.of(i)));
            let other = match groups {
                [Some(_), None] => 1,
                [None, Some(_)] => 0,
                _ => continue,
            };
            let Some(group) = groups[1 - other] else { continue };
            if !parts[other].moves() {
                continue;
            }
            let [a, b] = parts.map(|part| part.body_pose(&self.node));
            let contact = step
                .contacts
                .separation(candidate.pair, (&a, &b), step.contact_gap, &mut candidate.warm_start)
                .map_err(|error| failure(step.model, &self.node, parts[0].body, error.into()))?;
            if contact.gap() <= step.contact_gap {
                self.groups.set_group(group, None);
            }
        }
        Ok(())
    }
}
