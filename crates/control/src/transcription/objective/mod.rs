//! The objective: control effort, goals at the end, time.
//!
//! ```text
//! Σ σ h Σ w τ²  +  Σ weight |value - target|²  +  weight Σ σ h
//! ```

mod control_effort;
mod goal;

pub(super) use goal::add_goals;

use super::{Assembly, Label, Linear, NONE, OBJECTIVE};
use control_effort::ControlEffort;
use percussion_solve::nlp::Bound;

/// Adds the total time with its bounds, and its weight in the objective.
pub(super) fn add_time(assembly: &mut Assembly) {
    let (plan, first) = (&assembly.problem.plan, assembly.problem.indices.time_scales);
    if first == NONE {
        return;
    }
    let mut lengths = vec![0.0; plan.segments()];
    (0..plan.intervals).for_each(|interval| lengths[plan.segment(interval)] += plan.step);
    let mut terms = Vec::new();
    if plan.time_bounds.total != Bound::FREE {
        let row = assembly.row(plan.time_bounds.total, Label::Time);
        terms.extend((first..).zip(&lengths).map(|(scale, length)| (row, scale, *length)));
    }
    if plan.time_weight != 0.0 {
        terms.extend((first..).zip(&lengths).map(|(scale, l)| (OBJECTIVE, scale, l * plan.time_weight)));
    }
    if !terms.is_empty() {
        assembly.block(Linear::new(&terms));
    }
}

/// Adds the control effort of all intervals.
pub(super) fn add_control_effort(assembly: &mut Assembly) {
    let plan = &assembly.problem.plan;
    if plan.control_effort_weight != 0.0 && plan.components() > 0 {
        for interval in 0..plan.intervals {
            assembly.block(ControlEffort::new(assembly.problem, interval));
        }
    }
}
