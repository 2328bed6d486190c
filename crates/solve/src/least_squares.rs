//! Householder least squares for a handful of columns.

use crate::tolerances::least_squares::DEPENDENT;

/// Solves `min |A t - b|` by Householder QR. `columns` holds k columns of length m one after the other and is
/// overwritten, as is `b`. Writes the solution into `t` (length k); false if the columns are dependent.
pub(crate) fn least_squares(columns: &mut [f64], b: &mut [f64], t: &mut [f64]) -> bool {
    let (m, k) = (b.len(), t.len());
    if k > m {
        return false;
    }
    for c in 0..k {
        let (done, rest) = columns.split_at_mut((c + 1) * m);
        let v = &mut done[c * m..];
        let whole = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let tail = v[c..].iter().map(|x| x * x).sum::<f64>().sqrt();
        if tail <= DEPENDENT * whole || tail == 0.0 {
            return false;
        }
        // Reflect v[c..] onto the first axis, away from its own sign to avoid cancellation.
        let diagonal = if v[c] > 0.0 { -tail } else { tail };
        v[c] -= diagonal;
        let scale = 2.0 / v[c..].iter().map(|x| x * x).sum::<f64>();
        let reflector = &v[c..];
        for other in rest.chunks_exact_mut(m).take(k - c - 1).chain(std::iter::once(&mut *b)) {
            let along: f64 = reflector.iter().zip(&other[c..]).map(|(x, y)| x * y).sum();
            for (y, x) in other[c..].iter_mut().zip(reflector) {
                *y -= scale * along * x;
            }
        }
        // The reflector is used up: keep the diagonal of R in its place.
        v[c] = diagonal;
    }
    for c in (0..k).rev() {
        let sum: f64 = (c + 1..k).map(|j| columns[j * m + c] * t[j]).sum();
        t[c] = (b[c] - sum) / columns[c * m + c];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_fitted_through_four_points() {
        // y = 2 + 3 s with residuals orthogonal to both columns.
        let s: [f64; 4] = [-3.0, -1.0, 1.0, 3.0];
        let off = [1.0, -1.0, -1.0, 1.0];
        let mut columns = [1.0, 1.0, 1.0, 1.0, s[0], s[1], s[2], s[3]];
        let mut b = [0.0; 4];
        for i in 0..4 {
            b[i] = 2.0 + 3.0 * s[i] + off[i];
        }
        let mut t = [0.0; 2];
        assert!(least_squares(&mut columns, &mut b, &mut t));
        assert!((t[0] - 2.0).abs() < 1e-14 && (t[1] - 3.0).abs() < 1e-14);
    }

    #[test]
    fn dependent_columns_are_refused() {
        let mut columns = [1.0, 2.0, 3.0, 2.0, 4.0, 6.0];
        assert!(!least_squares(&mut columns, &mut [1.0, 0.0, 0.0], &mut [0.0; 2]));
    }
}
