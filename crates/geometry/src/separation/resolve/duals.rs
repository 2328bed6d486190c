//! The dual polytope: all weights that carry the contact.
//!
//! ```text
//! π >= 0,  Σ π_i = 1 over body a,  Σ π_j = 1 over body b,  Σ π_i <t, x_i> = Σ π_j <t, y_j>  for every tangent t
//! ```
//!
//! over the vertices that can carry weight, coordinates seen from the contact point [Johnson 3.41]. Along the
//! normal all active vertices agree, so that a row for it would only repeat the sums. Each tangential row is
//! scaled by its own extent: a thin face poses as good a problem as a square one.

use super::contact::Contact;
use super::optimal::OptimalSet;
use crate::tolerances::resolve::{BASIC, NO_WEIGHT, NOISE};
use nalgebra::{DMatrix, DVector};
use percussion_solve::{LinearProgram, QpSolver, QuadraticProgram, solve_lp};

/// Weights of all active vertices, body a's first.
pub(in crate::separation) type Weights = Vec<f64>;

/// The equations, and one solution of them.
#[derive(Clone, Debug)]
pub(in crate::separation) struct Duals {
    /// Number of active vertices of each body.
    counts: [usize; 2],
    rows: Vec<(Vec<f64>, f64)>,
    /// The answer's own weights: what every other solution has to agree with.
    start: Weights,
}

impl Duals {
    pub(super) fn new(contact: &Contact, optimal: &OptimalSet) -> Self {
        let counts = [optimal.active[0].len(), optimal.active[1].len()];
        let count = counts[0] + counts[1];
        let mut start = Vec::with_capacity(count);
        let mut rows = Vec::new();
        for (k, (active, side)) in optimal.active.iter().zip(&contact.sides).enumerate() {
            let weight = |i: &u32| side.weighted.iter().find(|(j, _)| j == i).map_or(0.0, |(_, w)| *w);
            let total: f64 = active.iter().map(weight).sum();
            start.extend(active.iter().map(|i| weight(i) / total));
            if !active.is_empty() {
                let first = if k == 0 { 0 } else { counts[0] };
                let row = (0..count).map(|j| f64::from((first..first + active.len()).contains(&j)));
                rows.push((row.collect(), 1.0));
            }
        }
        for t in optimal.tangents.iter().filter(|_| !contact.has_half_space) {
            let mut row: Vec<f64> = Vec::with_capacity(count);
            for ((active, side), sign) in optimal.active.iter().zip(&contact.sides).zip([1.0, -1.0]) {
                row.extend(active.iter().map(|&i| sign * t.dot(&side.points[i as usize])));
            }
            let extent = row.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            row.iter_mut().for_each(|v| *v = without_noise(*v / extent));
            // The answer may have left a little weight elsewhere: agree with what is carried here.
            let value: f64 = row.iter().zip(&start).map(|(r, w)| r * w).sum();
            rows.push((row, without_noise(value)));
        }
        Self { counts, rows, start }
    }

    /// Number of weights.
    pub fn count(&self) -> usize {
        self.start.len()
    }

    /// The answer's own weights.
    pub fn given(&self) -> Weights {
        self.start.clone()
    }

    /// The weights of least norm. The answer's own, should the solver fail.
    pub fn shortest(&self) -> Weights {
        self.solve_least_norm().unwrap_or_else(|| self.start.clone())
    }

    fn solve_least_norm(&self) -> Option<Weights> {
        let mut problem = QuadraticProgram::least_distance(&vec![0.0; self.count()]).ok()?;
        problem.nonnegative();
        for (row, value) in &self.rows {
            problem.equal(row, *value).ok()?;
        }
        let mut solver = QpSolver::new();
        let solution = solver.solve(&problem).ok()?;
        solution.is_optimal().then(|| solution.x.iter().map(|w| without_rounding(*w)).collect())
    }

    /// Weights that make `Σ cost π` least. Should the solver fail, the corners are tried one by one.
    pub fn minimiser(&self, cost: &[f64]) -> Weights {
        self.solve_linear(cost).unwrap_or_else(|| {
            let price = |w: &Weights| cost.iter().zip(w).map(|(c, w)| c * w).sum::<f64>();
            let corners = self.extreme_points().into_iter().chain([self.start.clone()]);
            corners.min_by(|p, q| price(p).total_cmp(&price(q))).unwrap_or_default()
        })
    }

    fn solve_linear(&self, cost: &[f64]) -> Option<Weights> {
        let mut problem = LinearProgram::minimise(cost).ok()?;
        problem.nonnegative();
        for (row, value) in &self.rows {
            problem.equal(row, *value).ok()?;
        }
        let solution = solve_lp(&problem).ok()?;
        solution.is_optimal().then(|| solution.x.iter().map(|w| without_rounding(*w)).collect())
    }

    /// Least and greatest value of one weight.
    pub fn range(&self, index: usize) -> (f64, f64) {
        let mut cost = vec![0.0; self.count()];
        cost[index] = 1.0;
        let least = self.minimiser(&cost)[index];
        cost[index] = -1.0;
        (least, self.minimiser(&cost)[index])
    }

    /// Corners of the polytope: every set of independent columns whose solution is not negative. The number of
    /// sets grows like the fourth power of the number of active vertices.
    pub fn extreme_points(&self) -> Vec<Weights> {
        let (n, m) = (self.count(), self.rows.len().min(self.count()));
        let mut corners: Vec<Weights> = Vec::new();
        let mut chosen: Vec<usize> = (0..m).collect();
        loop {
            if let Some(weights) = self.basic(&chosen)
                && !corners.iter().any(|c| c.iter().zip(&weights).all(|(p, q)| (p - q).abs() <= 1e-9))
            {
                corners.push(weights);
            }
            // The next set in lexicographic order.
            let Some(k) = (0..m).rev().find(|&k| chosen[k] < n - m + k) else { return corners };
            chosen[k] += 1;
            for j in k + 1..m {
                chosen[j] = chosen[j - 1] + 1;
            }
        }
    }

    /// The solution on the chosen columns alone, if they are independent and it is not negative.
    fn basic(&self, chosen: &[usize]) -> Option<Weights> {
        let m = chosen.len();
        let columns = DMatrix::from_fn(self.rows.len(), m, |i, j| self.rows[i].0[chosen[j]]);
        let values = DVector::from_iterator(self.rows.len(), self.rows.iter().map(|r| r.1));
        // Orthogonal factors: sums and scaled coordinates are of order one, so small pivots mean dependence.
        let svd = columns.clone().svd(true, true);
        if svd.singular_values.min() <= 1e-9 {
            return None;
        }
        let solution = svd.solve(&values, 0.0).ok()?;
        let fits = (&columns * &solution - &values).amax() <= BASIC;
        if !fits || solution.min() < -BASIC {
            return None;
        }
        let mut weights = vec![0.0; self.count()];
        chosen.iter().zip(solution.iter()).for_each(|(&k, w)| weights[k] = without_rounding(*w));
        Some(weights)
    }

    /// Splits weights into the two bodies' and names the vertices.
    pub fn named(&self, weights: &[f64], active: &[Vec<u32>; 2]) -> [Vec<(u32, f64)>; 2] {
        let (a, b) = weights.split_at(self.counts[0]);
        let name =
            |active: &[u32], weights: &[f64]| active.iter().copied().zip(weights.iter().copied()).collect();
        [name(&active[0], a), name(&active[1], b)]
    }
}

/// Coordinates relative to the largest: what is left where vertices lie on an axis is rounding, and a
/// simplex method must not pivot on it.
fn without_noise(coordinate: f64) -> f64 {
    if coordinate.abs() > NOISE { coordinate } else { 0.0 }
}

fn without_rounding(weight: f64) -> f64 {
    if weight > NO_WEIGHT { weight } else { 0.0 }
}
