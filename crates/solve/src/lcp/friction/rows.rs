//! Rows that touch at most two blocks of unknowns.

use crate::arithmetic::dot;

/// Most unknowns in a block: a rigid body has six.
pub(super) const WIDEST: usize = 6;

/// A sparse row r and the velocity `W r` that a unit impulse along it causes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Where each touched block begins in the velocity, and how wide it is.
    pub(super) spans: [(usize, usize); 2],
    pub(super) sides: usize,
    /// Their indices.
    pub(super) blocks: [usize; 2],
    values: [[f64; WIDEST]; 2],
    response: [[f64; WIDEST]; 2],
    /// `rᵀ W r`: velocity along the row per unit of impulse along it.
    pub(super) compliance: f64,
    /// Velocity along the row that no unknown has part in: that of a wall which is driven.
    pub(super) drift: f64,
}

impl Row {
    pub(super) fn new() -> Self {
        Self {
            spans: [(0, 0); 2],
            sides: 0,
            blocks: [0; 2],
            values: [[0.0; WIDEST]; 2],
            response: [[0.0; WIDEST]; 2],
            compliance: 0.0,
            drift: 0.0,
        }
    }

    /// Adds the entries of a block that begins at `start`, with its inverse mass `w`, row by row.
    pub(super) fn touch(&mut self, block: usize, start: usize, values: &[f64], w: &[f64]) {
        let (side, width) = (self.sides, values.len());
        self.blocks[side] = block;
        self.spans[side] = (start, width);
        self.values[side][..width].copy_from_slice(values);
        for (i, response) in self.response[side][..width].iter_mut().enumerate() {
            *response = dot(&w[i * width..(i + 1) * width], values);
        }
        self.compliance += dot(values, &self.response[side][..width]);
        self.sides += 1;
    }

    /// `rᵀ v`, and what is there without v
    pub(super) fn along(&self, v: &[f64]) -> f64 {
        let parts = self.parts().map(|(start, values, _)| dot(values, &v[start..start + values.len()]));
        self.drift + parts.sum::<f64>()
    }

    /// `v += impulse W r`
    pub(super) fn push(&self, impulse: f64, v: &mut [f64]) {
        for (start, _, response) in self.parts() {
            v[start..].iter_mut().zip(response).for_each(|(v, w)| *v += impulse * w);
        }
    }

    /// `rᵀ W s` for another row.
    pub(super) fn coupling(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (start, values, _) in self.parts() {
            for (at, _, response) in other.parts() {
                if at == start {
                    sum += dot(values, response);
                }
            }
        }
        sum
    }

    /// Start, entries and response of each touched block.
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, &[f64], &[f64])> {
        (0..self.sides).map(|side| {
            let (start, width) = self.spans[side];
            (start, &self.values[side][..width], &self.response[side][..width])
        })
    }
}
