//! The reduced form does not care how small the step is; the form with multipliers does.

use crate::common::*;

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
