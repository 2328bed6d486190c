//! Restoration phase: minimises the sum of violations by the same method, near the present iterate. [Wächter and Biegler 2006],
//! section 3.3.
//!
//! ```text
//! minimise  Σ (p + n)   subject to   c(x) - t - p + n = target,   p, n ≥ 0,   bounds of x and t
//! ```
//!
//! A proximal term determines what the rows leave free: its centre is the iterate at which restoration began, or moves with the
//! iterate in final restoration, where points of least violation should stay. Distances are sums of steps, since points on manifolds
//! have no difference. Ends where the filter of the original problem accepts a point, or at a stationary point of the violation,
//! whose multipliers are the certificate of local infeasibility.

use super::algorithm::{Algorithm, Exit};
use super::barrier_problem::{BarrierProblem, RowVariable};
use super::direction::Regularisation;
use crate::arithmetic::max_abs;
use crate::nlp::problem::Program;
use crate::tolerances::interior_point::{LARGE_GAIN, PROXIMAL, RESTORATION_BARRIER, RESTORATION_GAIN};

/// The proximal weight that goes with a barrier parameter: above it, or slacks lead far away where the rows leave them free; not
/// for long, or flat valleys are crossed at a crawl.
pub(super) fn proximal(mu: f64) -> f64 {
    PROXIMAL * (mu / RESTORATION_BARRIER).sqrt()
}

/// What a restored point must satisfy.
pub(super) struct RestorationGoal {
    regular: BarrierProblem,
    theta: f64,
    /// Whether nothing comes after: then constraints that hold are enough.
    pub is_final: bool,
}

impl RestorationGoal {
    /// Whether the original problem can go on from here.
    pub fn is_reached(&self, problem: &BarrierProblem) -> bool {
        let all = self.regular.lower.len();
        let w = &problem.current.w[..all];
        let mut rows = vec![0.0; self.regular.y.len()];
        self.regular.residual(&problem.current.c, w, &mut rows);
        let theta: f64 = rows.iter().map(|r| r.abs()).sum();
        theta <= LARGE_GAIN * self.theta
            || theta <= RESTORATION_GAIN * self.theta
                && self.regular.filter.accepts(theta, self.regular.phi(problem.current.f, w))
    }
}

impl<P: Program> Algorithm<'_, P> {
    /// Reduces the violation until the original problem can go on or, at the end of all searching, until there is none.
    pub fn restoration(&mut self, problem: &mut BarrierProblem, is_final: bool) -> Exit {
        let all = problem.lower.len();
        let theta = problem.theta(false);
        let mut inner = problem.restoration_problem(self.scaled.reduced);
        let goal = RestorationGoal { regular: problem.clone(), theta, is_final };
        if is_final {
            // The point is as good as it gets: stay near.
            inner.damping = 1.0;
        } else {
            inner.centre = inner.current.w[..inner.columns()].to_vec();
        }
        let regularisation = std::mem::take(&mut self.regularisation);
        let exit = self.solve_barrier_problems(&mut inner, Some(&goal));
        self.regularisation = regularisation;
        problem.current = inner.current;
        problem.current.w.truncate(all);
        let reached = problem.theta(false);
        match exit {
            Exit::Restored => {
                if reached <= LARGE_GAIN * theta {
                    problem.filter.clear();
                }
                self.resume_after_restoration(problem)
            }
            Exit::Converged if problem.optimality_errors(0.0).primal > 1e2 * self.options.tolerance => {
                problem.y.copy_from_slice(&inner.y);
                let n = problem.columns();
                problem.zl[..n].copy_from_slice(&inner.zl[..n]);
                problem.zu[..n].copy_from_slice(&inner.zu[..n]);
                Exit::Infeasible
            }
            // Feasible, but the filter contains better objectives: it is cleared.
            Exit::Converged | Exit::Stalled(_) if reached <= RESTORATION_GAIN * theta => {
                problem.filter.clear();
                self.resume_after_restoration(problem)
            }
            Exit::Converged => Exit::Stalled("the violation is small and cannot be reduced".into()),
            exit => exit,
        }
    }

    fn resume_after_restoration(&mut self, problem: &mut BarrierProblem) -> Exit {
        // Slacks are tiny after a long way along bounds: their central multipliers would freeze them there.
        problem.initialise_bound_multipliers();
        problem.y.fill(0.0);
        self.regularisation = Regularisation::default();
        Exit::Restored
    }
}

impl BarrierProblem {
    /// The problem of the least violation, begun where this one is.
    fn restoration_problem(&mut self, reduced: &super::reduced_layout::ReducedLayout) -> BarrierProblem {
        self.update_rows(false);
        let rows = &self.rows;
        let mut inner = self.clone();
        inner.weight = 0.0;
        inner.mu = RESTORATION_BARRIER * self.mu.max(max_abs(rows));
        inner.proximal = proximal(inner.mu);
        inner.y.fill(0.0);
        for z in inner.zl.iter_mut().chain(&mut inner.zu) {
            *z = z.min(1.0);
        }
        for (row, &r) in rows.iter().enumerate() {
            // The parts of r = p - n that minimise p + n - μ (log p + log n): there μ/p + μ/n = 2.
            let large = 0.5 * (inner.mu + r.abs() + inner.mu.hypot(r));
            let work = inner.mu * large / (2.0 * large - inner.mu);
            let (p, n) = if r > 0.0 { (large, work) } else { (work, large) };
            for (value, sign) in [(p, 1.0), (n, -1.0)] {
                inner.row_variables.push(RowVariable { row, sign, cost: 1.0 });
                inner.lower.push(0.0);
                inner.upper.push(f64::INFINITY);
                inner.current.w.push(value);
                inner.zl.push(inner.mu / value);
                inner.zu.push(0.0);
            }
        }
        inner.allocate(reduced);
        inner
    }
}
