//! Sequential impacts: pairs of bodies collide one after the other, as if each impact came an instant after the last.
//!
//! ```text
//! unit       all contacts of two bodies: Moreau's law resolves them at once, so that faces hit each other flat
//! repeat     closing speed of every unit
//!            joint_impacts   the fastest units; where equally fast ones are coupled, as in symmetric scenes, they are one impact
//!            moreau          each of these, in the degrees of freedom of its islands
//! until      nothing closes
//! ```
//!
//! Without restitution the sequence tends to the impact of all contacts at once, which is solved directly; so is the rest of a sequence whose
//! closing speeds tend to zero, without restitution. A sequence that does not end is resolved by Moreau's law and reported.

use super::constraint::{ContactConstraint, ContactConstraints};
use super::impact_law::{ImpactSolver, energy};
use super::mass_metric::JacobianRows;
use super::{CLOSING_SPEED_ROUNDING, MAX_SEQUENTIAL_IMPACTS, SAME_SPEED, SEQUENCE_END};
use crate::discrete::StepError;
use percussion_geometry::Vec3;
use std::ops::Range;

/// Units of a sequence, and the impact of some of them, with workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct ImpactSequence {
    /// Contacts, unit by unit, and the range of each unit.
    order: Vec<usize>,
    units: Vec<Range<usize>>,
    closing: Vec<f64>,
    /// The fastest units, and the impact that each belongs to.
    fastest: Vec<usize>,
    impact_of: Vec<usize>,
    /// The contacts of one impact, in the degrees of freedom of its islands.
    selected: Vec<usize>,
    list: Vec<ContactConstraint>,
    rows: JacobianRows,
    spans: Vec<Range<usize>>,
    u: Vec<f64>,
}

impl ImpactSequence {
    /// Groups the contacts by pairs of bodies.
    fn set_units(&mut self, list: &[ContactConstraint]) {
        self.order.clear();
        self.order.extend(0..list.len());
        self.order.sort_by_key(|k| list[*k].bodies);
        self.units.clear();
        let mut first = 0;
        for unit in self.order.chunk_by(|a, b| list[*a].bodies == list[*b].bodies) {
            self.units.push(first..first + unit.len());
            first += unit.len();
        }
    }

    /// Computes the largest closing speed of each unit; returns the largest of all, zero where it is rounding.
    fn set_closing_speeds(&mut self, constraints: &ContactConstraints, u: &[f64], speed: f64) -> f64 {
        let ContactConstraints { list, rows, .. } = constraints;
        let closing = |k: &usize| {
            let row = list[*k].rows[0];
            let closing = -rows.dot(row, u);
            let rounding = CLOSING_SPEED_ROUNDING * speed * rows.delassus(row, row).sqrt();
            if closing > rounding { closing } else { 0.0 }
        };
        let order = &self.order;
        self.closing.clear();
        self.closing.extend(
            self.units.iter().map(|unit| order[unit.clone()].iter().map(closing).fold(0.0, f64::max)),
        );
        self.closing.iter().copied().fold(0.0, f64::max)
    }

    /// Lists the units as fast as the fastest and joins those that are coupled. Returns the number of impacts.
    fn join_fastest(&mut self, constraints: &ContactConstraints, fastest: f64) -> usize {
        let Self { order, units, closing, fastest: list, impact_of, .. } = self;
        list.clear();
        list.extend((0..units.len()).filter(|&k| closing[k] >= (1.0 - SAME_SPEED) * fastest));
        impact_of.clear();
        impact_of.extend(0..list.len());
        for i in 0..list.len() {
            for j in 0..i {
                let (a, b) = (&order[units[list[i]].clone()], &order[units[list[j]].clone()]);
                if impact_of[i] != impact_of[j] && are_coupled(constraints, a, b) {
                    let (keep, join) = (impact_of[i].min(impact_of[j]), impact_of[i].max(impact_of[j]));
                    impact_of.iter_mut().filter(|of| **of == join).for_each(|of| *of = keep);
                }
            }
        }
        list.len()
    }

    /// Selects the contacts of an impact. Whether there are any.
    fn select(&mut self, impact: usize) -> bool {
        self.selected.clear();
        for (unit, _) in self.fastest.iter().zip(&self.impact_of).filter(|(_, of)| **of == impact) {
            self.selected.extend_from_slice(&self.order[self.units[*unit].clone()]);
        }
        !self.selected.is_empty()
    }

    /// Copies the selected contacts and the momenta `u` of their islands.
    fn gather(&mut self, constraints: &ContactConstraints, u: &[f64]) {
        self.rows.clear();
        self.spans.clear();
        self.list.clear();
        for &k in &self.selected {
            let contact = &constraints.list[k];
            let rows =
                contact.rows.map(|row| self.rows.push_compact(&constraints.rows, row, &mut self.spans));
            let (normal_impulse, friction_impulse) = (0.0, Vec3::zeros());
            self.list.push(ContactConstraint { rows, normal_impulse, friction_impulse, ..contact.clone() });
        }
        self.u.clear();
        for span in &self.spans {
            self.u.extend_from_slice(&u[span.clone()]);
        }
    }

    /// Writes back the impulses of the selected contacts and the momenta of their islands.
    fn scatter(&self, constraints: &mut ContactConstraints, u: &mut [f64]) {
        for (&k, solved) in self.selected.iter().zip(&self.list) {
            let contact = &mut constraints.list[k];
            contact.normal_impulse += solved.normal_impulse;
            contact.friction_impulse += solved.friction_impulse;
        }
        let mut at = 0;
        for span in &self.spans {
            u[span.clone()].copy_from_slice(&self.u[at..at + span.len()]);
            at += span.len();
        }
    }
}

/// Whether an impulse at one of some contacts changes the velocity at one of others.
fn are_coupled(constraints: &ContactConstraints, a: &[usize], b: &[usize]) -> bool {
    let ContactConstraints { list, rows, .. } = constraints;
    let coupled = |i: usize, j: usize| {
        let limit = CLOSING_SPEED_ROUNDING * (rows.delassus(i, i) * rows.delassus(j, j)).sqrt();
        rows.delassus(i, j).abs() > limit
    };
    let rows_of = |k: usize| {
        let count = if list[k].friction > 0.0 { 3 } else { 1 };
        list[k].rows.into_iter().take(count)
    };
    a.iter().any(|&a| b.iter().any(|&b| rows_of(a).any(|i| rows_of(b).any(|j| coupled(i, j)))))
}

impl ImpactSolver {
    /// The sequence of impacts of pairs of bodies.
    pub(super) fn apply_sequence(
        &mut self,
        constraints: &mut ContactConstraints,
        with_friction: bool,
    ) -> Result<(), StepError> {
        if constraints.list.iter().all(|contact| contact.restitution == 0.0) {
            return self.apply_at_once(constraints, with_friction);
        }
        let mut sequence = std::mem::take(&mut self.sequence);
        let result = self.apply_impacts(&mut sequence, constraints, with_friction);
        self.sequence = sequence;
        result
    }

    fn apply_impacts(
        &mut self,
        sequence: &mut ImpactSequence,
        constraints: &mut ContactConstraints,
        with_friction: bool,
    ) -> Result<(), StepError> {
        let speed = (2.0 * energy(&self.start)).sqrt();
        sequence.set_units(&constraints.list);
        let mut first = None;
        for _ in 0..MAX_SEQUENTIAL_IMPACTS * sequence.units.len() {
            let fastest = sequence.set_closing_speeds(constraints, &self.u, speed);
            if fastest == 0.0 {
                return Ok(());
            }
            if fastest < SEQUENCE_END * *first.get_or_insert(fastest) {
                constraints.list.iter_mut().for_each(|contact| contact.restitution = 0.0);
                return self.apply_at_once(constraints, with_friction);
            }
            for impact in 0..sequence.join_fastest(constraints, fastest) {
                if !sequence.select(impact) {
                    continue;
                }
                sequence.gather(constraints, &self.u);
                std::mem::swap(&mut self.u, &mut sequence.u);
                self.take_restitution_at_rest(&mut sequence.list, &sequence.rows);
                let solved = self.moreau(&mut sequence.list, &sequence.rows, with_friction);
                std::mem::swap(&mut self.u, &mut sequence.u);
                solved?;
                sequence.scatter(constraints, &mut self.u);
            }
        }
        self.unfinished += 1;
        self.apply_at_once(constraints, with_friction)
    }
}
