//! The convex relaxation for a given widening Γ of the gaps [Hart 5.3-5.7], as a quadratic program in the
//! velocity.
//!
//! ```text
//! P1(Γ): minimise 1/2 vᵀ M v - bᵀ v
//!        over (n + μ d)ᵀ v >= -(Γ + Δ) for every facet d,  νᵀ v = -Υ
//! its multipliers y:  c_n = Σ y,  β = μ y,  λ = Λ(v) = max |dᵀ v|
//! ```
//!
//! A contact slides on the cone `nᵀ v >= μ λ`, as if friction made it dilate; Γ takes that back where it
//! equals `μ λ`.

use super::impulses::{Cone, FrictionalOutcome, FrictionalSolution, NotPointed};
use super::problem::FrictionContactProblem;
use super::projection::{EnergyProjection, LinearConstraint, ProjectionStatus};
use super::residual::{cone_residual, residual_of};
use crate::error::{SolveError, all_finite, length};
use crate::tolerances::friction::{ACCEPTED, PROOF_CANCELS};

/// Solves convex relaxations.
///
/// ```
/// use percussion_solve::FrictionContactProblem;
/// use percussion_solve::lcp::friction::ConvexRelaxation;
///
/// // Mass 2 falls at 1 and slides at 3; friction 1/2.
/// let mut problem = FrictionContactProblem::new();
/// let block = problem.block(&[0.5, 0.0, 0.0, 0.5], &[6.0, -2.0])?;
/// problem.contact(&[(block, &[0.0, 1.0])], 0.5, 0.0)?.tangent(&[(block, &[1.0, 0.0])])?;
/// let mut relaxation = ConvexRelaxation::new();
/// // Without widening the block dilates: it climbs at half of the speed at which it slides.
/// let v = relaxation.solve(&problem, &[0.0])?.impulses.velocity.clone();
/// assert!((v[0] - 2.0).abs() < 1e-12 && (v[1] - 1.0).abs() < 1e-12);
/// // Widened by friction times slip it satisfies Coulomb's law.
/// let v = relaxation.solve(&problem, &[0.5 * 2.5])?.impulses.velocity.clone();
/// assert!((v[0] - 2.5).abs() < 1e-12 && v[1].abs() < 1e-12);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConvexRelaxation {
    projection: EnergyProjection,
    answer: FrictionalSolution,
}

impl ConvexRelaxation {
    /// A solver with an empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves the relaxation whose gaps are widened by Γ, one number per contact. The residual is that of the
    /// relaxation ([`relaxation_residual`](super::relaxation_residual)). The answer is valid until the next
    /// call.
    pub fn solve(
        &mut self,
        problem: &FrictionContactProblem,
        widening: &[f64],
    ) -> Result<&FrictionalSolution, SolveError> {
        length("widening", "contact", problem.contact_count(), widening.len())?;
        all_finite("widening", widening)?;
        problem.refuse_drives("the convex relaxation")?;
        let equalities = problem.equalities.iter().map(|equality| LinearConstraint {
            row: &equality.row,
            second: None,
            factor: 1.0,
            bound: -equality.offset,
            equality: true,
        });
        let contacts = problem.contacts.iter().zip(widening).flat_map(|(contact, gamma)| {
            let plain = LinearConstraint {
                row: &contact.normal,
                second: None,
                factor: 1.0,
                bound: -(contact.gap + gamma),
                equality: false,
            };
            let tangents = if contact.has_friction() { &problem.tangents[contact.range()] } else { &[] };
            let facets = tangents.iter().flat_map(move |row| {
                [1.0, -1.0].map(|s| {
                    let along = s * contact.friction;
                    LinearConstraint {
                        second: Some((row, along)),
                        bound: plain.bound - along * row.drift,
                        ..plain
                    }
                })
            });
            facets.chain((!contact.has_friction()).then_some(plain))
        });
        let status = self.projection.solve(problem, equalities.chain(contacts));
        let impulses = &mut self.answer.impulses;
        impulses.prepare(problem);
        let mut found = self.projection.impulses();
        impulses.equality.iter_mut().zip(&mut found).for_each(|(c, y)| *c = y);
        for (m, contact) in problem.contacts.iter().enumerate() {
            for facet in problem.facets(m).filter(|_| contact.has_friction()) {
                let y = found.next().unwrap_or(0.0);
                impulses.normal[m] += y;
                impulses.facets[facet] = contact.friction * y;
            }
            if !contact.has_friction() {
                impulses.normal[m] = found.next().unwrap_or(0.0);
            }
        }
        self.answer.iterations = self.projection.iterations;
        self.answer.evidence = None;
        if status == ProjectionStatus::Infeasible {
            let proof = NotPointed {
                equality: impulses.equality.clone(),
                normal: impulses.normal.clone(),
                facets: impulses.facets.clone(),
            };
            if cone_residual(problem, &proof)? <= PROOF_CANCELS {
                self.answer.evidence = Some(proof);
            }
            impulses.prepare(problem);
        }
        impulses.update_velocity(problem);
        impulses.compute_slip(problem, Cone::Facets);
        self.answer.residual =
            residual_of(problem, impulses, Cone::Facets, Some(widening), &mut Default::default());
        self.answer.outcome = match status {
            ProjectionStatus::Infeasible if self.answer.evidence.is_some() => FrictionalOutcome::NotPointed,
            _ if self.answer.residual.worst() <= ACCEPTED => FrictionalOutcome::Solved,
            _ => FrictionalOutcome::IterationLimit,
        };
        Ok(&self.answer)
    }

    /// The velocity of least energy distance for which no contact approaches faster than its gap and none
    /// slides faster than λ: the second map `P2(λ)` of [Hart 5.15-5.16]. Nothing if there is none.
    pub(super) fn limited_slip(
        &mut self,
        problem: &FrictionContactProblem,
        slip: &[f64],
        velocity: &mut Vec<f64>,
    ) -> bool {
        let plain = |row, bound| LinearConstraint { row, second: None, factor: 1.0, bound, equality: false };
        let constraints = || {
            let equalities = problem
                .equalities
                .iter()
                .map(|known| LinearConstraint { equality: true, ..plain(&known.row, -known.offset) });
            equalities.chain(problem.contacts.iter().zip(slip).flat_map(move |(contact, slip)| {
                let tangents = &problem.tangents[contact.range()];
                let facets = tangents.iter().flat_map(move |row| {
                    [1.0, -1.0]
                        .map(|factor| LinearConstraint { factor, ..plain(row, -slip - factor * row.drift) })
                });
                std::iter::once(plain(&contact.normal, -contact.gap)).chain(facets)
            }))
        };
        let status = self.projection.solve(problem, constraints());
        velocity.resize(problem.size(), 0.0);
        problem.free_velocity(velocity);
        for (constraint, y) in constraints().zip(self.projection.impulses()) {
            constraint.row.apply_impulse(problem.masses(), constraint.factor * y, velocity);
        }
        status == ProjectionStatus::Optimal
    }
}
