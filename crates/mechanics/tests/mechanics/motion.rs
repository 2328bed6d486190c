//! Driven bodies: prescribed motions against closed forms and differences, and what the model makes of them.

use crate::common::*;
use std::f64::consts::{FRAC_PI_2, TAU};

const AMPLITUDE: Vec3 = Vec3::new(0.01, 0.0, 0.02);
const AXIS: Vec3 = Vec3::new(1.0, 2.0, -2.0);
const ABOUT: Vec3 = Vec3::new(0.3, -0.2, 0.5);

fn wave(frequency: f64, phase: f64) -> Wave {
    Wave { frequency, phase }
}

fn during(start: f64, duration: f64, ramp: f64) -> Window {
    Window { start, duration: Some(duration), ramp }
}

/// Motions of all kinds, with and without beginnings and ends.
fn samples() -> Vec<Motion> {
    let open = Window::default();
    let ramped = during(0.1, 0.7, 0.2);
    let rows = vec![[0.0; 3], [0.1, 0.0, 0.0], [0.1, 0.0, -0.2]];
    vec![
        Motion::shake(AMPLITUDE, wave(5.0, 0.4), open).unwrap(),
        Motion::shake(AMPLITUDE, wave(5.0, 0.4), ramped).unwrap(),
        Motion::turn(AXIS, ABOUT, -7.0, open).unwrap(),
        Motion::turn(AXIS, ABOUT, -7.0, ramped).unwrap(),
        Motion::rock(AXIS, ABOUT, 0.3, wave(2.0, -1.0), open).unwrap(),
        Motion::rock(AXIS, ABOUT, 0.3, wave(2.0, -1.0), ramped).unwrap(),
        Motion::path(Table::new(vec![0.2, 0.35, 0.6], rows).unwrap()),
    ]
}

fn close(a: &Pose, b: &Pose, tolerance: f64) -> bool {
    (a.position - b.position).norm() < tolerance
        && (a.rotation.matrix() - b.rotation.matrix()).norm() < tolerance
}

#[test]
fn displacements_are_those_of_the_closed_forms() {
    let shaken = Motion::shake(AMPLITUDE, wave(5.0, 0.0), Window::default()).unwrap();
    for t in [0.0, 0.013, 0.4, 7.77] {
        let expected = AMPLITUDE * (TAU * 5.0 * t).sin();
        assert!((shaken.pose(t).point(&ABOUT) - ABOUT - expected).norm() < 1e-14);
    }
    // A point on a circle of radius 2 about the axis along y through (1, 0, 0), from +z towards +x.
    let turned =
        Motion::turn(Vec3::new(0.0, 3.0, 0.0), Vec3::x(), 0.5, Window { start: 1.0, ..Window::default() });
    let turned = turned.unwrap();
    for t in [0.0, 1.0, 2.5, 31.0] {
        let angle = 0.5 * f64::max(t - 1.0, 0.0);
        let expected = Vec3::new(1.0 + 2.0 * angle.sin(), 4.0, 2.0 * angle.cos());
        assert!((turned.pose(t).point(&Vec3::new(1.0, 4.0, 2.0)) - expected).norm() < 1e-13);
    }
    // At the crest of a swing that starts at rest, the angle is twice the amplitude.
    let rocked = Motion::rock(Vec3::z(), ABOUT, 0.25, wave(2.0, -FRAC_PI_2), Window::default()).unwrap();
    assert!((rocked.angle(0.25) - 0.5).abs() < 1e-15);
    let turn = Rotation3::from_axis_angle(&Vec3::z_axis(), 0.5);
    assert!(close(&rocked.pose(0.25), &Pose::new(turn, ABOUT - turn * ABOUT), 1e-14));
    // Angles of a long run of a ramp at both ends: the area under the envelope.
    let ramped = Motion::turn(Vec3::z(), Vec3::zeros(), 3.0, during(0.0, 10.0, 1.5)).unwrap();
    for (t, area) in [(0.75, 1.5 * (1.0 / 8.0 - 1.0 / 32.0)), (5.0, 4.25), (10.0, 8.5), (99.0, 8.5)] {
        assert!((ramped.angle(t) - 3.0 * area).abs() < 1e-14, "{t}");
    }
}

#[test]
fn nothing_is_displaced_before_the_start_and_nothing_moves_after_the_end() {
    let whole = Motion::shake(AMPLITUDE, wave(5.0, 0.7), during(0.5, 0.6, 0.0)).unwrap();
    assert_eq!(whole.pose(0.49), Pose::identity());
    assert_eq!(whole.twist(0.49).linear, Vec3::zeros());
    // It starts at once, as a wave of phase zero does.
    let first = AMPLITUDE * (TAU * 5.0 * 0.7f64.cos());
    assert!((whole.twist(0.5).linear - first).norm() < 1e-13);
    // Three whole periods end where they began.
    assert!(whole.shift(1.2).norm() < 1e-15);
    assert_eq!(whole.twist(1.2).linear, Vec3::zeros());
    // One that is broken off stays where it was.
    let broken = Motion::shake(AMPLITUDE, wave(5.0, 0.0), during(0.0, 0.05, 0.0)).unwrap();
    assert!((broken.shift(3.0) - AMPLITUDE).norm() < 1e-14);
}

/// The velocity of a point by differences of the fourth order.
fn difference(motion: &Motion, x: &Vec3, t: f64) -> Vec3 {
    let d = 1e-3 / 8.0;
    let at = |k: f64| motion.pose(t + k * d).point(x);
    (at(-2.0) - at(2.0) + (at(1.0) - at(-1.0)) * 8.0) / (12.0 * d)
}

#[test]
fn velocities_are_those_of_differences() {
    let x = Vec3::new(-0.4, 0.9, 0.1);
    for (k, motion) in samples().iter().enumerate() {
        // Away from where velocities or their derivatives jump.
        for t in [0.05, 0.15, 0.25, 0.31, 0.45, 0.57, 0.65, 0.72, 0.83, 1.9] {
            let (twist, pose) = (motion.twist(t), motion.pose(t));
            let (found, expected) = (twist.velocity(&pose.point(&x)), difference(motion, &x, t));
            assert!((found - expected).norm() < 1e-7, "{k} at {t}: {found} {expected}");
        }
    }
}

#[test]
fn ramps_begin_and_end_at_rest() {
    for motion in samples().iter().skip(1).step_by(2) {
        for t in [0.1, 0.8 - 1e-9, 0.8] {
            let twist = motion.twist(t);
            assert!(twist.linear.norm() < 1e-6 && twist.angular.norm() < 1e-6, "{t}: {twist:?}");
        }
        assert!(motion.twist(0.5).linear.norm() + motion.twist(0.5).angular.norm() > 0.01);
    }
}

#[test]
fn a_step_leads_from_one_displacement_to_the_next() {
    for (k, motion) in samples().iter().enumerate() {
        for (t, h) in [(0.0, 0.01), (0.09, 0.05), (0.3, 0.3), (0.79, 0.1), (2.0, -0.4), (0.2, 0.1)] {
            let (from, to, step) = (motion.pose(t), motion.pose(t + h), motion.step(t, h));
            let turn = Rotation3::new(step.angular * h);
            let reached = Pose::new(
                turn * from.rotation,
                step.point + step.linear * h + turn * (from.position - step.point),
            );
            assert!(close(&reached, &to, 1e-14), "{k} from {t} by {h}: {reached:?} {to:?}");
        }
        // Over short steps the means are the velocities, to first order.
        let (mean, now) = (motion.step(0.45, 1e-6), motion.twist(0.45));
        assert!((mean.linear - now.linear).norm() < 1e-4 && (mean.angular - now.angular).norm() < 1e-4);
    }
    // More than half a turn in a step: the rate is not mistaken for that of the shorter way.
    let fast = Motion::turn(Vec3::z(), Vec3::zeros(), 100.0, Window::default()).unwrap();
    assert!((fast.step(0.3, 0.5).angular.z - 100.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let open = Window::default();
    let shake = |wave, window| Motion::shake(AMPLITUDE, wave, window).unwrap_err();
    assert_eq!(shake(wave(0.0, 0.0), open), MotionError::Frequency(0.0));
    assert_eq!(shake(wave(1.0, f64::NAN), open), MotionError::NotFinite("the phase"));
    assert_eq!(shake(wave(1.0, 0.0), during(0.0, -1.0, 0.0)), MotionError::Duration(-1.0));
    assert_eq!(shake(wave(1.0, 0.0), during(0.0, 1.0, 0.6)), MotionError::Ramp { ramp: 0.6 });
    assert_eq!(shake(wave(1.0, 0.0), Window { ramp: -0.1, ..open }), MotionError::Ramp { ramp: -0.1 });
    assert_eq!(Motion::turn(Vec3::zeros(), ABOUT, 1.0, open).unwrap_err(), MotionError::NoAxis);
    let rate = Motion::turn(AXIS, ABOUT, f64::INFINITY, open).unwrap_err();
    assert_eq!(rate, MotionError::NotFinite("the rate"));
    let amplitude = Motion::shake(Vec3::repeat(f64::NAN), wave(1.0, 0.0), open).unwrap_err();
    assert_eq!(amplitude, MotionError::NotFinite("the amplitude"));
}

fn ball() -> Body {
    let body = Body::particle("ball", 1.0).unwrap();
    body.with_shape(Solid::Sphere(Sphere::new(0.1).unwrap()), Pose::identity())
}

fn box_of(side: f64) -> Solid {
    Solid::Polytope(Polytope::cuboid(side, side, side).unwrap())
}

/// A table that is shaken up and down, a wall beside it that is not, and a ball above.
fn shaken(contact: bool) -> (Model, State, Motion) {
    let motion = Motion::shake(Vec3::new(0.0, 0.0, 0.4), wave(1.0, 0.0), Window::default()).unwrap();
    let mut builder = ModelBuilder::new();
    let table = Body::fixed("table").with_shape(box_of(1.0), Pose::identity()).with_motion(motion.clone());
    builder.body(table, Pose::at(Vec3::new(0.0, 0.0, -0.5)));
    builder.body(ball(), Pose::at(Vec3::new(0.0, 0.0, 0.3)));
    let wall = Body::fixed("wall").with_shape(box_of(1.0), Pose::identity());
    builder.body(wall, Pose::at(Vec3::new(1.0, 0.0, 0.0)));
    if contact {
        builder.contact(ContactSpec::default());
    }
    let (model, state) = builder.build().unwrap();
    (model, state, motion)
}

#[test]
fn a_driven_body_is_where_its_motion_puts_it() {
    let (model, mut state, motion) = shaken(true);
    assert_eq!(model.prescribed_motion(0), Some(&motion));
    assert_eq!((model.prescribed_motion(1), model.prescribed_motion(2)), (None, None));
    assert_eq!(model.prescribed_motions().map(|(body, _)| body).collect::<Vec<_>>(), [0]);
    state.time = 0.25;
    assert!((model.pose(&state, 0).position - Vec3::new(0.0, 0.0, -0.1)).norm() < 1e-15);
    assert_eq!(model.pose(&state, 2).position, Vec3::x());
    // At the crest the table reaches 0.4, the ball's lowest point is at 0.2.
    let contacts = model.contacts.clone().unwrap();
    let (overlap, pair) = contacts.deepest(&state).unwrap();
    assert!((overlap - 0.2).abs() < 1e-12, "{overlap}");
    assert_eq!(pair, (0, 1));
    state.time = 0.75;
    assert_eq!(contacts.deepest(&state), None);
}

#[test]
fn watching_follows_driven_parts_and_lets_fixed_ones_be() {
    let (model, mut state, _) = shaken(true);
    let contacts = model.contacts.clone().unwrap();
    let boxed = |state: &State, part: usize| {
        let part = &contacts.parts[part];
        part.bounds(&part.body_pose(state))
    };
    let mut watch = CandidatePairs::new(&contacts, |part| boxed(&state, part)).unwrap();
    assert!(watch.pairs().is_empty());
    for (time, near) in [(0.25, 1), (0.5, 0), (0.75, 0), (1.25, 1)] {
        state.time = time;
        watch.update(&contacts, |part| boxed(&state, part)).unwrap();
        // The driven table and the fixed wall touch all the time and never meet.
        assert_eq!(watch.pairs().len(), near, "at {time}");
        assert!(watch.pairs().iter().all(|near| near.pair == (0, 1)));
    }
}

#[test]
fn without_contact_driven_bodies_are_scenery() {
    let (model, state, motion) = shaken(false);
    SchemeKind::Variational.check(&model, 0.0).unwrap();
    let mut simulation = simulation(SchemeKind::Variational, (model, state), 0.05);
    run(&mut simulation, 5);
    let found = simulation.model().pose(simulation.state(), 0).position;
    assert!((found - Vec3::new(0.0, 0.0, -0.5) - motion.shift(0.25)).norm() < 1e-15);
}

#[test]
fn schemes_to_which_fixed_bodies_rest_refuse_them_by_name() {
    let (model, ..) = shaken(true);
    for scheme in SchemeKind::with(|c| c.contact != ContactSupport::None && !c.driven_bodies) {
        let expected = UnsupportedScene::Driven { scheme, body: "table".into() };
        let unfit = scheme.check(&model, 0.0).unwrap_err();
        assert_eq!(unfit, expected);
        assert!(unfit.to_string().contains("lcp"), "{unfit}");
    }
}

#[test]
fn the_builder_refuses_motions_that_nothing_would_follow() {
    let turn = || Motion::turn(Vec3::z(), Vec3::zeros(), 1.0, Window::default()).unwrap();
    let mut builder = ModelBuilder::new();
    builder.body(ball().with_motion(turn()), Pose::identity());
    assert_eq!(builder.build().unwrap_err(), ModelError::MovingDriven { body: "ball".into() });

    let mut builder = ModelBuilder::new();
    let (hub, at) =
        (builder.body(Body::fixed("hub").with_motion(turn()), Pose::identity()), Pose::identity());
    let ball = builder.body(ball(), Pose::identity());
    let mut tied = builder.clone();
    tied.joint(JointSpec::at("guide", JointKind::Prismatic, Some((hub, &at)), (ball, &at), &at));
    let refused = |what, name: &str| ModelError::TiedToDriven { what, name: name.into(), body: "hub".into() };
    assert_eq!(tied.build().unwrap_err(), refused("joint", "guide"));
    let mut pulled = builder.clone();
    pulled.force(spring("pull", on(hub.0, Vec3::z()), on(ball.0, Vec3::zeros()), (1.0, 0.0), 0.0));
    assert_eq!(pulled.build().unwrap_err(), refused("force", "pull"));
    builder.build().unwrap();
}

#[test]
fn planar_bodies_are_driven_in_their_plane() {
    let build = |motion: Motion| {
        let mut builder = ModelBuilder::new();
        let square = PlanarShape::Polygon(Polygon::rectangle(1.0, 1.0).unwrap());
        let drum = Body::fixed("drum").with_outline(square, PlanarPose::identity()).with_motion(motion);
        builder.body(drum, Pose::at(Vec3::new(0.0, 0.0, 2.0)));
        builder.contact(ContactSpec::default());
        builder.build().map(|_| ())
    };
    let open = Window::default();
    build(Motion::turn(-Vec3::z(), ABOUT, 1.0, open).unwrap()).unwrap();
    build(Motion::shake(Vec3::new(1.0, -2.0, 0.0), wave(1.0, 0.0), open).unwrap()).unwrap();
    build(Motion::path(Table::constant([1.0, 2.0, 0.0]))).unwrap();
    let out = ModelError::Contact(ContactError::DrivenFromPlane { body: "drum".into() });
    for motion in [
        Motion::turn(Vec3::new(0.0, 1e-3, 1.0), ABOUT, 1.0, open).unwrap(),
        Motion::shake(Vec3::new(1.0, 0.0, 0.1), wave(1.0, 0.0), open).unwrap(),
        Motion::path(Table::constant([1.0, 2.0, 1e-3])),
    ] {
        assert_eq!(build(motion).unwrap_err(), out);
    }
}
