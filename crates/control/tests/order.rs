//! Plans with known solutions: order two in the length of the intervals.
//!
//! From rest to rest with least control effort `∫ u²`: `u = 6 d m/T² (1 - 2t/T)`, objective `12 (d m)²/T³`, for shifts and, about an axis of a body
//! with equal moments, for turns. A body with different moments is compared with itself on finer grids. A mass that lands, is held and
//! takes off has an objective in closed form as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{build, cube, from_to, motor, rest_to_rest, solved, wall};
use nalgebra::Rotation3;
use percussion_control::Guess;
use percussion_control::plan::{ContactFriction, ContactJoint, Plan, PlannedContact};
use percussion_control::replay::replay;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::discrete::displace;
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::{Body, JointKind, JointSpec, ModelBuilder};
use percussion_solve::nlp::Bound;

const TIME: f64 = 1.0;

/// Slopes of errors against the number of intervals, doubled each time, are two.
fn assert_second_order(lists: &[&Vec<f64>]) {
    for errors in lists {
        let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
        println!("errors {errors:?}, orders {orders:?}");
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{errors:?} {orders:?}");
    }
}

/// Objectives of a cube from rest to rest against `12 (d m)²/T³`, and control inputs against `6 d m/T² (1 - 2t/T)`, if there is a component of
/// these, are of second order.
fn assert_closed_form(to: Pose, distance_times_mass: f64, component: Option<usize>) {
    let exact = 12.0 * distance_times_mass.powi(2) / TIME.powi(3);
    let mut errors = (Vec::new(), Vec::new());
    for intervals in [10, 20, 40, 80] {
        let found = solved(&rest_to_rest(&|| cube("a", 0.2), to, intervals, TIME), &Guess::Straight);
        errors.0.push((found.objective - exact).abs() / exact);
        let worst = (0..intervals).filter_map(|k| {
            let t = (k as f64 + 0.5) / intervals as f64;
            let u = 6.0 * distance_times_mass * (1.0 - 2.0 * t) / (TIME * TIME);
            Some((found.inputs[6 * k + component?] - u).abs())
        });
        errors.1.extend(worst.reduce(f64::max));
    }
    assert_second_order(&[&errors.0, &errors.1]);
}

#[test]
fn a_shift_with_least_control_effort() {
    let distance = 0.7;
    assert_closed_form(Pose::at(Vec3::new(distance, 0.0, 0.0)), distance * cube("a", 0.2).mass, Some(0));
}

#[test]
fn a_turn_about_an_axis_with_least_control_effort() {
    let angle = 1.2;
    let to = Pose::new(Rotation3::from_scaled_axis(Vec3::new(0.6, 0.0, 0.8) * angle), Vec3::zeros());
    assert_closed_form(to, angle * cube("a", 0.2).inertia.x, None);
}

#[test]
fn a_turn_of_a_body_with_three_moments() {
    let body = || {
        let moments = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.6));
        Body::rigid("b", 3.0, Vec3::zeros(), &moments).unwrap()
    };
    let to = Pose::new(Rotation3::from_scaled_axis(Vec3::new(1.0, 0.7, -0.9)), Vec3::zeros());
    let objectives: Vec<f64> = [20, 40, 80, 160]
        .map(|n| solved(&rest_to_rest(&body, to, n, TIME), &Guess::Straight).objective)
        .to_vec();
    let steps: Vec<f64> = objectives.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    assert_second_order(&[&steps]);
}

/// How high the lowest corner of the mass is at the start and at the end, m.
const FALL: f64 = 0.3;
const RISE: f64 = 0.2;
/// How long it falls, stands and rises, s.
const PHASE: f64 = 0.4;
const GRAVITY: f64 = 9.81;

/// A cube on a vertical rail lands on a corner with a third of the intervals, is held for another and takes off, with a force along the rail.
fn landing(intervals: usize, friction: ContactFriction) -> Plan {
    let turn = Rotation3::from_scaled_axis(Vec3::new(0.5, 0.3, 0.2));
    let corner = |k: usize| Vec3::from([0, 1, 2].map(|bit| if k >> bit & 1 == 1 { 0.1 } else { -0.1 }));
    let lowest = (0..8).map(|k| (turn * corner(k)).z).fold(f64::INFINITY, f64::min);
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -GRAVITY));
    let pose = Pose::new(turn, Vec3::new(0.0, 0.0, FALL - lowest));
    let body = builder.body(cube("mass", 0.2), pose);
    builder.joint(JointSpec::at("rail", JointKind::Prismatic, None, (body, &pose), &Pose::identity()));
    builder.body(wall(Vec3::z()), Pose::identity());
    let (model, state) = build(builder);
    let mut end = state.clone();
    displace(&model, &model.islands[0], &state, &[RISE - FALL], &mut end);
    let mut plan = from_to(&model, &state, end, intervals, 3.0 * PHASE / intervals as f64);
    plan.time_bounds.scale = Bound::equal(1.0);
    plan.actuators = vec![motor(0, Bound::FREE)];
    plan.contacts = vec![PlannedContact {
        restitution: 0.0,
        friction,
        joint: Some(ContactJoint::Point),
        release_node: Some(intervals / 3 * 2),
        ..PlannedContact::new("the landing", intervals / 3, (0, 1))
    }];
    plan
}

/// Falling takes a force that ends at zero, standing none, rising the weight and what moves from rest to rest.
#[test]
fn a_mass_that_lands_is_held_and_takes_off() {
    let mass = cube("mass", 0.2).mass;
    let braked = 0.5 * GRAVITY * PHASE * PHASE - FALL;
    let exact = mass
        * mass
        * (3.0 * braked * braked / PHASE.powi(3)
            + GRAVITY * GRAVITY * PHASE
            + 12.0 * RISE * RISE / PHASE.powi(3));
    // What the blow takes: the speed that weight and force have left.
    let speed = -GRAVITY * PHASE + 1.5 * braked / PHASE;
    for slip in [ContactFriction::Sticking, ContactFriction::Coulomb(0.5)] {
        let mut errors = (Vec::new(), Vec::new());
        for intervals in [12, 24, 48, 96] {
            let plan = landing(intervals, slip);
            let found = solved(&plan, &Guess::Straight);
            errors.0.push((found.objective - exact).abs() / exact);
            errors.1.push((found.contacts[0].impulse.z + mass * speed).abs());
            // The simulation stands as long, and takes off from rest.
            let options = SchemeOptions::default();
            let made = replay(&plan, &found.nodes, &found.inputs, SchemeKind::Exact, &options).unwrap();
            assert!(made.deviation.position < 1e-9 && made.deviation.rotation < 1e-9, "{made:?}");
            assert!((made.joints[0].impulse - found.contacts[0].impulse).norm() < 1e-8, "{made:?}");
        }
        assert_second_order(&[&errors.0, &errors.1]);
    }
}
