//! The tangential impulse of one contact: the point of a disc or diamond that is best for a quadratic function.
//!
//! ```text
//! minimise 1/2 (x - p)ᵀ G (x - p) + uᵀ (x - p)   over |x| <= r
//! ```
//!
//! u the tangential velocity at the impulse p, G the compliance: the minimum resists the motion as much as it
//! can. One and two tangents are solved exactly; more of them, whose impulses are not unique, by steps of
//! projected gradients.

use crate::lcp::friction::impulses::Cone;
use crate::tolerances::gauss_seidel::{ON_CIRCLE, PARALLEL, STIFFENING};

/// Newton steps for the disc; it converges from one side, quadratically.
const STEPS: usize = 30;

/// One tangent.
pub(super) fn tangential_impulse(g: f64, p: f64, u: f64, r: f64) -> f64 {
    // No panic where r is NaN: the residual shows it.
    (p - u / g).min(r).max(-r)
}

/// Compliance of two tangents, `G = [g0 g1; g1 g2]`, and what sweeps would divide by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TangentPair {
    pub(super) g: [f64; 3],
    inverse: [f64; 3],
    /// Inverse compliance along the sides of a diamond between axes of equal sign, and of unequal sign.
    sides: [f64; 2],
}

impl TangentPair {
    #[inline(always)]
    pub(super) fn new(g: [f64; 3]) -> Self {
        let determinant = g[0] * g[2] - g[1] * g[1];
        // Parallel tangents: a little stiffness picks one of the many minima.
        let g = if determinant > PARALLEL * g[0] * g[2] {
            g
        } else {
            [g[0] * (1.0 + STIFFENING), g[1], g[2] * (1.0 + STIFFENING)]
        };
        let scale = 1.0 / (g[0] * g[2] - g[1] * g[1]);
        let sides = [-2.0, 2.0].map(|cross| 1.0 / (g[0] + cross * g[1] + g[2]));
        Self { g, inverse: [g[2] * scale, -g[1] * scale, g[0] * scale], sides }
    }

    /// The best impulse of two tangents; computed without branches, which would be mispredicted.
    #[inline(always)]
    pub(super) fn minimiser(&self, cone: Cone, p: [f64; 2], u: [f64; 2], r: f64) -> [f64; 2] {
        let m = &self.inverse;
        let best = [p[0] - (m[0] * u[0] + m[1] * u[1]), p[1] - (m[1] * u[0] + m[2] * u[1])];
        match cone {
            Cone::Facets => {
                let edge = self.edge_minimiser(best, r);
                let inside = best[0].abs() + best[1].abs() <= r;
                [if inside { best[0] } else { edge[0] }, if inside { best[1] } else { edge[1] }]
            }
            Cone::Round if !(r > 0.0) => [0.0; 2],
            Cone::Round if best[0] * best[0] + best[1] * best[1] <= r * r => best,
            Cone::Round => nearest_on_disc(self.g, best, r),
        }
    }

    /// The best point of the edge of a diamond, each of whose sides is a problem in one unknown. The residual at the
    /// minimum is normal to the edge: the minimum lies on a side that `best` is beyond, which are one or two.
    #[inline(always)]
    fn edge_minimiser(&self, best: [f64; 2], r: f64) -> [f64; 2] {
        let (s, t) = (1.0_f64.copysign(best[0]), 1.0_f64.copysign(best[1]));
        let over = best[0].abs() - best[1].abs();
        let (first, value) = self.side_minimiser(best, r, s, t);
        let (s, t) = (if -over > r { -s } else { s }, if over > r { -t } else { t });
        let (second, other) = self.side_minimiser(best, r, s, t);
        let pick = |k: usize| if other < value { second[k] } else { first[k] };
        [pick(0), pick(1)]
    }

    /// The best point of the side from `(s r, 0)` to `(0, t r)` and what it is worth, for signs s and t.
    #[inline(always)]
    fn side_minimiser(&self, best: [f64; 2], r: f64, s: f64, t: f64) -> ([f64; 2], f64) {
        let gd = product(self.g, [-s, t]);
        let stiffness = if s == t { self.sides[0] } else { self.sides[1] };
        let row_velocity = ((best[0] - s * r) * gd[0] + best[1] * gd[1]) * stiffness;
        let row_velocity = if row_velocity > 0.0 { row_velocity } else { 0.0 };
        let row_velocity = if row_velocity < r { row_velocity } else { r };
        let x = [s * (r - row_velocity), t * row_velocity];
        let off = [x[0] - best[0], x[1] - best[1]];
        let g_off = product(self.g, off);
        (x, off[0] * g_off[0] + off[1] * g_off[1])
    }
}

#[inline(always)]
fn product(g: [f64; 3], x: [f64; 2]) -> [f64; 2] {
    [g[0] * x[0] + g[1] * x[1], g[1] * x[0] + g[2] * x[1]]
}

/// The best point of a circle: `(G + λ I) x = G best`, Newton on `1/|x(λ)| = 1/r`.
#[inline(never)]
fn nearest_on_disc(g: [f64; 3], best: [f64; 2], r: f64) -> [f64; 2] {
    let b = product(g, best);
    let (mut λ, mut x) = (0.0, best);
    for _ in 0..STEPS {
        let length = (x[0] * x[0] + x[1] * x[1]).sqrt();
        if !(length - r > ON_CIRCLE * r) {
            break;
        }
        let y = solve(g, λ, x);
        λ += (length / r - 1.0) * length * length / (x[0] * y[0] + x[1] * y[1]);
        x = solve(g, λ, b);
    }
    let shrink = r / (x[0] * x[0] + x[1] * x[1]).sqrt().max(r);
    [shrink * x[0], shrink * x[1]]
}

/// `(G + λ I)⁻¹ b`
fn solve(g: [f64; 3], λ: f64, b: [f64; 2]) -> [f64; 2] {
    let (p, q) = (g[0] + λ, g[2] + λ);
    let determinant = p * q - g[1] * g[1];
    [(q * b[0] - g[1] * b[1]) / determinant, (p * b[1] - g[1] * b[0]) / determinant]
}

/// The point of `Σ |x_i| <= r` nearest to x, in place: entries shrink by the same amount until the rest fits.
/// Sorts nothing, as there are few.
pub(super) fn shrink_to_diamond(x: &mut [f64], r: f64) {
    if x.iter().map(|v| v.abs()).sum::<f64>() <= r {
        return;
    }
    // Michelot: the amount for the remaining entries only grows, and each round drops one or is the last.
    let mut by = 0.0;
    for _ in 0..=x.len() {
        let in_play = x.iter().map(|v| v.abs()).filter(|v| *v > by);
        let (sum, count) = in_play.fold((0.0, 0.0), |(sum, count), v| (sum + v, count + 1.0));
        if count > 0.0 {
            by = f64::max(by, (sum - r) / count);
        }
    }
    x.iter_mut().for_each(|v| *v = v.signum() * (v.abs() - by).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(g: [f64; 3], best: [f64; 2], x: [f64; 2]) -> f64 {
        let off = [x[0] - best[0], x[1] - best[1]];
        let g_off = product(g, off);
        off[0] * g_off[0] + off[1] * g_off[1]
    }

    #[test]
    fn no_point_of_the_boundary_is_better() {
        for k in 0..200 {
            let f = |j: usize| ((k * 7 + j * 13 + 1) as f64).sin();
            let (a, b, d) = (1.0 + f(0).abs(), f(1), 1.2 + f(2).abs());
            let (g, best, r) = ([a, b, d], [3.0 * f(3), 3.0 * f(4)], 0.2 + f(5).abs());
            for cone in [Cone::Facets, Cone::Round] {
                let u = product(g, [-best[0], -best[1]]);
                let x = TangentPair::new(g).minimiser(cone, [0.0; 2], u, r);
                let size = |x: [f64; 2]| match cone {
                    Cone::Facets => x[0].abs() + x[1].abs(),
                    Cone::Round => x[0].hypot(x[1]),
                };
                assert!(size(x) <= r * (1.0 + 1e-14));
                for step in 0..2000 {
                    let angle = f64::from(step) * 0.00314;
                    let direction = [angle.cos(), angle.sin()];
                    let scale = r / size(direction) * if step % 2 == 0 { 1.0 } else { 0.5 };
                    let other = [scale * direction[0], scale * direction[1]];
                    assert!(value(g, best, x) <= value(g, best, other) + 1e-12, "{k} {cone:?}");
                }
            }
        }
    }

    #[test]
    fn the_diamond_takes_the_same_from_all_that_stay() {
        let mut x = [3.0, -2.0, 0.5];
        shrink_to_diamond(&mut x, 2.0);
        assert_eq!(x, [1.5, -0.5, 0.0]);
        let mut x = [0.5, -0.25];
        shrink_to_diamond(&mut x, 2.0);
        assert_eq!(x, [0.5, -0.25]);
    }
}
