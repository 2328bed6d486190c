//! The hull of finitely many gradients with respect to motions.

use percussion_solve::{LinearProgram, distance_to_hull, solve_lp};

/// A convex set of gradients with respect to the motions of two bodies: `N` is twelve in space (translation and
/// rotation of body a, then of body b) and six in the plane.
///
/// Distances are Euclidean in these `N` numbers, whose rotational ones carry the unit of length: for bodies
/// much smaller or larger than a metre, scale gradients to the body's size before comparing across kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientSet<const N: usize> {
    /// One list per extreme direction α; within each, one gradient per corner of the contact region.
    extreme: Vec<Vec<[f64; N]>>,
}

fn dot(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(a, b)| a * b).sum()
}

impl<const N: usize> GradientSet<N> {
    pub(super) fn new(extreme: Vec<Vec<[f64; N]>>) -> Self {
        Self { extreme }
    }

    /// The gradients whose hull the set is: every extreme direction at every corner of the contact region.
    pub fn extreme_gradients(&self) -> impl Iterator<Item = &[f64; N]> {
        self.extreme.iter().flatten()
    }

    /// Greatest rate `<g, velocity>` over the set: Clarke's generalised derivative along the velocity.
    pub fn support(&self, velocity: &[f64; N]) -> f64 {
        self.extreme_gradients().map(|g| dot(g, velocity)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The one-sided derivative of the separation along a velocity: directions α compete for the greatest
    /// rate, contact points for the least, `max_α min_p <g(α, p), velocity>`.
    pub fn directional_derivative(&self, velocity: &[f64; N]) -> f64 {
        let rates: Vec<Vec<f64>> =
            self.extreme.iter().map(|row| row.iter().map(|g| dot(g, velocity)).collect()).collect();
        let least = |row: &Vec<f64>| row.iter().copied().fold(f64::INFINITY, f64::min);
        let pure = rates.iter().map(least).fold(f64::NEG_INFINITY, f64::max);
        if rates.len() < 2 || rates[0].len() < 2 {
            return pure;
        }
        // Both sides may mix: the value of a matrix game. Should the solver fail, the best pure α bounds it below.
        matrix_game_value(&rates).unwrap_or(pure)
    }

    /// Distance of a gradient from the set; infinite for one that is not finite.
    pub fn distance(&self, gradient: impl Into<[f64; N]>) -> f64 {
        let extreme: Vec<&[f64; N]> = self.extreme_gradients().collect();
        let extreme: Vec<&[f64]> = extreme.iter().map(|g| g.as_slice()).collect();
        distance_to_hull(&extreme, &gradient.into()).map_or(f64::INFINITY, |nearest| nearest.distance)
    }

    /// Whether a gradient belongs to the set up to `tolerance` times the length of its longest element.
    pub fn contains(&self, gradient: impl Into<[f64; N]>, tolerance: f64) -> bool {
        let longest = self.extreme_gradients().map(|g| dot(g, g).sqrt()).fold(0.0, f64::max);
        self.distance(gradient) <= tolerance * longest
    }
}

/// `max_λ min_l Σ_k λ_k rates[k][l]` over `λ >= 0`, `Σ λ = 1`.
fn matrix_game_value(rates: &[Vec<f64>]) -> Option<f64> {
    let k = rates.len();
    let mut objective = vec![0.0; k + 1];
    objective[k] = 1.0;
    let mut problem = LinearProgram::maximise(&objective).ok()?;
    problem.nonnegative().bound(k, f64::NEG_INFINITY, f64::INFINITY).ok()?;
    for l in 0..rates[0].len() {
        let row: Vec<f64> = rates.iter().map(|r| r[l]).chain([-1.0]).collect();
        problem.at_least(&row, 0.0).ok()?;
    }
    let sum: Vec<f64> = (0..=k).map(|j| if j < k { 1.0 } else { 0.0 }).collect();
    problem.equal(&sum, 1.0).ok()?;
    let solution = solve_lp(&problem).ok()?;
    solution.is_optimal().then_some(solution.objective)
}
