//! Continuation of a step after an impact: new trajectories for the islands of the cluster, from their nodes on.

use super::StepContext;
use super::candidates::{Advance, Candidates};
use super::trajectories::StepTrajectories;
use crate::discrete::StepFailure;

/// The islands of a cluster at their nodes, and the step that they continue.
pub(super) struct Continuation<'a> {
    pub step: &'a StepContext<'a>,
    pub trajectories: &'a mut StepTrajectories,
    pub candidates: &'a mut Candidates,
    /// The islands of the cluster.
    pub islands: &'a [usize],
    /// Islands that have fallen back in this step.
    pub excluded: &'a [bool],
    /// Time of the impact since the beginning of the step, s.
    pub t: f64,
}

impl Continuation<'_> {
    /// New ends of the step, motion bounds and candidate pairs of the islands, with the momenta of their nodes.
    pub fn continue_from_impact(&mut self) -> Result<(), StepFailure> {
        let StepContext { model, h, .. } = *self.step;
        let (candidates, islands) = (&mut *self.candidates, self.islands.iter().copied());
        self.trajectories.begin_joint_groups(self.step, candidates, islands, self.t)?;
        for &index in self.islands {
            if self.trajectories.groups.of(index).is_some() {
                continue;
            }
            self.trajectories.invalidate(index);
            self.trajectories.update_end(model, index, h)?;
            self.trajectories.update_motion_bounds(model, index, h)?;
        }
        self.candidates.reset(self.step, self.islands, self.excluded, self.t);
        let islands = (self.islands, self.excluded);
        self.candidates.add_candidate_pairs(self.step, self.trajectories, islands, self.t);
        Ok(())
    }

    /// Time of the next impact of the islands, or the end of the step, s.
    pub fn next_impact(&mut self) -> Result<f64, StepFailure> {
        let mut next = self.step.h;
        for k in 0..self.candidates.list.len() {
            let islands = self.step.islands(self.candidates.list[k].pair);
            if !islands.iter().flatten().any(|island| self.islands.contains(island)) {
                continue;
            }
            while self.candidates.list[k].time_of_impact < next {
                let advance = self.candidates.advance_once(self.step, self.trajectories, k)?;
                if advance == Advance::Contact {
                    next = self.candidates.list[k].time_of_impact;
                    break;
                }
            }
        }
        Ok(next)
    }
}
