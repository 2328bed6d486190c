//! What the search for a manoeuvre came to, as `plan` in `summary.json`.

use percussion_control::manoeuvre::{Attempt, Contact, Ending};
use percussion_control::{Plan, PlanSolution};
use serde::{Deserialize, Serialize};

/// Constraints that are listed as active.
const ACTIVE: usize = 20;

/// What the search for a manoeuvre came to. Numbers that are not finite are left out: JSON has no word for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanFigures {
    /// `optimal`, `saddle`, `infeasible`, `stalled`, `iteration-limit`, `stopped`, `misses` or `penetration_monitor`.
    pub ending: String,
    /// What is known scene_info an ending that is not optimal: constraints in conflict, the worst first; a reason; contacts that miss; what penetration_monitor.
    pub evidence: Vec<String>,
    /// The price.
    pub objective: Option<f64>,
    /// The price of the guess.
    pub objective_guess: Option<f64>,
    /// Which start led to it, counted from one; the first is the guess.
    pub start: usize,
    /// What all starts led to, in their order.
    pub starts: Vec<StartFigure>,
    /// Iterations of all rounds.
    pub iterations: usize,
    /// Times that pairs or features were looked at anew.
    pub rounds: usize,
    /// Greatest violation of a constraint.
    pub violation_max: Option<f64>,
    /// Greatest violation of stationarity.
    pub stationarity_max: Option<f64>,
    /// Greatest momentum, N s or N m s, that nothing explains in an interval.
    pub momentum_consistency_max: Option<f64>,
    /// When the planned contacts happen, s.
    pub contact_times: Vec<f64>,
    /// Time scales, segment by segment.
    pub sigma: Vec<f64>,
    /// Time spent on the search, s.
    pub solve_time_s: f64,
    /// Least separation at nodes of pairs that keep apart, m; none where no pair is to.
    pub clearance: Option<f64>,
    /// The same between nodes.
    pub clearance_between: Option<f64>,
    /// What holds the manoeuvre back, the dearest first.
    pub active: Vec<ActiveFigure>,
    /// The planned contacts.
    pub contacts: Vec<ContactFigure>,
}

/// What the search from one start came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartFigure {
    /// A word of those for the whole search.
    pub ending: String,
    /// The price.
    pub objective: Option<f64>,
    /// Greatest violation of a constraint.
    pub violation_max: Option<f64>,
    /// Iterations of all rounds.
    pub iterations: usize,
    /// Times that pairs or features were looked at anew.
    pub rounds: usize,
}

/// An inequality without slack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActiveFigure {
    /// In words.
    pub name: String,
    /// Its price.
    pub multiplier: f64,
}

/// A planned contact as it came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactFigure {
    /// What people call it.
    pub name: String,
    /// Its node.
    pub node: usize,
    /// When, s.
    pub time: f64,
    /// The two bodies.
    pub bodies: [String; 2],
    /// Where, m.
    pub point: [f64; 3],
    /// Unit normal from the second body to the first.
    pub normal: [f64; 3],
    /// On the first body, N s.
    pub impulse: [f64; 3],
}

impl PlanFigures {
    /// Of a manoeuvre that was found, or not, in so many seconds.
    pub fn of(plan: &Plan, found: &PlanSolution, seconds: f64) -> Self {
        let (ending, evidence) = words(&found.ending);
        let most = found.consistency.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
        Self {
            ending: ending.to_owned(),
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
            sigma: found.scales.clone(),
            solve_time_s: seconds,
            clearance: finite(found.clearance),
            clearance_between: finite(found.clearance_between),
            active: found
                .active
                .iter()
                .take(ACTIVE)
                .map(|a| ActiveFigure { name: a.name.clone(), multiplier: a.multiplier })
                .collect(),
            contacts: found.contacts.iter().map(|contact| contact_figure(plan, contact)).collect(),
        }
    }
}

fn start_figure(attempt: &Attempt) -> StartFigure {
    StartFigure {
        ending: words(&attempt.ending).0.to_owned(),
        objective: finite(attempt.objective),
        violation_max: finite(attempt.violation),
        iterations: attempt.iterations,
        rounds: attempt.rounds,
    }
}

fn contact_figure(plan: &Plan, contact: &Contact) -> ContactFigure {
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

/// The word for an ending, and what is known scene_info it.
fn words(ending: &Ending) -> (&'static str, Vec<String>) {
    let none = Vec::new();
    match ending {
        Ending::Optimal => ("optimal", none),
        Ending::Saddle => {
            ("saddle", vec!["some direction lowers the price, but no step along it was accepted".to_owned()])
        }
        Ending::Infeasible(conflicts) => ("infeasible", conflicts.clone()),
        Ending::Stalled(why) => ("stalled", vec![why.clone()]),
        Ending::IterationLimit => ("iteration-limit", none),
        Ending::Stopped => ("stopped", none),
        Ending::Misses(contacts) => ("misses", contacts.clone()),
        Ending::Overlaps(pairs) => ("penetration_monitor", pairs.clone()),
    }
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
