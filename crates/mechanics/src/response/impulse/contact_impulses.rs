//! Impulses of the contacts of a group as problems of [`percussion_solve::contact`], in mass-weighted momenta.
//!
//! ```text
//! nearest_point     d = target + Σ λ_i r_i          0 ≤ λ_i ⊥ r_i·d - b_i ≥ 0        the point nearest to the target with r_i·d ≥ b_i
//! with_friction     u⁺ = u⁻ + Σ λ_n r_n + λ_t r_t    0 ≤ λ_n ⊥ v_n⁺ + e v_n⁻ ≥ 0      Newton's restitution, Coulomb's cone
//!                                                   |λ_t| ≤ μ λ_n,  λ_t minimises λ_t·v_t⁺ there
//! with_poisson      λ_n of the impact without restitution, times 1 + e, are given: λ_t minimises λ_t·v_t⁺ within μ (1 + e) λ_n
//! given_normal      the same for each contact alone
//! ```
//!
//! A contact sticks (`v_t⁺ = 0`) if the impulse for that is at most `μ λ_n`; otherwise it slides against `λ_t`.
//!
//! Momenta are divided by a power of two near the largest of them, so that squares do not underflow however slow the bodies are: at rest,
//! momenta decrease by a rounding with every response.

use super::constraint::{ConstraintSlice, ContactConstraint};
use super::impact_law::energy;
use super::mass_metric::JacobianRows;
use crate::tolerances::closed_contact::REGULARISATION;
use crate::tolerances::impulse::{IMPULSE_TOLERANCE, USABLE_RESIDUAL};
use percussion_solve::contact::{
    ContactLaw, ContactOutcome, ContactSolver, ContactSolverOptions, ContactSystem,
};

/// Contacts from which on frictionless problems are solved here instead of by dense quadratic programs.
pub(crate) const MANY_CONTACTS: usize = 48;

/// Solver, with workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactImpulses {
    system: ContactSystem,
    solver: ContactSolver,
    block: Vec<f64>,
    target: Vec<f64>,
    x: Vec<[f64; 3]>,
    best: Vec<[f64; 3]>,
    /// Normal impulses that are given.
    given: Vec<f64>,
    /// Impulses without restitution, and momenta before the impact.
    plastic: Vec<[f64; 3]>,
    before: Vec<f64>,
    /// The unit of momenta.
    unit: f64,
}

/// How impulses were solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ImpulseOutcome {
    /// Residual relative to the largest impulse.
    pub residual: f64,
    /// Whether it came below the tolerance of the solver.
    pub converged: bool,
}

impl ImpulseOutcome {
    fn new(outcome: &ContactOutcome) -> Self {
        let residual = if outcome.scale > 0.0 { outcome.residual.max() / outcome.scale } else { 0.0 };
        Self { residual, converged: outcome.converged }
    }

    /// The larger residual of both.
    pub fn worse_of(self, other: Self) -> Self {
        Self { residual: self.residual.max(other.residual), converged: self.converged && other.converged }
    }

    /// Whether the impulses may be used without looking for others.
    pub fn is_accurate(&self) -> bool {
        self.converged || self.residual <= USABLE_RESIDUAL
    }
}

impl ContactImpulses {
    /// Moves `d` to the nearest point with products of at least the bounds with some rows; the multipliers are added to a list. The residual
    /// relative to the largest multiplier, if it is small enough.
    pub fn nearest_point(
        &mut self,
        rows: &JacobianRows,
        bounds: impl Iterator<Item = (usize, f64)>,
        d: &mut [f64],
        multipliers: &mut Vec<f64>,
    ) -> Option<f64> {
        self.begin(d, 1.0);
        for (row, bound) in bounds {
            self.add_contact(rows, &[row], ContactLaw::Cone { friction: 0.0 }, -bound);
            self.x.push([0.0; 3]);
        }
        let outcome = self.solve();
        if !outcome.is_accurate() {
            return None;
        }
        self.add_to_momenta(d);
        multipliers.clear();
        multipliers.extend(self.x.iter().map(|x| x[0]));
        Some(outcome.residual)
    }

    /// Momenta after an impact with restitution at most `max_restitution` and friction, from initial normal impulses.
    pub(super) fn with_friction(
        &mut self,
        ConstraintSlice { list, rows }: ConstraintSlice,
        max_restitution: f64,
        normal_impulses: &[f64],
        u: &mut [f64],
    ) -> ImpulseOutcome {
        self.begin(u, unit_of(u));
        for (contact, normal) in list.iter().zip(normal_impulses) {
            let bounce = contact.restitution.min(max_restitution) * rows.dot(contact.rows[0], u);
            let law = ContactLaw::Cone { friction: contact.friction };
            self.add_contact(rows, &contact.rows, law, bounce / self.unit);
            self.x.push([*normal / self.unit, 0.0, 0.0]);
        }
        let outcome = self.solve();
        self.add_to_momenta(u);
        outcome
    }

    /// Restitution by Poisson's hypothesis: the normal impulses of the impact without restitution, which was solved last, are multiplied by
    /// `1 + e`, and friction is solved for again. `u` are the momenta before the impact. Without effect if the energy then exceeds `limit`:
    /// `None`.
    pub(super) fn with_poisson(
        &mut self,
        contacts: ConstraintSlice,
        max_restitution: f64,
        limit: f64,
        u: &mut [f64],
    ) -> Option<ImpulseOutcome> {
        self.plastic.clone_from(&self.x);
        self.begin(u, self.unit);
        for (k, contact) in contacts.list.iter().enumerate() {
            let [normal, s, t] = self.plastic[k];
            let normal = (1.0 + contact.restitution.min(max_restitution)) * normal;
            self.add_given(contacts.rows, contact, normal);
            (self.x[k][1], self.x[k][2]) = (s, t);
        }
        let outcome = self.solve_given();
        self.before.clear();
        self.before.extend_from_slice(u);
        self.add_to_momenta(u);
        if energy(u) <= limit {
            return Some(outcome);
        }
        u.copy_from_slice(&self.before);
        std::mem::swap(&mut self.x, &mut self.plastic);
        None
    }

    /// Tangential impulse of one contact for the normal impulse of its constraint; neither is added to the momenta `u`, which include that
    /// of the normal one.
    pub(super) fn given_normal(
        &mut self,
        rows: &JacobianRows,
        contact: &ContactConstraint,
        u: &[f64],
    ) -> ([f64; 2], ImpulseOutcome) {
        self.begin(u, unit_of(u));
        let law = ContactLaw::Tresca { radius: contact.friction * contact.normal_impulse / self.unit };
        self.add_contact(rows, &contact.rows, law, 0.0);
        self.x.push([0.0; 3]);
        let outcome = self.solve();
        ([self.x[0][1] * self.unit, self.x[0][2] * self.unit], outcome)
    }

    /// Reduces the impulses last solved for to the multiple with the least energy; `u` are the momenta before the impact. Cones contain
    /// the multiples of what they contain, and this one adds no energy, whatever the impulses are.
    pub(super) fn scale_to_least_energy(&mut self, u: &mut [f64]) {
        self.target.clear();
        self.target.resize(u.len(), 0.0);
        for (k, x) in self.x.iter().enumerate() {
            self.system.add_impulse(k, x, self.unit, &mut self.target);
        }
        let (mut along, mut square) = (0.0, 0.0);
        for (u, change) in u.iter().zip(&self.target) {
            along += u * change;
            square += change * change;
        }
        let best = -along / square;
        let best = if best > 0.0 { best.min(1.0) } else { 0.0 };
        self.x.iter_mut().flatten().for_each(|x| *x = if best > 0.0 { *x * best } else { 0.0 });
        self.add_to_momenta(u);
    }

    /// Adds the impulses of the last solution to their contacts.
    pub(super) fn add_impulses_to(&self, list: &mut [ContactConstraint]) {
        for (contact, x) in list.iter_mut().zip(&self.x) {
            let [normal, s, t] = x.map(|x| x * self.unit);
            contact.normal_impulse += normal;
            contact.friction_impulse += contact.tangents[0] * s + contact.tangents[1] * t;
        }
    }

    /// Begins a problem with the momenta `u`.
    fn begin(&mut self, u: &[f64], unit: f64) {
        self.unit = unit;
        self.system.clear(u.len());
        self.x.clear();
        self.target.clear();
        self.target.extend(u.iter().map(|u| u / unit));
    }

    /// Adds a contact with its normal row, and tangential ones if any.
    fn add_contact(&mut self, rows: &JacobianRows, triple: &[usize], law: ContactLaw, bias: f64) {
        self.system.add_contact(law, [bias, 0.0, 0.0], REGULARISATION);
        let mut added = [0..0, 0..0];
        let mut count = 0;
        for (span, _) in triple.iter().flat_map(|row| rows.blocks(*row)) {
            if span.is_empty() || added[..count].contains(span) || count == added.len() {
                continue;
            }
            added[count] = span.clone();
            count += 1;
            self.block.clear();
            self.block.resize(3 * span.len(), 0.0);
            for (part, row) in self.block.chunks_exact_mut(span.len()).zip(triple) {
                if let Some((_, values)) = rows.blocks(*row).find(|(other, _)| *other == span) {
                    part.copy_from_slice(values);
                }
            }
            self.system.add_block(span.start, &self.block, &self.block);
        }
    }

    /// Adds a contact whose normal impulse is given, in units of the problem.
    fn add_given(&mut self, rows: &JacobianRows, contact: &ContactConstraint, normal: f64) {
        self.add_contact(rows, &contact.rows, ContactLaw::Tresca { radius: contact.friction * normal }, 0.0);
        self.system.add_impulse(self.x.len(), &[normal, 0.0, 0.0], 1.0, &mut self.target);
        self.x.push([normal, 0.0, 0.0]);
    }

    /// Solves for tangential impulses with the given normal ones, which are kept.
    fn solve_given(&mut self) -> ImpulseOutcome {
        self.given.clear();
        self.given.extend(self.x.iter_mut().map(|x| std::mem::take(&mut x[0])));
        let outcome = self.solve();
        self.x.iter_mut().zip(&self.given).for_each(|(x, given)| x[0] = *given);
        outcome
    }

    /// Solves from the target. Where few redundant contacts are about to slip, Newton steps on their compliance may cycle; proximal
    /// iterations, those of many contacts, then continue from the best impulses, or begin again with none.
    fn solve(&mut self) -> ImpulseOutcome {
        let options =
            ContactSolverOptions { tolerance: IMPULSE_TOLERANCE, ..ContactSolverOptions::default() };
        let mut solve = |options: &ContactSolverOptions, x: &mut [[f64; 3]]| {
            ImpulseOutcome::new(&self.solver.solve(&mut self.system, &self.target, x, options))
        };
        let mut outcome = solve(&options, &mut self.x);
        if self.x.len() > options.few {
            return outcome;
        }
        let further = ContactSolverOptions { few: 0, newton_steps: 300, sweeps: 1000, ..options };
        for from_nothing in [false, true] {
            if outcome.converged {
                break;
            }
            self.best.clone_from(&self.x);
            if from_nothing {
                self.x.fill([0.0; 3]);
            }
            let next = solve(&further, &mut self.x);
            if next.residual < outcome.residual {
                outcome = next;
            } else {
                std::mem::swap(&mut self.x, &mut self.best);
            }
        }
        outcome
    }

    /// Adds the impulses to momenta.
    fn add_to_momenta(&self, u: &mut [f64]) {
        for (k, x) in self.x.iter().enumerate() {
            self.system.add_impulse(k, x, self.unit, u);
        }
    }
}

/// A power of two near the largest of some numbers; one of none.
fn unit_of(u: &[f64]) -> f64 {
    let largest = u.iter().fold(0.0, |most: f64, u| most.max(u.abs()));
    // The exponent alone is left of the bits.
    let unit = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits());
    if unit > 0.0 && unit.is_finite() { unit } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_geometry::Vec3;

    /// A contact of a point mass whose rows are coupled.
    fn contact(restitution: f64, friction: f64) -> (ContactConstraint, JacobianRows) {
        let mut rows = JacobianRows::default();
        let own = [[0.9, 0.1, 0.2], [0.0, 1.1, 0.3], [0.1, 0.0, 0.8]].map(|row| rows.push_block(0, &row));
        let contact = ContactConstraint {
            pair: (0, 1),
            bodies: (0, 1),
            point: Vec3::zeros(),
            normal: Vec3::x(),
            tangents: [Vec3::y(), Vec3::z()],
            gradient_norm: 1.0,
            restitution,
            friction,
            rows: own,
            normal_impulse: 0.0,
            friction_impulse: Vec3::zeros(),
            normal_velocity_before: 0.0,
            stop: None,
        };
        (contact, rows)
    }

    #[test]
    fn impulses_scale_with_the_momenta_down_to_where_squares_underflow() {
        let (contact, rows) = contact(0.5, 0.3);
        let list = [contact];
        let contacts = ConstraintSlice { list: &list, rows: &rows };
        let impact = |scale: f64| {
            let mut u = [-1.0, 0.4, 0.7].map(|u| u * scale);
            let outcome = ContactImpulses::default().with_friction(contacts, 1.0, &[0.0], &mut u);
            assert!(outcome.converged, "{scale:e}: {outcome:?}");
            u
        };
        let u = impact(1.0);
        let normal = |u: &[f64; 3]| rows.dot(list[0].rows[0], u);
        assert!((normal(&u) + 0.5 * normal(&[-1.0, 0.4, 0.7])).abs() < 1e-14, "{u:?}");
        for power in [-1000, -600, 300] {
            let scale = 2f64.powi(power);
            assert_eq!(impact(scale), u.map(|u| u * scale), "{power}");
        }
    }

    #[test]
    fn restitution_by_poisson_multiplies_the_normal_impulse_and_is_undone_where_it_gains_energy() {
        let (contact, rows) = contact(0.5, 0.3);
        let list = [contact];
        let contacts = ConstraintSlice { list: &list, rows: &rows };
        let start = [-1.0, 0.4, 0.7];
        for (limit, factor) in [(energy(&start), 1.5), (0.0, 1.0)] {
            let mut impulses = ContactImpulses::default();
            let mut plastic = start;
            impulses.with_friction(contacts, 0.0, &[0.0], &mut plastic);
            let expected = factor * impulses.x[0][0] * impulses.unit;
            let mut u = start;
            let outcome = impulses.with_poisson(contacts, 1.0, limit, &mut u);
            assert_eq!(outcome.is_some(), factor > 1.0);
            assert!(outcome.is_none_or(|outcome| outcome.converged), "{outcome:?}");
            let mut list = list.clone();
            impulses.add_impulses_to(&mut list);
            assert!((list[0].normal_impulse - expected).abs() < 1e-15);
            assert!(list[0].friction_impulse.norm() <= 0.3 * expected * (1.0 + 1e-14));
        }
    }

    #[test]
    fn scaled_impulses_add_no_energy() {
        let (contact, rows) = contact(0.0, 0.3);
        let list = [contact];
        let contacts = ConstraintSlice { list: &list, rows: &rows };
        let start = [-1.0, 0.4, 0.7];
        for wrong in [30.0, -1.0, f64::NAN] {
            let mut impulses = ContactImpulses::default();
            impulses.with_friction(contacts, 0.0, &[0.0], &mut start.clone());
            impulses.x[0].iter_mut().for_each(|x| *x *= wrong);
            let mut u = start;
            impulses.scale_to_least_energy(&mut u);
            assert!(energy(&u) <= energy(&start), "{wrong}: {u:?}");
        }
    }
}
