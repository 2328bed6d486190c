//! Conditions at nodes, and goals at the end.

use super::Measure;
use percussion_solve::nlp::Bound;

/// The nodes of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeSelector {
    /// The first one.
    Start,
    /// The last one.
    End,
    /// One by its index.
    Node(usize),
    /// All of them.
    Always,
}

impl NodeSelector {
    /// Whether it selects a node of a plan with so many intervals.
    pub fn contains(self, node: usize, intervals: usize) -> bool {
        match self {
            Self::Start => node == 0,
            Self::End => node == intervals,
            Self::Node(k) => node == k,
            Self::Always => true,
        }
    }
}

/// A measure is kept between bounds.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Its name in messages.
    pub name: String,
    /// At which nodes.
    pub nodes: NodeSelector,
    /// The measure.
    pub measure: Measure,
    /// Bounds of its components.
    pub bounds: Vec<Bound>,
}

/// A term of the objective at the end: `weight Σ (value - target)²`.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Its name in messages.
    pub name: String,
    /// The measure.
    pub measure: Measure,
    /// Targets of its components.
    pub target: Vec<f64>,
    /// Its weight.
    pub weight: f64,
}
