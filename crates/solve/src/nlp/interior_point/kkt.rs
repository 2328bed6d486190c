//! The symmetric indefinite KKT matrix of a step, its factors and its inertia.
//!
//! ```text
//! [ H + D    Jᵀ  ]     D: diagonal of the columns (bounds, regularisation)
//! [ J       -E   ]     E: diagonal of the rows (slacks eliminated, regularisation)
//! ```
//!
//! The pattern is analysed once and kept until the layout changes. Rows with a large `E`, those of inactive constraints, are divided
//! by its root: residuals of different rows are then comparable in the refinement.
//!
//! Where inequalities outnumber the columns they are eliminated as well: `E` is positive in their rows, and `Jᵀ E⁻¹ J` is added to
//! the Hessian. Refinement works on all rows and recovers the digits that this loses.

use super::condensed::Condensed;
use super::reduced_layout::ReducedLayout;
use crate::arithmetic::{add_scaled, max_abs};
use crate::sparse::{Inertia, Ldl, SymmetricMatrix};
use crate::tolerances::interior_point::{REFINED, UNUSABLE};
use std::time::{Duration, Instant};

/// Steps of refinement at most.
const MAX_REFINEMENTS: usize = 6;

pub(super) struct KktSystem {
    columns: usize,
    /// The matrix that is factorised.
    matrix: SymmetricMatrix,
    /// Where a row is in it; none if it is eliminated.
    place_of: Vec<Option<usize>>,
    hessian_slots: Vec<usize>,
    /// Slots of the Jacobian's entries of rows that are in the matrix.
    jacobian_slots: Vec<(usize, usize)>,
    /// Row and column of each entry of the Jacobian.
    jacobian_places: Vec<(u32, u32)>,
    condensed: Condensed,
    diagonal_slots: Vec<usize>,
    /// Entries of the upper left block: row, column, slot in `upper`.
    upper: SymmetricMatrix,
    upper_hessian: Vec<usize>,
    upper_diagonal: Vec<usize>,
    /// The Jacobian, scaled, and the diagonal of its rows.
    jacobian: Vec<f64>,
    rows: Vec<f64>,
    row_scales: Vec<f64>,
    right: Vec<f64>,
    /// Whether a row of the matrix has no diagonal of its own.
    zero_diagonal: Vec<bool>,
    /// Factors, once there are numbers to analyse the pattern with.
    factors: Option<Ldl>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    reduced_vectors: [Vec<f64>; 2],
    /// Factorisations so far.
    pub factorisations: usize,
    /// Time in them.
    pub factoring: Duration,
    /// Time in solutions.
    pub solving: Duration,
}

impl KktSystem {
    /// Lays the matrix out.
    pub fn new(reduced: &ReducedLayout) -> Self {
        let (n, m) = (reduced.columns.len(), reduced.rows.len());
        let inequalities = reduced.rows.iter().filter(|bound| !bound.is_equation()).count();
        let many = inequalities > n;
        let mut next = n;
        let place_of: Vec<Option<usize>> = reduced
            .rows
            .iter()
            .map(|bound| {
                let cached = !many || bound.is_equation();
                next += usize::from(cached);
                cached.then(|| next - 1)
            })
            .collect();
        let dimension = next;
        let mut zero_diagonal = vec![false; dimension];
        for (bound, place) in reduced.rows.iter().zip(&place_of) {
            if let (true, Some(place)) = (bound.is_equation(), place) {
                zero_diagonal[*place] = true;
            }
        }
        // Places of the diagonal, of the Hessian, of the Jacobian and of what is condensed, in this order.
        let hessian = reduced.hessian.iter().map(|&(_, i, j)| (i, j));
        let mut places: Vec<(usize, usize)> = (0..n).map(|i| (i, i)).collect();
        places.extend(hessian.clone());
        let (upper, upper_slots) = SymmetricMatrix::zeros(n, &places);
        let entries = reduced.jacobian.iter().map(|&(_, row, column)| (row, column));
        let mut condensed = Condensed::new(entries, |row| place_of[row].is_none());
        places.clear();
        places.extend((0..dimension).map(|i| (i, i)));
        places.extend(hessian);
        let cached: Vec<(usize, usize, usize)> = (reduced.jacobian.iter().enumerate())
            .filter_map(|(e, &(_, i, j))| place_of[i].map(|place| (e, place, j)))
            .collect();
        places.extend(cached.iter().map(|&(_, place, column)| (place, column)));
        places.extend(condensed.places());
        let (matrix, slots) = SymmetricMatrix::zeros(dimension, &places);
        let (diagonal_slots, slots) = slots.split_at(dimension);
        let (hessian_slots, slots) = slots.split_at(reduced.hessian.len());
        let (jacobian_slots, slots) = slots.split_at(cached.len());
        condensed.set_slots(slots);
        Self {
            columns: n,
            hessian_slots: hessian_slots.to_vec(),
            jacobian_slots: cached.iter().zip(jacobian_slots).map(|(&(e, ..), &slot)| (e, slot)).collect(),
            jacobian_places: reduced.jacobian.iter().map(|&(_, i, j)| (i as u32, j as u32)).collect(),
            condensed,
            upper_hessian: upper_slots[n..].to_vec(),
            upper_diagonal: upper_slots[..n].to_vec(),
            upper,
            jacobian: vec![0.0; reduced.jacobian.len()],
            rows: vec![0.0; m],
            row_scales: vec![1.0; m],
            right: vec![0.0; n + m],
            diagonal_slots: diagonal_slots.to_vec(),
            matrix,
            place_of,
            zero_diagonal,
            factors: None,
            residual: vec![0.0; n + m],
            correction: vec![0.0; n + m],
            reduced_vectors: [vec![0.0; dimension], vec![0.0; dimension]],
            factorisations: 0,
            factoring: Duration::ZERO,
            solving: Duration::ZERO,
        }
    }

    pub fn reset_statistics(&mut self) {
        self.factorisations = 0;
        self.factoring = Duration::ZERO;
        self.solving = Duration::ZERO;
    }

    /// Writes the matrix's values and factorises it. `None` if it contains NaN or infinity.
    pub fn factor(
        &mut self,
        hessian: Option<&[f64]>,
        jacobian: &[f64],
        column_diagonal: &[f64],
        row_diagonal: &[f64],
    ) -> Option<Inertia> {
        let start = Instant::now();
        for ((scale, row), &e) in self.row_scales.iter_mut().zip(&mut self.rows).zip(row_diagonal) {
            *scale = 1.0 / e.max(1.0).sqrt();
            *row = e * *scale * *scale;
        }
        for ((own, &(row, _)), &value) in self.jacobian.iter_mut().zip(&self.jacobian_places).zip(jacobian) {
            *own = value * self.row_scales[row as usize];
        }
        let (values, upper) = (&mut self.matrix.values, &mut self.upper.values);
        values.fill(0.0);
        upper.fill(0.0);
        if let Some(hessian) = hessian {
            for ((&slot, &own), &value) in self.hessian_slots.iter().zip(&self.upper_hessian).zip(hessian) {
                values[slot] += value;
                upper[own] += value;
            }
        }
        for (&slot, (&own, &value)) in
            self.diagonal_slots.iter().zip(self.upper_diagonal.iter().zip(column_diagonal))
        {
            values[slot] += value;
            upper[own] += value;
        }
        for &(entry, slot) in &self.jacobian_slots {
            values[slot] += self.jacobian[entry];
        }
        self.condensed.add(&self.jacobian, &self.rows, values);
        let mut eliminated = 0;
        for (place, &e) in self.place_of.iter().zip(&self.rows) {
            match place {
                Some(place) => values[self.diagonal_slots[*place]] -= e,
                None => eliminated += 1,
            }
        }
        if self.factors.is_none() && values.iter().all(|v| v.is_finite()) {
            self.factors = Some(Ldl::new(&self.matrix, |i| self.zero_diagonal[i]));
        }
        let inertia = self.factors.as_mut().and_then(|factors| factors.factor(&self.matrix.values));
        self.factoring += start.elapsed();
        self.factorisations += 1;
        // Each eliminated row has a negative pivot of its own.
        inertia.map(|i| Inertia { negative: i.negative + eliminated, ..i })
    }

    /// Solves with the last factors, refined. Whether the solution is usable.
    pub fn solve(&mut self, right: &[f64], x: &mut [f64]) -> bool {
        let start = Instant::now();
        let mut scaled = std::mem::take(&mut self.right);
        scaled.copy_from_slice(right);
        for (b, scale) in scaled[self.columns..].iter_mut().zip(&self.row_scales) {
            *b *= scale;
        }
        let ratio = self.solve_refined(&scaled, x);
        self.right = scaled;
        for (y, scale) in x[self.columns..].iter_mut().zip(&self.row_scales) {
            *y *= scale;
        }
        self.solving += start.elapsed();
        ratio.is_some_and(|r| r <= UNUSABLE)
    }

    /// Solves once for all rows.
    fn substitute(&mut self, right: &[f64], x: &mut [f64]) -> Option<()> {
        let n = self.columns;
        let [b, reduced_vectors] = &mut self.reduced_vectors;
        b[..n].copy_from_slice(&right[..n]);
        for (row, place) in self.place_of.iter().enumerate() {
            if let Some(place) = place {
                b[*place] = right[n + row];
            }
        }
        let rows = &self.rows;
        self.condensed.add_rows(&self.jacobian, |row| right[n + row] / rows[row], b);
        self.factors.as_mut()?.solve(b, reduced_vectors);
        x[..n].copy_from_slice(&reduced_vectors[..n]);
        for (row, place) in self.place_of.iter().enumerate() {
            // Eliminated rows without entries have no product below.
            x[n + row] = place.map_or_else(|| -right[n + row] / rows[row], |place| reduced_vectors[place]);
        }
        let put = |row: usize, product: f64| x[n + row] = (product - right[n + row]) / rows[row];
        self.condensed.multiply(&self.jacobian, reduced_vectors, put);
        Some(())
    }

    /// What a solution leaves of a right-hand side, to `self.residual`.
    fn compute_residual(&mut self, right: &[f64], x: &[f64]) {
        let n = self.columns;
        let (columns, rows) = self.residual.split_at_mut(n);
        self.upper.multiply(&x[..n], columns);
        rows.iter_mut().zip(&x[n..]).zip(&self.rows).for_each(|((r, y), e)| *r = -e * y);
        for (&(row, column), value) in self.jacobian_places.iter().zip(&self.jacobian) {
            let (row, column) = (row as usize, column as usize);
            rows[row] += value * x[column];
            columns[column] += value * x[n + row];
        }
        self.residual.iter_mut().zip(right).for_each(|(r, b)| *r = b - *r);
    }

    fn solve_refined(&mut self, right: &[f64], x: &mut [f64]) -> Option<f64> {
        self.substitute(right, x)?;
        let size = max_abs(right);
        let mut best = f64::INFINITY;
        for step in 0..=MAX_REFINEMENTS {
            self.compute_residual(right, x);
            let scale = size + max_abs(x).min(1e6 * size);
            let ratio = if scale == 0.0 { 0.0 } else { max_abs(&self.residual) / scale };
            if !ratio.is_finite() {
                return None;
            }
            if ratio >= best {
                // The last correction did harm: take it back.
                add_scaled(x, -1.0, &self.correction);
                return Some(best);
            }
            let slow = ratio > 0.5 * best;
            best = ratio;
            if ratio <= REFINED || slow || step == MAX_REFINEMENTS {
                break;
            }
            let (residual, mut correction) =
                (std::mem::take(&mut self.residual), std::mem::take(&mut self.correction));
            let solved = self.substitute(&residual, &mut correction);
            self.residual = residual;
            self.correction = correction;
            solved?;
            add_scaled(x, 1.0, &self.correction);
        }
        Some(best)
    }
}
