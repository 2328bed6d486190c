//! Sweeps that stop early: whatever they start from and however few they are, what they leave brings no energy.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;
mod piles;
mod stored;

use common::dot;
use percussion_solve::lcp::friction::{Cone, frictional_residual};
use percussion_solve::{FrictionContactProblem, GaussSeidel, Impulses};
use percussion_testing::Random;
use stored::Stored;

/// Kinetic energy `½ vᵀ M v` of a velocity, masses being diagonal.
fn kinetic(stored: &Stored, v: &[f64]) -> f64 {
    let masses = stored.blocks.iter().flat_map(|(w, b)| (0..b.len()).map(|i| 1.0 / w[i * b.len() + i]));
    0.5 * v.iter().zip(masses).map(|(v, m)| m * v * v).sum::<f64>()
}

/// Work of penetrations and equalities: `Σ c max(-Δ, 0) - Σ c_ν Υ`.
fn asked(stored: &Stored, impulses: &Impulses) -> f64 {
    let overlaps: Vec<f64> = stored.contacts.iter().map(|contact| (-contact[0].head[1]).max(0.0)).collect();
    let offsets: Vec<f64> = stored.equalities.iter().map(|row| row.head[0]).collect();
    dot(&overlaps, &impulses.normal) - dot(&offsets, &impulses.equality)
}

/// Impulses of chance, up to so large in units of the momentum size.
fn start(random: &mut Random, problem: &FrictionContactProblem, size: f64) -> Impulses {
    let mut impulses = Impulses::none(problem);
    let size = size * problem.momentum_size();
    impulses.normal.iter_mut().for_each(|c| *c = size * random.unit());
    impulses.facets.iter_mut().for_each(|b| *b = size * random.unit());
    impulses
}

/// Bodies that touch at random points, with any friction: sweeps need not converge.
fn thicket(random: &mut Random, bodies: usize, contacts: usize, friction: f64) -> FrictionContactProblem {
    let mut pile = piles::Pile::default();
    let direction = |random: &mut Random| common::unit3([random.normal(), random.normal(), random.normal()]);
    for k in 0..bodies {
        let v = direction(random).map(|v| 0.5 * v);
        pile.solid(random.between(0.2, 5.0), [0.5; 3], [k as f64, 0.0, 0.0], v);
    }
    for _ in 0..contacts {
        let over = random.below(bodies);
        let under = (over + 1 + random.below(bodies)) % bodies;
        let under = (under != over).then_some(under);
        let (normal, r) = (direction(random), direction(random));
        let point = [over as f64 + 0.7 * r[0], 0.7 * r[1], 0.7 * r[2]];
        pile.touch(point, normal, (over, under), (friction * random.unit(), random.between(-0.05, 0.1), 2));
    }
    pile.problem
}

/// Sweeps, and checks that energy is not above that without impulses and the work of penetrations. The residual, and whether the energy guard had
/// to act.
fn swept(solver: &mut GaussSeidel, problem: &FrictionContactProblem, start: &Impulses) -> (f64, bool) {
    let stored = Stored::read("", &problem.to_text());
    let none = Impulses::none(problem);
    let before = kinetic(&stored, &none.velocity);
    let cone = solver.cone;
    let answer = solver.solve_from(problem, start).unwrap();
    let checked = frictional_residual(problem, &answer.impulses, cone).unwrap();
    // Unsolved impulses are reported with the residual of the sweeps.
    let reported = &answer.residual;
    for (reported, checked) in [
        (reported.momentum, checked.momentum),
        (reported.equality, checked.equality),
        (reported.sign, checked.sign),
        (reported.normal, checked.normal),
        (reported.friction, checked.friction),
        (reported.cone, checked.cone),
    ] {
        assert!((reported - checked).abs() <= 1e-10 * checked.max(1.0), "{reported:e} {checked:e}");
    }
    let residual = checked.worst();
    let surplus = kinetic(&stored, &answer.impulses.velocity) - before - asked(&stored, &answer.impulses);
    assert!(surplus <= 1e-6 * before, "{surplus:e} of {before:e}");
    (residual, solver.report().energy_guarded > 0)
}

/// After an impact, impulses are a hundred times those of bodies at rest: a few sweeps from there used to leave residuals of seventy and a
/// thousand times the energy.
#[test]
fn few_sweeps_from_an_unrelated_start_add_no_energy() {
    let mut random = Random::new(41);
    let mut problems = vec![
        piles::tower(8, 0.5, 0.0),
        piles::tower(6, 3.0, 0.5),
        piles::chain(12, 0.2, 1.0),
        piles::bricks(5, 5, 1, 0.6, 0.03),
    ];
    for friction in [[0.2, 0.4], [0.8, 1.5], [3.0, 5.0]] {
        problems.extend([0.0, 0.1].map(|speed| piles::heap(&mut random, [3, 3, 3], friction, speed)));
    }
    let (mut solver, mut worst) = (GaussSeidel::new(), 0.0_f64);
    for problem in &problems {
        for cone in [Cone::Facets, Cone::Round] {
            for size in [0.1, 1.0, 30.0] {
                for (limit, memory) in [(1, 0), (2, 0), (3, 5), (4, 0), (10, 5)] {
                    let from = start(&mut random, problem, size);
                    (solver.cone, solver.max_sweeps, solver.anderson_depth) = (cone, limit, memory);
                    worst = worst.max(swept(&mut solver, problem, &from).0);
                }
            }
        }
    }
    // Energy is bounded, the residual reported.
    println!("residual {worst:.1e}");
}

/// With large friction, sweeps may also get to where energy comes from nothing.
#[test]
fn unsolved_sweeps_add_no_energy() {
    let mut random = Random::new(43);
    let (mut solver, mut guarded) = (GaussSeidel::new(), 0);
    for k in 0..4000 {
        let friction = [2.0, 5.0, 20.0][k % 3];
        let problem = thicket(&mut random, 1 + k % 4, 2 + k % 9, friction);
        (solver.max_sweeps, solver.anderson_depth) = ([10, 50][k / 3 % 2], [0, 5][k / 6 % 2]);
        solver.cone = [Cone::Facets, Cone::Round][k / 12 % 2];
        guarded += usize::from(swept(&mut solver, &problem, &Impulses::default()).1);
    }
    println!("guarded {guarded} of 4000");
    assert!((1..100).contains(&guarded), "{guarded}");
}
