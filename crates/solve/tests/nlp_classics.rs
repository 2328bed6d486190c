//! The interior-point method on problems with known optima.
#![allow(clippy::unwrap_used)]

mod nlp_common;

use nlp_common::classics;
use percussion_solve::nlp::{CallbackAction, InteriorPoint, IterationRecord, Options, Outcome};

#[test]
fn classics_have_the_optima_of_the_book() {
    let mut failures = Vec::new();
    for mut classic in classics::all() {
        let mut log = vec![IterationRecord::heading()];
        let mut callback = |record: &IterationRecord| {
            log.push(record.line());
            CallbackAction::Continue
        };
        let solution = InteriorPoint::new()
            .solve_with_callback(&mut classic.program, &classic.start, &Options::default(), &mut callback)
            .unwrap();
        let error = (solution.objective - classic.best).abs() / classic.best.abs().max(1.0);
        println!(
            "{:>6} {:>3} iterations, objective {:.9e}, error {error:.1e}, violation {:.1e}, {:?}",
            classic.name,
            solution.iterations,
            solution.objective,
            solution.residual.violation(),
            solution.outcome
        );
        if solution.outcome != Outcome::Optimal || error > 1e-7 || solution.residual.violation() > 1e-9 {
            failures.push(format!("{}: {solution:?}\n{}", classic.name, log.join("\n")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
