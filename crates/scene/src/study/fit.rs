//! Convergence rates: slope of the line through the logarithms, by least squares.
//!
//! ```text
//! log y = a + s log x        s = Sxy/Sxx        standard error of s = sqrt(Syy - s Sxy)/sqrt((n - 2) Sxx)
//! ```

use serde::{Deserialize, Serialize};

/// The slope of a line through logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The exponent `s` of `y ~ x^s`.
    pub slope: f64,
    /// Its standard error; none for two points.
    pub standard_error: Option<f64>,
    /// Value of the line at `x = 1`.
    pub factor: f64,
    /// Number of points of the fit.
    pub points: usize,
}

/// The rate of the points with two positive coordinates; others have no logarithm and are ignored. None with fewer than two abscissas.
pub fn rate(points: impl IntoIterator<Item = (f64, f64)>) -> Option<Rate> {
    let fit = |(x, y): &(f64, f64)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite();
    let logs: Vec<(f64, f64)> = points.into_iter().filter(fit).map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x0, y0) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: fn(f64, f64) -> f64| logs.iter().map(|(x, y)| of(x - x0, y - y0)).sum::<f64>();
    let (sxx, sxy, syy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
    if !(sxx > 0.0) {
        return None;
    }
    let slope = sxy / sxx;
    // Rounding may make the residual of an exact line negative.
    let rest = (syy - slope * sxy).max(0.0);
    let standard_error = (logs.len() > 2).then(|| (rest / ((n - 2.0) * sxx)).sqrt());
    Some(Rate { slope, standard_error, factor: (y0 - slope * x0).exp(), points: logs.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_recognised_to_rounding() {
        let found = rate([0.1, 0.05, 0.02, 0.01].map(|h: f64| (h, 3.0 * h.powf(2.5)))).unwrap();
        assert!((found.slope - 2.5).abs() < 1e-13 && (found.factor - 3.0).abs() < 1e-12, "{found:?}");
        assert!(found.standard_error.unwrap() < 1e-7 && found.points == 4);
    }

    /// Compared with NumPy's `lstsq` on the logarithms and the covariance it leaves.
    #[test]
    fn scatter_shows_as_a_standard_error() {
        let found = rate([(1.0, 1.0), (2.0, 4.4), (4.0, 15.0), (8.0, 70.0)]).unwrap();
        assert!((found.slope - 2.015723612269349).abs() < 1e-13, "{found:?}");
        assert!((found.standard_error.unwrap() - 0.05959327299918589).abs() < 1e-13, "{found:?}");
    }

    #[test]
    fn points_without_logarithm_are_ignored() {
        let found = rate([(1.0, 1.0), (2.0, 0.0), (-1.0, 3.0), (4.0, 4.0), (3.0, f64::NAN)]).unwrap();
        assert_eq!((found.points, found.standard_error), (2, None));
        assert!((found.slope - 1.0).abs() < 1e-14);
        assert_eq!(rate([(1.0, 1.0)]), None);
        assert_eq!(rate([(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(rate([]), None);
    }
}
