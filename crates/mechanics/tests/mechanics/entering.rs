//! Joints that enter and leave while bodies move: loops that the model was not built with.

use crate::common::*;

const STEP: f64 = 2e-3;

/// Three bodies in flight, the first and the last near each other.
fn flight() -> (Model, State) {
    let mut builder = falling();
    for (i, x) in [0.0, 5.0, 0.4].into_iter().enumerate() {
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.3 * i as f64, 0.9, -0.1));
        let body = builder.body(link(&format!("body-{i}")), Pose::new(turn, Vec3::new(x, 0.1, 1.0)));
        let (v, w) = (Vec3::new(1.0 - i as f64, 0.2, 0.5), Vec3::new(2.0, -1.0 + 0.5 * i as f64, 1.5));
        builder.velocity(body, v, w);
    }
    builder.contact(ContactSpec::default());
    builder.build().unwrap()
}

/// A joint that holds the bodies of two slots, or of one and the world, as they are.
fn held(kind: JointKind, parent: Option<usize>, child: usize, arm: Vec3, state: &State) -> Closure {
    let point = state.principal_pose(child).point(&arm);
    let (from, axes) = match parent {
        Some(slot) => (state.principal_pose(slot).inverse_point(&point), state.rotations[slot].transpose()),
        None => (point, Mat3::identity()),
    };
    let joint = Joint {
        name: "catch".to_owned(),
        kind,
        parent_frame: Frame { point: from, axes: axes * state.rotations[child] },
        child_frame: Frame { point: arm, axes: Mat3::identity() },
        length: 0.0,
        particle: false,
        limits: [None; 3],
    };
    Closure { joint, parent, child, coordinate: None }
}

/// Velocity of a point of the body in a slot.
fn velocity(model: &Model, state: &State, slot: usize, point: &Vec3) -> Vec3 {
    let twist = model.twists(state)[slot];
    linear(&twist) + angular(&twist).cross(&(point - state.positions[slot]))
}

#[test]
fn a_body_that_is_caught_at_a_point_keeps_its_angular_momentum_about_it() {
    let (model, mut state) = flight();
    let arm = Vec3::new(0.1, -0.05, 0.2);
    let caught = model.with_loops(&[held(JointKind::Spherical, None, 0, arm, &state)]);
    assert_eq!((caught.islands.len(), caught.closures.len()), (3, 1));
    let point = state.principal_pose(0).point(&arm);
    let about = |state: &State| {
        let (link, r, twist) = (&model.links[0], state.rotations[0], model.twists(state)[0]);
        let spin = r * link.inertia.component_mul(&r.tr_mul(&angular(&twist)));
        (state.positions[0] - point).cross(&(linear(&twist) * link.mass)) + spin
    };
    let (before, others) = (state.clone(), state.momenta[6..].to_vec());
    let impulses = caught.apply_plastic_impact(&mut state);
    assert!(velocity(&model, &state, 0, &point).norm() < 1e-12);
    assert!((about(&state) - about(&before)).norm() < 1e-12);
    assert_eq!(&state.momenta[6..], &others[..]);
    // The impulse is the change of momentum.
    let change = Vec3::from_column_slice(&state.momenta[..3]) - Vec3::from_column_slice(&before.momenta[..3]);
    assert!((impulses[0] - change).norm() < 1e-12, "{} {change}", impulses[0]);
    // Nothing more happens to what is held already.
    let again = state.clone();
    caught.apply_plastic_impact(&mut state);
    assert!(state.momenta.iter().zip(&again.momenta).all(|(a, b)| (a - b).abs() < 1e-13));
}

/// Bodies of two islands with a third one between them in the list: all become one, and their common momenta stay.
#[test]
fn two_bodies_that_catch_each_other_keep_their_momenta_and_turn_as_one() {
    let (model, mut state) = flight();
    for kind in [JointKind::Spherical, JointKind::Fixed] {
        let arm = Vec3::new(-0.1, 0.0, 0.1);
        let tied = model.with_loops(&[held(kind, Some(0), 2, arm, &state)]);
        assert_eq!(tied.islands.len(), 1);
        let of = |state: &State| {
            let (_, _, linear, angular) = totals(&model, state);
            (linear, angular)
        };
        let (p, l) = of(&state);
        tied.apply_plastic_impact(&mut state);
        let (q, m) = of(&state);
        assert!((p - q).norm() < 1e-12 && (l - m).norm() < 1e-12, "{kind:?}");
        let point = state.principal_pose(2).point(&arm);
        let slip = velocity(&model, &state, 0, &point) - velocity(&model, &state, 2, &point);
        assert!(slip.norm() < 1e-12, "{kind:?}: {slip}");
        let mut simulation = simulation(SchemeKind::Variational, (tied.clone(), state.clone()), STEP);
        let seen = state.principal_pose(0).inverse_point(&point);
        let turned = state.rotations[0].transpose() * state.rotations[2];
        run(&mut simulation, 200);
        let now = simulation.state();
        let place = now.principal_pose(0).inverse_point(&now.principal_pose(2).point(&arm));
        assert!((place - seen).norm() < 1e-11, "{kind:?}");
        let turn = (now.rotations[0].transpose() * now.rotations[2] - turned).norm();
        assert_eq!(turn < 1e-10, kind == JointKind::Fixed, "{turn:e}");
        assert!(simulation.ledger().extremes().linear_error < 1e-11);
        // The one that is not held flies as it would.
        let mut alone =
            crate::common::simulation(SchemeKind::Variational, (model.clone(), state.clone()), STEP);
        run(&mut alone, 200);
        assert!((alone.state().positions[1] - now.positions[1]).norm() < 1e-11);
        assert!((alone.state().rotations[1] - now.rotations[1]).norm() < 1e-10);
    }
}

/// The books go on: what the catch took is contact's, and nothing is lost between flights.
#[test]
fn the_ledger_books_a_catch_and_a_release() {
    let (model, state) = flight();
    let scheme =
        |model: &Model, state: &State| SchemeKind::Exact.build(model, state, &Default::default()).unwrap();
    let mut simulation = simulation(SchemeKind::Exact, (model.clone(), state), STEP);
    run(&mut simulation, 50);
    let mut state = simulation.state().clone();
    let before = simulation.ledger().latest().energy();
    let caught = model.with_loops(&[held(JointKind::Spherical, None, 0, Vec3::new(0.1, 0.1, 0.0), &state)]);
    let impulses = caught.apply_plastic_impact(&mut state);
    let own = scheme(&caught, &state);
    simulation.change_model(caught, &state.momenta, own).unwrap();
    let lost = simulation.ledger().latest().energy() - before;
    let contact = simulation.ledger().source("contact").unwrap().clone();
    assert!(lost < -0.1 && (contact.energy - lost).abs() < 1e-12, "{lost} {}", contact.energy);
    assert!((contact.linear - impulses[0]).norm() < 1e-12);
    run(&mut simulation, 50);
    let held = simulation.ledger().source("supports").unwrap().linear;
    assert!(held.norm() > 1e-3);
    let momenta = simulation.state().momenta.clone();
    let own = scheme(&model, simulation.state());
    simulation.change_model(model, &momenta, own).unwrap();
    run(&mut simulation, 50);
    let ledger = simulation.ledger();
    assert!((ledger.source("supports").unwrap().linear - held).norm() < 1e-15);
    assert!((ledger.source("contact").unwrap().energy - lost).abs() < 1e-12);
    let e = ledger.extremes();
    assert!(e.linear_error < 1e-11 && e.angular_error < 1e-11, "{} {}", e.linear_error, e.angular_error);
    assert!(e.energy_error < 1e-3 * e.energy_scale(), "{} {}", e.energy_error, e.energy_scale());
}
