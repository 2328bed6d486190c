//! The solution of a plan, with its evidence.

use percussion_geometry::Vec3;
use percussion_mechanics::{Model, State};
use std::sync::Arc;

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Optimality conditions hold, and nothing penetrates between nodes.
    Optimal,
    /// Optimality conditions of first order hold at a saddle point that could not be left.
    Saddle,
    /// These constraints cannot be satisfied together; the largest multiplier first.
    Infeasible(Vec<String>),
    /// The search stopped without progress, for this reason.
    Stalled(String),
    /// Too many iterations.
    IterationLimit,
    /// Interrupted by the caller.
    Interrupted,
    /// Solved, but these planned contacts lie outside of the faces or edges in contact.
    ContactMissed(Vec<String>),
    /// Solved, but these pairs penetrate between nodes in spite of refinement.
    Penetration(Vec<String>),
}

/// A planned contact of a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSolution {
    /// Its name.
    pub name: String,
    /// Its node.
    pub node: usize,
    /// Its time, s.
    pub time: f64,
    /// The bodies, by their indices in the model.
    pub bodies: (usize, usize),
    /// The point of contact, m.
    pub point: Vec3,
    /// Unit normal from the second body to the first.
    pub normal: Vec3,
    /// Impulse on the first body, N s.
    pub impulse: Vec3,
}

/// Separations of two bodies that are kept apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// The bodies, by their indices in the model.
    pub bodies: (usize, usize),
    /// The least separation that is prescribed, m.
    pub margin: f64,
    /// Least separation of their parts at every node, m; negative for penetrations.
    pub at: Vec<f64>,
    /// The same between every node and the next; not a number where a contact joint holds the two.
    pub between: Vec<f64>,
}

/// An inequality that holds with equality.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveConstraint {
    /// Its name.
    pub name: String,
    /// Its multiplier.
    pub multiplier: f64,
}

/// The search from one start.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Its outcome.
    pub outcome: Outcome,
    /// The objective; not a number if the search did not begin.
    pub objective: f64,
    /// Maximum violation of a constraint; NaN if the search did not begin.
    pub violation: f64,
    /// Iterations of all rounds.
    pub iterations: usize,
    /// Rounds: programs with new features or pairs.
    pub rounds: usize,
}

/// The best solution that was found.
#[derive(Clone, Debug)]
pub struct PlanSolution {
    /// The model of the plan.
    pub model: Arc<Model>,
    /// Names of the controls, each with the range of its components in an interval.
    pub controls: Vec<(String, std::ops::Range<usize>)>,
    /// States at the nodes, with times, and with momenta after impacts.
    pub nodes: Vec<State>,
    /// Control inputs, interval by interval.
    pub inputs: Vec<f64>,
    /// Time scales, segment by segment.
    pub time_scales: Vec<f64>,
    /// Planned contacts.
    pub contacts: Vec<ContactSolution>,
    /// The outcome of the search.
    pub outcome: Outcome,
    /// The start that led to it, counted from one; the first is the guess.
    pub start: usize,
    /// The searches from all starts, in their order.
    pub attempts: Vec<Attempt>,
    /// The objective.
    pub objective: f64,
    /// The objective of the guess.
    pub objective_guess: f64,
    /// Iterations of all rounds.
    pub iterations: usize,
    /// Rounds: programs with new features or pairs.
    pub rounds: usize,
    /// Maximum violation of a constraint.
    pub violation: f64,
    /// Maximum violation of stationarity.
    pub stationarity: f64,
    /// `Δ_k` [Johnson 4.12-4.15] for each interval and component: change of linear and angular momentum of all bodies less the impulses of
    /// control inputs, forces and contacts.
    pub consistency: Vec<[f64; 6]>,
    /// Active constraints, the largest multiplier first.
    pub active_constraints: Vec<ActiveConstraint>,
    /// Least separation at nodes of pairs that are kept apart, m; infinite without any.
    pub clearance: f64,
    /// The same between nodes.
    pub clearance_between: f64,
    /// Both for every two bodies that are kept apart, node by node.
    pub clearances: Vec<Clearance>,
}

impl PlanSolution {
    /// Times of the nodes, s.
    pub fn times(&self) -> Vec<f64> {
        self.nodes.iter().map(|node| node.time).collect()
    }

    /// Positions of a body at the nodes, m: of the origin of its own frame. `None` if there is no body of this name.
    pub fn positions(&self, body: &str) -> Option<Vec<Vec3>> {
        let body = self.model.bodies.iter().position(|own| own.name == body)?;
        Some(self.nodes.iter().map(|node| self.model.pose(node, body).position).collect())
    }

    /// The inputs of a control, interval by interval. `None` if there is no control of this name.
    pub fn controls(&self, name: &str) -> Option<Vec<&[f64]>> {
        let (_, range) = self.controls.iter().find(|(own, _)| own == name)?;
        let all = self.controls.last().map_or(0, |(_, last)| last.end);
        Some(self.inputs.chunks_exact(all).map(|inputs| &inputs[range.clone()]).collect())
    }
}
