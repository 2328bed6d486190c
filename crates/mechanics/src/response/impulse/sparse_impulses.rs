//! Impulses of many contacts of a group, sparse: the problems of the projection and of Moreau's law, whose dense quadratic programs take the
//! cube of the degrees of freedom.
//!
//! ```text
//! nearest_point   d = target + Σ λ_i r_i        0 ≤ λ_i ⊥ r_i·d - b_i ≥ 0        the point nearest to the target with r_i·d ≥ b_i
//! with_friction   the same for momenta, with Coulomb's cone                        v_i⁺ + e_i v_i⁻ in place of r_i·d - b_i
//! ```

use super::constraint::ContactConstraint;
use super::mass_metric::JacobianRows;
use crate::tolerances::closed_contact::REGULARISATION;
use crate::tolerances::impulse::SPARSE_RESIDUAL;
use percussion_solve::contact::{ContactLaw, ContactSolver, ContactSolverOptions, ContactSystem};

/// Contacts from which on problems are solved here.
pub(crate) const MANY_CONTACTS: usize = 48;

/// Solver, with workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseImpulses {
    system: ContactSystem,
    solver: ContactSolver,
    block: Vec<f64>,
    target: Vec<f64>,
    x: Vec<[f64; 3]>,
}

impl SparseImpulses {
    /// Moves `d` to the nearest point with products of at least the bounds with some rows; the multipliers are added to a list. The residual
    /// relative to the largest multiplier, if it is small enough.
    pub fn nearest_point(
        &mut self,
        rows: &JacobianRows,
        bounds: impl Iterator<Item = (usize, f64)>,
        d: &mut [f64],
        multipliers: &mut Vec<f64>,
    ) -> Option<f64> {
        self.system.clear(d.len());
        self.x.clear();
        for (row, bound) in bounds {
            self.add_contact(rows, [Some(row), None, None], 0.0, -bound);
            self.x.push([0.0; 3]);
        }
        let residual = self.solve(d)?;
        multipliers.clear();
        multipliers.extend(self.x.iter().map(|x| x[0]));
        Some(residual)
    }

    /// Momenta after an impact with restitution at most `max_restitution` and friction; impulses are added to the contacts. The residual
    /// relative to the largest impulse, if it is small enough.
    pub fn with_friction(
        &mut self,
        list: &[ContactConstraint],
        rows: &JacobianRows,
        max_restitution: f64,
        normal_impulses: &[f64],
        u: &mut [f64],
    ) -> Option<f64> {
        self.system.clear(u.len());
        self.x.clear();
        for (contact, normal) in list.iter().zip(normal_impulses) {
            let bounce = contact.restitution.min(max_restitution) * rows.dot(contact.rows[0], u);
            self.add_contact(rows, contact.rows.map(Some), contact.friction, bounce);
            self.x.push([*normal, 0.0, 0.0]);
        }
        self.solve(u)
    }

    /// Adds the impulses of the last solution to their contacts.
    pub fn add_impulses_to(&self, list: &mut [ContactConstraint]) {
        for (contact, [normal, s, t]) in list.iter_mut().zip(&self.x) {
            contact.normal_impulse += normal;
            contact.friction_impulse += contact.tangents[0] * *s + contact.tangents[1] * *t;
        }
    }

    fn add_contact(&mut self, rows: &JacobianRows, triple: [Option<usize>; 3], friction: f64, bias: f64) {
        self.system.add_contact(ContactLaw::Cone { friction }, [bias, 0.0, 0.0], REGULARISATION);
        let Some(normal) = triple[0] else { return };
        for (span, part) in rows.blocks(normal).filter(|(span, _)| !span.is_empty()) {
            self.block.clear();
            self.block.resize(3 * span.len(), 0.0);
            self.block[..span.len()].copy_from_slice(part);
            for (k, row) in triple.iter().enumerate().skip(1) {
                let own = row.and_then(|row| rows.blocks(row).find(|(other, _)| *other == span));
                if let Some((_, part)) = own {
                    self.block[k * span.len()..(k + 1) * span.len()].copy_from_slice(part);
                }
            }
            self.system.add_block(span.start, &self.block, &self.block);
        }
    }

    /// Solves from the target `d`, which becomes the solution.
    fn solve(&mut self, d: &mut [f64]) -> Option<f64> {
        self.target.clear();
        self.target.extend_from_slice(d);
        let options = ContactSolverOptions::default();
        let outcome = self.solver.solve(&mut self.system, &self.target, &mut self.x, &options);
        let residual = if outcome.scale > 0.0 { outcome.residual.max() / outcome.scale } else { 0.0 };
        if !(outcome.converged || residual <= SPARSE_RESIDUAL) {
            return None;
        }
        for (k, x) in self.x.iter().enumerate() {
            self.system.add_impulse(k, x, 1.0, d);
        }
        Some(residual)
    }
}
