//! The dual active-set method of Goldfarb and Idnani (Mathematical Programming 27, 1983).
//!
//! Starts at the unconstrained minimum and adds one violated constraint after the other, equalities first,
//! dropping those whose multiplier would change sign: every iterate is the minimum over its active set, and the
//! objective only grows. Differs from the paper: two-sided rows and bounds (a bound's normal is an axis, so
//! its projection is a row of J), dependent rows that are satisfied to tolerance are passed over, and x and u
//! are refined with residuals in twice the working precision whenever the violation left is small.

use super::factors::Factors;
use super::problem::{QpOutcome, QpSolution, QuadraticProgram};
use crate::arithmetic::{accurate_dot, add_scaled, dot, max_abs, norm, zeroed};
use crate::error::SolveError;
use crate::tolerances::qp::{BLOCKING, CONSISTENT, DEPENDENT, FEASIBLE, REFINE_BELOW};

/// One side of a row or of a bound: rows first, then variables.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    constraint: usize,
    /// +1 for the lower side, -1 for the upper: the normal is this multiple of the row.
    sign: f64,
    equality: bool,
}

impl Side {
    fn bound(self, problem: &QuadraticProgram) -> f64 {
        let (lower, upper) = sides(problem, self.constraint);
        if self.sign > 0.0 { lower } else { upper }
    }
}

/// Both sides of a constraint, rows first, then variables.
fn sides(problem: &QuadraticProgram, constraint: usize) -> (f64, f64) {
    let constraints = problem.constraints();
    let m = constraints.rows();
    if constraint < m { constraints.row_bounds(constraint) } else { constraints.bounds(constraint - m) }
}

/// What becomes of a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Status {
    Open,
    Active,
    /// Implied by the active ones, for as long as they stay.
    Implied,
}

/// How taking in one constraint ended.
enum AddOutcome {
    Active,
    Implied,
    Infeasible,
    Limit,
}

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct GoldfarbIdnani {
    factors: Factors,
    active: Vec<Side>,
    /// Multipliers of the active sides and, last, of the one being added.
    u: Vec<f64>,
    z: Vec<f64>,
    r: Vec<f64>,
    rho: Vec<f64>,
    sigma: Vec<f64>,
    status: Vec<Status>,
    /// One over the length of each row: inside, all normals are unit vectors.
    weight: Vec<f64>,
    refined: bool,
    /// Largest entry of any iterate: what the rounding errors of x and of the slacks are proportional to.
    x_size: f64,
}

impl GoldfarbIdnani {
    pub(super) fn solve(
        &mut self,
        problem: &QuadraticProgram,
        answer: &mut QpSolution,
    ) -> Result<(), SolveError> {
        let (n, m) = (problem.variables(), problem.rows());
        answer.prepare(n, m);
        self.factors.start(n, problem.hessian())?;
        self.prepare(problem);
        // The unconstrained minimum: a Newton correction from x = 0.
        self.refine(problem, &mut answer.x);

        let limit = 100 + 20 * (n + m);
        self.x_size = max_abs(&answer.x);
        while let Some((side, violation)) = self.most_violated(problem, &answer.x) {
            if violation < REFINE_BELOW && !side.equality && !self.refined {
                self.refine(problem, &mut answer.x);
                continue;
            }
            match self.add_constraint(problem, side, answer, limit) {
                AddOutcome::Active | AddOutcome::Implied => {}
                AddOutcome::Infeasible => {
                    answer.outcome = QpOutcome::Infeasible;
                    self.write_multipliers(problem, answer);
                    return Ok(());
                }
                AddOutcome::Limit => {
                    self.u.truncate(self.active.len());
                    self.write_multipliers(problem, answer);
                    answer.objective = problem.value(&answer.x);
                    return Ok(());
                }
            }
        }
        self.refine(problem, &mut answer.x);
        self.clip_multipliers();
        self.write_multipliers(problem, answer);
        answer.outcome = QpOutcome::Optimal;
        answer.objective = problem.value(&answer.x);
        Ok(())
    }

    fn prepare(&mut self, problem: &QuadraticProgram) {
        let (n, m) = (problem.variables(), problem.rows());
        self.active.clear();
        self.active.reserve(n + 1);
        self.u.clear();
        self.u.reserve(n + 2);
        self.refined = false;
        for buffer in [&mut self.z, &mut self.r, &mut self.rho, &mut self.sigma] {
            zeroed(buffer, n);
        }
        self.status.clear();
        self.status.resize(m + n, Status::Open);
        self.weight.clear();
        self.weight.extend((0..m).map(|i| match norm(problem.constraints().row(i)) {
            0.0 => 1.0,
            length => 1.0 / length,
        }));
        self.weight.resize(m + n, 1.0);
    }

    /// The open side that is violated most, in multiples of the size of its terms: equalities come first, as
    /// they never leave again, and are added even where they hold.
    fn most_violated(&self, problem: &QuadraticProgram, x: &[f64]) -> Option<(Side, f64)> {
        let constraints = problem.constraints();
        let m = constraints.rows();
        let mut worst: Option<(Side, f64)> = None;
        let mut equality_open = false;
        for constraint in (0..m + x.len()).filter(|c| self.status[*c] == Status::Open) {
            let (lower, upper) = sides(problem, constraint);
            let equality = lower == upper;
            if (equality_open && !equality) || (lower.is_infinite() && upper.is_infinite()) {
                continue;
            }
            let activity =
                if constraint < m { dot(constraints.row(constraint), x) } else { x[constraint - m] };
            for (bound, sign) in [(lower, 1.0), (upper, -1.0)] {
                let violation = self.weight[constraint] * sign * (bound - activity);
                let violation = if violation > 0.0 {
                    violation / (self.weight[constraint] * bound.abs() + self.x_size)
                } else {
                    0.0
                };
                let first_equality = equality && !equality_open;
                let enough = if equality { violation > 0.0 || sign > 0.0 } else { violation > FEASIBLE };
                if enough && (first_equality || worst.is_none_or(|(_, v)| violation > v)) {
                    worst = Some((Side { constraint, sign, equality }, violation));
                    equality_open |= equality;
                }
            }
        }
        worst
    }

    /// Slack of a side along its unit normal, accurately.
    fn slack(&self, problem: &QuadraticProgram, side: Side, x: &[f64]) -> f64 {
        let constraints = problem.constraints();
        let m = constraints.rows();
        let bound = side.bound(problem);
        let difference = if side.constraint < m {
            accurate_dot(-bound, constraints.row(side.constraint), x)
        } else {
            x[side.constraint - m] - bound
        };
        side.sign * self.weight[side.constraint] * difference
    }

    /// Steps in primal and dual space until the side is active. [Goldfarb and Idnani, algorithm step 2]
    fn add_constraint(
        &mut self,
        problem: &QuadraticProgram,
        side: Side,
        answer: &mut QpSolution,
        limit: usize,
    ) -> AddOutcome {
        let m = problem.rows();
        let weight = self.weight[side.constraint];
        self.u.push(0.0);
        loop {
            if answer.iterations >= limit {
                return AddOutcome::Limit;
            }
            answer.iterations += 1;
            let q = self.active.len();
            if side.constraint < m {
                self.factors.project(problem.constraints().row(side.constraint));
                self.factors.d.iter_mut().for_each(|d| *d *= side.sign * weight);
            } else {
                self.factors.project_axis(side.constraint - m, side.sign);
            }
            let (whole, outside) = self.factors.lengths();
            let dependent = outside <= DEPENDENT * whole || q == answer.x.len();
            self.factors.dual_direction(&mut self.r);
            let slack = self.slack(problem, side, &answer.x);

            // Longest dual step that keeps the multipliers of inequalities nonnegative.
            let mut blocking = None;
            let mut dual_step = f64::INFINITY;
            let rounding = BLOCKING * max_abs(&self.r[..q]);
            for k in (0..q).filter(|k| !self.active[*k].equality && self.r[*k] > rounding) {
                let step = self.u[k] / self.r[k];
                if step < dual_step {
                    (dual_step, blocking) = (step, Some(k));
                }
            }
            if dependent {
                let size = weight * side.bound(problem).abs() + self.x_size;
                if slack.abs() <= CONSISTENT * size {
                    self.u.truncate(q);
                    self.status[side.constraint] = Status::Implied;
                    return AddOutcome::Implied;
                }
            }
            let primal_step = if dependent { f64::INFINITY } else { -slack / (outside * outside) };
            let step = primal_step.min(dual_step);
            if step.is_infinite() {
                self.farkas_multipliers(side);
                return AddOutcome::Infeasible;
            }
            add_scaled(&mut self.u[..q], -step, &self.r[..q]);
            self.u[q] += step;
            if !dependent {
                self.factors.primal_direction(&mut self.z);
                answer.x.iter_mut().zip(&self.z).for_each(|(x, z)| *x += step * z);
                self.x_size = self.x_size.max(max_abs(&answer.x));
            }
            self.refined = false;
            if step == primal_step {
                self.factors.add();
                self.active.push(side);
                self.status[side.constraint] = Status::Active;
                return AddOutcome::Active;
            }
            if let Some(k) = blocking {
                self.factors.remove(k);
                self.status[self.active[k].constraint] = Status::Open;
                self.active.remove(k);
                self.u.remove(k);
                self.release_implied(problem);
            }
        }
    }

    /// What was implied by the active inequalities may no longer be. Equalities were implied by equalities.
    fn release_implied(&mut self, problem: &QuadraticProgram) {
        for (constraint, status) in self.status.iter_mut().enumerate() {
            let (lower, upper) = sides(problem, constraint);
            if *status == Status::Implied && lower != upper {
                *status = Status::Open;
            }
        }
    }

    /// Puts the multipliers of Farkas' proof into u: the new normal is `r . active`.
    fn farkas_multipliers(&mut self, side: Side) {
        let q = self.active.len();
        for k in 0..q {
            // Rounding may leave a tiny entry of the wrong sign.
            self.u[k] = if self.active[k].equality { -self.r[k] } else { (-self.r[k]).max(0.0) };
        }
        self.u[q] = 1.0;
        self.active.push(side);
    }

    /// Refines x and u of the active set against the original data.
    fn refine(&mut self, problem: &QuadraticProgram, x: &mut [f64]) {
        const ROUNDS: usize = 2;
        let constraints = problem.constraints();
        let (n, m) = (x.len(), constraints.rows());
        for _ in 0..ROUNDS {
            problem.slope(x, &mut self.rho);
            // The products are summed plainly: their rounding is that of the multipliers.
            for (k, side) in self.active.iter().enumerate() {
                let push = self.u[k] * side.sign * self.weight[side.constraint];
                if side.constraint < m {
                    let row = constraints.row(side.constraint);
                    self.rho.iter_mut().zip(row).for_each(|(rho, a)| *rho -= push * a);
                } else {
                    self.rho[side.constraint - m] -= push;
                }
            }
            for k in 0..self.active.len() {
                self.sigma[k] = -self.slack(problem, self.active[k], x);
            }
            let q = self.active.len().min(n);
            self.factors.correct(&self.rho, &mut self.sigma[..q], &mut self.z);
            x.iter_mut().zip(&self.z).for_each(|(x, dx)| *x += dx);
            self.u.iter_mut().zip(&self.sigma[..q]).for_each(|(u, du)| *u += du);
        }
        // Bounds hold exactly.
        for side in self.active.iter().filter(|s| s.constraint >= m) {
            x[side.constraint - m] = side.bound(problem);
        }
        self.refined = true;
    }

    /// Multipliers of inequalities that came out negative by rounding are zero.
    fn clip_multipliers(&mut self) {
        for (u, side) in self.u.iter_mut().zip(&self.active) {
            if !side.equality && *u < 0.0 {
                *u = 0.0;
            }
        }
    }

    /// Writes the multipliers into the answer.
    fn write_multipliers(&self, problem: &QuadraticProgram, answer: &mut QpSolution) {
        let m = problem.rows();
        for (side, u) in self.active.iter().zip(&self.u) {
            let value = side.sign * u * self.weight[side.constraint];
            if side.constraint < m {
                answer.row_duals[side.constraint] += value;
            } else {
                answer.bound_duals[side.constraint - m] += value;
            }
        }
    }
}
