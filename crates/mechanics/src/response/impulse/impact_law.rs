//! Impact laws: how impulses at all contacts change mass-weighted momenta `u` [Johnson 3.5.4].
//!
//! ```text
//! summed_gradient   u ← u - (1+e) (g·u/g·g) g,   g = Σ ∇s_i, if g·u < 0                         [Johnson 3.109, 3.5.4]
//! moreau            v_i⁺ + e_i v_i⁻ ≥ 0  ⟂  λ_i ≥ 0      v_i = r_i·u,  u⁺ = u⁻ + Σ λ_i r_i      over all active events
//! apply_sequence    Moreau's law for one pair of bodies after the other, until none closes      sequential.rs
//! apply_plastic     contact points stop: `r·u⁺ = 0` along the tangents, `≥ 0` along the normal               [Pekarek]
//! ```
//!
//! For one contact Moreau's law is Newton's impact law `v⁺ = -e v⁻`. For several it is a projection: `u⁺` is the point nearest
//! to `u⁻` with `r_i·u ≥ -e_i v_i⁻`. With equal coefficients it cannot gain energy, and conserves it for `e = 1`, whatever the
//! signs of `v_i⁻`: `u⁺ = c + e (c - u⁻)` with `c` the nearest point of a cone, and `c ⟂ c - u⁻`. Where coefficients differ and
//! energy would be gained, or no velocity satisfies all inequalities, the smallest coefficient is used for all contacts.

use super::constraint::{ConstraintSlice, ContactConstraint, ContactConstraints};
use super::contact_impulses::{ContactImpulses, ImpulseOutcome, MANY_CONTACTS};
use super::mass_metric::JacobianRows;
use super::ratio_friction::ratio_friction;
use super::sequential::ImpactSequence;
use super::{ENERGY_GAIN_ROUNDING, INERT_TANGENT};
use crate::discrete::StepError;
use crate::response::ImpactLaw;
use crate::step_record::StepRecord;
use percussion_solve::qp::QpOutcome;
use percussion_solve::{QpSolver, QuadraticProgram, SolveError};

/// Applies impact laws to momenta, with its workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpactSolver {
    /// Mass-weighted momenta.
    pub u: Vec<f64>,
    /// Mass-weighted momenta before the impact.
    pub start: Vec<f64>,
    /// Speed below which a contact is at rest and restitution does not act, m/s.
    pub rest_speed: f64,
    /// Part of it below which an elastic contact is at rest.
    pub elastic_rest: f64,
    /// Coefficient of restitution of all contacts instead of those of their surfaces.
    pub restitution: Option<f64>,
    /// Upper bound of coefficients of friction.
    pub max_friction: f64,
    /// Change of kinetic energy by normal impulses, J.
    pub restitution_energy: f64,
    /// Change of kinetic energy by friction, J.
    pub friction_energy: f64,
    /// Largest residual of impulses so far, relative to the largest impulse of each problem.
    pub residual: f64,
    /// Problems so far that were not solved to their tolerance.
    pub unsolved: u64,
    /// Sequences of impacts so far that did not end and were resolved at once.
    pub unfinished: u64,
    pub(super) sequence: ImpactSequence,
    before: Vec<f64>,
    dense: Vec<f64>,
    normal_impulses: Vec<f64>,
    impulses: ContactImpulses,
    program: Option<QuadraticProgram>,
    solver: QpSolver,
}

/// The least-distance problem of a target, reusing an earlier one if any.
fn least_distance<'a>(
    program: &'a mut Option<QuadraticProgram>,
    target: &[f64],
) -> Result<&'a mut QuadraticProgram, SolveError> {
    Ok(match program {
        Some(program) => {
            program.reset_least_distance(target)?;
            program
        }
        none => none.insert(QuadraticProgram::least_distance(target)?),
    })
}

/// `|u|²/2`.
pub(crate) fn energy(u: &[f64]) -> f64 {
    0.5 * u.iter().map(|v| v * v).sum::<f64>()
}

impl ImpactSolver {
    /// Without bounds on coefficients.
    pub fn new() -> Self {
        Self { max_friction: f64::INFINITY, elastic_rest: 1.0, ..Self::default() }
    }

    /// Adds what was not solved since the last call to the record of a step.
    pub fn record_outcome(&mut self, record: &mut StepRecord) {
        record.unfinished_sequences += std::mem::take(&mut self.unfinished);
        record.unsolved += std::mem::take(&mut self.unsolved);
        record.contact_residual = record.contact_residual.max(std::mem::take(&mut self.residual));
    }

    /// Applies an impact law to `u`. `constraints` are those of all events, for the law `sum` one per pair. `ratio` has one
    /// constraint per pair if friction follows the ratio [Johnson 3.118]; otherwise Coulomb friction acts.
    pub fn apply(
        &mut self,
        law: ImpactLaw,
        constraints: &mut ContactConstraints,
        mut ratio: Option<&mut ContactConstraints>,
    ) -> Result<(), StepError> {
        self.start.clone_from(&self.u);
        (self.restitution_energy, self.friction_energy) = (0.0, 0.0);
        for set in [Some(&mut *constraints), ratio.as_deref_mut()].into_iter().flatten() {
            for contact in &mut set.list {
                contact.normal_velocity_before = set.rows.dot(contact.rows[0], &self.u);
                contact.friction = contact.friction.min(self.max_friction);
                contact.restitution = self.restitution.unwrap_or(contact.restitution);
            }
        }
        let with_friction = ratio.is_none();
        match law {
            ImpactLaw::Sum => {
                self.take_restitution_at_rest(&mut constraints.list, &constraints.rows);
                self.summed_gradient(constraints, with_friction);
            }
            ImpactLaw::Moreau => self.apply_at_once(constraints, with_friction)?,
            ImpactLaw::Sequential => self.apply_sequence(constraints, with_friction)?,
        }
        if let Some(ratio) = ratio {
            let before = energy(&self.u);
            ratio_friction(ratio, &self.start, &mut self.u);
            self.friction_energy += energy(&self.u) - before;
        }
        Ok(())
    }

    /// Plastic impact: all contact points stop.
    pub fn apply_plastic(&mut self, constraints: &mut ContactConstraints) -> Result<(), StepError> {
        self.start.clone_from(&self.u);
        self.before.clone_from(&self.u);
        (self.restitution_energy, self.friction_energy) = (0.0, 0.0);
        for contact in &mut constraints.list {
            contact.normal_velocity_before = constraints.rows.dot(contact.rows[0], &self.u);
        }
        self.stop_contact_points(constraints).map_err(|_| StepError::NotFinite)?;
        self.restitution_energy = energy(&self.u) - energy(&self.start);
        Ok(())
    }

    /// Projects `u` onto momenta at which the contact points do not slide or approach.
    fn stop_contact_points(&mut self, constraints: &mut ContactConstraints) -> Result<(), SolveError> {
        let program = least_distance(&mut self.program, &self.before)?;
        self.dense.clear();
        self.dense.resize(self.before.len(), 0.0);
        let mut active = Vec::with_capacity(3 * constraints.list.len());
        for (k, contact) in constraints.list.iter().enumerate() {
            let along = constraints.rows.delassus(contact.rows[0], contact.rows[0]);
            for (i, &row) in contact.rows.iter().enumerate() {
                // A planar model does not move out of its plane.
                if !(constraints.rows.delassus(row, row) > INERT_TANGENT * along) {
                    continue;
                }
                constraints.rows.write_dense(row, &mut self.dense);
                match i {
                    0 => program.at_least(&self.dense, 0.0)?,
                    _ => program.equal(&self.dense, 0.0)?,
                };
                active.push((k, i));
            }
        }
        let solution = self.solver.solve(program)?;
        for (&(k, i), &impulse) in active.iter().zip(&solution.row_duals) {
            let contact = &mut constraints.list[k];
            constraints.rows.add_scaled(contact.rows[i], impulse, &mut self.u);
            match i {
                0 => contact.normal_impulse += impulse,
                _ => contact.friction_impulse += contact.tangents[i - 1] * impulse,
            }
        }
        Ok(())
    }

    /// One multiplier for the sum of all gradients; friction contact by contact from the same momenta.
    fn summed_gradient(&mut self, constraints: &mut ContactConstraints, with_friction: bool) {
        let ContactConstraints { list, rows, .. } = constraints;
        self.dense.clear();
        self.dense.resize(self.u.len(), 0.0);
        for contact in list.iter() {
            rows.add_scaled(contact.rows[0], contact.gradient_norm, &mut self.dense);
        }
        let along: f64 = self.dense.iter().zip(&self.u).map(|(g, u)| g * u).sum();
        let square = 2.0 * energy(&self.dense);
        if !(along < 0.0 && square > 0.0) {
            return;
        }
        let e = list.iter().map(|contact| contact.restitution).fold(1.0, f64::min);
        let factor = -(1.0 + e) * along / square;
        let before = energy(&self.u);
        self.u.iter_mut().zip(&self.dense).for_each(|(u, g)| *u += factor * g);
        list.iter_mut().for_each(|contact| contact.normal_impulse = factor * contact.gradient_norm);
        let frictionless = energy(&self.u);
        self.restitution_energy = frictionless - before;
        if with_friction {
            self.before.clone_from(&self.u);
            for contact in list.iter_mut().filter(|contact| contact.friction > 0.0) {
                let ([s, t], outcome) = self.impulses.given_normal(rows, contact, &self.before);
                self.residual = self.residual.max(outcome.residual);
                self.unsolved += u64::from(!outcome.converged);
                rows.add_scaled(contact.rows[1], s, &mut self.u);
                rows.add_scaled(contact.rows[2], t, &mut self.u);
                contact.friction_impulse += contact.tangents[0] * s + contact.tangents[1] * t;
            }
            self.friction_energy = energy(&self.u) - frictionless;
        }
    }

    /// Takes the restitution of contacts that are at rest with the present momenta.
    pub(super) fn take_restitution_at_rest(&self, list: &mut [ContactConstraint], rows: &JacobianRows) {
        for contact in list {
            let elastic = contact.restitution == 1.0 && contact.friction == 0.0;
            let rest_speed = self.rest_speed * if elastic { self.elastic_rest } else { 1.0 };
            if rows.dot(contact.rows[0], &self.u).abs() < rest_speed {
                contact.restitution = 0.0;
            }
        }
    }

    /// Moreau's law for all constraints.
    pub(super) fn apply_at_once(
        &mut self,
        constraints: &mut ContactConstraints,
        with_friction: bool,
    ) -> Result<(), StepError> {
        let ContactConstraints { list, rows, .. } = constraints;
        self.take_restitution_at_rest(list, rows);
        self.moreau(list, rows, with_friction)
    }

    /// Moreau's law for constraints at once, from the present momenta.
    pub(super) fn moreau(
        &mut self,
        list: &mut [ContactConstraint],
        rows: &JacobianRows,
        with_friction: bool,
    ) -> Result<(), StepError> {
        if list.is_empty() {
            return Ok(());
        }
        self.before.clone_from(&self.u);
        let start = energy(&self.before);
        // Energies that underflow cannot be compared.
        if start < f64::MIN_POSITIVE {
            return Ok(());
        }
        let limit = start * (1.0 + ENERGY_GAIN_ROUNDING);
        let min_restitution = list.iter().map(|contact| contact.restitution).fold(1.0, f64::min);
        let mut max_restitution = 1.0;
        let solved =
            self.solve_normal_impulses(list, rows, max_restitution).map_err(|_| StepError::NotFinite)?;
        if !(solved && energy(&self.u) <= limit) {
            max_restitution = min_restitution;
            self.solve_normal_impulses(list, rows, max_restitution).map_err(|_| StepError::NotFinite)?;
        }
        let frictionless = energy(&self.u);
        self.restitution_energy += frictionless - start;
        if with_friction && list.iter().any(|contact| contact.friction > 0.0) {
            self.solve_friction(list, rows, max_restitution, limit);
            self.friction_energy += energy(&self.u) - frictionless;
        } else {
            list.iter_mut()
                .zip(&self.normal_impulses)
                .for_each(|(contact, impulse)| contact.normal_impulse += impulse);
        }
        Ok(())
    }

    /// Normal impulses of Moreau's law with restitution at most `max_restitution`. Whether all inequalities can be satisfied.
    fn solve_normal_impulses(
        &mut self,
        list: &[ContactConstraint],
        rows: &JacobianRows,
        max_restitution: f64,
    ) -> Result<bool, SolveError> {
        if list.len() >= MANY_CONTACTS {
            self.u.clone_from(&self.before);
            let bounds = list.iter().map(|contact| {
                let before = rows.dot(contact.rows[0], &self.before);
                (contact.rows[0], -contact.restitution.min(max_restitution) * before)
            });
            let impulses = &mut self.normal_impulses;
            if let Some(residual) = self.impulses.nearest_point(rows, bounds, &mut self.u, impulses) {
                self.residual = self.residual.max(residual);
                return Ok(true);
            }
        }
        let program = least_distance(&mut self.program, &self.before)?;
        self.dense.clear();
        self.dense.resize(self.before.len(), 0.0);
        for contact in list {
            rows.write_dense(contact.rows[0], &mut self.dense);
            let before = rows.dot(contact.rows[0], &self.before);
            program.at_least(&self.dense, -contact.restitution.min(max_restitution) * before)?;
        }
        let solution = self.solver.solve(program)?;
        self.normal_impulses.clone_from(&solution.row_duals);
        self.u.clone_from(&self.before);
        for (contact, impulse) in list.iter().zip(&self.normal_impulses) {
            rows.add_scaled(contact.rows[0], *impulse, &mut self.u);
        }
        Ok(solution.outcome == QpOutcome::Optimal)
    }

    /// Normal and friction impulses together. Newton's restitution with friction may gain energy where sliding reverses [Kane and
    /// Levinson 1985], or have no solution where bodies are jammed; then Poisson's hypothesis is used, and no restitution if
    /// that gains energy too.
    fn solve_friction(
        &mut self,
        list: &mut [ContactConstraint],
        rows: &JacobianRows,
        max_restitution: f64,
        limit: f64,
    ) {
        let contacts = ConstraintSlice { list, rows };
        let mut solve = |max_restitution: f64, u: &mut Vec<f64>| {
            u.clone_from(&self.before);
            self.impulses.with_friction(contacts, max_restitution, &self.normal_impulses, u)
        };
        let mut outcome = solve(max_restitution, &mut self.u);
        if !(outcome.is_accurate() && energy(&self.u) <= limit) && max_restitution > 0.0 {
            outcome = solve(0.0, &mut self.u);
            outcome = self.apply_poisson_restitution(contacts, max_restitution, limit, outcome);
        }
        let gains = !(energy(&self.u) <= limit);
        if gains {
            self.u.clone_from(&self.before);
            self.impulses.scale_to_least_energy(&mut self.u);
        }
        self.residual = self.residual.max(outcome.residual);
        // Scaled impulses do not satisfy the laws.
        self.unsolved += u64::from(gains || !outcome.converged);
        self.impulses.add_impulses_to(list);
    }

    /// Restitution by Poisson's hypothesis after an impact without restitution, unless it gains energy. The outcome of the impulses, which
    /// is not better than that without restitution.
    fn apply_poisson_restitution(
        &mut self,
        contacts: ConstraintSlice,
        max_restitution: f64,
        limit: f64,
        plastic: ImpulseOutcome,
    ) -> ImpulseOutcome {
        self.dense.clone_from(&self.before);
        let outcome = self.impulses.with_poisson(contacts, max_restitution, limit, &mut self.dense);
        if outcome.is_some() {
            std::mem::swap(&mut self.u, &mut self.dense);
        }
        outcome.map_or(plastic, |outcome| outcome.worse_of(plastic))
    }
}
