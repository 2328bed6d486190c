//! The linear program and the shape of its answer.

use crate::constraints::{Constraints, constrained};
use crate::error::{SolveError, all_finite};

/// Minimise or maximise `c . x` subject to [`Constraints`]. Variables are free until bounded.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearProgram {
    objective: Vec<f64>,
    maximise: bool,
    constraints: Constraints,
}

impl LinearProgram {
    /// A program that makes `c . x` as small as possible.
    pub fn minimise(c: &[f64]) -> Result<Self, SolveError> {
        Self::new(c, false)
    }

    /// A program that makes `c . x` as large as possible.
    pub fn maximise(c: &[f64]) -> Result<Self, SolveError> {
        Self::new(c, true)
    }

    fn new(c: &[f64], maximise: bool) -> Result<Self, SolveError> {
        if c.is_empty() {
            return Err(SolveError::Empty { what: "objective" });
        }
        all_finite("objective", c)?;
        Ok(Self { objective: c.to_vec(), maximise, constraints: Constraints::free(c.len()) })
    }

    /// The objective's coefficients.
    pub fn objective(&self) -> &[f64] {
        &self.objective
    }

    /// Whether the objective is to be large.
    pub fn is_maximisation(&self) -> bool {
        self.maximise
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.objective.len()
    }
}

constrained!(LinearProgram);

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LpOutcome {
    /// A vertex (or, with free directions, a face) on which the objective is best, with its multipliers.
    Optimal,
    /// No point satisfies the constraints: the multipliers are Farkas' proof.
    Infeasible,
    /// The objective improves without bound along [`LpSolution::ray`], starting from [`LpSolution::x`].
    Unbounded,
    /// Neither was established within the iteration limit; `x` is the last basic point.
    IterationLimit,
}

/// Where a variable, or the activity of a row, stands in a basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasisStatus {
    /// Determined by the others.
    Basic,
    /// Held at its lower side (also: fixed).
    AtLower,
    /// Held at its upper side.
    AtUpper,
    /// Without finite sides, held at zero.
    AtZero,
}

/// The vertex in combinatorial form: as many `Basic` entries as there are rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// One per variable.
    pub variables: Vec<BasisStatus>,
    /// One per row.
    pub rows: Vec<BasisStatus>,
}

/// An answer with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct LpSolution {
    /// The outcome.
    pub outcome: LpOutcome,
    /// The point: optimal, or feasible where unbounded, or the least infeasible one found.
    pub x: Vec<f64>,
    /// `c . x` when optimal or stopped early; the infinity that the outcome stands for otherwise
    /// (a minimum over nothing is plus infinity).
    pub objective: f64,
    /// One multiplier per row: the derivative of the optimal value with respect to the side that holds.
    /// `c = A^T y + z`. When infeasible: the rows' part of Farkas' proof, `A^T y + z = 0`, positive on
    /// lower sides, with `y . sides + z . bounds > 0`.
    pub row_duals: Vec<f64>,
    /// One multiplier z per variable, likewise (the reduced cost).
    pub bound_duals: Vec<f64>,
    /// Direction of endless improvement; empty unless unbounded.
    pub ray: Vec<f64>,
    /// Simplex pivots and bound flips.
    pub iterations: usize,
    /// The last basis: a start for a similar problem.
    pub basis: Basis,
}

impl LpSolution {
    /// Whether the outcome is `Optimal`.
    pub fn is_optimal(&self) -> bool {
        self.outcome == LpOutcome::Optimal
    }
}
