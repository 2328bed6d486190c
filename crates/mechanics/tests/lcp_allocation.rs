//! A warm step of time stepping with complementarity touches no heap.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod decomposition_world;
mod lcp_world;

use common::chain_builder;
use decomposition_world::{GRAVITY, cube, floor, free_body, surface};
use lcp_world::{ground, plate};
use percussion_geometry::{Pose, Vec2, Vec3};
use percussion_mechanics::schemes::{LcpOptions, SchemeKind, SchemeOptions};
use percussion_mechanics::step_record::StepSolver;
use percussion_mechanics::{JointKind, Ledger, ModelBuilder};
use percussion_testing::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Requests of warm steps with their bookkeeping.
fn requests_of_warm_steps(builder: ModelBuilder, solver: StepSolver, warm: usize, steps: usize) -> usize {
    requests_with(builder, LcpOptions { solver, ..LcpOptions::default() }, warm, steps)
}

fn requests_with(builder: ModelBuilder, lcp: LcpOptions, warm: usize, steps: usize) -> usize {
    let (model, mut state) = builder.build_open().unwrap();
    let options = SchemeOptions { lcp, ..SchemeOptions::default() };
    let mut scheme = SchemeKind::Lcp.build(&model, &state, &options).unwrap();
    let mut ledger = Ledger::new(&model, &state).unwrap();
    let mut before = state.clone();
    let mut from = 0;
    for k in 0..warm + steps {
        if k == warm {
            from = allocations();
        }
        before.clone_from(&state);
        scheme.step(&model, &mut state, 1e-3).unwrap();
        ledger.record(&model, &before, &state, 1e-3, scheme.step_record()).unwrap();
    }
    allocations() - from
}

#[test]
fn flights_allocate_nothing() {
    let mut builder = ModelBuilder::new();
    builder.gravity(GRAVITY);
    builder.body(floor(), Pose::identity());
    for k in 0..10 {
        let at = Vec3::new(0.25 * f64::from(k), 0.02 * f64::from(k), 5.0);
        free_body(&mut builder, cube(&format!("cube-{k}"), 0.2), at, Vec3::zeros(), Vec3::new(0.0, 3.0, 1.0));
    }
    builder.contact(surface(0.5, 0.5));
    assert_eq!(requests_of_warm_steps(builder, StepSolver::Auto, 400, 400), 0);
}

#[test]
fn joints_allocate_nothing() {
    for kind in [JointKind::Revolute, JointKind::Spherical, JointKind::Rod] {
        let builder = chain_builder(kind, 4);
        assert_eq!(requests_of_warm_steps(builder, StepSolver::GaussSeidel, 50, 100), 0, "{kind:?}");
    }
}

#[test]
fn boxes_at_rest_allocate_nothing() {
    let mut builder = ModelBuilder::new();
    builder.gravity(GRAVITY);
    builder.body(floor(), Pose::identity());
    for k in 0..3 {
        let at = Vec3::new(0.0, 0.0, 0.1 + 0.2 * f64::from(k));
        free_body(&mut builder, cube(&format!("cube-{k}"), 0.2), at, Vec3::zeros(), Vec3::zeros());
    }
    builder.contact(surface(0.0, 0.5));
    for solver in [StepSolver::Auto, StepSolver::GaussSeidel] {
        assert_eq!(requests_of_warm_steps(builder.clone(), solver, 50, 100), 0, "{solver:?}");
    }
    // Nor do steps that are left unsolved and scale impulses.
    let few = LcpOptions {
        solver: StepSolver::GaussSeidel,
        sweeps: 1,
        newton_factorizations: 0,
        tolerance: 1e-15,
        ..Default::default()
    };
    assert_eq!(requests_with(builder, few, 50, 100), 0);
}

#[test]
fn plates_at_rest_allocate_nothing() {
    let mut builder = ground(0.0, 0.5);
    let square =
        |y: f64| [(-0.5, y), (0.5, y), (0.5, y + 1.0), (-0.5, y + 1.0)].map(|(x, y)| Vec2::new(x, y));
    plate(&mut builder, "lower", &square(0.0));
    plate(&mut builder, "upper", &square(1.0));
    assert_eq!(requests_of_warm_steps(builder, StepSolver::Auto, 50, 100), 0);
}
