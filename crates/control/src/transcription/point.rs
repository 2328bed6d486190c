//! Where the unknowns are, and what a candidate is.

use crate::plan::Plan;
use percussion_geometry::Vec3;
use percussion_mechanics::State;

/// No variable or row: something that stands firm.
pub const NONE: usize = usize::MAX;

/// A candidate: configurations on their manifold, everything else as numbers.
#[derive(Clone, Debug)]
pub struct Point {
    /// States at the nodes; their momenta are not part of it.
    pub nodes: Vec<State>,
    /// Efforts, time scales, momenta, impulses and heights of planes, by the variable's number; zero where a variable is none
    /// of them.
    pub numbers: Vec<f64>,
    /// Unit normals of the planes that are sought.
    pub planes: Vec<Vec3>,
}

/// Numbers of the variables, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    /// First one of the configuration of an island at a node; [`NONE`] if it stands firm.
    pub places: Vec<Vec<usize>>,
    /// First one of the momentum of an island at a node; [`NONE`] where it is no unknown.
    pub momenta: Vec<Vec<usize>>,
    /// First one of the impulses of each event.
    pub impulses: Vec<usize>,
    /// First one of the efforts of an interval.
    pub efforts: Vec<usize>,
    /// First time scale; [`NONE`] if they are not sought.
    pub scales: usize,
    /// First one of each plane: its turns, then its height. They come last.
    pub planes: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

impl Numbering {
    /// The length of an interval, s.
    pub fn length(&self, plan: &Plan, at: &Point, interval: usize) -> f64 {
        plan.step * self.scale(plan, at, interval)
    }

    /// The time scale of an interval.
    pub fn scale(&self, plan: &Plan, at: &Point, interval: usize) -> f64 {
        match self.scales {
            NONE => plan.times.total.lower / (plan.step * plan.intervals as f64),
            first => at.numbers[first + plan.segment(interval)],
        }
    }

    /// Times of all nodes, s.
    pub fn times(&self, plan: &Plan, at: &Point) -> Vec<f64> {
        let mut times = vec![plan.start.state.time];
        for k in 0..plan.intervals {
            times.push(times[k] + self.length(plan, at, k));
        }
        times
    }
}
