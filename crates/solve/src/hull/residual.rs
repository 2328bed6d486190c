//! Residual of nearest points. Calls no solver.

use super::HullPoint;
use crate::arithmetic::{TwofoldSum, dot, norm};
use crate::constraints::{ratio, worst_of};
use crate::error::{SolveError, length};

/// Relative errors of a nearest point, all zero for a perfect one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HullResidual {
    /// Most negative weight, or the deviation of their sum from one.
    pub weights: f64,
    /// Deviation of the point from the weighted sum, relative to the size of the points.
    pub combination: f64,
    /// Distance minus the lower bound that the plane across the normal proves, relative to the size of the points.
    pub gap: f64,
}

impl HullResidual {
    /// The largest of the three.
    pub fn worst(&self) -> f64 {
        self.weights.max(self.combination).max(self.gap)
    }
}

/// Residual of a nearest point to `target`, whichever solver it came from.
pub fn hull_residual<P: AsRef<[f64]>>(
    points: &[P],
    target: &[f64],
    solution: &HullPoint,
) -> Result<HullResidual, SolveError> {
    let n = target.len();
    length("weights", "point", points.len(), solution.weights.len())?;
    length("nearest point", "coordinate", n, solution.point.len())?;
    length("normal", "coordinate", n, solution.normal.len())?;
    let mut residual = HullResidual::default();
    let mut total = TwofoldSum::new(-1.0);
    for w in &solution.weights {
        total.add_product(1.0, *w);
        worst_of(&mut residual.weights, ratio(-w, 1.0));
    }
    worst_of(&mut residual.weights, ratio(total.value().abs(), 1.0));
    let size = points.iter().fold(0.0, |m: f64, p| {
        m.max(p.as_ref().iter().zip(target).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt())
    });
    let mut offset = vec![0.0; n];
    for i in 0..n {
        let mut sum = TwofoldSum::new(-solution.point[i]);
        for (p, w) in points.iter().zip(&solution.weights) {
            sum.add_product(p.as_ref()[i], *w);
        }
        worst_of(&mut residual.combination, ratio(sum.value().abs(), size));
        offset[i] = solution.point[i] - target[i];
    }
    let normal = norm(&solution.normal);
    let plane = points.iter().fold(f64::INFINITY, |m: f64, p| {
        let from_target: Vec<f64> = p.as_ref().iter().zip(target).map(|(a, b)| a - b).collect();
        m.min(dot(&solution.normal, &from_target))
    });
    // No plane proves a negative distance, and no normal proves nothing.
    let proved = if normal > 0.0 { (plane / normal).max(0.0) } else { 0.0 };
    worst_of(&mut residual.gap, ratio(norm(&offset) - proved, size));
    Ok(residual)
}
