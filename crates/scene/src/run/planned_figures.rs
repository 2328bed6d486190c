//! Figures of an optimal control problem, `plan` in `summary.json`.

use percussion_control::solution::{Attempt, ContactSolution, Outcome};
use percussion_control::{Plan, PlanSolution};
use serde::{Deserialize, Serialize};

/// Most active constraints that are listed.
const MOST_ACTIVE: usize = 20;

/// Figures of an optimal control problem. Numbers that are not finite are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanFigures {
    /// `optimal`, `saddle`, `infeasible`, `stalled`, `iteration-limit`, `interrupted`, `contact-missed` or `penetration`.
    pub outcome: String,
    /// Evidence for an outcome that is not optimal: conflicting constraints, the most violated first; a reason; contacts that are missed; bodies that penetrate each other.
    pub evidence: Vec<String>,
    /// Value of the objective.
    pub objective: Option<f64>,
    /// Value of the objective for the initial guess.
    pub objective_guess: Option<f64>,
    /// Number of the start that led to it, from one; the first start is the initial guess.
    pub start: usize,
    /// Results of all starts.
    pub starts: Vec<StartFigure>,
    /// Iterations of all rounds.
    pub iterations: usize,
    /// Rounds: solutions of the nonlinear program, each with updated pairs and features.
    pub rounds: usize,
    /// Largest violation of a constraint.
    pub violation_max: Option<f64>,
    /// Largest violation of stationarity.
    pub stationarity_max: Option<f64>,
    /// Largest unaccounted momentum of an interval, N s or N m s.
    pub momentum_consistency_max: Option<f64>,
    /// Times of the planned contacts, s.
    pub contact_times: Vec<f64>,
    /// Time scales, segment by segment.
    pub sigma: Vec<f64>,
    /// Time spent on the solution, s.
    pub solve_time_s: f64,
    /// Smallest separation at nodes of pairs with collision avoidance, m; none without such pairs.
    pub clearance: Option<f64>,
    /// The same between nodes.
    pub clearance_between: Option<f64>,
    /// Active constraints, those with the largest multipliers first.
    pub active_constraints: Vec<ActiveFigure>,
    /// The planned contacts.
    pub contacts: Vec<ContactFigure>,
}

/// Result of one start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartFigure {
    /// One of the words for the whole problem.
    pub outcome: String,
    /// Value of the objective.
    pub objective: Option<f64>,
    /// Largest violation of a constraint.
    pub violation_max: Option<f64>,
    /// Iterations of all rounds.
    pub iterations: usize,
    /// Rounds: solutions of the nonlinear program, each with updated pairs and features.
    pub rounds: usize,
}

/// An active constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveFigure {
    /// Its name.
    pub name: String,
    /// Its multiplier.
    pub multiplier: f64,
}

/// A planned contact of the solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactFigure {
    /// Its name.
    pub name: String,
    /// Its node.
    pub node: usize,
    /// Its time, s.
    pub time: f64,
    /// The two bodies.
    pub bodies: [String; 2],
    /// Its point, m.
    pub point: [f64; 3],
    /// Unit normal from the second body to the first.
    pub normal: [f64; 3],
    /// Impulse on the first body, N s.
    pub impulse: [f64; 3],
}

impl PlanFigures {
    /// Of a plan and its solution, which took some seconds.
    pub fn new(plan: &Plan, found: &PlanSolution, seconds: f64) -> Self {
        let (outcome, evidence) = outcome(&found.outcome);
        let most = found.consistency.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
        Self {
            outcome: outcome.to_owned(),
            evidence,
            objective: finite(found.objective),
            objective_guess: finite(found.objective_guess),
            start: found.start,
            starts: found.attempts.iter().map(start_figure).collect(),
            iterations: found.iterations,
            rounds: found.rounds,
            violation_max: finite(found.violation),
            stationarity_max: finite(found.stationarity),
            momentum_consistency_max: finite(most),
            contact_times: found.contacts.iter().map(|contact| contact.time).collect(),
            sigma: found.time_scales.clone(),
            solve_time_s: seconds,
            clearance: finite(found.clearance),
            clearance_between: finite(found.clearance_between),
            active_constraints: found
                .active_constraints
                .iter()
                .take(MOST_ACTIVE)
                .map(|a| ActiveFigure { name: a.name.clone(), multiplier: a.multiplier })
                .collect(),
            contacts: found.contacts.iter().map(|contact| contact_figure(plan, contact)).collect(),
        }
    }
}

fn start_figure(attempt: &Attempt) -> StartFigure {
    StartFigure {
        outcome: outcome(&attempt.outcome).0.to_owned(),
        objective: finite(attempt.objective),
        violation_max: finite(attempt.violation),
        iterations: attempt.iterations,
        rounds: attempt.rounds,
    }
}

fn contact_figure(plan: &Plan, contact: &ContactSolution) -> ContactFigure {
    let name = |body: usize| plan.model.bodies[body].name.clone();
    ContactFigure {
        name: contact.name.clone(),
        node: contact.node,
        time: contact.time,
        bodies: [name(contact.bodies.0), name(contact.bodies.1)],
        point: contact.point.into(),
        normal: contact.normal.into(),
        impulse: contact.impulse.into(),
    }
}

/// The word for an outcome, and its evidence.
fn outcome(ending: &Outcome) -> (&'static str, Vec<String>) {
    let none = Vec::new();
    match ending {
        Outcome::Optimal => ("optimal", none),
        Outcome::Saddle => (
            "saddle",
            vec!["some direction lowers the objective, but no step along it was accepted".to_owned()],
        ),
        Outcome::Infeasible(conflicts) => ("infeasible", conflicts.clone()),
        Outcome::Stalled(why) => ("stalled", vec![why.clone()]),
        Outcome::IterationLimit => ("iteration-limit", none),
        Outcome::Interrupted => ("interrupted", none),
        Outcome::ContactMissed(contacts) => ("contact-missed", contacts.clone()),
        Outcome::Penetration(pairs) => ("penetration", pairs.clone()),
    }
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
