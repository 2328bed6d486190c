//! The comparison of derivatives with differences: passes what is right and finds what is wrong.
#![allow(clippy::unwrap_used)]

mod nlp_common;

use nlp_common::chain::{Chain, ChainParameters};
use percussion_solve::nlp::{Layout, Program, Undefined, check_derivatives};

fn chain() -> (Chain, Vec<f64>, Vec<f64>) {
    let chain = Chain::new(&ChainParameters {
        nodes: 5,
        force: 10.0,
        free_time: true,
        obstacles: 3,
        cost_factor: 1.0,
    });
    let mut x = chain.start();
    for (k, x) in x.iter_mut().enumerate() {
        *x += 0.1 * (k as f64).sin();
    }
    let y = (0..chain.layout().constraints.len()).map(|k| (1.3 * k as f64).cos()).collect();
    (chain, x, y)
}

#[test]
fn right_derivatives_pass() {
    let (mut chain, x, y) = chain();
    let check = check_derivatives(&mut chain, &x, 0.7, &y).unwrap();
    assert!(check.first() < 1e-6 && check.second() < 1e-5, "{check:?}");
}

/// A program with one entry of its derivatives changed.
struct Wrong {
    chain: Chain,
    jacobian: Option<usize>,
    hessian: Option<usize>,
}

impl Program for Wrong {
    type Point = Vec<f64>;
    fn layout(&self) -> &Layout {
        self.chain.layout()
    }
    fn coordinates(&self, at: &Vec<f64>, out: &mut [f64]) {
        self.chain.coordinates(at, out);
    }
    fn retract(&self, from: &Vec<f64>, step: &[f64], to: &mut Vec<f64>) {
        self.chain.retract(from, step, to);
    }
    fn evaluate(&mut self, at: &Vec<f64>, c: &mut [f64]) -> Result<f64, Undefined> {
        self.chain.evaluate(at, c)
    }
    fn differentiate(&mut self, at: &Vec<f64>, g: &mut [f64], j: &mut [f64]) -> Result<(), Undefined> {
        self.chain.differentiate(at, g, j)?;
        if let Some(entry) = self.jacobian {
            j[entry] += 0.01;
        }
        Ok(())
    }
    fn lagrangian_hessian(
        &mut self,
        at: &Vec<f64>,
        w: f64,
        y: &[f64],
        h: &mut [f64],
    ) -> Result<(), Undefined> {
        self.chain.lagrangian_hessian(at, w, y, h)?;
        if let Some(entry) = self.hessian {
            h[entry] += 0.01;
        }
        Ok(())
    }
}

#[test]
fn wrong_entries_are_found_and_named() {
    let (chain, x, y) = chain();
    let mut wrong = Wrong { chain: chain.clone(), jacobian: Some(40), hessian: None };
    let places = chain.layout().jacobian.clone();
    let worst = check_derivatives(&mut wrong, &x, 0.7, &y).unwrap().jacobian;
    assert!(worst.error > 1e-4, "{worst:?}");
    assert_eq!((worst.row, worst.column), (places.rows[40], places.columns[40]));

    let mut wrong = Wrong { chain: chain.clone(), jacobian: None, hessian: Some(33) };
    let places = chain.layout().hessian.clone();
    let check = check_derivatives(&mut wrong, &x, 0.7, &y).unwrap();
    let (i, j) = (places.rows[33], places.columns[33]);
    assert!(check.hessian.error > 1e-4 && check.curvature.error > 1e-4, "{check:?}");
    assert!([(i, j), (j, i)].contains(&(check.hessian.row, check.hessian.column)), "{check:?}");
}
