//! The variational scheme keeps what mechanics keeps.

use crate::common::*;

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
        println!("{kind:?}: {worst:.1e}");
        assert!(worst < 1e-10, "{kind:?}: {worst:e}");
    }
}
