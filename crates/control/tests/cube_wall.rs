//! A cube that must hit a wall to come back: contact times do not depend on the node that is planned.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{FREE_MOTION, solved, wall_plan};
use percussion_control::solution::Outcome;
use percussion_control::{Options, PlanSolution, solve};
use percussion_solve::nlp::CallbackAction;

#[test]
fn contact_times_do_not_depend_on_the_node() {
    let found: Vec<PlanSolution> = [4, 9, 14]
        .into_iter()
        .map(|node| {
            println!("node {node}");
            let found = solved(&wall_plan(node), &FREE_MOTION);
            let delta = found.consistency.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
            assert!(delta < 1e-9, "{delta:e}");
            assert!(found.clearance > -1e-9, "{:e}", found.clearance);
            println!(
                "contact at {:.6} s, sigma {:?}, delta {delta:.1e}",
                found.contacts[0].time, found.time_scales
            );
            found
        })
        .collect();
    let spread = |of: &dyn Fn(&PlanSolution) -> f64| {
        let values: Vec<f64> = found.iter().map(of).collect();
        let least = values.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let most = values.iter().fold(0.0_f64, |a, b| a.max(*b));
        (most - least) / least
    };
    assert!(spread(&|m| m.contacts[0].time) < 0.015);
    assert!(spread(&|m| m.objective) < 0.03);
}

#[test]
fn a_search_that_is_stopped_is_reported_as_interrupted() {
    let options = Options { starts: 3, ..Options::default() };
    let (mut starts, mut after) = (0, 0);
    // Stopped at the beginning of the second search: the first solution is kept, and no other search begins.
    let found = solve(&wall_plan(9), &FREE_MOTION, &options, &mut |progress| {
        starts += usize::from(progress.record.iteration == 0);
        after += usize::from(starts > 1);
        if starts > 1 { CallbackAction::Stop } else { CallbackAction::Continue }
    })
    .unwrap();
    assert_eq!((found.outcome, starts, after), (Outcome::Interrupted, 2, 1));
    assert!(found.violation < 1e-9, "{:e}", found.violation);
}
