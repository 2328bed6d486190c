//! Bounded primal simplex method in two phases on the condensed tableau.
//!
//! Phase one minimises the sum of infeasibilities of the basic quantities, phase two the objective; which one
//! applies is decided anew before each pivot. Pricing is by steepest edge, exact because the whole tableau is
//! at hand. The ratio test is Harris': among the blocking quantities that tie within the feasibility tolerance
//! the one with the largest pivot leaves. After a run of degenerate pivots Bland's least-index rule takes over
//! until the point moves again: it cannot cycle, neither in phase two nor in phase one, where a degenerate pivot
//! leaves the infeasibilities and hence the cost vector as they are.
//!
//! The problem is solved three times with falling tolerances, each from the last basis; the later passes
//! usually confirm without a pivot. The answer is computed from the final basis and the original data by
//! LU with iterative refinement, so its accuracy does not depend on the pivots that led there.

use super::problem::{Basis, LinearProgram, LpOutcome, LpSolution, Position};
use super::scaling::ScaledProgram;
use super::tableau::Tableau;
use crate::arithmetic::{accurate_dot, max_abs};
use crate::error::SolveError;

/// Feasibility and optimality tolerances of the three passes, relative to the size of the terms. The first
/// finds the basis despite rounding in near-singular ones, the last is about 45 units in the last place.
const TOLERANCES: [f64; 3] = [1e-9, 1e-12, 1e-14];

/// Tableau entries below this multiple of their column's largest are rounding, not pivots.
const PIVOT: f64 = 1e-11;

/// Degenerate pivots in a row before Bland's rule takes over.
const STALL: usize = 12;

/// Pivots after which the tableau is built again from the original data.
const REBUILD: usize = 24;

/// Solves a linear program.
///
/// ```
/// use percussion_solve::{LinearProgram, LpOutcome, lp_residual, solve_lp};
///
/// // maximise 3x + 2y with x + y <= 4, x + 3y <= 8, 0 <= x <= 3, y >= 0
/// let mut problem = LinearProgram::maximise(&[3.0, 2.0])?;
/// problem.at_most(&[1.0, 1.0], 4.0)?.at_most(&[1.0, 3.0], 8.0)?;
/// problem.nonnegative().bound(0, 0.0, 3.0)?;
///
/// let solution = solve_lp(&problem)?;
/// assert_eq!(solution.outcome, LpOutcome::Optimal);
/// assert_eq!(solution.x, [3.0, 1.0]);
/// assert_eq!(solution.objective, 11.0);
/// // One unit more in the first row would bring 2.
/// assert_eq!(solution.row_duals, [2.0, 0.0]);
/// assert!(lp_residual(&problem, &solution)?.worst() < 1e-15);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
pub fn solve_lp(problem: &LinearProgram) -> Result<LpSolution, SolveError> {
    Ok(solve(problem, None, iteration_limit(problem)))
}

/// Solves a linear program from the basis of a similar one. A basis that does not fit is ignored.
pub fn solve_lp_from(problem: &LinearProgram, basis: &Basis) -> Result<LpSolution, SolveError> {
    Ok(solve(problem, Some(basis), iteration_limit(problem)))
}

/// Far above what any problem has needed; Klee-Minty cubes of ten dimensions stay below.
fn iteration_limit(problem: &LinearProgram) -> usize {
    2_000 + 100 * (problem.rows() + problem.variables())
}

fn solve(problem: &LinearProgram, start: Option<&Basis>, limit: usize) -> LpSolution {
    let p = ScaledProgram::new(problem);
    let mut simplex = Simplex { tableau: Tableau::new(&p), iterations: 0, cost: vec![0.0; p.n + p.m] };
    if let Some(basis) = start {
        let position: Vec<Position> = basis.variables.iter().chain(&basis.rows).copied().collect();
        simplex.tableau.adopt(&position);
    }
    let (verdict, tolerance) = simplex.passes(limit);
    simplex.answer(problem, verdict, tolerance)
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Optimal,
    Infeasible,
    Unbounded { quantity: usize, sign: f64 },
    Limit,
}

/// What stops the entering quantity.
enum Block {
    Nothing,
    OwnSide { step: f64 },
    Basic { r: usize, step: f64, rest: Position },
}

struct Simplex<'a> {
    tableau: Tableau<'a>,
    iterations: usize,
    /// Cost of every quantity in the current phase.
    cost: Vec<f64>,
}

impl Simplex<'_> {
    /// The passes with falling tolerances; returns the last conclusive verdict and its tolerance.
    fn passes(&mut self, limit: usize) -> (Verdict, f64) {
        let mut last = (self.pass(TOLERANCES[0], limit), TOLERANCES[0]);
        if last.0 == Verdict::Limit {
            return last;
        }
        for tolerance in &TOLERANCES[1..] {
            let kept = self.tableau.position.clone();
            let allowance = self.iterations + 50 + self.tableau.p.n + self.tableau.p.m;
            let verdict = self.pass(*tolerance, allowance);
            // An infeasibility below the earlier tolerance is rounding: the optimum stands.
            let worse = verdict == Verdict::Infeasible && last.0 == Verdict::Optimal;
            if verdict == Verdict::Limit || worse {
                self.tableau.adopt(&kept);
                return last;
            }
            last = (verdict, *tolerance);
        }
        last
    }

    fn pass(&mut self, tolerance: f64, limit: usize) -> Verdict {
        let mut stalled = 0;
        loop {
            if self.tableau.age >= REBUILD {
                self.rebuild();
            }
            let feasible = self.set_costs(tolerance);
            let bland = stalled > STALL;
            let entering = self.price(tolerance, bland);
            let block = entering.map(|(q, d)| (q, d, self.ratio_test(q, -d.signum(), tolerance, bland)));
            let verdict = match block {
                None if feasible => Verdict::Optimal,
                None => Verdict::Infeasible,
                Some((q, d, Block::Nothing)) if feasible => {
                    Verdict::Unbounded { quantity: self.tableau.nonbasic[q], sign: -d.signum() }
                }
                // The sum of infeasibilities is bounded below: only rounding hides what blocks.
                Some((_, _, Block::Nothing)) => Verdict::Limit,
                Some((q, d, block)) => {
                    if self.iterations >= limit {
                        return Verdict::Limit;
                    }
                    let size = max_abs(&self.cost) * self.tableau.largest;
                    let gain = d.abs() * self.step(q, block);
                    stalled = if gain > tolerance * size { 0 } else { stalled + 1 };
                    continue;
                }
            };
            if self.tableau.age == 0 {
                return verdict;
            }
            self.rebuild(); // Believe a verdict only on a fresh tableau.
        }
    }

    fn rebuild(&mut self) {
        if self.tableau.rebuild().is_err() {
            // Rounding let a singular basis in. Starting over is rare and always possible.
            self.tableau.reset();
        }
    }

    /// Sets the cost of the phase that applies; true when the point is feasible.
    fn set_costs(&mut self, tolerance: f64) -> bool {
        let p = self.tableau.p;
        self.cost.fill(0.0);
        let mut feasible = true;
        for &v in &self.tableau.basic {
            let (below, above) = self.violated(v, tolerance);
            if below || above {
                feasible = false;
                self.cost[v] = if below { -1.0 } else { 1.0 };
            }
        }
        if feasible {
            self.cost[..p.n].copy_from_slice(&p.c);
        }
        feasible
    }

    /// Whether a quantity is below its lower or above its upper side by more than the tolerance.
    fn violated(&self, v: usize, tolerance: f64) -> (bool, bool) {
        let p = self.tableau.p;
        let value = self.tableau.value[v];
        let slack = tolerance * self.size(v);
        (value < p.lower[v] - slack, value > p.upper[v] + slack)
    }

    /// Size of the terms that may make up a quantity: what its rounding error is proportional to. Measured
    /// by the largest entries, because a small entry may be the rounding of a cancelled large one.
    fn size(&self, v: usize) -> f64 {
        let p = self.tableau.p;
        let sides = [p.lower[v], p.upper[v]];
        let side = sides.iter().filter(|s| s.is_finite()).fold(0.0, |m: f64, s| m.max(s.abs()));
        side + self.tableau.largest * if v < p.n { 1.0 } else { p.row_size[v - p.n] }
    }

    /// Chooses the entering quantity by steepest edge or least index; returns it with its reduced cost d.
    fn price(&self, tolerance: f64, bland: bool) -> Option<(usize, f64)> {
        let Tableau { p, position, basic, nonbasic, t, .. } = &self.tableau;
        let largest_cost = max_abs(&self.cost);
        let mut best: Option<(usize, f64)> = None;
        let mut best_rate = 0.0;
        for (q, &v) in nonbasic.iter().enumerate() {
            if p.lower[v] == p.upper[v] {
                continue;
            }
            let (mut d, mut largest, mut length) = (self.cost[v], 1.0_f64, 1.0);
            for (r, &w) in basic.iter().enumerate() {
                let entry = t[r * p.n + q];
                d += self.cost[w] * entry;
                largest = largest.max(entry.abs());
                length += entry * entry;
            }
            let attractive = match position[v] {
                Position::AtLower => d < 0.0,
                Position::AtUpper => d > 0.0,
                _ => true,
            };
            // An entry that ought to be zero carries the rounding of the largest in its column.
            if !attractive || d.abs() <= tolerance * largest_cost * largest {
                continue;
            }
            let rate = d * d / length;
            let better = match best {
                None => true,
                Some((b, _)) if bland => v < nonbasic[b],
                Some(_) => rate > best_rate,
            };
            if better {
                best = Some((q, d));
                best_rate = rate;
            }
        }
        best
    }

    /// How far the entering quantity can go, and what stops it.
    fn ratio_test(&self, q: usize, sign: f64, tolerance: f64, bland: bool) -> Block {
        let Tableau { p, basic, nonbasic, t, .. } = &self.tableau;
        let rate = |r: usize| sign * t[r * p.n + q];
        let negligible = PIVOT * (0..p.m).fold(0.0, |m: f64, r| m.max(rate(r).abs()));
        let blocks = |r: usize| {
            let rate = rate(r);
            if rate.abs() <= negligible { None } else { self.room(basic[r], rate, tolerance) }
        };

        // Harris, first pass: the longest step that keeps every violation within the tolerance.
        let mut reach = f64::INFINITY;
        for (r, &v) in basic.iter().enumerate() {
            if let Some((room, _)) = blocks(r) {
                reach = reach.min((room + tolerance * self.size(v)).max(0.0) / rate(r).abs());
            }
        }
        let own = p.upper[nonbasic[q]] - p.lower[nonbasic[q]];
        if own <= reach && own.is_finite() {
            return Block::OwnSide { step: own };
        }
        // Second pass: of those that block within that step, the largest pivot (or the least index).
        let mut chosen: Option<(usize, f64, Position)> = None;
        for r in 0..p.m {
            let Some((room, rest)) = blocks(r) else { continue };
            let step = room / rate(r).abs();
            if step > reach {
                continue;
            }
            let better = match chosen {
                None => true,
                Some((c, ..)) if bland => basic[r] < basic[c],
                Some((c, ..)) => rate(r).abs() > rate(c).abs(),
            };
            if better {
                chosen = Some((r, step.max(0.0), rest));
            }
        }
        chosen.map_or(Block::Nothing, |(r, step, rest)| Block::Basic { r, step, rest })
    }

    /// Distance of a basic quantity to the side it moves to, and that side. One that is infeasible stops
    /// where it becomes feasible.
    fn room(&self, v: usize, rate: f64, tolerance: f64) -> Option<(f64, Position)> {
        let p = self.tableau.p;
        let value = self.tableau.value[v];
        let (below, above) = self.violated(v, tolerance);
        let (side, rest) = if rate > 0.0 {
            match (below, above) {
                (true, _) => (p.lower[v], Position::AtLower),
                (_, true) => return None,
                _ => (p.upper[v], Position::AtUpper),
            }
        } else {
            match (below, above) {
                (true, _) => return None,
                (_, true) => (p.upper[v], Position::AtUpper),
                _ => (p.lower[v], Position::AtLower),
            }
        };
        let room = if rate > 0.0 { side - value } else { value - side };
        side.is_finite().then_some((room, rest))
    }

    /// Takes the step and returns its length.
    fn step(&mut self, q: usize, block: Block) -> f64 {
        self.iterations += 1;
        match block {
            Block::Nothing => 0.0,
            Block::OwnSide { step } => {
                self.tableau.flip(q);
                step
            }
            Block::Basic { r, step, rest } => {
                self.tableau.exchange(r, q, rest);
                step
            }
        }
    }

    /// The answer in the problem's own units, from the original data.
    fn answer(mut self, problem: &LinearProgram, verdict: Verdict, tolerance: f64) -> LpSolution {
        self.rebuild();
        let feasible = self.set_costs(tolerance);
        let (p, tableau) = (self.tableau.p, &self.tableau);
        let (n, m) = (p.n, p.m);
        let x: Vec<f64> = (0..n).map(|j| tableau.value[j] * p.column[j]).collect();
        let mut ray = Vec::new();
        let mut duals = vec![0.0; n + m];
        let (worst_value, best_value) = if problem.is_maximisation() {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        };
        let value = accurate_dot(0.0, problem.objective(), &x);
        let (outcome, objective) = match verdict {
            Verdict::Infeasible => {
                duals = self.signed_multipliers(tolerance);
                for &v in &tableau.basic {
                    duals[v] = -self.cost[v];
                }
                (LpOutcome::Infeasible, worst_value)
            }
            Verdict::Unbounded { quantity, sign } => {
                ray = tableau.direction(quantity, sign);
                ray.iter_mut().zip(&p.column).for_each(|(d, f)| *d *= f);
                (LpOutcome::Unbounded, best_value)
            }
            Verdict::Optimal | Verdict::Limit => {
                if feasible {
                    duals = self.signed_multipliers(tolerance);
                    duals.iter_mut().for_each(|d| *d /= p.objective);
                }
                let optimal = verdict == Verdict::Optimal;
                (if optimal { LpOutcome::Optimal } else { LpOutcome::IterationLimit }, value)
            }
        };
        LpSolution {
            outcome,
            x,
            objective,
            row_duals: (0..m).map(|i| duals[n + i] * p.row[i]).collect(),
            bound_duals: (0..n).map(|j| duals[j] / p.column[j]).collect(),
            ray,
            iterations: self.iterations,
            basis: Basis { variables: tableau.position[..n].to_vec(), rows: tableau.position[n..].to_vec() },
        }
    }

    /// Multipliers of the current cost; those whose sign is wrong by rounding are zero instead.
    fn signed_multipliers(&self, tolerance: f64) -> Vec<f64> {
        let p = self.tableau.p;
        let mut d = self.tableau.multipliers(&self.cost);
        let size = max_abs(&d).max(max_abs(&self.cost));
        for (v, value) in d.iter_mut().enumerate() {
            let wrong = match self.tableau.position[v] {
                Position::AtLower => *value < 0.0 && p.lower[v] < p.upper[v],
                Position::AtUpper => *value > 0.0 && p.lower[v] < p.upper[v],
                Position::AtZero => true,
                Position::Basic => false,
            };
            if wrong && value.abs() <= tolerance * size {
                *value = 0.0;
            }
        }
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_one_pivot_is_reported_as_such() {
        let mut problem = LinearProgram::maximise(&[2.0, 3.0]).unwrap();
        problem.at_most(&[1.0, 1.0], 4.0).unwrap().at_most(&[1.0, 3.0], 6.0).unwrap().nonnegative();
        let solution = solve(&problem, None, 1);
        assert_eq!(solution.outcome, LpOutcome::IterationLimit);
        assert_eq!(solution.iterations, 1);
        // The point is still a vertex of the feasible set.
        assert!(problem.constraints().violation(&solution.x, 1.0) < 1e-15);
    }
}
