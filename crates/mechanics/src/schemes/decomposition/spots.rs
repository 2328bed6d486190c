//! Where the parts of a group touch after the projection, with the rows that impulses there act along.
//!
//! A spot is active if it is closed, or if it overlapped at the trial configuration: all contacts of a step happen at its end
//! and at once [Johnson 3.5.1].

use super::groups::{Close, poses};
use crate::contact::{ContactGeometry, ContactPoint};
use crate::discrete::StepError;
use crate::model::State;
use crate::response::impulse::{Ground, Spots};
use percussion_geometry::Vec3;
use percussion_geometry::events::resolution;

/// How far events may be farther apart than their pair, in overlaps of the group.
const WINDOW: f64 = 4.0;
/// What the spots of a group are read from.
pub(super) struct Scene<'a> {
    /// Where the group is.
    pub ground: Ground<'a>,
    /// Where it was before the projection.
    pub trial: &'a State,
    /// Deepest overlap before, m.
    pub depth: f64,
}

impl Spots {
    /// All active events of all pairs.
    pub(super) fn find_events(&mut self, scene: &mut Scene, pairs: &mut [Close]) -> Result<(), StepError> {
        self.clear();
        for close in pairs {
            let (a, b) = poses(scene.ground.contacts, close.pair, scene.ground.at);
            let window = WINDOW * scene.depth;
            self.touches.clear();
            let (memory, room) = (&mut close.memory, &mut self.room);
            let whole = scene.ground.contacts.near_events(
                close.pair,
                (&a, &b),
                window,
                memory,
                room,
                &mut self.touches,
            )?;
            let first = self.list.len();
            for k in 0..self.touches.len() {
                let touch = self.touches[k];
                if touch.gap() <= closed(scene.ground.contacts, close)
                    || earlier(scene, close, &touch) < -close.tolerance
                {
                    self.add(&mut scene.ground, close.pair, &touch, &whole);
                }
            }
            if self.list.len() > first {
                self.pairs.push(first..self.list.len());
            }
        }
        Ok(())
    }

    /// One spot for each active pair, the middle of its contact.
    pub(super) fn find_pairs(&mut self, scene: &mut Scene, pairs: &mut [Close]) -> Result<(), StepError> {
        self.clear();
        for close in pairs {
            let (a, b) = poses(scene.ground.contacts, close.pair, scene.ground.at);
            let touch = scene.ground.contacts.resolved(close.pair, (&a, &b), &mut close.memory)?;
            if touch.gap() <= closed(scene.ground.contacts, close) || close.separation < -close.tolerance {
                let first = self.list.len();
                self.add(&mut scene.ground, close.pair, &touch, &touch);
                self.pairs.push(first..self.list.len());
            }
        }
        Ok(())
    }
}

/// Gap below which two parts touch, m.
fn closed(contacts: &ContactGeometry, close: &Close) -> f64 {
    resolution(contacts.parts[close.pair.0].radius, contacts.parts[close.pair.1].radius)
}

/// The gap of an event before the projection, m: its points are carried back with their bodies.
fn earlier(scene: &Scene, close: &Close, touch: &ContactPoint) -> f64 {
    let moved = |part: usize, point: &Vec3| {
        scene.ground.contacts.parts[part].slot.map_or_else(Vec3::zeros, |slot| {
            let (from, to) = (scene.trial, scene.ground.at);
            let arm = to.rotations[slot].tr_mul(&(point - to.positions[slot]));
            point - from.positions[slot] - from.rotations[slot] * arm
        })
    };
    let apart = moved(close.pair.0, &touch.point_a) - moved(close.pair.1, &touch.point_b);
    touch.gap() - touch.normal().dot(&apart)
}
