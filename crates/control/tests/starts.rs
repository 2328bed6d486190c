//! Searches: around an obstacle, and through a planned collision whose time does not depend on the node. Searches from several starts: their
//! seeds, and what is kept of them. Contacts at the ends, which no search begins with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{FREE_MOTION, around, solved, wall_plan};
use percussion_control::solution::Outcome;
use percussion_control::{Options, PlanError, PlanSolution, solve};
use percussion_geometry::Vec3;
use percussion_solve::nlp::CallbackAction;

/// What is found with a seed, and what every start begins with.
fn searched(seed: u64) -> (PlanSolution, Vec<(f64, f64)>) {
    // Led around the block on the longer way.
    let (plan, guess) = around(12, Vec3::zeros(), [0.2, 0.3, 0.6], [-0.05, -0.3, 0.0]);
    let options = Options { starts: 4, seed, perturbation: 0.7, ..Options::default() };
    let mut first = Vec::new();
    let found = solve(&plan, &guess, &options, &mut |progress| {
        if (progress.round, progress.record.iteration) == (1, 0) {
            assert_eq!(progress.start, first.len() + 1);
            first.push((progress.record.objective, progress.record.primal));
        }
        CallbackAction::Continue
    })
    .unwrap();
    for attempt in &found.attempts {
        println!("{seed}: {:?} J {:.6}", attempt.outcome, attempt.objective);
    }
    (found, first)
}

fn bits(found: &PlanSolution) -> Vec<u64> {
    let places = found.nodes.iter().flat_map(|n| n.positions.iter().flat_map(|p| [p.x, p.y, p.z]));
    places.chain(found.inputs.iter().copied()).map(f64::to_bits).collect()
}

#[test]
fn the_best_of_several_starts_is_kept_with_its_number() {
    let (found, first) = searched(1);
    assert_eq!((found.attempts.len(), first.len()), (5, 5));
    let best = found
        .attempts
        .iter()
        .filter(|attempt| attempt.outcome == Outcome::Optimal)
        .map(|attempt| attempt.objective)
        .fold(f64::INFINITY, f64::min);
    assert_eq!((found.outcome.clone(), found.objective), (Outcome::Optimal, best));
    assert_eq!(found.attempts[found.start - 1].objective, best);
    assert_eq!(found.attempts[found.start - 1].iterations, found.iterations);
    // Led the longer way the first start does not find the shorter one; a disturbed one does.
    assert!(found.start > 1 && best < 0.8 * found.attempts[0].objective, "{:?}", found.attempts);
    assert!(found.nodes[6].positions[0].y > 0.0);
}

#[test]
fn seeds_decide_where_searches_begin_and_nothing_else_does() {
    let ((one, at), (again, there), (other, elsewhere)) = (searched(1), searched(1), searched(2));
    assert_eq!(at, there);
    assert_eq!(bits(&one), bits(&again));
    assert_eq!((one.start, &one.attempts), (again.start, &again.attempts));
    // The first start is the guess; all others differ, among themselves too.
    assert_eq!(at[0], elsewhere[0]);
    let all: Vec<(f64, f64)> = at.iter().chain(&elsewhere[1..]).copied().collect();
    for (i, start) in all.iter().enumerate() {
        assert!(!all[..i].contains(start), "{all:?}");
    }
    assert_eq!(other.attempts.len(), 5);
}

/// Bent by a rad, the faces that are to meet are no longer near each other: such starts are left out.
#[test]
fn starts_that_fail_do_not_change_the_others() {
    let options = Options { starts: 3, perturbation: 1.0, ..Options::default() };
    let found = solve(&wall_plan(9), &FREE_MOTION, &options, &mut |_| CallbackAction::Continue).unwrap();
    let endings: Vec<&Outcome> = found.attempts.iter().map(|attempt| &attempt.outcome).collect();
    println!("{endings:?}");
    assert_eq!((&found.outcome, endings[0]), (&Outcome::Optimal, &Outcome::Optimal));
    let left_out =
        |outcome: &&&Outcome| matches!(outcome, Outcome::Stalled(why) if why.contains("not parallel"));
    assert!(endings.iter().filter(left_out).count() > 0);
}

#[test]
fn contacts_are_planned_between_the_ends() {
    for at in [0, 30, 31] {
        let error =
            solve(&wall_plan(at), &FREE_MOTION, &Options::default(), &mut |_| CallbackAction::Continue);
        let error = error.unwrap_err();
        assert!(matches!(error, PlanError::ContactAtBoundary { node, end: 30, .. } if node == at), "{error}");
        assert!(error.to_string().starts_with(&format!("the hit is at node {at}, but")), "{error}");
    }
    // Near the ends they are contacts like any other.
    for at in [1, 25] {
        println!("node {at}: at {} s", solved(&wall_plan(at), &FREE_MOTION).contacts[0].time);
    }
}

#[test]
fn contact_times_do_not_depend_on_the_node() {
    let mut found = Vec::new();
    for node in [4, 9, 14] {
        println!("node {node}");
        let solution = solved(&wall_plan(node), &FREE_MOTION);
        let delta = solution.consistency.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
        println!("contact at {:.6} s, delta {delta:.1e}", solution.contacts[0].time);
        assert!(delta < 1e-9, "node {node}: {delta:e}");
        assert!(solution.clearance > -1e-9, "node {node}: {:e}", solution.clearance);
        found.push((solution.contacts[0].time, solution.objective));
    }
    let spread = |values: [f64; 3]| {
        let least = values.into_iter().fold(f64::INFINITY, f64::min);
        (values.into_iter().fold(0.0, f64::max) - least) / least
    };
    assert!(spread([0, 1, 2].map(|i| found[i].0)) < 0.015, "times {found:?}");
    assert!(spread([0, 1, 2].map(|i| found[i].1)) < 0.03, "objectives {found:?}");
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

#[test]
fn a_cube_passes_a_block() {
    let (mut plan, guess) = around(30, Vec3::new(0.1, 0.2, 0.3), [0.2, 0.3, 0.3], [-0.03, 0.3, 0.02]);
    plan.avoidance.as_mut().unwrap().margin = 0.01;
    let found = solved(&plan, &guess);
    assert!(found.clearance > 0.01 - 1e-8);
    assert!(found.clearance_between > 0.0);
}
