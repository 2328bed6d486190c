//! Contacts of a group as constraints of the impact laws: rows over the unknown velocities, weighted with the masses.
//!
//! The mass matrix is diagonal in the unknowns of [`BodyDofs`]: `u = M^½ v`, rows `r = M^-½ nᵀ`.

use super::body_dofs::BodyDofs;
use super::contact_constraint::ContactConstraint;
use crate::contact::ContactGeometry;
use crate::response::impulse;
use crate::spatial::Vec6;
use percussion_geometry::Vec3;
use std::ops::Range;

/// Contacts of a group with their rows.
#[derive(Debug, Default)]
pub(super) struct ImpactRows {
    /// Slots of the bodies, each with its unknowns among those of the group.
    pub members: Vec<(usize, Range<usize>)>,
    /// The contacts as constraints, in their order.
    pub constraints: impulse::ContactConstraints,
    /// Number of unknowns.
    pub size: usize,
}

impl ImpactRows {
    /// Assembles the rows of selected contacts.
    pub fn assemble(
        &mut self,
        geometry: &ContactGeometry,
        dofs: &[BodyDofs],
        contacts: &[ContactConstraint],
        selected: &[usize],
    ) {
        self.members.clear();
        self.constraints.clear();
        self.size = 0;
        for &k in selected {
            let contact = &contacts[k];
            let spans = contact.slots(geometry).map(|slot| slot.map(|slot| (slot, self.span(dofs, slot))));
            let (e1, e2) = geometry.tangents(contact.pair, &contact.normal);
            let mut push = |row: &dyn Fn(usize, &BodyDofs) -> [f64; 6]| {
                let mut weighted = [[0.0; 6]; 2];
                for side in 0..2 {
                    let Some((slot, _)) = spans[side] else { continue };
                    let values = row(side, &dofs[slot]);
                    for (k, w) in weighted[side].iter_mut().enumerate().take(dofs[slot].count) {
                        *w = values[k] * dofs[slot].inverse_mass[k].sqrt();
                    }
                }
                let block = |side: usize| {
                    let span = spans[side].as_ref().map_or(0..0, |(_, span)| span.clone());
                    let count = span.len();
                    (span, &weighted[side][..count])
                };
                self.constraints.rows.push_blocks([block(0), block(1)])
            };
            let normal = push(&|side, dofs| dofs.wrench_row(&(contact.gradient[side] * contact.unit)));
            let along = |direction: &Vec3, side: usize, dofs: &BodyDofs| {
                dofs.force_row(&contact.arms[side], direction, [1.0, -1.0][side])
            };
            let rows = [
                normal,
                push(&|side, dofs| along(&e1, side, dofs)),
                push(&|side, dofs| along(&e2, side, dofs)),
            ];
            let bodies = [contact.pair.0, contact.pair.1].map(|part| geometry.parts[part].body);
            self.constraints.list.push(impulse::ContactConstraint {
                pair: contact.pair,
                bodies: (bodies[0].min(bodies[1]), bodies[0].max(bodies[1])),
                point: contact.point,
                normal: contact.normal,
                tangents: [e1, e2],
                gradient_norm: 1.0,
                restitution: contact.surface.restitution,
                friction: contact.surface.friction,
                rows,
                normal_impulse: 0.0,
                friction_impulse: Vec3::zeros(),
                normal_velocity_before: 0.0,
                stop: None,
            });
        }
    }

    /// The unknowns of a body among those of the group.
    fn span(&mut self, dofs: &[BodyDofs], slot: usize) -> Range<usize> {
        if let Some((_, span)) = self.members.iter().find(|(member, _)| *member == slot) {
            return span.clone();
        }
        let span = self.size..self.size + dofs[slot].count;
        self.size = span.end;
        self.members.push((slot, span.clone()));
        span
    }

    /// Writes the weighted velocities of the members.
    pub fn weigh(&self, dofs: &[BodyDofs], twist: impl Fn(usize) -> Vec6, u: &mut Vec<f64>) {
        u.clear();
        u.resize(self.size, 0.0);
        for (slot, span) in &self.members {
            let v = dofs[*slot].unknowns(&twist(*slot));
            for (k, u) in u[span.clone()].iter_mut().enumerate() {
                *u = v[k] / dofs[*slot].inverse_mass[k].sqrt();
            }
        }
    }

    /// The twist of a member of weighted velocities.
    pub fn twist(&self, dofs: &[BodyDofs], member: usize, u: &[f64]) -> Vec6 {
        let (slot, span) = &self.members[member];
        let mut v = [0.0; 6];
        for (k, u) in u[span.clone()].iter().enumerate() {
            v[k] = u * dofs[*slot].inverse_mass[k].sqrt();
        }
        dofs[*slot].twist(&v)
    }
}
