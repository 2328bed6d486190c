//! The shortest weights that hold one point inside a face.
//!
//! ```text
//! min Σ π_i^2,   Σ π_i = 1,   Σ π_i x_i = 0,   π >= 0          x_i: corners of the face seen from the point
//! optimal iff    π_i = max(0, λ + <g, x_i>)                      an affine function over the face, cut at zero
//! ```
//!
//! On the corners where it is positive the function is a regression: `g = -S^{-1} m`, `λ = 1/n - <g, m>` with their mean
//! `m` and scatter `S = Σ (x_i - m)(x_i - m)ᵀ`. Corners where it comes out negative are dropped until there are none;
//! then it must not be positive at any that was dropped. Where it is, or rounding spoils the sums, there is no
//! answer here, and the quadratic program is solved.

use super::analysis::normalised;
use crate::separation::small::complete;
use crate::shapes::Polytope;
use crate::tolerances::resolve::ROUNDING;
use crate::{Vec2, Vec3};
use nalgebra::Matrix2;

/// A face and the weights of its corners.
pub(super) struct FaceWeights {
    /// All corners, ascending.
    pub active: Vec<u32>,
    /// Those that carry, with their weights.
    pub weights: Vec<(u32, f64)>,
}

/// Weights on the vertices of `p` within `limit` of the plane across `inward` through the point that `weighted` make.
pub(super) fn face_weights(
    p: &Polytope,
    inward: &Vec3,
    weighted: impl Iterator<Item = (u32, f64)>,
    limit: f64,
) -> Option<FaceWeights> {
    let seen = |k: u32| p.vertices()[k as usize] - p.reference();
    let (sum, total) =
        weighted.fold((Vec3::zeros(), 0.0), |(sum, total), (k, w)| (sum + w * seen(k), total + w));
    let contact = sum / total;
    let (u, v) = complete(inward.as_ref());
    let (u, v) = (Vec3::from(u), Vec3::from(v));
    let mut corners: Vec<(u32, Vec2)> = Vec::with_capacity(8);
    for k in 0..p.vertices().len() as u32 {
        let x = seen(k) - contact;
        if inward.dot(&x) <= limit {
            corners.push((k, Vec2::new(u.dot(&x), v.dot(&x))));
        }
    }
    let active: Vec<u32> = corners.iter().map(|(k, _)| *k).collect();
    let extent = corners.iter().map(|(_, x)| x.amax()).fold(0.0, f64::max);
    let mut dropped: Vec<Vec2> = Vec::new();
    loop {
        let (lambda, g) = regression(&corners)?;
        let weight = |x: &Vec2| lambda + g.dot(x);
        let before = corners.len();
        corners.retain(|(_, x)| {
            let keep = weight(x) > 0.0;
            if !keep {
                dropped.push(*x);
            }
            keep
        });
        if corners.len() == before {
            let miss = corners.iter().fold(Vec2::zeros(), |sum, (_, x)| sum + weight(x) * x);
            let optimal = dropped.iter().all(|x| weight(x) <= 0.0);
            let weights = normalised(corners.iter().map(|(k, x)| (*k, weight(x))));
            return (optimal && miss.amax() <= ROUNDING * extent).then_some(FaceWeights { active, weights });
        }
    }
}

/// The affine function `λ + <g, x>` that sums to one and whose moments about the origin vanish.
fn regression(corners: &[(u32, Vec2)]) -> Option<(f64, Vec2)> {
    let count = corners.len() as f64;
    if corners.len() < 3 {
        return None;
    }
    let mean = corners.iter().fold(Vec2::zeros(), |sum, (_, x)| sum + x) / count;
    let scatter = corners.iter().fold(Matrix2::zeros(), |sum, (_, x)| {
        let d = x - mean;
        sum + d * d.transpose()
    });
    let g = -scatter.try_inverse()? * mean;
    Some((1.0 / count - g.dot(&mean), g))
}
