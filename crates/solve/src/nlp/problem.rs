//! What a nonlinear program is: sparse first and second derivatives, on a manifold if need be.
//!
//! ```text
//! minimise f(x)   subject to   lower ≤ c(x) ≤ upper,   lower ≤ x_i ≤ upper for the variables that have bounds
//! ```
//!
//! A point need not be a list of numbers: orientations have no good ones. A problem has a type of its own for points and
//! says how a step of `variables` numbers moves one ([`Program::retract`]); derivatives are with respect to such steps, at
//! zero. Variables with bounds are numbers all the same: a step adds to them.

use thiserror::Error;

/// Between which values something must be; equal ends are an equation, infinite ones are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// At least.
    pub lower: f64,
    /// At most.
    pub upper: f64,
}

impl Bound {
    /// No bound.
    pub const FREE: Self = Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// An equation.
    pub const fn equal(value: f64) -> Self {
        Self { lower: value, upper: value }
    }

    /// Not less than a value.
    pub const fn at_least(lower: f64) -> Self {
        Self { lower, upper: f64::INFINITY }
    }

    /// Not more than a value.
    pub const fn at_most(upper: f64) -> Self {
        Self { lower: f64::NEG_INFINITY, upper }
    }

    /// Between two values.
    pub const fn between(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }

    /// Whether both ends are the same number.
    pub fn is_equation(&self) -> bool {
        self.lower == self.upper
    }

    /// How far a value is outside.
    pub fn violation(&self, value: f64) -> f64 {
        (self.lower - value).max(value - self.upper).max(0.0)
    }
}

/// Positions of a sparse matrix's entries, in the order in which their values are given; values at one place add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparsityPattern {
    /// Row of each entry.
    pub rows: Vec<usize>,
    /// Column of each entry.
    pub columns: Vec<usize>,
}

impl SparsityPattern {
    /// One more entry.
    pub fn push(&mut self, row: usize, column: usize) {
        self.rows.push(row);
        self.columns.push(column);
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// The shape of a program: it does not change while the program is solved.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Bounds of the variables, one for each.
    pub variables: Vec<Bound>,
    /// Bounds of the constraints, one for each.
    pub constraints: Vec<Bound>,
    /// Entries of the Jacobian of the constraints.
    pub jacobian: SparsityPattern,
    /// Entries of the Hessian of the Lagrangian: its lower triangle (row not less than column).
    pub hessian: SparsityPattern,
    /// How far a variable may move in one step, as far as derivatives are to be trusted; empty if that is no question.
    pub step_limits: Vec<f64>,
}

/// Why a program has no value somewhere. A solver takes a shorter step.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{0}")]
pub struct Undefined(pub String);

/// A nonlinear program with sparse derivatives.
pub trait Program {
    /// The unknown.
    type Point: Clone;

    /// Sizes, bounds and positions of entries.
    fn layout(&self) -> &Layout;

    /// The values of the variables that have bounds; others are left as they are.
    fn coordinates(&self, at: &Self::Point, out: &mut [f64]);

    /// Writes to `to` the point `from` moved by a step; a variable with bounds changes by just its component.
    fn retract(&self, from: &Self::Point, step: &[f64], to: &mut Self::Point);

    /// `f` (returned) and `c`.
    fn evaluate(&mut self, at: &Self::Point, constraints: &mut [f64]) -> Result<f64, Undefined>;

    /// The gradient of `f`, and the entries of the Jacobian of `c`.
    fn differentiate(
        &mut self,
        at: &Self::Point,
        gradient: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), Undefined>;

    /// The entries of the Hessian of `weight f + Σ multiplier c` along steps, second order in the step of [`Program::retract`].
    fn lagrangian_hessian(
        &mut self,
        at: &Self::Point,
        weight: f64,
        multipliers: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Undefined>;

    /// For solvers that work on lists of numbers, `x` with the point `base` moved by `x`: how that point moves, as a step
    /// `d` at itself, when `x` changes. `∂d/∂x` is block diagonal; variables in no block are plain numbers.
    fn chart(&self, base: &Self::Point, x: &[f64], blocks: &mut Vec<ChartBlock>) {
        let _ = (base, x);
        blocks.clear();
    }

    /// What a constraint is, as the program calls it.
    fn constraint_name(&self, constraint: usize) -> String {
        format!("constraint {constraint}")
    }

    /// What a variable is.
    fn variable_name(&self, variable: usize) -> String {
        format!("variable {variable}")
    }
}

/// A block of the derivative of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartBlock {
    /// Its first variable.
    pub first: usize,
    /// `∂d/∂x` of its variables, column by column.
    pub entries: Vec<f64>,
    /// Its size.
    pub size: usize,
}
