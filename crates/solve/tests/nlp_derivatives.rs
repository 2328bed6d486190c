//! The comparison of derivatives with differences: passes what is right and finds what is wrong.
#![allow(clippy::unwrap_used)]

mod nlp_common;

use nlp_common::chain::{Chain, ChainParameters};
use nlp_common::{Dense, assert_derivatives};
use percussion_solve::nlp::{Bound, Program, check_derivatives};

#[test]
fn right_derivatives_pass() {
    let parameters =
        ChainParameters { nodes: 5, force: 10.0, free_time: true, obstacles: 3, cost_factor: 1.0 };
    let mut chain = Chain::new(&parameters);
    let mut x = chain.start();
    x.iter_mut().enumerate().for_each(|(k, x)| *x += 0.1 * (k as f64).sin());
    let y: Vec<f64> = (0..chain.layout().constraints.len()).map(|k| (1.3 * k as f64).cos()).collect();
    assert_derivatives(&mut chain, &x, 0.7, &y);
}

/// A program of two variables with an error of 0.01 in one entry of its Jacobian or of the Hessian of its objective.
fn wrong(jacobian: bool) -> Dense {
    Dense::new(vec![Bound::FREE; 2], vec![Bound::equal(1.0); 2], move |x| {
        let (mut f, mut c) = (x[0].sq() * &x[1] + x[1].exp(), vec![&x[0] * &x[1], x[0].sin() + x[1].sq()]);
        if jacobian {
            c[1].gradient[0] += 0.01
        } else {
            f.hessian[2] += 0.01
        }
        (f, c)
    })
}

#[test]
fn wrong_entries_are_found_and_named() {
    let (x, y) = (vec![0.4, 0.7], [0.3, -0.8]);
    let worst = check_derivatives(&mut wrong(true), &x, 0.7, &y).unwrap().jacobian;
    assert!(worst.error > 1e-4, "{worst:?}");
    assert_eq!((worst.row, worst.column), (1, 0));

    let check = check_derivatives(&mut wrong(false), &x, 0.7, &y).unwrap();
    assert!(check.hessian.error > 1e-4 && check.curvature.error > 1e-4, "{check:?}");
    assert!([(1, 0), (0, 1)].contains(&(check.hessian.row, check.hessian.column)), "{check:?}");
}
