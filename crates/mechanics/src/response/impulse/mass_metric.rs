//! The inner product of `Mred⁻¹` in mass-weighted coordinates: `Mred = L Lᵀ`, island by island.
//!
//! ```text
//! displacements  y = Lᵀ d        dᵀ Mred d = |y|²            momenta  u = L⁻¹ p        pᵀ Mred⁻¹ p = |u|²
//! rows           r = L⁻¹ N       N d = r·y                             N Mred⁻¹ p = r·u       ⟨N_i, N_j⟩ = r_i·r_j
//! ```
//!
//! The closest-point projection, the decomposition of momenta and Moreau's law are Euclidean projections in these coordinates.
//! `⟨N_i, N_j⟩` are the entries of the Delassus operator. A row is the gradient of one contact and is nonzero on one or two
//! islands: only their degrees of freedom are stored.

use crate::model::Model;
use crate::response::CollisionGroup;
use crate::tree::Singular;
use std::ops::Range;

/// Cholesky factors `L` of the mass matrices of the islands of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct MassMetric {
    /// Degrees of freedom of each island among those of the group, with the offset of its factor.
    blocks: Vec<(Range<usize>, usize)>,
    /// The factors one after the other, each row by row.
    factors: Vec<f64>,
    unit: Vec<f64>,
}

impl MassMetric {
    /// Evaluates and factors the mass matrices of a group at its configuration.
    pub fn factor(&mut self, model: &Model, group: &mut CollisionGroup) -> Result<(), Singular> {
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
                // A column; the matrix is symmetric, so it is stored as a row.
                group.multiply(k, &self.unit, &mut matrix[c * n..(c + 1) * n]);
                self.unit[c] = 0.0;
            }
            cholesky(matrix, n).map_err(|slot| Singular { slot })?;
        }
        Ok(())
    }

    /// `L⁻¹ p` in place.
    pub fn to_weighted(&self, p: &mut [f64]) {
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
    pub fn to_momenta(&self, u: &mut [f64]) {
        for (block, at) in &self.blocks {
            let (n, u) = (block.len(), &mut u[block.clone()]);
            for i in (0..n).rev() {
                let row = &self.factors[at + i * n..at + i * n + i + 1];
                u[i] = row.iter().zip(&u[..=i]).map(|(l, u)| l * u).sum();
            }
        }
    }

    /// Degrees of freedom of the islands on which a vector is nonzero.
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

/// Cholesky factor in the lower triangle, in place; `Err` is the index of a pivot that is not positive.
fn cholesky(a: &mut [f64], n: usize) -> Result<(), usize> {
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

/// Mass-weighted Jacobian rows, each over the degrees of freedom of one or two islands.
#[derive(Clone, Debug, Default)]
pub(crate) struct JacobianRows {
    rows: Vec<(usize, [Range<usize>; 2])>,
    values: Vec<f64>,
}

impl JacobianRows {
    /// No rows.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.values.clear();
    }

    /// Adds a row given in the degrees of freedom of the group, which is mass-weighted in place; returns its index.
    pub fn push(&mut self, metric: &MassMetric, dense: &mut [f64]) -> usize {
        metric.to_weighted(dense);
        let spans = metric.spans(dense);
        let at = self.values.len();
        for span in &spans {
            self.values.extend_from_slice(&dense[span.clone()]);
        }
        self.rows.push((at, spans));
        self.rows.len() - 1
    }

    /// Adds a row over one block of degrees of freedom; returns its index.
    #[cfg(test)]
    pub fn push_block(&mut self, first: usize, values: &[f64]) -> usize {
        self.rows.push((self.values.len(), [first..first + values.len(), 0..0]));
        self.values.extend_from_slice(values);
        self.rows.len() - 1
    }

    /// Adds a row given by its nonzero blocks, mass-weighted already; returns its index.
    pub fn push_blocks(&mut self, blocks: [(Range<usize>, &[f64]); 2]) -> usize {
        let at = self.values.len();
        let spans = blocks.map(|(span, part)| {
            debug_assert_eq!(span.len(), part.len());
            self.values.extend_from_slice(part);
            span
        });
        self.rows.push((at, spans));
        self.rows.len() - 1
    }

    /// Adds a row of others in the degrees of freedom of a list of islands, to which its own are added; returns its index.
    pub fn push_compact(&mut self, from: &Self, row: usize, islands: &mut Vec<Range<usize>>) -> usize {
        let mut spans = [0..0, 0..0];
        let at = self.values.len();
        for (own, (span, part)) in spans.iter_mut().zip(from.blocks(row)) {
            if span.is_empty() {
                continue;
            }
            if !islands.contains(span) {
                islands.push(span.clone());
            }
            let before = islands.iter().take_while(|island| *island != span);
            let first: usize = before.map(ExactSizeIterator::len).sum();
            *own = first..first + span.len();
            self.values.extend_from_slice(part);
        }
        self.rows.push((at, spans));
        self.rows.len() - 1
    }

    /// Nonzero blocks of a row, with their ranges among the degrees of freedom.
    pub fn blocks(&self, row: usize) -> impl Iterator<Item = (&Range<usize>, &[f64])> {
        let (at, spans) = &self.rows[row];
        let mut at = *at;
        spans.iter().map(move |span| {
            let part = &self.values[at..at + span.len()];
            at += span.len();
            (span, part)
        })
    }

    /// `r·u`.
    pub fn dot(&self, row: usize, u: &[f64]) -> f64 {
        let along = |(span, part): (&Range<usize>, &[f64])| -> f64 {
            part.iter().zip(&u[span.clone()]).map(|(r, u)| r * u).sum()
        };
        self.blocks(row).map(along).sum()
    }

    /// Entry `r_i·r_j` of the Delassus operator, of two rows over the same islands (or zero on one of them).
    pub fn delassus(&self, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for (span, part) in self.blocks(i) {
            for (other, with) in self.blocks(j).filter(|(other, _)| *other == span) {
                debug_assert_eq!(other.len(), span.len());
                sum += part.iter().zip(with).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        sum
    }

    /// `u += scale r`.
    pub fn add_scaled(&self, row: usize, scale: f64, u: &mut [f64]) {
        for (span, part) in self.blocks(row) {
            u[span.clone()].iter_mut().zip(part).for_each(|(u, r)| *u += scale * r);
        }
    }

    /// Writes the row over all degrees of freedom of the group.
    pub fn write_dense(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.add_scaled(row, 1.0, out);
    }
}
