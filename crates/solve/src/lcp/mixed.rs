//! Free unknowns of a mixed problem, eliminated before complementary pivoting begins.
//!
//! ```text
//! Gauss-Jordan on the free block with complete pivoting: each pivot turns a free unknown into an expression
//! in the others and uses up its equation.
//! What is left of the block is zero: equations without free unknowns, unknowns without equations.
//!   both vanish altogether      a redundant pair: the unknown is set to zero
//!   else                        x = x⁺ - x⁻ with r >= 0 ⊥ x⁺ >= 0, -r >= 0 ⊥ x⁻ >= 0
//! ```
//!
//! The split pair is a linear complementarity problem again, of one unknown more, and copositive if the mixed
//! one was.

use super::problem::{Lcp, LcpSolution};
use crate::arithmetic::{accurate_dot, max_abs};
use crate::tolerances::lcp::CANCELLED;

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    /// Row-major `[M | q]` with pivoted unknowns exchanged against their equations, n by n + 1.
    tableau: Vec<f64>,
    /// (row, column) of each pivot.
    pivots: Vec<(usize, usize)>,
    /// Reduced unknown: which original one and with which sign.
    kept: Vec<(usize, f64)>,
    /// The equation that a kept free unknown is paired with.
    partner: Vec<usize>,
    scale: Vec<f64>,
    reduced: Lcp,
}

impl Elimination {
    pub(super) fn reduced(&self) -> &Lcp {
        &self.reduced
    }

    pub(super) fn eliminate(&mut self, problem: &Lcp) {
        let n = problem.size();
        let width = n + 1;
        self.tableau.clear();
        self.scale.clear();
        for i in 0..n {
            self.tableau.extend_from_slice(problem.row(i));
            self.tableau.push(problem.rhs()[i]);
            // An equation may be written in any unit.
            self.scale.push(max_abs(&self.tableau[i * width..(i + 1) * width - 1]));
        }
        self.pivots.clear();
        let open = |pivots: &[(usize, usize)], i: usize, by: fn(&(usize, usize)) -> usize| {
            problem.free()[i] && pivots.iter().all(|p| by(p) != i)
        };
        loop {
            let mut best = (CANCELLED, 0, 0);
            for i in (0..n).filter(|&i| open(&self.pivots, i, |p| p.0) && self.scale[i] > 0.0) {
                for j in (0..n).filter(|&j| open(&self.pivots, j, |p| p.1)) {
                    let relative = self.tableau[i * width + j].abs() / self.scale[i];
                    if relative > best.0 {
                        best = (relative, i, j);
                    }
                }
            }
            if best.0 <= CANCELLED {
                break;
            }
            self.pivot(n, best.1, best.2);
        }
        self.pair(problem);
        self.reduce(n);
    }

    /// Solves row `r` for unknown `c` and puts it into all others.
    fn pivot(&mut self, n: usize, r: usize, c: usize) {
        let width = n + 1;
        let pivot = self.tableau[r * width + c];
        self.tableau[r * width + c] = 0.0;
        // x_c = -(rest of the row) / pivot
        self.tableau[r * width..(r + 1) * width].iter_mut().for_each(|v| *v /= -pivot);
        for i in (0..n).filter(|&i| i != r) {
            let factor = std::mem::take(&mut self.tableau[i * width + c]);
            if factor != 0.0 {
                for k in 0..width {
                    let term = factor * self.tableau[r * width + k];
                    let entry = &mut self.tableau[i * width + k];
                    *entry += term;
                    if entry.abs() <= CANCELLED * term.abs() {
                        *entry = 0.0;
                    }
                }
            }
        }
        self.pivots.push((r, c));
    }

    /// Pairs the equations and free unknowns that are left, and lists the unknowns of the reduced problem.
    fn pair(&mut self, problem: &Lcp) {
        let n = problem.size();
        self.kept.clear();
        self.partner.clear();
        for i in (0..n).filter(|&i| !problem.free()[i]) {
            self.kept.push((i, 1.0));
            self.partner.push(i);
        }
        let q_size = max_abs(problem.rhs());
        let mut equations = (0..n).filter(|&i| problem.free()[i] && self.pivots.iter().all(|p| p.0 != i));
        for c in (0..n).filter(|&c| problem.free()[c] && self.pivots.iter().all(|p| p.1 != c)) {
            // As many equations as free unknowns, and a pivot uses up one of each.
            let Some(r) = equations.next() else { continue };
            let row = &self.tableau[r * (n + 1)..(r + 1) * (n + 1)];
            let size = self.scale[r];
            let silent = self.kept.iter().all(|&(k, _)| row[k].abs() <= CANCELLED * size);
            let unused = (0..n).all(|i| {
                self.tableau[i * (n + 1) + c].abs() <= CANCELLED * self.scale[i]
                    || self.pivots.iter().any(|p| p.0 == i)
            });
            if silent && unused && row[n].abs() <= CANCELLED * q_size.max(size) {
                continue;
            }
            for sign in [1.0, -1.0] {
                self.kept.push((c, sign));
                self.partner.push(r);
            }
        }
    }

    fn reduce(&mut self, n: usize) {
        let size = self.kept.len();
        let (matrix, q, _) = self.reduced.resize(size);
        for (i, (&r, &(_, sign))) in self.partner.iter().zip(&self.kept).enumerate() {
            let row = &self.tableau[r * (n + 1)..(r + 1) * (n + 1)];
            for (j, &(c, other)) in self.kept.iter().enumerate() {
                matrix[i * size + j] = sign * other * row[c];
            }
            q[i] = sign * row[n];
        }
    }

    /// Unknowns of the mixed problem from those of the reduced one.
    pub(super) fn restore(&self, problem: &Lcp, answer: &mut LcpSolution) {
        let n = problem.size();
        let expand = |reduced: &[f64], constant: f64| {
            let mut z = vec![0.0; n];
            for (&(c, sign), value) in self.kept.iter().zip(reduced) {
                z[c] += sign * value;
            }
            let known = z.clone();
            for &(r, c) in &self.pivots {
                let row = &self.tableau[r * (n + 1)..(r + 1) * (n + 1)];
                z[c] = constant * row[n] + row[..n].iter().zip(&known).map(|(a, z)| a * z).sum::<f64>();
            }
            z
        };
        answer.z = expand(&answer.z, 1.0);
        answer.w = vec![0.0; n];
        answer.compute_slacks(problem);
        if let Some(ray) = &mut answer.ray {
            let mut cover = vec![0.0; n];
            for (&(c, _), d) in self.kept.iter().zip(&ray.cover) {
                cover[c] = if problem.free()[c] { 0.0 } else { *d };
            }
            ray.z = expand(&ray.z, 0.0);
            let size = max_abs(&ray.z).max(f64::MIN_POSITIVE);
            ray.z.iter_mut().for_each(|z| *z /= size);
            ray.z0 /= size;
            ray.w = (0..n).map(|i| accurate_dot(cover[i] * ray.z0, problem.row(i), &ray.z)).collect();
            ray.cover = cover;
        }
    }
}
