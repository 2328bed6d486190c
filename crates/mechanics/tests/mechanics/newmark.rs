//! Newmark's schemes and the order of all: measured against accelerations with multipliers integrated to rounding; what the schemes
//! keep, and closed forms they reproduce.

use crate::common::reference::reference;
use crate::common::*;

const UNTIL: f64 = 0.4;

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

/// Order between two steps of a scheme, one an eighth of the other, and the error of the smaller.
fn order<S: Scheme>(
    scheme: impl Fn(&Model, &State) -> S,
    coarsest: usize,
    (model, start): (&Model, &State),
    exact: &[Places],
) -> (f64, f64) {
    let error = |steps: usize| {
        let found = run(&mut scheme(model, start), model, start, steps, exact.len());
        found.iter().zip(exact).map(|(state, exact)| distance(state, exact)).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(coarsest), error(8 * coarsest));
    ((coarse / fine).log2() / 3.0, fine)
}

fn newmark(beta: f64, gamma: f64) -> impl Fn(&Model, &State) -> Newmark {
    move |model, start| Newmark::new(beta, gamma, model, start).unwrap()
}

#[test]
fn the_reference_is_exact_to_rounding() {
    let (model, state) = sprung_chain(JointKind::Spherical, 2);
    let (coarse, fine) = (reference(&model, &state, UNTIL, 20), reference(&model, &state, UNTIL, 31));
    let off = coarse.0.iter().zip(&fine.0).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{off:e}");
}

#[test]
fn the_variational_scheme_and_both_of_newmark_are_of_second_order_on_every_joint() {
    for kind in ALL_KINDS {
        let (model, start) = sprung_chain(kind, 2);
        let exact = [reference(&model, &start, UNTIL, 20)];
        let scene = (&model, &start);
        for (name, (order, error)) in [
            ("variational", order(Variational::new, 50, scene, &exact)),
            ("explicit", order(newmark(0.0, 0.5), 50, scene, &exact)),
            ("implicit", order(newmark(0.25, 0.5), 50, scene, &exact)),
        ] {
            println!("{:12} {name}: order {order:.3}, error {error:.1e}", kind.word());
            // Nothing moves on fixed joints.
            assert!(kind == JointKind::Fixed || (1.9..2.1).contains(&order), "{kind:?} {name}: {order}");
        }
    }
}

#[test]
fn another_gamma_costs_an_order() {
    let (model, start) = sprung_chain(JointKind::Revolute, 2);
    let exact = [reference(&model, &start, UNTIL, 20)];
    for beta in [0.0, 0.3] {
        let (order, _) = order(newmark(beta, 0.6), 50, (&model, &start), &exact);
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
            let (order, error) = order(newmark(beta, 0.5), 400, (&model, &start), &exact);
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
    let (a, b) = (on(0, Vec3::zeros()), in_world(Vec3::zeros()));
    builder.force(spring("spring", a, b, (stiffness, 0.0), 0.0));
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
    builder.force(spring("spring", on(0, arm), on(1, -arm), (1e6, 0.0), 0.0));
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
fn schemes_are_built_by_kind_and_bad_numbers_refused() {
    let (model, start) = chain(JointKind::Revolute, 2);
    for kind in SchemeKind::ALL {
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
    let gamma = SchemeOptions { gamma: Some(f64::NAN), ..SchemeOptions::default() };
    let beta = SchemeOptions { beta: Some(0.25), ..SchemeOptions::default() };
    for (kind, options, expected) in
        [(SchemeKind::NewmarkImplicit, gamma, "gamma"), (SchemeKind::NewmarkExplicit, beta, "beta")]
    {
        let error = refused(kind, options);
        assert!(matches!(error, SchemeError::Weight { symbol, .. } if symbol == expected), "{error}");
    }
}
