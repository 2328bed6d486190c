//! Loops: constraints on top of the tree, with multipliers.
//!
//! ```text
//! P(q0)ᵀ[...] - p + h B0ᵀ λ = 0      g(q1) = 0      B = G P      [Johnson 3.8, on the tree]
//! ```
//!
//! Newton's method eliminates the degrees of freedom first: `(B1 J⁻¹ h B0ᵀ) dλ = g - B1 J⁻¹ r`, a small dense system that is rank
//! deficient whenever a mechanism has more hinges than it needs. Momenta at the end of a step are projected to
//! those the loops allow: the part they do not allow is a multiple of `Bᵀ` and only shifts the next multipliers.

use crate::model::{Island, Model};
use crate::rotation::Mat3;
use crate::spatial::Vec6;
use crate::tolerances::REDUNDANT_LOOP_ROW;
use crate::tree::{Closure, System};
use percussion_geometry::Vec3;
use percussion_solve::PivotedQr;

/// Workspace for the loops of one island.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// Rows of all loops.
    pub(crate) rows: usize,
    dofs: usize,
    /// `B0`, row by row.
    pub(crate) before: Vec<f64>,
    /// `B1`, row by row.
    pub(crate) after: Vec<f64>,
    /// `J⁻¹ h B0ᵀ`, column by column.
    pub(crate) solved_rows: Vec<f64>,
    /// `g` at the end.
    pub(crate) values: Vec<f64>,
    /// Multipliers `λ`.
    pub(crate) multipliers: Vec<f64>,
    /// Their correction.
    pub(crate) correction: Vec<f64>,
    qr: PivotedQr,
}

/// Which end of the interval rows are taken at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// Columns `P0`.
    Before,
    /// Columns `P1`.
    After,
}

impl Loops {
    /// Makes room for an island.
    pub fn begin(&mut self, model: &Model, island: &Island) {
        self.rows = model.closures[island.closures.clone()].iter().map(|c| c.joint.rows().len()).sum();
        self.dofs = island.dofs.len();
        let (m, n) = (self.rows, self.dofs);
        for (list, len) in [
            (&mut self.before, m * n),
            (&mut self.after, m * n),
            (&mut self.solved_rows, m * n),
            (&mut self.values, m),
            (&mut self.multipliers, m),
            (&mut self.correction, m),
        ] {
            list.clear();
            list.resize(len, 0.0);
        }
    }

    /// `g` and `B` at given placements of the island's bodies.
    pub fn evaluate(
        &mut self,
        end: End,
        model: &Model,
        island: &Island,
        system: &System,
        (positions, rotations): (&[Vec3], &[Mat3]),
        wrenches: &mut [Vec6],
    ) {
        let n = self.dofs;
        let b0 = island.bodies.start;
        let mut k = 0;
        for closure in &model.closures[island.closures.clone()] {
            for &row in closure.joint.rows() {
                wrenches.fill(Vec6::zeros());
                let value = put_row(closure, row, b0, positions, rotations, wrenches);
                match end {
                    End::Before => system.reduce(wrenches, &mut self.before[k * n..(k + 1) * n]),
                    End::After => system.reduce_at_end(wrenches, &mut self.after[k * n..(k + 1) * n]),
                }
                self.values[k] = value;
                k += 1;
            }
        }
    }

    /// Adds `scale B0ᵀ λ` for given multipliers.
    pub fn add_transposed(rows: &[f64], multipliers: &[f64], scale: f64, out: &mut [f64]) {
        for (row, factor) in rows.chunks_exact(out.len().max(1)).zip(multipliers) {
            out.iter_mut().zip(row).for_each(|(o, b)| *o += scale * factor * b);
        }
    }

    /// Factorises `B1 solved_rows`.
    pub fn factor(&mut self) {
        let (m, n) = (self.rows, self.dofs);
        let matrix = self.qr.reset(m);
        for c in 0..m {
            let column = &self.solved_rows[c * n..(c + 1) * n];
            for r in 0..m {
                let row = &self.after[r * n..(r + 1) * n];
                matrix[c * m + r] = row.iter().zip(column).map(|(a, b)| a * b).sum();
            }
        }
        self.qr.factor(REDUNDANT_LOOP_ROW);
    }

    /// Solves `(B1 solved_rows) x = values - B1 z` into `correction`, after [`Loops::factor`].
    pub fn solve(&mut self, z: &[f64], values_count: bool) {
        let (m, n) = (self.rows, self.dofs);
        for r in 0..m {
            let row = &self.after[r * n..(r + 1) * n];
            let along: f64 = row.iter().zip(z).map(|(a, b)| a * b).sum();
            self.correction[r] = if values_count { self.values[r] - along } else { -along };
        }
        self.qr.solve(&mut self.correction);
    }

    /// With the reduced mass matrix factored in `system`: `solved_rows = Mred⁻¹ Bᵀ` for the rows taken after, with factors.
    pub fn solve_rows(&mut self, system: &mut System, twists: &mut [Vec6]) {
        let n = self.dofs;
        for k in 0..self.rows {
            let row = &self.after[k * n..(k + 1) * n];
            system.solve(row, &mut self.solved_rows[k * n..(k + 1) * n], twists);
        }
        self.factor();
    }

    /// Projects momenta on those that the loops allow: `p - Bᵀ (B Mred⁻¹ Bᵀ)⁻¹ B Mred⁻¹ p`, after [`Loops::solve_rows`].
    pub fn project(&mut self, system: &mut System, z: &mut [f64], twists: &mut [Vec6], momenta: &mut [f64]) {
        system.solve(momenta, z, twists);
        self.solve(z, false);
        Self::add_transposed(&self.after, &self.correction, 1.0, momenta);
    }
}

/// One row: its value, with its derivative written as wrenches on the bodies.
pub(super) fn put_row(
    closure: &Closure,
    row: crate::joint::Row,
    b0: usize,
    positions: &[Vec3],
    rotations: &[Mat3],
    wrenches: &mut [Vec6],
) -> f64 {
    let parent = closure.parent.map(|p| (&positions[p - b0], &rotations[p - b0]));
    let child = closure.child - b0;
    let value = closure.joint.row(row, parent, (&positions[child], &rotations[child]));
    if let (Some(p), Some((_, rotation))) = (closure.parent, parent) {
        wrenches[p - b0] += value.parent.on_twists(rotation);
    }
    wrenches[child] += value.child.on_twists(&rotations[child]);
    value.value
}
