//! The symmetric indefinite matrix of a step, its factors and its inertia. The one place that knows the crate `feral`.
//!
//! ```text
//! [ H + D    Jᵀ  ]     D: diagonal of the columns (bounds, regularisation)
//! [ J       -E   ]     E: diagonal of the rows (slacks eliminated, regularisation)
//! ```
//!
//! The pattern is analysed once and kept until the layout changes. Rows with a large `E`, those of constraints far from
//! their ends, are divided by its root: residuals of different rows are then comparable, and refinement means something.

use super::shape::Shape;
use crate::arithmetic::max_abs;
use feral::numeric::factorize::NumericParams;
use feral::symbolic::{OrderingPreprocess, SupernodeParams};
use feral::{CscMatrix, FactorStatus, Solver};
use std::time::{Duration, Instant};

/// Refinement ends when the residual is this small relative to right-hand side and solution.
const REFINED: f64 = 1e-12;
/// Steps of refinement at most.
const REFINEMENTS: usize = 6;
/// A residual above this makes a solution useless.
const USELESS: f64 = 1e-5;

/// Signs of the eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inertia {
    pub positive: usize,
    pub negative: usize,
    pub zero: usize,
}

/// Matrix, factors and memory for their use.
pub(super) struct Kkt {
    columns: usize,
    matrix: CscMatrix,
    hessian_slots: Vec<usize>,
    jacobian_slots: Vec<usize>,
    jacobian_rows: Vec<usize>,
    diagonal_slots: Vec<usize>,
    row_scales: Vec<f64>,
    right: Vec<f64>,
    solver: Solver,
    residual: Vec<f64>,
    correction: Vec<f64>,
    product: Vec<f64>,
    /// Factorisations so far.
    pub factorisations: usize,
    /// Time in them.
    pub factoring: Duration,
    /// Time in solutions.
    pub solving: Duration,
}

/// Settings for chains of small blocks: rows are matched with columns before they are ordered, since that is what it comes to
/// for such matrices anyway, and small fronts are merged less eagerly than for large ones.
fn solver() -> Solver {
    let symbolic = SupernodeParams {
        nemin: 8,
        preprocess: OrderingPreprocess::LdltCompress,
        ..SupernodeParams::default()
    };
    // In one thread: the same bits on every machine, and the matrices are too small for more.
    Solver::with_params(NumericParams::default(), symbolic).with_parallel(false)
}

impl Kkt {
    /// Lays the matrix out.
    pub fn new(shape: &Shape) -> Self {
        let (n, m) = (shape.columns.len(), shape.rows.len());
        let dimension = n + m;
        // Places as column and row, the order of compressed columns.
        let mut places: Vec<(usize, usize)> = (0..dimension).map(|i| (i, i)).collect();
        places.extend(shape.hessian.iter().map(|&(_, i, j)| (j, i)));
        places.extend(shape.jacobian.iter().map(|&(_, i, j)| (j, n + i)));
        places.sort_unstable();
        places.dedup();
        let mut col_ptr = vec![0; dimension + 1];
        for &(column, _) in &places {
            col_ptr[column + 1] += 1;
        }
        for j in 0..dimension {
            col_ptr[j + 1] += col_ptr[j];
        }
        // Every place asked for was put in above.
        let slot = |column: usize, row: usize| places.binary_search(&(column, row)).unwrap_or_default();
        Self {
            columns: n,
            hessian_slots: shape.hessian.iter().map(|&(_, i, j)| slot(j, i)).collect(),
            jacobian_slots: shape.jacobian.iter().map(|&(_, i, j)| slot(j, n + i)).collect(),
            jacobian_rows: shape.jacobian.iter().map(|&(_, i, _)| i).collect(),
            row_scales: vec![1.0; m],
            right: vec![0.0; dimension],
            diagonal_slots: (0..dimension).map(|i| slot(i, i)).collect(),
            matrix: CscMatrix {
                n: dimension,
                col_ptr,
                row_idx: places.iter().map(|&(_, row)| row).collect(),
                values: vec![0.0; places.len()],
            },
            solver: solver(),
            residual: vec![0.0; dimension],
            correction: vec![0.0; dimension],
            product: vec![0.0; dimension],
            factorisations: 0,
            factoring: Duration::ZERO,
            solving: Duration::ZERO,
        }
    }

    /// Forgets figures of former searches.
    pub fn reset_figures(&mut self) {
        self.factorisations = 0;
        self.factoring = Duration::ZERO;
        self.solving = Duration::ZERO;
    }

    /// Writes the matrix's values and factorises it. `None` if it has numbers that are none.
    pub fn factor(
        &mut self,
        hessian: Option<&[f64]>,
        jacobian: &[f64],
        column_diagonal: &[f64],
        row_diagonal: &[f64],
    ) -> Option<Inertia> {
        let values = &mut self.matrix.values;
        values.fill(0.0);
        if let Some(hessian) = hessian {
            for (&slot, &value) in self.hessian_slots.iter().zip(hessian) {
                values[slot] += value;
            }
        }
        for (scale, &e) in self.row_scales.iter_mut().zip(row_diagonal) {
            *scale = 1.0 / e.max(1.0).sqrt();
        }
        for ((&slot, &row), &value) in self.jacobian_slots.iter().zip(&self.jacobian_rows).zip(jacobian) {
            values[slot] += value * self.row_scales[row];
        }
        let (columns, rows) = self.diagonal_slots.split_at(self.columns);
        for (&slot, &value) in columns.iter().zip(column_diagonal) {
            values[slot] += value;
        }
        for ((&slot, &value), &scale) in rows.iter().zip(row_diagonal).zip(&self.row_scales) {
            values[slot] -= value * scale * scale;
        }
        let start = Instant::now();
        let status = self.solver.factor(&self.matrix, None);
        self.factoring += start.elapsed();
        self.factorisations += 1;
        match status {
            FactorStatus::Success | FactorStatus::WrongInertia { .. } => self
                .solver
                .inertia()
                .map(|i| Inertia { positive: i.positive, negative: i.negative, zero: i.zero }),
            FactorStatus::Singular => Some(Inertia { positive: 0, negative: 0, zero: self.matrix.n }),
            FactorStatus::FatalError(_) => None,
        }
    }

    /// Solves with the last factors, refined. Whether the solution is worth anything.
    pub fn solve(&mut self, right: &[f64], x: &mut [f64]) -> bool {
        let start = Instant::now();
        let mut scaled = std::mem::take(&mut self.right);
        scaled.copy_from_slice(right);
        for (b, scale) in scaled[self.columns..].iter_mut().zip(&self.row_scales) {
            *b *= scale;
        }
        let ratio = self.refined(&scaled, x);
        self.right = scaled;
        for (y, scale) in x[self.columns..].iter_mut().zip(&self.row_scales) {
            *y *= scale;
        }
        self.solving += start.elapsed();
        ratio.is_some_and(|r| r <= USELESS)
    }

    fn refined(&mut self, right: &[f64], x: &mut [f64]) -> Option<f64> {
        self.solver.solve_into(right, x).ok()?;
        let size = max_abs(right);
        let mut best = f64::INFINITY;
        for step in 0..=REFINEMENTS {
            self.matrix.symv(x, &mut self.product);
            for ((r, b), p) in self.residual.iter_mut().zip(right).zip(&self.product) {
                *r = b - p;
            }
            let scale = size + max_abs(x).min(1e6 * size);
            let ratio = if scale == 0.0 { 0.0 } else { max_abs(&self.residual) / scale };
            if !ratio.is_finite() {
                return None;
            }
            if ratio >= best {
                // The last correction did harm: take it back.
                for (x, d) in x.iter_mut().zip(&self.correction) {
                    *x -= d;
                }
                return Some(best);
            }
            let slow = ratio > 0.5 * best;
            best = ratio;
            if ratio <= REFINED || slow || step == REFINEMENTS {
                break;
            }
            self.solver.solve_into(&self.residual, &mut self.correction).ok()?;
            for (x, d) in x.iter_mut().zip(&self.correction) {
                *x += d;
            }
        }
        Some(best)
    }
}
