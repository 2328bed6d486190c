//! A warm step touches no heap, whatever moves.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Requests of warm steps with their bookkeeping, and the impacts in them.
fn requests(
    kind: SchemeKind,
    options: &SchemeOptions,
    (model, mut state): (Model, State),
    warm: usize,
    steps: usize,
) -> (usize, usize) {
    let mut scheme = kind.build(&model, &state, options).unwrap();
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
        met += scheme.step_record().map_or(0, |record| record.impacts.len());
    }
    (allocations() - from, met)
}

fn requests_of_warm_steps(kind: SchemeKind, scene: (Model, State)) -> usize {
    requests(kind, &SchemeOptions::default(), scene, 3, 17).0
}

/// Requests of warm steps of time stepping with complementarity.
fn requests_of_lcp(builder: ModelBuilder, lcp: LcpOptions, warm: usize, steps: usize) -> usize {
    let options = SchemeOptions { lcp, ..SchemeOptions::default() };
    requests(SchemeKind::Lcp, &options, builder.build_open().unwrap(), warm, steps).0
}

/// The schemes in reduced coordinates for scenes without contact.
fn reduced_without_contact() -> impl Iterator<Item = SchemeKind> {
    SchemeKind::with(|capable| capable.without_contact && capable.coordinates == Coordinates::Reduced)
}

#[test]
fn warm_steps_and_their_bookkeeping_allocate_nothing() {
    for (scheme, kind) in reduced_without_contact().flat_map(|scheme| ALL_KINDS.map(|kind| (scheme, kind))) {
        assert_eq!(requests_of_warm_steps(scheme, chain(kind, 4)), 0, "{scheme}: {kind:?}");
        assert_eq!(
            requests_of_warm_steps(scheme, sprung_chain(kind, 4)),
            0,
            "{scheme}: {kind:?} with a spring"
        );
    }
    for scheme in reduced_without_contact() {
        for (name, scene) in mechanisms::all() {
            assert_eq!(requests_of_warm_steps(scheme, scene), 0, "{scheme}: {name}");
        }
    }
}

/// Boxes far apart, each flying its own way.
fn flying_apart(count: usize) -> (Model, State) {
    let mut builder = falling();
    let mut random = Random::new(5);
    for i in 0..count {
        let at = Vec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64) * 3.0;
        let body = brick(&format!("box-{i}"), Vec3::new(0.2, 0.3, 0.1), 270.0);
        let id = builder.body(body, Pose::new(random.rotation(), at));
        builder.velocity(id, random.vector(), random.vector() * 3.0);
    }
    builder.contact(surface(1.0, 0.0));
    builder.build().unwrap()
}

#[test]
fn warm_steps_between_collisions_allocate_nothing() {
    for scheme in [SchemeKind::Exact, SchemeKind::Dissipative] {
        assert_eq!(requests_of_warm_steps(scheme, flying_apart(200)), 0, "{scheme}");
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

/// Cubes in a row along their common axis of rotation, far above a floor: they keep their distances, and their bounding boxes overlap.
fn flying_side_by_side() -> ModelBuilder {
    let mut builder = level(0.5, 0.5);
    let spin = Vec3::new(0.0, 3.0, 1.0);
    for k in 0..10 {
        let at = Vec3::new(0.0, 0.0, 5.0) + spin.normalize() * (0.25 * f64::from(k));
        free_body(&mut builder, cube(&format!("cube-{k}"), 0.2), at, Vec3::zeros(), spin);
    }
    builder
}

/// A stack of three boxes on a floor.
fn stack() -> ModelBuilder {
    let mut builder = level(0.0, 0.5);
    for k in 0..3 {
        let at = Vec3::new(0.0, 0.0, 0.1 + 0.2 * f64::from(k));
        builder.body(cube(&format!("cube-{k}"), 0.2), Pose::at(at));
    }
    builder
}

#[test]
fn warm_steps_of_decomposition_allocate_nothing_in_flight_and_at_rest() {
    let decomposed = |builder: ModelBuilder, warm, steps| {
        let scene = builder.build().unwrap();
        requests(SchemeKind::Decomposition, &SchemeOptions::default(), scene, warm, steps)
    };
    // Lists of the broad phase grow over half a turn.
    assert_eq!(decomposed(flying_side_by_side(), 700, 200), (0, 0));
    // Persistent contact: no impacts.
    assert_eq!(decomposed(stack(), 20, 50), (0, 0));
}

#[test]
fn warm_steps_with_complementarity_allocate_nothing() {
    let solved_by = |solver| LcpOptions { solver, ..LcpOptions::default() };
    // They touch as they turn and spread: lists of the broad phase grow until they have spread.
    for (lcp, warm, steps) in [(LcpOptions::published(), 400, 400), (LcpOptions::default(), 650, 250)] {
        assert_eq!(requests_of_lcp(flying_side_by_side(), lcp, warm, steps), 0, "{:?}", lcp.stabilisation);
    }
    for kind in [JointKind::Revolute, JointKind::Spherical, JointKind::Rod] {
        let builder = chain_builder(kind, 4);
        assert_eq!(requests_of_lcp(builder, solved_by(StepSolver::GaussSeidel), 50, 100), 0, "{kind:?}");
    }
    for solver in [StepSolver::Auto, StepSolver::GaussSeidel] {
        assert_eq!(requests_of_lcp(stack(), solved_by(solver), 50, 100), 0, "{solver:?}");
    }
    assert_eq!(requests_of_lcp(stack(), LcpOptions::published(), 50, 100), 0);
    // Nor does the projection of positions, which bodies that wobble need in every other step.
    let mut wobbling = level(0.0, 0.3);
    let solid = Solid::Ellipsoid(Ellipsoid::new(Vec3::new(0.1, 0.06, 0.03)).unwrap());
    free_body(
        &mut wobbling,
        solid_body("ellipsoid", solid, 1000.0),
        Vec3::z() * 0.03,
        Vec3::zeros(),
        Vec3::new(1.0, 2.0, 10.0),
    );
    assert_eq!(requests_of_lcp(wobbling, LcpOptions::default(), 400, 400), 0);
    // Nor do steps that are left unsolved and scale impulses.
    let few = LcpOptions {
        sweeps: 1,
        newton_factorizations: 0,
        tolerance: 1e-15,
        ..solved_by(StepSolver::GaussSeidel)
    };
    assert_eq!(requests_of_lcp(stack(), few, 50, 100), 0);
    let mut plates = ground(0.0, 0.5);
    for (name, y) in [("lower", 0.0), ("upper", 1.0)] {
        let corners = [(-0.5, y), (0.5, y), (0.5, y + 1.0), (-0.5, y + 1.0)];
        plate(&mut plates, name, &corners.map(|(x, y)| Vec2::new(x, y)));
    }
    assert_eq!(requests_of_lcp(plates, solved_by(StepSolver::Auto), 50, 100), 0);
}

#[test]
fn pulling_costs_no_memory_and_stiffness_none_once_there_is_room() {
    let mut random = Random::new(32);
    let at = |body: usize| on(body, Vec3::new(0.1, 0.2, 0.3));
    let source = |body: usize| Source { anchor: at(body), weight: 1.0 };
    let sources: Vec<Source> = [0, 1, 2].map(source).to_vec();
    let given = |axes| Some(Given::constant(Vec3::x(), axes));
    let laws = [
        ForceLaw::Spring(Spring { a: at(0), b: at(1), stiffness: 1.0, rest_length: 1.0, damping: 1.0 }),
        ForceLaw::Attraction(Attraction { body: source(0), ..Attraction::new(0, Vec3::y() * 9.0, 1.0) }),
        ForceLaw::Gravitation(Gravitation { constant: 1.0, softening: 0.0, bodies: sources.clone() }),
        ForceLaw::Charges(Charges { constant: 1.0, softening: 0.0, charges: sources }),
        ForceLaw::Load(Load { anchor: at(1), force: given(Axes::Body), torque: given(Axes::World) }),
        ForceLaw::Drag(Drag { linear: 1.0, quadratic: 1.0, angular: 1.0, ..Drag::at(at(2)) }),
    ];
    let placements: Vec<BodyKinematics> = (0..3)
        .map(|i| BodyKinematics {
            position: Vec3::x() * (3.0 * i as f64),
            frame: random.matrix(),
            velocity: random.vector(),
            frame_rate: Mat3::zeros(),
        })
        .collect();
    let bodies = Bodies { first: 0, kinematics: &placements };
    let mut pulls = vec![ForceAccumulator::zero(); 3];
    for law in laws {
        let force = force("f", law);
        let mut list = Vec::with_capacity(3);
        let before = allocations();
        force.add_forces(0.0, &bodies, &mut pulls).unwrap();
        force.stiffness(0.0, &bodies, &mut list).unwrap();
        force.potential(&bodies).unwrap();
        force.power(0.0, &bodies).unwrap();
        force.for_each_slot(&mut |_| ());
        assert_eq!(allocations(), before, "{:?}", force.law);
        assert!(!list.is_empty());
    }
}
