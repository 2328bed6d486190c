//! Warm solvers allocate nothing: counted by the allocator itself.
#![allow(clippy::unwrap_used)]

mod common;
mod piles;

use percussion_solve::contact::{ContactLaw, ContactSolver, ContactSolverOptions, ContactSystem};
use percussion_solve::lcp::friction::Cone;
use percussion_solve::qp::QpMethod;
use percussion_solve::{FrictionContactProblem, GaussSeidel, QpSolver, QuadraticProgram};
use percussion_testing::{CountingAllocator, Random, allocations_during};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Twenty weights under two rows, some with a further inequality, some infeasible.
fn problem(random: &mut Random, into: &mut QuadraticProgram, kind: usize) {
    into.reset_least_distance(&[(); 20].map(|()| random.signed())).unwrap();
    into.equal(&[1.0; 20], if kind == 2 { -1.0 } else { 1.0 }).unwrap().nonnegative();
    let row = [(); 20].map(|()| random.signed());
    if kind == 1 { into.at_least(&row, 0.1) } else { into.equal(&row, 0.1) }.unwrap();
}

#[test]
fn a_warm_solver_allocates_nothing() {
    let mut random = Random::new(21);
    let mut program = QuadraticProgram::least_distance(&[0.0; 20]).unwrap();
    let mut solver = QpSolver::new();
    let mut round = |count: usize| {
        for k in 0..count {
            problem(&mut random, &mut program, k % 3);
            solver.solve(&program).unwrap();
            solver.solve_by(&program, QpMethod::ActiveSet).unwrap();
        }
    };
    // Warming up allocates, which also shows that the counter counts.
    assert!(allocations_during(|| round(3)) > 0);
    assert_eq!(allocations_during(|| round(300)), 0);
}

/// Particles in a row on a floor, each also touching the next; some joined.
fn row_of_particles(random: &mut Random, problem: &mut FrictionContactProblem) {
    problem.clear();
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for k in 0..20 {
        let momentum = [random.signed(), random.signed(), -1.0];
        problem.block(&unit, &momentum).unwrap();
        problem.contact(&[(k, &axes[2])], 0.3, 0.0).unwrap();
        problem.tangent(&[(k, &axes[0])]).unwrap().tangent(&[(k, &axes[1])]).unwrap();
        if k > 0 {
            let opposite = axes.map(|a| a.map(|v| -v));
            problem.contact(&[(k, &axes[0]), (k - 1, &opposite[0])], 0.2, 0.1).unwrap();
            problem.tangent(&[(k, &axes[1]), (k - 1, &opposite[1])]).unwrap();
            if k % 5 == 0 {
                problem.equality(&[(k, &axes[1]), (k - 1, &opposite[1])], 0.0).unwrap();
            }
        }
    }
}

#[test]
fn warm_sweeps_over_contacts_allocate_nothing() {
    let mut random = Random::new(22);
    let mut problem = FrictionContactProblem::new();
    let mut solver = GaussSeidel::new();
    let mut last = percussion_solve::Impulses::default();
    let mut round = |count: usize| {
        for k in 0..count {
            row_of_particles(&mut random, &mut problem);
            solver.cone = if k % 2 == 0 { Cone::Facets } else { Cone::Round };
            let solution =
                if k % 3 == 0 { solver.solve(&problem) } else { solver.solve_from(&problem, &last) };
            let impulses = &solution.unwrap().impulses;
            last.normal.clone_from(&impulses.normal);
            last.facets.clone_from(&impulses.facets);
            last.equality.clone_from(&impulses.equality);
        }
    };
    assert!(allocations_during(|| round(6)) > 0);
    assert_eq!(allocations_during(|| round(60)), 0);
}

/// Newton's method, too, once it has seen problems of the size.
#[test]
fn a_warm_newton_method_allocates_nothing() {
    let mut solver = GaussSeidel::exact();
    let heap = |speed| piles::heap(&mut Random::new(9), [3, 3, 3], [0.1, 0.3], speed);
    let problems = [heap(0.02), heap(0.03)];
    let mut factorisations = 0;
    let mut round = || {
        for problem in &problems {
            for cone in [Cone::Facets, Cone::Round] {
                solver.cone = cone;
                assert!(solver.solve(problem).unwrap().is_solved());
                factorisations += solver.report().factorisations;
            }
        }
    };
    assert!(allocations_during(&mut round) > 0);
    assert_eq!(allocations_during(&mut round), 0);
    assert!(factorisations > 0);
}

/// Contacts on the cone, by Newton steps and by sweeps.
#[test]
fn a_warm_contact_solver_allocates_nothing() {
    let mut random = Random::new(23);
    let mut system = ContactSystem::default();
    let mut solver = ContactSolver::default();
    let sweeps_only = ContactSolverOptions { newton_steps: 0, ..ContactSolverOptions::default() };
    let mut x = [[0.0; 3]; 20];
    let mut v0 = [0.0; 60];
    let mut round = |count: usize| {
        for k in 0..count {
            system.clear(60);
            v0.fill_with(|| random.signed());
            x.fill([0.0; 3]);
            for body in 0..20 {
                let law = ContactLaw::Cone { friction: 0.1 * (k % 8) as f64 };
                system.add_contact(law, [0.0; 3], 1e-6);
                let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
                system.add_block(3 * body, &unit, &unit);
                if body > 0 {
                    system.add_block(3 * body - 3, &unit.map(|v| -v), &unit.map(|v| -v));
                }
            }
            let options = if k % 2 == 0 { ContactSolverOptions::default() } else { sweeps_only };
            solver.solve(&mut system, &v0, &mut x, &options);
        }
    };
    // All contacts may be closed at once: the workspace has its size when they have been.
    assert!(allocations_during(|| round(60)) > 0);
    assert_eq!(allocations_during(|| round(60)), 0);
}
