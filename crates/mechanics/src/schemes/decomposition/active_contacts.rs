//! Active contacts of a group after the projection.
//!
//! A contact event is active if it is closed, or if it penetrated at the trial configuration: all contacts of a step are resolved
//! at its end and simultaneously [Johnson 3.5.1].

use super::EVENT_WINDOW;
use super::collision_groups::{NearPair, poses};
use crate::contact::{ContactGeometry, ContactPoint, ManifoldQuery};
use crate::discrete::StepError;
use crate::schemes::impulse::{ConstraintContext, ContactConstraints};
use crate::state::State;
use percussion_geometry::Vec3;
use percussion_geometry::events::resolution;

/// Workspace of queries for contact events.
#[derive(Clone, Debug, Default)]
pub(super) struct EventQuery {
    pub manifold: ManifoldQuery,
    pub points: Vec<ContactPoint>,
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
    pub(super) fn add_active_events(
        &mut self,
        context: &mut ActiveSetContext,
        pairs: &mut [NearPair],
        query: &mut EventQuery,
    ) -> Result<(), StepError> {
        self.clear();
        for near in pairs {
            let (a, b) = poses(context.constraints.contacts, near.pair, context.constraints.at);
            let window = EVENT_WINDOW * context.depth;
            query.points.clear();
            let (warm_start, manifold) = (&mut near.warm_start, &mut query.manifold);
            let pair_contact = context.constraints.contacts.near_events(
                near.pair,
                (&a, &b),
                window,
                warm_start,
                manifold,
                &mut query.points,
            )?;
            let first = self.list.len();
            for k in 0..query.points.len() {
                let contact = query.points[k];
                if contact.gap() <= contact_gap(context.constraints.contacts, near)
                    || trial_gap(context, near, &contact) < -near.tolerance
                {
                    self.add(&mut context.constraints, near.pair, &contact, &pair_contact);
                }
            }
            if self.list.len() > first {
                self.pairs.push(first..self.list.len());
            }
        }
        Ok(())
    }

    /// Replaces the constraints by one for each active pair, at the centre of its contact.
    pub(super) fn add_active_pairs(
        &mut self,
        context: &mut ActiveSetContext,
        pairs: &mut [NearPair],
    ) -> Result<(), StepError> {
        self.clear();
        for near in pairs {
            let (a, b) = poses(context.constraints.contacts, near.pair, context.constraints.at);
            let contact = context.constraints.contacts.resolved(near.pair, (&a, &b), &mut near.warm_start)?;
            if contact.gap() <= contact_gap(context.constraints.contacts, near)
                || near.separation < -near.tolerance
            {
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
