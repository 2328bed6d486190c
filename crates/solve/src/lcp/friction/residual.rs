//! Residual of impulses with friction. Calls no solver.

use super::impulses::{Cone, Impulses, NotPointed};
use super::problem::{Contact, FrictionContactProblem};
use crate::constraints::{ratio, worst_of};
use crate::error::{SolveError, length};

/// Errors of impulses in the units of [the module](super), all zero for perfect ones. A pair of complementary
/// quantities errs by the absolute value of the smaller one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionalResidual {
    /// Difference between the velocity and what momentum and impulses make of it.
    pub momentum: f64,
    /// Largest `|νᵀ v + Υ|`; of drives, what one projection would change.
    pub equality: f64,
    /// Most negative impulse or slip.
    pub sign: f64,
    /// Normal velocity with gap against normal impulse.
    pub normal: f64,
    /// Facets against their slack; for the round cone: the impulse against the one that resists most.
    pub friction: f64,
    /// What the pressure leaves of the cone against the slip.
    pub cone: f64,
}

impl FrictionalResidual {
    /// The largest of the six.
    pub fn worst(&self) -> f64 {
        [self.equality, self.sign, self.normal, self.friction, self.cone]
            .into_iter()
            .fold(self.momentum, f64::max)
    }

    /// Becomes the larger error of both in everything.
    pub(super) fn max_with(&mut self, other: &Self) {
        let own = [&mut self.momentum, &mut self.equality, &mut self.sign, &mut self.normal];
        let theirs = [other.momentum, other.equality, other.sign, other.normal];
        own.into_iter().zip(theirs).for_each(|(own, theirs)| *own = own.max(theirs));
        self.friction = self.friction.max(other.friction);
        self.cone = self.cone.max(other.cone);
    }
}

/// Residual of impulses, whichever solver they came from.
pub fn frictional_residual(
    problem: &FrictionContactProblem,
    impulses: &Impulses,
    cone: Cone,
) -> Result<FrictionalResidual, SolveError> {
    problem.check_cone(cone)?;
    check_lengths(problem, impulses)?;
    Ok(residual_of(problem, impulses, cone, None, &mut Vec::new()))
}

/// Residual of impulses as a solution of the convex relaxation [Hart 5.3-5.4]: the normal velocity is `nᵀ v - μ λ`
/// there, the gap `Δ + Γ`.
pub fn relaxation_residual(
    problem: &FrictionContactProblem,
    widening: &[f64],
    impulses: &Impulses,
) -> Result<FrictionalResidual, SolveError> {
    length("widening", "contact", problem.contact_count(), widening.len())?;
    check_lengths(problem, impulses)?;
    Ok(residual_of(problem, impulses, Cone::Facets, Some(widening), &mut Vec::new()))
}

/// How far evidence is from proving that the friction cone is not pointed: the largest of what is left of the
/// sum, of wrong signs and of facets beyond `μ c_n`, relative to the size of the impulses. Infinite if there
/// are none.
pub fn cone_residual(problem: &FrictionContactProblem, evidence: &NotPointed) -> Result<f64, SolveError> {
    length("equality impulses", "equality", problem.equality_count(), evidence.equality.len())?;
    length("normal impulses", "contact", problem.contact_count(), evidence.normal.len())?;
    length("facet impulses", "facet", problem.facet_count(), evidence.facets.len())?;
    let mut v = vec![0.0; problem.size()];
    let masses = problem.masses();
    let (mut size, mut worst) = (0.0, 0.0);
    for (equality, c) in problem.equalities.iter().zip(&evidence.equality) {
        equality.row.apply_impulse(masses, *c, &mut v);
        size += c.abs() * equality.row.compliance.sqrt();
    }
    for (contact, c) in problem.contacts.iter().zip(&evidence.normal) {
        contact.normal.apply_impulse(masses, *c, &mut v);
        size += c.abs() * contact.normal.compliance.sqrt();
    }
    for (row, pair) in problem.tangents.iter().zip(evidence.facets.chunks_exact(2)) {
        row.apply_impulse(masses, pair[0] - pair[1], &mut v);
        size += (pair[0].abs() + pair[1].abs()) * row.compliance.sqrt();
    }
    if !(size > 0.0) {
        return Ok(f64::INFINITY);
    }
    for (contact, c) in problem.contacts.iter().zip(&evidence.normal) {
        worst_of(&mut worst, ratio(-c * contact.normal.compliance.sqrt(), size));
        let facets = &evidence.facets[2 * contact.tangents.0..2 * contact.tangents.1];
        let stiffest = root_compliance(problem, contact);
        facets.iter().for_each(|b| worst_of(&mut worst, ratio(-b * stiffest, size)));
        let beyond = facets.iter().sum::<f64>() - contact.friction * c;
        worst_of(&mut worst, ratio(beyond * stiffest, size));
    }
    for (start, w, b) in problem.blocks() {
        for i in 0..b.len() {
            worst_of(&mut worst, ratio(v[start + i].abs(), size * w[i * b.len() + i].sqrt()));
        }
    }
    Ok(worst)
}

fn check_lengths(problem: &FrictionContactProblem, impulses: &Impulses) -> Result<(), SolveError> {
    length("velocity", "unknown", problem.size(), impulses.velocity.len())?;
    length("equality impulses", "equality", problem.equality_count(), impulses.equality.len())?;
    length("normal impulses", "contact", problem.contact_count(), impulses.normal.len())?;
    length("facet impulses", "facet", problem.facet_count(), impulses.facets.len())?;
    length("slips", "contact", problem.contact_count(), impulses.slip.len())
}

/// √g of the most yielding tangent of a contact, or of its normal if it has none.
pub(super) fn root_compliance(problem: &FrictionContactProblem, contact: &Contact) -> f64 {
    let g = problem.tangents[contact.range()].iter().fold(0.0_f64, |g, row| g.max(row.compliance));
    if g > 0.0 { g.sqrt() } else { contact.normal.compliance.sqrt() }
}

/// The residual itself; `scratch` is overwritten.
pub(super) fn residual_of(
    problem: &FrictionContactProblem,
    impulses: &Impulses,
    cone: Cone,
    widening: Option<&[f64]>,
    scratch: &mut Vec<f64>,
) -> FrictionalResidual {
    let mut residual = FrictionalResidual::default();
    let size = problem.momentum_size();
    let v = &impulses.velocity;
    scratch.resize(problem.size(), 0.0);
    impulses.velocity_into(problem, scratch);
    for block in problem.masses().blocks {
        for i in 0..block.width {
            let error = (v[block.start + i] - scratch[block.start + i]).abs();
            worst_of(&mut residual.momentum, ratio(error, size * block.roots[i]));
        }
    }
    for (equality, c) in problem.equalities.iter().zip(&impulses.equality) {
        worst_of(&mut residual.equality, ratio(equality.error(v, *c), size * equality.row.compliance.sqrt()));
    }
    for (m, contact) in problem.contacts.iter().enumerate() {
        let (c, slip) = (impulses.normal[m], impulses.slip[m]);
        let relaxed = widening.map_or(0.0, |gamma| gamma[m] - contact.friction * slip);
        let approach = contact.normal.velocity_along(v) + contact.gap + relaxed;
        let root = contact.normal.compliance.sqrt();
        worst_of(&mut residual.sign, ratio(-c * root, size));
        worst_of(&mut residual.normal, complementarity(c * root, approach / root, size));
        if contact.range().is_empty() {
            worst_of(&mut residual.cone, ratio(slip.abs(), size * root));
            continue;
        }
        let root = root_compliance(problem, contact);
        let facets = &impulses.facets[2 * contact.tangents.0..2 * contact.tangents.1];
        let rows = &problem.tangents[contact.range()];
        worst_of(&mut residual.sign, ratio(-slip, size * root));
        facets.iter().for_each(|b| worst_of(&mut residual.sign, ratio(-b * root, size)));
        let reach = contact.friction * c;
        match cone {
            Cone::Facets => {
                for (row, pair) in rows.iter().zip(facets.chunks_exact(2)) {
                    let speed = row.velocity_along(v);
                    for (beta, slack) in [(pair[0], slip + speed), (pair[1], slip - speed)] {
                        worst_of(&mut residual.friction, complementarity(beta * root, slack / root, size));
                    }
                }
                let left = reach - facets.iter().sum::<f64>();
                worst_of(&mut residual.cone, complementarity(left * root, slip / root, size));
            }
            Cone::Round => {
                let (mut p, mut u) = ([0.0; 2], [0.0; 2]);
                for (k, (row, pair)) in rows.iter().zip(facets.chunks_exact(2)).enumerate().take(2) {
                    (p[k], u[k]) = ((pair[0] - pair[1]) * root, row.velocity_along(v) / root);
                }
                let speed = u[0].hypot(u[1]);
                let reach = (reach * root).max(0.0);
                let wish = [p[0] - u[0], p[1] - u[1]];
                let long = wish[0].hypot(wish[1]);
                let shrink = if long > reach { reach / long } else { 1.0 };
                let error = (p[0] - shrink * wish[0]).hypot(p[1] - shrink * wish[1]);
                worst_of(&mut residual.friction, ratio(error, size));
                worst_of(&mut residual.cone, ratio(p[0].hypot(p[1]) - reach, size));
                worst_of(&mut residual.cone, ratio((slip / root - speed).abs(), size));
            }
        }
    }
    residual
}

/// Error of a complementary pair in a unit.
fn complementarity(a: f64, b: f64, unit: f64) -> f64 {
    ratio(a.min(b).abs(), unit)
}
