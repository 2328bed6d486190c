//! Linear constraints: two-sided rows `lower <= a . x <= upper` and two-sided bounds on each variable.
//!
//! Shared by the linear and the quadratic programs, together with the parts of their residuals that only
//! depend on constraints. An equality is a row whose two sides agree; an absent side is infinite.
//!
//! Multipliers: `y[i]` belongs to row i and `z[j]` to the bounds of variable j. A positive one presses
//! against the lower side, a negative one against the upper side.

use crate::arithmetic::{accurate_dot, max_abs};
use crate::error::{SolveError, all_finite, in_range, interval, length};

/// Gives a program with a field `constraints` the methods to state and to read them.
macro_rules! constrained {
    ($program:ident) => {
        impl $program {
            /// Adds the row `a . x = b`.
            pub fn equal(&mut self, a: &[f64], b: f64) -> Result<&mut Self, SolveError> {
                self.between(a, b, b)
            }

            /// Adds the row `a . x >= b`.
            pub fn at_least(&mut self, a: &[f64], b: f64) -> Result<&mut Self, SolveError> {
                all_finite("right-hand side", &[b])?;
                self.between(a, b, f64::INFINITY)
            }

            /// Adds the row `a . x <= b`.
            pub fn at_most(&mut self, a: &[f64], b: f64) -> Result<&mut Self, SolveError> {
                all_finite("right-hand side", &[b])?;
                self.between(a, f64::NEG_INFINITY, b)
            }

            /// Adds the row `lower <= a . x <= upper`; either side may be infinite.
            pub fn between(&mut self, a: &[f64], lower: f64, upper: f64) -> Result<&mut Self, SolveError> {
                self.constraints.between(a, lower, upper)?;
                Ok(self)
            }

            /// Bounds one variable; either side may be infinite.
            pub fn bound(
                &mut self,
                variable: usize,
                lower: f64,
                upper: f64,
            ) -> Result<&mut Self, SolveError> {
                self.constraints.bound(variable, lower, upper)?;
                Ok(self)
            }

            /// Makes every variable nonnegative.
            pub fn nonnegative(&mut self) -> &mut Self {
                self.constraints.nonnegative();
                self
            }

            /// Rows and bounds.
            pub fn constraints(&self) -> &Constraints {
                &self.constraints
            }

            /// Number of rows.
            pub fn rows(&self) -> usize {
                self.constraints.rows()
            }
        }
    };
}
pub(crate) use constrained;

/// Rows and variable bounds in one place. Variables are free until bounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    coefficients: Vec<f64>,
    row_lower: Vec<f64>,
    row_upper: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Constraints {
    /// No rows, `variables` free variables.
    pub fn free(variables: usize) -> Self {
        let mut constraints = Self::default();
        constraints.reset(variables);
        constraints
    }

    /// Removes rows and bounds and takes a new number of variables; keeps the capacity.
    pub fn reset(&mut self, variables: usize) {
        self.coefficients.clear();
        self.row_lower.clear();
        self.row_upper.clear();
        self.lower.clear();
        self.lower.resize(variables, f64::NEG_INFINITY);
        self.upper.clear();
        self.upper.resize(variables, f64::INFINITY);
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.lower.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_lower.len()
    }

    /// Coefficients of a row.
    pub fn row(&self, row: usize) -> &[f64] {
        let n = self.variables();
        &self.coefficients[row * n..(row + 1) * n]
    }

    /// Lower and upper side of a row.
    pub fn row_bounds(&self, row: usize) -> (f64, f64) {
        (self.row_lower[row], self.row_upper[row])
    }

    /// Lower and upper bound of a variable.
    pub fn bounds(&self, variable: usize) -> (f64, f64) {
        (self.lower[variable], self.upper[variable])
    }

    /// Adds the row `lower <= a . x <= upper`; either side may be infinite.
    pub(crate) fn between(&mut self, a: &[f64], lower: f64, upper: f64) -> Result<(), SolveError> {
        length("row", "variable", self.variables(), a.len())?;
        all_finite("row", a)?;
        interval("row bound", [0, 1], (lower, upper))?;
        self.coefficients.extend_from_slice(a);
        self.row_lower.push(lower);
        self.row_upper.push(upper);
        Ok(())
    }

    /// Bounds one variable; either side may be infinite.
    pub(crate) fn bound(&mut self, variable: usize, lower: f64, upper: f64) -> Result<(), SolveError> {
        in_range("variable", variable, self.variables())?;
        interval("variable bound", [0, 1], (lower, upper))?;
        self.lower[variable] = lower;
        self.upper[variable] = upper;
        Ok(())
    }

    /// Makes every variable nonnegative, without an upper bound.
    pub(crate) fn nonnegative(&mut self) {
        self.lower.fill(0.0);
        self.upper.fill(f64::INFINITY);
    }

    /// Rejects a point and multipliers that do not fit.
    pub(crate) fn check_lengths(&self, x: &[f64], y: &[f64], z: &[f64]) -> Result<(), SolveError> {
        length("solution", "variable", self.variables(), x.len())?;
        length("row multipliers", "row", self.rows(), y.len())?;
        length("bound multipliers", "variable", self.variables(), z.len())
    }

    /// Largest violation of a row or bound at `x`, each relative to the size of its terms:
    /// `|side| + |a|_1 size` for rows, `|bound| + size` for bounds, where `size` is that of the variables.
    pub(crate) fn violation(&self, x: &[f64], size: f64) -> f64 {
        let mut worst = 0.0;
        for i in 0..self.rows() {
            let a = self.row(i);
            let terms = size * norm1(a);
            let (lower, upper) = self.row_bounds(i);
            for (side, sign) in [(lower, -1.0), (upper, 1.0)] {
                if side.is_finite() {
                    worst_of(&mut worst, ratio(sign * accurate_dot(-side, a, x), side.abs() + terms));
                }
            }
        }
        for (j, &xj) in x.iter().enumerate() {
            let (lower, upper) = self.bounds(j);
            worst_of(&mut worst, ratio(lower - xj, lower.abs() + size));
            worst_of(&mut worst, ratio(xj - upper, upper.abs() + size));
        }
        worst
    }

    /// Largest multiplier that presses against a side that is not there, relative to the largest of its kind
    /// or, for bounds, to the terms of the objective's gradient and the rows that it balances, one per variable.
    /// `sense` is -1 when the signs are those of a maximisation.
    pub(crate) fn wrong_signs(&self, y: &[f64], z: &[f64], terms: &[f64], sense: f64) -> f64 {
        let (y_size, z_size) = (max_abs(y), max_abs(z));
        let rows = y.iter().enumerate().map(|(i, y)| (*y, self.row_bounds(i), y_size));
        let bounds = z.iter().enumerate().map(|(j, z)| (*z, self.bounds(j), z_size.max(terms[j])));
        let mut worst = 0.0;
        for (value, (lower, upper), size) in rows.chain(bounds) {
            let side = if sense * value > 0.0 { lower } else { upper };
            if value.is_nan() || (value != 0.0 && side.is_infinite()) {
                worst_of(&mut worst, ratio(value.abs(), size));
            }
        }
        worst
    }

    /// `sum_i |y_i a_ij|` added to `terms`, one per variable.
    pub(crate) fn add_terms(&self, y: &[f64], terms: &mut [f64]) {
        for (i, yi) in y.iter().enumerate() {
            terms.iter_mut().zip(self.row(i)).for_each(|(t, a)| *t += (a * yi).abs());
        }
    }

    /// Largest product of a multiplier and the slack of the side it presses against, relative to the same
    /// multiplier sizes as [`Constraints::wrong_signs`] and the size of the row's terms.
    pub(crate) fn complementarity(
        &self,
        x: &[f64],
        size: f64,
        [y, z]: [&[f64]; 2],
        gradient: f64,
        sense: f64,
    ) -> f64 {
        let (y_size, z_size) = (max_abs(y), max_abs(z).max(gradient));
        let mut worst = 0.0;
        for (i, yi) in y.iter().enumerate() {
            if let Some(side) = pressed_side(sense * yi, self.row_bounds(i)) {
                let a = self.row(i);
                let slack = accurate_dot(-side, a, x);
                worst_of(&mut worst, ratio((yi * slack).abs(), y_size * (side.abs() + size * norm1(a))));
            }
        }
        for j in 0..x.len() {
            if let Some(side) = pressed_side(sense * z[j], self.bounds(j)) {
                worst_of(&mut worst, ratio((z[j] * (x[j] - side)).abs(), z_size * (side.abs() + size)));
            }
        }
        worst
    }

    /// `out = start - A^T y - z`, accurately: what a Lagrangian's gradient leaves over.
    pub(crate) fn stationarity(&self, start: &[f64], y: &[f64], z: &[f64], out: &mut [f64]) {
        let n = self.variables();
        for j in 0..n {
            let mut sum = crate::arithmetic::TwofoldSum::new(start[j]);
            sum.add_product(-1.0, z[j]);
            for (i, yi) in y.iter().enumerate() {
                sum.add_product(-self.coefficients[i * n + j], *yi);
            }
            out[j] = sum.value();
        }
    }

    /// `|A_j|_1`, the column's share in the size of a stationarity residual.
    pub(crate) fn column_norm1(&self, j: usize) -> f64 {
        let n = self.variables();
        (0..self.rows()).map(|i| self.coefficients[i * n + j].abs()).sum()
    }

    /// The value `sum y b + sum z bound` of multipliers on the sides they press against, with the sum of
    /// the absolute terms. Multipliers on absent sides are left to [`Constraints::wrong_signs`].
    pub(crate) fn dual_value(&self, y: &[f64], z: &[f64], sense: f64) -> (f64, f64) {
        let mut sum = crate::arithmetic::TwofoldSum::default();
        let mut size = 0.0;
        let rows = y.iter().enumerate().map(|(i, y)| (y, self.row_bounds(i)));
        for (value, sides) in rows.chain(z.iter().enumerate().map(|(j, z)| (z, self.bounds(j)))) {
            if let Some(side) = pressed_side(sense * value, sides) {
                sum.add_product(*value, side);
                size += (value * side).abs();
            }
        }
        (sum.value(), size)
    }

    /// How far multipliers are from proving infeasibility. The proof (Farkas): `A^T y + z = 0` while
    /// `y . (A x) + z . x` would have to be positive for every x within the bounds. Returns the relative
    /// error of the equation, or infinity when the value it leads to is not positive.
    pub(crate) fn farkas_residual(&self, y: &[f64], z: &[f64]) -> f64 {
        let n = self.variables();
        let mut left = vec![0.0; n];
        self.stationarity(&vec![0.0; n], y, z, &mut left);
        let y_size = max_abs(y);
        let mut worst = self.wrong_signs(y, z, &vec![0.0; n], 1.0);
        for (j, value) in left.iter().enumerate() {
            worst_of(&mut worst, ratio(value.abs(), y_size * self.column_norm1(j) + z[j].abs()));
        }
        let (value, size) = self.dual_value(y, z, 1.0);
        // A value within the rounding of its own terms proves nothing.
        if value > 8.0 * f64::EPSILON * size { worst } else { f64::INFINITY }
    }

    /// How far a direction leads out of the constraints when followed without end, relative to its size.
    pub(crate) fn recession_violation(&self, ray: &[f64]) -> f64 {
        let size = max_abs(ray);
        let mut worst = 0.0;
        let mut see = |rate: f64, (lower, upper): (f64, f64), scale: f64| {
            if lower.is_finite() {
                worst_of(&mut worst, ratio(-rate, scale));
            }
            if upper.is_finite() {
                worst_of(&mut worst, ratio(rate, scale));
            }
        };
        for i in 0..self.rows() {
            let a = self.row(i);
            see(accurate_dot(0.0, a, ray), self.row_bounds(i), size * norm1(a));
        }
        for (j, &dj) in ray.iter().enumerate() {
            see(dj, self.bounds(j), size);
        }
        worst
    }
}

/// The finite side that a multiplier of this sign presses against.
fn pressed_side(multiplier: f64, (lower, upper): (f64, f64)) -> Option<f64> {
    let side = if multiplier > 0.0 { lower } else { upper };
    (multiplier != 0.0 && side.is_finite()).then_some(side)
}

/// Sum of absolute values.
pub(crate) fn norm1(a: &[f64]) -> f64 {
    a.iter().map(|v| v.abs()).sum()
}

/// `value / scale` for positive values, zero for the others; NaN stays visible as infinity.
pub(crate) fn ratio(value: f64, scale: f64) -> f64 {
    if value <= 0.0 {
        0.0
    } else if scale > 0.0 && !value.is_nan() {
        value / scale
    } else {
        f64::INFINITY
    }
}

/// Keeps the larger; NaN counts as worst of all.
pub(crate) fn worst_of(worst: &mut f64, value: f64) {
    if value > *worst || value.is_nan() {
        *worst = if value.is_nan() { f64::INFINITY } else { value };
    }
}
