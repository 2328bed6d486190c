//! What a solver of nonlinear programs answers: an outcome with its evidence, and a record of every iteration.

use super::residual::KktResidual;
use crate::error::{SolveError, length};
use std::time::Duration;

/// Multipliers of the Lagrangian `L = f + Σ y c - Σ lower (x - l) - Σ upper (u - x)`.
///
/// `y` is positive where a constraint's upper end holds and negative where its lower end does; those of bounds are not negative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Multipliers {
    /// One for each constraint.
    pub constraints: Vec<f64>,
    /// One for each variable's lower bound.
    pub lower: Vec<f64>,
    /// One for each variable's upper bound.
    pub upper: Vec<f64>,
}

impl Multipliers {
    /// All zero.
    pub fn zeros(variables: usize, constraints: usize) -> Self {
        Self { constraints: vec![0.0; constraints], lower: vec![0.0; variables], upper: vec![0.0; variables] }
    }

    /// Rejects lists that do not fit a program.
    pub(super) fn check_lengths(&self, variables: usize, constraints: usize) -> Result<(), SolveError> {
        length("multipliers of constraints", "constraint", constraints, self.constraints.len())?;
        length("multipliers of lower bounds", "variable", variables, self.lower.len())?;
        length("multipliers of upper bounds", "variable", variables, self.upper.len())
    }
}

/// A constraint, or the bounds of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintId {
    /// A constraint.
    Constraint(usize),
    /// A variable.
    Variable(usize),
}

/// A constraint that cannot hold together with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// Which one.
    pub id: ConstraintId,
    /// Its name, as the program calls it.
    pub name: String,
    /// Violation where the sum of violations is least; zero for an active one that conflicts.
    pub violation: f64,
    /// Its multiplier there: decrease of the sum of violations per unit of relaxation.
    pub multiplier: f64,
}

/// The outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The conditions of Karush, Kuhn and Tucker hold to the tolerances, and no direction that keeps the active
    /// constraints curves downwards.
    Optimal,
    /// Feasible, and optimal only to the looser tolerance; no better point was found.
    Acceptable {
        /// Reason for the end.
        why: String,
    },
    /// The conditions of first order hold, but the Lagrangian curves downwards within the active constraints.
    Saddle {
        /// The curvature found, per squared length of the step, in the program's units.
        curvature: f64,
    },
    /// The violation of the constraints has a minimum that is not zero.
    Infeasible {
        /// The constraints that conflict, the most violated first.
        conflicts: Vec<Conflict>,
    },
    /// The objective is unbounded below.
    Unbounded,
    /// No step can be found, and the point is neither optimal nor stationary for the violation.
    Stalled {
        /// Reason for the end.
        why: String,
    },
    /// The iterations allowed were used up.
    IterationLimit,
    /// The callback stopped the search.
    Stopped,
}

/// Times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// The whole search.
    pub total: Duration,
    /// Values, derivatives and curvatures of the program, and moving its points.
    pub program: Duration,
    /// Factorisations, with the analysis of the pattern if there was none to reuse.
    pub factorisation: Duration,
    /// Solutions with the factors, refined.
    pub substitution: Duration,
}

/// An answer with its evidence. Whatever the outcome, the point is the best one found.
#[derive(Clone, Debug)]
pub struct Solution<P> {
    /// The point.
    pub point: P,
    /// The objective there.
    pub objective: f64,
    /// Its multipliers.
    pub multipliers: Multipliers,
    /// The outcome.
    pub outcome: Outcome,
    /// The KKT residual at the point.
    pub residual: KktResidual,
    /// Iterations made.
    pub iterations: usize,
    /// Factorisations made.
    pub factorisations: usize,
    /// Evaluations of objective and constraints.
    pub evaluations: usize,
    /// The barrier parameter at the end, for the objective scaled.
    pub barrier: f64,
    /// The factor that the objective was scaled with.
    pub scale: f64,
    /// Times.
    pub timing: Timing,
}

impl<P> Solution<P> {
    /// Whether the outcome is [`Outcome::Optimal`].
    pub fn is_optimal(&self) -> bool {
        self.outcome == Outcome::Optimal
    }
}

/// Return value of a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackAction {
    /// Go on.
    Continue,
    /// End the search with [`Outcome::Stopped`].
    Stop,
}

/// One iteration, after its step; the first record is that of the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IterationRecord {
    /// Which iteration; zero is the start.
    pub iteration: usize,
    /// Whether the step was one that reduces the violation only.
    pub restoration: bool,
    /// The objective, in the program's units.
    pub objective: f64,
    /// Largest violation of a constraint, in the program's units.
    pub primal: f64,
    /// Largest entry of the gradient of the Lagrangian, scaled.
    pub dual: f64,
    /// `log10` of the barrier parameter.
    pub log_barrier: f64,
    /// Largest entry of the step.
    pub step: f64,
    /// What was added to the Hessian's diagonal.
    pub regularisation: f64,
    /// Fraction of the step of the multipliers of bounds was taken.
    pub alpha_dual: f64,
    /// Fraction of the step of the point was taken.
    pub alpha_primal: f64,
    /// Points tried.
    pub trials: usize,
    /// How the step was accepted.
    pub acceptance: Acceptance,
}

/// How a step was accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// No step yet.
    #[default]
    None,
    /// The objective with its barrier fell enough.
    Objective,
    /// The filter accepts it.
    Filter,
    /// After a correction of second order.
    SecondOrderCorrection,
    /// The equations of the barrier problem hold the better for it, though the filter does not accept it.
    SoftRestoration,
    /// Untested, which later steps must make up for.
    Watchdog,
    /// Too short for its effect to show.
    Tiny,
    /// Along a direction of negative curvature, away from a saddle.
    Saddle,
    /// By reducing the violation only.
    Restoration,
}

impl Acceptance {
    /// The letter of the log.
    fn letter(self) -> char {
        match self {
            Self::None => ' ',
            Self::Objective => 'f',
            Self::Filter => 'h',
            Self::SecondOrderCorrection => 'c',
            Self::SoftRestoration => 'd',
            Self::Watchdog => 'w',
            Self::Tiny => 't',
            Self::Saddle => 's',
            Self::Restoration => 'r',
        }
    }
}

impl IterationRecord {
    /// The heading of the log.
    pub fn heading() -> String {
        " iter      objective    inf_pr    inf_du  lg(mu)     ||d|| lg(rg)  alpha_du  alpha_pr   ls".into()
    }

    /// The line of the log.
    pub fn line(&self) -> String {
        let phase = if self.restoration { 'r' } else { ' ' };
        let regularised = if self.regularisation > 0.0 {
            format!("{:.1}", self.regularisation.log10())
        } else {
            "-".into()
        };
        format!(
            "{:>4}{phase} {:>14.7e} {:>9.2e} {:>9.2e} {:>7.1} {:>9.2e} {regularised:>6} {:>9.2e} {:>9.2e}{} {:>3}",
            self.iteration,
            self.objective,
            self.primal,
            self.dual,
            self.log_barrier,
            self.step,
            self.alpha_dual,
            self.alpha_primal,
            self.acceptance.letter(),
            self.trials
        )
    }
}
