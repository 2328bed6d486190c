//! How far bodies reach into each other: at the start, and at the end of every step.
//!
//! Parts are watched in their boxes; pairs whose boxes touch are asked by the kernel. Nothing is remembered from step to step but
//! the boxes, so that a run that goes on measures the same bits as one in one piece.

use percussion_mechanics::contact::{CandidatePairs, ContactGeometry, PairWarmStart};
use percussion_mechanics::{Model, State};
use std::sync::Arc;

/// Measures overlaps.
#[derive(Debug)]
pub struct PenetrationMonitor {
    contacts: Arc<ContactGeometry>,
    /// `None` where a placement was not finite: such a state ends the run by itself.
    watch: Option<CandidatePairs>,
}

impl PenetrationMonitor {
    /// Of a model, if anything in it may meet.
    pub fn of(model: &Model, state: &State) -> Option<Self> {
        let contacts = Arc::clone(model.contacts.as_ref()?);
        let watch = {
            let part = |index: usize| &contacts.parts[index];
            CandidatePairs::new(&contacts, |index| part(index).bounds(&part(index).body_pose(state))).ok()
        };
        Some(Self { contacts, watch })
    }

    /// The greatest overlap of two parts in a state, m, and the parts; `None` where nothing overlaps.
    pub fn deepest(&mut self, state: &State) -> Option<(f64, (usize, usize))> {
        let (contacts, watch) = (&self.contacts, self.watch.as_mut()?);
        let part = |index: usize| &contacts.parts[index];
        watch.look(contacts, |index| part(index).bounds(&part(index).body_pose(state))).ok()?;
        let mut deepest: Option<(f64, (usize, usize))> = None;
        for near in watch.near() {
            let poses = (part(near.pair.0).body_pose(state), part(near.pair.1).body_pose(state));
            let poses = (&poses.0, &poses.1);
            if !contacts.balls_meet(near.pair, poses) {
                continue;
            }
            let Ok(touch) = contacts.touch(near.pair, poses, 0.0, &mut PairWarmStart::default()) else {
                continue;
            };
            let overlap = -touch.separation;
            if overlap > deepest.map_or(0.0, |(most, _)| most) {
                deepest = Some((overlap, near.pair));
            }
        }
        deepest
    }
}
