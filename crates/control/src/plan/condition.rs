//! What must hold at nodes, and what is dear there.

use super::Measure;
use percussion_solve::nlp::Bound;

/// At which nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The first one.
    Start,
    /// The last one.
    End,
    /// One by its number.
    Node(usize),
    /// All of them.
    Always,
}

impl When {
    /// Whether a node is meant, of `intervals + 1`.
    pub fn means(self, node: usize, intervals: usize) -> bool {
        match self {
            Self::Start => node == 0,
            Self::End => node == intervals,
            Self::Node(k) => node == k,
            Self::Always => true,
        }
    }
}

/// Something measured is kept between bounds.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What people call it.
    pub name: String,
    /// At which nodes.
    pub when: When,
    /// What is measured.
    pub measure: Measure,
    /// Of each of its numbers.
    pub bounds: Vec<Bound>,
}

/// Something measured at the end is dear: `weight Σ (value - target)²`.
#[derive(Clone, Debug)]
pub struct Goal {
    /// What people call it.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// What it should be.
    pub target: Vec<f64>,
    /// Its price.
    pub weight: f64,
}
