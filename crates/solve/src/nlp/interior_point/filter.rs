//! The filter: pairs of violation and objective that no later point may be worse than in both.

/// Pairs `(θ, φ)`.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pairs: Vec<(f64, f64)>,
    /// Points more violated than this are never accepted.
    pub max_theta: f64,
}

impl Filter {
    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Whether a point is better than every pair in one way.
    pub fn accepts(&self, theta: f64, phi: f64) -> bool {
        theta <= self.max_theta && self.pairs.iter().all(|&(t, p)| theta <= t || phi <= p)
    }

    /// Forbids what is worse than a pair in both ways; pairs it makes superfluous go.
    pub fn add(&mut self, theta: f64, phi: f64) {
        self.pairs.retain(|&(t, p)| t < theta || p < phi);
        self.pairs.push((theta, phi));
    }
}
