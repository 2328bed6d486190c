//! The frictional problem by complementary pivoting: exact, for a few dozen contacts.
//!
//! ```text
//! z = (c_ν free, c_n, β, λ),   v = W (b + ν c_ν + n c_n + D β) put in:
//!
//!     νᵀWν  νᵀWn  νᵀWD  0       νᵀWb + Υ
//! M = nᵀWν  nᵀWn  nᵀWD  0   q = nᵀWb + Δ
//!     DᵀWν  DᵀWn  DᵀWD  E       DᵀWb
//!     0     μ     -Eᵀ   0       0
//! ```
//!
//! M is copositive, so that a ray z has `zᵀ M z = 0`: its impulses cancel and lie in the friction cone, which
//! is therefore not pointed [Hart 5.7, 5.8]. Contacts without friction have no facets and no λ. A drive with compliance adds κ to the
//! diagonal; one with a bound has two senses and a slack, as a facet pair whose reach is constant. Redundant
//! equalities are passed over by the elimination of the free unknowns.

use super::impulses::{Cone, FrictionalOutcome, FrictionalSolution, NotPointed};
use super::problem::FrictionContactProblem;
use super::residual::{cone_residual, residual_of};
use super::rows::Row;
use crate::lcp::{Lcp, LcpOutcome, Lemke};
use crate::tolerances::friction::{ACCEPTED, RAY_CANCELS};

/// What an unknown of the dense problem is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unknown {
    Equality(usize),
    /// One of both senses of a drive that has a bound.
    Drive(usize, f64),
    /// Its slack.
    DriveSlack(usize),
    Normal(usize),
    /// A facet and the contact it belongs to.
    Facet(usize, usize),
    Slip(usize),
}

/// Solves frictional problems by Lemke's method, with a reusable workspace.
#[derive(Clone, Debug, Default)]
pub struct FrictionalLemke {
    lemke: Lemke,
    dense: Lcp,
    unknowns: Vec<Unknown>,
    answer: FrictionalSolution,
}

impl FrictionalLemke {
    /// A solver with an empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a problem on the polyhedral cone. The answer is valid until the next call.
    pub fn solve(&mut self, problem: &FrictionContactProblem) -> &FrictionalSolution {
        self.list_unknowns(problem);
        self.answer.impulses.prepare(problem);
        self.answer.evidence = None;
        self.answer.iterations = 0;
        let mut outcome = LcpOutcome::Solved;
        if !self.unknowns.is_empty() {
            self.assemble(problem);
            let solution = self.lemke.solve(&self.dense);
            outcome = solution.outcome;
            self.answer.iterations = solution.pivots;
            if let Some(ray) = &solution.ray {
                let mut evidence = NotPointed {
                    equality: vec![0.0; problem.equality_count()],
                    normal: vec![0.0; problem.contact_count()],
                    facets: vec![0.0; problem.facet_count()],
                };
                for (unknown, &value) in self.unknowns.iter().zip(&ray.z) {
                    match *unknown {
                        Unknown::Equality(i) => evidence.equality[i] = value,
                        Unknown::Normal(i) => evidence.normal[i] = value,
                        Unknown::Facet(i, _) => evidence.facets[i] = value,
                        // Bounded impulses are no part of a ray.
                        Unknown::Slip(_) | Unknown::Drive(..) | Unknown::DriveSlack(_) => {}
                    }
                }
                if cone_residual(problem, &evidence).is_ok_and(|r| r <= RAY_CANCELS) {
                    self.answer.evidence = Some(evidence);
                }
            }
            let impulses = &mut self.answer.impulses;
            for (unknown, &value) in self.unknowns.iter().zip(&solution.z) {
                match *unknown {
                    Unknown::Equality(i) => impulses.equality[i] = value,
                    Unknown::Normal(i) => impulses.normal[i] = value,
                    Unknown::Facet(i, _) => impulses.facets[i] = value,
                    Unknown::Drive(i, sense) => impulses.equality[i] += sense * value,
                    // Λ(v) is never worse.
                    Unknown::Slip(_) | Unknown::DriveSlack(_) => {}
                }
            }
        }
        let impulses = &mut self.answer.impulses;
        impulses.update_velocity(problem);
        impulses.compute_slip(problem, Cone::Facets);
        self.answer.residual = residual_of(problem, impulses, Cone::Facets, None, &mut Default::default());
        self.answer.outcome = match outcome {
            LcpOutcome::Solved if self.answer.residual.worst() <= ACCEPTED => FrictionalOutcome::Solved,
            LcpOutcome::Ray if self.answer.evidence.is_some() => FrictionalOutcome::NotPointed,
            _ => FrictionalOutcome::IterationLimit,
        };
        &self.answer
    }

    fn list_unknowns(&mut self, problem: &FrictionContactProblem) {
        let contacts = &problem.contacts;
        let frictional = || contacts.iter().enumerate().filter(|(_, c)| c.has_friction());
        self.unknowns.clear();
        for (i, equality) in problem.equalities.iter().enumerate() {
            match equality.bound < f64::INFINITY {
                true => self.unknowns.extend([
                    Unknown::Drive(i, 1.0),
                    Unknown::Drive(i, -1.0),
                    Unknown::DriveSlack(i),
                ]),
                false => self.unknowns.push(Unknown::Equality(i)),
            }
        }
        self.unknowns.extend((0..contacts.len()).map(Unknown::Normal));
        self.unknowns
            .extend(frictional().flat_map(|(m, _)| problem.facets(m).map(move |f| Unknown::Facet(f, m))));
        self.unknowns.extend(frictional().map(|(m, _)| Unknown::Slip(m)));
    }

    fn assemble(&mut self, problem: &FrictionContactProblem) {
        let n = self.unknowns.len();
        let free = &self.answer.impulses.velocity;
        let row = |unknown: Unknown| -> Option<(&Row, f64, f64)> {
            match unknown {
                Unknown::Equality(i) => Some((&problem.equalities[i].row, 1.0, problem.equalities[i].offset)),
                Unknown::Drive(i, sense) => {
                    Some((&problem.equalities[i].row, sense, sense * problem.equalities[i].offset))
                }
                Unknown::Normal(i) => Some((&problem.contacts[i].normal, 1.0, problem.contacts[i].gap)),
                Unknown::Facet(f, _) => {
                    Some((&problem.tangents[f / 2], if f % 2 == 0 { 1.0 } else { -1.0 }, 0.0))
                }
                Unknown::Slip(_) | Unknown::DriveSlack(_) => None,
            }
        };
        let (matrix, q, is_free) = self.dense.resize(n);
        for (i, &a) in self.unknowns.iter().enumerate() {
            is_free[i] = matches!(a, Unknown::Equality(_));
            if let Some((r, sign, offset)) = row(a) {
                q[i] = sign * r.velocity_along(free) + offset;
            }
            if let Unknown::DriveSlack(m) = a {
                q[i] = problem.equalities[m].bound;
            }
            for (j, &b) in self.unknowns.iter().enumerate() {
                matrix[i * n + j] = drive_compliance(problem, a, b);
                matrix[i * n + j] += match (row(a), row(b)) {
                    (Some((r, s, _)), Some((o, t, _))) => s * t * r.coupling(problem.masses(), o),
                    _ => friction_entry(problem, a, b),
                };
            }
        }
    }
}

/// The compliance of a drive in M.
fn drive_compliance(problem: &FrictionContactProblem, row: Unknown, column: Unknown) -> f64 {
    match (row, column) {
        (Unknown::Equality(m), Unknown::Equality(k)) if m == k => problem.equalities[m].compliance,
        (Unknown::Drive(m, s), Unknown::Drive(k, t)) if m == k => s * t * problem.equalities[m].compliance,
        _ => 0.0,
    }
}

/// Entries of M that say how slip, facets and pressure hang together.
fn friction_entry(problem: &FrictionContactProblem, row: Unknown, column: Unknown) -> f64 {
    match (row, column) {
        (Unknown::Drive(m, _), Unknown::DriveSlack(k)) if m == k => 1.0,
        (Unknown::DriveSlack(k), Unknown::Drive(m, _)) if m == k => -1.0,
        (Unknown::Facet(_, m), Unknown::Slip(k)) if m == k => 1.0,
        (Unknown::Slip(k), Unknown::Facet(_, m)) if m == k => -1.0,
        (Unknown::Slip(k), Unknown::Normal(m)) if m == k => problem.contacts[m].friction,
        _ => 0.0,
    }
}
