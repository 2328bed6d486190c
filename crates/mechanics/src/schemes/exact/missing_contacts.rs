//! Contacts that the equations of a group lack.
//!
//! Contacts of a group are those of the beginning of its interval. Where a pair penetrates at the end farther than they say, or at the next
//! impact of the group, the contact events there join them: a rim that has tilted, an edge that has slid off.

use super::StepContext;
use super::candidates::Candidates;
use super::failure;
use super::trajectories::StepTrajectories;
use crate::discrete::StepFailure;

/// Solutions of a group whose end shows further contacts of a pair.
const MAX_REFINEMENTS: usize = 3;

/// What the equations of a group lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingContacts {
    None,
    /// Contacts of pairs that were expected to carry no load, or contacts that the end of the step shows.
    Dormant,
    /// Further contacts of pairs that have some.
    OfPairs,
}

impl StepTrajectories {
    /// What the equations of a group lack: pairs that penetrate at the end of the step farther than their contacts say. Contacts that
    /// close fast penetrate there, too; the step does not get there before their impact.
    pub(super) fn missing_contacts(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        group: usize,
    ) -> Result<MissingContacts, StepFailure> {
        // Up to the next impact of the group.
        let horizon = self.groups.first_closing.unwrap_or(step.h);
        let left_to_end = self.groups.closes_later && self.groups.first_closing.is_none();
        let Some(island) = self.groups.island(group, 0) else { return Ok(MissingContacts::None) };
        if left_to_end || horizon - self.groups.groups[group].since <= self.short {
            return Ok(MissingContacts::None);
        }
        if horizon < step.h {
            self.invalidate(island);
            self.evaluate(step.model, island, horizon)?;
        }
        let interval = &self.groups.groups[group].interval;
        let lowest = &mut self.groups.lowest;
        lowest.clear();
        for contact in &interval.contacts {
            match lowest.last_mut().filter(|(pair, _)| *pair == contact.function.pair) {
                Some((_, gap)) => *gap = contact.end.gap.min(*gap),
                None => lowest.push((contact.function.pair, contact.end.gap.min(0.0))),
            }
        }
        lowest.sort_unstable_by_key(|(pair, _)| *pair);
        let mut missing = MissingContacts::None;
        for candidate in candidates.list.iter_mut().filter(|candidate| candidate.owned) {
            let known = self.groups.lowest.binary_search_by_key(&candidate.pair, |(pair, _)| *pair);
            let lowest = match known {
                Ok(k) => self.groups.lowest[k].1,
                Err(_) if candidate.loadable => continue,
                Err(_) => 0.0,
            };
            let parts = [candidate.pair.0, candidate.pair.1].map(|part| &step.contacts.parts[part]);
            let [a, b] =
                parts.map(|part| part.body_pose(if horizon < step.h { &self.sample } else { &self.end }));
            let mut warm_start = candidate.warm_start;
            let whole = step
                .contacts
                .separation(candidate.pair, (&a, &b), f64::INFINITY, &mut warm_start)
                .map_err(|error| failure(step.model, &self.node, parts[0].body, error.into()))?;
            if whole.gap() >= lowest - step.contact_gap {
                continue;
            }
            if !candidate.loadable {
                (candidate.loadable, missing) = (true, MissingContacts::Dormant);
            } else if candidate.refinements < MAX_REFINEMENTS {
                candidate.beyond = Some((a, b));
                candidate.refinements += 1;
                missing = MissingContacts::Dormant;
            } else if missing == MissingContacts::None {
                missing = MissingContacts::OfPairs;
            }
        }
        if horizon < step.h {
            self.update_end(step.model, island, step.h)?;
        }
        Ok(missing)
    }
}
