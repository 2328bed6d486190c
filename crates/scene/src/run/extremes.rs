//! Extremes over the steps since the previous row of the trajectory.
//!
//! They are updated at every step and written with the next row: a trajectory that keeps every n-th state would otherwise miss
//! what happens between its rows.

use super::complementarity::RowComplementarity;
use percussion_mechanics::step_record::StepRecord;

/// Extremes over the steps since the previous row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowExtremes {
    /// Largest penetration of two parts at the end of a step, m.
    pub penetration: f64,
    /// Smallest substep into which collisions divided a step, s; the step itself where none was divided.
    pub substep_min: f64,
    /// Complementarity problems.
    pub complementarity: RowComplementarity,
}

impl RowExtremes {
    /// Before the first of some steps of length `h`.
    pub fn new(h: f64) -> Self {
        Self { penetration: 0.0, substep_min: h, complementarity: RowComplementarity::default() }
    }
}

/// Finds the smallest substep of a step, with reusable memory.
#[derive(Clone, Debug, Default)]
pub struct SubstepTracker {
    /// Time up to which the path of each island has been followed, s since the beginning of the step; zero between steps.
    reached: Vec<f64>,
}

impl SubstepTracker {
    /// For a number of islands.
    pub fn new(islands: usize) -> Self {
        Self { reached: vec![0.0; islands] }
    }

    /// The smallest substep of any island in a step of length `h`. Where a projection moved bodies, two nodes have the same
    /// instant, and there is no substep between them.
    pub fn smallest(&mut self, record: &StepRecord, h: f64) -> f64 {
        let mut smallest = h;
        let mut substep = |length: f64| {
            if length > 0.0 {
                smallest = smallest.min(length);
            }
        };
        for node in &record.nodes {
            substep(node.since - self.reached[node.island]);
            self.reached[node.island] = node.since;
        }
        for node in &record.nodes {
            // For an island with several nodes `reached` is zero from the second one on: the result is then a whole step, which
            // does not lower the minimum.
            substep(h - std::mem::take(&mut self.reached[node.island]));
        }
        smallest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_mechanics::step_record::PathNode;

    fn smallest(tracker: &mut SubstepTracker, nodes: &[(usize, f64)]) -> f64 {
        let node = |&(island, since): &(usize, f64)| PathNode { island, since, places: 0, coordinates: 0 };
        tracker
            .smallest(&StepRecord { nodes: nodes.iter().map(node).collect(), ..StepRecord::default() }, 1.0)
    }

    #[test]
    fn substeps_are_measured_per_island_and_coinciding_nodes_are_none() {
        let mut tracker = SubstepTracker::new(3);
        assert_eq!(smallest(&mut tracker, &[]), 1.0);
        assert_eq!(smallest(&mut tracker, &[(1, 0.25)]), 0.25);
        assert_eq!(smallest(&mut tracker, &[(1, 0.75)]), 0.25);
        // 0.0625 lies between nodes of two islands and is a substep of neither.
        assert_eq!(smallest(&mut tracker, &[(0, 0.5), (2, 0.5625), (0, 0.5)]), 0.4375);
        assert_eq!(smallest(&mut tracker, &[(0, 0.5), (2, 0.25), (0, 0.625), (0, 0.75)]), 0.125);
        // Moved at the end of the step.
        assert_eq!(smallest(&mut tracker, &[(1, 1.0), (1, 1.0)]), 1.0);
        assert_eq!(smallest(&mut tracker, &[]), 1.0, "nothing is left of earlier steps");
    }
}
