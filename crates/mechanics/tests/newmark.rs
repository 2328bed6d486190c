//! Newmark's schemes: their order, what they keep, and closed forms they reproduce.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod mechanisms;

use common::reference::reference;
use common::{chain, link, sprung_chain, totals, violation};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::discrete::StepError;
use percussion_mechanics::force::{Anchor, Force, ForceLaw, Spring};
use percussion_mechanics::joint::ALL_KINDS;
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::schemes::{
    Newmark, Scheme, SchemeError, SchemeKind, SchemeOptions, UnknownScheme, Variational,
};
use percussion_mechanics::{Body, JointKind, Ledger, Model, ModelBuilder, State};

const UNTIL: f64 = 0.4;

type Places = (Vec<Vec3>, Vec<Mat3>);

fn distance(state: &State, exact: &Places) -> f64 {
    let moved = state.positions.iter().zip(&exact.0).map(|(a, b)| (a - b).amax());
    let turned = state.rotations.iter().zip(&exact.1).map(|(a, b)| (a - b).amax());
    moved.chain(turned).fold(0.0, f64::max)
}

/// States at a number of instants, evenly spaced; the last is the end.
fn run(scheme: &mut dyn Scheme, model: &Model, start: &State, steps: usize, samples: usize) -> Vec<State> {
    let mut state = start.clone();
    let mut found = Vec::new();
    for k in 1..=steps {
        scheme.step(model, &mut state, UNTIL / steps as f64).unwrap();
        if (k * samples).is_multiple_of(steps) {
            found.push(state.clone());
        }
    }
    found
}

/// Order between two steps, one an eighth of the other, and the error of the smaller.
fn order(
    (beta, gamma): (f64, f64),
    coarsest: usize,
    model: &Model,
    start: &State,
    exact: &[Places],
) -> (f64, f64) {
    let error = |steps: usize| {
        let mut scheme = Newmark::new(beta, gamma, model, start).unwrap();
        let found = run(&mut scheme, model, start, steps, exact.len());
        found.iter().zip(exact).map(|(state, exact)| distance(state, exact)).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(coarsest), error(8 * coarsest));
    ((coarse / fine).log2() / 3.0, fine)
}

#[test]
fn both_schemes_are_of_second_order_on_every_joint() {
    for kind in ALL_KINDS {
        let (model, start) = sprung_chain(kind, 2);
        let exact = [reference(&model, &start, UNTIL, 20)];
        for (beta, gamma) in [(0.0, 0.5), (0.25, 0.5)] {
            let (order, error) = order((beta, gamma), 50, &model, &start, &exact);
            println!("{:12} beta {beta:.2}: order {order:.3}, error {error:.1e}", kind.word());
            if kind != JointKind::Fixed {
                assert!((1.9..2.1).contains(&order), "{kind:?} {beta}: {order}");
            }
        }
    }
}

#[test]
fn another_gamma_costs_an_order() {
    let (model, start) = sprung_chain(JointKind::Revolute, 2);
    let exact = [reference(&model, &start, UNTIL, 20)];
    for beta in [0.0, 0.3] {
        let (order, _) = order((beta, 0.6), 50, &model, &start, &exact);
        assert!((0.9..1.1).contains(&order), "{order}");
        assert_eq!(Newmark::new(beta, 0.6, &model, &start).unwrap().order(), 1);
    }
    assert_eq!(Newmark::explicit(&model, &start).order(), 2);
}

#[test]
fn loops_particles_motors_and_ties_are_met_with_the_same_order() {
    for (name, (model, start)) in mechanisms::all() {
        // The variational scheme with steps so small that its error does not matter, extrapolated.
        let fine = |steps: usize| run(&mut Variational::new(&model, &start), &model, &start, steps, 8);
        let extrapolated = |(a, b): (&State, &State)| -> Places {
            let x = b.positions.iter().zip(&a.positions).map(|(b, a)| b + (b - a) / 3.0);
            let r = b.rotations.iter().zip(&a.rotations).map(|(b, a)| b + (b - a) / 3.0);
            (x.collect(), r.collect())
        };
        let exact: Vec<Places> = fine(8_000).iter().zip(&fine(16_000)).map(extrapolated).collect();
        for beta in [0.0, 0.25] {
            let (order, error) = order((beta, 0.5), 400, &model, &start, &exact);
            println!("{name:12} beta {beta:.2}: order {order:.3}, error {error:.1e}");
            assert!((1.9..2.1).contains(&order), "{name} {beta}: {order}");
            let mut scheme = Newmark::new(beta, 0.5, &model, &start).unwrap();
            for state in run(&mut scheme, &model, &start, 80, 20) {
                assert!(violation(&model, &state) < 1e-13, "{name}");
                let measure = *Ledger::new(&model, &state).unwrap().initial();
                assert!(measure.velocity_violation < 1e-12, "{name}: {measure:?}");
            }
        }
    }
}

#[test]
fn a_mass_on_a_spring_follows_the_closed_form_of_each_scheme() {
    let (mass, stiffness, amplitude) = (2.0, 50.0, 0.3);
    let mut builder = ModelBuilder::new();
    builder.body(Body::particle("mass", mass).unwrap(), Pose::at(Vec3::new(amplitude, 0.0, 0.0)));
    let anchor = |body: Option<usize>| Anchor { body, arm: Vec3::zeros() };
    let law = Spring { a: anchor(Some(0)), b: anchor(None), stiffness, rest_length: 0.0, damping: 0.0 };
    builder.force(Force { name: "spring".into(), law: ForceLaw::Spring(law) });
    let (model, start) = builder.build().unwrap();
    let h = 0.05;
    let squared: f64 = stiffness / mass * h * h;
    // From rest both are cosines, with frequencies of their own.
    for (beta, turn) in [
        (0.0, (1.0 - 0.5 * squared).acos()),
        (0.25, ((1.0 - 0.25 * squared) / (1.0 + 0.25 * squared)).acos()),
    ] {
        let mut scheme = Newmark::new(beta, 0.5, &model, &start).unwrap();
        let mut state = start.clone();
        let mut worst = 0f64;
        for k in 1..=1000 {
            scheme.step(&model, &mut state, h).unwrap();
            worst = worst.max((state.positions[0].x - amplitude * (k as f64 * turn).cos()).abs());
        }
        println!("beta {beta}: {worst:.1e}");
        assert!(worst < 1e-12, "beta {beta}: {worst:e}");
    }
}

#[test]
fn a_free_top_keeps_its_angular_momentum_to_the_bit() {
    for beta in [0.0, 0.25] {
        let mut builder = ModelBuilder::new();
        let body = builder.body(link("top"), Pose::at(Vec3::new(1.0, 2.0, 3.0)));
        builder.velocity(body, Vec3::new(0.5, 0.0, -0.2), Vec3::new(1.0, 4.0, 2.0));
        let (model, start) = builder.build().unwrap();
        let energy = totals(&model, &start).0;
        let worst = |h: f64| {
            let mut scheme = Newmark::new(beta, 0.5, &model, &start).unwrap();
            let mut state = start.clone();
            let mut worst = 0f64;
            for _ in 0..(10.0 / h) as usize {
                scheme.step(&model, &mut state, h).unwrap();
                worst = worst.max((totals(&model, &state).0 - energy).abs() / energy);
            }
            assert_eq!(state.momenta[3..], start.momenta[3..]);
            worst
        };
        let (coarse, fine) = (worst(4e-3), worst(2e-3));
        println!("beta {beta}: energy off by {coarse:.1e} and {fine:.1e}");
        // Oscillations of second order, and over so short a time less than that of drift, which is of third.
        assert!((1.8..3.2).contains(&(coarse / fine).log2()), "{coarse:e} {fine:e}");
        assert!(coarse < 1e-4);
    }
}

#[test]
fn stiff_springs_are_stable_where_the_step_is_implicit() {
    let mut builder = ModelBuilder::new();
    let first = builder.body(link("first"), Pose::identity());
    let arm = Vec3::new(0.1, 0.05, 0.0);
    builder.body(link("second"), Pose::at(arm * 2.0));
    builder.velocity(first, Vec3::new(0.1, 0.3, 0.0), Vec3::new(0.0, 0.0, 0.5));
    let law = Spring {
        a: Anchor { body: Some(0), arm },
        b: Anchor { body: Some(1), arm: -arm },
        stiffness: 1e6,
        rest_length: 0.0,
        damping: 0.0,
    };
    builder.force(Force { name: "spring".into(), law: ForceLaw::Spring(law) });
    let (model, start) = builder.build().unwrap();
    let mut state = start.clone();
    let mut scheme = Newmark::implicit(&model, &start);
    let energy = |state: &State| Ledger::new(&model, state).unwrap().initial().energy();
    let before = energy(&state);
    // Three times beyond the stability limit 2/ω of the explicit scheme.
    for _ in 0..300 {
        scheme.step(&model, &mut state, 5e-3).unwrap();
    }
    let after = energy(&state);
    println!("energy {before} and {after}");
    assert!(after < 1.5 * before);
    // The explicit scheme is not.
    let mut scheme = Newmark::explicit(&model, &start);
    let mut state = start.clone();
    let exploded =
        (0..300).any(|_| scheme.step(&model, &mut state, 5e-3).is_err() || energy(&state) > 100.0 * before);
    assert!(exploded);
}

#[test]
fn a_step_that_fails_leaves_the_state_alone_and_tells_its_history() {
    let (model, start) = chain(JointKind::Spherical, 3);
    for kind in [SchemeKind::NewmarkExplicit, SchemeKind::NewmarkImplicit] {
        let mut state = start.clone();
        let mut scheme = kind.build(&model, &start, &SchemeOptions::default()).unwrap();
        let failure = scheme.step(&model, &mut state, 3.0).unwrap_err();
        println!("{kind}: {failure}");
        assert!(matches!(failure.error, StepError::NoConvergence | StepError::NotFinite), "{failure:?}");
        assert_eq!(state, start);
        assert!(failure.history.len() > 1);
        scheme.step(&model, &mut state, 1e-3).unwrap();
    }
}

#[test]
fn schemes_are_made_by_name_and_bad_numbers_refused() {
    let (model, start) = chain(JointKind::Revolute, 2);
    for kind in SchemeKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        let built = kind.build(&model, &start, &SchemeOptions::default());
        match kind {
            SchemeKind::Exact | SchemeKind::Dissipative | SchemeKind::Decomposition => {
                assert_eq!(built.err(), Some(SchemeError::NoContact { scheme: kind }));
            }
            SchemeKind::Lcp => assert!(built.is_err()),
            _ => assert_eq!(built.unwrap().kind(), kind),
        }
    }
    let refused = |kind: SchemeKind, options| kind.build(&model, &start, &options).err().unwrap();
    let error = refused(SchemeKind::Lcp, SchemeOptions::default());
    assert!(matches!(&error, SchemeError::Tree { joint } if joint == "joint-0"), "{error}");
    let error = "newmarc".parse::<SchemeKind>().unwrap_err();
    assert_eq!(error, UnknownScheme { name: "newmarc".into() });
    assert!(error.to_string().contains("newmark-explicit"));
    let error = refused(
        SchemeKind::NewmarkImplicit,
        SchemeOptions { beta: None, gamma: Some(f64::NAN), ..SchemeOptions::default() },
    );
    assert!(matches!(error, SchemeError::Weight { symbol: "gamma", .. }), "{error}");
    let error = refused(
        SchemeKind::NewmarkExplicit,
        SchemeOptions { beta: Some(0.25), gamma: None, ..SchemeOptions::default() },
    );
    assert!(matches!(error, SchemeError::Weight { symbol: "beta", .. }), "{error}");
}
