//! How far bodies reach into each other at the end of a step.
//!
//! Parts are watched in their boxes; pairs whose boxes touch are asked by the kernel. Nothing is remembered from step to step but
//! the boxes, so that a run that goes on measures the same bits as one in one piece.

use percussion_mechanics::contact::{Contacts, Memory, Watch};
use percussion_mechanics::{Model, State};
use std::sync::Arc;

/// Measures overlaps.
#[derive(Debug)]
pub struct Overlaps {
    contacts: Arc<Contacts>,
    /// `None` where a placement was not finite: such a state ends the run by itself.
    watch: Option<Watch>,
}

impl Overlaps {
    /// Of a model, if anything in it may meet.
    pub fn of(model: &Model, state: &State) -> Option<Self> {
        let contacts = Arc::clone(model.contacts.as_ref()?);
        let watch = {
            let part = |index: usize| &contacts.parts[index];
            Watch::new(&contacts, |index| part(index).bounds(&part(index).body_pose(state))).ok()
        };
        Some(Self { contacts, watch })
    }

    /// The greatest overlap of two parts in a state, m; zero where nothing overlaps.
    pub fn greatest(&mut self, state: &State) -> f64 {
        let (contacts, Some(watch)) = (&self.contacts, &mut self.watch) else { return 0.0 };
        let part = |index: usize| &contacts.parts[index];
        if watch.look(contacts, |index| part(index).bounds(&part(index).body_pose(state))).is_err() {
            return 0.0;
        }
        let mut greatest: f64 = 0.0;
        for near in watch.near() {
            let poses = (part(near.pair.0).body_pose(state), part(near.pair.1).body_pose(state));
            let poses = (&poses.0, &poses.1);
            if !contacts.balls_meet(near.pair, poses) {
                continue;
            }
            if let Ok(touch) = contacts.touch(near.pair, poses, 0.0, &mut Memory::default()) {
                greatest = greatest.max(-touch.separation);
            }
        }
        greatest
    }
}
