//! Multistart: searches from the guess and from perturbed paths. The best solution is kept.

use crate::guess::{Guess, InitialPath};
use crate::plan::Plan;
use crate::planner::{PlanError, Progress, search};
use crate::search::Options;
use crate::solution::{Attempt, Outcome, PlanSolution};
use percussion_mechanics::discrete::displace;
use percussion_solve::nlp::CallbackAction;

/// Solves a plan from a guess; `watch` is called every iteration and may interrupt the search.
pub fn solve(
    plan: &Plan,
    guess: &Guess,
    options: &Options,
    watch: &mut dyn FnMut(&Progress) -> CallbackAction,
) -> Result<PlanSolution, PlanError> {
    if let Some(planned) = plan.contacts.iter().find(|m| !(1..plan.intervals).contains(&m.node)) {
        let (name, node, end) = (planned.name.clone(), planned.node, plan.intervals);
        return Err(PlanError::ContactAtBoundary { name, node, end });
    }
    let path = guess.initial_path(plan).map_err(PlanError::Guess)?;
    let mut best = search(plan, &path, options, 1, watch)?;
    let mut attempts = vec![Attempt::of(&best)];
    for start in 2..options.starts + 2 {
        if best.outcome == Outcome::Interrupted {
            break;
        }
        let other = match search(plan, &perturbed(plan, &path, options, start), options, start, watch) {
            Ok(other) => other,
            Err(error) => {
                // A path that is perturbed too far to begin with does not end the other searches.
                attempts.push(Attempt::failed(&error));
                continue;
            }
        };
        attempts.push(Attempt::of(&other));
        let stopped = other.outcome == Outcome::Interrupted;
        if other.is_better(&best) {
            best = PlanSolution { start, ..other };
        }
        if stopped {
            // Interrupted on the way: the best so far.
            best.outcome = Outcome::Interrupted;
        }
    }
    best.attempts = attempts;
    Ok(best)
}

impl Attempt {
    fn of(found: &PlanSolution) -> Self {
        Self {
            outcome: found.outcome.clone(),
            objective: found.objective,
            violation: found.violation,
            iterations: found.iterations,
            rounds: found.rounds,
        }
    }

    fn failed(error: &PlanError) -> Self {
        Self {
            outcome: Outcome::Stalled(error.to_string()),
            objective: f64::NAN,
            violation: f64::NAN,
            iterations: 0,
            rounds: 0,
        }
    }
}

impl PlanSolution {
    /// Of two solutions that with the lower objective; of others that with the smaller violation.
    fn is_better(&self, other: &Self) -> bool {
        let rank = |m: &Self| match m.outcome {
            Outcome::Optimal => 0,
            Outcome::Saddle => 1,
            Outcome::Penetration(_) | Outcome::ContactMissed(_) => 2,
            _ => 3,
        };
        let value = |m: &Self| if rank(m) < 3 { m.objective } else { m.violation };
        let order = rank(self).cmp(&rank(other)).then(value(self).total_cmp(&value(other)));
        order.is_lt()
    }
}

/// A path with a random smooth perturbation between its ends.
fn perturbed(plan: &Plan, path: &InitialPath, options: &Options, start: usize) -> InitialPath {
    let mut seed = options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(start as u64 - 1);
    let mut number = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let mut out = path.clone();
    for island in &plan.model.islands {
        let amplitude: Vec<f64> = island.dofs.clone().map(|_| options.perturbation * number()).collect();
        for (k, node) in out.nodes.iter_mut().enumerate() {
            let by = (std::f64::consts::PI * k as f64 / plan.intervals as f64).sin();
            let d: Vec<f64> = amplitude.iter().map(|a| a * by).collect();
            displace(&plan.model, island, &path.nodes[k], &d, node);
        }
    }
    out
}
