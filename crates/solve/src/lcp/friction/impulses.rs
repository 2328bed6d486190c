//! The shape of an answer, and of the evidence that there may be none.

use super::problem::FrictionContactProblem;
use super::residual::FrictionalResidual;

/// Which set the impulse of a contact may come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cone {
    /// The pyramid over the tangents and their opposites: `Σ β <= μ c_n`.
    #[default]
    Facets,
    /// Coulomb's cone, `|β_t| <= μ c_n` in the Euclidean norm of at most two tangents. They must be
    /// perpendicular to each other and of equal length.
    Round,
}

/// Impulses and the velocity they lead to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impulses {
    /// v, block after block.
    pub velocity: Vec<f64>,
    /// c_ν, one per equality.
    pub equality: Vec<f64>,
    /// c_n, one per contact.
    pub normal: Vec<f64>,
    /// β, two per tangent: along it and against it.
    pub facets: Vec<f64>,
    /// λ, one per contact: the speed of sliding, as the cone measures it.
    pub slip: Vec<f64>,
}

impl Impulses {
    /// No impulses for a problem, and the velocity without any.
    pub fn none(problem: &FrictionContactProblem) -> Self {
        let mut impulses = Self::default();
        impulses.prepare(problem);
        impulses
    }

    /// Sizes the vectors for a problem, keeping what fits: entries that were there stay, others are zero.
    pub(super) fn resize(&mut self, problem: &FrictionContactProblem) {
        self.velocity.resize(problem.size(), 0.0);
        self.equality.resize(problem.equality_count(), 0.0);
        self.normal.resize(problem.contact_count(), 0.0);
        self.facets.resize(problem.facet_count(), 0.0);
        self.slip.resize(problem.contact_count(), 0.0);
    }

    pub(super) fn prepare(&mut self, problem: &FrictionContactProblem) {
        self.resize(problem);
        for vector in [&mut self.equality, &mut self.normal, &mut self.facets, &mut self.slip] {
            vector.fill(0.0);
        }
        problem.free_velocity(&mut self.velocity);
    }

    /// Becomes a copy; reuses allocations.
    pub fn copy_from(&mut self, other: &Self) {
        self.velocity.clone_from(&other.velocity);
        self.equality.clone_from(&other.equality);
        self.normal.clone_from(&other.normal);
        self.facets.clone_from(&other.facets);
        self.slip.clone_from(&other.slip);
    }

    /// `v = W (b + ν c_ν + n c_n + D β)`
    pub(super) fn update_velocity(&mut self, problem: &FrictionContactProblem) {
        let mut velocity = std::mem::take(&mut self.velocity);
        self.velocity_into(problem, &mut velocity);
        self.velocity = velocity;
    }

    /// The same, written into `v`.
    pub(super) fn velocity_into(&self, problem: &FrictionContactProblem, v: &mut [f64]) {
        problem.free_velocity(v);
        let masses = problem.masses();
        for (equality, c) in problem.equalities.iter().zip(&self.equality) {
            equality.row.apply_impulse(masses, *c, v);
        }
        // Many contacts of a pile are open.
        for (contact, c) in problem.contacts.iter().zip(&self.normal).filter(|(_, c)| **c != 0.0) {
            contact.normal.apply_impulse(masses, *c, v);
        }
        for (row, pair) in problem.tangents.iter().zip(self.facets.as_chunks::<2>().0) {
            let along = pair[0] - pair[1];
            if along != 0.0 {
                row.apply_impulse(masses, along, v);
            }
        }
    }

    /// Sets λ to the least that the velocity admits: Λ(v) of [Hart 5.9], or the speed for the round cone.
    pub(super) fn compute_slip(&mut self, problem: &FrictionContactProblem, cone: Cone) {
        (0..self.slip.len()).for_each(|m| self.compute_slip_of(problem, cone, m));
    }

    /// The same for one contact.
    pub(super) fn compute_slip_of(&mut self, problem: &FrictionContactProblem, cone: Cone, contact: usize) {
        let tangents = &problem.tangents[problem.contacts[contact].range()];
        let speeds = tangents.iter().map(|row| row.velocity_along(&self.velocity).abs());
        self.slip[contact] = match cone {
            Cone::Facets => speeds.fold(0.0, f64::max),
            Cone::Round => speeds.fold(0.0, f64::hypot),
        };
    }
}

/// Evidence that the friction cone is not pointed [Hart 5.7]: impulses, not all zero and allowed by friction,
/// that cancel: `ν c_ν + n c_n + D β = 0`. Contacts can jam against each other with any force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotPointed {
    /// c_ν, one per equality.
    pub equality: Vec<f64>,
    /// c_n, one per contact.
    pub normal: Vec<f64>,
    /// β, two per tangent.
    pub facets: Vec<f64>,
}

/// The outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionalOutcome {
    /// Impulses that satisfy all conditions.
    Solved,
    /// No solution was found and the friction cone is not pointed, so that there need not be one.
    NotPointed,
    /// Neither was established within the iteration limit.
    #[default]
    IterationLimit,
}

/// An answer with its evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionalSolution {
    /// The outcome.
    pub outcome: FrictionalOutcome,
    /// The impulses, or the last ones tried.
    pub impulses: Impulses,
    /// Their residual; to rounding, where sweeps end far from a solution.
    pub residual: FrictionalResidual,
    /// Pivots, interior-point iterations, or sweeps and factorisations.
    pub iterations: usize,
    /// Impulses that cancel, if the cone is not pointed.
    pub evidence: Option<NotPointed>,
}

impl FrictionalSolution {
    /// Whether the outcome is `Solved`.
    pub fn is_solved(&self) -> bool {
        self.outcome == FrictionalOutcome::Solved
    }
}
