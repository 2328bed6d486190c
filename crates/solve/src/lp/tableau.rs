//! The condensed tableau of a bounded linear program.
//!
//! Variables and row activities are treated alike: `v = (x, r)` with `r = A x`. Of these n + m quantities m are
//! basic and n are held at a side; the tableau says how the former follow: `v_B = T v_N`. Only k rows and k
//! variables have changed places with respect to the start (T = A), so the basis matrix that has to be
//! factorised is k x k with k <= min(m, n), and building T again from the original data is cheap.

use super::problem::BasisStatus;
use super::scaling::ScaledProgram;
use crate::arithmetic::{TwofoldSum, accurate_dot, add_scaled, max_abs};
use crate::tolerances::lp::SINGULAR;
use nalgebra::linalg::LU;
use nalgebra::{DMatrix, DVector, Dyn};

/// Rounds of iterative refinement: one reaches the rounding error of the data, the second confirms.
const REFINEMENTS: usize = 2;

pub(super) struct Tableau<'a> {
    pub p: &'a ScaledProgram,
    /// Where each of the n + m quantities stands.
    pub position: Vec<BasisStatus>,
    pub basic: Vec<usize>,
    pub nonbasic: Vec<usize>,
    /// Row-major m x n.
    pub t: Vec<f64>,
    /// Values of all quantities.
    pub value: Vec<f64>,
    /// Largest absolute value of a variable.
    pub largest: f64,
    /// Pivots since the tableau was built from the original data.
    pub pivots_since_rebuild: usize,
    inside_columns: Vec<usize>,
    outside_columns: Vec<usize>,
    tight_rows: Vec<usize>,
    loose_rows: Vec<usize>,
    factors: Option<LU<f64, Dyn, Dyn>>,
}

impl<'a> Tableau<'a> {
    /// All rows basic, every variable at the side nearest zero.
    pub(super) fn new(p: &'a ScaledProgram) -> Self {
        let mut tableau = Self {
            p,
            position: vec![BasisStatus::Basic; p.n + p.m],
            basic: Vec::new(),
            nonbasic: Vec::new(),
            t: vec![0.0; p.m * p.n],
            value: vec![0.0; p.n + p.m],
            largest: 0.0,
            pivots_since_rebuild: 0,
            inside_columns: Vec::new(),
            outside_columns: Vec::new(),
            tight_rows: Vec::new(),
            loose_rows: Vec::new(),
            factors: None,
        };
        tableau.reset();
        tableau
    }

    /// Goes back to the start.
    pub(super) fn reset(&mut self) {
        for j in 0..self.p.n {
            self.position[j] = self.nonbasic_status(j);
        }
        self.position[self.p.n..].fill(BasisStatus::Basic);
        // No variable is basic, so the basis matrix is empty and cannot be singular.
        let _ = self.rebuild();
    }

    /// Takes a basis from elsewhere, or the start if it does not fit.
    pub(super) fn load_basis(&mut self, position: &[BasisStatus]) {
        let basics = position.iter().filter(|s| **s == BasisStatus::Basic).count();
        if position.len() == self.position.len() && basics == self.p.m {
            for (v, wanted) in position.iter().enumerate() {
                let fits = match wanted {
                    BasisStatus::Basic => true,
                    BasisStatus::AtLower => self.p.lower[v].is_finite(),
                    BasisStatus::AtUpper => self.p.upper[v].is_finite(),
                    BasisStatus::AtZero => false,
                };
                self.position[v] = if fits { *wanted } else { self.nonbasic_status(v) };
            }
            if self.rebuild().is_some() {
                return;
            }
        }
        self.reset();
    }

    fn nonbasic_status(&self, v: usize) -> BasisStatus {
        let (l, u) = (self.p.lower[v], self.p.upper[v]);
        match (l.is_finite(), u.is_finite()) {
            (true, true) if u.abs() < l.abs() => BasisStatus::AtUpper,
            (true, _) => BasisStatus::AtLower,
            (false, true) => BasisStatus::AtUpper,
            (false, false) => BasisStatus::AtZero,
        }
    }

    fn nonbasic_value(&self, v: usize) -> f64 {
        match self.position[v] {
            BasisStatus::AtLower => self.p.lower[v],
            BasisStatus::AtUpper => self.p.upper[v],
            BasisStatus::Basic | BasisStatus::AtZero => 0.0,
        }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.p.a[i * self.p.n..(i + 1) * self.p.n]
    }

    /// Builds tableau and values from the positions and the original data; `None` if the basis matrix is singular to working precision.
    pub(super) fn rebuild(&mut self) -> Option<()> {
        let (n, m) = (self.p.n, self.p.m);
        let is_basic = |v: &usize| self.position[*v] == BasisStatus::Basic;
        (self.inside_columns, self.outside_columns) = (0..n).partition(is_basic);
        let (loose, tight): (Vec<usize>, Vec<usize>) = (n..n + m).partition(is_basic);
        self.loose_rows = loose.iter().map(|v| v - n).collect();
        self.tight_rows = tight.iter().map(|v| v - n).collect();
        self.basic = self.inside_columns.iter().copied().chain(loose).collect();
        self.nonbasic = self.outside_columns.iter().copied().chain(tight).collect();
        self.factorise()?;
        self.fill_tableau();
        self.fill_values();
        self.pivots_since_rebuild = 0;
        Some(())
    }

    fn factorise(&mut self) -> Option<()> {
        let k = self.inside_columns.len();
        self.factors = None;
        if k > 0 {
            let entry = |r, c| self.p.a[self.tight_rows[r] * self.p.n + self.inside_columns[c]];
            let factors = LU::new(DMatrix::from_fn(k, k, entry));
            let pivots = factors.u().diagonal().abs();
            if pivots.min() <= SINGULAR * pivots.max() {
                return None;
            }
            self.factors = Some(factors);
        }
        Some(())
    }

    /// `B^-1 b`; without factors B is empty, and so is b.
    fn solve(&self, mut b: DVector<f64>) -> DVector<f64> {
        if let Some(factors) = &self.factors {
            factors.solve_mut(&mut b);
        }
        b
    }

    /// `B^-T b`, by the factors of B = P^-1 L U.
    fn solve_transposed(&self, mut b: DVector<f64>) -> DVector<f64> {
        if let Some(factors) = &self.factors {
            // B^T = U^T L^T P, hence three steps from the left.
            factors.u().tr_solve_upper_triangular_mut(&mut b);
            factors.l().tr_solve_lower_triangular_mut(&mut b);
            factors.p().inv_permute_rows(&mut b);
        }
        b
    }

    fn fill_tableau(&mut self) {
        let (n, k) = (self.p.n, self.inside_columns.len());
        let outside = self.outside_columns.len();
        // B^-1 (-outside columns, identity), all right-hand sides at once.
        let mut columns = DMatrix::from_fn(k, n, |r, q| {
            if q < outside {
                -self.p.a[self.tight_rows[r] * n + self.outside_columns[q]]
            } else if q - outside == r {
                1.0
            } else {
                0.0
            }
        });
        if let Some(factors) = &self.factors {
            factors.solve_mut(&mut columns);
        }
        self.t[..k * n].copy_from_slice(columns.transpose().as_slice());
        for (r, &i) in self.loose_rows.iter().enumerate() {
            let a = &self.p.a[i * n..(i + 1) * n];
            let (known, leaves_at) = self.t.split_at_mut(k * n);
            let line = &mut leaves_at[r * n..(r + 1) * n];
            line.fill(0.0);
            line.iter_mut().zip(&self.outside_columns).for_each(|(t, &j)| *t = a[j]);
            for (&j, solved) in self.inside_columns.iter().zip(known.chunks(n)) {
                add_scaled(line, a[j], solved);
            }
        }
    }

    /// Values by a refined solve with the original data, not through the tableau.
    fn fill_values(&mut self) {
        let (n, m) = (self.p.n, self.p.m);
        for v in 0..n + m {
            self.value[v] = self.nonbasic_value(v);
        }
        for round in 0..=REFINEMENTS {
            if self.inside_columns.is_empty() {
                break;
            }
            // What the tight rows still miss, given everything known so far.
            let missing: Vec<f64> = self
                .tight_rows
                .iter()
                .map(|&i| -accurate_dot(-self.value[n + i], self.row(i), &self.value[..n]))
                .collect();
            let correction = self.solve(DVector::from_vec(missing));
            for (&j, dv) in self.inside_columns.iter().zip(&correction) {
                self.value[j] += dv;
            }
            if round > 0 && correction.amax() == 0.0 {
                break;
            }
        }
        for &i in &self.loose_rows {
            self.value[n + i] = accurate_dot(0.0, self.row(i), &self.value[..n]);
        }
        self.largest = max_abs(&self.value[..n]);
    }

    /// Values of the basic quantities from those of the others, through the tableau.
    fn update_values(&mut self) {
        let n = self.p.n;
        for &v in &self.nonbasic {
            self.value[v] = self.nonbasic_value(v);
        }
        for (r, &v) in self.basic.iter().enumerate() {
            let t = &self.t[r * n..(r + 1) * n];
            self.value[v] = t.iter().zip(&self.nonbasic).map(|(t, &w)| t * self.value[w]).sum();
        }
        self.largest = max_abs(&self.value[..n]);
    }

    /// Largest absolute entry of a column.
    pub(super) fn largest_entry(&self, q: usize) -> f64 {
        self.t.iter().skip(q).step_by(self.p.n).fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    /// Moves a nonbasic quantity to its other side.
    pub(super) fn flip(&mut self, q: usize) {
        let v = self.nonbasic[q];
        self.position[v] = match self.position[v] {
            BasisStatus::AtLower => BasisStatus::AtUpper,
            _ => BasisStatus::AtLower,
        };
        self.update_values();
    }

    /// Exchanges basic number r, which comes to rest at `leaves_at`, and nonbasic number q.
    pub(super) fn exchange(&mut self, r: usize, q: usize, leaves_at: BasisStatus) {
        let n = self.p.n;
        let pivot_row: Vec<f64> = self.t[r * n..(r + 1) * n].to_vec();
        let inverse = 1.0 / pivot_row[q];
        for i in (0..self.p.m).filter(|i| *i != r) {
            let line = &mut self.t[i * n..(i + 1) * n];
            let scale = line[q] * inverse;
            if scale != 0.0 {
                add_scaled(line, -scale, &pivot_row);
            }
            line[q] = scale;
        }
        for (value, pivot) in self.t[r * n..(r + 1) * n].iter_mut().zip(&pivot_row) {
            *value = -pivot * inverse;
        }
        self.t[r * n + q] = inverse;
        self.position[self.basic[r]] = leaves_at;
        self.position[self.nonbasic[q]] = BasisStatus::Basic;
        std::mem::swap(&mut self.basic[r], &mut self.nonbasic[q]);
        self.pivots_since_rebuild += 1;
        self.update_values();
    }

    /// The multipliers of a cost vector over all quantities, by a refined solve with the original data:
    /// `cost . v = d . v_N` for every v with r = A x. Entries of basic quantities are zero. Only basic
    /// rows may carry a cost. Call after a rebuild.
    pub(super) fn multipliers(&self, cost: &[f64]) -> Vec<f64> {
        let (n, m, k) = (self.p.n, self.p.m, self.inside_columns.len());
        let mut d = vec![0.0; n + m];
        let reduced = |j: usize, d: &[f64]| {
            let mut sum = TwofoldSum::new(cost[j]);
            for i in 0..m {
                // Basic rows push with their cost, tight rows push back with their multiplier.
                sum.add_product(self.p.a[i * n + j], cost[n + i] - d[n + i]);
            }
            sum.value()
        };
        for _ in 0..=REFINEMENTS {
            if k == 0 {
                break;
            }
            let left: Vec<f64> = self.inside_columns.iter().map(|&j| reduced(j, &d)).collect();
            let correction = self.solve_transposed(DVector::from_vec(left));
            for (&i, dv) in self.tight_rows.iter().zip(&correction) {
                d[n + i] += dv;
            }
        }
        for &j in &self.outside_columns {
            d[j] = reduced(j, &d);
        }
        d
    }

    /// Direction in which all quantities move when nonbasic quantity v moves at unit rate `sign`.
    pub(super) fn direction(&self, v: usize, sign: f64) -> Vec<f64> {
        let n = self.p.n;
        let mut direction = vec![0.0; n];
        let Some(q) = self.nonbasic.iter().position(|w| *w == v) else { return direction };
        if v < n {
            direction[v] = sign;
        }
        for (r, &w) in self.basic.iter().enumerate().filter(|(_, w)| **w < n) {
            direction[w] = sign * self.t[r * n + q];
        }
        direction
    }
}
