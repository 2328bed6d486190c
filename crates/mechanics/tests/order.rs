//! Orders of convergence, measured against accelerations with multipliers integrated to rounding.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::reference::reference;
use common::sprung_chain;
use percussion_geometry::Vec3;
use percussion_mechanics::joint::ALL_KINDS;
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::schemes::{Scheme, Variational};
use percussion_mechanics::{JointKind, Model, State};

const UNTIL: f64 = 0.4;

fn distance(state: &State, exact: &(Vec<Vec3>, Vec<Mat3>)) -> f64 {
    let moved = state.positions.iter().zip(&exact.0).map(|(a, b)| (a - b).amax());
    let turned = state.rotations.iter().zip(&exact.1).map(|(a, b)| (a - b).amax());
    moved.chain(turned).fold(0.0, f64::max)
}

/// Errors at the end for steps halved again and again.
fn errors(model: &Model, start: &State, exact: &(Vec<Vec3>, Vec<Mat3>), coarsest: usize) -> Vec<f64> {
    (0..4)
        .map(|level| {
            let steps = coarsest << level;
            let mut state = start.clone();
            let mut scheme = Variational::new(model, &state);
            for _ in 0..steps {
                scheme.step(model, &mut state, UNTIL / steps as f64).unwrap();
            }
            distance(&state, exact)
        })
        .collect()
}

#[test]
fn the_reference_is_exact_to_rounding() {
    let (model, state) = sprung_chain(JointKind::Spherical, 2);
    let (coarse, fine) = (reference(&model, &state, UNTIL, 20), reference(&model, &state, UNTIL, 31));
    let off = coarse.0.iter().zip(&fine.0).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{off:e}");
}

#[test]
fn the_variational_scheme_is_of_second_order_on_every_joint() {
    for kind in ALL_KINDS {
        let (model, start) = sprung_chain(kind, 2);
        let exact = reference(&model, &start, UNTIL, 20);
        let errors = errors(&model, &start, &exact, 50);
        let order = (errors[0] / errors[3]).log2() / 3.0;
        println!("{:12} {:.3}  {:.1e} .. {:.1e}", kind.word(), order, errors[0], errors[3]);
        // Nothing moves on fixed joints.
        if kind != JointKind::Fixed {
            assert!((1.9..2.1).contains(&order), "{kind:?}: {order} {errors:?}");
        }
    }
}
