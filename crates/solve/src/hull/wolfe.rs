//! Wolfe's algorithm for the point of least norm in a polytope (Mathematical Programming 11, 1976).
//!
//! Keeps a *corral*: affinely independent points whose affine hull has its point x of least norm inside their
//! convex hull. While some point lies nearer to the origin along x than x itself, it joins; if the new affine
//! minimum has negative weights, the corral is left towards it until one weight vanishes. The affine minima
//! come from a Householder QR of the differences, refined once. |x| falls strictly, so the method is finite.

use super::HullPoint;
use crate::arithmetic::{TwofoldSum, add_scaled, dot, norm};
use crate::error::{SolveError, all_finite, length};
use crate::least_squares::least_squares;
use crate::tolerances::hull::IMPROVEMENT;

/// The point of the convex hull of `points` nearest to the origin.
///
/// ```
/// use percussion_solve::minimum_norm_point;
///
/// let nearest = minimum_norm_point(&[[1.0, 2.0], [1.0, -1.0], [4.0, 0.0]])?;
/// assert!((nearest.distance - 1.0).abs() < 1e-15 && nearest.excludes(0.1));
/// assert!((nearest.weights[0] - 1.0 / 3.0).abs() < 1e-15 && nearest.weights[2] == 0.0);
///
/// // Zero is a convex combination of these: a stationary point of the function they are gradients of.
/// let stationary = minimum_norm_point(&[[1.0, 2.0], [1.0, -2.0], [-3.0, 0.1]])?;
/// assert!(stationary.contains(1e-14));
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
pub fn minimum_norm_point<P: AsRef<[f64]>>(points: &[P]) -> Result<HullPoint, SolveError> {
    let dimension = points.first().map_or(0, |p| p.as_ref().len());
    distance_to_hull(points, &vec![0.0; dimension])
}

/// The point of the convex hull of `points` nearest to `target`: decides whether a vector is a convex
/// combination of others, with a separating plane when it is not.
pub fn distance_to_hull<P: AsRef<[f64]>>(points: &[P], target: &[f64]) -> Result<HullPoint, SolveError> {
    if points.is_empty() {
        return Err(SolveError::Empty { what: "list of points" });
    }
    if target.is_empty() {
        return Err(SolveError::Empty { what: "target" });
    }
    all_finite("target", target)?;
    let mut shifted = Vec::with_capacity(points.len() * target.len());
    for p in points {
        length("point", "coordinate of the target", target.len(), p.as_ref().len())?;
        all_finite("point", p.as_ref())?;
        shifted.extend(p.as_ref().iter().zip(target).map(|(a, b)| a - b));
    }
    let mut hull = Hull::new(&shifted, target.len());
    let iterations = hull.solve();
    Ok(hull.solution(target, iterations))
}

struct Hull<'a> {
    points: &'a [f64],
    n: usize,
    size: f64,
    corral: Vec<usize>,
    weights: Vec<f64>,
    x: Vec<f64>,
}

impl<'a> Hull<'a> {
    fn new(points: &'a [f64], n: usize) -> Self {
        let (mut nearest, mut least, mut size) = (0, f64::INFINITY, 0.0_f64);
        for (i, p) in points.chunks(n).enumerate() {
            let length = norm(p);
            size = size.max(length);
            if length < least {
                (nearest, least) = (i, length);
            }
        }
        let x = points[nearest * n..(nearest + 1) * n].to_vec();
        Self { points, n, size, corral: vec![nearest], weights: vec![1.0], x }
    }

    fn point(&self, i: usize) -> &'a [f64] {
        &self.points[i * self.n..(i + 1) * self.n]
    }

    /// The unit vector along x across the corral. A short x is the small difference of large points and has
    /// a rounding error along the corral, which is removed here; zero if nothing else is left of x.
    fn normal(&self) -> Vec<f64> {
        let mut normal = self.x.clone();
        let (mut columns, k) = (self.differences(), self.corral.len());
        let (mut target, mut t) = (normal.clone(), vec![0.0; k - 1]);
        if k <= self.n && least_squares(&mut columns, &mut target, &mut t) {
            for (difference, t) in self.differences().chunks(self.n).zip(&t) {
                add_scaled(&mut normal, -t, difference);
            }
        }
        let length = norm(&normal);
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        normal.iter_mut().for_each(|v| *v *= scale);
        normal
    }

    /// The other points of the corral seen from the first.
    fn differences(&self) -> Vec<f64> {
        let base = self.point(self.corral[0]);
        self.corral[1..].iter().flat_map(|&c| self.point(c).iter().zip(base).map(|(a, b)| a - b)).collect()
    }

    /// The point of least height along a normal, and that height.
    fn lowest_point(&self, normal: &[f64]) -> (usize, f64) {
        let mut lowest_point = (0, f64::INFINITY);
        for (i, p) in self.points.chunks(self.n).enumerate() {
            let height = dot(normal, p);
            if height < lowest_point.1 {
                lowest_point = (i, height);
            }
        }
        lowest_point
    }

    fn solve(&mut self) -> usize {
        let mut iterations = 0;
        loop {
            let distance = norm(&self.x);
            let (j, height) = self.lowest_point(&self.normal());
            let rounding = IMPROVEMENT * self.size;
            if distance <= rounding || distance - height <= rounding || self.corral.contains(&j) {
                return iterations;
            }
            let kept = (self.corral.clone(), self.weights.clone(), self.x.clone());
            self.corral.push(j);
            self.weights.push(0.0);
            let settled = self.minor_cycles(&mut iterations);
            self.update_point();
            // In exact arithmetic |x| falls; once it does not, the digits are used up.
            if !settled || norm(&self.x) >= distance {
                (self.corral, self.weights, self.x) = kept;
                return iterations;
            }
        }
    }

    /// Minor cycles: until the affine minimum of the corral is inside it. False if the corral is dependent.
    fn minor_cycles(&mut self, iterations: &mut usize) -> bool {
        loop {
            *iterations += 1;
            let Some(minimum) = self.affine_minimum() else { return false };
            if minimum.iter().all(|w| *w > 0.0) {
                self.weights = minimum;
                return true;
            }
            let (mut reach, mut leaving) = (1.0, None);
            for (k, (&w, &v)) in self.weights.iter().zip(&minimum).enumerate() {
                // A newcomer without weight cannot leave before it has been given some.
                let step = w / (w - v);
                if v <= 0.0 && (step < reach || leaving.is_none()) {
                    (reach, leaving) = (step, Some(k));
                }
            }
            let Some(leaving) = leaving else { return false };
            let reach = if reach.is_finite() { reach.clamp(0.0, 1.0) } else { 0.0 };
            for (w, v) in self.weights.iter_mut().zip(&minimum) {
                *w = (*w + reach * (v - *w)).max(0.0);
            }
            self.weights.remove(leaving);
            self.corral.remove(leaving);
        }
    }

    /// Weights of the least-norm point of the corral's affine hull; None if the corral is dependent.
    fn affine_minimum(&self) -> Option<Vec<f64>> {
        let k = self.corral.len();
        let mut weights = vec![0.0; k];
        weights[0] = 1.0;
        for _ in 0..2 {
            let mut target: Vec<f64> = (0..self.n).map(|i| -self.coordinate(&weights, i)).collect();
            let mut columns = self.differences();
            let mut change = vec![0.0; k - 1];
            if !least_squares(&mut columns, &mut target, &mut change) {
                return None;
            }
            for (w, d) in weights[1..].iter_mut().zip(&change) {
                *w += d;
            }
            weights[0] = 1.0 - weights[1..].iter().sum::<f64>();
        }
        Some(weights)
    }

    /// Coordinate i of the weighted sum, accurately: the points may cancel.
    fn coordinate(&self, weights: &[f64], i: usize) -> f64 {
        let mut sum = TwofoldSum::default();
        for (&c, w) in self.corral.iter().zip(weights) {
            sum.add_product(*w, self.points[c * self.n + i]);
        }
        sum.value()
    }

    fn update_point(&mut self) {
        for i in 0..self.n {
            self.x[i] = self.coordinate(&self.weights, i);
        }
    }

    fn solution(self, target: &[f64], iterations: usize) -> HullPoint {
        let distance = norm(&self.x);
        let normal = self.normal();
        let (_, height) = self.lowest_point(&normal);
        let mut weights = vec![0.0; self.points.len() / self.n];
        self.corral.iter().zip(&self.weights).for_each(|(&c, w)| weights[c] = *w);
        HullPoint {
            weights,
            point: self.x.iter().zip(target).map(|(x, t)| x + t).collect(),
            distance,
            lower_bound: height.max(0.0),
            gap: distance - height,
            normal,
            size: self.size,
            offset: self.x,
            iterations,
        }
    }
}
