//! Active contacts of a group after the projection.
//!
//! A contact event is active if it is closed, or if it penetrated at the trial configuration: all contacts of a step are resolved
//! at its end and simultaneously [Johnson 3.5.1].

use super::EVENT_WINDOW;
use super::collision_groups::{NearPair, poses};
use crate::contact::{ContactGeometry, ContactPoint, ManifoldQuery};
use crate::discrete::StepError;
use crate::model::State;
use crate::response::impulse::{ConstraintContext, ContactConstraints};
use percussion_geometry::Vec3;
use percussion_geometry::events::resolution;

/// Workspace of queries for contact events.
#[derive(Clone, Debug, Default)]
pub(super) struct EventQuery {
    pub manifold: ManifoldQuery,
    pub points: Vec<ContactPoint>,
}

impl EventQuery {
    /// Adds the events of a pair that penetrate, are closed, or are farther apart than the pair by at most `window`, m. Returns the
    /// contact point of the pair.
    pub fn add_near_events(
        &mut self,
        contacts: &ContactGeometry,
        near: &mut NearPair,
        at: &State,
        window: f64,
    ) -> Result<ContactPoint, StepError> {
        let (a, b) = poses(contacts, near.pair, at);
        let Self { manifold, points } = self;
        Ok(contacts.near_events(near.pair, (&a, &b), window, &mut near.warm_start, manifold, points)?)
    }
}

/// The group whose active contacts are collected.
pub(super) struct ActiveSetContext<'a> {
    /// The group at the projected configuration.
    pub constraints: ConstraintContext<'a>,
    /// The trial configuration.
    pub trial: &'a State,
    /// Deepest penetration there, m.
    pub depth: f64,
}

impl ContactConstraints {
    /// Replaces the constraints by those of all active events of all pairs.
    pub(super) fn set_active_events(
        &mut self,
        context: &mut ActiveSetContext,
        pairs: &mut [NearPair],
        query: &mut EventQuery,
    ) -> Result<(), StepError> {
        self.clear();
        for near in pairs {
            let ConstraintContext { contacts, at, .. } = context.constraints;
            let window = EVENT_WINDOW * context.depth;
            query.points.clear();
            let pair_contact = query.add_near_events(contacts, near, at, window)?;
            let first = self.list.len();
            for event in &query.points {
                if event.gap() <= contact_gap(contacts, near)
                    || trial_gap(context, near, event) < -near.tolerance
                {
                    self.add(&mut context.constraints, near.pair, event, &pair_contact);
                }
            }
            if self.list.len() > first {
                self.pairs.push(first..self.list.len());
            }
        }
        Ok(())
    }

    /// Replaces the constraints by one for each active pair, at the centre of its contact.
    pub(super) fn set_active_pairs(
        &mut self,
        context: &mut ActiveSetContext,
        pairs: &mut [NearPair],
    ) -> Result<(), StepError> {
        self.clear();
        for near in pairs {
            let ConstraintContext { contacts, at, .. } = context.constraints;
            let (a, b) = poses(contacts, near.pair, at);
            let contact = contacts.resolved_separation(near.pair, (&a, &b), &mut near.warm_start)?;
            if contact.gap() <= contact_gap(contacts, near) || near.separation < -near.tolerance {
                let first = self.list.len();
                self.add(&mut context.constraints, near.pair, &contact, &contact);
                self.pairs.push(first..self.list.len());
            }
        }
        Ok(())
    }
}

/// Gap below which two parts are in contact, m.
fn contact_gap(contacts: &ContactGeometry, near: &NearPair) -> f64 {
    resolution(contacts.parts[near.pair.0].radius, contacts.parts[near.pair.1].radius)
}

/// The gap of an event at the trial configuration, m: its points are moved back with their bodies.
fn trial_gap(context: &ActiveSetContext, near: &NearPair, contact: &ContactPoint) -> f64 {
    let moved = |part: usize, point: &Vec3| {
        context.constraints.contacts.parts[part].slot.map_or_else(Vec3::zeros, |slot| {
            let (from, to) = (context.trial, context.constraints.at);
            let arm = to.rotations[slot].tr_mul(&(point - to.positions[slot]));
            point - from.positions[slot] - from.rotations[slot] * arm
        })
    };
    let apart = moved(near.pair.0, &contact.point_a) - moved(near.pair.1, &contact.point_b);
    contact.gap() - contact.normal().dot(&apart)
}
