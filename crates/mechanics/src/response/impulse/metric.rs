//! Coordinates in which masses are one: `Mred = L Lᵀ`, island by island.
//!
//! ```text
//! displacements  y = Lᵀ d        dᵀ Mred d = |y|²            momenta  u = L⁻¹ p        pᵀ Mred⁻¹ p = |u|²
//! rows           r = L⁻¹ N       N d = r·y                             N Mred⁻¹ p = r·u       ⟨N_i, N_j⟩ = r_i·r_j
//! ```
//!
//! So the projection, the decomposition of momenta and Moreau's law are all about points, half-spaces and right angles. A row
//! is the gradient of one contact and touches one island or two: only their degrees of freedom are kept.

use crate::model::Model;
use crate::response::CollisionGroup;
use crate::tree::Singular;
use std::ops::Range;

/// The factors `L` of the islands of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metric {
    /// Degrees of freedom of each island among those of the group, with the place of its factor.
    blocks: Vec<(Range<usize>, usize)>,
    /// The factors one after the other, each row by row.
    factors: Vec<f64>,
    unit: Vec<f64>,
}

impl Metric {
    /// Reads and factors the mass matrices of a group where it stands.
    pub fn begin(&mut self, model: &Model, group: &mut CollisionGroup) -> Result<(), Singular> {
        self.blocks.clear();
        self.factors.clear();
        for block in group.blocks(model) {
            self.blocks.push((block.clone(), self.factors.len()));
            self.factors.resize(self.factors.len() + block.len() * block.len(), 0.0);
        }
        for (k, (block, at)) in self.blocks.iter().enumerate() {
            let n = block.len();
            let matrix = &mut self.factors[*at..*at + n * n];
            self.unit.clear();
            self.unit.resize(n, 0.0);
            for c in 0..n {
                self.unit[c] = 1.0;
                // A column; the matrix is symmetric, so it may stand as a row.
                group.multiply(k, &self.unit, &mut matrix[c * n..(c + 1) * n]);
                self.unit[c] = 0.0;
            }
            factor(matrix, n).map_err(|slot| Singular { slot })?;
        }
        Ok(())
    }

    /// `L⁻¹ p` in place.
    pub fn weigh(&self, p: &mut [f64]) {
        for (block, at) in &self.blocks {
            let (n, p) = (block.len(), &mut p[block.clone()]);
            if p.iter().all(|v| *v == 0.0) {
                continue;
            }
            for i in 0..n {
                let row = &self.factors[at + i * n..at + i * n + i + 1];
                let sum: f64 = row[..i].iter().zip(&p[..i]).map(|(l, p)| l * p).sum();
                p[i] = (p[i] - sum) / row[i];
            }
        }
    }

    /// `L u` in place.
    pub fn unweigh(&self, u: &mut [f64]) {
        for (block, at) in &self.blocks {
            let (n, u) = (block.len(), &mut u[block.clone()]);
            for i in (0..n).rev() {
                let row = &self.factors[at + i * n..at + i * n + i + 1];
                u[i] = row.iter().zip(&u[..=i]).map(|(l, u)| l * u).sum();
            }
        }
    }

    /// Degrees of freedom of the islands that a vector touches.
    fn spans(&self, dense: &[f64]) -> [Range<usize>; 2] {
        let mut spans = [0..0, 0..0];
        let touched = self.blocks.iter().map(|(block, _)| block);
        let touched = touched.filter(|block| dense[(*block).clone()].iter().any(|v| *v != 0.0));
        for (span, block) in spans.iter_mut().zip(touched) {
            *span = block.clone();
        }
        spans
    }
}

/// Cholesky's factor in the lower triangle, in place; the number of the pivot that is not positive.
fn factor(a: &mut [f64], n: usize) -> Result<(), usize> {
    for i in 0..n {
        for k in 0..=i {
            let sum: f64 = (0..k).map(|j| a[i * n + j] * a[k * n + j]).sum();
            let rest = a[i * n + k] - sum;
            if k < i {
                a[i * n + k] = rest / a[k * n + k];
            } else if rest > 0.0 {
                a[i * n + i] = rest.sqrt();
            } else {
                return Err(i);
            }
        }
    }
    Ok(())
}

/// Weighed rows, each over the degrees of freedom of one island or two.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    list: Vec<(usize, [Range<usize>; 2])>,
    numbers: Vec<f64>,
}

impl Rows {
    /// No rows.
    pub fn clear(&mut self) {
        self.list.clear();
        self.numbers.clear();
    }

    /// Adds a row given in the degrees of freedom of the group, which is weighed in place; returns its number.
    pub fn push(&mut self, metric: &Metric, dense: &mut [f64]) -> usize {
        metric.weigh(dense);
        let spans = metric.spans(dense);
        let at = self.numbers.len();
        for span in &spans {
            self.numbers.extend_from_slice(&dense[span.clone()]);
        }
        self.list.push((at, spans));
        self.list.len() - 1
    }

    /// Its parts, with their places among the degrees of freedom.
    fn parts(&self, row: usize) -> impl Iterator<Item = (&Range<usize>, &[f64])> {
        let (at, spans) = &self.list[row];
        let mut at = *at;
        spans.iter().map(move |span| {
            let part = &self.numbers[at..at + span.len()];
            at += span.len();
            (span, part)
        })
    }

    /// `r·u`.
    pub fn dot(&self, row: usize, u: &[f64]) -> f64 {
        let along = |(span, part): (&Range<usize>, &[f64])| -> f64 {
            part.iter().zip(&u[span.clone()]).map(|(r, u)| r * u).sum()
        };
        self.parts(row).map(along).sum()
    }

    /// `r_i·r_j` of two rows of one contact: they touch the same islands, unless one of them is zero there.
    pub fn product(&self, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for (span, part) in self.parts(i) {
            for (other, with) in self.parts(j).filter(|(other, _)| *other == span) {
                debug_assert_eq!(other.len(), span.len());
                sum += part.iter().zip(with).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        sum
    }

    /// `u += scale r`.
    pub fn add(&self, row: usize, scale: f64, u: &mut [f64]) {
        for (span, part) in self.parts(row) {
            u[span.clone()].iter_mut().zip(part).for_each(|(u, r)| *u += scale * r);
        }
    }

    /// The row among all degrees of freedom.
    pub fn expand(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.add(row, 1.0, out);
    }
}
