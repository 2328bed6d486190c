//! The three forms of the variational scheme are one scheme, which keeps what mechanics keeps; the condition number of the reduced form
//! does not depend on the step.

use crate::common::*;

#[test]
fn three_forms_give_one_trajectory_on_every_mechanism() {
    let h = 2e-3;
    for (name, (model, start)) in mechanisms::all_with_chains() {
        let mut reduced = start.clone();
        let mut scheme = Variational::new(&model, &start);
        let mut others: Vec<(Box<dyn Scheme>, State, f64)> = vec![
            (Box::new(Projected::new(&model, &start)), start.clone(), 0.0),
            (Box::new(Multipliers::new(&model, &start)), start.clone(), 0.0),
        ];
        let mut most = 0;
        for _ in 0..400 {
            scheme.step(&model, &mut reduced, h).unwrap();
            for (other, state, worst) in &mut others {
                let stats = other.step(&model, state, h).unwrap();
                most = most.max(stats.iterations);
                *worst = worst.max(apart(&reduced, state));
            }
        }
        let moved = apart(&reduced, &start);
        for (other, state, worst) in &others {
            println!("{name:12} {:24} differs by {worst:.1e} of {moved:.2}, {most} iterations", other.kind());
            assert!(*worst < 1e-10, "{name} {}: {worst:e}", other.kind());
            assert!(violation(&model, state) < 1e-12, "{name} {}", other.kind());
            let momenta = reduced.momenta.iter().zip(&state.momenta).map(|(a, b)| (a - b).abs());
            assert!(momenta.fold(0.0, f64::max) < 1e-9, "{name}");
        }
        assert!(name == "Fixed" || moved > 0.02, "{name} hardly moved");
        assert!(most <= 7, "{name}: {most} iterations");
    }
}

#[test]
fn positions_alone_carry_the_scheme_with_multipliers() {
    let h = 5e-3;
    for (name, (model, start)) in mechanisms::all_with_chains() {
        let mut by_momentum = start.clone();
        let mut scheme = Multipliers::new(&model, &start);
        scheme.step(&model, &mut by_momentum, h).unwrap();
        let (mut before, mut now, mut next) = (start.clone(), by_momentum.clone(), by_momentum.clone());
        let mut pairs = Multipliers::new(&model, &start);
        let mut worst = 0f64;
        for _ in 0..60 {
            // What momenta say must not matter.
            now.momenta.fill(f64::NAN);
            pairs.step_pair(&model, &before, &now, &mut next, h).unwrap();
            before.clone_from(&now);
            now.clone_from(&next);
            scheme.step(&model, &mut by_momentum, h).unwrap();
            worst = worst.max(apart(&now, &by_momentum));
        }
        assert!(worst < 1e-10, "{name}: {worst:e}");
        let momenta = now.momenta.iter().zip(&by_momentum.momenta).map(|(a, b)| (a - b).abs());
        assert!(momenta.fold(0.0, f64::max) < 1e-8, "{name}");
    }
}

#[test]
fn a_step_that_fails_leaves_the_state_alone() {
    let (model, start) = chain(JointKind::Spherical, 3);
    for kind in
        [SchemeKind::Variational, SchemeKind::VariationalProjected, SchemeKind::VariationalMultipliers]
    {
        let mut state = start.clone();
        let mut scheme = kind.build(&model, &start, &SchemeOptions::default()).unwrap();
        let failure = scheme.step(&model, &mut state, 50.0).unwrap_err();
        println!("{kind}: {failure}");
        assert_eq!(state, start);
        assert!(!failure.history.is_empty());
        scheme.step(&model, &mut state, 1e-3).unwrap();
    }
}

/// Slope of the condition number over the step in a double logarithmic plot, fitted.
fn slope(equations: Equations, kind: JointKind) -> f64 {
    let (model, state) = chain(kind, 4);
    let points: Vec<(f64, f64)> = [1e-2, 1e-3, 1e-4, 1e-5]
        .iter()
        .map(|&h: &f64| {
            let matrix = newton_matrix(equations, &model, &model.islands[0], &state, h).unwrap();
            let condition = condition_number(&matrix);
            println!("{kind:?} {equations:?} {h:e}: {condition:.3e}");
            (h, condition)
        })
        .collect();
    order(&points)
}

#[test]
fn condition_numbers_grow_as_the_theory_says() {
    for kind in [JointKind::Spherical, JointKind::Revolute] {
        for (equations, expected) in
            [(Equations::Reduced, 0.0), (Equations::Projected, -1.0), (Equations::Multipliers, -3.0)]
        {
            let found = slope(equations, kind);
            assert!((found - expected).abs() < 0.02, "{kind:?} {equations:?}: slope {found}");
        }
    }
}

#[test]
fn energy_stays_and_joints_hold_for_every_kind() {
    for kind in ALL_KINDS {
        if kind == JointKind::Fixed {
            continue;
        }
        let (model, mut state) = chain(kind, 3);
        let (k, v, _, _) = totals(&model, &state);
        let start = k + v;
        let mut scheme = Variational::new(&model, &state);
        let (mut worst, mut most, mut off) = (0f64, 0, 0f64);
        for _ in 0..2000 {
            let stats = scheme.step(&model, &mut state, 1e-3).unwrap();
            most = most.max(stats.iterations);
            let (k, v, _, _) = totals(&model, &state);
            worst = worst.max((k + v - start).abs() / (k + start.abs()));
            off = off.max(violation(&model, &state));
        }
        println!("{kind:?}: energy {worst:.1e}, iterations {most}, violation {off:.1e}");
        assert!(worst < 2e-4, "{kind:?}");
        assert!(off < 1e-12, "{kind:?}");
        assert!(most <= 5);
    }
}

#[test]
fn runs_backwards_to_where_they_came_from() {
    for kind in ALL_KINDS {
        let (model, mut state) = chain(kind, 3);
        let start = state.clone();
        let mut scheme = Variational::new(&model, &state);
        for _ in 0..500 {
            scheme.step(&model, &mut state, 1e-3).unwrap();
        }
        for _ in 0..500 {
            scheme.step(&model, &mut state, -1e-3).unwrap();
        }
        let worst = apart(&state, &start);
        assert!(worst < 1e-10, "{kind:?}: {worst:e}");
    }
}
