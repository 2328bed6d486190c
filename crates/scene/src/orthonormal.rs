//! Rotation matrices from text: orthonormal up to the printed digits.

use crate::tolerances::ORTHONORMAL;
use nalgebra::{Matrix3, Rotation3};

/// The rotation nearest to a matrix that is orthonormal up to printed digits; otherwise error and remedy.
/// Newton's iteration for the polar factor, `R <- R (3 - R^T R)/2`, squares the defect, so that two steps take 1e-6
/// below rounding.
pub fn orthonormal(rows: &[[f64; 3]; 3]) -> Result<Rotation3<f64>, String> {
    let mut matrix = Matrix3::from_fn(|i, j| rows[i][j]);
    let defect = (matrix.transpose() * matrix - Matrix3::identity()).amax();
    if !(defect <= ORTHONORMAL) {
        return Err(format!(
            "`rotation` is not a rotation: its rows are orthonormal only to {defect:.1e}, {ORTHONORMAL:e} is \
             allowed; write more digits, or give `rotation_vector`"
        ));
    }
    if matrix.determinant() < 0.0 {
        return Err(
            "`rotation` is a reflection (determinant -1); swap two rows or change the sign of one".into()
        );
    }
    for _ in 0..2 {
        matrix = matrix * (Matrix3::from_diagonal_element(3.0) - matrix.transpose() * matrix) * 0.5;
    }
    Ok(Rotation3::from_matrix_unchecked(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn a_rotation_of_seven_digits_is_made_orthonormal_to_rounding() {
        let exact: Rotation3<f64> = Rotation3::new(Vector3::new(0.3, -0.7, 1.1));
        let rows = [0, 1, 2].map(|i| [0, 1, 2].map(|j| (exact[(i, j)] * 1e7).round() / 1e7));
        let corrected = orthonormal(&rows).unwrap();
        assert!((corrected.matrix().transpose() * corrected.matrix() - Matrix3::identity()).amax() < 1e-15);
        assert!((corrected.matrix() - exact.matrix()).amax() < 2e-7);
    }

    #[test]
    fn a_shear_and_a_mirror_are_refused() {
        let shear = [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mirror = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
        assert!(orthonormal(&shear).unwrap_err().contains("not a rotation"));
        assert!(orthonormal(&mirror).unwrap_err().contains("reflection"));
    }
}
