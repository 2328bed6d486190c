//! What is watched at every step and kept with the next row: extremes over the steps since the row before it.
//!
//! A trajectory that keeps every n-th state would otherwise miss what happens between them.

use super::complementarity::RowComplementarity;
use percussion_mechanics::contact::StepRecord;

/// Extremes over the steps since the last row that counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowExtremes {
    /// Greatest overlap of two parts at the end of a step, m.
    pub overlap: f64,
    /// Shortest piece into which collisions divided a step, s; the step itself where none was divided.
    pub piece: f64,
    /// What complementarity problems came to.
    pub steps: RowComplementarity,
}

impl RowExtremes {
    /// No step yet of those of length `h`.
    pub fn none(h: f64) -> Self {
        Self { overlap: 0.0, piece: h, steps: RowComplementarity::none() }
    }
}

/// Finds the shortest piece of a step; its memory serves again.
#[derive(Clone, Debug, Default)]
pub struct SubstepTracker {
    /// How far the path of each island has been followed, s since the beginning of the step; zero between steps.
    reached: Vec<f64>,
}

impl SubstepTracker {
    /// For a number of islands.
    pub fn new(islands: usize) -> Self {
        Self { reached: vec![0.0; islands] }
    }

    /// The shortest piece of the path of any island in a step of length `h`. Where a projection moved bodies two nodes
    /// share an instant; nothing lies between them.
    pub fn shortest(&mut self, inside: &StepRecord, h: f64) -> f64 {
        let mut shortest = h;
        let mut piece = |length: f64| {
            if length > 0.0 {
                shortest = shortest.min(length);
            }
        };
        for node in &inside.nodes {
            piece(node.since - self.reached[node.island]);
            self.reached[node.island] = node.since;
        }
        for node in &inside.nodes {
            // An island met again is back at the beginning: its last piece is then taken for a whole step, which is no less.
            piece(h - std::mem::take(&mut self.reached[node.island]));
        }
        shortest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_mechanics::contact::PathNode;

    fn shortest(pieces: &mut SubstepTracker, nodes: &[(usize, f64)]) -> f64 {
        let node = |&(island, since): &(usize, f64)| PathNode { island, since, places: 0, coordinates: 0 };
        pieces.shortest(&StepRecord { nodes: nodes.iter().map(node).collect(), ..StepRecord::default() }, 1.0)
    }

    #[test]
    fn pieces_are_counted_island_by_island_and_instants_are_none() {
        let mut pieces = SubstepTracker::new(3);
        assert_eq!(shortest(&mut pieces, &[]), 1.0);
        assert_eq!(shortest(&mut pieces, &[(1, 0.25)]), 0.25);
        assert_eq!(shortest(&mut pieces, &[(1, 0.75)]), 0.25);
        // 0.0625 lies between nodes of two islands, which is no piece of either.
        assert_eq!(shortest(&mut pieces, &[(0, 0.5), (2, 0.5625), (0, 0.5)]), 0.4375);
        assert_eq!(shortest(&mut pieces, &[(0, 0.5), (2, 0.25), (0, 0.625), (0, 0.75)]), 0.125);
        // Moved at the end of the step.
        assert_eq!(shortest(&mut pieces, &[(1, 1.0), (1, 1.0)]), 1.0);
        assert_eq!(shortest(&mut pieces, &[]), 1.0, "nothing is left of earlier steps");
    }
}
