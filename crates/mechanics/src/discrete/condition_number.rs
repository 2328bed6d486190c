//! Condition numbers of the equations of a step, in each form.
//!
//! Newton's matrix with multipliers has entries of order `1/h` (mass), `h` (multipliers) and 1 (constraints): its condition
//! number grows like `h⁻³` [Leyendecker, after eq. 11]. With the null-space matrix in front it grows like `h⁻¹`; the reduced
//! matrix is `Mred/h` plus terms that vanish with `h`, and its condition does not depend on the step.

use super::{Dense, IslandStateMut, Newton, Redundant, StepFailure};
use crate::model::{Island, Model, State};
use nalgebra::DMatrix;

/// A form of the variational scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Equations {
    /// [Johnson 3.13]: as many equations as degrees of freedom.
    Reduced,
    /// [Johnson 3.12]: null-space matrix in front, constraints behind.
    Projected,
    /// [Johnson 3.8]: multipliers.
    Multipliers,
}

/// Newton's matrix of an island at the end of a step of length `h` from a state. In the reduced form it is the matrix of the
/// tree: loops are eliminated on top of it.
pub fn newton_matrix(
    equations: Equations,
    model: &Model,
    island: &Island,
    state: &State,
    h: f64,
) -> Result<DMatrix<f64>, StepFailure> {
    let mut next = state.clone();
    let end = IslandStateMut::of(&mut next, island);
    let redundant = |kind: Redundant, end: IslandStateMut| {
        let mut dense = Dense::new(kind, model, state);
        dense.step(model, island, None, state, h, end).map(|_| dense.matrix(h))
    };
    match equations {
        Equations::Projected => redundant(Redundant::Projected, end),
        Equations::Multipliers => redundant(Redundant::Multipliers, end),
        Equations::Reduced => {
            let mut newton = Newton::default();
            newton.step(model, island, state, h, end)?;
            Ok(reduced_matrix(&mut newton, model, island, state, h))
        }
    }
}

/// `∂p⁻/∂q1` as a dense matrix, column by column through the sweeps, where the last step of `newton` ended.
fn reduced_matrix(
    newton: &mut Newton,
    model: &Model,
    island: &Island,
    state: &State,
    h: f64,
) -> DMatrix<f64> {
    let it = &mut newton.interval;
    let steps = it.increments.clone();
    it.begin(model, island, state);
    it.increments = steps;
    let t = state.time + 0.5 * h;
    let n = island.dofs.len();
    let mut matrix = DMatrix::zeros(n, n);
    // The forces had values a moment ago, at the end of the step.
    if it.evaluate(model, island, state, t, h).is_err() || it.linearise(model, island, state, t, h).is_err() {
        return matrix;
    }
    let mut unit = vec![0.0; n];
    let weights = super::middle(h);
    let (ends, b0) = ((it.rotations0.as_slice(), it.rotations.as_slice()), island.bodies.start);
    for (k, column) in matrix.as_mut_slice().chunks_exact_mut(n.max(1)).enumerate() {
        unit[k] = 1.0;
        it.system.multiply(&unit, &mut it.twists, &mut it.wrenches, column, |twists, wrenches| {
            for element in &it.stiffness {
                element.add_coupling(b0, ends, &weights, -0.5 * h, twists, wrenches);
            }
        });
        unit[k] = 0.0;
    }
    matrix
}

/// Passes over rows and columns after which their greatest entries are near one.
const PASSES: usize = 8;

/// The condition number `|A| |A⁻¹|` in the spectral norm; infinite for a singular matrix.
///
/// The inverse is taken of the matrix with rows and columns scaled by powers of two, so that it is right to many digits where
/// bad scaling alone makes the condition number larger than the inverse of rounding.
pub fn condition_number(a: &DMatrix<f64>) -> f64 {
    let n = a.nrows();
    if n == 0 {
        return 1.0;
    }
    let mut scaled = a.clone();
    let (mut rows, mut columns) = (vec![1.0; n], vec![1.0; n]);
    let half = |greatest: f64| if greatest > 0.0 { (-0.5 * greatest.log2()).round().exp2() } else { 1.0 };
    for _ in 0..PASSES {
        for (k, scale) in rows.iter_mut().enumerate() {
            let factor = half(scaled.row(k).amax());
            scaled.row_mut(k).scale_mut(factor);
            *scale *= factor;
        }
        for (k, scale) in columns.iter_mut().enumerate() {
            let factor = half(scaled.column(k).amax());
            scaled.column_mut(k).scale_mut(factor);
            *scale *= factor;
        }
    }
    let Some(mut inverse) = scaled.try_inverse() else { return f64::INFINITY };
    for (r, row) in columns.iter().enumerate() {
        for (c, column) in rows.iter().enumerate() {
            inverse[(r, c)] *= row * column;
        }
    }
    greatest_singular_value(a) * greatest_singular_value(&inverse)
}

fn greatest_singular_value(a: &DMatrix<f64>) -> f64 {
    a.singular_values().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn condition_numbers_are_right_beyond_the_inverse_of_rounding() {
        let turn = nalgebra::Rotation2::new(0.3);
        let turn = DMatrix::from_fn(2, 2, |r, c| turn.matrix()[(r, c)]);
        let plain = &turn * DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![3.0, 1.0]));
        assert!((condition_number(&plain) - 3.0).abs() < 1e-14);
        // [[1/h, h], [1, 0]]: singular values near 1/h and h².
        let h = 1e-7;
        let saddle = DMatrix::from_row_slice(2, 2, &[1.0 / h, h, 1.0, 0.0]);
        assert!((condition_number(&saddle) * h.powi(3) - 1.0).abs() < 1e-9);
        assert_eq!(condition_number(&DMatrix::zeros(2, 2)), f64::INFINITY);
    }
}
