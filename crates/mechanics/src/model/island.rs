//! Islands: bodies connected by joints, loops or forces.

use std::ops::Range;

/// A group of bodies independent of all others: ranges into the model's lists.
#[derive(Clone, Debug)]
pub struct Island {
    /// Slots of its bodies.
    pub bodies: Range<usize>,
    /// Its degrees of freedom.
    pub dofs: Range<usize>,
    /// Its joint coordinates.
    pub coordinates: Range<usize>,
    /// Its loops.
    pub closures: Range<usize>,
    /// Its forces.
    pub forces: Range<usize>,
    /// Its forces along joints.
    pub joint_forces: Range<usize>,
    /// One body, free, under nothing but uniform gravity: its step has a closed form up to three unknowns.
    pub simple: bool,
}

/// Disjoint sets of numbers (union-find).
#[derive(Debug, Default)]
pub(crate) struct Groups {
    parent: Vec<usize>,
}

impl Groups {
    pub(crate) fn new(n: usize) -> Self {
        Self { parent: (0..n).collect() }
    }

    /// Every number in a set of its own.
    pub(crate) fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n);
    }

    /// The smallest number of the set.
    pub(crate) fn find(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    pub(crate) fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.find(i), self.find(j));
        let (low, high) = (i.min(j), i.max(j));
        self.parent[high] = low;
    }
}
