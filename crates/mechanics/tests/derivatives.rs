//! Derivatives of the discrete equations against differences, against each other and against the sweeps on the tree.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::differences::derivative;
use common::everything::{controls, elsewhere, everything, moved};
use common::random::Random;
use nalgebra::DVector;
use percussion_mechanics::discrete::{Control, Derivatives, Differentiator, Momentum, Passage};
use percussion_mechanics::joint::ALL_KINDS;
use percussion_mechanics::{Model, State};

/// A long step, so that no term hides behind `1/h`.
const STEP: f64 = 0.05;
/// How far freedoms go in it, rad and m.
const REACH: f64 = 0.3;
/// Agreement with differences of fourth order, relative to the greatest entry of the column.
const DIFFERENCES: f64 = 1e-8;

/// Two configurations a step apart, and efforts.
struct Case {
    model: Model,
    start: State,
    end: State,
    controls: Vec<Control>,
    efforts: Vec<f64>,
    t: f64,
}

impl Case {
    fn new((model, state): (Model, State), seed: u64) -> Self {
        let mut random = Random(seed + 77);
        let start = elsewhere(&model, &state, 1.0, &mut random);
        let end = elsewhere(&model, &start, REACH, &mut random);
        let (controls, efforts) = controls(&model, &mut random);
        Self { model, start, end, controls, efforts, t: 0.3 }
    }

    /// With every force on it.
    fn all() -> impl Iterator<Item = (String, Self)> {
        ALL_KINDS.into_iter().flat_map(|kind| {
            (0..3).map(move |seed| (format!("{kind:?} {seed}"), Self::new(everything(kind, seed), seed)))
        })
    }

    fn passage(&self) -> Passage<'_> {
        assert_eq!(self.model.islands.len(), 1);
        Passage {
            model: &self.model,
            island: &self.model.islands[0],
            start: &self.start,
            end: &self.end,
            t: self.t,
            h: STEP,
            controls: &self.controls,
            efforts: &self.efforts,
        }
    }

    fn derivatives(&self) -> Derivatives {
        let mut out = Derivatives::default();
        Differentiator::default().differentiate(&self.passage(), &mut out).unwrap();
        out
    }
}

/// `p⁻` above `p⁺`.
fn momenta(passage: &Passage) -> DVector<f64> {
    let n = passage.island.freedoms.len();
    let mut p = vec![0.0; 2 * n];
    let (before, after) = p.split_at_mut(n);
    Differentiator::default().momenta(passage, before, after).unwrap();
    DVector::from_vec(p)
}

/// A column of both matrices beside differences.
fn compare(what: &str, found: [&[f64]; 2], difference: &DVector<f64>) -> f64 {
    let n = found[0].len();
    let mut worst = 0f64;
    for (half, found) in found.into_iter().enumerate() {
        let found = DVector::from_column_slice(found);
        let expected = difference.rows(half * n, n);
        let error = (&found - expected).amax() / expected.amax().max(1e-3);
        assert!(error < DIFFERENCES, "{what}, half {half}: {error:e}\n{found}{expected}");
        worst = worst.max(error);
    }
    worst
}

fn column(matrix: &[f64], n: usize, k: usize) -> &[f64] {
    &matrix[k * n..(k + 1) * n]
}

fn both<'a>(d: &'a Derivatives, part: impl Fn(&'a Momentum) -> &'a [f64]) -> [&'a [f64]; 2] {
    [part(&d.before), part(&d.after)]
}

#[test]
fn derivatives_by_both_ends_agree_with_differences_for_every_joint_under_every_force() {
    for (name, case) in Case::all() {
        let (passage, d) = (case.passage(), case.derivatives());
        let n = case.model.freedoms;
        let mut worst = 0f64;
        for k in 0..n {
            let pushed = |state: &State, e: f64| {
                let mut u = vec![0.0; n];
                u[k] = e;
                moved(&case.model, state, &u)
            };
            let start = derivative(|e| momenta(&Passage { start: &pushed(&case.start, e), ..passage }));
            let found = both(&d, |m| column(&m.by_start, n, k));
            worst = worst.max(compare(&format!("{name}: start, freedom {k}"), found, &start));
            let end = derivative(|e| momenta(&Passage { end: &pushed(&case.end, e), ..passage }));
            let found = both(&d, |m| column(&m.by_end, n, k));
            worst = worst.max(compare(&format!("{name}: end, freedom {k}"), found, &end));
        }
        println!("{name}: {worst:e}");
    }
}

#[test]
fn derivatives_by_length_time_and_efforts_agree_with_differences() {
    for (name, case) in Case::all() {
        let (passage, d) = (case.passage(), case.derivatives());
        let n = case.model.freedoms;
        let length = derivative(|e| momenta(&Passage { h: STEP * (1.0 + e), ..passage })) / STEP;
        compare(&format!("{name}: length"), both(&d, |m| &m.by_length), &length);
        let time = derivative(|e| momenta(&Passage { t: case.t + e, ..passage }));
        compare(&format!("{name}: time"), both(&d, |m| &m.by_time), &time);
        for k in 0..case.efforts.len() {
            let effort = derivative(|e| {
                let mut efforts = case.efforts.clone();
                efforts[k] += e;
                momenta(&Passage { efforts: &efforts, ..passage })
            });
            let found = both(&d, |m| column(&m.by_effort, n, k));
            compare(&format!("{name}: effort {k}"), found, &effort);
        }
    }
}
