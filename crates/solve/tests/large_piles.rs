//! Piles that plain sweeps do not get to the bottom of: Newton's method against other solvers.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod piles;

use percussion_solve::lcp::friction::{
    Cone, FixedPoint, FrictionalLemke, FrictionalSolution, frictional_residual,
};
use percussion_solve::{FrictionContactProblem, GaussSeidel, Impulses};
use percussion_testing::Random;
use std::time::Instant;

/// Velocities agree to this, in units of the momentum size (the masses are of the order of one).
const AGREEMENT: f64 = 1e-8;

/// Solves to 1e-10 and checks the residual.
fn exact(problem: &FrictionContactProblem, cone: Cone) -> FrictionalSolution {
    let mut solver = GaussSeidel::exact();
    solver.cone = cone;
    let from = Instant::now();
    let solution = solver.solve(problem).unwrap().clone();
    let residual = frictional_residual(problem, &solution.impulses, cone).unwrap();
    println!(
        "{} contacts, {cone:?}: {:?} in {:.0} ms, residual {:.1e}",
        problem.contact_count(),
        solver.report(),
        from.elapsed().as_secs_f64() * 1e3,
        residual.worst(),
    );
    assert!(solution.is_solved() && residual.worst() <= 1e-10, "{residual:?}");
    solution
}

fn difference(problem: &FrictionContactProblem, a: &FrictionalSolution, b: &FrictionalSolution) -> f64 {
    let pairs = a.impulses.velocity.iter().zip(&b.impulses.velocity);
    pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / problem.momentum_size()
}

fn fixed_point(problem: &FrictionContactProblem) -> FrictionalSolution {
    let mut fixed = FixedPoint::new();
    let from = Instant::now();
    let solution = fixed.solve(problem).unwrap().clone();
    println!("  {:?} in {:.0} ms", fixed.report(), from.elapsed().as_secs_f64() * 1e3);
    assert!(solution.is_solved(), "{:?}", solution.residual);
    solution
}

#[test]
fn newton_and_pivoting_find_the_same_velocities() {
    let mut random = Random::new(31);
    let mut problems = vec![piles::tower(4, 0.5, 0.0), piles::tower(5, 0.3, 0.2), piles::chain(8, 0.1, 0.5)];
    problems.push(piles::bricks(3, 3, 0, 0.6, 0.03));
    problems.push(piles::bricks(4, 4, 1, 0.6, 0.03));
    problems.extend((0..4).map(|_| piles::heap(&mut random, [2, 2, 2], [0.2, 0.4], 0.05)));
    problems.push(piles::heap(&mut Random::new(5), [3, 3, 2], [0.3, 0.7], 0.1));
    for problem in &problems {
        let swept = exact(problem, Cone::Facets);
        let pivoted = FrictionalLemke::new().solve(problem).clone();
        assert!(pivoted.is_solved());
        let apart = difference(problem, &swept, &pivoted);
        println!("  apart {apart:.1e}");
        assert!(apart < AGREEMENT, "{apart:e}");
    }
}

#[test]
fn towers_of_a_hundred_are_solved_to_the_last_digits() {
    for blocks in [10, 30, 100] {
        for friction in [0.3, 0.5, 0.7] {
            for push in [0.0, 0.05] {
                let problem = piles::tower(blocks, friction, push);
                let solution = exact(&problem, Cone::Facets);
                let apart = difference(&problem, &solution, &fixed_point(&problem));
                assert!(apart < AGREEMENT, "{blocks} {friction} {push} {apart:e}");
                exact(&problem, Cone::Round);
            }
        }
    }
}

#[test]
fn walls_and_pyramids_and_chains_agree_with_the_fixed_point() {
    for problem in [
        piles::bricks(15, 14, 0, 0.5, 0.03),
        piles::bricks(20, 20, 1, 0.4, 0.0),
        piles::chain(30, 0.1, 1.0),
        piles::chain(60, 0.05, 3.0),
    ] {
        let solution = exact(&problem, Cone::Facets);
        let apart = difference(&problem, &solution, &fixed_point(&problem));
        assert!(apart < AGREEMENT, "{apart:e}");
        exact(&problem, Cone::Round);
    }
}

#[test]
fn a_heap_of_three_hundred_is_solved_on_both_cones() {
    let problem = piles::heap(&mut Random::new(6), [7, 7, 6], [0.3, 0.5], 0.02);
    assert!(problem.contact_count() > 1500);
    exact(&problem, Cone::Facets);
    exact(&problem, Cone::Round);
}

/// Eight facets have no unique impulses; the velocity has.
#[test]
fn newton_handles_more_than_two_tangents() {
    let mut pile = piles::Pile::default();
    for k in 0..4 {
        pile.solid(1.0, [0.5; 3], [0.0, 0.0, k as f64], [0.02 * k as f64, 0.01, 0.0]);
        for (x, y) in [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)] {
            pile.touch([x, y, k as f64 - 0.5], [0.0, 0.0, 1.0], (k, k.checked_sub(1)), (0.4, 0.0, 4));
        }
    }
    let swept = exact(&pile.problem, Cone::Facets);
    let pivoted = FrictionalLemke::new().solve(&pile.problem).clone();
    assert!(pivoted.is_solved());
    assert!(difference(&pile.problem, &swept, &pivoted) < AGREEMENT);
}

#[test]
fn a_step_that_changes_little_costs_little() {
    let heap = |speed| piles::heap(&mut Random::new(7), [4, 4, 4], [0.2, 0.4], speed);
    let mut solver = GaussSeidel::exact();
    let cold = solver.solve(&heap(0.02)).unwrap().clone();
    let before = solver.report();
    assert!(cold.is_solved());
    let warm = solver.solve_from(&heap(0.0201), &cold.impulses).unwrap().clone();
    let after = solver.report();
    println!("cold {before:?}\nwarm {after:?}");
    assert!(warm.is_solved() && 2 * after.factorisations <= before.factorisations);
    // The same problem again costs nothing.
    let again = solver.solve_from(&heap(0.0201), &warm.impulses).unwrap();
    assert!(again.is_solved() && again.iterations == 0);

    let mut sweeps = GaussSeidel::new();
    (sweeps.tolerance, sweeps.max_sweeps) = (1e-6, 100_000);
    let cold = sweeps.solve(&piles::tower(12, 0.5, 0.0)).unwrap().clone();
    let warm = sweeps.solve_from(&piles::tower(12, 0.5, 1e-5), &cold.impulses).unwrap();
    assert!(
        warm.is_solved() && 3 * warm.iterations < cold.iterations,
        "{} {}",
        warm.iterations,
        cold.iterations
    );
}

/// Impulses of a previous step without slips are a start for the relaxation, too.
#[test]
fn the_fixed_point_starts_warm() {
    let problem = piles::chain(12, 0.2, 1.0);
    let mut fixed = FixedPoint::new();
    let cold = fixed.solve(&problem).unwrap().clone();
    let relaxations = fixed.report().iterations;
    let warm = fixed.solve_from(&problem, &cold.impulses).unwrap();
    assert!(warm.is_solved());
    assert!(fixed.report().iterations <= 2 && relaxations > 4, "{relaxations}");
    assert!(fixed.solve_from(&problem, &Impulses::default()).unwrap().is_solved());
    // Without extrapolation it takes longer.
    fixed.anderson_depth = 0;
    assert!(fixed.solve(&problem).unwrap().is_solved());
    assert!(fixed.report().iterations > relaxations, "{} {relaxations}", fixed.report().iterations);
}

/// Problems that share no block, posed together and alone.
#[test]
fn islands_are_solved_independently() {
    for cone in [Cone::Facets, Cone::Round] {
        let mut both = piles::Pile::default();
        // A floor of boxes, the first of which is hit and the rest at rest: each is a part of its own.
        let mut alone = vec![];
        for k in 0..5 {
            let mut single = piles::Pile::default();
            let speed = if k == 0 { 0.4 } else { 0.01 * k as f64 };
            for pile in [&mut both, &mut single] {
                let x = 3.0 * k as f64;
                let body = pile.solid(1.0, [0.5; 3], [x, 0.0, 0.0], [speed, 0.1 * speed, 0.0]);
                for (dx, dy) in [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)] {
                    pile.touch([x + dx, dy, -0.5], [0.0, 0.0, 1.0], (body, None), (0.4, 0.0, 2));
                }
            }
            alone.push(single.problem);
        }
        let mut solver = GaussSeidel::exact();
        solver.cone = cone;
        let together = solver.solve(&both.problem).unwrap().clone();
        assert!(together.is_solved() && solver.report().islands == 5);
        for (k, problem) in alone.iter().enumerate() {
            let solution = solver.solve(problem).unwrap();
            let velocity = &together.impulses.velocity[6 * k..6 * k + 6];
            let apart = solution.impulses.velocity.iter().zip(velocity);
            let apart = apart.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(apart < 1e-9, "{k} {apart:e}");
        }
    }
}

/// A bounded number of sweeps reports its residual.
#[test]
fn the_fast_setting_is_honest_about_its_residual() {
    let problem = piles::heap(&mut Random::new(8), [5, 5, 5], [0.3, 0.5], 0.02);
    let mut solver = GaussSeidel::fast();
    let rough = solver.solve(&problem).unwrap().clone();
    assert!(rough.iterations <= solver.max_sweeps && solver.report().factorisations == 0);
    let residual = frictional_residual(&problem, &rough.impulses, solver.cone).unwrap();
    // Far from solved, sweeps report their own residual, which differs from that computed anew by rounding.
    let reported = &rough.residual;
    for (reported, checked) in [
        (reported.momentum, residual.momentum),
        (reported.equality, residual.equality),
        (reported.sign, residual.sign),
        (reported.normal, residual.normal),
        (reported.friction, residual.friction),
        (reported.cone, residual.cone),
    ] {
        assert!((reported - checked).abs() < 1e-13, "{reported:e} {checked:e}");
    }
    assert_eq!(rough.is_solved(), residual.worst() <= solver.tolerance);
    assert!(residual.worst() < 0.1, "{residual:?}");
}
