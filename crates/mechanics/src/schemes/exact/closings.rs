//! Contacts and stops of a group that close within the step: fast ones are impacts at the root of their gap, slow ones close within the interval.

use super::candidates::Candidates;
use super::trajectories::StepTrajectories;
use super::{SAME_TIME, StepContext};
use crate::discrete::StepFailure;
use crate::tolerances::exact::contact_groups::{ROOT_BRACKET, ROOT_GAP};

/// What closes: a contact of a group, or a row of its joints.
#[derive(Clone, Copy, Debug)]
pub(super) enum Closing {
    Contact(usize),
    Stop(usize),
}

/// Iterations for the root of a gap.
const MAX_ROOT_ITERATIONS: usize = 60;

impl StepTrajectories {
    /// Solves a group to the end of the step. Contacts that close faster than contacts at rest are left out, and their pairs are advanced
    /// to the first root of their gaps, if their impacts are resolved there.
    pub(super) fn locate_closings(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        islands: &[usize],
        t: f64,
        group: usize,
    ) -> Result<(), StepFailure> {
        let (Some(&island), tau) = (islands.first(), step.h - t) else { return Ok(()) };
        self.groups.fast.clear();
        (self.groups.closes_later, self.groups.first_closing) = (false, None);
        if tau <= self.short {
            return islands.iter().try_for_each(|&island| self.update_end(step.model, island, step.h));
        }
        loop {
            self.update_end(step.model, island, step.h)?;
            let slots = islands.iter().flat_map(|&index| step.model.islands[index].bodies.clone());
            let acceleration = self.max_acceleration(slots);
            let contacts = &mut self.groups.groups[group].interval.contacts;
            let before = self.groups.fast.len();
            for (k, contact) in contacts.iter_mut().enumerate() {
                let closes = !contact.excluded && contact.start.gap > step.contact_gap;
                let slow = step.short_bounce(contact.function.pair) * acceleration * step.h;
                if closes && contact.impulse_start[0] > 0.0 && contact.start.gap > slow * tau {
                    contact.excluded = true;
                    self.groups.fast.push(k);
                }
            }
            let stops = self.exclude_fast_stops(step, group, (acceleration, tau));
            if self.groups.fast.len() == before && !stops {
                break;
            }
        }
        let mut first: Option<(f64, usize)> = None;
        let mut horizon = step.h;
        // A contact may close before the first root and open again until the end of the step.
        let mut closing = std::mem::take(&mut self.groups.closing);
        loop {
            let known = first;
            if self.groups.groups[group].solved != horizon - t {
                self.invalidate(island);
                self.evaluate(step.model, island, horizon)?;
            }
            let groups = &mut self.groups;
            let contacts = &groups.groups[group].interval.contacts;
            closing.clear();
            closing.extend(groups.fast.iter().copied().filter(|&k| contacts[k].end.gap <= 0.0));
            for &k in closing.iter().filter(|&&k| known.is_none_or(|(_, known)| known != k)) {
                let pair = self.groups.groups[group].interval.contacts[k].function.pair;
                if self.is_left_to_end(step, pair, t) {
                    self.groups.closes_later = true;
                    continue;
                }
                let closing = (group, Closing::Contact(k));
                if let Some(root) = self.closing_time(step, island, closing, (t, horizon))?
                    && first.is_none_or(|(time, _)| root < time - SAME_TIME * step.h)
                {
                    first = Some((root, k));
                }
            }
            match first {
                Some((time, _)) if first != known => horizon = time,
                _ => break,
            }
        }
        self.groups.closing = closing;
        let slots = islands.iter().flat_map(|&index| step.model.islands[index].bodies.clone());
        let acceleration = self.max_acceleration(slots);
        self.schedule_stops(step, island, (group, t), acceleration)?;
        if let Some((time, k)) = first {
            self.groups.first_closing = Some(time);
            let pair = self.groups.groups[group].interval.contacts[k].function.pair;
            let owned = candidates.list.iter_mut().find(|candidate| candidate.pair == pair);
            if let Some(candidate) = owned {
                (candidate.owned, candidate.time_of_impact) = (false, time);
            }
        }
        // Roots were found on other intervals.
        if self.groups.groups[group].solved != tau {
            self.update_end(step.model, island, step.h)?;
        }
        Ok(())
    }

    /// Time at which an excluded contact or stop of a group closes, before a horizon at which its gap is closed: Illinois' regula falsi on its gap.
    pub(super) fn closing_time(
        &mut self,
        step: &StepContext,
        island: usize,
        (group, closing): (usize, Closing),
        (t, horizon): (f64, f64),
    ) -> Result<Option<f64>, StepFailure> {
        let gaps = |this: &Self| {
            let interval = &this.groups.groups[group].interval;
            match closing {
                Closing::Contact(k) => (interval.contacts[k].start.gap, interval.contacts[k].end.gap),
                Closing::Stop(k) => interval.joint_rows[k].gap.into(),
            }
        };
        let gap = |this: &Self| gaps(this).1;
        let (mut low, mut high) = (t, horizon);
        let mut gap_low = gaps(self).0;
        self.invalidate(island);
        self.evaluate(step.model, island, high)?;
        let mut gap_high = gap(self);
        if gap_high > 0.0 {
            return Ok(None);
        }
        for _ in 0..MAX_ROOT_ITERATIONS {
            let fraction = gap_low / (gap_low - gap_high);
            let middle = (low + (high - low) * fraction.clamp(1e-3, 1.0 - 1e-3)).max(t + 2.0 * self.short);
            self.evaluate(step.model, island, middle)?;
            let value = gap(self);
            // The contact is open before its impact: the root is approached from above.
            if value >= 0.0 && value <= ROOT_GAP * step.contact_gap {
                return Ok(Some(middle));
            }
            if value > 0.0 {
                (low, gap_low) = (middle, value);
                gap_high *= 0.5;
            } else {
                (high, gap_high) = (middle, value);
                gap_low *= 0.5;
            }
            // Contact impulses are not known in a short interval.
            if high - low <= ROOT_BRACKET * step.h || high - t <= 4.0 * self.short {
                break;
            }
        }
        Ok(Some(low))
    }
}
