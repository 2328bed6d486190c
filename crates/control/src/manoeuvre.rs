//! A manoeuvre that was found, with its evidence.

use percussion_geometry::Vec3;
use percussion_mechanics::State;

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Optimality conditions hold, and nothing overlaps between nodes.
    Optimal,
    /// They hold, but some direction lowers the price: a saddle that could not be left.
    Saddle,
    /// No manoeuvre satisfies these together; the worst first.
    Infeasible(Vec<String>),
    /// The search stopped for a reason of its own.
    Stalled(String),
    /// Too many iterations.
    IterationLimit,
    /// Asked to stop.
    Stopped,
    /// Found, but these planned contacts touch only the plane of a face, or the line of an edge, beside it.
    Misses(Vec<String>),
    /// Found, but these pairs overlap between nodes in spite of refinement.
    Overlaps(Vec<String>),
}

/// A planned contact as it came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// What people call it.
    pub name: String,
    /// Its node.
    pub node: usize,
    /// When, s.
    pub time: f64,
    /// Which bodies, by their places in the list.
    pub bodies: (usize, usize),
    /// Where, m.
    pub point: Vec3,
    /// Unit normal from the second to the first.
    pub normal: Vec3,
    /// On the first body, N s.
    pub impulse: Vec3,
}

/// How far two bodies that keep apart are from each other on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Which bodies, by their places in the list.
    pub bodies: (usize, usize),
    /// The distance that they keep, m.
    pub margin: f64,
    /// The least separation of their parts at every node, m; negative for overlaps.
    pub at: Vec<f64>,
    /// The same on the way from every node to the next; not a number where a joint that a contact made holds the two.
    pub between: Vec<f64>,
}

/// Something that holds a manoeuvre back: an inequality without slack, with its price.
#[derive(Clone, Debug, PartialEq)]
pub struct Active {
    /// In words.
    pub name: String,
    /// Its multiplier.
    pub multiplier: f64,
}

/// What a search from one start came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// How it ended.
    pub ending: Ending,
    /// The price; not a number if it did not begin.
    pub objective: f64,
    /// Greatest violation of a constraint; not a number if it did not begin.
    pub violation: f64,
    /// Iterations, of all rounds.
    pub iterations: usize,
    /// Times that pairs or features were looked at anew.
    pub rounds: usize,
}

/// A manoeuvre: the best one that was found.
#[derive(Clone, Debug)]
pub struct PlanSolution {
    /// States at the nodes, with times, and momenta after what happens there.
    pub nodes: Vec<State>,
    /// Efforts, interval by interval.
    pub efforts: Vec<f64>,
    /// Time scales, segment by segment.
    pub scales: Vec<f64>,
    /// Planned contacts.
    pub contacts: Vec<Contact>,
    /// How the search ended.
    pub ending: Ending,
    /// Which start led to it, counted from one; the first is the guess.
    pub start: usize,
    /// What all starts led to, in their order.
    pub attempts: Vec<Attempt>,
    /// The price.
    pub objective: f64,
    /// The price of the guess.
    pub objective_guess: f64,
    /// Iterations, of all rounds.
    pub iterations: usize,
    /// Times that pairs or features were looked at anew.
    pub rounds: usize,
    /// Greatest violation of a constraint.
    pub violation: f64,
    /// Greatest violation of stationarity.
    pub stationarity: f64,
    /// `Δ_k` [Johnson 4.12-4.15] for each interval and component: linear and angular momentum of all bodies less what efforts,
    /// forces and contacts gave.
    pub consistency: Vec<[f64; 6]>,
    /// What holds it back, the dearest first.
    pub active: Vec<Active>,
    /// The least separation at nodes of pairs that keep apart, m; infinite without any.
    pub clearance: f64,
    /// The same between nodes.
    pub clearance_between: f64,
    /// Both for every two bodies that keep apart, node by node.
    pub clearances: Vec<Clearance>,
}
