//! Where a search begins.
//!
//! | guess | configurations | efforts |
//! |---|---|---|
//! | still | those of the start | inverse dynamics |
//! | straight | from start to end, each joint by a constant rate | inverse dynamics |
//! | waypoints | the same from one to the next [Johnson 4.22, 4.23] | inverse dynamics |
//! | free motion | a simulation without efforts, through collisions | zero |
//! | given | those of another manoeuvre, read at the new nodes | the same |
//!
//! Inverse dynamics finds at each interval the efforts that come nearest to what the next node asks for, in least squares where
//! not everything can be steered.

use crate::plan::Plan;
use percussion_mechanics::State;

/// A configuration on the way.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// At which part of the time, from 0 to 1.
    pub at: f64,
    /// The configuration; its momenta do not matter.
    pub state: State,
}

/// Where a search begins.
#[derive(Clone, Debug)]
pub enum Guess {
    /// Nothing moves.
    Still,
    /// Straight from start to end.
    Straight,
    /// From one configuration to the next; the first at 0 and the last at 1.
    Waypoints(Vec<Waypoint>),
    /// What happens without efforts, by a scheme of the simulator.
    FreeMotion {
        /// The scheme's name.
        scheme: String,
    },
    /// Another manoeuvre.
    Given {
        /// Its configurations, at times from its own start to its end.
        nodes: Vec<State>,
        /// Efforts of its intervals.
        efforts: Vec<f64>,
        /// Time scales, if it has as many segments.
        scales: Vec<f64>,
    },
}

/// A guess worked out: configurations, efforts by interval, time scales.
#[derive(Clone, Debug)]
pub struct Path {
    /// At the nodes.
    pub nodes: Vec<State>,
    /// Interval by interval.
    pub efforts: Vec<f64>,
    /// Segment by segment.
    pub scales: Vec<f64>,
}

impl Path {
    /// The time scales of a plan before they are sought: the whole time shared evenly, within bounds.
    pub fn even_scales(plan: &Plan) -> Vec<f64> {
        let total = plan.times.total;
        let whole = plan.step * plan.intervals as f64;
        let scale = match (total.lower.is_finite(), total.upper.is_finite()) {
            (true, true) => 0.5 * (total.lower + total.upper) / whole,
            (true, false) => (total.lower / whole).max(1.0),
            (false, true) => (total.upper / whole).min(1.0),
            (false, false) => 1.0,
        };
        vec![scale.clamp(plan.times.scale.lower, plan.times.scale.upper); plan.segments()]
    }
}
