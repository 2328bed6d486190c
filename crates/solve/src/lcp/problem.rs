//! The linear complementarity problem and the shape of its answer.

use crate::arithmetic::{accurate_dot, dot, max_abs, zeroed};
use crate::error::{SolveError, all_finite, length};

/// `w = M z + q` with `w_i >= 0`, `z_i >= 0`, `w_i z_i = 0`, or `w_i = 0` and `z_i` of either sign where
/// `z_i` is free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lcp {
    /// Row-major.
    matrix: Vec<f64>,
    q: Vec<f64>,
    free: Vec<bool>,
}

impl Lcp {
    /// A problem with a dense matrix, row by row.
    pub fn new(matrix: &[f64], q: &[f64]) -> Result<Self, SolveError> {
        let mut problem = Self::default();
        problem.reset(matrix, q)?;
        Ok(problem)
    }

    /// A mixed problem: where `free` holds, the unknown has no sign and its row is an equation.
    pub fn mixed(matrix: &[f64], q: &[f64], free: &[bool]) -> Result<Self, SolveError> {
        let mut problem = Self::new(matrix, q)?;
        length("list of free unknowns", "unknown", q.len(), free.len())?;
        problem.free.copy_from_slice(free);
        Ok(problem)
    }

    /// Becomes another problem without free unknowns; keeps the capacity.
    pub fn reset(&mut self, matrix: &[f64], q: &[f64]) -> Result<(), SolveError> {
        if q.is_empty() {
            return Err(SolveError::Empty { what: "right-hand side" });
        }
        length("matrix", "pair of unknowns", q.len() * q.len(), matrix.len())?;
        all_finite("matrix", matrix)?;
        all_finite("right-hand side", q)?;
        let (own_matrix, own_q, _) = self.resize(q.len());
        own_matrix.copy_from_slice(matrix);
        own_q.copy_from_slice(q);
        Ok(())
    }

    /// Resizes to a problem of `n` unknowns, all zero: matrix row by row, right-hand side, free unknowns.
    pub(super) fn resize(&mut self, n: usize) -> (&mut [f64], &mut [f64], &mut [bool]) {
        zeroed(&mut self.matrix, n * n);
        zeroed(&mut self.q, n);
        self.free.clear();
        self.free.resize(n, false);
        (&mut self.matrix, &mut self.q, &mut self.free)
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.q.len()
    }

    /// Row-major matrix M.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// Row `i` of M.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.matrix[i * self.size()..(i + 1) * self.size()]
    }

    /// The vector q.
    pub fn rhs(&self) -> &[f64] {
        &self.q
    }

    /// Which unknowns are free, their rows equations.
    pub fn free(&self) -> &[bool] {
        &self.free
    }

    /// `w_i` at a point, as if in twice the working precision.
    pub fn slack(&self, i: usize, z: &[f64]) -> f64 {
        accurate_dot(self.q[i], self.row(i), z)
    }
}

/// The outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LcpOutcome {
    /// A complementary pair.
    Solved,
    /// The path of the method ends in a ray, which the solution carries.
    Ray,
    /// Neither was established within the iteration limit, or rounding spoiled what was.
    #[default]
    IterationLimit,
}

/// Where Lemke's path goes to infinity: `M z + cover z0 = w` with `z, w, z0 >= 0` (free entries of z of
/// either sign, their w zero) and `z . w = 0`, z not zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LcpRay {
    /// Direction of z, largest entry one.
    pub z: Vec<f64>,
    /// Direction of w.
    pub w: Vec<f64>,
    /// Direction of the artificial unknown.
    pub z0: f64,
    /// What the artificial unknown is multiplied by.
    pub cover: Vec<f64>,
}

impl LcpRay {
    /// Whether the direction of z is a proof that no `z >= 0` has `M z + q >= 0`: `Mᵀ u <= 0` and `q . u <
    /// 0`, up to `tolerance` times the size of the terms. Always so for positive semidefinite matrices.
    pub fn proves_infeasible(&self, problem: &Lcp, tolerance: f64) -> bool {
        let n = problem.size();
        if self.z.len() != n {
            return false;
        }
        let size = max_abs(problem.rhs()) * self.z.iter().map(|v| v.abs()).sum::<f64>();
        let transposed = (0..n).all(|j| {
            let (mut sum, mut terms) = (0.0, 0.0);
            for (i, u) in self.z.iter().enumerate() {
                let term = problem.row(i)[j] * u;
                sum += term;
                terms += f64::abs(term);
            }
            if problem.free()[j] { sum.abs() <= tolerance * terms } else { sum <= tolerance * terms }
        });
        transposed && dot(problem.rhs(), &self.z) < -tolerance * size
    }
}

/// An answer with its evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LcpSolution {
    /// The outcome.
    pub outcome: LcpOutcome,
    /// The unknowns (where the ray begins, if there is one).
    pub z: Vec<f64>,
    /// `M z + q`.
    pub w: Vec<f64>,
    /// The ray of a path that ends in one.
    pub ray: Option<LcpRay>,
    /// Exchanges of basic variables.
    pub pivots: usize,
}

impl LcpSolution {
    /// Whether the outcome is `Solved`.
    pub fn is_solved(&self) -> bool {
        self.outcome == LcpOutcome::Solved
    }

    pub(super) fn prepare(&mut self, n: usize) {
        self.outcome = LcpOutcome::IterationLimit;
        self.ray = None;
        self.pivots = 0;
        for vector in [&mut self.z, &mut self.w] {
            zeroed(vector, n);
        }
    }

    pub(super) fn compute_slacks(&mut self, problem: &Lcp) {
        for i in 0..problem.size() {
            self.w[i] = problem.slack(i, &self.z);
        }
    }
}
