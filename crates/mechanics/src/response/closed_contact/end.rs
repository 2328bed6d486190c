//! The end of the interval: impulses that remove the normal velocity of closed contacts, with friction as in the interval.

use super::interval::{ClosedContactStep, Member};
use super::{MAX_REPETITIONS, MAX_REVERSALS, REGULARISATION_END};
use crate::contact::ContactGeometry;
use crate::model::{Model, State};
use crate::spatial::twist;
use percussion_solve::contact::ContactLaw;

impl ClosedContactStep {
    /// Solves for the impulses at the end and adds them to its momenta. Whether they satisfy the contact laws, and their residual
    /// relative to the largest impulse.
    pub(super) fn solve_end(
        &mut self,
        model: &Model,
        geometry: &ContactGeometry,
        (closed_gap, h): (f64, f64),
        end: &mut State,
    ) -> (bool, f64) {
        self.set_known_impulses_at_end(model, h, end);
        self.assemble_end(model, geometry, closed_gap, end);
        let options = self.solver_options();
        let many = self.system.len() > options.few;
        if many {
            // Without a past the impulses at the start are the better initial iterate: those of a pile at rest are the same.
            for (&k, x) in self.listed.iter().zip(&mut self.x) {
                if *x == [0.0; 3] {
                    *x = self.contacts[k].impulse_start;
                }
            }
        }
        let mut solved = self.solver.solve(&mut self.system, &self.v, &mut self.x, &options);
        for _ in 0..if many { MAX_REPETITIONS } else { 0 } {
            if solved.converged {
                break;
            }
            solved = self.solver.solve(&mut self.system, &self.v, &mut self.x, &options);
        }
        for _ in 0..MAX_REVERSALS {
            let drives = self.release_reversed_drives(model, end);
            if drives {
                // The contacts that were released stay so only if they still reverse.
                self.assemble_end(model, geometry, closed_gap, end);
            } else if !self.release_reversed() {
                break;
            }
            solved = self.solver.solve(&mut self.system, &self.v, &mut self.x, &options);
        }
        for contact in &mut self.contacts {
            contact.impulse_end = [0.0; 3];
        }
        for (&k, x) in self.listed.iter().zip(&self.x) {
            self.contacts[k].impulse_end = *x;
        }
        self.add_joint_impulses_at_end(model, end);
        self.add_end_impulses(model, geometry, end);
        self.set_joint_rates_at_end(model, end);
        let rounding = self.rounding_at_end(geometry, end, h);
        let converged = solved.converged || solved.residual.max() <= rounding;
        (converged, if solved.scale > 0.0 { solved.residual.max() / solved.scale } else { 0.0 })
    }

    /// The contact problem of the velocities at the end.
    fn assemble_end(&mut self, model: &Model, geometry: &ContactGeometry, closed_gap: f64, end: &State) {
        self.v.clear();
        self.v.resize(self.dofs, 0.0);
        for member in &mut self.members[..self.count] {
            let island = &model.islands[member.island];
            let v = &mut self.v[member.first..member.first + island.dofs.len()];
            member.step.solve_end(&end.momenta[island.dofs.clone()], v);
        }
        self.system.clear(self.dofs);
        self.listed.clear();
        self.listed_rows.clear();
        self.x.clear();
        for k in 0..self.contacts.len() {
            let contact = &self.contacts[k];
            let closed = contact.impulse_start[0] > 0.0 || contact.end.gap <= closed_gap;
            if contact.excluded || !closed {
                continue;
            }
            let sides = self.sides(geometry, contact.function.pair);
            let [s, t] = contact.slip;
            let (slip, friction) = (s.hypot(t), contact.friction);
            let law = match contact.slides {
                true => ContactLaw::Sliding { friction, direction: [s / slip, t / slip] },
                false => ContactLaw::Cone { friction },
            };
            let directions = [contact.end.normal, contact.end_tangents()[0], contact.end_tangents()[1]];
            let point = contact.end.point;
            self.system.add_contact(law, [0.0; 3], REGULARISATION_END);
            self.listed.push(k);
            self.x.push(contact.impulse_end);
            for m in 0..self.count {
                if !sides.iter().flatten().any(|side| side.member == m) {
                    continue;
                }
                let Member { island, first, step } = &mut self.members[m];
                let width = model.islands[*island].dofs.len();
                self.rows.clear();
                self.rows.resize(3 * width, 0.0);
                self.columns.clear();
                self.columns.resize(3 * width, 0.0);
                for side in sides.iter().flatten().filter(|side| side.member == m) {
                    let arm = point - end.positions[side.slot];
                    for (c, d) in directions.iter().enumerate() {
                        let row = &mut self.columns[..width];
                        step.reduce_after(side.body, &(twist(d, &arm.cross(d)) * side.sign), row);
                        let target = &mut self.rows[c * width..(c + 1) * width];
                        target.iter_mut().zip(row.iter()).for_each(|(t, r)| *t += r);
                    }
                }
                for c in 0..3 {
                    let row = &self.rows[c * width..(c + 1) * width];
                    step.solve_end(row, &mut self.columns[c * width..(c + 1) * width]);
                }
                self.system.add_block(*first, &self.rows, &self.columns);
            }
        }
        self.list_joint_rows_at_end(model, end);
    }

    /// Contacts that slide against their direction at the end get Coulomb's law there. Whether there are any.
    fn release_reversed(&mut self) -> bool {
        let mut any = false;
        for i in 0..self.listed.len() {
            let ContactLaw::Sliding { friction, direction } = self.system.law(i) else { continue };
            let y = self.system.value(i, self.solver.velocities());
            if self.x[i][0] > 0.0 && y[1] * direction[0] + y[2] * direction[1] < 0.0 {
                self.system.set_law(i, ContactLaw::Cone { friction });
                any = true;
            }
        }
        any
    }

    /// Adds the impulses at the end to the momenta there.
    fn add_end_impulses(&mut self, model: &Model, geometry: &ContactGeometry, end: &mut State) {
        for k in 0..self.contacts.len() {
            let contact = &self.contacts[k];
            if contact.impulse_end == [0.0; 3] {
                continue;
            }
            let (normal, tangential) = contact.impulses_at_end();
            let (force, point) = (normal + tangential, contact.end.point);
            for side in self.sides(geometry, contact.function.pair).into_iter().flatten() {
                let arm = point - end.positions[side.slot];
                let island = &model.islands[self.members[side.member].island];
                self.rows.clear();
                self.rows.resize(island.dofs.len(), 0.0);
                let wrench = twist(&force, &arm.cross(&force)) * side.sign;
                self.members[side.member].step.reduce_after(side.body, &wrench, &mut self.rows);
                let momenta = &mut end.momenta[island.dofs.clone()];
                momenta.iter_mut().zip(&self.rows).for_each(|(p, c)| *p += c);
            }
        }
        for member in &mut self.members[..self.count] {
            let dofs = model.islands[member.island].dofs.clone();
            member.step.project_end(&mut end.momenta[dofs]);
        }
    }
}
