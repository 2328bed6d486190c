//! Ipopt and the interior-point method on the same programs, checked by the same residual.
#![cfg(feature = "ipopt")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod nlp_common;

use nlp_common::chain::{Chain, ChainParameters};
use nlp_common::{Dense, classics};
use percussion_solve::nlp::{
    Bound, CallbackAction, InteriorPoint, Options, Outcome, Program, Solution, WarmStart, solve_ipopt,
};

fn both<P: Program>(program: &mut P, start: &P::Point) -> (Solution<P::Point>, Solution<P::Point>) {
    let options = Options::default();
    let ours = InteriorPoint::new().solve(program, start, &options).unwrap();
    // Ipopt scales objectives down only.
    let options = Options { warm: Some(WarmStart::after(&ours)), ..options };
    let theirs = solve_ipopt(program, start, &options, &mut |_| CallbackAction::Continue).unwrap();
    (ours, theirs)
}

fn compare<P: Program>(name: &str, program: &mut P, start: &P::Point) {
    let (ours, theirs) = both(program, start);
    println!(
        "{name:>28}: {:>3} and {:>3} iterations, {:>8.2} and {:>8.2} ms, {:.9e} and {:.9e}",
        ours.iterations,
        theirs.iterations,
        ours.timing.total.as_secs_f64() * 1e3,
        theirs.timing.total.as_secs_f64() * 1e3,
        ours.objective,
        theirs.objective
    );
    assert_eq!(ours.outcome, Outcome::Optimal, "{name}: {:?}", ours.residual);
    assert_eq!(theirs.outcome, Outcome::Optimal, "{name}: {:?}", theirs.residual);
    let scale = ours.objective.abs().max(theirs.objective.abs()).max(1e-6);
    assert!((ours.objective - theirs.objective).abs() <= 1e-6 * scale, "{name}");
}

#[test]
fn classics_agree() {
    for mut classic in classics::all() {
        compare(classic.name, &mut classic.program, &classic.start);
    }
}

#[test]
fn transcriptions_agree() {
    for (name, force, free_time, obstacles, cost_factor) in [
        ("forces", 2.2, false, 0, 1.0),
        ("small objective", 2.2, false, 0, 1e-6),
        ("free time", 4.0, true, 0, 1e-3),
        ("obstacles", 8.0, false, 6, 1.0),
        ("obstacles, free time", 8.0, true, 20, 1.0),
    ] {
        let mut chain = Chain::new(&ChainParameters { nodes: 31, force, free_time, obstacles, cost_factor });
        let start = chain.start();
        compare(name, &mut chain, &start);
    }
}

#[test]
fn both_report_infeasible() {
    let mut program =
        Dense::new(vec![Bound::FREE; 2], vec![Bound::at_most(1.0), Bound::at_least(3.0)], |x| {
            (x[0].sq() + x[1].sq(), vec![&x[0] + &x[1], &x[0] + &x[1]])
        });
    let (ours, theirs) = both(&mut program, &vec![0.0, 0.0]);
    assert!(matches!(ours.outcome, Outcome::Infeasible { .. }), "{:?}", ours.outcome);
    assert!(matches!(theirs.outcome, Outcome::Infeasible { .. }), "{:?}", theirs.outcome);
}
