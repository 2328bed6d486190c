//! A warm step of the decomposition scheme allocates nothing, neither without contact nor at rest.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod decomposition_world;

use decomposition_world::*;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::response::ContactOptions;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::{Ledger, ModelBuilder};
use percussion_testing::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Allocations of warm steps, and impacts in them.
fn requests_of_warm_steps(builder: ModelBuilder, warm: usize, steps: usize) -> (usize, usize) {
    let (model, mut state) = builder.build().unwrap();
    let options = SchemeOptions { contact: ContactOptions::default(), ..SchemeOptions::default() };
    let mut scheme = SchemeKind::Decomposition.build(&model, &state, &options).unwrap();
    let mut ledger = Ledger::new(&model, &state).unwrap();
    let mut before = state.clone();
    let (mut from, mut met) = (0, 0);
    for k in 0..warm + steps {
        if k == warm {
            (from, met) = (allocations(), 0);
        }
        before.clone_from(&state);
        scheme.step(&model, &mut state, 1e-3).unwrap();
        ledger.record(&model, &before, &state, 1e-3, scheme.step_record()).unwrap();
        met += scheme.step_record().unwrap().impacts.len();
    }
    (allocations() - from, met)
}

#[test]
fn steps_without_contact_allocate_nothing() {
    let mut builder = ModelBuilder::new();
    builder.gravity(GRAVITY);
    builder.body(floor(), Pose::identity());
    // Their bounding boxes overlap, the cubes do not.
    for k in 0..10 {
        let at = Vec3::new(0.25 * f64::from(k), 0.02 * f64::from(k), 5.0);
        free_body(&mut builder, cube(&format!("cube-{k}"), 0.2), at, Vec3::zeros(), Vec3::new(0.0, 3.0, 1.0));
    }
    builder.contact(surface(0.5, 0.5));
    assert_eq!(requests_of_warm_steps(builder, 400, 400), (0, 0));
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
    let (requests, met) = requests_of_warm_steps(builder, 20, 50);
    assert_eq!(met, 150);
    assert_eq!(requests, 0);
}
