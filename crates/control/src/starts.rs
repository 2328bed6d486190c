//! Where searches begin: at the guess, and at paths beside it. The best manoeuvre is kept.

use crate::guess::{Guess, Path};
use crate::manoeuvre::{Attempt, Ending, PlanSolution};
use crate::plan::Plan;
use crate::planner::{Options, PlanError, Progress, search};
use percussion_mechanics::discrete::displace;
use percussion_solve::nlp::CallbackAction;

/// Finds a manoeuvre; the watcher is told every iteration and may end the search.
pub fn plan(
    plan: &Plan,
    guess: &Guess,
    options: &Options,
    watch: &mut dyn FnMut(&Progress) -> CallbackAction,
) -> Result<PlanSolution, PlanError> {
    if let Some(meeting) = plan.meetings.iter().find(|m| !(1..plan.intervals).contains(&m.node)) {
        let (name, node, end) = (meeting.name.clone(), meeting.node, plan.intervals);
        return Err(PlanError::AtAnEnd { name, node, end });
    }
    let path = guess.work_out(plan).map_err(PlanError::Guess)?;
    let mut best = search(plan, path.clone(), options, 1, watch)?;
    let mut attempts = vec![Attempt::of(&best)];
    for start in 2..options.starts + 2 {
        if best.ending == Ending::Stopped {
            break;
        }
        let other = match search(plan, disturbed(plan, &path, options, start), options, start, watch) {
            Ok(other) => other,
            Err(error) => {
                // A path that was bent too far to begin with takes nothing from what others led to.
                attempts.push(Attempt::failed(&error));
                continue;
            }
        };
        attempts.push(Attempt::of(&other));
        let stopped = other.ending == Ending::Stopped;
        if other.is_better(&best) {
            best = PlanSolution { start, ..other };
        }
        if stopped {
            // Asked to stop on the way: the best so far, and not said to be more.
            best.ending = Ending::Stopped;
        }
    }
    best.attempts = attempts;
    Ok(best)
}

impl Attempt {
    fn of(found: &PlanSolution) -> Self {
        Self {
            ending: found.ending.clone(),
            objective: found.objective,
            violation: found.violation,
            iterations: found.iterations,
            rounds: found.rounds,
        }
    }

    fn failed(error: &PlanError) -> Self {
        Self {
            ending: Ending::Stalled(error.to_string()),
            objective: f64::NAN,
            violation: f64::NAN,
            iterations: 0,
            rounds: 0,
        }
    }
}

impl PlanSolution {
    /// Among those that were found the cheaper one; among others that which comes nearest to what is asked.
    fn is_better(&self, other: &Self) -> bool {
        let rank = |m: &Self| match m.ending {
            Ending::Optimal => 0,
            Ending::Saddle => 1,
            Ending::Overlaps(_) | Ending::Misses(_) => 2,
            _ => 3,
        };
        let worth = |m: &Self| if rank(m) < 3 { m.objective } else { m.violation };
        let order = rank(self).cmp(&rank(other)).then(worth(self).total_cmp(&worth(other)));
        order.is_lt()
    }
}

/// A path bent at random, smoothly, between its ends.
fn disturbed(plan: &Plan, path: &Path, options: &Options, start: usize) -> Path {
    let mut seed = options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(start as u64 - 1);
    let mut number = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let mut out = path.clone();
    for island in &plan.model.islands {
        let bend: Vec<f64> = island.dofs.clone().map(|_| options.disturbance * number()).collect();
        for (k, node) in out.nodes.iter_mut().enumerate() {
            let by = (std::f64::consts::PI * k as f64 / plan.intervals as f64).sin();
            let d: Vec<f64> = bend.iter().map(|b| b * by).collect();
            displace(&plan.model, island, &path.nodes[k], &d, node);
        }
    }
    out
}
