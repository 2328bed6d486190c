//! Manoeuvres with known solutions: order two in the length of the intervals.
//!
//! From rest to rest with least effort `∫ u²`: `u = 6 d m/T² (1 - 2t/T)`, price `12 (d m)²/T³`, for shifts and, about an axis of a body
//! with equal moments, for turns. A body with different moments is compared with itself on finer grids.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{cube, rest_to_rest};
use nalgebra::Rotation3;
use percussion_control::manoeuvre::Ending;
use percussion_control::plan::Plan;
use percussion_control::{Guess, Manoeuvre, Options, find};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::Body;
use percussion_mechanics::rotation::Mat3;
use percussion_solve::nlp::Watch;

const TIME: f64 = 1.0;

fn solved(plan: &Plan) -> Manoeuvre {
    let found = find(plan, &Guess::Straight, &Options::default(), &mut |_| Watch::Continue).unwrap();
    assert_eq!(found.ending, Ending::Optimal);
    assert!(found.violation < 1e-9);
    found
}

/// Slopes of errors against the number of intervals, doubled each time.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

#[test]
fn a_shift_with_least_effort() {
    let distance = 0.7;
    let mass = cube("a", 0.2).mass;
    let mut errors = (Vec::new(), Vec::new());
    for intervals in [10, 20, 40, 80] {
        let to = Pose::at(Vec3::new(distance, 0.0, 0.0));
        let found = solved(&rest_to_rest(&|| cube("a", 0.2), to, intervals, TIME));
        let exact = 12.0 * (distance * mass).powi(2) / TIME.powi(3);
        errors.0.push((found.objective - exact).abs() / exact);
        let worst = (0..intervals).map(|k| {
            let t = (k as f64 + 0.5) / intervals as f64;
            let u = 6.0 * distance * mass * (1.0 - 2.0 * t) / (TIME * TIME);
            (found.efforts[6 * k] - u).abs()
        });
        errors.1.push(worst.fold(0.0, f64::max));
    }
    println!("price {:?} {:?}", errors.0, orders(&errors.0));
    println!("efforts {:?} {:?}", errors.1, orders(&errors.1));
    for order in orders(&errors.0).iter().chain(&orders(&errors.1)) {
        assert!((order - 2.0).abs() < 0.1, "{order}");
    }
}

#[test]
fn a_turn_about_an_axis_with_least_effort() {
    let angle = 1.2;
    let moment = cube("a", 0.2).inertia.x;
    let axis = Vec3::new(0.6, 0.0, 0.8);
    let mut errors = Vec::new();
    for intervals in [10, 20, 40, 80] {
        let to = Pose::new(Rotation3::from_scaled_axis(axis * angle), Vec3::zeros());
        let found = solved(&rest_to_rest(&|| cube("a", 0.2), to, intervals, TIME));
        let exact = 12.0 * (angle * moment).powi(2) / TIME.powi(3);
        errors.push((found.objective - exact).abs() / exact);
    }
    println!("price {errors:?} {:?}", orders(&errors));
    for order in orders(&errors) {
        assert!((order - 2.0).abs() < 0.1, "{order}");
    }
}

#[test]
fn a_turn_of_a_body_with_three_moments() {
    let body = || {
        let moments = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.6));
        Body::rigid("b", 3.0, Vec3::zeros(), &moments).unwrap()
    };
    let to = Pose::new(Rotation3::from_scaled_axis(Vec3::new(1.0, 0.7, -0.9)), Vec3::zeros());
    let prices: Vec<f64> =
        [20, 40, 80, 160].map(|n| solved(&rest_to_rest(&body, to, n, TIME)).objective).to_vec();
    let steps: Vec<f64> = prices.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    println!("{prices:?} {:?}", orders(&steps));
    for order in orders(&steps) {
        assert!((order - 2.0).abs() < 0.1, "{order}");
    }
}
