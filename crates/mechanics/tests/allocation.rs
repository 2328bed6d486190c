//! A warm step touches no heap, whatever moves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod mechanisms;

use common::collisions::{brick, surfaces};
use common::everything::{closed, controls, everything, island};
use common::{chain, sprung_chain};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::discrete::{Derivatives, Differentiator, End, IntervalInputs};
use percussion_mechanics::joint::{ALL_KINDS, JointKind};
use percussion_mechanics::schemes::{Coordinates, SchemeKind, SchemeOptions};
use percussion_mechanics::{Ledger, Model, ModelBuilder, State};
use percussion_testing::{CountingAllocator, Random, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn requests_of_warm_steps(kind: SchemeKind, model: &Model, mut state: State) -> usize {
    let mut scheme = kind.build(model, &state, &SchemeOptions::default()).unwrap();
    let mut ledger = Ledger::new(model, &state).unwrap();
    let mut before = state.clone();
    let mut from = 0;
    for k in 0..20 {
        if k == 3 {
            from = allocations();
        }
        before.clone_from(&state);
        scheme.step(model, &mut state, 1e-3).unwrap();
        ledger.record(model, &before, &state, 1e-3, None).unwrap();
    }
    allocations() - from
}

/// The schemes in reduced coordinates for scenes without contact.
fn reduced_without_contact() -> impl Iterator<Item = SchemeKind> {
    SchemeKind::with(|capable| capable.without_contact && capable.coordinates == Coordinates::Reduced)
}

#[test]
fn warm_steps_and_their_bookkeeping_allocate_nothing() {
    for (scheme, kind) in reduced_without_contact().flat_map(|scheme| ALL_KINDS.map(|kind| (scheme, kind))) {
        let (model, state) = chain(kind, 4);
        assert_eq!(requests_of_warm_steps(scheme, &model, state), 0, "{scheme}: {kind:?}");
        let (model, state) = sprung_chain(kind, 4);
        assert_eq!(requests_of_warm_steps(scheme, &model, state), 0, "{scheme}: {kind:?} with a spring");
    }
    for scheme in reduced_without_contact() {
        for (name, (model, state)) in mechanisms::all() {
            assert_eq!(requests_of_warm_steps(scheme, &model, state), 0, "{scheme}: {name}");
        }
    }
}

/// Boxes far apart, each flying its own way.
fn flying_apart(count: usize) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    let mut random = Random::new(5);
    for i in 0..count {
        let at = Vec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64) * 3.0;
        let body = brick(&format!("box-{i}"), Vec3::new(0.2, 0.3, 0.1), 270.0);
        let id = builder.body(body, Pose::new(random.rotation(), at));
        builder.velocity(id, random.vector(), random.vector() * 3.0);
    }
    builder.contact(surfaces(1.0, 0.0));
    builder.build().unwrap()
}

#[test]
fn warm_steps_between_collisions_allocate_nothing() {
    for scheme in [SchemeKind::Exact, SchemeKind::Dissipative] {
        let (model, state) = flying_apart(200);
        assert_eq!(requests_of_warm_steps(scheme, &model, state), 0, "{scheme}");
    }
}

/// Differentiates the same interval twice and counts the allocations of the second time.
fn requests_of_warm_derivatives((model, state): (Model, State)) -> usize {
    let (controls, control_inputs) = controls(&model, &mut Random::new(1));
    let (start, end) = (&state, &state);
    let island = island(&model);
    let (controls, control_inputs) = (controls.as_slice(), control_inputs.as_slice());
    let interval =
        IntervalInputs { model: &model, island, start, end, t: 0.1, h: 0.01, controls, control_inputs };
    let (mut tool, mut out) = (Differentiator::default(), Derivatives::default());
    let mut bent = vec![0.0; island.dofs.len() * island.dofs.len()];
    let mut from = 0;
    for _ in 0..2 {
        from = allocations();
        tool.differentiate(&interval, &mut out).unwrap();
        tool.differentiate_loop_forces(&interval, End::After, &[1.0; 6][..out.gaps.len()], &mut bent);
    }
    assert!(out.before.by_start.iter().all(|v| v.is_finite()));
    allocations() - from
}

#[test]
fn warm_derivatives_allocate_nothing() {
    for kind in ALL_KINDS {
        assert_eq!(requests_of_warm_derivatives(everything(kind, 0)), 0, "{kind:?}");
        let requests = requests_of_warm_derivatives(closed(JointKind::Spherical, kind, false));
        assert_eq!(requests, 0, "{kind:?} loop");
    }
}
