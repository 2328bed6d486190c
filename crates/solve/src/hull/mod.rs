//! The point of a convex hull nearest to a given one: is a vector a convex combination of others?
//!
//! [`minimum_norm_point`] and [`distance_to_hull`] are Wolfe's method, [`hull_residual`] the residual.

mod residual;
mod wolfe;

pub use residual::{HullResidual, hull_residual};
pub use wolfe::{distance_to_hull, minimum_norm_point};

/// The nearest point of a hull with its certificate: the true distance lies between `lower_bound` and
/// `distance`.
#[derive(Clone, Debug, PartialEq)]
pub struct HullPoint {
    /// Weights of the given points: nonnegative, sum one, at most dimension + 1 of them positive.
    pub weights: Vec<f64>,
    /// The nearest point.
    pub point: Vec<f64>,
    /// Vector from the target to the nearest point.
    pub offset: Vec<f64>,
    /// Length of the offset.
    pub distance: f64,
    /// Unit normal of the separating plane: the offset's direction without the rounding error that a short
    /// offset suffers along the face it ends on. Zero when the target is in the hull to rounding.
    pub normal: Vec<f64>,
    /// Every point of the hull is at least this far away, proved by the plane across the normal.
    pub lower_bound: f64,
    /// Wolfe's gap, as a length: `distance - min_i normal . (p_i - target)`, zero at the optimum.
    pub gap: f64,
    /// Largest distance of a given point from the target: what rounding errors are proportional to.
    pub size: f64,
    /// Changes of the set of points in use.
    pub iterations: usize,
}

impl HullPoint {
    /// Whether the target lies in the hull up to a distance of `tolerance * size`.
    pub fn contains(&self, tolerance: f64) -> bool {
        self.distance <= tolerance * self.size
    }

    /// Whether the target is proved to lie outside the hull by more than `tolerance * size`.
    pub fn excludes(&self, tolerance: f64) -> bool {
        self.lower_bound > tolerance * self.size
    }
}
