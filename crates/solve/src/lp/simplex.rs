//! Bounded primal simplex method in two phases on the condensed tableau.
//!
//! Phase one minimises the sum of infeasibilities of the basic quantities, phase two the objective; which one
//! applies is decided anew before each pivot. Pricing is by steepest edge, exact because the whole tableau is
//! available. The ratio test is Harris': among the blocking quantities that tie within the feasibility tolerance
//! the one with the largest pivot leaves. After a run of degenerate pivots Bland's least-index rule takes over
//! until the point moves again: it cannot cycle, neither in phase two nor in phase one, where a degenerate pivot
//! leaves the infeasibilities and hence the cost vector as they are.
//!
//! The basis found is confirmed with falling tolerances, usually without a pivot. The answer is computed from the final basis and
//! the original data by LU with iterative refinement, so that its accuracy does not depend on the pivots before.
//!
//! ```text
//! solve_to_tolerance, phase: set_costs, choose_entering, ratio_test, apply
//! ```

use super::problem::{Basis, BasisStatus, LinearProgram, LpOutcome, LpSolution};
use super::scaling::ScaledProgram;
use super::tableau::Tableau;
use crate::arithmetic::{accurate_dot, add_scaled, dot, max_abs};
use crate::error::SolveError;
use crate::tolerances::lp::{
    CONFIRM, GLOBAL_SHARE, MAX_PIVOT_FLOOR, PIVOT, REFINED_SHARE, SEARCH, SMALL_PIVOT,
};

/// Degenerate pivots in a row before Bland's rule takes over.
const BLAND_AFTER: usize = 12;

/// Pivots after which the tableau is built again from the original data.
const REBUILD: usize = 24;

/// Solves a linear program.
///
/// ```
/// use percussion_solve::{LinearProgram, solve_lp};
/// use percussion_solve::lp::{LpOutcome, lp_residual};
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
    let mut simplex = Simplex {
        tableau: Tableau::new(&p),
        iterations: 0,
        pivot_floor: PIVOT,
        cost: vec![0.0; p.n + p.m],
        size: vec![0.0; p.n + p.m],
        basic_size: vec![0.0; p.m],
        reduced: vec![0.0; p.n],
        reduced_size: vec![0.0; p.n],
    };
    if let Some(basis) = start {
        let position: Vec<BasisStatus> = basis.variables.iter().chain(&basis.rows).copied().collect();
        simplex.tableau.load_basis(&position);
    }
    let (verdict, tolerance) = simplex.solve_to_tolerance(limit);
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
enum Blocking {
    Nothing,
    BoundFlip,
    Basic { r: usize, leaves_at: BasisStatus },
}

/// The best point of a pass so far.
struct BestPoint {
    infeasibility: f64,
    objective: f64,
}

struct Simplex<'a> {
    tableau: Tableau<'a>,
    iterations: usize,
    /// Tableau entries below this multiple of their column's largest count as zero.
    pivot_floor: f64,
    /// Cost of every quantity in the current phase.
    cost: Vec<f64>,
    /// What the rounding error of each value is proportional to, and the same in the order of the basis.
    size: Vec<f64>,
    basic_size: Vec<f64>,
    /// Reduced costs of the nonbasic quantities, and what their rounding errors are proportional to.
    reduced: Vec<f64>,
    reduced_size: Vec<f64>,
}

impl Simplex<'_> {
    /// Searches, then confirms with falling tolerances; the last conclusive verdict and its tolerance.
    fn solve_to_tolerance(&mut self, limit: usize) -> (Verdict, f64) {
        let (n, m) = (self.tableau.p.n, self.tableau.p.m);
        let start = self.tableau.position.clone();
        let mut last = (Verdict::Limit, SEARCH[0]);
        for (attempt, tolerance) in SEARCH.into_iter().enumerate() {
            if attempt > 0 {
                self.tableau.load_basis(&start);
            }
            // Short at first: what has not ended by then is usually going round in circles.
            let allowance = if attempt < SEARCH.len() - 1 { 50 + 10 * (n + m) } else { limit };
            last = (self.phase(tolerance, limit.min(self.iterations + allowance)), tolerance);
            if last.0 != Verdict::Limit {
                break;
            }
        }
        if last.0 == Verdict::Limit {
            return last;
        }
        let found = last.1;
        for tolerance in CONFIRM.into_iter().filter(|t| *t < found) {
            let kept = self.tableau.position.clone();
            let verdict = self.phase(tolerance, self.iterations + 50 + n + m);
            // An infeasibility below the earlier tolerance is rounding: the optimum stands.
            let worse = verdict == Verdict::Infeasible && last.0 == Verdict::Optimal;
            if verdict == Verdict::Limit || worse {
                self.tableau.load_basis(&kept);
                return last;
            }
            last = (verdict, tolerance);
        }
        last
    }

    fn phase(&mut self, tolerance: f64, limit: usize) -> Verdict {
        let mut stalled = 0;
        let mut best = BestPoint { infeasibility: f64::INFINITY, objective: f64::INFINITY };
        loop {
            if self.tableau.pivots_since_rebuild >= REBUILD {
                self.rebuild();
            }
            let feasible = self.set_costs(tolerance);
            stalled = if self.is_progress(&mut best, feasible, tolerance) { 0 } else { stalled + 1 };
            let bland = stalled > BLAND_AFTER;
            let entering = self.choose_entering(tolerance, bland);
            let block = entering.map(|(q, d)| {
                let block = self.ratio_test(q, -d.signum(), tolerance, bland, self.pivot_floor);
                match block {
                    // Infeasibilities cannot fall without end: a pivot as small as the gain must be there.
                    Blocking::Nothing if !feasible => {
                        (q, d, self.ratio_test(q, -d.signum(), tolerance, bland, 0.0))
                    }
                    _ => (q, d, block),
                }
            });
            let verdict = match block {
                None if feasible => Verdict::Optimal,
                None => Verdict::Infeasible,
                Some((q, d, Blocking::Nothing)) if feasible => {
                    Verdict::Unbounded { quantity: self.tableau.nonbasic[q], sign: -d.signum() }
                }
                // What seemed to fall is rounding.
                Some((_, _, Blocking::Nothing)) => Verdict::Limit,
                Some((q, _, block)) => {
                    if self.iterations >= limit {
                        return Verdict::Limit;
                    }
                    if self.tableau.pivots_since_rebuild > 0 && self.has_small_pivot(q, &block) {
                        self.rebuild();
                        stalled -= stalled.min(1); // Looking twice is not standing still.
                        continue;
                    }
                    self.apply(q, block);
                    continue;
                }
            };
            if self.tableau.pivots_since_rebuild == 0 {
                return verdict;
            }
            self.rebuild(); // Optimality is accepted on a fresh tableau only.
        }
    }

    fn rebuild(&mut self) {
        if self.tableau.rebuild().is_none() {
            // Rounding let a singular basis in. Starting over is rare and always possible.
            self.pivot_floor = (100.0 * self.pivot_floor).min(MAX_PIVOT_FLOOR);
            self.tableau.reset();
        }
    }

    /// Sets the cost of the phase that applies; true when the point is feasible.
    fn set_costs(&mut self, tolerance: f64) -> bool {
        let p = self.tableau.p;
        self.cost.fill(0.0);
        self.rounding_sizes();
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
        let slack = tolerance * self.size[v];
        (value < p.lower[v] - slack, value > p.upper[v] + slack)
    }

    /// Measures what the rounding error of each basic value is proportional to: the terms of its own row, and
    /// those of the tight rows that determine the variables, passed on through the tableau. Unlike a norm
    /// this does not depend on the scaling.
    fn rounding_sizes(&mut self) {
        let Tableau { p, basic, nonbasic, t, value, .. } = &self.tableau;
        let (n, x) = (p.n, &value[..p.n]);
        let share = if self.tableau.pivots_since_rebuild == 0 { REFINED_SHARE } else { 1.0 };
        let anywhere = GLOBAL_SHARE * self.tableau.largest;
        self.size[..n].fill(0.0);
        for (i, a) in p.a.chunks(n).enumerate() {
            let terms: f64 = a.iter().zip(x).map(|(a, x)| (a * x).abs()).sum();
            self.size[n + i] = terms + value[n + i].abs();
        }
        for (r, &v) in basic.iter().enumerate() {
            let passed_on = t[r * n..(r + 1) * n].iter().zip(nonbasic).filter(|(_, w)| **w >= n);
            let passed_on: f64 = passed_on.map(|(t, &w)| t.abs() * self.size[w]).sum();
            self.basic_size[r] = value[v].abs() + self.size[v] + share * passed_on + anywhere;
        }
        for (r, &v) in basic.iter().enumerate() {
            self.size[v] = self.basic_size[r];
        }
    }

    /// Reduced costs d = c_N + T^T c_B with the sizes of their errors: the terms `c - A^T y` of the columns, and
    /// for the multipliers y of tight rows those of the basic columns, passed on through the tableau.
    fn reduce_costs(&mut self) {
        let Tableau { p, basic, nonbasic, t, .. } = &self.tableau;
        let (n, cost) = (p.n, &self.cost);
        let fresh = self.tableau.pivots_since_rebuild == 0;
        if fresh {
            let multipliers = self.tableau.multipliers(cost);
            self.reduced.iter_mut().zip(nonbasic).for_each(|(d, &v)| *d = multipliers[v]);
        } else {
            self.reduced.iter_mut().zip(nonbasic).for_each(|(d, &v)| *d = cost[v]);
            for (line, &w) in t.chunks(n).zip(basic).filter(|(_, w)| cost[**w] != 0.0) {
                add_scaled(&mut self.reduced, cost[w], line);
            }
        }
        // Sizes of c - A^T y for all columns; y is the reduced cost of a tight row, minus the cost of a basic one.
        let mut column_size: Vec<f64> = cost[..n].iter().map(|c| c.abs()).collect();
        let tight = nonbasic.iter().zip(&self.reduced).filter(|(v, _)| **v >= n).map(|(&v, d)| (v, *d));
        let loose = basic.iter().filter(|v| **v >= n).map(|&v| (v, cost[v]));
        for (v, y) in tight.chain(loose).filter(|(_, y)| *y != 0.0) {
            let a = &p.a[(v - n) * n..(v - n + 1) * n];
            column_size.iter_mut().zip(a).for_each(|(size, a)| *size += (y * a).abs());
        }
        let share = if fresh { REFINED_SHARE } else { 1.0 };
        let anywhere = GLOBAL_SHARE * max_abs(cost);
        for (q, &v) in nonbasic.iter().enumerate() {
            self.reduced_size[q] = anywhere + if v < n { column_size[v] } else { self.reduced[q].abs() };
        }
        for (line, &w) in t.chunks(n).zip(basic).filter(|(_, w)| **w < n) {
            for (size, t) in self.reduced_size.iter_mut().zip(line) {
                *size += share * t.abs() * column_size[w];
            }
        }
    }

    /// Chooses the entering quantity by steepest edge or least index; returns it with its reduced cost d.
    fn choose_entering(&mut self, tolerance: f64, bland: bool) -> Option<(usize, f64)> {
        self.reduce_costs();
        let Tableau { p, position, nonbasic, t, .. } = &self.tableau;
        let mut best: Option<(usize, f64)> = None;
        let mut best_rate = 0.0;
        for (q, &v) in nonbasic.iter().enumerate() {
            let d = self.reduced[q];
            let attractive = match position[v] {
                BasisStatus::AtLower => d < 0.0,
                BasisStatus::AtUpper => d > 0.0,
                _ => true,
            };
            let fixed = p.lower[v] == p.upper[v];
            if fixed || !attractive || d.abs() <= tolerance * self.reduced_size[q] {
                continue;
            }
            let length = 1.0 + t.iter().skip(q).step_by(p.n).map(|t| t * t).sum::<f64>();
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
    fn ratio_test(&self, q: usize, sign: f64, tolerance: f64, bland: bool, pivot_floor: f64) -> Blocking {
        let Tableau { p, basic, nonbasic, t, .. } = &self.tableau;
        let rate = |r: usize| sign * t[r * p.n + q];
        let negligible = pivot_floor * self.tableau.largest_entry(q);
        let blocks = |r: usize| {
            let rate = rate(r);
            if rate.abs() <= negligible { None } else { self.distance_to_bound(basic[r], rate, tolerance) }
        };

        // Harris, first pass: the longest step that keeps every violation within the tolerance.
        let mut reach = f64::INFINITY;
        for (r, &v) in basic.iter().enumerate() {
            if let Some((distance_to_bound, _)) = blocks(r) {
                reach = reach.min((distance_to_bound + tolerance * self.size[v]).max(0.0) / rate(r).abs());
            }
        }
        let own = p.upper[nonbasic[q]] - p.lower[nonbasic[q]];
        if own <= reach && own.is_finite() {
            return Blocking::BoundFlip;
        }
        // Second pass: of those that block within that step, the largest pivot (or the least index).
        let mut chosen: Option<(usize, BasisStatus)> = None;
        for r in 0..p.m {
            let Some((distance_to_bound, leaves_at)) = blocks(r) else { continue };
            if distance_to_bound / rate(r).abs() > reach {
                continue;
            }
            let better = match chosen {
                None => true,
                Some((c, _)) if bland => basic[r] < basic[c],
                Some((c, _)) => rate(r).abs() > rate(c).abs(),
            };
            if better {
                chosen = Some((r, leaves_at));
            }
        }
        chosen.map_or(Blocking::Nothing, |(r, leaves_at)| Blocking::Basic { r, leaves_at })
    }

    /// Distance of a basic quantity to the side it moves to, and that side. One that is infeasible stops
    /// where it becomes feasible.
    fn distance_to_bound(&self, v: usize, rate: f64, tolerance: f64) -> Option<(f64, BasisStatus)> {
        let p = self.tableau.p;
        let value = self.tableau.value[v];
        let (below, above) = self.violated(v, tolerance);
        let rises = rate > 0.0;
        if (rises && above) || (!rises && below) {
            return None;
        }
        let to_lower = if rises { below } else { !above };
        let (side, leaves_at) =
            if to_lower { (p.lower[v], BasisStatus::AtLower) } else { (p.upper[v], BasisStatus::AtUpper) };
        let distance_to_bound = if rises { side - value } else { value - side };
        side.is_finite().then_some((distance_to_bound, leaves_at))
    }

    /// Whether a pivot is so small that the rounding of earlier pivots may have made it.
    fn has_small_pivot(&self, q: usize, block: &Blocking) -> bool {
        let Tableau { p, t, .. } = &self.tableau;
        match block {
            Blocking::Basic { r, .. } => t[r * p.n + q].abs() < SMALL_PIVOT * self.tableau.largest_entry(q),
            _ => false,
        }
    }

    fn apply(&mut self, q: usize, block: Blocking) {
        self.iterations += 1;
        match block {
            Blocking::Nothing => {}
            Blocking::BoundFlip => self.tableau.flip(q),
            Blocking::Basic { r, leaves_at } => self.tableau.exchange(r, q, leaves_at),
        }
    }

    /// Whether the point is better than any before: less infeasible, or feasible with a better objective.
    fn is_progress(&self, best: &mut BestPoint, feasible: bool, tolerance: f64) -> bool {
        let (p, value) = (self.tableau.p, &self.tableau.value);
        let mut sum = 0.0;
        if feasible {
            sum += dot(&p.c, &value[..p.n]);
        } else {
            for &v in &self.tableau.basic {
                sum += (p.lower[v] - value[v]).max(value[v] - p.upper[v]).max(0.0);
            }
        }
        let record = if feasible { &mut best.objective } else { &mut best.infeasibility };
        let better = sum < *record - tolerance * max_abs(&self.cost) * self.tableau.largest;
        if better {
            *record = sum;
        }
        if feasible && best.infeasibility > 0.0 {
            // From here on losing feasibility is no progress.
            best.infeasibility = 0.0;
            return true;
        }
        better
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
        let worst_value = if problem.is_maximisation() { f64::NEG_INFINITY } else { f64::INFINITY };
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
                (LpOutcome::Unbounded, -worst_value)
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
                BasisStatus::AtLower => *value < 0.0 && p.lower[v] < p.upper[v],
                BasisStatus::AtUpper => *value > 0.0 && p.lower[v] < p.upper[v],
                BasisStatus::AtZero => true,
                BasisStatus::Basic => false,
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
