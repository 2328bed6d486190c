//! Penetration of bodies at the start and at the end of every step.
//!
//! Candidate pairs come from boxes around the parts; the separation kernel measures those whose boxes overlap. Nothing but the boxes is
//! carried from step to step, so that a run that is resumed measures bitwise the same as an uninterrupted one.

use percussion_mechanics::contact::{CandidatePairs, ContactGeometry, PairWarmStart};
use percussion_mechanics::{Model, State};
use std::sync::Arc;

/// Measures penetrations.
#[derive(Debug)]
pub struct PenetrationMonitor {
    contacts: Arc<ContactGeometry>,
    /// `None` where a pose was not finite: such a state ends the run by itself.
    candidates: Option<CandidatePairs>,
}

impl PenetrationMonitor {
    /// Of a model; none if nothing in it can collide.
    pub fn new(model: &Model, state: &State) -> Option<Self> {
        let contacts = Arc::clone(model.contacts.as_ref()?);
        let candidates = {
            let part = |index: usize| &contacts.parts[index];
            CandidatePairs::new(&contacts, |index| part(index).bounds(&part(index).body_pose(state))).ok()
        };
        Some(Self { contacts, candidates })
    }

    /// The largest penetration of two parts in a state, m, and the parts; none where nothing penetrates.
    pub fn deepest(&mut self, state: &State) -> Option<(f64, (usize, usize))> {
        let (contacts, candidates) = (&self.contacts, self.candidates.as_mut()?);
        let part = |index: usize| &contacts.parts[index];
        candidates.update(contacts, |index| part(index).bounds(&part(index).body_pose(state))).ok()?;
        let mut deepest: Option<(f64, (usize, usize))> = None;
        for candidate in candidates.pairs() {
            let poses = (part(candidate.pair.0).body_pose(state), part(candidate.pair.1).body_pose(state));
            let poses = (&poses.0, &poses.1);
            if !contacts.bounding_balls_overlap(candidate.pair, poses) {
                continue;
            }
            let Ok(contact) = contacts.separation(candidate.pair, poses, 0.0, &mut PairWarmStart::default())
            else {
                continue;
            };
            let depth = -contact.separation;
            if depth > deepest.map_or(0.0, |(largest, _)| largest) {
                deepest = Some((depth, candidate.pair));
            }
        }
        deepest
    }
}
