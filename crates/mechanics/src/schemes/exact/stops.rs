//! Stops of joints in the exact scheme: impacts at the roots of their gaps, then constraints of the interval.
//!
//! Islands with stops or drives always move as groups ([`ContactGroups`](super::contact_groups::ContactGroups)), alone where they touch
//! nothing. A stop that closes faster than one at rest is left out of the equations; the first root of its gap on that trajectory is the time
//! of its impact, which is resolved together with the contacts of the group at that time. A stop that is hit at rest stays closed in the
//! equations of the next interval.

use super::candidates::Candidates;
use super::closings::Closing;
use super::trajectories::StepTrajectories;
use super::{ImpactTiming, SHORT_BOUNCE, StepContext};
use crate::discrete::StepFailure;
use crate::model::Model;
use crate::response::closed_contact::{STOPS_OF_JOINT, has_joint_rows};
use crate::tolerances::exact::SHORT_APPROACH;

impl StepTrajectories {
    /// Begins groups of the islands among some that have stops or drives and are in no group yet, each alone, at their nodes at `t`.
    pub fn begin_joint_groups(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        islands: impl Iterator<Item = usize>,
        t: f64,
    ) -> Result<(), StepFailure> {
        for index in islands {
            if self.groups.of(index).is_some() || !has_joint_rows(step.model, &step.model.islands[index]) {
                continue;
            }
            self.clear_stops(step.model, &[index]);
            let group = self.groups.add_group(step.model, &[index], t);
            self.invalidate(index);
            self.locate_closings(step, candidates, &[index], t, group)?;
            self.update_motion_bounds(step.model, index, step.h)?;
        }
        Ok(())
    }

    /// Discards the stops that were left out of the equations of some islands, and their impacts.
    pub fn clear_stops(&mut self, model: &Model, islands: &[usize]) {
        for &island in islands {
            self.stop_times[island] = f64::INFINITY;
            let bodies = &model.islands[island].bodies;
            let numbers = STOPS_OF_JOINT * bodies.start..STOPS_OF_JOINT * bodies.end;
            self.worker.excluded_stops[numbers].fill(false);
        }
    }

    /// Leaves stops of a group out that close fast within an interval of length `tau`, if their impacts are located. Whether there are new
    /// ones.
    pub(super) fn exclude_fast_stops(
        &mut self,
        step: &StepContext,
        group: usize,
        (acceleration, tau): (f64, f64),
    ) -> bool {
        if step.timing == ImpactTiming::EndOfStep {
            return false;
        }
        let slow = SHORT_BOUNCE * acceleration * step.h;
        let mut any = false;
        for (_, number, row) in self.groups.groups[group].interval.stops() {
            let closes = !row.excluded && row.impulse[0] > 0.0 && row.gap[0] > step.contact_gap;
            // The acceleration of the group is that with the stop closed: just before an impact it is that of the impact.
            let rest_speed = SHORT_BOUNCE * row.free_acceleration(tau).abs() * step.h;
            if closes && (row.gap[0] > slow * tau || row.approach() > rest_speed) {
                self.worker.excluded_stops[number] = true;
                any = true;
            }
        }
        any
    }

    /// Finds the first impact of a stop of a group, whose trajectory begins at `t`.
    pub(super) fn schedule_stops(
        &mut self,
        step: &StepContext,
        island: usize,
        (group, t): (usize, f64),
        acceleration: f64,
    ) -> Result<(), StepFailure> {
        if step.timing == ImpactTiming::EndOfStep {
            return Ok(());
        }
        let rest_speed = SHORT_BOUNCE * acceleration * step.h;
        for k in 0..self.groups.groups[group].interval.joint_rows.len() {
            let row = self.groups.groups[group].interval.joint_rows[k];
            let owner = step.island_of[row.slot];
            if !row.is_stop() {
                continue;
            }
            let approach = row.approach();
            // A step, as a rule the first, that begins with an approach at the stop, or reaches it within an interval so short that its
            // impulses are not known.
            let near = row.gap[0] <= step.contact_gap.max(SHORT_APPROACH * self.short * approach);
            let strikes = near && approach > rest_speed && t == 0.0;
            if strikes && !std::mem::replace(&mut self.struck_at_start[owner], true) {
                self.stop_times[owner] = 0.0;
                self.struck_gap = self.struck_gap.max(row.gap[0]);
            } else if row.excluded
                && let Some(time) = self.closing_time(step, island, (group, Closing::Stop(k)), (t, step.h))?
            {
                self.stop_times[owner] = self.stop_times[owner].min(time);
            }
        }
        Ok(())
    }

    /// The first impact of a stop in the step: its time and its island.
    pub fn earliest_stop(&self, h: f64) -> Option<(f64, usize)> {
        let times = self.stop_times.iter().copied().zip(0..);
        times.filter(|(time, _)| *time < h).min_by(|(a, _), (b, _)| a.total_cmp(b))
    }
}
