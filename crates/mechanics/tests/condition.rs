//! The reduced form does not care how small the step is; the form with multipliers does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::chain;
use percussion_mechanics::JointKind;
use percussion_mechanics::discrete::{Equations, condition_number, newton_matrix};

/// Slope of the condition number over the step in a double logarithmic plot, fitted.
fn slope(equations: Equations, kind: JointKind) -> f64 {
    let (model, state) = chain(kind, 4);
    let points: Vec<(f64, f64)> = [1e-2, 1e-3, 1e-4, 1e-5]
        .iter()
        .map(|&h: &f64| {
            let matrix = newton_matrix(equations, &model, &model.islands[0], &state, h).unwrap();
            let condition = condition_number(&matrix);
            println!("{kind:?} {equations:?} {h:e}: {condition:.3e}");
            (h.ln(), condition.ln())
        })
        .collect();
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let across: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    across / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
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
