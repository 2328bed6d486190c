//! The three forms of the variational scheme are one scheme.

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
        println!("{name:12} {worst:.1e}");
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
