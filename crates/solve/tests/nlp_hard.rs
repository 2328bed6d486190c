//! The interior-point method on problems with known optima, and on programs without a nice answer: infeasible, unbounded, degenerate,
//! undefined in places, symmetric, with kinks.
#![allow(clippy::unwrap_used, clippy::panic)]

mod nlp_common;

use nlp_common::{Dense, classics};
use percussion_solve::nlp::{
    Bound, CallbackAction, Conflict, InteriorPoint, IterationRecord, Layout, Options, Outcome, Program,
    Solution, WarmStart, kkt_residual,
};

const FREE: Bound = Bound::FREE;

fn solve_with<P: Program>(
    program: &mut P,
    start: &P::Point,
    options: &Options,
) -> (Solution<P::Point>, String) {
    let mut log = vec![IterationRecord::heading()];
    let mut callback = |record: &IterationRecord| {
        log.push(record.line());
        CallbackAction::Continue
    };
    let solution = InteriorPoint::new().solve_with_callback(program, start, options, &mut callback).unwrap();
    (solution, log.join("\n"))
}

fn solve<P: Program>(program: &mut P, start: &P::Point) -> (Solution<P::Point>, String) {
    solve_with(program, start, &Options::default())
}

/// The answer to an infeasible program, with its conflicts and the log.
fn infeasible(program: &mut Dense, start: &[f64]) -> (Solution<Vec<f64>>, Vec<Conflict>, String) {
    let (solution, log) = solve(program, &start.to_vec());
    let Outcome::Infeasible { conflicts } = solution.outcome.clone() else {
        panic!("{:?}\n{log}", solution.outcome)
    };
    (solution, conflicts, log)
}

#[test]
fn conflicting_constraints_are_named() {
    let mut program = Dense::new(
        vec![FREE; 2],
        vec![Bound::at_most(1.0), Bound::at_least(-10.0), Bound::at_least(3.0)],
        |x| (x[0].sq() + x[1].sq(), vec![&x[0] + &x[1], &x[0] - &x[1], &x[0] + &x[1]]),
    );
    program.names = ["the ceiling", "something else", "the floor"].map(String::from).to_vec();
    let (_, conflicts, log) = infeasible(&mut program, &[0.0, 0.0]);
    let mut names: Vec<&str> = conflicts.iter().map(|c| c.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["the ceiling", "the floor"], "{conflicts:?}\n{log}");
    let sum: f64 = conflicts.iter().map(|c| c.violation).sum();
    assert!((sum - 2.0).abs() < 1e-6, "{conflicts:?}");
    // A certificate: multipliers that cancel, of the signs of the ends.
    let sum: f64 = conflicts.iter().map(|c| c.multiplier).sum();
    assert!(sum.abs() < 1e-6 && conflicts.iter().all(|c| c.multiplier.abs() > 0.9), "{conflicts:?}");
}

#[test]
fn a_circle_that_no_line_meets_is_infeasible() {
    let mut program = Dense::new(vec![FREE; 2], vec![Bound::equal(1.0), Bound::equal(3.0)], |x| {
        (x[0].exp(), vec![x[0].sq() + x[1].sq(), &x[0] + &x[1]])
    });
    let (solution, conflicts, log) = infeasible(&mut program, &[2.0, 0.3]);
    assert_eq!(conflicts.len(), 2, "{conflicts:?}");
    // Stationary for the sum of violations |x·x - 1| + |x0 + x1 - 3|: on the diagonal, at x = 1/2 where both pull alike
    // or on the circle.
    assert!((solution.point[0] - solution.point[1]).abs() < 1e-4, "{:?}\n{log}", solution.point);
}

#[test]
fn infeasible_bounds_of_variables_are_infeasible() {
    let mut program = Dense::new(vec![Bound::between(0.0, 1.0); 3], vec![Bound::equal(5.0)], |x| {
        (x[0].sq(), vec![&x[0] + &x[1] + &x[2]])
    });
    let (_, conflicts, _) = infeasible(&mut program, &[0.5; 3]);
    assert!((conflicts[0].violation - 2.0).abs() < 1e-5, "{conflicts:?}");
}

#[test]
fn what_falls_without_end_is_unbounded() {
    let mut line = Dense::new(vec![Bound::at_least(0.0), FREE], vec![Bound::equal(0.0)], |x| {
        (-&x[0], vec![&x[0] - &x[1]])
    });
    let (solution, log) = solve(&mut line, &vec![1.0, 1.0]);
    assert_eq!(solution.outcome, Outcome::Unbounded, "{log}");
    let mut bowl = Dense::new(vec![FREE; 2], vec![], |x| (x[0].sq() - x[1].sq(), vec![]));
    let (solution, log) = solve(&mut bowl, &vec![1.0, 0.5]);
    assert_eq!(solution.outcome, Outcome::Unbounded, "{log}");
}

#[test]
fn a_cusp_without_multipliers_is_reported_as_what_it_is() {
    let mut cusp = classics::cusp();
    let (solution, log) = solve(&mut cusp.program, &cusp.start);
    println!("{log}\n{:?} {:?} {}", solution.outcome, solution.point, solution.objective);
    // No multipliers exist. A claim of optimality must be true of a problem whose bounds differ by less than the tolerance.
    let checked = kkt_residual(&mut cusp.program, &solution.point, &solution.multipliers).unwrap();
    assert_eq!(checked, solution.residual);
    match solution.outcome {
        Outcome::Optimal => {
            let y = solution.multipliers.constraints[0].abs();
            assert!(
                checked.stationarity < 1e-6 && checked.complementarity < 1e-10 * y,
                "{checked:?} {y}\n{log}"
            );
        }
        Outcome::Acceptable { .. } | Outcome::Stalled { .. } => {}
        other => panic!("{other:?}\n{log}"),
    }
    assert!(checked.violation() < 1e-10, "{checked:?}");
    assert!((solution.objective - 1.0).abs() < 1e-3, "{}\n{log}", solution.objective);
}

fn assert_acceptable(solution: &Solution<Vec<f64>>, log: &str) {
    let outcome = &solution.outcome;
    assert!(matches!(outcome, Outcome::Optimal | Outcome::Acceptable { .. }), "{outcome:?}\n{log}");
}

#[test]
fn complementarity_constraints_are_solved_though_degenerate() {
    // Minimise (x - 1)² + (y - 2)² with x, y ≥ 0 and x y ≤ 0: the optimum is (0, 2), and no multipliers are bounded.
    let mut program = Dense::new(vec![Bound::at_least(0.0); 2], vec![Bound::at_most(0.0)], |x| {
        ((&x[0] - 1.0).sq() + (&x[1] - 2.0).sq(), vec![&x[0] * &x[1]])
    });
    let (solution, log) = solve(&mut program, &vec![1.0, 1.0]);
    println!("{log}\n{:?} {:?}", solution.outcome, solution.residual);
    assert_acceptable(&solution, &log);
    assert!((solution.objective - 1.0).abs() < 1e-4, "{:?}\n{log}", solution.point);
    assert!(solution.residual.violation() < 1e-8, "{:?}", solution.residual);
}

#[test]
fn repeated_and_dependent_equations_do_no_harm() {
    let mut program =
        Dense::new(vec![FREE; 3], vec![Bound::equal(1.0), Bound::equal(1.0), Bound::equal(2.0)], |x| {
            let sum = &x[0] + &x[1] + &x[2];
            (
                x[0].sq() + 2.0 * x[1].sq() + 3.0 * x[2].sq() + x[0].pow(4),
                vec![sum.clone(), sum.clone(), 2.0 * sum],
            )
        });
    let (solution, log) = solve(&mut program, &vec![3.0, -2.0, 1.0]);
    assert_eq!(solution.outcome, Outcome::Optimal, "{log}");
    let residual = solution.residual;
    assert!(residual.violation() < 1e-10 && residual.stationarity < 1e-6, "{residual:?}");
    // The same without the repetition.
    let mut once = Dense::new(vec![FREE; 3], vec![Bound::equal(1.0)], |x| {
        (x[0].sq() + 2.0 * x[1].sq() + 3.0 * x[2].sq() + x[0].pow(4), vec![&x[0] + &x[1] + &x[2]])
    });
    let (single, _) = solve(&mut once, &vec![3.0, -2.0, 1.0]);
    assert!((solution.objective - single.objective).abs() < 1e-9);
}

#[test]
fn inequalities_that_leave_a_single_point_are_solved() {
    // x ≥ 1 and x ≤ 1 as two constraints: no strictly feasible point.
    let mut program = Dense::new(vec![FREE; 2], vec![Bound::at_least(1.0), Bound::at_most(1.0)], |x| {
        (x[0].sq() + (&x[1] - 3.0).sq() + &x[0] * &x[1], vec![x[0].clone(), x[0].clone()])
    });
    let (solution, log) = solve(&mut program, &vec![5.0, 0.0]);
    assert_acceptable(&solution, &log);
    let x = &solution.point;
    assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 2.5).abs() < 1e-6, "{x:?}");
}

/// A well with two minima at (±1, 0.5) and a saddle between, on a line.
fn double_well() -> Dense {
    Dense::new(vec![FREE; 2], vec![Bound::equal(1.0)], |x| {
        ((x[0].sq() - 1.0).sq() + (&x[1] - 0.5).sq(), vec![2.0 * &x[1]])
    })
}

#[test]
fn a_saddle_is_left() {
    let (solution, log) = solve(&mut double_well(), &vec![0.0, 2.0]);
    assert_eq!(solution.outcome, Outcome::Optimal, "{log}");
    assert!((solution.point[0].abs() - 1.0).abs() < 1e-6 && solution.objective < 1e-9, "{log}");
    assert!(log.contains('s'), "{log}");
}

#[test]
fn a_saddle_is_named_if_it_is_not_to_be_left() {
    let options = Options { leave_saddles: false, ..Options::default() };
    let (solution, log) = solve_with(&mut double_well(), &vec![0.0, 2.0], &options);
    let Outcome::Saddle { curvature } = solution.outcome else { panic!("{:?}\n{log}", solution.outcome) };
    assert!((curvature + 4.0).abs() < 1e-2, "{curvature}");
    assert!(solution.point[0].abs() < 1e-6);
}

#[test]
fn a_saddle_at_active_bounds_and_inequalities_is_left() {
    // On a sphere of radius at most 2, symmetric in x: the start stays on x = 0 for ever without leaving.
    let mut program = Dense::new(
        vec![FREE, Bound::at_least(0.0), FREE],
        vec![Bound::at_most(4.0), Bound::at_least(0.5)],
        |x| {
            let f = -x[0].sq() + 0.1 * x[0].pow(4) + &x[1] + x[2].sq();
            (f, vec![x[0].sq() + x[1].sq() + x[2].sq(), x[2].clone()])
        },
    );
    let (solution, log) = solve(&mut program, &vec![0.0, 1.0, 1.0]);
    assert_eq!(solution.outcome, Outcome::Optimal, "{log}");
    // x² = min(5, 4 - 0.25): the sphere holds.
    assert!((solution.point[0].powi(2) - 3.75).abs() < 1e-6, "{:?}\n{log}", solution.point);
}

/// The square root and logarithm of negative numbers are none.
#[test]
fn undefined_places_are_stepped_around() {
    let mut program = Dense::new(vec![FREE; 2], vec![Bound::at_least(0.1)], |x| {
        (&x[0] * x[0].ln() + 5.0 * &x[0] + (&x[1] - 1.0).sq(), vec![(&x[0] + &x[1]).sqrt()])
    });
    let (solution, log) = solve(&mut program, &vec![3.0, -2.9]);
    assert_eq!(solution.outcome, Outcome::Optimal, "{log}");
    assert!((solution.point[0] - (-6.0_f64).exp()).abs() < 1e-7, "{:?}", solution.point);
    // A start where there is nothing is said to be one.
    let (solution, _) = solve(&mut program, &vec![-3.0, 0.0]);
    let Outcome::Stalled { why } = &solution.outcome else { panic!("{:?}", solution.outcome) };
    assert!(why.contains("start"), "{why}");
}

/// Distances are smooth in pieces only: |x| has a kink where the optimum is.
#[test]
fn a_kink_at_the_optimum_ends_with_a_reason_at_the_right_place() {
    // The highest point below a roof, with a slope along it that is less steep than the roof.
    let mut program = Dense::new(vec![FREE; 2], vec![Bound::at_most(1.0)], |x| {
        (-&x[1] + 0.1 * &x[0] + 0.1 * (x[0].sq() + x[1].sq()), vec![&x[1] + (&x[0] - 0.3).abs()])
    });
    let (solution, log) = solve(&mut program, &vec![-1.0, 0.0]);
    println!("{log}\n{:?} {:?}", solution.outcome, solution.point);
    match &solution.outcome {
        Outcome::Optimal => panic!("no smooth multipliers exist at the kink\n{log}"),
        Outcome::Acceptable { why } | Outcome::Stalled { why } => assert!(!why.is_empty()),
        other => panic!("{other:?}\n{log}"),
    }
    assert!(solution.residual.violation() < 1e-7, "{:?}", solution.residual);
    let x = &solution.point;
    assert!((x[0] - 0.3).abs() < 0.05 && (x[1] - 1.0).abs() < 0.05, "{x:?}\n{log}");
}

#[test]
fn kinks_on_the_way_do_no_harm() {
    // Around a diamond: |x| + |y| ≥ 1, nearest to (0.9, -0.4); the way from the other side crosses kinks.
    let mut program = Dense::new(vec![FREE; 2], vec![Bound::at_least(1.0), Bound::at_most(0.0)], |x| {
        let f = (&x[0] - 0.9).sq() + (&x[1] - 0.4).sq() + 0.2 * &x[0];
        (f, vec![x[0].abs() + x[1].abs(), &x[1] - 2.0])
    });
    let (solution, log) = solve(&mut program, &vec![-0.4, 0.1]);
    assert_eq!(solution.outcome, Outcome::Optimal, "{:?}\n{log}", solution.point);
}

#[test]
fn the_watcher_stops_the_search_with_the_best_point() {
    let mut program = double_well();
    let mut callback = |record: &IterationRecord| {
        if record.iteration == 2 { CallbackAction::Stop } else { CallbackAction::Continue }
    };
    let solution = InteriorPoint::new()
        .solve_with_callback(&mut program, &vec![3.0, 2.0], &Options::default(), &mut callback)
        .unwrap();
    assert_eq!((solution.outcome, solution.iterations), (Outcome::Stopped, 2));
    assert!(solution.objective.is_finite());
    let options = Options { iterations: 3, ..Options::default() };
    let (solution, _) = solve_with(&mut program, &vec![3.0, 2.0], &options);
    assert_eq!((solution.outcome, solution.iterations), (Outcome::IterationLimit, 3));
}

#[test]
fn classics_have_the_optima_of_the_book_repeat_bitwise_and_restart_within_three_iterations() {
    for mut classic in classics::all() {
        let (name, program) = (classic.name, &mut classic.program);
        let (cold, log) = solve(program, &classic.start);
        let error = (cold.objective - classic.best).abs() / classic.best.abs().max(1.0);
        let violation = cold.residual.violation();
        let mut interior = InteriorPoint::new();
        for _ in 0..2 {
            let again = interior.solve(program, &classic.start, &Options::default()).unwrap();
            assert_eq!(cold.point, again.point, "{name}");
            assert_eq!(cold.multipliers, again.multipliers, "{name}");
        }
        let warm = Some(WarmStart { barrier: 1e-8, ..WarmStart::after(&cold) });
        let options = Options { warm, ..Options::default() };
        let hot = interior.solve(program, &cold.point, &options).unwrap();
        println!(
            "{name:>6} {:>3} iterations, {:>3} hot, objective {:.9e}, error {error:.1e}, violation {violation:.1e}",
            cold.iterations, hot.iterations, cold.objective
        );
        assert_eq!(cold.outcome, Outcome::Optimal, "{name}: {cold:?}\n{log}");
        assert!(error <= 1e-7 && violation <= 1e-9, "{name}: {cold:?}\n{log}");
        assert_eq!(hot.outcome, Outcome::Optimal, "{name}");
        assert!(hot.iterations <= 3, "{name}: {}", hot.iterations);
    }
}

#[test]
fn misuse_is_an_error_that_says_where() {
    let say = |layout: Layout| {
        let mut program = Dense::new(vec![FREE], vec![], |x| (x[0].sq(), vec![]));
        program.layout = layout;
        InteriorPoint::new().solve(&mut program, &vec![0.0], &Options::default()).unwrap_err().to_string()
    };
    let one = vec![FREE];
    assert!(say(Layout::default()).contains("empty"));
    let mut layout = Layout { variables: one.clone(), ..Layout::default() };
    layout.hessian.push(3, 0);
    assert!(say(layout).contains("no variable 3"));
    let crossed = Layout { variables: vec![Bound::between(2.0, 1.0)], ..Layout::default() };
    assert!(say(crossed).contains("exceeds"));
    let odd = Layout { variables: one, constraints: vec![Bound::at_least(f64::NAN)], ..Layout::default() };
    assert!(say(odd).contains("bounds of constraints"));
}
